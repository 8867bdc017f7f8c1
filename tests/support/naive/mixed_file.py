"""What an audit of a small file with attributes,
quasi-identifiers and sensitive columns has to say.

From the definitions (theory §1, §2, §11, §13) in plain loops, from the bytes of the files on:
nothing of the product is used, neither its reader nor its numbers. Files are the simple ones of
:mod:`mixed_files`: commas, no quotes, a header; what is asked of them is a :class:`Question`.
"""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

MISSING = {"", "NA", "N/A", "n/a", "null", "NULL", "None"}


@dataclass(frozen=True)
class Quasi:
    """The rule of a quasi-identifier: ``within`` a width, in bands of a size, or equal."""

    within: str | None = None
    band: int | None = None


@dataclass(frozen=True)
class Question:
    """What is said of a file's columns, and what is asked.

    ``sensitive`` says by name whether a column is nominal; ``scales`` are those that a codebook
    declares of single questions, ``scale`` that of all.
    """

    layout: str
    k: int
    epsilon: str
    nulls: str = "strict"
    sensitive_nulls: str = "paper"
    l: str | None = None  # noqa: E741 -- the theory's word
    distinct: int | None = None
    entropy: str | None = None
    max_share: str | None = None
    quasi: dict[str, Quasi] = field(default_factory=dict)
    sensitive: dict[str, bool] = field(default_factory=dict)
    identifier: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    scale: tuple[str, str] | None = None
    scales: dict[str, tuple[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """The verdict, the codes of its reservations, and the exit code."""

    satisfied: bool
    reserved: frozenset[str]
    exit_code: int


@dataclass
class _Data:
    """Columns by name, a cell a record; None is missing."""

    records: int
    questions: dict[str, list[Fraction | None]]
    quasi: dict[str, list[Any]]
    sensitive: dict[str, list[Any]]
    repeats: bool
    lacking: bool  # whether some record has no attributes


def answer(data: Path, question: Question, attributes: Path | None = None) -> Answer:
    """Return what an audit of these files has to say."""
    table = _read(data, question, attributes)
    epsilon = Fraction(question.epsilon)
    maximum = _maximum(table, question)
    near = _neighbourhoods(table, question, epsilon, maximum)
    held, disagree = True, False
    for group in near:
        large = len(group) >= question.k
        rules = {
            rule: large and _diverse(table, question, group, rule) for rule in ("paper", "ignore")
        }
        disagree |= question.l is not None and rules["paper"] != rules["ignore"]
        held &= rules[question.sensitive_nulls] and _demanded(table, question, group)
    codes = set(_reservations(table, question, epsilon, maximum))
    if disagree:
        codes.add("sensitive-nulls-verdict")
    reserved = frozenset(codes - set(question.accept))
    return Answer(held, reserved, 0 if held and not reserved else 1)


# -- files


def _rows(file: Path) -> list[dict[str, str]]:
    header, *lines = file.read_bytes().decode("utf-8").split("\n")
    names = header.split(",")
    return [dict(zip(names, line.split(","), strict=True)) for line in lines if line]


def _read(data: Path, question: Question, attributes: Path | None) -> _Data:
    rows, own = _rows(data), None
    if question.layout == "wide":
        beside = rows
    else:
        own = dict.fromkeys(row["user"] for row in rows)
        named = {row["user"]: row for row in _rows(attributes)} if attributes else {}
        beside = [named.get(record, {}) for record in own]
    if question.layout == "wide":
        others = {"id", *question.quasi, *question.sensitive, *question.identifier, *question.drop}
        names = [name for name in rows[0] if name not in others]
        questions = {name: [_number(row[name], question) for row in rows] for name in names}
    else:
        given = {(row["user"], row["item"]): _number(row["rating"], question) for row in rows}
        items = dict.fromkeys(row["item"] for row in rows)
        questions = {item: [given.get((record, item)) for record in own or ()] for item in items}
    ids = [row["id"] for row in rows] if question.layout == "wide" else list(own or ())
    repeats = _repeats(ids)
    files = [rows if question.layout == "wide" else _rows(attributes) if attributes else []]
    for name in (*question.identifier, *question.drop):
        for file in files:
            repeats |= _repeats([row[name] for row in file if row.get(name, "") not in MISSING])
    if attributes is not None:
        repeats |= _repeats([row["user"] for row in _rows(attributes)])
    return _Data(
        len(beside),
        questions,
        {
            name: [_quasi(row.get(name, ""), rule, question) for row in beside]
            for name, rule in question.quasi.items()
        },
        {
            name: [_secret(row.get(name, ""), nominal, question) for row in beside]
            for name, nominal in question.sensitive.items()
        },
        repeats,
        question.layout == "long" and attributes is not None and not all(beside),
    )


def _gone(cell: str, question: Question) -> bool:
    return cell.strip() in MISSING | set(question.missing)


def _number(cell: str, question: Question) -> Fraction | None:
    return None if _gone(cell, question) else Fraction(cell.strip())


def _quasi(cell: str, rule: Quasi, question: Question) -> Any:
    if _gone(cell, question):
        return None
    try:
        number = Fraction(cell)
    except ValueError:
        return cell.strip()
    return number // rule.band if rule.band is not None else number


def _secret(cell: str, nominal: bool, question: Question) -> Any:
    if _gone(cell, question):
        return None
    return cell.strip() if nominal else Fraction(cell)


# -- one person twice (§13.5)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    text = "".join(one for one in text if unicodedata.category(one) != "Cf")
    return " ".join(text.split()).casefold().removeprefix("mailto:")


def _repeats(texts: Iterable[str]) -> bool:
    plain = [_plain(text) for text in texts]
    if len(set(plain)) < len(plain):
        return True
    numbers = all(re.fullmatch(r"[+\d ()-]{7,}", text) for text in plain) and any(
        "+" in text for text in plain
    )
    return numbers and any(_same_number(*pair) for pair in itertools.combinations(plain, 2))


def _same_number(one: str, other: str) -> bool:
    """By their digits; with a country's code (+41, 0041) and without it (a single 0 in front)."""
    digits = [re.sub(r"\D", "", text).lstrip("0") for text in (one, other)]
    short, long = sorted(digits, key=len)
    abroad = [text.startswith(("+", "00")) for text in (one, other)]
    return short == long or (
        abroad[0] != abroad[1] and long.endswith(short) and len(long) - len(short) <= 3
    )


# -- neighbourhoods (§1, §2, §11)


def _maximum(table: _Data, question: Question) -> Fraction | None:
    """r: the declared maximum, of all or of every question; else the largest rating."""
    if question.scales and set(question.scales) >= set(table.questions) and table.questions:
        return max(Fraction(question.scales[name][1]) for name in table.questions)
    if question.scale is not None:
        return Fraction(question.scale[1])
    return max(_answers(table), default=None)


def _answers(table: _Data) -> list[Fraction]:
    return [one for column in table.questions.values() for one in column if one is not None]


def _neighbourhoods(
    table: _Data, question: Question, epsilon: Fraction, maximum: Fraction | None
) -> list[list[int]]:
    def rated_alike(mine: Fraction | None, other: Fraction | None) -> bool:
        if mine is not None and other is not None:
            return abs(mine - other) <= epsilon
        if mine is None and other is None:
            return True
        if question.nulls == "strict":
            return maximum is not None and 0 < maximum <= epsilon
        return question.nulls == "wildcard" or mine is None

    def known_alike(mine: Any, other: Any, rule: Quasi) -> bool:
        if mine is None or other is None:
            if question.nulls == "strict":
                return mine is None and other is None
            return question.nulls == "wildcard" or mine is None
        return (
            abs(mine - other) <= Fraction(rule.within)
            if rule.within is not None
            else bool(mine == other)
        )

    def alike(t: int, u: int) -> bool:
        return all(
            rated_alike(column[t], column[u]) for column in table.questions.values()
        ) and all(
            known_alike(table.quasi[name][t], table.quasi[name][u], rule)
            for name, rule in question.quasi.items()
        )

    everybody = range(table.records)
    return [[u for u in everybody if u == t or alike(t, u)] for t in everybody]


# -- demands (§2)


def _diverse(table: _Data, question: Question, group: Sequence[int], rule: str) -> bool:
    if question.l is None:
        return True
    least = Fraction(question.l) ** 2
    for name, nominal in question.sensitive.items():
        values = [table.sensitive[name][u] for u in group]
        known = [value for value in values if value is not None]
        if nominal or not known:
            continue
        mean = sum(known, Fraction(0)) / len(known)
        spread = sum(((value - mean) ** 2 for value in known), Fraction(0))
        if rule == "paper":
            variance = (spread + (len(values) - len(known)) * mean**2) / len(values)
        else:
            variance = spread / len(known)
        if variance < least:
            return False
    return True


def _demanded(table: _Data, question: Question, group: Sequence[int]) -> bool:
    for name in question.sensitive:
        times = Counter(table.sensitive[name][u] for u in group)
        del times[None]
        known = times.total()
        if not known:
            continue
        if question.distinct is not None and len(times) < question.distinct:
            return False
        if question.max_share is not None and Fraction(max(times.values()), known) > Fraction(
            question.max_share
        ):
            return False
        if question.entropy is not None:
            # an entropy of at least log L: known^known / product of count^count >= L^known
            product = 1
            for count in times.values():
                product *= count**count
            if Fraction(known**known, product) < Fraction(question.entropy) ** known:
                return False
    return True


# -- reservations (§13.1, §13.5)


def _reservations(
    table: _Data, question: Question, epsilon: Fraction, maximum: Fraction | None
) -> Iterable[str]:
    answers = _answers(table)
    gaps = any(one is None for column in table.questions.values() for one in column)
    gaps_beside = any(one is None for column in table.quasi.values() for one in column)
    if table.repeats:
        yield "identifier-repeats"
    if table.lacking:
        yield "attributes-missing"
    if question.k <= 1:
        yield "k-asks-nothing"
    if question.nulls == "wildcard" and (gaps or gaps_beside):
        yield "nulls-wildcard"
    if not answers and (table.questions or not question.quasi):
        yield "no-answers"
    if len(set(answers)) > 1 and max(answers) - min(answers) <= epsilon:
        yield "epsilon-covers-range"
    elif any(_idle(column, epsilon) for column in table.questions.values()):
        yield "epsilon-covers-questions"
    if question.nulls == "strict" and gaps and maximum is not None and maximum > 0:
        # a maximum above all that is there is a word, and no word may hide anything
        found = max((one for one in answers if one > 0), default=maximum)
        if epsilon >= min(found, maximum):
            yield "epsilon-reaches-null-distance"
    if any(_idle_quasi(table.quasi[name], rule) for name, rule in question.quasi.items()):
        yield "quasi-asks-nothing"
    demands = (
        (question.l, lambda one: Fraction(one) <= 0),
        (question.distinct, lambda one: one <= 1),
        (question.entropy, lambda one: Fraction(one) <= 1),
        (question.max_share, lambda one: Fraction(one) >= 1),
    )
    made = [(value, idle) for value, idle in demands if value is not None]
    unknown = any(all(one is None for one in column) for column in table.sensitive.values())
    if any(idle(value) for value, idle in made) or (made and unknown):
        yield "demand-asks-nothing"


def _idle(column: Sequence[Fraction | None], epsilon: Fraction) -> bool:
    """Whether nobody could fail it: all answers within ε;
    one answer that not all gave tells them apart.
    """
    known = [one for one in column if one is not None]
    if not known or (len(set(known)) == 1 and len(known) < len(column)):
        return False
    return max(known) - min(known) <= epsilon


def _idle_quasi(column: Sequence[Any], rule: Quasi) -> bool:
    known = [one for one in column if one is not None]
    if len(set(known)) < 2:
        return not known or rule.band is not None or len(known) == len(column)
    return rule.within is not None and max(known) - min(known) <= Fraction(rule.within)

"""What a column looks like, where nobody has said what it is: ratings, or something to ask about.

When in doubt it is no rating: a telephone number that is taken for one is released with the others. But
numbers on few steps are ratings, however few the records, and so is what is inside a scale that somebody
declared.

What looks like ratings alone may be none beside the others. One ε is for all ratings of a table, so that they
share a scale, or somebody has said that they do not. What has two values beside questions of four steps or
more is a choice: at ε = 1 it would tell nobody apart. What goes beyond the scale that most questions have is
a code, an age, or a question that ε means something else for: nobody can say without being told. Nobody ticks
every step of a scale in a small file. So of fewer than thirty answers ten have to be where, by what the
others show, none should be; until then a column is a rating, and a verdict at an ε that covers its two values
has a reservation (``epsilon-covers-questions``).
"""

from __future__ import annotations

import dataclasses
import functools
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.base.escaping import looks_like_data, shown_name
from ratingpriv.base.numbers import in_full
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.codebook.recognition.identifiers import sense_of
from ratingpriv.data.codebook.recognition.text_scales import (
    Understood,
    is_no_answer,
    numbers_beside_words,
    scale_of,
    suggested,
)
from ratingpriv.data.table.building.problems import Problems

OFF_SCALE = "scale"
"""The kind of doubt about a column that is not on the scale that most questions have."""

FEW_UNITS = 20
"""Numbers that span so many units are ratings, however many of them are different."""

MANY_RECORDS = 50
"""From so many records on, that no value repeats says something."""

_SOME_RECORDS = 20  # from so many on, a scale that goes below 0 would have been used there more than once
_FEW_LEVELS = 11  # whole numbers of -10..10 on so few steps, a 0..10 scale, are no telephone number
_STEPS_END = 10
NO_SCALE = 1_000
"""No rating scale begins here or higher: a postal code, a year, a day as 20240131."""

_YEARS = (1900, 2100)
_DIGITS = 10_000  # numbers from here on have the digits of postal codes, telephones, incomes
_FINE = 3  # decimals; coordinates, weights and factor scores have more
_MOST_LEVELS = 101  # a slider from 0 to 100
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}\b|\d{1,2}:\d\d")
_UNIQUE = 0.9
_FEW_WORDS = 30  # more different words than this are no attribute that many share

_HIGH_CODES, _LOW_CODES = (
    frozenset(map(float, codes.split()))
    for codes in (
        "66 77 88 96 97 98 99 666 777 888 997 998 999 7777 8888 9997 9998 9999 77777 88888 99999 999998 "
        "999999 9999999 99999999 999999999 9999999999",
        "-1 -2 -3 -4 -5 -6 -7 -8 -9 -66 -77 -88 -97 -98 -99 -666 -777 -888 -997 -998 -999 -7777 -8888 -9999 "
        "-99999 -999999 -999999999",
    )
)
_NINES = frozenset((7, 8, 9))
_LOWEST_STEP = -7  # a scale of -5..5 or -3..3 may have been used from 0 on but for one; none goes from here


@dataclass(frozen=True, slots=True)
class Look:
    """What a column looks like.

    Attributes
    ----------
    role : the role to propose
    kind : what is doubtful, a word that stays: "name", "missing-codes", "digits", "years", "unique",
        "sequence", "levels", "text", "labelled", "no-answer", "which-scale"; empty: nothing
    why : in words, without any value of the data
    codes : values that may be missing codes
    texts : words that may mean that there is no answer
    understood : what the words of the column count, or may count
    """

    role: str
    kind: str = ""
    why: str = ""
    codes: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    understood: Understood | None = None


_RATING = Look("rating", "", "numbers on few steps")


def look_of(
    name: str,
    levels: NDArray[np.float64],
    answers: int,
    *,
    scale: tuple[float, float] | None = None,
) -> Look:
    """Return what a column of so many ``answers`` looks like; ``levels`` are its distinct values, ascending.

    ``scale`` is the one that somebody declared for it.
    """
    if len(levels) == 0:
        return _RATING
    low, high = float(levels[0]), float(levels[-1])
    inside = scale is not None and scale[0] <= low and high <= scale[1]
    integers = bool(np.all(levels == np.floor(levels)))
    steps = integers and len(levels) <= _FEW_LEVELS and low >= -_STEPS_END and high <= _STEPS_END
    sense = sense_of(name)
    if sense is not None and sense.role != "quasi" and not (steps and (inside or not sense.always)):
        return Look(sense.role, "name", f"named like {sense.category}")
    if inside:
        return Look("rating", "", "numbers inside the declared scale")
    if sense is not None and sense.role == "quasi":
        return Look("quasi", "", sense.category)
    codes = _far(levels, answers)
    if codes:
        found = "a lone value far outside the rest" if len(codes) == 1 else "lone values far outside the rest"
        if _LOWEST_STEP < min(codes) < 0:
            found = "a negative value below a scale" if len(codes) == 1 else "negative values below a scale"
        return Look("rating", "missing-codes", f"{found}: a missing code?", codes)
    unique = answers >= MANY_RECORDS and len(levels) >= _UNIQUE * answers
    if high - low <= FEW_UNITS and low < NO_SCALE:
        if unique and _fine(levels):
            why = "nearly as many different values as records, with many decimals, as coordinates have"
            return Look("identifier", "unique", why)
        return _RATING
    if integers and _YEARS[0] <= low and high <= _YEARS[1]:
        return Look("quasi", "years", "whole numbers that years may be, as of birth")
    if max(abs(low), abs(high)) >= _DIGITS or low >= NO_SCALE:
        why = "long digit strings, as ids, telephone numbers and postal codes have"
        return Look("identifier", "digits", why)
    if integers and len(levels) == answers == high - low + 1:
        return Look("drop", "sequence", "a sequence without gaps or repeats, as row numbers are")
    if unique:
        return Look("identifier", "unique", "nearly as many different values as records")
    if len(levels) > _MOST_LEVELS:
        return Look("quasi", "levels", "more different values than a rating scale has")
    return Look("rating", "", "numbers that repeat")


def numbers_look(
    column: RawColumn, levels: NDArray[np.float64], answers: int, scale: tuple[float, float] | None
) -> Look:
    """Return :func:`look_of` a column or, where that is not doubtful, what the words of its values say."""
    look = look_of(column.name, levels, answers, scale=scale)
    worded = labelled_look(column.name, column.labels, levels) if column.labels and not look.kind else None
    return worded or look


def codes_look(levels: NDArray[np.float64], answers: int) -> Look | None:
    """Return what is doubtful about the far values of a sensitive column; None: nothing.

    A code among its numbers makes them look more diverse than they are.
    """
    codes = _far(levels, answers) if len(levels) else ()
    why = "lone values far outside the rest: missing codes, which raise the SD?"
    return Look("sensitive", "missing-codes", why, codes) if codes else None


def text_look(name: str, texts: Sequence[str], answers: int) -> Look:
    """Return what a column looks like that has words: distinct ``texts``, without those for "not rated"."""
    understood = scale_of(texts, answers) or numbers_beside_words(texts)
    if understood is not None and len(understood.beside) == len(set(understood.values.values())):
        levels = np.array([value for value, _ in understood.beside])
        doubt = labelled_look(name, understood.beside, levels)
        if doubt is not None and doubt.kind == "labelled":
            return dataclasses.replace(doubt, understood=understood)
    if understood is not None:
        return Look("rating", "", f"answers in words ({understood.name})", understood=understood)
    silent = tuple(text for text in texts if is_no_answer(text))
    words = [text for text in texts if text not in silent]
    sense = sense_of(name)
    if words and (found := scale_of(words, answers) or suggested(words)) is not None:
        if silent:
            why = "answers in words, and words that seem to mean no answer"
            return Look("rating", "no-answer", why, texts=silent, understood=found)
        why = "answers in words that several scales have"
        return Look("rating", "which-scale", why, understood=found)
    if sense is not None and sense.role != "quasi":
        return Look(sense.role, "text", f"text, named like {sense.category}")
    if all(_DATE.match(text) for text in texts):
        return Look("drop", "text", "text, dates or times")
    if any(map(looks_like_data, texts)):
        return Look("identifier", "text", "text that looks like addresses or numbers of persons")
    if len(texts) <= _FEW_WORDS and (len(texts) < answers or sense is not None):
        more = f", named like {sense.category}" if sense else ""
        return Look("quasi", "text", f"text of few words{more}")
    return Look("identifier", "text", "text of many different words")


def unanswered_step(texts: Sequence[str], tokens: Sequence[str], answers: int) -> Look | None:
    """Return the doubt that a text which means "not rated" by default is a step of a scale; None: it is none.

    "None" below "Mild", "Moderate" and "Severe" is an answer.
    """
    for token in tokens:
        if (found := scale_of([*texts, token], answers) or suggested([*texts, token])) is not None:
            why = "answers in words, one of which is a step of their scale and means unanswered elsewhere"
            return Look("rating", "no-answer", why, texts=(), understood=found)
    return None


def labelled_look(name: str, labels: Sequence[tuple[float, str]], levels: NDArray[np.float64]) -> Look | None:
    """Return what a column of numbers looks like whose values have words in the data; None: nothing to doubt.

    ``labels`` are (value, word), ascending; ``levels`` the values that occur.
    """
    occur = set(levels.tolist())
    silent = tuple(value for value, word in labels if is_no_answer(word) and value in occur)
    if silent:
        why = "a value whose label seems to mean no answer: a missing code?"
        return Look("rating", "missing-codes", why, silent)
    words = [word for _, word in labels if not is_no_answer(word)]
    if len(words) < 2 or not occur <= {value for value, _ in labels}:
        return None  # a box that is ticked, or labels at the ends of a scale of numbers
    found = suggested(words) or numbers_beside_words(words)
    if found is not None:
        counted = [found.values[word] for word in words]
        if counted in (sorted(counted), sorted(counted, reverse=True)):
            return None
    sense = sense_of(name)
    more = f", named like {sense.category}" if sense is not None else ""
    return Look("quasi", "labelled", "values with words that are no known scale" + more)


def _fine(levels: NDArray[np.float64]) -> bool:
    return bool(np.any(np.round(levels, _FINE) != levels))


def _far(levels: NDArray[np.float64], answers: int) -> tuple[float, ...]:
    """Return values at the ends that are far outside the rest, or too low for it: likely missing codes."""
    many = answers >= MANY_RECORDS
    rest, codes = levels, []
    while len(rest) > 1 and float(rest[-1]) in _HIGH_CODES:
        codes.append(float(rest[-1]))
        rest = rest[:-1]
    while len(rest) > 1 and float(rest[0]) in _LOW_CODES and rest[-1] >= 0:
        codes.append(float(rest[0]))
        rest = rest[1:]
    low, high = float(rest[0]), float(rest[-1])
    span = high - low
    gap, above = max(5.0, 2 * span), max(5.0, span if many else 2 * span)
    far = [code for code in codes if code - high >= above or (code < -4 and low >= 0 and low - code >= gap)]
    far += [code for code in codes if low >= 0 and code <= _LOWEST_STEP and code not in far]
    small = [code for code in codes if _LOWEST_STEP < code < 0]
    if small and low >= 0 and answers >= _SOME_RECORDS and np.all(rest == np.floor(rest)):
        odd = far or high > -min(small) * (1 if low > 0 else 3)
        far += [code for code in small if odd and code not in far]
    if far:
        return tuple(sorted(far))
    if many and len(levels) > 2:  # 7, 8 and 9 behind 1, 2, ... m, where two steps between them are never used
        steps = levels.tolist()
        last = next((at for at, value in enumerate(steps) if value != at + 1), len(steps))
        tail = steps[last:]
        if last >= 2 and tail and set(tail) <= _NINES and tail[0] - last >= 3:
            return tuple(tail)
    if many and len(levels) > 3:
        for end, value in ((levels[:-1], float(levels[-1])), (levels[1:], float(levels[0]))):
            span = float(end[-1] - end[0])
            distance = value - float(end[-1]) if value > end[-1] else float(end[0]) - value
            if span <= FEW_UNITS and distance > max(FEW_UNITS, 2 * span):
                return (value,)
    return ()


_LISTED = 6
_OPTIONS = ("drop", "ratings", "quasi")


@functools.cache
def _doubts() -> Mapping[str, Mapping[str, str]]:
    """Return what is said of each kind of doubt."""
    kinds = tomllib.loads(Path(__file__).with_name("doubts.toml").read_text(encoding="utf-8"))
    return {kind: kinds["usual"] | said for kind, said in kinds.items()}


def note_doubts(
    found: Sequence[tuple[str, Look, Problem | None]], raw: RawData, id_name: str | None, problems: Problems
) -> None:
    """Note doubtful columns, a problem for those of one kind.

    ``found`` are (name, look, what is said of the column where it is the only one of its kind).
    """
    place = {name: place for place, name in enumerate(raw.all_names, start=1)}
    for kind in dict.fromkeys(look.kind for _, look, _ in found):
        doubtful = [one for one in found if one[1].kind == kind]
        names = [name for name, _, _ in doubtful]
        _, look, alone = doubtful[0]
        file, called, single, said = raw.origin.name, None, len(names) == 1, _doubts()[kind]
        if not single:
            shown = [shown_name(name, place[name]) for name in names]
            few = len(names) <= _LISTED
            listed = ", ".join(shown) if few else f"{shown[0]}, {shown[1]} … {shown[-1]}"
            content = f"{len(names)} columns {said['found']}: {listed}"
        elif alone is not None and kind == "text":
            problems.add(alone)
            continue
        else:
            file, _, called = raw.locate(0, names[0])
            content = f"a column {look.why}" if kind == "name" else look.why
        plain = not any(map(looks_like_data, names)) and len(names) <= _LISTED
        remedy = said["remedy"].format(
            it="it" if single else "them",
            they="it holds" if single else "they hold",
            its="its" if single else "their",
            id="name it with `id` if it names the records, " if single and id_name is None else "",
            **{name: f"`{name}={names!r}`" if plain else f"`{name}`" for name in _OPTIONS},
        )
        remedy += "; `ratingpriv describe` proposes a role for every column"
        problems.add(Problem(file, content, said["expected"], remedy, None, called))


CHOICE = "two values beside questions of four steps or more: a choice"
"""Why a column of two values is no rating."""

_MANY_STEPS = 4  # of a question beside which two values are a choice
_FEW_ANSWERS, _EXPECTED = 30, 10  # of fewer answers, so many have to be where chance does not put them
_WIDE = 10  # steps of a scale from which on one step more or less is nothing
_OFTEN, _SOME = 0.05, 3  # of a single step beyond the others' scale, share and number of its answers


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a column that looks like ratings.

    Attributes
    ----------
    levels : distinct values, ascending, float64
    times : how many cells have each, int64
    scale : the one that a codebook says for it alone
    worded : of how many steps the known scale is that its words, or true and false, are of; 0: there are none
    free : whether nobody has said that the column is a rating
    """

    name: str
    levels: NDArray[np.float64]
    times: NDArray[np.int64]
    scale: tuple[float, float] | None
    worded: int
    free: bool

    @property
    def answers(self) -> int:
        """How many there are."""
        return int(self.times.sum())

    @property
    def steps(self) -> int:
        """How many places its own scale has, where words or a codebook say so; 0: nobody does."""
        return self.worded if self.scale is None else int(self.scale[1] - self.scale[0]) + 1

    @property
    def attribute(self) -> bool:
        """Whether it is called like an attribute of persons, which a scale of words would contradict."""
        sense = sense_of(self.name)
        return self.free and sense is not None and sense.role == "quasi" and self.steps in (0, 2)


def looks_beside(columns: Sequence[Answers], scale: tuple[float, float] | None) -> Mapping[str, Look]:
    """Return the look of each column that is no rating beside the others: choices, attributes, off the scale.

    ``columns`` are all that look like ratings one by one, or are some by somebody's word; ``scale`` is the
    one declared for all ratings, inside which every column is.
    """
    columns = [column for column in columns if len(column.levels)]
    questions = [column for column in columns if not column.attribute]
    if not any(column.free for column in columns):
        return {}
    others = [column for column in questions if len(column.levels) > 2]
    two = {column.name for column in questions if _two(column, others)}
    shared = [_end(others, place) for place in (0, -1)]
    looks = {}
    for column in questions if scale is None else ():
        if column.free and column.name not in two and not column.steps and _beyond(column, shared):
            first, last = (in_full(end) if np.isfinite(end) else "" for end, _ in shared)
            span = (
                f"from {first} to {last}" if first and last else f"from {first}" if first else f"up to {last}"
            )
            why = f"values off the scale {span} that most questions have"
            looks[column.name] = Look("quasi", OFF_SCALE, why)
    questions = [column for column in questions if column.name not in looks]
    if any(max(len(column.levels), column.steps) >= _MANY_STEPS for column in questions):
        looks |= {one.name: Look("quasi", "", CHOICE) for one in questions if one.name in two and one.free}
    left = [column for column in questions if column.name not in looks]
    low = min((column.levels[0] for column in left), default=np.inf)
    high = max((column.levels[-1] for column in left), default=-np.inf)
    if scale is not None:
        low, high = scale
    for column in columns:
        if column.attribute:
            inside = len(column.levels) <= 2 or (low <= column.levels[0] and column.levels[-1] <= high)
            why = "an attribute of persons, by its name"
            more = "" if inside else ", and values off the scale of the questions"
            looks[column.name] = Look("quasi", "" if inside else OFF_SCALE, why + more)
    return looks


def _end(columns: Sequence[Answers], place: Literal[0, -1]) -> tuple[float, int]:
    """Return the end that most columns, questions of three steps or more, have, and how many answers say so.

    It is infinite where they share none.
    """
    ends = Counter(float(column.levels[place]) for column in columns)
    end, often = ends.most_common(1)[0] if ends else (0.0, 0)
    if often < 2 or 2 * often <= len(columns):
        return (-np.inf if place == 0 else np.inf), 0
    return end, sum(column.answers for column in columns if column.levels[place] == end)


def _evident(column: Answers, share: float, there: int) -> bool:
    """Whether it is no accident that none of ``there`` answers is where ``share`` of others are."""
    few = min(column.answers, there)
    return few >= _FEW_ANSWERS or few * share >= _EXPECTED


def _two(column: Answers, others: Sequence[Answers]) -> bool:
    """Whether a column has two values, and not by accident: other questions have many answers elsewhere."""
    if column.worded and column.scale is None:
        return column.worded == 2
    if not column.free or column.steps or len(column.levels) != 2:
        return False
    elsewhere = sum(int(one.times[~np.isin(one.levels, column.levels)].sum()) for one in others)
    share = elsewhere / sum(one.answers for one in others) if others else 1.0
    return _evident(column, share, column.answers)


def _beyond(column: Answers, shared: Sequence[tuple[float, int]]) -> bool:
    """Whether a column has more than an accident beyond a scale."""
    (low, below), (high, above) = shared
    levels, width = column.levels, high - low
    step = max(1.0, width / _WIDE) if np.isfinite(width) else 1.0
    under, over = levels < low, levels > high
    if not any(
        _evident(column, int(column.times[off].sum()) / column.answers, there)
        for off, there in ((under, below), (over, above))
    ):
        return False
    off = under | over
    if np.any((levels < low - step) | (levels > high + step)):
        return True
    if width > _WIDE:
        return False
    answers = int(column.times[off].sum())
    often = answers >= _SOME and answers >= _OFTEN * column.answers
    return bool(np.count_nonzero(off) > 1 or often)

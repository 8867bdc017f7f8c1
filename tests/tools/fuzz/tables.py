"""Tiny tables with odd numbers: no audit, frontier or partition says
more than fractions of the text do.

``make fuzz N=100000 KINDS=tables``.
"""

import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from naive.exact import set_partitions
from naive.written import Written, grouped, kept, satisfied

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.base.numbers import decimal_number
from ratingpriv.partition.partitioning import partition

__all__ = ["attempt", "small_file"]

_FAMILIES: tuple[tuple[str, ...], ...] = (
    ("1", "2", "3", "4", "5"),
    ("0.5", "1", "1.5", "2", "2.5", "3"),
    ("0.1", "0.2", "0.3", "0.4", "0.6", "0.7", "0.8", "0.9"),
    ("-5", "-4.9", "-3", "-0.1", "0", "-0.0"),
    ("0", "0.000000001", "0.000000002", "0.000000003", "1e-9"),
    ("0", "1e-12", "2e-12", "3e-12", "0.0000000000035"),
    ("1", "1.00000000000001", "1.00000000000002", "0.99999999999999"),
    ("9007199254740990", "9007199254740980", "9.00719925474097e15", "-9007199254740990"),
    ("100000000000000", "-0.001", "0", "0.001", "99999999999999.9"),
    ("0.1", "0.7", "1234567.1", "1e-10", "-1e-10"),
    ("1e-300", "0", "2e-300", "5e-324", "-1e-300"),
    ("0.333333333333333", "0.666666666666667", "1", "1.33333333333333"),
    ("9007199254740992", "9007199254740993", "1", "0.30000000000000004"),
)
"""Ratings that belong together; the last family has numbers that are refused."""


def attempt(rng: random.Random) -> str:
    """Make a table, ask about it, and compare.

    AssertionError where the answer promises too much.
    """
    family = rng.choice(_FAMILIES[:-1] if rng.random() < 0.97 else _FAMILIES)
    text, sensitive = _file(rng, family)
    data = Written.of(text)
    Path("table.csv").write_text(text, encoding="utf-8")
    options = {"format": "delimited", "layout": "wide", "id": "id", "sensitive": sensitive}
    # odd numbers are no ratings by their looks: somebody insists
    options["ratings"] = [
        name for name in text.split("\n", 1)[0].split(",")[1:] if name not in sensitive
    ]
    options["sensitive_scale"] = dict.fromkeys(sensitive)
    scale = None
    if (
        data.exact
        and rng.random() < 0.3
        and (known := [x for row in data.rows for x in row if x is not None])
    ):
        low, high = min(known), max(known)
        secret = [x for row in data.sensitive for x in row if x is not None]
        if all(low <= x <= high for x in secret) and low < high:
            scale = options["scale"] = (float(low), float(high))
    try:
        table = ratingpriv.read("table.csv", **options)
    except DataError as error:
        if data.exact:
            raise AssertionError(f"refused: {error}\n{text}") from error
        return "refused"
    assert data.exact, f"numbers of too many digits were taken\n{text}"
    r = data.largest() if scale is None else Fraction(Decimal(repr(scale[1])))
    k, epsilon, l = rng.randint(1, 4), _epsilon(rng, data), _least(rng, data, bool(sensitive))  # noqa: E741
    nulls, rule = rng.choice(("strict", "wildcard", "known")), rng.choice(("paper", "ignore"))
    asked = {
        "k": k,
        "epsilon": decimal_number(epsilon),
        "l": None if l is None else decimal_number(l),
        "sensitive_nulls": rule,
    }
    exact = (k, Fraction(Decimal(epsilon)), None if l is None else Fraction(Decimal(l)))
    told = f"k={k} epsilon={epsilon} l={l} {nulls} {rule} scale={scale}\n{text}"
    found = ratingpriv.audit(table, **asked, nulls=nulls).satisfied
    truth = satisfied(data, *exact, nulls, rule, r)
    assert truth or not found, f"SATISFIED, wrongly: {told}"
    if nulls == "known":
        nulls = "strict"
    if rng.random() < 0.15:
        _partition(data, table, asked, exact, nulls, rule, r, told)
    if rng.random() < 0.08:
        _frontier(data, table, asked, exact, nulls, rule, r, told)
    return "right" if found == truth else "too strict"


def _partition(data, table, asked, exact, nulls, rule, r, told):  # type: ignore[no-untyped-def]
    found = partition(table, **asked, nulls=nulls)
    groups = [members.tolist() for members in found.groups.members()]
    assert grouped(data, groups, *exact, nulls, rule, r), f"a group, wrongly {groups}: {told}"
    assert not found.found or sum(map(len, groups)) == len(data.rows), f"FOUND, wrongly: {told}"
    if found.proved_impossible and len(data.rows) <= 5:
        assert not any(
            grouped(data, parts, *exact, nulls, rule, r)
            for parts in set_partitions(list(range(len(data.rows))))
        ), f"impossible, wrongly: {told}"


def _frontier(data, table, asked, exact, nulls, rule, r, told):  # type: ignore[no-untyped-def]
    k, _, l = exact  # noqa: E741
    more = {} if l is None else {"l": asked["l"]}
    found = ratingpriv.frontier(
        table, k=k, **more, nulls=nulls, sensitive_nulls=rule, partition=False
    )
    for row in found.rows:
        if row.satisfied:
            epsilon = Fraction(Decimal(repr(float(row.epsilon))))
            assert satisfied(data, k, epsilon, l, nulls, rule, r), (
                f"frontier at {row.epsilon!r}, wrongly: {told}"
            )


def _file(
    rng: random.Random,
    family: tuple[str, ...],
    others: tuple[tuple[str, ...], ...] = _FAMILIES[:-1],
) -> tuple[str, tuple[str, ...]]:
    n, p, q = rng.randint(1, 7), rng.randint(1, 3), rng.randint(0, 2)
    gaps = rng.choice((0.0, 0.0, 0.2, 0.5))
    other = rng.choice(others)
    few = rng.sample(family, min(len(family), rng.randint(1, 4)))

    def cell(choice: list[str] | tuple[str, ...]) -> str:
        return "" if rng.random() < gaps else _spelled(rng, rng.choice(choice))

    sensitive = tuple(f"s{j}" for j in range(q))
    rows = [[cell(few) for _ in range(p)] + [cell(other) for _ in range(q)] for _ in range(n)]
    for _ in range(rng.randint(0, 4)):
        rows.append(list(rng.choice(rows)))
    lines = [["id", *(f"q{j}" for j in range(p)), *sensitive]]
    lines += [[f"r{t}", *row] for t, row in enumerate(rows)]
    return "".join(",".join(line) + "\n" for line in lines), sensitive


def small_file(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    """Return a CSV of usual ratings, and the names of its sensitive issues."""
    return _file(rng, rng.choice(_FAMILIES[:3]), others=_FAMILIES[:3])


def _spelled(rng: random.Random, numeral: str) -> str:
    """Return the same number, perhaps written in another way."""
    way = rng.random()
    if way < 0.85 or not kept(numeral):
        return numeral
    if "e" not in numeral and "." in numeral:
        return numeral + "0" * rng.randint(1, 20)
    return rng.choice(
        (
            f"{numeral}" if numeral[0] == "-" else f"+{numeral}",
            f" {numeral}",
            f"{Decimal(numeral):e}",
        )
    )


def _epsilon(rng: random.Random, data: Written) -> str:
    """Return a distance: of two ratings, exactly or nearly, or a usual one."""
    known = sorted({x for row in data.rows for x in row if x is not None})
    usual = rng.choice(
        ("0", "0.1", "0.2", "0.5", "1", "2", "1e-9", "2e-12", "100000000000000", "1e-300")
    )
    if len(known) < 2 or rng.random() < 0.3:
        return usual
    one, other = rng.sample(known, 2)
    apart = abs(one - other)
    nudged = apart + rng.choice((0, 0, 0, 0, 1, -1)) * rng.choice(
        (Fraction(1, 10**14), Fraction(1, 10**9))
    )
    text = f"{Decimal(nudged.numerator) / Decimal(nudged.denominator)}" if nudged >= 0 else usual
    if rng.random() < 0.3:
        text = f"{float(apart):.15g}"  # nearly
    return text if _typed(text) else usual


def _typed(text: str) -> bool:
    try:
        decimal_number(text)
    except ValueError:
        return False
    return True


def _least(rng: random.Random, data: Written, sensitive: bool) -> str | None:
    if not sensitive or rng.random() < 0.3:
        return None
    known = sorted({x for row in data.sensitive for x in row if x is not None})
    text = rng.choice(("0", "0.5", "1", "0.1", "1e-9", "1e-100", "0.05", "1e-13"))
    if len(known) > 1 and rng.random() < 0.5:
        half = (max(known) - min(known)) / 2  # the SD of two
        text = f"{Decimal(half.numerator) / Decimal(half.denominator)}"
    return text if _typed(text) and not 0 < float(text) < 1e-100 else "0.5"

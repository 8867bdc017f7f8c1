"""What the queries that read non-sensitive ratings have to answer, in plain loops."""

from collections import Counter
from fractions import Fraction
from typing import Any

from naive import known, moments, proximity

from queries.oracle import Answers, Case, Row, counted

__all__ = ["KNOWN_EXPECTED"]

KNOWN_EXPECTED = Answers()
"""Like EXPECTED of the oracle, for datasets that were loaded with their ratings."""
expected = KNOWN_EXPECTED.about


def left(case: Case, rating_unit: float, reach: float) -> list[list[int]]:
    """N(t) of every record: who rates at least what t rates, each within reach / rating_unit."""
    epsilon = Fraction(reach) / Fraction(rating_unit)
    rows = proximity.ratings(case.table)
    return [
        [
            u
            for u, other in enumerate(rows)
            if all(
                j in other and abs(Fraction(other[j]) - Fraction(x)) <= epsilon
                for j, x in row.items()
            )
        ]
        for row in rows
    ]


@expected("audit/rating-levels")
def _(case: Case, dataset: str) -> list[Row]:
    counts = Counter((j, float(x)) for row in proximity.ratings(case.table) for j, x in row.items())
    return [(case.table.issues[j], x, counts[j, x]) for j, x in sorted(counts)]


@expected("audit/known-sizes")
def _(
    case: Case, dataset: str, rating_unit: float, reach: float, first: int, last: int
) -> list[Row]:
    near = left(case, rating_unit, reach)
    return [(case.ids[t], t, len(near[t])) for t in range(len(near)) if first <= t < last]


@expected("audit/known-violators")
def _(case: Case, dataset: str, k: int, rating_unit: float, reach: float) -> list[Row]:
    small = sorted(
        (len(near), t) for t, near in enumerate(left(case, rating_unit, reach)) if len(near) < k
    )
    return [(case.ids[t], t, size, 1.0 / size, None) for size, t in small]


def narrowing(case: Case, t: int, k: int, epsilon: float) -> list[tuple[int, tuple[int, ...]]]:
    """How many records one or two ratings of t leave, and of which issues,
    where these are fewer than k.
    """
    return [
        (count, issues)
        for size in (1, 2)
        for (issues, _), count in known.counts(case.table, t, size, epsilon).items()
        if count < k
    ]


@expected("audit/known-pairs")
def _(
    case: Case, dataset: str, k: int, rating_unit: float, reach: float, first: int, last: int
) -> list[Row]:
    names = case.table.issues
    return [
        (
            case.ids[t],
            t,
            names[issues[0]],
            names[issues[1]] if len(issues) > 1 else None,
            count,
            None,
        )
        for t in range(len(case.ids))
        if first <= t < last
        for count, issues in sorted(
            narrowing(case, t, k, reach / rating_unit),
            key=lambda one: (one[0], one[1][0], one[1][-1]),
        )
    ]


@expected("browse/identifying")
def _(case: Case, dataset: str, record: Any, k: int, rating_unit: float, reach: float) -> list[Row]:
    t, epsilon = case.ids.index(record), reach / rating_unit
    few = narrowing(case, t, k, epsilon)
    if not few:
        return [(record, *[None] * 6)]
    count, issues = min(few, key=lambda one: (len(one[1]), one))
    everybody = [known.ratings(case.table, u) for u in range(len(case.ids))]
    fits = [
        u
        for u, rated in enumerate(everybody)
        if u != t and all(j in rated and abs(rated[j] - everybody[t][j]) <= epsilon for j in issues)
    ]
    assert len(fits) == count - 1
    others = [("RATED", case.ids[u]) for u in fits] or [(None, None)]
    return [(record, "RATED", "Issue", *other, count, None) for _ in issues for other in others]


@expected("audit/known-counts")
def _(
    case: Case, dataset: str, issue: str, rating_unit: float, reach: float, first: int, last: int
) -> list[Row]:
    column = case.table.sensitive_column(issue)
    return [
        (t, rating, records)
        for t, near in enumerate(left(case, rating_unit, reach))
        if first <= t < last
        for rating, records in counted(moments.values(column, near))
    ]


@expected("audit/nearest-hamming-groups")
def _(case: Case, dataset: str, record: Any, groups: int) -> list[Row]:
    rows, t = proximity.flag_rows(case.table), case.ids.index(record)
    found = [
        (proximity.hamming_distance(rows[t], rows[group[0]]), number, len(group), group[0])
        for number, group in enumerate(case.groups)
        if t not in group
    ]
    return [
        (number, far, size, case.ids[first]) for far, number, size, first in sorted(found)[:groups]
    ]

"""Records that no rule tells apart: ratings within ε, quasi-identifiers by rules of their own; plain loops.

t ~ u iff every rating column is within ε (Eq. 1 with its null rule), every quasi column with ``within = w``
differs by at most w whatever ε is, and every other quasi column is equal. Null equals null only, under strict
whatever ε is; under wildcard it matches anything; under known, what t does not have matches anything.
"""

from __future__ import annotations

from decimal import Decimal

from naive import proximity
from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn

__all__ = ["hamming_groups", "meets", "neighbourhoods", "pairs", "value"]


def value(column: QuasiColumn, record: int) -> object:
    """What a record has; None where null."""
    code = int(column.codes[record])
    return None if code < 0 else column.values[code]


def _exact(column: QuasiColumn) -> bool:
    """Whether every value is a decimal of at most 15 digits, and so compared as one."""
    return all(len(Decimal(repr(one)).normalize().as_tuple().digits) <= 15 for one in column.values.to_list())


def meets(column: QuasiColumn, t: int, u: int, nulls: str) -> bool:
    """Whether u meets the rule of a quasi-identifier with t."""
    mine, other = value(column, t), value(column, u)
    if mine is None or other is None:
        return {
            "strict": mine is None and other is None,
            "wildcard": True,
            "known": mine is None,
        }[nulls]
    if column.within is None:
        return mine == other
    assert isinstance(mine, float)
    assert isinstance(other, float)
    if not _exact(column):
        return abs(mine - other) <= column.within
    return abs(Decimal(repr(mine)) - Decimal(repr(other))) <= Decimal(repr(column.within))


def neighbourhoods(table: RatingTable, epsilon: float, nulls: str = "strict") -> list[list[int]]:
    """N(t) of every record, t included."""
    return [
        [u for u in near if t == u or all(meets(column, t, u, nulls) for column in table.quasi)]
        for t, near in enumerate(proximity.neighbourhoods(table, epsilon, nulls))
    ]


def pairs(table: RatingTable, epsilon: float, nulls: str = "strict") -> list[tuple[int, int, float]]:
    """(left, right, distance) of every pair; the distance is that of ratings."""
    return [
        (t, u, far)
        for t, u, far in proximity.pairs(table, epsilon, nulls)
        if all(meets(column, t, u, nulls) for column in table.quasi)
    ]


def hamming_groups(table: RatingTable) -> list[list[int]]:
    """Records with equal support and equal values of what has to be equal, null being one of them."""
    equal = [column for column in table.quasi if column.within is None]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, members in enumerate(proximity.hamming_groups(table)):
        for t in members:
            groups.setdefault((number, *(value(column, t) for column in equal)), []).append(t)
    return sorted(groups.values())

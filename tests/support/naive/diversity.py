"""(b,l)-diversity by looking at every set of issues [CTWY10, Def. 6]; for 8 issues or so."""

import itertools

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["covered", "least_groups"]


def covered(labels: list[int], table: RatingTable) -> list[set[int]]:
    """The issues that somebody in each group rates."""
    groups: list[set[int]] = [set() for _ in range(max(labels) + 1)]
    for label, row in zip(labels, proximity.ratings(table), strict=True):
        groups[label] |= set(row)
    return groups


def least_groups(groups: list[set[int]], table: RatingTable, b: int) -> int | None:
    """The fewest groups that hold some ``b`` issues that a record rates together.

    None: there are none.
    """
    rows = [set(row) for row in proximity.ratings(table)]
    counts = [
        sum(set(issues) <= group for group in groups)
        for issues in itertools.combinations(range(table.n_issues), b)
        if any(set(issues) <= row for row in rows)
    ]
    return min(counts, default=None)

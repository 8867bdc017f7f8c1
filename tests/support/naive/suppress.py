"""Withholding records, by trying every set of them."""

import itertools

from naive import moments, proximity
from ratingpriv import RatingTable

__all__ = ["holds", "largest_release"]


def holds(
    table: RatingTable,
    near: list[list[int]],
    kept: set[int],
    k: int,
    l: float | None,  # noqa: E741
    rule: str,
) -> bool:
    """Whether the records in ``kept``, alone, are (k,ε,l)-anonymous;
    ``near`` are the neighbourhoods.
    """
    for record in kept:
        left = [other for other in near[record] if other in kept]
        if len(left) < k:
            return False
        if l is not None:
            for column in table.sensitive:
                if not moments.at_least(moments.values(column, left), l, rule):
                    return False
    return True


def largest_release(
    table: RatingTable,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741
    nulls: str = "strict",
    rule: str = "paper",
) -> list[set[int]]:
    """Every largest set of records that will do; the empty set where none does."""
    near = proximity.neighbourhoods(table, epsilon, nulls)
    for size in range(table.n_records, 0, -1):
        found = [
            set(kept)
            for kept in itertools.combinations(range(table.n_records), size)
            if holds(table, near, set(kept), k, l, rule)
        ]
        if found:
            return found
    return [set()]

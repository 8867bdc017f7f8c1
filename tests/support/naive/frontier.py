"""The frontier, ε by ε over the distances of all pairs of records [SWLZ11, §5.2]."""

from naive import moments, proximity
from ratingpriv import RatingTable

__all__ = [
    "candidates",
    "feasible",
    "holds",
    "largest_k",
    "protecting",
    "smallest_epsilon",
    "unprotected",
]


def candidates(table: RatingTable, nulls: str) -> list[float]:
    """0 and the distance of every two records that have one."""
    rows = proximity.ratings(table)
    found = {0.0}
    for i, one in enumerate(rows):
        for other in rows[:i]:
            far = proximity.distance(table, one, other, nulls)
            if far is not None:
                found.add(far)
    return sorted(found)


def largest_k(table: RatingTable, epsilon: float, nulls: str) -> int:
    """min |N(t)|."""
    return min(len(near) for near in proximity.neighbourhoods(table, epsilon, nulls))


def holds(
    table: RatingTable,
    epsilon: float,
    k: int | None,
    l: float | None,  # noqa: E741
    nulls: str,
    rule: str,
) -> bool:
    """(k,ε,l)-anonymity, as far as it is asked for."""
    for near in proximity.neighbourhoods(table, epsilon, nulls):
        if k is not None and len(near) < k:
            return False
        if l is not None:
            for column in table.sensitive:
                if not moments.at_least(moments.values(column, near), l, rule):
                    return False
    return True


def smallest_epsilon(table: RatingTable, k: int, nulls: str) -> float | None:
    """The first distance that does."""
    for epsilon in candidates(table, nulls):
        if holds(table, epsilon, k, None, nulls, "paper"):
            return epsilon
    return None


def feasible(
    table: RatingTable,
    k: int | None,
    l: float | None,  # noqa: E741
    nulls: str,
    rule: str,
) -> list[tuple[float, float | None]]:
    """Every ε that does, as (from, below); None: however large."""
    intervals: list[tuple[float, float | None]] = []
    start: float | None = None
    for epsilon in candidates(table, nulls):
        good = holds(table, epsilon, k, l, nulls, rule)
        if good and start is None:
            start = epsilon
        if not good and start is not None:
            intervals.append((start, epsilon))
            start = None
    return intervals if start is None else [*intervals, (start, None)]


def unprotected(table: RatingTable, nulls: str) -> float | None:
    """From this ε on any two ratings are indistinguishable, or a null keeps nobody apart;
    None: never.
    """
    rows = proximity.ratings(table)
    rated = [value for row in rows for value in row.values()]
    if not rated:
        return None
    ends = [proximity.distance(table, {0: min(rated)}, {0: max(rated)}, nulls)]
    if nulls == "strict" and len(rated) < len(rows) * table.n_issues:
        ends.append(proximity.distance(table, {0: rated[0]}, {}, nulls))
    return min((end for end in ends if end is not None and end > 0), default=None)


def protecting(
    intervals: list[tuple[float, float | None]], end: float | None
) -> list[tuple[float, float | None]]:
    """What is left of the intervals below ``end``."""
    if end is None:
        return intervals
    return [
        (start, end if below is None or below > end else below)
        for start, below in intervals
        if start < end
    ]

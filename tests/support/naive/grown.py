"""Groups grown by least cost, one candidate and one whole group at a time [SWLP10, §4.4]."""

from plans import group_cost

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["grown"]


def grown(
    table: RatingTable,
    group: list[int],
    others: list[int],
    size: int,
    most: int,
    epsilon: float,
    nulls: str,
    fabricate: bool,
    fill: str,
) -> list[int]:
    """``group``, until it has ``size``, with whom costs least of the
    ``most`` nearest to its first member.
    """
    import numpy as np

    rows = proximity.ratings(table)
    first = rows[group[0]]

    def far(other: int) -> float:
        issues = {*first, *rows[other]}
        return round(
            sum(abs(rows[other].get(i, 0.0) - first.get(i, 0.0)) for i in sorted(issues)), 9
        )

    def cost(record: int) -> float:
        return group_cost(
            table, np.array([*found, record]), epsilon, nulls=nulls, fabricate=fabricate, fill=fill
        )

    found = list(group)
    while len(found) < size:
        left = [
            (far(other), place, other) for place, other in enumerate(others) if other not in found
        ]
        near = sorted(other for _, _, other in sorted(left)[:most])
        found.append(min(near, key=lambda record: (cost(record), record)))
    return found

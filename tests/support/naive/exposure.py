"""Exposure by enumerating all knowledge, straight from its definition."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from naive import proximity
from ratingpriv import RatingTable

__all__ = ["Number", "counts", "exposure", "fits", "knowledge", "left"]

Number = Fraction | float


def knowledge(table: RatingTable, value: Number, error: float) -> Iterator[tuple[Number, Number]]:
    """What may be known of a rating, each with its weight.

    For ratings that are no decimals, with widths.
    """
    closed = table.scale is not None and table.scale.declared
    levels = [proximity.as_number(table, level) for level in table.levels.tolist()]
    limit = proximity.as_number(table, float(error))
    low, high = value - limit, value + limit
    if closed:
        assert table.scale is not None
        ends = [
            proximity.as_number(table, end) for end in (table.scale.minimum, table.scale.maximum)
        ]
        low, high = max(low, min(ends[0], *levels)), min(high, max(ends[1], *levels))
        levels += ends
    if proximity.decimal_levels(table):
        unit = 1
        while any((Fraction(level) * unit).denominator > 1 for level in levels):
            unit *= 10
        step = Fraction(gcd(unit, *(int(level * unit) for level in levels)), unit)
        first, last = -(-low // step), high // step
        yield from ((place * step, Fraction(1)) for place in range(int(first), int(last) + 1))
        return
    cuts = sorted(
        {low, high, *(c for v in levels for c in (v - limit, v + limit) if low < c < high)}
    )
    cells = [((a + b) / 2, b - a) for a, b in itertools.pairwise(cuts)]
    yield from cells or [(low, 1.0)]


def fits(
    table: RatingTable, known: dict[int, Number], other: dict[int, Number], error: float, nulls: str
) -> bool:
    """Whether a record is within the error of what is known."""
    limit = proximity.as_number(table, float(error))
    if nulls == "strict":
        r = None if table.scale is None or table.scale.maximum <= 0 else table.scale.maximum
        if set(known) != set(other) and (r is None or error < r):
            return False
    for issue, value in known.items():
        if issue in other:
            if abs(other[issue] - value) > limit:
                return False
        elif nulls == "known":
            return False
    return True


def left(table: RatingTable, known: dict[int, Number], error: float, nulls: str) -> int:
    """How many records fit what is known."""
    return sum(fits(table, known, other, error, nulls) for other in proximity.ratings(table))


def counts(table: RatingTable, record: int, error: float, nulls: str) -> list[tuple[int, Number]]:
    """How many records fit each knowledge of a record, with its weight."""
    row = proximity.ratings(table)[record]
    choices = [knowledge(table, value, error) for value in row.values()]
    found = []
    for known in itertools.product(*choices):
        weight: Number = Fraction(1)
        for _, part in known:
            weight *= part
        count = left(
            table, dict(zip(row, (value for value, _ in known), strict=True)), error, nulls
        )
        found.append((count, weight))
    return found


def exposure(table: RatingTable, error: float, nulls: str) -> tuple[list[float], list[int]]:
    """Expectation of 1 / count, and the fewest, for every record."""
    expected, worst = [], []
    for record in range(table.n_records):
        found = counts(table, record, error, nulls)
        mass = sum(weight for _, weight in found)
        expected.append(float(sum(weight / count for count, weight in found) / mass))
        worst.append(min(count for count, _ in found))
    return expected, worst

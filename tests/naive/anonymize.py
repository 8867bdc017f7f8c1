"""Windows, groups and distortion cell by cell, from their definitions, with decimals; nothing is shared."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

from ratingpriv import RatingTable

__all__ = ["cheapest", "difference", "rows_of", "steps_within"]

type Cell = Decimal | None


def rows_of(table: RatingTable) -> list[list[Cell]]:
    """The ratings as decimals, None where null."""
    rows: list[list[Cell]] = [[None] * table.n_issues for _ in range(table.n_records)]
    for i in range(table.n_records):
        for at in range(int(table.indptr[i]), int(table.indptr[i + 1])):
            rows[i][int(table.indices[at])] = Decimal(repr(float(table.levels[table.codes[at]])))
    return rows


def steps_within(epsilon: float, places: int) -> Decimal:
    """ε rounded down to so many decimal places."""
    return Decimal(repr(float(epsilon))).quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR)


def cheapest(
    values: Sequence[Decimal], n_null: int, epsilon: float, places: int, *, separates: bool, fabricate: bool
) -> tuple[str, Decimal, Decimal, Decimal]:
    """(treatment, low, high, cost), every window on the grid within the values' range tried in turn."""
    zero = Decimal(0)
    if not values:
        return "empty", zero, zero, zero
    width, step = steps_within(epsilon, places), Decimal(1).scaleb(-places)
    least, most = min(values), max(values)
    windows = [(least, most)]
    if most - least > width:
        windows = []
        a = least
        while a + width <= most:
            windows.append((a, a + width))
            a += step
    nulls = n_null if separates else 0

    def cost(window: tuple[Decimal, Decimal]) -> Decimal:
        low, high = window
        moved = sum((abs(x - min(max(x, low), high)) for x in values), zero)
        return moved + nulls * abs(min(max(zero, low), high))

    best = min(windows, key=lambda window: (cost(window), window[0]))
    erase = sum((abs(x) for x in values), zero)
    if nulls and not (fabricate and cost(best) < erase):
        return "erase", zero, zero, erase
    return "fill" if nulls else "window", *best, cost(best)


def difference(
    before: Sequence[Sequence[Cell]], after: Sequence[Sequence[Cell]]
) -> tuple[Decimal, int, int, int]:
    """(Σ |x - x'| with null as 0, cells changed, filled, erased)."""
    total, changed, filled, erased = Decimal(0), 0, 0, 0
    for old, new in zip(before, after, strict=True):
        for x, y in zip(old, new, strict=True):
            total += abs((x or Decimal(0)) - (y or Decimal(0)))
            if x is None and y is not None:
                filled += 1
            elif x is not None and y is None:
                erased += 1
            elif x != y:
                changed += 1
    return total, changed, filled, erased

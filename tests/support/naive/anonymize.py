"""Windows, groups and distortion cell by cell, from their definitions, with decimals.

Nothing is shared.
"""

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
    values: Sequence[Decimal], n_null: int, epsilon: float, places: int, scale: tuple[int, int], *,
    separates: bool, fabricate: bool, median: bool = False,
) -> tuple[str, Decimal, Decimal, Decimal, Decimal | None]:  # fmt: skip
    """(treatment, low, high, cost, fill), every window on the grid and
    on the scale tried in turn.
    """
    zero = Decimal(0)
    if not values:
        return "empty", zero, zero, zero, None
    width, step = steps_within(epsilon, places), Decimal(1).scaleb(-places)
    least, most = min(values), max(values)
    nulls = n_null if separates else 0
    if nulls and not fabricate:
        return "erase", zero, zero, sum((abs(x) for x in values), zero), None
    by_ratings = nulls == 0 or median

    def fill(window: tuple[Decimal, Decimal]) -> Decimal:
        low, high = window
        wanted = sorted(values)[(len(values) - 1) // 2] if median else zero
        return min(max(wanted, low), high)

    def moved(window: tuple[Decimal, Decimal]) -> Decimal:
        low, high = window
        return sum((abs(x - min(max(x, low), high)) for x in values), zero)

    def cost(window: tuple[Decimal, Decimal]) -> Decimal:
        return moved(window) + (zero if by_ratings else nulls * abs(fill(window)))

    def away(window: tuple[Decimal, Decimal]) -> Decimal:
        """How far the window is from one within the ratings' range, or around it."""
        first, last = min(least, most - width), max(least, most - width)
        return max(first - window[0], window[0] - last, zero)

    windows = [(least, most)]
    if not (by_ratings and most - least <= width):
        low, high = Decimal(scale[0]), Decimal(scale[1])
        windows = [(low, high)]
        if high - low > width:
            windows = []
            while low + width <= high:
                windows.append((low, low + width))
                low += step
    best = min(windows, key=lambda window: (cost(window), away(window), window[0]))
    if not nulls:
        return "window", *best, cost(best), None
    erase = sum((abs(x) for x in values), zero)
    price = moved(best) + nulls * abs(fill(best))
    return (
        ("erase", zero, zero, erase, None) if price >= erase else ("fill", *best, price, fill(best))
    )


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

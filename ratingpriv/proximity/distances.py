"""The distances that two records can be apart, where there are few of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ratingpriv.proximity.levels import decimal_grid, null_distance

if TYPE_CHECKING:
    from ratingpriv.data.table import RatingTable

MAX_LEVELS = 16
"""Where there are more distances up to epsilon than so many, sizes are kept at 0 and at epsilon alone: each
level is another pass over the data, and another number in every record."""

_DIGITS = 10**15  # float64 tells decimals of up to 15 digits apart


@dataclass(frozen=True, slots=True)
class DistanceLevels:
    """The distances at which sizes are kept, from 0 to epsilon, and whether there are no others."""

    levels: tuple[float, ...]
    every: bool


def distance_levels(table: RatingTable, epsilon: float, nulls: str) -> DistanceLevels:
    """Return the distance levels of ``table`` up to ``epsilon``, which is always the last of them.

    Distances [SWLZ11, Eq. 1] are differences of two ratings and, under ``strict``, r between a null and a
    rating, each the float64 that :class:`ratingpriv.proximity.pairs.PairBlock` has. Ratings that are no
    decimals of up to nine places and 15 digits, and those with more than MAX_LEVELS distances, have the
    levels 0 and epsilon only.
    """
    ends = DistanceLevels(tuple(sorted({0.0, epsilon})), every=epsilon == 0)
    grid = decimal_grid(table.levels)
    span = 0 if grid is None or not len(grid.numbers) else int(grid.numbers[-1] - grid.numbers[0])
    if grid is None or span > _DIGITS:
        return ends
    numbers, reach = grid.numbers, min(grid.at_most(epsilon), span)
    near = np.searchsorted(numbers, numbers + reach, side="right") - np.arange(len(numbers))
    if near.max(initial=0) > MAX_LEVELS:  # one rating alone has more distances to others
        return ends
    levels = set(ends.levels)
    for step in range(1, int(near.max(initial=1))):
        apart = np.unique(numbers[step:] - numbers[:-step])
        levels.update((apart[apart <= reach] / 10.0**grid.decimals).tolist())
    far = null_distance(table.scale) if nulls == "strict" else None
    if far is not None and far <= epsilon:
        levels.add(far)
    return DistanceLevels(tuple(sorted(levels)), every=True) if len(levels) <= MAX_LEVELS else ends

"""Which levels are within ε of each other, decided exactly.

Distances and the null rule [SWLZ11, Eq. 1].

Eq. 2 of [SWL10] and [SWLZ11], a distance of *sensitive* ratings, is used by no later formula, and
not here.

Decimal ratings are compared as the decimals a person wrote: 0.8 and 0.6 *are* 0.2-proximate, though
float64 says ``0.8 - 0.6 == 0.20000000000000007``.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.numbers import inexact
from ratingpriv.data.table import RatingTable, Scale

_PLACES = 9
_DIGITS = 10**15  # float64 tells decimals of up to 15 digits apart
_EXACT = Context(prec=800, rounding=ROUND_FLOOR)


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers that are whole multiples of 10**-decimals: value = numbers / 10**decimals.

    int64, but Python ints where they are many digits long (:func:`written_grid`); as few decimals
    as they need.
    """

    numbers: NDArray[Any]
    decimals: int

    def at_most(self, number: float) -> int:
        """Return the largest multiple not above ``number`` (the decimal it prints as),
        as an integer.
        """
        scaled = _EXACT.scaleb(Decimal(repr(float(number))), self.decimals)
        return int(scaled.to_integral_value(rounding=ROUND_FLOOR))


def decimal_grid(values: NDArray[np.float64]) -> Grid | None:
    """Return ``values`` (finite) as a Grid, or None where one has more
    than 9 places or 15 digits.
    """
    for decimals in range(_PLACES + 1):
        with np.errstate(over="ignore"):
            scaled = np.rint(values * 10.0**decimals)
        if np.any(np.abs(scaled) > _DIGITS):
            return None
        # both operands are exact, so the quotient is the float64 nearest to the decimal
        if np.array_equal(scaled / 10.0**decimals, values):
            return Grid(scaled.astype(np.int64), decimals)
    return None


def written_grid(levels: NDArray[np.float64]) -> Grid | None:
    """Return ``levels`` as a Grid of whatever length,
    or None where one has more than 15 significant digits.

    Ratings from text have at most 15. -0.001 beside 100000000000000 fits no int64 grid, and their
    float64 difference is not that of the decimals: it is 100000000000000.
    """
    grid = decimal_grid(levels)
    if grid is not None:
        return grid
    texts = []
    for level in levels.tolist():
        texts.append(repr(level))
        if inexact(texts[-1]) is not None:  # of many real numbers one of the first
            return None
    written = [Decimal(text).as_tuple() for text in texts]
    places = max(0, *(-int(number.exponent) for number in written))
    numbers = np.empty(len(levels), dtype=object)
    for code, number in enumerate(written):
        size = int("".join(map(str, number.digits))) * 10 ** (places + int(number.exponent))
        numbers[code] = -size if number.sign else size
    return Grid(numbers, places)


def proximate_codes(
    levels: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each code c the range lo[c]..hi[c] of codes within ``epsilon`` of it,
    int64 (n_levels,).

    Decimals of at most 15 digits are compared exactly, as decimals, with the decimal that
    ``epsilon`` prints as; where some level has more, the float64 difference counts. Levels are
    ascending, distinct and finite.
    """
    grid = written_grid(levels)
    if grid is not None:
        reach = grid.at_most(epsilon)
        reach = reach if grid.numbers.dtype == object else min(reach, 4 * _DIGITS)
        lo = np.searchsorted(grid.numbers, grid.numbers - reach, side="left")
        hi = np.searchsorted(grid.numbers, grid.numbers + reach, side="right") - 1
        return lo.astype(np.int64), hi.astype(np.int64)
    hi = last_within(levels, epsilon)
    # b is in reach of a iff a is in reach of b
    lo = np.searchsorted(hi, np.arange(len(levels)), side="left")
    return lo.astype(np.int64), hi


def last_within(levels: NDArray[np.float64], epsilon: float) -> NDArray[np.int64]:
    """Return for each level the last within ``epsilon`` by float64 differences,
    int64 (n_levels,).
    """
    with np.errstate(over="ignore"):
        last = np.searchsorted(levels, levels + epsilon, side="right") - 1
        # the sum is rounded otherwise than the difference, which counts and grows (rounding is
        # monotone)
        while (beyond := levels[last] - levels > epsilon).any():
            last -= beyond
        after = np.append(levels, np.nan)
        while (near := after[last + 1] - levels <= epsilon).any():
            last += near
    return last.astype(np.int64)


def codes_within(
    levels: NDArray[np.float64], ratings: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each rating, on a level or not,
    the range lo..hi of codes within ``epsilon`` of it.
    """
    every = np.union1d(levels, ratings)
    below, above = proximate_codes(every, epsilon)
    levels_of_ratings = np.searchsorted(every, ratings)
    lo = np.searchsorted(levels, every[below[levels_of_ratings]], side="left")
    hi = np.searchsorted(levels, every[above[levels_of_ratings]], side="right") - 1
    return lo.astype(np.int64), hi.astype(np.int64)


def null_distance(scale: Scale | None) -> float | None:
    """Return r, the distance between a null and a rating: the scale's maximum,
    or None unless positive.
    """
    return None if scale is None or not scale.maximum > 0 else float(scale.maximum)


def null_separates(scale: Scale | None, epsilon: float, nulls: str) -> bool:
    """Return whether a null on one side only keeps two records apart [SWLZ11, Eq. 1 and Def. 4.1].

    Under ``strict`` it does iff ε < r, r the scale's maximum; under ``wildcard`` never; under
    ``known`` only in one direction, so the answer is False. Where r is not positive there is no
    usable distance and a null always separates: the safe side, and ours, not the paper's. Where a
    null separates, proximate records share their support, that is, belong to one Hamming group.
    """
    return nulls == "strict" and (scale is None or not scale.maximum > 0 or epsilon < scale.maximum)


MAX_LEVELS = 16
"""Where there are more distances up to epsilon than so many, sizes are kept at 0 and at epsilon
alone: each level is another pass over the data, and another number in every record.
"""


@dataclass(frozen=True, slots=True)
class DistanceLevels:
    """The distances at which sizes are kept, from 0 to epsilon, and whether there are no others."""

    levels: tuple[float, ...]
    every: bool


def distance_levels(table: RatingTable, epsilon: float, nulls: str) -> DistanceLevels:
    """Return the distance levels of ``table`` up to ``epsilon``, which is always the last of them.

    Distances [SWLZ11, Eq. 1] are differences of two ratings and, under ``strict``, r between a null
    and a rating, each the float64 that :class:`ratingpriv.proximity.pairs.PairBlock` has. Ratings
    that are no decimals of up to nine places and 15 digits, and those with more than MAX_LEVELS
    distances, have the levels 0 and epsilon only.
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

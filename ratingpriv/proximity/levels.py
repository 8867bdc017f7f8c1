"""Which levels are within ε of each other, decided exactly; distances and the null rule [SWLZ11, Eq. 1].

Decimal ratings are compared as the decimals a person wrote: 0.8 and 0.6 *are* 0.2-proximate, though float64
says ``0.8 - 0.6 == 0.20000000000000007``.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np
from numpy.typing import NDArray

from ratingpriv.table import RatingTable, Scale

__all__ = ["Grid", "decimal_grid", "null_distance", "null_separates", "proximate_codes"]

_PLACES = 9
_DIGITS = 10**15  # float64 tells decimals of up to 15 digits apart
_EXACT = Context(prec=400, rounding=ROUND_FLOOR)


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers that are whole multiples of 10**-decimals.

    Attributes
    ----------
    numbers : int64, same shape as the values; value = numbers / 10**decimals
    decimals : 0..9, as few as the values need
    """

    numbers: NDArray[np.int64]
    decimals: int

    def at_most(self, number: float) -> int:
        """Return the largest multiple not above ``number`` (the decimal it prints as), as an integer."""
        scaled = _EXACT.scaleb(Decimal(repr(float(number))), self.decimals)
        return int(scaled.to_integral_value(rounding=ROUND_FLOOR))


def decimal_grid(values: NDArray[np.float64]) -> Grid | None:
    """Return ``values`` (finite) as a Grid, or None where one has more than 9 places or 15 digits."""
    for decimals in range(_PLACES + 1):
        with np.errstate(over="ignore"):
            scaled = np.rint(values * 10.0**decimals)
        if np.any(np.abs(scaled) > _DIGITS):
            return None
        # both operands are exact, so the quotient is the float64 nearest to the decimal
        if np.array_equal(scaled / 10.0**decimals, values):
            return Grid(scaled.astype(np.int64), decimals)
    return None


def proximate_codes(
    levels: NDArray[np.float64], epsilon: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each code c the inclusive range lo[c]..hi[c] of codes within ``epsilon`` of it.

    Decimals of at most 9 places and 15 digits are compared exactly, as decimals, with the decimal that
    ``epsilon`` prints as; otherwise the float64 difference counts.

    Parameters
    ----------
    levels : float64 (n_levels,), ascending, distinct, finite
    epsilon : a number >= 0

    Returns
    -------
    lo, hi : int64 (n_levels,)
    """
    grid = decimal_grid(levels)
    if grid is not None:
        reach = min(grid.at_most(epsilon), 4 * _DIGITS)
        lo = np.searchsorted(grid.numbers, grid.numbers - reach, side="left")
        hi = np.searchsorted(grid.numbers, grid.numbers + reach, side="right") - 1
        return lo.astype(np.int64), hi.astype(np.int64)
    codes = np.arange(len(levels), dtype=np.int64)
    # |a - b| grows with b in float64 too (rounding is monotone), so the last code in reach can be bisected
    hi, beyond = codes.copy(), np.full(len(levels), len(levels), dtype=np.int64)
    while np.any(beyond - hi > 1):
        middle = (hi + beyond) // 2
        with np.errstate(over="ignore"):
            near = levels[middle] - levels <= epsilon
        hi, beyond = np.where(near, middle, hi), np.where(near, beyond, middle)
    lo = np.searchsorted(hi, codes, side="left")  # b is within reach of a iff a is within reach of b
    return lo.astype(np.int64), hi


def null_distance(table: RatingTable) -> float | None:
    """Return r, the distance between a null and a rating: the scale's maximum; None where that is none.

    A scale whose maximum is not positive gives no usable distance; a null then separates whatever ε is.
    [SWLZ11] knows scales 1..r only.
    """
    if table.scale is None or not table.scale.maximum > 0:
        return None
    return float(table.scale.maximum)


def null_separates(scale: Scale | None, epsilon: float, nulls: str) -> bool:
    """Return whether a null on one side only keeps two records apart [SWLZ11, Eq. 1 and Def. 4.1].

    Under ``strict`` it does iff ε < r, r the scale's maximum; under ``wildcard`` never; under ``known`` only
    in one direction, so the answer is False. Where r is not
    positive there is no usable distance and a null always separates: the safe side, and ours, not the
    paper's. Where a null separates, proximate records share their support, that is, belong to one Hamming
    group.
    """
    return nulls == "strict" and (scale is None or not scale.maximum > 0 or epsilon < scale.maximum)

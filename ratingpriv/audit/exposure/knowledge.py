"""What an adversary may know of a rating: the numbers within the error of it, on the scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure.arrays import Positions
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import decimal_grid

_FARTHEST = 4 * 10**15  # steps; sums of two such numbers are exact in float64
_HUGE = float(np.finfo(np.float64).max) / 8  # the width of what is known must not overflow


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """The knowledge of every rating of a table."""

    positions: Positions  # by code, in steps
    # the distance of neighbouring values; None where knowledge may be any number
    step: float | None
    closed: bool  # whether knowledge ends with the scale, which is so where the scale was declared
    numerator: int  # a step is their quotient (1, 1 where any number may be known)
    denominator: int

    def ratings(self, known: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return knowledge in steps as ratings."""
        return known if self.step is None else known * self.numerator / self.denominator


def knowledge_of(table: RatingTable, error: float) -> Knowledge:
    """Return what may be known of each rating that is off by at most ``error``.

    Knowledge takes the values that a rating can take: multiples of the greatest step of which all
    ratings, the ends of a declared scale, and 1 are multiples (whole numbers for a survey, halves
    for half stars). Ratings that are no decimals (:func:`ratingpriv.proximity.levels.decimal_grid`)
    may be known as any number. A declared scale bounds it; a rating outside of it stretches it. A
    range that was only found in the data does not: nobody knows that the scale ends there.
    """
    levels, scale = table.levels, table.scale
    closed = scale is not None and scale.declared
    ends = [scale.minimum, scale.maximum] if scale is not None and closed else []
    grid = decimal_grid(np.concatenate((levels, np.array(ends, dtype=np.float64))))
    if grid is None:
        number, reach, step, parts = levels.astype(np.float64), min(error, _HUGE), None, (1, 1)
        bounds = np.array(ends, dtype=np.float64)
    else:
        unit = 10**grid.decimals
        width = math.gcd(unit, *np.unique(np.abs(grid.numbers)).tolist())
        steps = (grid.numbers // width).astype(np.float64)
        number, bounds = steps[: len(levels)], steps[len(levels) :]
        reach = float(min(grid.at_most(error) // width, _FARTHEST))
        step, parts = width / unit, (width, unit)
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        low, high = np.maximum(number - reach, -largest), np.minimum(number + reach, largest)
    if closed and len(number):
        low = np.maximum(low, min(bounds[0], number[0]))
        high = np.minimum(high, max(bounds[1], number[-1]))
    with np.errstate(over="ignore"):
        # a step more on each side where differences are rounded: what fits is decided one by one
        slack = (
            0.0
            if step is not None
            else np.spacing(np.minimum(np.abs(high) + np.abs(low) + reach, largest))
        )
        first = np.searchsorted(number, low - reach - slack, side="left")
        last = np.searchsorted(number, high + reach + slack, side="right") - 1
    positions = Positions(
        number=number,
        low=low,
        high=high,
        first=first.astype(np.int64),
        last=last.astype(np.int64),
        reach=float(reach),
        whole=step is not None,
    )
    return Knowledge(positions, step, closed, *parts)

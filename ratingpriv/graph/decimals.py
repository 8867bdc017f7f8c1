"""Decimal ratings as whole numbers, so that a store's engine compares and adds them up exactly."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = ["decimals_of", "whole_reach"]

_PLACES = 9
_DIGITS = 10**15  # float64 tells decimals of up to 15 digits apart
_EXACT = Context(prec=400, rounding=ROUND_FLOOR)


def decimals_of(ratings: NDArray[np.float64]) -> int | None:
    """Return how many decimals the ratings need; None where one has more than 9, or above 15 digits."""
    decimals = 0
    for rating in ratings.tolist():
        exponent = Decimal(repr(rating)).normalize().as_tuple().exponent
        decimals = max(decimals, -int(exponent))
    if decimals > _PLACES or bool(np.any(np.abs(ratings) * 10.0**decimals > _DIGITS)):
        return None
    return decimals


def whole_reach(epsilon: float, decimals: int) -> float:
    """Return the largest whole number not above epsilon * 10**decimals, epsilon the decimal it prints as.

    At most a number beyond any two ratings of 15 digits, so that it is exact in float64.
    """
    scaled = _EXACT.scaleb(Decimal(repr(epsilon)), decimals).to_integral_value(rounding=ROUND_FLOOR)
    return float(min(int(scaled), 4 * _DIGITS))

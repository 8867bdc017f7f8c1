"""Knowing about how many ratings a target made [NS08, §5 and Fig. 12]: which records could then be theirs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError

__all__ = ["approximate_counts", "check_count_error", "count_bounds"]

_ROUNDING = 1e-9
_MOST = float(1 << 62)


def check_count_error(error: float | None) -> float | None:
    """Return h; ParameterError unless it is None or a number from 0 up to but not including 1."""
    if error is None:
        return None
    value = checks.non_negative_number("knows_count", error)
    if value >= 1:
        raise ParameterError(
            "knows_count", error, "a number from 0 up to but not including 1, such as 0.5 for ±50 %"
        )
    return value


def approximate_counts(
    counts: NDArray[np.int64], error: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return c̃ = c (1 + η), η uniform within ±``error``, float64 (T,), of the counts c, int64 (T,)."""
    return counts * (1 + error * (2 * rng.random(len(counts)) - 1))


def count_bounds(approximate: NDArray[np.float64], error: float) -> NDArray[np.int64]:
    """Return the fewest and the most ratings of a record that could be the target's, int64 (T, 2).

    Whoever knows c̃ = c (1 + η) with |η| <= h keeps the records with c̃ / (1 + h) <= |supp(r')| <= c̃ / (1 - h).
    The true count is always within, at the ends too: what rounding makes of a whole number counts as it.
    """
    low = np.ceil(approximate / (1 + error) * (1 - _ROUNDING))
    high = np.floor(np.minimum(approximate / (1 - error) * (1 + _ROUNDING), _MOST))
    return np.stack([low, high], axis=1).astype(np.int64)

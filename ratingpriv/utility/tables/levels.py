"""The levels of a rating scale, and which of them a released rating is read as."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

__all__ = ["levels_of", "nearest_level"]

_MOST = 10_000  # levels of a declared scale; beyond, a scale says nothing of what people answer
_HALF = 1e-9  # of the distance between two levels: 0.15 is half-way between 0.1 and 0.2, float64 or not


def levels_of(original: RatingTable) -> NDArray[np.float64]:
    """Return the L levels of the ratings, float64 (L,), ascending.

    All whole numbers of the scale where it was declared (1:5 has five), its ends are whole numbers and so is
    every rating; else, and where those would be more than 10,000, the ratings that occur.
    """
    scale = original.scale
    occurring: NDArray[np.float64] = original.levels[np.unique(original.codes)]
    if scale is None or not scale.declared or not original.integral:
        return occurring
    whole = scale.minimum == np.floor(scale.minimum) and scale.maximum == np.floor(scale.maximum)
    if not whole or scale.maximum - scale.minimum >= _MOST:
        return occurring
    return np.arange(scale.minimum, scale.maximum + 1)


def nearest_level(levels: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the position in ``levels`` of the level nearest to each of ``values``; halves upwards.

    Parameters
    ----------
    levels : float64 (L,), ascending, L >= 1
    values : float64, any shape

    Returns
    -------
    int64, of the shape of ``values``
    """
    above = np.clip(np.searchsorted(levels, values), 1, max(len(levels) - 1, 1))
    if len(levels) == 1:
        return np.zeros(np.shape(values), dtype=np.int64)
    low, high = levels[above - 1], levels[above]
    upper = values - low >= (high - values) - _HALF * (high - low)
    return np.asarray(np.where(upper, above, above - 1), dtype=np.int64)

"""Sets of whole numbers that ascend already: what numpy's own functions
would sort or hash anew, slowly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DENSE = 4  # numbers in the range of a set, for each that is in it

type Ints = NDArray[np.int64]


def among(ascending: Ints, wanted: Ints) -> NDArray[np.bool_]:
    """Return which of ``wanted`` are in ``ascending``, bool, as ``np.isin`` does."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=bool)
    start, end = int(ascending[0]), int(ascending[-1]) + 1
    if end - start <= _DENSE * len(ascending):  # marking all numbers is sooner done than searching
        marked = np.zeros(end - start, dtype=bool)
        marked[ascending - start] = True
        inside = (wanted >= start) & (wanted < end)
        return marked[np.where(inside, wanted - start, 0)] & inside
    place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    found: NDArray[np.bool_] = ascending[place] == wanted
    return found


def merged(one: Ints, other: Ints) -> Ints:
    """Return all that are in one of two ascending arrays of distinct numbers,
    ascending and distinct.
    """
    both = np.concatenate((one, other[~among(one, other)]))
    both.sort(kind="stable")  # two runs are merged
    return both

"""Compiled loop of numbering.py: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled


@compiled()
def number_ids(
    ids: NDArray[Any], low: int, table: NDArray[np.int32], count: int, out: NDArray[np.int32]
) -> int:
    """Put the position of each of ``ids`` into ``out``.

    Return how many positions are given away by now.

    ``table`` int32 holds the position of id i at ``i - low``, -1 where it has none yet; it is
    filled in.
    """
    for i in range(len(ids)):
        slot = np.int64(ids[i]) - low
        position = table[slot]
        if position < 0:
            position = np.int32(count)
            table[slot] = position
            count += 1
        out[i] = position
    return count

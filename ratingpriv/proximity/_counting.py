"""The kernel that counts the values behind lists of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import kernel


@kernel
def count_values(
    begin: NDArray[np.int64], neighbours: NDArray[np.int32], slot_of: NDArray[np.int64],
    start: NDArray[np.int64], code: NDArray[np.int64], weight: NDArray[np.int64],
    scratch: NDArray[np.int64], touched: NDArray[np.uint64],
    stop: NDArray[np.int64], counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Count the values known to each list of records, ``neighbours[begin[i]:begin[i + 1]]``.

    Record r stands for the entries ``start[slot_of[r]]:start[slot_of[r] + 1]``: so many (``weight``) records
    know the value ``code``. Of each list the counts that are not 0 are written, in the order of the codes, up
    to ``stop[i]``. ``scratch`` has a place, ``touched`` a bit for each value; both come and go empty.
    """
    unit, pair = np.uint64(1), 0
    for i in range(len(begin) - 1):
        least, most = len(touched), -1
        for j in range(begin[i], begin[i + 1]):
            slot = slot_of[neighbours[j]]
            for entry in range(start[slot], start[slot + 1]):
                value = code[entry]
                scratch[value] += weight[entry]
                word = value >> 6
                touched[word] |= unit << np.uint64(value & 63)
                least = word if word < least else least
                most = word if word > most else most
        for word in range(least, most + 1):
            rest = touched[word]
            touched[word] = np.uint64(0)
            while rest:
                low = rest & (~rest + unit)
                rest ^= low
                value = 64 * word + np.int64(popcount(low - unit))
                counts[pair] = scratch[value]
                scratch[value] = 0
                pair += 1
        stop[i] = pair

"""A hash of each record's ratings, by which records that rate equally are found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@kernel
def hash_codes(indptr: NDArray[np.int64], codes: NDArray[Any], hashes: NDArray[np.uint64]) -> None:
    """Write a hash of each row of codes, in their order, to ``hashes`` (n_records,).

    Equal rows have equal hashes. Others may have, too: whoever finds some compares the rows.
    """
    for row in range(len(hashes)):
        mixed = np.uint64(indptr[row + 1] - indptr[row])
        for entry in range(indptr[row], indptr[row + 1]):
            mixed = (mixed ^ np.uint64(codes[entry])) * _PRIME
            mixed ^= mixed >> _HALF
        hashes[row] = mixed

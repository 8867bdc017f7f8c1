"""Compiled: how far records are from one record, a null being 0; arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.compiling import compiled

__all__ = ["sums_of_differences"]


@compiled()
def sums_of_differences(
    own: NDArray[np.float64],
    others: NDArray[np.int64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Write Σ |x - y| - Σ |x| to ``out`` for x, float64 (n_issues,), and each record y of ``others``."""
    for i in range(len(others)):
        total = 0.0
        for entry in range(indptr[others[i]], indptr[others[i] + 1]):
            x = own[indices[entry]]
            total += abs(values[entry] - x) - abs(x)
        out[i] = total

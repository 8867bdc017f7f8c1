"""Compiled: how two versions of the same records differ; arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled
from ratingpriv.partition.distortion._windows import Ratings


@compiled()
def compare(
    first: int,
    last: int,
    positions: NDArray[np.int64],
    old: Ratings,
    new: Ratings,
    moved: NDArray[np.float64],
    cells: NDArray[np.int64],
    imputed: NDArray[np.float64],
) -> None:
    """Compare new records ``first`` <= j < ``last`` with old ones at ``positions[j]``, issue by issue.

    Fills ``moved[j]``, the sum of |x - x'| with a null as 0, ``cells[j]``: changed, imputed, suppressed, and
    ``imputed[j]``: the sums of the imputed numbers and of their squares.
    """
    indptr, indices, codes, numbers = old
    new_indptr, new_indices, new_codes, new_numbers = new
    for j in range(first, last):
        a, a_end = indptr[positions[j]], indptr[positions[j] + 1]
        b, b_end = new_indptr[j], new_indptr[j + 1]
        total = 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and indices[a] < new_indices[b]):
                total += abs(numbers[codes[a]])
                cells[j, 2] += 1
                a += 1
            elif a == a_end or new_indices[b] < indices[a]:
                total += abs(new_numbers[new_codes[b]])
                imputed[j, 0] += new_numbers[new_codes[b]]
                imputed[j, 1] += new_numbers[new_codes[b]] ** 2
                cells[j, 1] += 1
                b += 1
            else:
                difference = abs(numbers[codes[a]] - new_numbers[new_codes[b]])
                if difference != 0.0:
                    total += difference
                    cells[j, 0] += 1
                a += 1
                b += 1
        moved[j] = total

"""Compiled: moving the ratings of groups into their windows; arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled
from ratingpriv.partition.distortion._windows import ERASE, FILL, WINDOW

__all__ = ["apply_windows", "count_imputed"]

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled()
def count_imputed(
    members: Whole, bounds: Whole, indptr: Whole, indices: NDArray[np.int32], n_issues: int,
    starts: Whole, issue: Whole, treatment: NDArray[np.int8],
) -> Whole:  # fmt: skip
    """Return where each group's imputed cells start in a list of all, int64 (n_groups + 1,)."""
    begins = np.zeros(len(bounds), dtype=np.int64)
    fills = np.zeros(n_issues, dtype=np.bool_)
    for g in range(len(bounds) - 1):
        cells = 0
        for row in range(starts[g], starts[g + 1]):
            if treatment[row] == FILL:
                fills[issue[row]] = True
                cells += bounds[g + 1] - bounds[g]
        if cells > 0:
            for at in range(bounds[g], bounds[g + 1]):
                for entry in range(indptr[members[at]], indptr[members[at] + 1]):
                    if fills[indices[entry]]:
                        cells -= 1
            for row in range(starts[g], starts[g + 1]):
                fills[issue[row]] = False
        begins[g + 1] = begins[g] + cells
    return begins


@compiled()
def apply_windows(
    first: int, last: int, members: Whole, bounds: Whole, indptr: Whole, indices: NDArray[np.int32],
    n_issues: int, starts: Whole, issue: Whole, treatment: NDArray[np.int8], low: Floats, high: Floats,
    fill: Floats, numbers: Floats, suppressed: NDArray[np.bool_], begins: Whole, imputed_record: Whole,
    imputed_issue: Whole, imputed_number: Floats,
) -> None:  # fmt: skip
    """Change the ratings of the groups ``first`` <= g < ``last`` as chosen.

    ``numbers`` and ``suppressed`` are of every rating of the table and changed in place; the imputed cells of
    group g are written from ``begins[g]`` on.
    """
    row_of = np.full(n_issues, -1, dtype=np.int64)
    rated = np.full(n_issues, -1, dtype=np.int64)
    for g in range(first, last):
        some_fill = begins[g + 1] > begins[g]
        for row in range(starts[g], starts[g + 1]):
            row_of[issue[row]] = row
        cell = begins[g]
        for at in range(bounds[g], bounds[g + 1]):
            record = members[at]
            for entry in range(indptr[record], indptr[record + 1]):
                row = row_of[indices[entry]]
                rated[indices[entry]] = record
                if treatment[row] == ERASE:
                    suppressed[entry] = True
                elif treatment[row] == WINDOW or treatment[row] == FILL:
                    numbers[entry] = min(max(numbers[entry], low[row]), high[row])
            if some_fill:
                for row in range(starts[g], starts[g + 1]):
                    if treatment[row] == FILL and rated[issue[row]] != record:
                        imputed_record[cell] = record
                        imputed_issue[cell] = issue[row]
                        imputed_number[cell] = fill[row]
                        cell += 1

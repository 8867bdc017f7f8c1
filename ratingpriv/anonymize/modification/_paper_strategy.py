"""Compiled: the papers' data modification of one issue of one group [SWLP10, §4.5]; numbers on the grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@compiled()
def modify_issue(x: Floats, reach: int, smallest: float, largest: float, out: Floats) -> tuple[float, float]:
    """Write what becomes of the ratings ``x`` (n,), whole numbers, 0 where null, to ``out`` (n,).

    ``reach`` is ε in the same unit; ``smallest`` and ``largest`` are the ends of the scale. Returns (the sum
    after less the sum before, the same before ratings were shifted into the scale).
    """
    n = len(x)
    before = 0.0
    for value in x:
        before += value
    floor = np.floor(before / n)
    rho = int(before - n * floor)  # the centroid is floor + rho / n
    if rho == 0:
        out[:] = floor
        if reach >= 2:  # not at 1, where the paper's t_c - 1 and t_c + 1 are 2 apart
            order = np.argsort(x, kind="mergesort")
            for rank in range(n // 2):
                out[order[rank]] = floor - 1.0
                out[order[n - 1 - rank]] = floor + 1.0
    elif rho <= reach:
        out[:] = floor
        out[0] = floor + rho
    elif reach > 0:
        steps = rho // reach * reach
        out[:] = floor
        out[:steps] = floor + 1.0
        out[n - 1] += rho - steps
    else:  # all must be equal, so that no choice keeps the sum: the nearest to it
        out[:] = floor if 2 * rho <= n else floor + 1.0
    unshifted, after = 0.0, 0.0
    for i in range(n):
        unshifted += out[i]
        out[i] = min(max(out[i], smallest), largest)
        after += out[i]
    return after - before, unshifted - before


@compiled()
def modify_groups(
    which: Whole, members: Whole, bounds: Whole, indptr: Whole, indices: NDArray[np.int32], n_issues: int,
    starts: Whole, issue: Whole, reach: int, smallest: float, largest: float, separates: bool,
    fabricate: bool, numbers: Floats, suppressed: NDArray[np.bool_], imputed_record: Whole,
    imputed_issue: Whole, imputed_number: Floats, report: Floats,
) -> int:  # fmt: skip
    """Modify the groups ``which`` by the papers' strategies; return how many cells are imputed.

    ``starts`` and ``issue`` list the issues of each group as Windows does. ``numbers`` and ``suppressed``
    are of every rating and changed in place; imputed cells are written to ``imputed_record`` ..
    ``report`` gets added: issues whose sum the scale changed, by how much in all, issues whose sum ε = 0
    changed, by how much.
    """
    row_of = np.full(n_issues, -1, dtype=np.int64)
    cells = 0
    for g in which:
        size = bounds[g + 1] - bounds[g]
        rows = starts[g + 1] - starts[g]
        for row in range(rows):
            row_of[issue[starts[g] + row]] = row
        entries = np.full((rows, size), -1, dtype=np.int64)
        for column in range(size):
            record = members[bounds[g] + column]
            for entry in range(indptr[record], indptr[record + 1]):
                entries[row_of[indices[entry]], column] = entry
        for row in range(rows):
            rated = np.flatnonzero(entries[row] >= 0)
            mixed = len(rated) < size and separates
            x = np.zeros(size) if mixed else np.zeros(len(rated))
            cost_of_suppressing = 0.0
            for i in range(len(rated)):
                value = numbers[entries[row, rated[i]]]
                x[rated[i] if mixed else i] = value
                cost_of_suppressing += abs(value)
            if mixed and not fabricate:
                suppressed[entries[row, rated]] = True
                continue
            out = np.empty(len(x))
            changed, wanted = modify_issue(x, reach, smallest, largest, out)
            if mixed and np.abs(out - x).sum() >= cost_of_suppressing:
                suppressed[entries[row, rated]] = True
                continue
            if wanted != 0.0:
                report[2] += 1
                report[3] += wanted
            if changed != wanted:
                report[0] += 1
                report[1] += changed - wanted
            for i in range(len(x)):
                column = i if mixed else rated[i]
                if entries[row, column] >= 0:
                    numbers[entries[row, column]] = out[i]
                else:
                    imputed_record[cells] = members[bounds[g] + column]
                    imputed_issue[cells] = issue[starts[g] + row]
                    imputed_number[cells] = out[i]
                    cells += 1
    return cells

"""Compiled: groups of k records grown at the least cost; arrays in, arrays out.

Records are rows of ``codes``, uint8 (m, p), the number of levels where null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification._costs import Costs, fill_tables
from ratingpriv.compute.compiling import compiled

__all__ = ["grow", "place", "row_sum", "tables"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Codes = NDArray[np.uint8]
Table = NDArray[np.float32]


@compiled()
def row_sum(table: Table, row: Codes, limit: float) -> Any:
    """Return the sum of ``table[j, row[j]]``, or anything >= ``limit`` once that is passed."""
    total = np.float32(0.0)
    for j in range(len(row)):
        total += table[j, row[j]]
        if total >= limit:
            return total
    return total


@compiled()
def _grow_table(
    h: NDArray[np.int32], size: int, costs: Costs, near: float, count: Floats, total: Floats, more: Table,
    less: Table,
) -> None:  # fmt: skip
    """Fill ``more`` with what joining costs, and ``near`` times the distance to the mean: it breaks ties."""
    fill_tables(h, costs, count, total, more, less)
    n_levels = len(costs.levels)
    for j in range(h.shape[0]):
        mean, raters = 0.0, 0
        for c in range(n_levels):
            mean += h[j, c] * costs.levels[c]
            raters += h[j, c]
        mean = mean / size if costs.separates else (mean / raters if raters > 0 else 0.0)
        for c in range(n_levels):
            if costs.separates or raters > 0:
                more[j, c] += near * abs(costs.levels[c] - mean)
        if costs.separates:
            more[j, n_levels] += near * abs(mean)


@compiled()
def grow(codes: Codes, k: int, costs: Costs, near: float, seed: int, label: Whole) -> int:
    """Group the rows by ``k``, the farthest first, each group grown by the cheapest row; return how many.

    The first seed is the row ``seed`` or, where that is -1, the farthest from everybody; the next one is the
    farthest from the last group. What is left over in the end joins the group where it costs least. Fills
    ``label``; needs ``k`` rows.
    """
    m, p = codes.shape
    width = len(costs.levels) + 1
    count, total = np.zeros(width), np.zeros(width)
    more, less = np.zeros((p, width), np.float32), np.zeros((p, width), np.float32)
    groups = m // k
    h = np.zeros((groups, p, width), np.int32)
    everybody = np.zeros((p, width), np.int32)
    label[:] = -1
    for i in range(m):
        for j in range(p):
            everybody[j, codes[i, j]] += 1
    _grow_table(everybody, m, costs, near, count, total, more, less)
    rest = np.arange(m)
    n_rest = m
    for g in range(groups):
        far, at = -np.inf, 0
        for i in range(n_rest):
            value = row_sum(more, codes[rest[i]], np.inf)
            if value > far:
                far, at = value, i
        if g == 0 and seed >= 0:
            at = seed
        for size in range(1, k + 1):
            row = rest[at]
            label[row] = g
            for j in range(p):
                h[g, j, codes[row, j]] += 1
            # keep the order of the rest: ties go to the earliest row
            for i in range(at, n_rest - 1):
                rest[i] = rest[i + 1]
            n_rest -= 1
            _grow_table(h[g], size, costs, near, count, total, more, less)
            if size < k:
                least, at = np.inf, 0
                for i in range(n_rest):
                    value = row_sum(more, codes[rest[i]], least)
                    if value < least:
                        least, at = value, i
    if n_rest > 0:
        tables = np.zeros((groups, p, width), np.float32)
        for g in range(groups):
            fill_tables(h[g], costs, count, total, tables[g], less)
        for i in range(n_rest):
            least, at = np.inf, 0
            for g in range(groups):
                value = row_sum(tables[g], codes[rest[i]], least)
                if value < least:
                    least, at = value, g
            label[rest[i]] = at
            for j in range(p):
                h[at, j, codes[rest[i], j]] += 1
            fill_tables(h[at], costs, count, total, tables[at], less)
    return int(groups)


@compiled()
def tables(first: int, last: int, h: NDArray[np.int32], costs: Costs, more: NDArray[np.float32]) -> None:
    """Fill ``more`` float32 (n_groups, p, L + 1) of the groups ``first`` <= g < ``last`` from ``h``."""
    width = len(costs.levels) + 1
    count, total = np.zeros(width), np.zeros(width)
    less = np.zeros((h.shape[1], width), np.float32)
    for g in range(first, last):
        fill_tables(h[g], costs, count, total, more[g], less)


@compiled()
def place(
    first: int, last: int, which: Whole, codes: Codes, label: Whole, h: NDArray[np.int32], costs: Costs,
    more: NDArray[np.float32],
) -> None:  # fmt: skip
    """Put the rows ``which[first:last]`` into the group where each adds least to the cost.

    ``label``, and the groups' histograms ``h`` and tables ``more``, are kept up for the next row.
    """
    n_groups, p, width = h.shape
    count, total = np.zeros(width), np.zeros(width)
    less = np.zeros((p, width), np.float32)
    for i in which[first:last]:
        least, at = np.inf, 0
        for g in range(n_groups):
            value = row_sum(more[g], codes[i], least)
            if value < least:
                least, at = value, g
        label[i] = at
        for j in range(p):
            h[at, j, codes[i, j]] += 1
        fill_tables(h[at], costs, count, total, more[at], less)

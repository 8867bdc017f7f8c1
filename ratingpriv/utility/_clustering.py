"""Compiled: the triangles at a record, 512 of its neighbours at a time; arrays in, arrays out.

Bit i of a row stands for the i-th neighbour of a block. ``near[place * levels + code]`` is who of them is
proximate with ``code`` at a place of the row, so who is proximate with a record altogether is the AND over
its entries:

    T(u) + d(u) = ½ · Σ over v in N(u) of (|N(v) & N(u)| - 1),  u itself being in N(u)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import and_rows
from ratingpriv.base.compute.compiling import part, search_kernel

__all__ = ["BLOCK", "WORDS", "count_triangles"]

WORDS = 8
BLOCK = 64 * WORDS


@part
def _fill(
    first: int, last: int, width: int, levels: int, members: NDArray[np.int32], indptr: NDArray[np.int64],
    indices: NDArray[np.int32], codes: Any, aligned: bool, low: NDArray[np.int64], high: NDArray[np.int64],
    sets: NDArray[np.uint64], near: NDArray[np.uint64],
) -> None:  # fmt: skip
    """Fill ``near`` for the block of neighbours ``members[first:last]``."""
    one = np.uint64(1)
    for row in range(width * levels):
        for word in range(WORDS):
            sets[row, word] = np.uint64(0)
    for i in range(last - first):  # who rated that
        word, bit = i >> 6, one << np.uint64(i & 63)
        start = indptr[members[first + i]]
        for entry in range(start, indptr[members[first + i] + 1]):
            place = entry - start if aligned else np.int64(indices[entry])
            sets[place * levels + np.int64(codes[entry]), word] |= bit
    for place in range(width):
        at = place * levels
        for row in range(at + 1, at + levels):  # who rated that, or lower
            for word in range(WORDS):
                sets[row, word] |= sets[row - 1, word]
        for code in range(levels):
            for word in range(WORDS):
                held = sets[at + high[code], word]
                if low[code] > 0:
                    held &= ~sets[at + low[code] - 1, word]
                near[at + code, word] = held | ~sets[at + levels - 1, word]  # a null is near to all


@part
def _proximate(
    a: int, b: int, indptr: NDArray[np.int64], indices: NDArray[np.int32], codes: Any, aligned: bool,
    low: NDArray[np.int64], high: NDArray[np.int64],
) -> bool:  # fmt: skip
    """Return whether records a and b are proximate, entry by entry [SWLZ11, Def. 4.1]."""
    i, i_end = indptr[a], indptr[a + 1]
    j, j_end = indptr[b], indptr[b + 1]
    while i < i_end and j < j_end:
        if not aligned and indices[i] != indices[j]:
            if indices[i] < indices[j]:
                i += 1
            else:
                j += 1
            continue
        if not low[codes[i]] <= codes[j] <= high[codes[i]]:
            return False
        i += 1
        j += 1
    return True


@search_kernel
def count_triangles(
    start: int, stop: int, queries: NDArray[np.int64], begin: NDArray[np.int64], end: NDArray[np.int64],
    found: NDArray[np.int32], indptr: NDArray[np.int64], indices: NDArray[np.int32], codes: Any,
    aligned: bool, issues: int, low: NDArray[np.int64], high: NDArray[np.int64], sets: NDArray[np.uint64],
    near: NDArray[np.uint64], scratch: NDArray[np.uint64], triangles: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write to ``triangles[q]`` how many pairs of the neighbours of ``queries[q]`` are proximate.

    Parameters
    ----------
    start, stop : only q in this range
    begin, end, found : the neighbours of query q are ``found[begin[q]:end[q]]``, itself among them
    indptr, indices, codes : ratings by record; ``aligned``: the neighbours of a record rate what it rates
    issues : places of a row that is not aligned
    low, high : int64 (levels,); codes low..high are proximate to a code
    sets, near : uint64 (rows, 8), working memory of ``width * levels`` rows; fewer: pair by pair
    scratch : uint64 (2, 8), working memory
    """
    levels = len(low)
    ones = ~np.uint64(0)
    for q in range(start, stop):
        a, z = begin[q], end[q]
        width = indptr[queries[q] + 1] - indptr[queries[q]] if aligned else issues
        total = 0
        if width * levels > len(near):
            for i in range(a, z):
                for j in range(i + 1, z):
                    if _proximate(found[i], found[j], indptr, indices, codes, aligned, low, high):
                        total += 2
        elif z - a > 2:
            for first in range(a, z, BLOCK):
                last = first + BLOCK if first + BLOCK < z else z
                _fill(
                    first, last, width, levels, found, indptr, indices, codes, aligned, low, high, sets, near
                )
                for word in range(WORDS):
                    left = last - first - 64 * word
                    scratch[1, word] = ones
                    if left < 64:
                        scratch[1, word] = ~(ones << np.uint64(left)) if left > 0 else np.uint64(0)
                for i in range(first, z):  # those before met this block when it was their turn
                    count = and_rows(scratch, 0, scratch, 1, scratch, 1)
                    at = indptr[found[i]]
                    for entry in range(at, indptr[found[i] + 1]):
                        place = entry - at if aligned else np.int64(indices[entry])
                        row = place * levels + np.int64(codes[entry])
                        count = and_rows(scratch, 0, scratch, 0, near, row)
                    total += count - 1 if i < last else 2 * count
        triangles[q] = total // 2 - (z - a - 1) if z - a > 2 else 0

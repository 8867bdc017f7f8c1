"""Compiled: put similar records side by side, in chunks, and say what range each chunk has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.compiling import compiled

__all__ = ["bound", "lay_out"]

Whole = NDArray[np.int64]


@compiled()
def lay_out(order: Whole, starts: Whole, indptr: Whole, codes: Any, most: int, cuts: Any) -> int:
    """Reorder each group of ``order`` so that runs of at most ``most`` records are similar.

    Cuts a run in two at the mean of the issue whose codes vary most, again and again. Rows of a group must be
    aligned.

    Parameters
    ----------
    order : int64 (n,), records by group; reordered in place
    starts : int64 (n_groups + 1,)
    indptr, codes : the ratings
    cuts : bool (n + 1,), set True where a chunk begins

    Returns
    -------
    The number of chunks.
    """
    count = 0
    stack_first = np.empty(128, dtype=np.int64)
    stack_stop = np.empty(128, dtype=np.int64)
    for group in range(len(starts) - 1):
        if starts[group] == starts[group + 1]:
            continue
        stack_first[0], stack_stop[0], top = starts[group], starts[group + 1], 1
        while top > 0:
            top -= 1
            first, stop = stack_first[top], stack_stop[top]
            size = stop - first
            cut = stop
            if size > most:
                width = indptr[order[first] + 1] - indptr[order[first]]
                best, issue, mean = 0.0, -1, 0.0
                for j in range(width):
                    total, squares = 0.0, 0.0
                    for slot in range(first, stop):
                        x = float(codes[indptr[order[slot]] + j])
                        total += x
                        squares += x * x
                    spread = squares - total * total / size
                    if spread > best * (1 + 1e-9) + 1e-6:
                        best, issue, mean = spread, j, total / size
                cut = first + size // 2  # identical rows are cut anywhere
                if issue >= 0:
                    low, high = first, stop
                    while low < high:
                        if codes[indptr[order[low]] + issue] <= mean:
                            low += 1
                        else:
                            high -= 1
                            order[low], order[high] = order[high], order[low]
                    if first < low < stop:
                        cut = low
            if cut < stop:
                # the larger part waits, so that the stack stays small
                if cut - first >= stop - cut:
                    stack_first[top], stack_stop[top] = first, cut
                    stack_first[top + 1], stack_stop[top + 1] = cut, stop
                else:
                    stack_first[top], stack_stop[top] = cut, stop
                    stack_first[top + 1], stack_stop[top + 1] = first, cut
                top += 2
            else:
                cuts[first] = True
                count += 1
    cuts[len(order)] = True
    return count


@compiled()
def bound(
    bounds: Whole,
    ptr: Whole,
    codes: NDArray[np.int32],
    box_ptr: Whole,
    low: NDArray[np.int32],
    high: NDArray[np.int32],
) -> None:
    """Write down the lowest and highest code of each place of the rows of each chunk."""
    for chunk in range(len(bounds) - 1):
        base = box_ptr[chunk]
        for j in range(box_ptr[chunk + 1] - base):
            least = most = codes[ptr[bounds[chunk]] + j]
            for slot in range(bounds[chunk] + 1, bounds[chunk + 1]):
                code = codes[ptr[slot] + j]
                least, most = min(least, code), max(most, code)
            low[base + j], high[base + j] = least, most

"""Peeling a graph whose edges are listed: whoever has too few neighbours goes, and so takes one from each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled


@compiled()
def peel(
    start: NDArray[np.int64], near: NDArray[np.int64], sizes: NDArray[np.int64], k: int,
    gone: NDArray[np.bool_], queue: NDArray[np.int64],
) -> int:  # fmt: skip
    """Take out records with fewer than ``k`` neighbours (themselves included) until no listed one is left.

    Parameters
    ----------
    start : int64 (n + 1,); the neighbours of record i are ``near[start[i]:start[i + 1]]``; nobody's list but
        that of a record without any neighbour is empty, unless it is not listed: then it stays
    sizes : int64 (n,); |N(t)|, lowered as neighbours go
    gone : bool (n,), False; who was taken out
    queue : int64 (n,), working memory

    Returns
    -------
    int
        How many were taken out.
    """
    first, last = 0, 0
    for i in range(len(sizes)):
        if sizes[i] < k and (start[i + 1] > start[i] or sizes[i] == 1):
            gone[i] = True
            queue[last] = i
            last += 1
    while first < last:
        i = queue[first]
        first += 1
        for at in range(start[i], start[i + 1]):
            other = near[at]
            sizes[other] -= 1
            if sizes[other] < k and not gone[other] and start[other + 1] > start[other]:
                gone[other] = True
                queue[last] = other
                last += 1
    return last

"""Cutting points into blocks of near ones, differently each time: every block can be worked on alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DIMENSIONS = 48  # more issues than this are projected: it only has to be good enough to find near records


def features(
    codes: NDArray[np.uint8], levels: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float32]:
    """Return a point for each row of ``codes`` uint8 (m, p), null as 0; float32 (m, at most 48).

    ``levels`` float64 (n_levels,) are the ratings by code. Issues that nobody rates differently are no help
    and are left to themselves.
    """
    values = np.append(levels, 0.0).astype(np.float32)
    if codes.shape[1] <= _DIMENSIONS:
        return values[codes]
    onto = rng.standard_normal((codes.shape[1], _DIMENSIONS)).astype(np.float32)
    points = np.empty((len(codes), _DIMENSIONS), dtype=np.float32)
    for first in range(0, len(codes), 1 << 14):
        points[first : first + (1 << 14)] = values[codes[first : first + (1 << 14)]] @ onto
    return points


def near_blocks(
    points: NDArray[np.float32], weights: NDArray[np.int64], most: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Cut the points into blocks of a total weight of at most ``most`` (a single point may weigh more).

    Each cut is at the median along the line through two of the points drawn at random.

    Parameters
    ----------
    points : float32 (m, d)
    weights : int64 (m,), >= 0
    """
    waiting, done = [np.arange(len(points))], []
    while waiting:
        block = waiting.pop()
        if len(block) < 2 or int(weights[block].sum()) <= most:
            if len(block):
                done.append(block)
            continue
        ends = points[rng.choice(block, size=2, replace=False)]
        along = points[block] @ (ends[1] - ends[0])
        order = block[np.argsort(along, kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return done

"""Kernels that put what was found around a seed in order: by distance, then by position."""

from __future__ import annotations

from typing import Any

from ratingpriv.compute.compiling import part, routine
from ratingpriv.partition.index.arrays import Sequence, Space

__all__ = ["before", "sort", "swap"]


@part
def before(x: Any, y: Any, sequence: Sequence, space: Space) -> bool:
    """Whether the x-th that was found comes before the y-th: it is nearer, or as near and earlier."""
    if space.far[x] != space.far[y]:
        return bool(space.far[x] < space.far[y])
    return bool(sequence.place[space.found[x]] < sequence.place[space.found[y]])


@part
def swap(x: Any, y: Any, space: Space) -> None:
    """Let the x-th and the y-th that were found change places."""
    i, far = space.found[x], space.far[x]
    space.found[x], space.far[x] = space.found[y], space.far[y]
    space.found[y], space.far[y] = i, far


@part
def _sink(root: Any, n: Any, sequence: Sequence, space: Space) -> None:
    """Let the root of a heap (the last comes first) sink to its place."""
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and before(child, child + 1, sequence, space):
            child += 1
        if not before(root, child, sequence, space):
            return
        swap(root, child, space)
        root = child


@routine
def sort(n: Any, sequence: Sequence, space: Space) -> None:
    """Put what was found in order (heapsort: in place, and never slow)."""
    for back in range(n // 2):
        _sink(n // 2 - 1 - back, n, sequence, space)
    for back in range(n - 1):
        swap(0, n - 1 - back, space)
        _sink(0, n - 1 - back, sequence, space)

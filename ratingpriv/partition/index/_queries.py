"""Kernels for questions to a tree: who is proximate with all of some, who is reached from whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel
from ratingpriv.partition.index._box import distance, gather, narrow, pack_box, unlimit
from ratingpriv.partition.index._tree import hide
from ratingpriv.partition.index.arrays import Fields, Forest, Ints, Rows, Space


@kernel
def hide_all(items: Ints, tree: Ints, forest: Forest) -> None:
    """Let items be found no more."""
    for i in items:
        hide(forest, tree[i], i - forest.first[tree[i]])


@kernel
def proximate_with_all(
    items: Ints, record: Ints, tree: Ints, rows: Rows, fields: Fields, forest: Forest, space: Space
) -> int:
    """List in ``space.found`` what is to be found and proximate with all of some items; return how many."""
    for i in items:
        narrow(record[i], rows, space)
    t = tree[items[0]]
    pack_box(t, False, fields, space)
    n = gather(t, items[0], 0, rows, fields, forest, record, space)
    for i in items:
        unlimit(record[i], rows, fields, space)
    return int(n)


@kernel
def farthest(records: Ints, others: Ints, rows: Rows, out: NDArray[np.float64]) -> None:
    """Write the largest distance of each of ``records`` to one of ``others`` to ``out``."""
    for i in range(len(records)):
        out[i] = 0.0
        for other in others:
            far = distance(records[i], other, rows)
            out[i] = far if far > out[i] else out[i]


@kernel
def reach(
    queue: Ints, labels: Ints, state: Ints, steps: int, record: Ints, tree: Ints, rows: Rows, fields: Fields,
    forest: Forest, space: Space,
) -> bool:  # fmt: skip
    """Go on labelling connected components until done (True), or for some steps.

    Whoever is reached is to be found no more, so that nobody is reached twice. ``labels`` are -1 where not
    reached yet; ``state``, int64 (4,): the next item to begin at, the queue's first and end, the next label.
    """
    for _ in range(steps):
        if state[1] == state[2]:
            while state[0] < len(labels) and labels[state[0]] >= 0:
                state[0] += 1
            if state[0] == len(labels):
                return True
            first = state[0]
            labels[first] = state[3]
            hide(forest, tree[first], first - forest.first[tree[first]])
            queue[state[2]] = first
            state[2] += 1
            state[3] += 1
        i = queue[state[1]]
        state[1] += 1
        t = tree[i]
        narrow(record[i], rows, space)
        pack_box(t, False, fields, space)
        n = gather(t, i, 0, rows, fields, forest, record, space)
        unlimit(record[i], rows, fields, space)
        for x in range(n):
            found = space.found[x]
            labels[found] = labels[i]
            hide(forest, t, found - forest.first[t])
            queue[state[2]] = found
            state[2] += 1
    return False

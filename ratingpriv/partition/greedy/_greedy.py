"""Kernels for one seed after another: on one thread, or ahead of their turn on several.

What a seed finds depends on who is still to be found only through those it picks: whoever is gone by its turn
and was not picked changes nothing. So seeds are searched ahead by several threads on what is there now, and
in their turn a result stands if everyone it picked is still there, and can be spared where lent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import part, search_kernel
from ratingpriv.partition.greedy._diversity import add_amounts, take_amounts
from ratingpriv.partition.greedy._search import search
from ratingpriv.partition.index._tree import hide, show
from ratingpriv.partition.index.arrays import Fields, Forest, Rows, Sensitive, Sequence, Space, Task


@part
def _there(i: int, forest: Forest, task: Task) -> bool:
    """Whether item i can be picked."""
    t = task.tree[i]
    at = i - forest.first[t]
    return bool(forest.live0[forest.node1[t] + (at >> 6)] >> np.uint64(at & 63) & np.uint64(1))


@part
def _gone(i: int, forest: Forest, sequence: Sequence, task: Task) -> None:
    t = task.tree[i]
    hide(forest, t, i - forest.first[t])
    if sequence.by_radius[t]:
        rank = sequence.place[i]
        bit = np.uint64(1) << np.uint64(rank & 63)
        sequence.live[sequence.chunk_at[t] + (rank >> 9), rank >> 6 & 7] &= ~bit


@part
def _spared(x: Any, j: Any, picked: NDArray[np.int32], task: Task) -> bool:
    """Whether the clique of the j-th item picked (if any) can spare it and those picked before it."""
    label = task.label[picked[x, j]]
    if label < 0:
        return True
    spare = task.spare[label]
    for other in range(1, j):
        if task.label[picked[x, other]] == label:
            spare -= 1
    return bool(spare > 0)


@search_kernel
def ahead(
    seeds: NDArray[np.int64], order: NDArray[np.int64], begin: int, step: int, k: int, most: int,
    rows: Rows, fields: Fields, forest: Forest, sequence: Sequence, sensitive: Sensitive, task: Task,
    space: Space, count: NDArray[np.int32], picked: NDArray[np.int32],
) -> None:  # fmt: skip
    """Search every ``step``-th seed from ``begin`` on, of the ``order`` that they are searched in.

    ``count``: members found, negative where not enough; 0: not searched, or more than ``picked`` has room
    for.
    """
    for turn in range(begin, len(seeds), step):
        x = order[turn]
        count[x] = 0
        if not _there(seeds[x], forest, task):
            continue
        m, enough = search(seeds[x], k, most, rows, fields, forest, sequence, sensitive, task, space)
        if m > picked.shape[1]:
            continue
        for j in range(m):
            picked[x, j] = space.pick[j]
        count[x] = m if enough else -m


@search_kernel
def in_turn(
    seeds: NDArray[np.int64], k: int, most: int, cliques: int, rows: Rows, fields: Fields, forest: Forest,
    sequence: Sequence, sensitive: Sensitive, task: Task, space: Space,
    count: NDArray[np.int32], picked: NDArray[np.int32], tally: NDArray[np.int64],
) -> int:  # fmt: skip
    """Make a clique of each seed that finds one; return how many there are then.

    ``count``, ``picked``: what :func:`ahead` found; no rows: nothing was searched. ``tally``: how many seeds
    were searched, and how many of them again.
    """
    for x in range(len(seeds)):
        if not _there(seeds[x], forest, task):
            continue
        tally[0] += 1
        m: Any = 0
        enough, stands = False, False
        if x < len(count) and count[x] != 0:
            m, enough = abs(np.int64(count[x])), count[x] > 0
            stands = True
            for j in range(1, m):
                if not _there(picked[x, j], forest, task) or not _spared(x, j, picked, task):
                    stands = False
                    break
            if stands:
                for j in range(m):
                    space.pick[j] = picked[x, j]
        if not stands:
            tally[1] += 1
            m, enough = search(seeds[x], k, most, rows, fields, forest, sequence, sensitive, task, space)
        if not enough:
            continue
        for j in range(m):
            i = space.pick[j]
            lender = task.label[i]
            task.label[i] = cliques
            _gone(i, forest, sequence, task)
            if lender >= 0:
                task.spare[lender] -= 1
                task.size[lender] -= 1
                take_amounts(task.record[i], sensitive, task.sums[lender])
            add_amounts(task.record[i], sensitive, task.sums[cliques])
        task.size[cliques] = m
        cliques += 1
    return cliques


@search_kernel
def offer(k: int, lend: bool, forest: Forest, sequence: Sequence, task: Task) -> None:
    """Let be found who is in no clique and, to ``lend``, who is in one of more than ``k``."""
    for i in range(len(task.label)):
        label = task.label[i]
        if label >= 0:
            task.spare[label] = task.size[label] - k if lend else 0
        _gone(i, forest, sequence, task)
        if label < 0 or task.spare[label] > 0:
            t = task.tree[i]
            show(forest, t, i - forest.first[t])
            if sequence.by_radius[t]:
                rank = sequence.place[i]
                bit = np.uint64(1) << np.uint64(rank & 63)
                sequence.live[sequence.chunk_at[t] + (rank >> 9), rank >> 6 & 7] |= bit

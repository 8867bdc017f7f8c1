"""Kernels for one seed after another, and for those who join what they made."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.compiling import part, routine, search_kernel
from ratingpriv.partition.greedy._search import add_amounts, diverse_with, search
from ratingpriv.partition.index._box import matching_items, narrow, pack_box, unlimit
from ratingpriv.partition.index._tree import hide, pack_clique, show, there, widen
from ratingpriv.partition.index.arrays import (
    Candidates,
    Cliques,
    Forest,
    Index,
    Ints,
    Rows,
    Sequence,
    Space,
    Task,
)


@part
def _gone(i: int, forest: Forest, sequence: Sequence, task: Task) -> None:
    t = task.tree[i]
    hide(forest, t, i - forest.first[t])
    if sequence.by_radius[t]:
        rank = sequence.place[i]
        bit = np.uint64(1) << np.uint64(rank & 63)
        sequence.live[sequence.chunk_at[t] + (rank >> 9), rank >> 6 & 7] &= ~bit


@search_kernel
def in_turn(
    seeds: Ints, cliques: int, index: Index, task: Task, space: Space, candidates: Candidates
) -> int:
    """Make a clique of each seed that finds one; return how many there are then."""
    for seed in seeds:
        t = task.tree[seed]
        if not there(index.forest, t, seed - index.forest.first[t]):
            continue
        m, enough = search(seed, index, task, space, candidates)
        if not enough:
            continue
        for j in range(m):
            i = space.pick[j]
            lender = task.label[i]
            task.label[i] = cliques
            _gone(i, index.forest, index.sequence, task)
            if lender >= 0:
                task.spare[lender] -= 1
                task.size[lender] -= 1
                add_amounts(task.record[i], -1, task.sensitive, task.sums[lender])
            add_amounts(task.record[i], 1, task.sensitive, task.sums[cliques])
        task.size[cliques] = m
        cliques += 1
    return cliques


@search_kernel
def offer(lend: bool, forest: Forest, sequence: Sequence, task: Task) -> None:
    """Let be found who is in no clique and, to ``lend``, who is in one of more than k."""
    for i in range(len(task.label)):
        label = task.label[i]
        if label >= 0:
            task.spare[label] = task.size[label] - task.k if lend else 0
        _gone(i, forest, sequence, task)
        if label < 0 or task.spare[label] > 0:
            t = task.tree[i]
            show(forest, t, i - forest.first[t])
            if sequence.by_radius[t]:
                rank = sequence.place[i]
                bit = np.uint64(1) << np.uint64(rank & 63)
                sequence.live[sequence.chunk_at[t] + (rank >> 9), rank >> 6 & 7] |= bit


@routine
def _farthest(record: Any, c: Any, rows: Rows, cliques: Cliques) -> float:
    """Return the largest distance from a record to a member of clique c;
    -1 where one is not proximate.
    """
    start, offset = rows.indptr[record], cliques.at[c]
    most = rows.null * 0
    for entry in range(start, rows.indptr[record + 1]):
        column = offset + (entry - start if rows.aligned else np.int64(rows.indices[entry]))
        if cliques.most[column] < 0:
            continue
        code = rows.codes[entry]
        if cliques.least[column] < rows.low[code] or cliques.most[column] > rows.high[code]:
            return -1.0
        x = rows.numbers[code]
        a, b = (
            abs(x - rows.numbers[cliques.least[column]]),
            abs(x - rows.numbers[cliques.most[column]]),
        )
        most = a if a > most else most
        most = b if b > most else most
    most /= rows.scale
    if cliques.support[c] != rows.support[record] and rows.null > most:
        return rows.null
    return most


@routine
def _nearest_clique(
    record: Any, t: Any, index: Index, cliques: Cliques, task: Task, space: Space
) -> Any:
    """Return the clique a record joins: the least (farthest member, number);
    -1 if there is none.
    """
    rows, fields, sensitive = index.rows, index.fields, task.sensitive
    narrow(record, rows, space)
    pack_box(t, False, fields, space)
    unlimit(record, rows, fields, space)
    best = -1
    best_far = 0.0
    for x in range(matching_items(t, fields, index.forest, space)):
        c = space.found[x]
        far, number = _farthest(record, c, rows, cliques), cliques.number[c]
        nearer = best < 0 or far < best_far or (far == best_far and number < cliques.number[best])
        if (
            far >= 0
            and nearer
            and diverse_with(record, 1, task.size[number], sensitive, task.sums[number])
        ):
            best, best_far = c, far
    return best


@search_kernel
def join(waiting: Ints, index: Index, cliques: Cliques, task: Task, space: Space) -> int:
    """Let the items ``waiting`` join in turn; return how many did.

    ``index.forest`` is of the cliques.

    A node's bounds are not made wider when a clique's range is: a range that grows asks for less.
    """
    rows, forest = index.rows, index.forest
    joined = 0
    for i in waiting:
        if task.label[i] >= 0:
            continue
        t, record = task.tree[i], task.record[i]
        c = _nearest_clique(record, t, index, cliques, task, space)
        if c < 0:
            continue
        number = cliques.number[c]
        task.label[i] = number
        task.size[number] += 1
        add_amounts(record, 1, task.sensitive, task.sums[number])
        if rows.support[record] != cliques.support[c]:
            cliques.support[c] = -1
        widen(record, cliques.at[c], rows, cliques)
        pack_clique(c, c - forest.first[t], t, forest, index.fields, cliques)
        joined += 1
    return joined

"""Kernels that let records join cliques all of whose members are proximate with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import routine, search_kernel
from ratingpriv.partition.greedy._diversity import add_amounts, diverse_with
from ratingpriv.partition.index._cliques import pack_clique, widen
from ratingpriv.partition.index._tree import lowest_bit, matching
from ratingpriv.partition.index.arrays import Cliques, Fields, Forest, Rows, Sensitive, Space, Task


@routine
def _pack_question(record: Any, t: Any, rows: Rows, fields: Fields, space: Space) -> None:
    """Pack what is within reach of a record; anything where it rates nothing."""
    each, first, packed = 64 // fields.bits, fields.at[t], fields.packed[t]
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        column = entry - start if rows.aligned else np.int64(rows.indices[entry])
        space.lowest[column] = rows.low[rows.codes[entry]]
        space.highest[column] = rows.high[rows.codes[entry]]
    for w in range(max(1, (packed + each - 1) // each)):
        low, high = np.uint64(0), np.uint64(0)
        shift = np.uint64(64)
        for r in range(w * each, min((w + 1) * each, packed)):
            shift -= np.uint64(fields.bits)
            column = fields.place[first + r]
            low |= np.uint64(space.lowest[column]) << shift
            high |= np.uint64(space.highest[column]) << shift
        space.low[w], space.high[w] = low, high
    for entry in range(start, rows.indptr[record + 1]):
        column = entry - start if rows.aligned else np.int64(rows.indices[entry])
        space.lowest[column] = 0
        space.highest[column] = fields.top


@routine
def _farthest(record: Any, c: Any, rows: Rows, cliques: Cliques) -> float:
    """Return the largest distance from a record to a member of clique c; -1 where one is not proximate."""
    start, at = rows.indptr[record], cliques.at[c]
    most = rows.null * 0
    for entry in range(start, rows.indptr[record + 1]):
        column = at + (entry - start if rows.aligned else np.int64(rows.indices[entry]))
        if cliques.most[column] < 0:
            continue
        code = rows.codes[entry]
        if cliques.least[column] < rows.low[code] or cliques.most[column] > rows.high[code]:
            return -1.0
        x = rows.numbers[code]
        a, b = abs(x - rows.numbers[cliques.least[column]]), abs(x - rows.numbers[cliques.most[column]])
        most = a if a > most else most
        most = b if b > most else most
    most /= rows.scale
    if cliques.support[c] != rows.support[record] and rows.null > most:
        return rows.null
    return most


@routine
def _nearest_clique(
    record: Any, t: Any, rows: Rows, fields: Fields, forest: Forest, cliques: Cliques, sensitive: Sensitive,
    task: Task, space: Space,
) -> Any:  # fmt: skip
    """Return the clique a record joins: the least (farthest member, number); -1 if there is none."""
    unit, guard, words = np.uint64(1), fields.guard[0], forest.words[t]
    first, size, size1, size2 = forest.first[t], forest.size0[t], forest.size1[t], forest.size2[t]
    _pack_question(record, t, rows, fields, space)
    best = -1
    best_far = 0.0
    for top in range(0, size2, 64):
        supers = matching(
            forest.upper2, forest.lower2, forest.at2[t] + top, size2, min(64, size2 - top), words,
            space.low, space.high, guard,
        )  # fmt: skip
        while supers:
            s = top + lowest_bit(supers)
            supers &= supers - unit
            blocks = matching(
                forest.upper1, forest.lower1, forest.at1[t] + 64 * s, size1, min(64, size1 - 64 * s), words,
                space.low, space.high, guard,
            )  # fmt: skip
            while blocks:
                b = 64 * s + lowest_bit(blocks)
                blocks &= blocks - unit
                items = matching(
                    forest.upper0, forest.lower0, forest.at0[t] + 64 * b, size, min(64, size - 64 * b), words,
                    space.low, space.high, guard,
                )  # fmt: skip
                while items:
                    c = first + 64 * b + lowest_bit(items)
                    items &= items - unit
                    far = _farthest(record, c, rows, cliques)
                    if far < 0 or (
                        best >= 0
                        and (far > best_far or (far == best_far and cliques.number[c] > cliques.number[best]))
                    ):
                        continue
                    number = cliques.number[c]
                    if diverse_with(record, task.size[number], sensitive, task.sums[number]):
                        best, best_far = c, far
    return best


@search_kernel
def join(
    waiting: NDArray[np.int64], rows: Rows, fields: Fields, forest: Forest, cliques: Cliques,
    sensitive: Sensitive, task: Task, space: Space,
) -> int:  # fmt: skip
    """Let the items ``waiting`` join in turn; return how many did.

    A node's bounds are not made wider when a clique's range is: a range that grows asks for less.
    """
    joined = 0
    for i in waiting:
        if task.label[i] >= 0:
            continue
        t, record = task.tree[i], task.record[i]
        c = _nearest_clique(record, t, rows, fields, forest, cliques, sensitive, task, space)
        if c < 0:
            continue
        number = cliques.number[c]
        task.label[i] = number
        task.size[number] += 1
        add_amounts(record, sensitive, task.sums[number])
        if rows.support[record] != cliques.support[c]:
            cliques.support[c] = -1
        widen(record, cliques.at[c], rows, cliques)
        pack_clique(c, c - forest.first[t], t, forest, fields, cliques)
        joined += 1
    return joined

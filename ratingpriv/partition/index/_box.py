"""Kernels on a box of codes, the working memory of a thread: what narrows it,
and which items lie in it.

A set is a clique iff every member lies in the box of codes that are within reach of all others,
issue by issue (L∞ balls have the Helly property) [SWLP10, §4.3].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import kernel, part, routine
from ratingpriv.partition.index._tree import hide, lowest_bit, matching
from ratingpriv.partition.index.arrays import Fields, Forest, Index, Ints, Rows, Space


@part
def narrow(record: Any, rows: Rows, space: Space) -> bool:
    """Cut the box down to what is within reach of a record, too; return whether it got smaller."""
    smaller = False
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        column = entry - start if rows.aligned else np.int64(rows.indices[entry])
        code = rows.codes[entry]
        low, high = rows.low[code], rows.high[code]
        lowest, highest = space.lowest[column], space.highest[column]
        smaller |= (low > lowest) | (high < highest)
        space.lowest[column] = max(low, lowest)
        space.highest[column] = min(high, highest)
    return smaller


@part
def unlimit(record: Any, rows: Rows, fields: Fields, space: Space) -> None:
    """Make the box unlimited wherever a record narrowed it."""
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        slot = entry - start if rows.aligned else np.int64(rows.indices[entry])
        space.lowest[slot] = 0
        space.highest[slot] = fields.top


@routine
def pack_box(t: Any, near: bool, fields: Fields, space: Space) -> None:
    """Pack the box, cut to the seed's radius if ``near``."""
    each, first = 64 // fields.bits, fields.at[t]
    packed = fields.packed[t]
    r, w = 0, 0
    while r < packed or w == 0:
        low, high = np.uint64(0), np.uint64(0)
        shift = np.uint64(64)
        stop = min(r + each, packed)
        while r < stop:
            column = fields.place[first + r]
            shift -= np.uint64(fields.bits)
            a, b = space.lowest[column], space.highest[column]
            if near:
                a = max(a, space.near[0, column])
                b = min(b, space.near[1, column])
            low |= np.uint64(a) << shift
            high |= np.uint64(b) << shift
            r += 1
        space.low[w], space.high[w] = low, high
        w += 1


@part
def fields_fit(i: Any, t: Any, guard: Any, forest: Forest, space: Space) -> bool:
    """Whether the fields of item i, a point or not, lie in the packed box."""
    stride = forest.size0[t]
    slot = forest.at0[t] + i - forest.first[t]
    lower = forest.lower0 if len(forest.lower0) else forest.upper0
    for w in range(forest.words[t]):
        x, y = forest.upper0[slot + w * stride], lower[slot + w * stride]
        if ((x | guard) - space.low[w]) & ((space.high[w] | guard) - y) & guard != guard:
            return False
    return True


@routine
def fits(i: Any, t: Any, near: bool, index: Index, space: Space) -> bool:
    """Whether item i lies in the box, as packed, ``near`` the seed or not.

    By its fields, then by the ratings that have none.
    """
    rows, fields, record = index.rows, index.fields, index.record
    if not fields_fit(i, t, fields.guard[0], index.forest, space):
        return False
    if fields.width[t] == fields.packed[t]:
        return True
    start = rows.indptr[record[i]]
    for entry in range(start, rows.indptr[record[i] + 1]):
        place = entry - start if rows.aligned else np.int64(rows.indices[entry])
        code = rows.codes[entry]
        if code < space.lowest[place] or code > space.highest[place]:
            return False
        if near and (code < space.near[0, place] or code > space.near[1, place]):
            return False
    return True


@routine
def keep_fitting(begin: Any, end: Any, t: Any, near: bool, index: Index, space: Space) -> Any:
    """Keep those found from ``begin`` to ``end`` that :func:`fits`; return how many.

    By 64: a loop without stores, in which reads of items that lie far apart overlap.
    """
    fields, forest, guard, unit = index.fields, index.forest, index.fields.guard[0], np.uint64(1)
    lower = forest.lower0 if len(forest.lower0) else forest.upper0
    whole = fields.width[t] == fields.packed[t]
    kept: Any = 0
    for start in range(begin, end, 64):
        matches: Any = ~np.uint64(0)
        for w in range(forest.words[t]):
            slot = forest.at0[t] + w * forest.size0[t] - forest.first[t]
            low, high = space.low[w], space.high[w] | guard
            inside: Any = np.uint64(0)
            for x in range(start, min(start + 64, end)):
                i = slot + space.found[x]
                both = ((forest.upper0[i] | guard) - low) & (high - lower[i]) & guard
                inside |= np.uint64(both == guard) << np.uint64(x - start)
            matches &= inside
            if matches == np.uint64(0):
                break
        while matches:
            x = start + lowest_bit(matches)
            matches &= matches - unit
            space.found[kept], space.far[kept] = space.found[x], space.far[x]
            kept += np.int64(whole or fits(space.found[x], t, near, index, space))
    return kept


@part
def distance(a: Any, b: Any, rows: Rows) -> float:
    """Measure two records: the largest Dis over all issues [SWLZ11, Eq. 1]."""
    x, x_end, y, y_end = rows.indptr[a], rows.indptr[a + 1], rows.indptr[b], rows.indptr[b + 1]
    most = rows.null * 0
    while x < x_end and y < y_end:
        if not rows.aligned:
            if rows.indices[x] < rows.indices[y]:
                x += 1
                continue
            if rows.indices[x] > rows.indices[y]:
                y += 1
                continue
        far = abs(rows.numbers[rows.codes[x]] - rows.numbers[rows.codes[y]])
        most = far if far > most else most
        x += 1
        y += 1
    most /= rows.scale
    if rows.support[a] != rows.support[b] and rows.null > most:
        return rows.null
    return most


@routine
def matching_items(t: Any, fields: Fields, forest: Forest, space: Space) -> Any:
    """List in ``space.found`` the items of tree t that are to be found
    and match the box as it is packed.
    """
    unit, guard, words = np.uint64(1), fields.guard[0], forest.words[t]
    lower0 = forest.lower0 if len(forest.lower0) else forest.upper0
    first, size, size1, size2 = forest.first[t], forest.size0[t], forest.size1[t], forest.size2[t]
    n = 0
    for top in range(0, size2, 64):
        slot, count = forest.at2[t] + top, min(64, size2 - top)
        supers = matching(forest.upper2, forest.lower2, slot, size2, count, words, guard, space)
        while supers:
            s = top + lowest_bit(supers)
            supers &= supers - unit
            live1 = forest.live1[forest.node2[t] + s]
            if live1 == np.uint64(0):
                continue
            slot, count = forest.at1[t] + 64 * s, min(64, size1 - 64 * s)
            blocks = live1 & matching(
                forest.upper1, forest.lower1, slot, size1, count, words, guard, space
            )
            while blocks:
                b = 64 * s + lowest_bit(blocks)
                blocks &= blocks - unit
                slot, count = forest.at0[t] + 64 * b, min(64, size - 64 * b)
                items = matching(forest.upper0, lower0, slot, size, count, words, guard, space)
                items &= forest.live0[forest.node1[t] + b]
                while items:
                    space.found[n] = first + 64 * b + lowest_bit(items)
                    items &= items - unit
                    n += 1
    return n


@routine
def gather(t: Any, seed: Any, sign: Any, index: Index, space: Space) -> Any:
    """List the items of tree t that lie in the box and are not taken; return how many there are.

    With a ``sign``, their distances to item ``seed``, times it, are ``space.far``.
    """
    fields, record = index.fields, index.record
    verify = fields.width[t] != fields.packed[t]
    n = 0
    for x in range(matching_items(t, fields, index.forest, space)):
        i = space.found[x]
        if not space.taken[i] and (not verify or fits(i, t, False, index, space)):
            space.found[n] = i
            space.far[n] = (
                sign * distance(record[seed], record[i], index.rows) if sign != 0 else 0.0
            )
            n += 1
    return n


@kernel
def hide_all(items: Ints, tree: Ints, forest: Forest) -> None:
    """Let items be found no more."""
    for i in items:
        hide(forest, tree[i], i - forest.first[tree[i]])


@kernel
def proximate_with_all(items: Ints, index: Index, space: Space) -> int:
    """List in ``space.found`` what is to be found and proximate with all of some items.

    Return how many.
    """
    for i in items:
        narrow(index.record[i], index.rows, space)
    t = index.tree[items[0]]
    pack_box(t, False, index.fields, space)
    n = gather(t, items[0], 0, index, space)
    for i in items:
        unlimit(index.record[i], index.rows, index.fields, space)
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
def reach(queue: Ints, labels: Ints, state: Ints, steps: int, index: Index, space: Space) -> bool:
    """Go on labelling connected components until done (True), or for some steps.

    Whoever is reached is to be found no more, so that nobody is reached twice. ``labels`` are -1
    where not reached yet; ``state``, int64 (4,): the next item to begin at, the queue's first and
    end, the next label.
    """
    tree, forest = index.tree, index.forest
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
        narrow(index.record[i], index.rows, space)
        pack_box(t, False, index.fields, space)
        n = gather(t, i, 0, index, space)
        unlimit(index.record[i], index.rows, index.fields, space)
        for x in range(n):
            reached = space.found[x]
            labels[reached] = labels[i]
            hide(forest, t, reached - forest.first[t])
            queue[state[2]] = reached
            state[2] += 1
    return False

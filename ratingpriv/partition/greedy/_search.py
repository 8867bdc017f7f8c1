"""Kernels that grow one clique around a seed: the nearest first, each if it is proximate with all so far.

A set is a clique iff every member lies in the box of codes that are within reach of all others, issue by
issue (L∞ balls have the Helly property) [SWLP10, §4.3]. The box only shrinks as members are picked, so a
record that was left out once never fits again: after each pick, what is still to be looked at is what lies
in the box.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.compute.compiling import part, routine
from ratingpriv.partition.greedy._diversity import (
    add_amounts,
    clear_amounts,
    diverse,
    diverse_without,
    helps,
)
from ratingpriv.partition.greedy._found import before, sort, swap
from ratingpriv.partition.index._tree import lowest_bit, matching
from ratingpriv.partition.index.arrays import Fields, Forest, Rows, Sensitive, Sequence, Space, Task

__all__ = ["search"]

_SCAN = 128  # blocks of 64 items that are looked through in order of position before the tree is asked


@routine
def _pick(i: Any, m: Any, t: Any, rows: Rows, task: Task, sensitive: Sensitive, space: Space) -> None:
    """Make item i the m-th member: the box shrinks to what is within reach of it, too."""
    record = task.record[i]
    space.pick[m] = i
    space.taken[i] = 1
    label = task.label[i]
    space.lent[m] = label
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        place = entry - start if rows.aligned else np.int64(rows.indices[entry])
        code = rows.codes[entry]
        if rows.low[code] > space.lowest[place]:
            space.lowest[place] = rows.low[code]
        if rows.high[code] < space.highest[place]:
            space.highest[place] = rows.high[code]
    add_amounts(record, sensitive, space.sums)


@routine
def _repack(t: Any, near: bool, fields: Fields, space: Space) -> None:
    """Pack the box, cut to what is ``near`` the seed if asked for."""
    each, at = 64 // fields.bits, fields.at[t]
    packed = fields.packed[t]
    r, w = 0, 0
    while r < packed or w == 0:
        low, high = np.uint64(0), np.uint64(0)
        shift = np.uint64(64)
        stop = min(r + each, packed)
        while r < stop:
            place = fields.place[at + r]
            shift -= np.uint64(fields.bits)
            a, b = space.lowest[place], space.highest[place]
            if near:
                a = max(a, space.near[0, place])
                b = min(b, space.near[1, place])
            low |= np.uint64(a) << shift
            high |= np.uint64(b) << shift
            r += 1
        space.low[w], space.high[w] = low, high
        w += 1


@routine
def _restore(m: Any, rows: Rows, fields: Fields, task: Task, sensitive: Sensitive, space: Space) -> None:
    """Leave the working memory as it was."""
    for j in range(m):
        i = space.pick[j]
        space.taken[i] = 0
        record = task.record[i]
        start = rows.indptr[record]
        for entry in range(start, rows.indptr[record + 1]):
            place = entry - start if rows.aligned else np.int64(rows.indices[entry])
            space.lowest[place] = 0
            space.highest[place] = fields.top
    clear_amounts(sensitive, space.sums)


@routine
def _fits(i: Any, t: Any, rows: Rows, fields: Fields, forest: Forest, task: Task, space: Space) -> bool:
    """Whether item i lies in the box: by its fields, then by the ratings that have none."""
    stride = forest.size0[t]
    at = forest.at0[t] + i - forest.first[t]
    lower = forest.lower0 if len(forest.lower0) else forest.upper0
    guard = fields.guard[0]
    for w in range(forest.words[t]):
        x, y = forest.upper0[at + w * stride], lower[at + w * stride]
        if ((x | guard) - space.low[w]) & ((space.high[w] | guard) - y) & guard != guard:
            return False
    if fields.width[t] == fields.packed[t]:
        return True
    record = task.record[i]
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        place = entry - start if rows.aligned else np.int64(rows.indices[entry])
        code = rows.codes[entry]
        if code < space.lowest[place] or code > space.highest[place]:
            return False
    return True


@part
def _can_be_lent(i: Any, m: Any, task: Task, sensitive: Sensitive, space: Space) -> bool:
    """Whether the clique that item i is in (if any) can do without it and what is picked from it already.

    Where an SD is asked for, a clique lends one record at a time, and only if its SD stays large enough.
    """
    label = task.label[i]
    if label < 0:
        return True
    spare = task.spare[label]
    for j in range(m):
        if space.lent[j] == label:
            spare -= 1 if len(sensitive.needed) == 0 else spare
    if spare <= 0:
        return False
    return diverse_without(task.record[i], task.size[label], sensitive, task.sums[label])


@part
def _distance(a: Any, b: Any, rows: Rows) -> float:
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
def _gather(
    t: Any, seed: Any, from_rank: Any, measure: bool, rows: Rows, fields: Fields, forest: Forest,
    sequence: Sequence, task: Task, space: Space,
) -> Any:  # fmt: skip
    """List the items of tree t that lie in the box, from a rank on; return how many there are."""
    one, guard, words = np.uint64(1), fields.guard[0], forest.words[t]
    lower0 = forest.lower0 if len(forest.lower0) else forest.upper0
    first, size, size1, size2 = forest.first[t], forest.size0[t], forest.size1[t], forest.size2[t]
    verify = fields.width[t] != fields.packed[t]
    n = 0
    for top in range(0, size2, 64):
        supers = matching(
            forest.upper2, forest.lower2, forest.at2[t] + top, size2, min(64, size2 - top), words,
            space.low, space.high, guard,
        )  # fmt: skip
        while supers:
            s = top + lowest_bit(supers)
            supers &= supers - one
            live1 = forest.live1[forest.node2[t] + s]
            if live1 == np.uint64(0):
                continue
            blocks = live1 & matching(
                forest.upper1, forest.lower1, forest.at1[t] + 64 * s, size1, min(64, size1 - 64 * s), words,
                space.low, space.high, guard,
            )  # fmt: skip
            while blocks:
                b = 64 * s + lowest_bit(blocks)
                blocks &= blocks - one
                items = forest.live0[forest.node1[t] + b] & matching(
                    forest.upper0, lower0, forest.at0[t] + 64 * b, size, min(64, size - 64 * b), words,
                    space.low, space.high, guard,
                )  # fmt: skip
                while items:
                    i = first + 64 * b + lowest_bit(items)
                    items &= items - one
                    if space.taken[i] or sequence.place[i] < from_rank:
                        continue
                    if verify and not _fits(i, t, rows, fields, forest, task, space):
                        continue
                    space.found[n] = i
                    space.far[n] = _distance(task.record[seed], task.record[i], rows) if measure else 0.0
                    n += 1
    return n


@part
def _enough(m: Any, k: Any, sensitive: Sensitive, space: Space) -> bool:
    return bool(m >= k and diverse(m, sensitive, space.sums))


@part
def _wanted(i: Any, m: Any, k: Any, task: Task, sensitive: Sensitive, space: Space) -> bool:
    """Whether item i, which lies in the box, is to be picked; beyond k only what brings the SD up is."""
    if not _can_be_lent(i, m, task, sensitive, space):
        return False
    return m < k or helps(task.record[i], m, sensitive, space.sums)


@routine
def _take_found(
    n: Any, m: Any, k: Any, t: Any, last: bool, near: bool, rows: Rows, fields: Fields, forest: Forest,
    sequence: Sequence, sensitive: Sensitive, task: Task, space: Space,
) -> Any:  # fmt: skip
    """Pick from what was found, in order, as long as more is needed; return the number of members."""
    ordered = False
    at = 0
    while at < n and not _enough(m, k, sensitive, space):
        if last and m + n - at < k:
            return m  # not enough are left
        if not ordered:
            best = at
            for x in range(at + 1, n):
                if before(x, best, sequence, space):
                    best = x
            swap(at, best, space)
        i = space.found[at]
        at += 1
        if ordered and not _fits(i, t, rows, fields, forest, task, space):
            continue
        if not _wanted(i, m, k, task, sensitive, space):
            continue
        _pick(i, m, t, rows, task, sensitive, space)
        m += 1
        _repack(t, near, fields, space)
        if not ordered:
            kept = 0
            for x in range(at, n):
                if _fits(space.found[x], t, rows, fields, forest, task, space):
                    space.found[kept], space.far[kept] = space.found[x], space.far[x]
                    kept += 1
            if kept > 16 and 2 * kept > n - at:
                sort(kept, sequence, space)
                ordered = True
            at, n = 0, kept
    return m


@routine
def _scan(
    m: Any, k: Any, t: Any, rows: Rows, fields: Fields, forest: Forest, sequence: Sequence,
    sensitive: Sensitive, task: Task, space: Space,
) -> tuple[Any, Any]:  # fmt: skip
    """Pick in order of position while the next one is near by; return members, and the rank to go on from.

    The rank is -1 where nothing is left.
    """
    first, size, blocks = forest.first[t], forest.size0[t], forest.size1[t]
    rank, looked = 0, 0
    block = 0
    while block < blocks:
        items = sequence.live[forest.node1[t] + block] & (~np.uint64(0) << np.uint64(rank & 63))
        if items:
            if looked == _SCAN:
                return m, rank
            looked += 1
            items &= matching(
                sequence.upper, sequence.lower, forest.at0[t] + 64 * block, size, min(64, size - 64 * block),
                forest.words[t], space.low, space.high, fields.guard[0],
            )  # fmt: skip
        if items == np.uint64(0):
            block += 1
            rank = 64 * block
            continue
        rank = 64 * block + lowest_bit(items)
        i = sequence.item[first + rank]
        rank += 1
        if not space.taken[i] and _wanted(i, m, k, task, sensitive, space):
            _pick(i, m, t, rows, task, sensitive, space)
            m += 1
            if _enough(m, k, sensitive, space):
                return m, rank
            _repack(t, True, fields, space)
            looked = 0
        if rank & 63 == 0:
            block += 1
    return m, -1


@routine
def search(
    seed: Any, k: Any, rows: Rows, fields: Fields, forest: Forest, sequence: Sequence, sensitive: Sensitive,
    task: Task, space: Space,
) -> tuple[Any, bool]:  # fmt: skip
    """Grow a clique around ``seed``; its items are ``space.pick[:m]``. Return m, and whether it is enough."""
    t = task.tree[seed]
    _pick(seed, 0, t, rows, task, sensitive, space)
    m = 1
    # by radius, in order of position within each: quick where distances are few; else all, and sorted
    radii = len(sequence.radius) if sequence.by_radius[t] else 0
    record = task.record[seed]
    for c in range(max(radii, 1)):
        if _enough(m, k, sensitive, space):
            break
        rank = 0
        if radii > 1 and c == 0 and not sequence.twins[seed]:
            continue  # the first radius is 0
        if radii:
            start = rows.indptr[record]
            for entry in range(start, rows.indptr[record + 1]):
                place = entry - start if rows.aligned else np.int64(rows.indices[entry])
                space.near[0, place] = sequence.radius[c, 0, rows.codes[entry]]
                space.near[1, place] = sequence.radius[c, 1, rows.codes[entry]]
            _repack(t, True, fields, space)
            m, rank = _scan(m, k, t, rows, fields, forest, sequence, sensitive, task, space)
        else:
            _repack(t, False, fields, space)
        if rank >= 0 and not _enough(m, k, sensitive, space):
            n = _gather(t, seed, rank, radii == 0, rows, fields, forest, sequence, task, space)
            m = _take_found(
                n, m, k, t, c >= radii - 1, radii > 0, rows, fields, forest, sequence, sensitive, task, space
            )
    enough = _enough(m, k, sensitive, space)
    _restore(m, rows, fields, task, sensitive, space)
    return m, enough

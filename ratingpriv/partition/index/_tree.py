"""Kernels on trees of packed items: what lies within a box, who is to be found.

The test is one for points in a box, boxes around points, and nodes that may hold either: in every
field ``upper >= low and lower <= high``. With a guard bit g above each field, ``(upper | g) - low``
keeps the guard iff ``upper >= low``, and no field borrows from the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import kernel, part, routine
from ratingpriv.partition.index.arrays import (
    Cliques,
    Fields,
    Forest,
    Index,
    Ints,
    Rows,
    Sequence,
    Space,
    Words,
)


@part
def lowest_bit(bits: Any) -> Any:
    """Return the place of the lowest set bit of a word that has one."""
    return np.int64(popcount((bits & (~bits + np.uint64(1))) - np.uint64(1)))


@part
def matching(
    upper: Words,
    lower: Words,
    first: Any,
    stride: Any,
    count: Any,
    words: Any,
    guard: Any,
    space: Space,
) -> Any:
    """Return the bits of the ``count`` (at most 64) items from ``first``
    on that match the packed box.
    """
    low, high = space.low, space.high
    unit = np.uint64(1)
    matches: Any = np.uint64(0)
    l, h, a = low[0], high[0] | guard, np.uint64(first)  # noqa: E741
    i: Any
    for i in range(np.uint64(count)):
        inside = ((upper[a + i] | guard) - l) & (h - lower[a + i]) & guard
        matches |= np.uint64(inside == guard) << i
    for w in range(1, words):
        if matches == np.uint64(0):
            break
        a += np.uint64(stride)
        l, h = low[w], high[w] | guard  # noqa: E741
        rest = matches
        while rest:
            bit = rest & (~rest + unit)
            i = np.uint64(popcount(bit - unit))
            inside = ((upper[a + i] | guard) - l) & (h - lower[a + i]) & guard
            if inside != guard:
                matches ^= bit
            rest ^= bit
    return matches


@kernel
def pack(rows: Rows, fields: Fields, forest: Forest, record: Ints, sizes: Ints) -> None:
    """Pack the ratings of the records of trees with ``sizes`` above 0, their numbers of items.

    What is not rated is 0 below and ``top`` above; where items are points, every place is rated.
    """
    each = 64 // fields.bits
    points = len(forest.lower0) == 0
    for t in range(len(forest.first)):
        first, size, base, packed = forest.first[t], sizes[t], forest.at0[t], fields.packed[t]
        for i in range(size):
            if not points:
                for r in range(packed):
                    shift = np.uint64(64 - fields.bits * (r % each + 1))
                    forest.upper0[base + r // each * size + i] |= np.uint64(fields.top) << shift
            start = rows.indptr[record[first + i]]
            for entry in range(start, rows.indptr[record[first + i] + 1]):
                column = entry - start if rows.aligned else np.int64(rows.indices[entry])
                at_rank = np.int64(fields.rank[fields.at[t] + column])
                if at_rank < packed:
                    shift = np.uint64(64 - fields.bits * (at_rank % each + 1))
                    word, code = base + at_rank // each * size + i, np.uint64(rows.codes[entry])
                    if points:
                        forest.upper0[word] |= code << shift
                    else:
                        forest.upper0[word] &= ~(np.uint64(fields.top) << shift)
                        forest.upper0[word] |= code << shift
                        forest.lower0[word] |= code << shift


@kernel
def count_codes(rows: Rows, members: Ints, counts: Ints) -> None:
    """Add to ``counts`` how often each code is at each place of some records:
    of place * levels + code.
    """
    levels = len(rows.low)
    for record in members:
        start = rows.indptr[record]
        for entry in range(start, rows.indptr[record + 1]):
            slot = entry - start if rows.aligned else np.int64(rows.indices[entry])
            counts[slot * levels + rows.codes[entry]] += 1


@part
def _fill(
    i: Any, stop: Any, members: Ints, rows: Rows, ranks: Any, base: Any, planes: Words
) -> None:
    """Fill what items i..stop - 1, all of one word, set of their 512 items' planes,
    ``base`` a row on.
    """
    steps, word = len(rows.low) - 1, i >> 6 & 7
    for column in range(len(ranks)):
        row = base + ranks[column] * steps
        for j in range(i, stop):
            code = np.int64(rows.codes[rows.indptr[members[j]] + column])
            if code > 0:
                planes[row + code - 1, word] |= np.uint64(1) << np.uint64(j & 63)
        for step in range(steps - 1):  # who is above a step is above those below it
            planes[row + steps - 2 - step, word] |= planes[row + steps - 1 - step, word]


@kernel
def fill_planes(
    rows: Rows, fields: Fields, record: Ints, first: Ints, sizes: Ints, sequence: Sequence
) -> None:
    """Fill the planes of the trees with ``sizes`` above 0 (see :class:`Sequence`),
    whose rows are aligned.
    """
    for t in range(len(sizes)):
        each, chunk = fields.width[t] * (len(rows.low) - 1), sequence.chunk_at[t]
        members, ranks = (
            record[first[t] :],
            fields.rank[fields.at[t] : fields.at[t] + fields.width[t]],
        )
        for i in range(0, sizes[t], 64):
            stop = min(i + 64, sizes[t])
            sequence.live[chunk + (i >> 9), i >> 6 & 7] = ~np.uint64(0) >> np.uint64(
                64 - (stop - i)
            )
            _fill(
                i,
                stop,
                members,
                rows,
                ranks,
                sequence.plane_at[t] + (i >> 9) * each,
                sequence.planes,
            )


@routine
def _bound(
    upper: Words,
    lower: Words,
    first: Any,
    count: Any,
    up: Words,
    down: Words,
    to: Any,
    fields: Fields,
) -> None:
    """Write the largest ``upper`` and the least ``lower`` of some items, field by field."""
    field = (np.uint64(1) << np.uint64(fields.bits)) - np.uint64(1)
    if fields.bits == 64:
        field = ~np.uint64(0)
    most, least = np.uint64(0), np.uint64(0)
    for f in range(64 // fields.bits):
        shift = np.uint64(64 - fields.bits * (f + 1))
        x, y = np.uint64(0), field
        for i in range(first, first + count):
            a, b = (upper[i] >> shift) & field, (lower[i] >> shift) & field
            x = a if a > x else x
            y = b if b < y else y
        most |= x << shift
        least |= y << shift
    up[to], down[to] = most, least


@kernel
def summarise(forest: Forest, fields: Fields, sizes: Ints) -> None:
    """Fill levels 1 and 2 from level 0, of trees with ``sizes`` above 0, their numbers of items."""
    lower0 = forest.lower0 if len(forest.lower0) else forest.upper0
    for t in range(len(forest.first)):
        size, size1, size2 = sizes[t], forest.size1[t], forest.size2[t]
        for w in range(forest.words[t] if size > 0 else 0):
            at0, at1 = forest.at0[t] + w * size, forest.at1[t] + w * size1
            at2 = forest.at2[t] + w * size2
            for b in range(size1):
                first, count = at0 + 64 * b, min(64, size - 64 * b)
                _bound(
                    forest.upper0,
                    lower0,
                    first,
                    count,
                    forest.upper1,
                    forest.lower1,
                    at1 + b,
                    fields,
                )
            for b in range(size2):
                first, count = at1 + 64 * b, min(64, size1 - 64 * b)
                up, down = forest.upper2, forest.lower2
                _bound(forest.upper1, forest.lower1, first, count, up, down, at2 + b, fields)


@part
def hide(forest: Forest, t: Any, i: Any) -> None:
    """Let item i of tree t be found no more."""
    bit = np.uint64(1)
    block = i >> 6
    forest.live0[forest.node1[t] + block] &= ~(bit << np.uint64(i & 63))
    if forest.live0[forest.node1[t] + block] == np.uint64(0):
        forest.live1[forest.node2[t] + (block >> 6)] &= ~(bit << np.uint64(block & 63))


@part
def show(forest: Forest, t: Any, i: Any) -> None:
    """Let item i of tree t be found."""
    bit = np.uint64(1)
    block = i >> 6
    forest.live0[forest.node1[t] + block] |= bit << np.uint64(i & 63)
    forest.live1[forest.node2[t] + (block >> 6)] |= bit << np.uint64(block & 63)


@part
def there(forest: Forest, t: Any, i: Any) -> bool:
    """Whether item i of tree t is to be found."""
    word = forest.live0[forest.node1[t] + (i >> 6)]
    return bool(word >> np.uint64(i & 63) & np.uint64(1))


@routine
def widen(record: Any, base: Any, rows: Rows, cliques: Cliques) -> None:
    """Let the ranges at ``base`` hold a record's ratings."""
    start = rows.indptr[record]
    for entry in range(start, rows.indptr[record + 1]):
        column = base + (entry - start if rows.aligned else np.int64(rows.indices[entry]))
        code = np.int32(rows.codes[entry])
        if code < cliques.least[column]:
            cliques.least[column] = code
        if code > cliques.most[column]:
            cliques.most[column] = code


@kernel
def box_of_cliques(members: Ints, begin: Ints, size: Ints, index: Index, cliques: Cliques) -> None:
    """Find the ranges of cliques: the c-th has ``size[c]`` items from ``members[begin[c]]`` on."""
    rows = index.rows
    for c in range(len(cliques.number)):
        cliques.support[c] = rows.support[index.record[members[begin[c]]]]
        for j in range(begin[c], begin[c] + size[c]):
            record = index.record[members[j]]
            widen(record, cliques.at[c], rows, cliques)
            if rows.support[record] != cliques.support[c]:
                cliques.support[c] = -1


@routine
def pack_clique(c: Any, i: Any, t: Any, forest: Forest, fields: Fields, cliques: Cliques) -> None:
    """Pack the ranges of item c, the i-th of tree t."""
    each = 64 // fields.bits
    base, stride = forest.at0[t], forest.size0[t]
    for w in range(forest.words[t]):
        low, high = np.uint64(0), np.uint64(0)
        shift = np.uint64(64)
        for r in range(w * each, min((w + 1) * each, fields.packed[t])):
            shift -= np.uint64(fields.bits)
            slot = cliques.at[c] + fields.place[fields.at[t] + r]
            if cliques.most[slot] < 0:
                low |= np.uint64(fields.top) << shift
            else:
                low |= np.uint64(cliques.least[slot]) << shift
                high |= np.uint64(cliques.most[slot]) << shift
        forest.upper0[base + w * stride + i], forest.lower0[base + w * stride + i] = low, high


@kernel
def pack_cliques(fields: Fields, forest: Forest, cliques: Cliques) -> None:
    """Fill level 0 of a forest of cliques."""
    for t in range(len(forest.first)):
        for i in range(forest.size0[t]):
            pack_clique(forest.first[t] + i, i, t, forest, fields, cliques)

"""Compiled: the triangles at a record, 512 of its neighbours at a time; arrays in, arrays out.

Bit i of a row stands for the i-th neighbour of a block. ``near[place * levels + code]`` is who of
them is proximate with ``code`` at a place of the row, so who is proximate with a record altogether
is the AND over its entries:

    T(u) + d(u) = ½ · Σ over v in N(u) of (|N(v) & N(u)| - 1),  u itself being in N(u)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import and_rows
from ratingpriv.base.compute.compiling import part, search_kernel

WORDS = 8
BLOCK = 64 * WORDS


class Neighbours(NamedTuple):
    """Who is proximate with each query q: ``found[begin[q]:end[q]]``, itself among them."""

    queries: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    found: NDArray[np.int32]


class Ratings(NamedTuple):
    """The ratings by record, and which codes are proximate."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: Any
    aligned: bool  # whether the neighbours of a record rate what it rates
    issues: int  # places of a row that is not aligned
    low: NDArray[np.int64]  # (levels,) codes low..
    high: NDArray[np.int64]  # (levels,) ..high are proximate to each


class Space(NamedTuple):
    """Working memory."""

    sets: NDArray[np.uint64]  # (rows, 8), of ``width * levels`` rows; fewer: pair by pair
    near: NDArray[np.uint64]  # likewise
    scratch: NDArray[np.uint64]  # (2, 8)


@part
def _fill(members: NDArray[np.int32], width: int, ratings: Ratings, space: Space) -> None:
    """Fill ``near`` for a block of neighbours.

    With codes 0, 1, 2 of which neighbours are within one of each other, three neighbours and one
    place that they rate 0, 2 and not at all (bits 0, 1, 2):

        sets, who rated that      001 000 010      then that, or lower: 001 001 011
        near, low..high is 0..1 0..2 1..2:  001 011 010, and bit 2 in all, a null being near to any
    """
    one, levels, sets, near = np.uint64(1), len(ratings.low), space.sets, space.near
    for row in range(width * levels):
        for word in range(WORDS):
            sets[row, word] = np.uint64(0)
    for i in range(len(members)):  # who rated that
        word, bit = i >> 6, one << np.uint64(i & 63)
        start = ratings.indptr[members[i]]
        for entry in range(start, ratings.indptr[members[i] + 1]):
            slot = entry - start if ratings.aligned else np.int64(ratings.indices[entry])
            sets[slot * levels + np.int64(ratings.codes[entry]), word] |= bit
    for slot in range(width):
        first = slot * levels
        for row in range(first + 1, first + levels):  # who rated that, or lower
            for word in range(WORDS):
                sets[row, word] |= sets[row - 1, word]
        for code in range(levels):
            for word in range(WORDS):
                held = sets[first + ratings.high[code], word]
                if ratings.low[code] > 0:
                    held &= ~sets[first + ratings.low[code] - 1, word]
                # a null is near to all
                near[first + code, word] = held | ~sets[first + levels - 1, word]


@part
def _proximate(a: int, b: int, ratings: Ratings) -> bool:
    """Return whether records a and b are proximate, entry by entry [SWLZ11, Def. 4.1]."""
    indices, codes = ratings.indices, ratings.codes
    i, i_end = ratings.indptr[a], ratings.indptr[a + 1]
    j, j_end = ratings.indptr[b], ratings.indptr[b + 1]
    while i < i_end and j < j_end:
        if not ratings.aligned and indices[i] != indices[j]:
            if indices[i] < indices[j]:
                i += 1
            else:
                j += 1
            continue
        if not ratings.low[codes[i]] <= codes[j] <= ratings.high[codes[i]]:
            return False
        i += 1
        j += 1
    return True


@search_kernel
def count_triangles(
    start: int,
    stop: int,
    neighbours: Neighbours,
    ratings: Ratings,
    space: Space,
    triangles: NDArray[np.int64],
) -> None:
    """Write to ``triangles[q]`` how many pairs of the neighbours of query q are proximate,
    start <= q < stop.

    Of three neighbours a (the query), b and c, all near to a and b not to c:

        AND over the entries of a: abc, count - 1 = 2;  of b: ab, 1;  of c: ac, 1      total 4
        total / 2 = 2 proximate pairs, those with a among them: less the d = 2 of these there are T
        = 0
    """
    indptr, members, levels = ratings.indptr, neighbours.found, len(ratings.low)
    ones = ~np.uint64(0)
    for q in range(start, stop):
        a, z = neighbours.begin[q], neighbours.end[q]
        query = neighbours.queries[q]
        width = indptr[query + 1] - indptr[query] if ratings.aligned else ratings.issues
        total = 0
        if width * levels > len(space.near):  # too many levels for sets: pair by pair
            for i in range(a, z):
                for j in range(i + 1, z):
                    if _proximate(members[i], members[j], ratings):
                        total += 2
        # N(u) block by block: |N(v) & block| for every v, whose AND is over its entries
        elif z - a > 2:
            for first in range(a, z, BLOCK):
                last = first + BLOCK if first + BLOCK < z else z
                _fill(members[first:last], width, ratings, space)
                for word in range(WORDS):  # row 1: who is in the block
                    left = last - first - 64 * word
                    space.scratch[1, word] = ones
                    if left < 64:
                        space.scratch[1, word] = (
                            ~(ones << np.uint64(left)) if left > 0 else np.uint64(0)
                        )
                for i in range(first, z):  # those before met this block when it was their turn
                    count = and_rows(space.scratch, 0, space.scratch, 1, space.scratch, 1)
                    begin = indptr[members[i]]
                    for entry in range(begin, indptr[members[i] + 1]):
                        slot = (
                            entry - begin if ratings.aligned else np.int64(ratings.indices[entry])
                        )
                        row = slot * levels + np.int64(ratings.codes[entry])
                        count = and_rows(space.scratch, 0, space.scratch, 0, space.near, row)
                    # a pair across blocks is met once
                    total += count - 1 if i < last else 2 * count
        triangles[q] = total // 2 - (z - a - 1) if z - a > 2 else 0

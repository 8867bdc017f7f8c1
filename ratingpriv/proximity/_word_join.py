"""The join of small groups: which members are within ε of each query,
all of them (64 at most) in one word.

Neither tokens nor tables are made. Where there are records enough to pay for it, each issue and bin
gets the set of members that are proximate on that issue, and a query ANDs one set an issue. Smaller
groups are compared record by record.

Arrays in, arrays out; see `arrays.py` for what they are and `join.py` for where they come from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import kernel, part
from ratingpriv.proximity.arrays import (
    BY_WORD,
    Amounts,
    Ints,
    Lists,
    Queries,
    Ranges,
    Rows,
    Sides,
    Tally,
    Words,
)


@part
def compatible(a: int, b: int, rows: Rows, ranges: Ranges) -> bool:
    """Return whether record b is in the neighbourhood of a, straight from [SWLZ11, Def. 4.1]."""
    i, i_end = rows.indptr[a], rows.indptr[a + 1]
    j, j_end = rows.indptr[b], rows.indptr[b + 1]
    while i < i_end and j < j_end:
        if not rows.aligned:
            if rows.indices[i] < rows.indices[j]:
                if ranges.known:
                    return False
                i += 1
                continue
            if rows.indices[i] > rows.indices[j]:
                j += 1
                continue
        first_code, other = rows.codes[i], rows.codes[j]
        if other < ranges.lo[first_code] or (
            other > ranges.hi[first_code] and (ranges.known or other < ranges.null)
        ):
            return False
        i += 1
        j += 1
    return i == i_end or not ranges.known


@part
def _fill_sets(width: Any, first: int, count: int, sides: Sides, sets: Words) -> None:
    """Fill sets of members by issue and bin: [0], who rated that or lower; [1], who is near."""
    rows, ranges, members = sides.rows, sides.ranges, sides.members
    bins, last, unit = np.uint64(ranges.bins), np.uint64(ranges.rated_bins - 1), np.uint64(1)
    everybody, null = ~np.uint64(0) >> np.uint64(64 - count), np.uint64(ranges.null)
    lower, nearby = sets[0], sets[1]
    for row in range(width * bins):
        lower[np.uint64(row)] = np.uint64(0)
    for i in range(count):
        bit, start = unit << np.uint64(i), np.uint64(rows.indptr[members.record[first + i]])
        for issue in range(width):
            code = np.uint64(rows.codes[start + np.uint64(issue)])
            if code < null:
                lower[np.uint64(issue) * bins + np.uint64(ranges.bin[code])] |= bit
    for issue in range(width):
        base = np.uint64(issue) * bins
        for b in range(last):
            lower[base + np.uint64(b) + unit] |= lower[base + np.uint64(b)]
        for b in range(bins):
            low, high = np.uint64(ranges.bin_lo[b]), np.uint64(ranges.bin_hi[b])
            near = lower[base + high]
            if low > np.uint64(0):
                near &= ~lower[base + low - unit]
            # who rated nothing is near; b > last: a null's bin
            if np.uint64(b) > last or not ranges.known:
                near |= everybody & ~lower[base + last]
            nearby[base + np.uint64(b)] = near


@part
def _verified(
    near: Any, record: int, first: int, rows: Rows, ranges: Ranges, members: Queries
) -> Any:
    """Return those of the members ``near``, a word, that are in the record's neighbourhood."""
    unit, verified, rest = np.uint64(1), near, near
    while rest:
        low = rest & (~rest + unit)
        rest ^= low
        slot: Any = first + np.int64(popcount(low - unit))
        if not compatible(record, members.record[slot], rows, ranges):
            verified ^= low
    return verified


@part
def _list(near: Any, query: Any, record: int, first: int, members: Queries, lists: Any) -> None:
    """Write the later of the members ``near``, or all, to the query's list,
    or the query to theirs.
    """
    cursor, neighbours, everybody, by_member = lists
    bit = np.uint64(1)
    while near:
        slot = np.uint64(first) + np.uint64(popcount((near & (~near + bit)) - bit))
        near &= near - bit
        other = members.record[slot]
        if by_member:
            if record > other:
                neighbours[cursor[slot]] = record
                cursor[slot] += 1
        elif everybody or other > record:
            neighbours[cursor[query]] = other
            cursor[query] += 1


@part
def _add(near: Any, query: Any, first: int, amounts: Amounts, tally: Tally) -> None:
    """Add up the amounts of the members ``near``."""
    bit, exact, real = np.uint64(1), tally.exact, tally.real
    while near:
        slot = np.uint64(first) + np.uint64(popcount((near & (~near + bit)) - bit))
        near &= near - bit
        for x in range(exact.shape[1]):
            exact[query, x] += amounts.exact[slot, x]
        for x in range(real.shape[1]):
            real[query, x] += amounts.real[slot, x]


@kernel
def join_small(
    groups: Ints, sets: Words, sides: Sides, amounts: Amounts, tally: Tally, lists: Lists | None
) -> None:
    """Join the queries of ``groups``, BY_PAIR or BY_WORD, with their members.

    Outputs as for large groups.

    ``sets``, (2, most issues times bins), is working memory.
    """
    rows, ranges, queries, members = sides.rows, sides.ranges, sides.queries, sides.members
    unit, bins, nearby = np.uint64(1), np.uint64(ranges.bins), sets[1]
    for g in groups:
        first, count = members.first[g], members.stop[g] - members.first[g]
        everybody_here = ~np.uint64(0) >> np.uint64(64 - count)
        width, words = np.uint64(sides.layout.width[g]), sides.layout.fuse[g] == BY_WORD
        if words:
            _fill_sets(width, first, count, sides, sets)
        for slot in range(queries.first[g], queries.stop[g]):
            q: Any = np.uint64(slot)
            record, near = queries.record[q], everybody_here
            if words:
                entry, row, stop = np.uint64(rows.indptr[record]), np.uint64(0), width * bins
                # near is 0 for few; as a plain loop, it would be all gathers
                while row < stop and near:
                    near &= nearby[row + np.uint64(ranges.bin[rows.codes[entry]])]
                    entry += unit
                    row += bins
            if not words or not ranges.exact:
                near = _verified(near, record, first, rows, ranges, members)
            tally.sizes[q] += popcount(near)
            if lists is not None:
                _list(near, q, record, first, members, lists)
            elif tally.exact.shape[1] + tally.real.shape[1] > 0:
                _add(near, q, first, amounts, tally)

"""The join of `_bitset_join` in NumPy, all queries of a chunk at once: where the work is short,
it is done before compiled code is loaded, and long before it is compiled.

For aligned rows and exact bins. The same tokens, tables and order of lists as there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.arrays import (
    CHUNK,
    WORDS,
    Amounts,
    Ints,
    Layout,
    Lists,
    Queries,
    Ranges,
    Rows,
    Sides,
    Tally,
    Words,
)


def tokenize(rows: Rows, ranges: Ranges, layout: Layout, queries: Queries, groups: Ints) -> None:
    """Write the tokens of every slot of ``groups``."""
    for g in groups:
        width, fuse = int(layout.width[g]), int(layout.fuse[g])
        slots = slice(queries.first[g], queries.stop[g])
        bins = _bins(rows, ranges, layout, g, queries.record[slots])
        value = 1
        for token, first in enumerate(range(0, width, fuse)):
            some = bins[:, first : first + fuse]
            factor = ranges.bins ** np.arange(some.shape[1])[::-1]
            queries.tokens[queries.ptr[slots] + token] = value + some @ factor
            value += ranges.bins**fuse


def join(
    groups: Ints,
    chunks: Ints,
    span: tuple[int, int, int],
    sides: Sides,
    amounts: Amounts,
    tally: Tally,
    lists: Lists | None,
) -> None:
    """Join the queries of ``groups`` with their members; arguments as in `_bitset_join.join`."""
    queries, members = sides.queries, sides.members
    for g in groups:
        start, stop = max(int(queries.first[g]), span[0]), min(int(queries.stop[g]), span[1])
        first, last = int(members.first[g]), int(members.stop[g])
        for c in chunks if len(chunks) else range(-(-(last - first) // CHUNK)):
            chunk = first + CHUNK * int(c)
            query = start
            if lists is not None and lists.ordered:
                records, least = queries.record[start:stop], members.record[chunk]
                query += int(np.searchsorted(records, least, side="right"))
            if query >= stop:
                continue
            slots = slice(chunk, min(last, chunk + CHUNK))
            who, near = _near(_table(g, slots, sides), queries, query, stop)
            tally.sizes[who - span[2]] += np.bitwise_count(near).sum(axis=1, dtype=np.int64)
            if lists is not None:
                _list(who, near, chunk, sides, span[2], lists)
            else:
                _add(who - span[2], near, slots, amounts, tally)


def _bins(rows: Rows, ranges: Ranges, layout: Layout, g: int, records: Ints) -> NDArray[np.int64]:
    """Return the bins of some records of group g by rank, int64 (n_records, width)."""
    ranks = layout.rank[layout.rank_at[g] : layout.rank_at[g] + layout.width[g]]
    codes = rows.codes[rows.indptr[records][:, None] + np.argsort(ranks)]
    bins: NDArray[np.int64] = ranges.bin[codes].astype(np.int64)
    return bins


def _as_rows(bits: NDArray[np.bool_] | NDArray[np.uint8]) -> Words:
    """Pack the last axis, at most 512 members, into eight words."""
    packed = np.packbits(bits, axis=-1, bitorder="little")
    rows = np.zeros((*bits.shape[:-1], 8 * WORDS), dtype=np.uint8)
    rows[..., : packed.shape[-1]] = packed
    return rows.view("<u8").astype(np.uint64, copy=False)


def _table(g: int, slots: slice, sides: Sides) -> Words:
    """Return the sets of a chunk's members by token; row 0 holds all of them."""
    ranges, layout, bins = sides.ranges, sides.layout, sides.ranges.bins
    held = _bins(sides.rows, ranges, layout, g, sides.members.record[slots])
    member = np.arange(bins)
    is_near = (ranges.bin_lo[:, None] <= member) & (member <= ranges.bin_hi[:, None])
    rated = ranges.rated_bins
    is_near[:, rated:] = (member >= rated)[:, None] | (not ranges.known)  # who rated nothing
    near = _as_rows(is_near[:, held.T])  # (bins, width, words)
    width, fuse = held.shape[1], int(layout.fuse[g])
    table = [_as_rows(np.ones((1, len(held)), dtype=np.bool_))]
    for first in range(0, width, fuse):
        sets = near[:, first]
        for issue in range(first + 1, min(first + fuse, width)):
            sets = (sets[:, None] & near[None, :, issue]).reshape(-1, WORDS)
        table.append(sets)
    return np.concatenate(table)


def _near(table: Words, queries: Queries, start: int, stop: int) -> tuple[Ints, Words]:
    """Return the queries that have somebody near in a chunk, and who is: rows of eight words."""
    ptr = queries.ptr
    tokens = queries.tokens[ptr[start] : ptr[stop]].reshape(stop - start, -1)
    who = np.arange(stop - start)
    near = table.take(tokens[:, 0], axis=0)
    for token in range(1, tokens.shape[1]):
        near &= table.take(tokens[who, token], axis=0)
        some = near.any(axis=1)
        if token == tokens.shape[1] - 1 or 2 * np.count_nonzero(some) < len(some):
            who, near = who[some], near[some]
    return who + start, near


def _add(i: Ints, near: Words, slots: slice, amounts: Amounts, tally: Tally) -> None:
    """Add up the amounts of the members that are near, plane by plane."""
    marks = amounts.marks[slots].astype("<u8", copy=False)
    planes = _as_rows(np.unpackbits(marks.view(np.uint8), axis=1, bitorder="little").T)
    for f in range(len(amounts.family) - 1):
        for plane in range(amounts.family[f], amounts.family[f + 1]):
            held = np.bitwise_count(near & planes[plane]).sum(axis=1, dtype=np.int64)
            tally.exact[i, 3 * f : 3 * f + 3] += held[:, None] * amounts.weight[plane]


def _list(who: Ints, near: Words, first: int, sides: Sides, base: int, lists: Lists) -> None:
    """Add who is near and a later record, or everybody, to the lists."""
    rows = near.astype("<u8", copy=False).view(np.uint8)
    hit, member = np.nonzero(np.unpackbits(rows, axis=1, bitorder="little"))
    query, slot = who[hit], first + member
    record, other = sides.queries.record[query], sides.members.record[slot]
    owner, named = (slot, record) if lists.ordered else (query - base, other)
    if not lists.everybody:
        later = record > other if lists.ordered else other > record
        owner, named = owner[later], named[later]
    order = np.argsort(owner, kind="stable")
    owner, named = owner[order], named[order]
    owners, starts, counts = np.unique(owner, return_index=True, return_counts=True)
    rank = np.arange(len(owner)) - np.repeat(starts, counts)
    lists.neighbours[lists.cursor[owner] + rank] = named
    lists.cursor[owners] += counts

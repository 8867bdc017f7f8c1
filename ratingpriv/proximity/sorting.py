"""Putting a group in the order that lets the join skip most: issues by selectivity, slots by their tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.arrays import Queries, Ranges, Rows

_AT_ONCE = 2  # columns of tokens that are moved at once where they are
_MANY = 1 << 22


def most_selective_first(
    rows: Rows, ranges: Ranges, members: NDArray[np.int64], width: int
) -> NDArray[np.int32]:
    """Order issues so that each next one separates most of the (sampled) pairs that are still together."""
    pairs = min(8192, 256 + len(members) // 32)
    sample = np.random.default_rng(0).integers(0, len(members), (2, pairs))  # decides speed, never results
    places = np.arange(width)
    a, b = (rows.codes[rows.indptr[members[side]][:, None] + places] for side in sample)
    apart = (~(((b >= ranges.lo[a]) & (b <= ranges.hi[a])) | (b >= ranges.null))).astype(np.float32)
    apart = np.ascontiguousarray(apart.T)
    order: list[int] = []
    together = np.ones(pairs, dtype=np.float32)
    while len(order) < width:
        separated = apart @ together  # whole numbers, far below 2**24
        separated[order] = -1
        best = int(separated.argmax())
        if separated[best] <= 0:
            order += [place for place in range(width) if place not in set(order)]
            break
        order.append(best)
        together *= 1 - apart[best]
    return np.array(order, dtype=np.int32)


def sort_group(
    g: int,
    stride: int,
    records: Queries,
    slot_of: NDArray[np.int64],
    collapse: bool,
) -> NDArray[np.int64] | None:
    """Sort a group's slots by tokens, in place; let one slot stand for identical rows where that pays.

    Returns how many rows each slot stands for then, int64 (slots that are left,); None: one each.
    """
    first, stop = int(records.first[g]), int(records.stop[g])
    tokens = records.tokens[records.ptr[first] : records.ptr[stop]].reshape(-1, stride)
    keys = _keys(tokens)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    together = stride if tokens.size < _MANY else _AT_ONCE  # all at once they would be there twice
    for some in range(0, stride, together):
        tokens[:, some : some + together] = tokens[order, some : some + together]
    members = records.record[first:stop]
    members[:] = members[order]
    new = np.ones(stop - first, dtype=bool)
    new[1:] = False
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    del keys, order, key, ordered
    times, slot = None, np.arange(first, stop)
    if collapse and 2 * np.count_nonzero(new) <= len(new):
        number = np.cumsum(new) - 1
        slot = first + number
        slot_of[members] = slot
        kept = np.flatnonzero(new)
        members[: len(kept)] = members[kept]
        tokens[: len(kept)] = tokens[kept]
        times = np.bincount(number)
        records.stop[g] = stop = first + len(kept)
        tokens = tokens[: len(kept)]
    else:
        slot_of[members] = slot
    for end, ends in zip((records.end1, records.end2), run_ends(tokens), strict=True):
        end[first:stop] = first + ends
    return times


def run_ends(tokens: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the run of rows with a row's first token ends, and of its first two; rows are sorted."""
    first, second = (np.ascontiguousarray(tokens[:, place]) for place in (0, 1))
    change1 = first[1:] != first[:-1]
    runs = []
    for change in (change1, change1 | (second[1:] != second[:-1])):
        ends = np.append(np.flatnonzero(change) + 1, len(tokens)).astype(np.int32)
        runs.append(np.repeat(ends, np.diff(ends, prepend=0)))
    return runs[0], runs[1]


def ranks(order: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the rank of each place from the places in order."""
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _keys(tokens: NDArray[np.uint32]) -> list[NDArray[np.uint64]]:
    """Return numbers, the most significant first, that order and tell apart the rows of ``tokens``."""
    keys, key, room = [], np.zeros(len(tokens), dtype=np.uint64), 1 << 63
    for place in range(tokens.shape[1]):
        column = np.ascontiguousarray(tokens[:, place])
        low = column.min()
        spread = int(column.max()) - int(low) + 1
        if spread > room:
            keys.append(key)
            key, room = np.zeros(len(tokens), dtype=np.uint64), 1 << 63
        room //= spread
        key *= np.uint64(spread)
        key += column - low
    keys.append(key)
    return keys

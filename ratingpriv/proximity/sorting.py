"""Putting a group in the order that lets the join skip most: issues by selectivity, slots by their tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.arrays import Queries, Ranges, Rows

__all__ = ["most_selective_first", "ranks", "sort_group"]


def most_selective_first(
    rows: Rows, ranges: Ranges, members: NDArray[np.int64], width: int
) -> NDArray[np.int32]:
    """Order issues so that each next one separates most of the (sampled) pairs that are still together."""
    pairs = min(8192, 256 + len(members) // 16)
    sample = np.random.default_rng(0).integers(0, len(members), (2, pairs))  # decides speed, never results
    places = np.arange(width)
    a, b = (rows.codes[rows.indptr[members[side]][:, None] + places] for side in sample)
    apart = ~(((b >= ranges.lo[a]) & (b <= ranges.hi[a])) | (b >= ranges.null))
    order: list[int] = []
    together = np.ones(pairs, dtype=bool)
    while len(order) < width:
        separated = apart[together].sum(axis=0)
        separated[order] = -1
        if separated.max() <= 0:
            order += [place for place in range(width) if place not in set(order)]
            break
        order.append(int(separated.argmax()))
        together &= ~apart[:, order[-1]]
    return np.array(order, dtype=np.int32)


def sort_group(
    g: int,
    stride: int,
    records: Queries,
    slot_of: NDArray[np.int64],
    multiplicity: NDArray[np.int64],
    collapse: bool,
) -> None:
    """Sort a group's slots by tokens, in place; let one slot stand for identical rows where that pays."""
    first, stop = int(records.first[g]), int(records.stop[g])
    tokens = records.tokens[records.ptr[first] : records.ptr[stop]].reshape(-1, stride)
    order = _lexical_order(tokens)
    tokens[:] = tokens[order]
    members = records.record[first:stop]
    members[:] = members[order]
    new = np.ones(stop - first, dtype=bool)
    new[1:] = (tokens[1:] != tokens[:-1]).any(axis=1)
    slot = np.arange(first, stop)
    if collapse and 2 * np.count_nonzero(new) <= len(new):
        number = np.cumsum(new) - 1
        slot = first + number
        slot_of[members] = slot
        kept = np.flatnonzero(new)
        members[: len(kept)] = members[kept]
        tokens[: len(kept)] = tokens[kept]
        multiplicity[first : first + len(kept)] = np.bincount(number)
        records.stop[g] = stop = first + len(kept)
        tokens = tokens[: len(kept)]
    else:
        slot_of[members] = slot
    change1 = tokens[1:, 0] != tokens[:-1, 0]
    for end, change in ((records.end1, change1), (records.end2, change1 | (tokens[1:, 1] != tokens[:-1, 1]))):
        at = np.flatnonzero(change) + 1
        ends = np.append(at, stop - first)
        end[first:stop] = first + np.repeat(ends, np.diff(ends, prepend=0))


def ranks(order: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the rank of each place from the places in order."""
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


def _lexical_order(tokens: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the order that sorts rows of ``tokens`` lexicographically."""
    low = tokens.min(axis=0)
    spread = (tokens.max(axis=0) - low).astype(np.uint64) + np.uint64(1)
    keys, key, room = [], np.zeros(len(tokens), dtype=np.uint64), 1 << 63
    for column in range(tokens.shape[1]):
        if int(spread[column]) > room:
            keys.append(key)
            key, room = np.zeros(len(tokens), dtype=np.uint64), 1 << 63
        room //= int(spread[column])
        key = key * spread[column] + (tokens[:, column] - low[column])
    keys.append(key)
    if len(keys) == 1:
        return np.argsort(key)
    return np.lexsort(keys[::-1])

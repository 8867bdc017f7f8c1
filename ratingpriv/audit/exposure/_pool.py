"""Bitsets of a pool's members by issue and level, and who fits what is asked for: 512 members at a time.

Arrays in, arrays out. Members are sorted (`examine.py`): those of a block agree on the first issues, and
most blocks are ruled out by one of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Pool, Space
from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import part, routine, search_kernel


@search_kernel
def fill_bitsets(pool: Pool, places: int) -> None:
    """Fill ``pool.upto`` and ``pool.held``, both zero before."""
    bins, upto, unit = pool.bins, pool.upto, np.uint64(1)
    for i in range(len(pool.record)):
        record = pool.record[i]
        for entry in range(pool.indptr[record], pool.indptr[record + 1]):
            column = pool.column[
                entry - pool.indptr[record] if pool.aligned else np.int64(pool.indices[entry])
            ]
            if column >= 0:
                row = ((i // BLOCK) * places + column) * (bins + 1) + pool.bin[pool.codes[entry]]
                upto[row, (i >> 6) & (WORDS - 1)] |= unit << np.uint64(i & 63)
    for block in range((len(pool.record) + BLOCK - 1) // BLOCK):
        for word in range(WORDS):
            first = block * BLOCK + 64 * word
            valid = np.uint64(0)
            if len(pool.record) - first >= 64:
                valid = ~np.uint64(0)
            elif first < len(pool.record):
                valid = (unit << np.uint64(len(pool.record) - first)) - unit
            for column in range(places):
                base = (block * places + column) * (bins + 1)
                for b in range(bins):
                    if b:
                        upto[base + b, word] |= upto[base + b - 1, word]
                    pool.held[column * (bins + 1) + b] += np.int64(popcount(upto[base + b, word]))
                upto[base + bins, word] = valid & ~upto[base + bins - 1, word]
                pool.held[column * (bins + 1) + bins] += np.int64(popcount(upto[base + bins, word]))


@part
def arrange(target: int, pool: Pool, space: Space) -> int:
    """List the target's ratings that have bitsets in the order of these; return their number."""
    start, used = pool.indptr[target], 0
    for entry in range(start, pool.indptr[target + 1]):
        column = pool.column[entry - start if pool.aligned else np.int64(pool.indices[entry])]
        if column >= 0:
            at = used
            while at > 0 and space.column[at - 1] > column:
                space.column[at], space.entry[at] = space.column[at - 1], space.entry[at - 1]
                at -= 1
            space.column[at], space.entry[at] = column, entry - start
            used += 1
    return used


@part
def held_by(column: int, first: int, last: int, pool: Pool) -> Any:
    """Count the members that may fit codes ``first..last`` on an issue."""
    at = column * (pool.bins + 1)
    held = pool.held[at + pool.bin[last]]
    if pool.bin[first] > 0:
        held -= pool.held[at + pool.bin[first] - 1]
    if pool.matches:
        held += pool.held[at + pool.bins]
    return np.int64(held)


@part
def _fits(target: int, other: int, pool: Pool, space: Space) -> bool:
    """Return whether ``other`` fits what is asked for on every issue that ``target`` rates."""
    start, i, end = pool.indptr[target], pool.indptr[target], pool.indptr[target + 1]
    j, stop = pool.indptr[other], pool.indptr[other + 1]
    while i < end:
        if not pool.aligned:
            while j < stop and pool.indices[j] < pool.indices[i]:
                j += 1
            if j == stop or pool.indices[j] != pool.indices[i]:
                if not pool.matches:
                    return False
                i += 1
                continue
        code = np.int64(pool.codes[j])
        if code < space.fits_from[i - start] or code > space.fits_to[i - start]:
            return False
        i += 1
        j += 1
    return True


@routine
def find(target: int, used: int, most: int, pool: Pool, places: int, space: Space) -> Any:
    """Find the members that fit ``space.fits_from..fits_to``; return (their number, words read).

    The first ``most`` of them are listed; with more than that, if any are to be listed, it stops.
    """
    # ratings of bins 2..3 are asked for on an issue: of a block's 512 members those are left that have a bit
    #   in upto[bin 3], who rated bin 3 or lower, and none in upto[bin 1];
    #   where nulls match, or one in the row behind the bins, who did not rate it at all
    rows, unit, members = pool.bins + 1, np.uint64(1), len(pool.record)
    needed = 0  # the issues that rule anybody out
    for u in range(used):
        first, last = space.fits_from[space.entry[u]], space.fits_to[space.entry[u]]
        if held_by(space.column[u], first, last, pool) < members:
            space.row_high[needed] = space.column[u] * rows + pool.bin[last]
            space.row_low[needed] = (
                space.column[u] * rows + pool.bin[first] - 1 if pool.bin[first] > 0 else -1
            )
            needed += 1
    count: Any = 0
    work, fitting = 0, space.block
    for block in range((members + BLOCK - 1) // BLOCK):
        base, start = block * places * rows, block * BLOCK
        # all members of the block, fewer in the last
        for word in range(WORDS):
            fitting[word] = ~np.uint64(0)
        if members - start < BLOCK:
            for word in range(WORDS):
                left = members - start - 64 * word
                if left < 64:
                    fitting[word] = (unit << np.uint64(left)) - unit if left > 0 else np.uint64(0)
        # AND issue after issue, until nobody is left
        anybody = unit
        for u in range(needed):
            high, low = base + space.row_high[u], base + space.row_low[u]
            anybody = np.uint64(0)
            if pool.matches:
                null = base + (space.row_high[u] // rows) * rows + pool.bins
                for word in range(WORDS):
                    held = pool.upto[high, word]
                    if space.row_low[u] >= 0:
                        held &= ~pool.upto[low, word]
                    fitting[word] &= held | pool.upto[null, word]
                    anybody |= fitting[word]
            elif space.row_low[u] >= 0:
                for word in range(WORDS):
                    fitting[word] &= pool.upto[high, word] & ~pool.upto[low, word]
                    anybody |= fitting[word]
            else:
                for word in range(WORDS):
                    fitting[word] &= pool.upto[high, word]
                    anybody |= fitting[word]
            work += WORDS
            if anybody == 0:
                break
        if anybody == 0:
            continue
        # count them, or look at each bit and list its member
        for word in range(WORDS):
            rest = fitting[word]
            if most == 0 and not pool.verify:
                count += np.int64(popcount(rest))
                continue
            while rest:
                low_bit = rest & (~rest + unit)
                rest ^= low_bit
                record = pool.record[start + 64 * word + np.int64(popcount(low_bit - unit))]
                if pool.verify:
                    work += 1
                    if not _fits(target, record, pool, space):
                        continue
                if count < most:
                    space.member[count] = record
                count += 1
            if 0 < most < count:
                return count, work
    return count, work

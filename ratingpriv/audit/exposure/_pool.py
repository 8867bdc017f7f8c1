"""Bitsets of a pool's members by issue and level, and who fits what is asked for:
512 members at a time.

Arrays in, arrays out. Members are sorted (`examine.py`): those of a block agree on the first
issues, and most blocks are ruled out by one of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Pool, Space
from ratingpriv.base.compute.bitsets import keep, popcount
from ratingpriv.base.compute.compiling import part, routine, search_kernel


@search_kernel
def fill_bitsets(pool: Pool) -> None:
    """Fill ``pool.bits`` and ``pool.held``, both zero before."""
    bins, bits = pool.bins, pool.bits
    for i in range(len(pool.record)):
        start = pool.indptr[pool.record[i]]
        for entry in range(start, pool.indptr[pool.record[i] + 1]):
            column = pool.column[entry - start if pool.aligned else np.int64(pool.indices[entry])]
            if column >= 0:
                row = ((i // BLOCK) * pool.columns + column) * 2 * bins + pool.bin[
                    pool.codes[entry]
                ]
                bits[row, (i >> 6) & (WORDS - 1)] |= np.uint64(1) << np.uint64(i & 63)
    for slot in range(len(pool.everybody) * pool.columns):
        row = slot * 2 * bins
        for word in range(WORDS):
            below = np.uint64(0)
            for b in range(row, row + bins):
                bits[b + bins, word] = below
                below |= bits[b, word]
                bits[b, word] = below
            if pool.matches:
                for b in range(row, row + bins):
                    bits[b, word] |= pool.everybody[slot // pool.columns, word] & ~below
            for b in range(2 * bins):
                pool.held[(slot % pool.columns) * 2 * bins + b] += np.int64(
                    popcount(bits[row + b, word])
                )


@part
def arrange(target: int, pool: Pool, space: Space) -> int:
    """List the target's ratings that have bitsets in the order of these; return their number."""
    start, used = pool.indptr[target], 0
    for entry in range(start, pool.indptr[target + 1]):
        column = pool.column[entry - start if pool.aligned else np.int64(pool.indices[entry])]
        if column >= 0:
            slot = used
            while slot > 0 and space.column[slot - 1] > column:
                space.column[slot], space.entry[slot] = (
                    space.column[slot - 1],
                    space.entry[slot - 1],
                )
                slot -= 1
            space.column[slot], space.entry[slot] = column, entry - start
            used += 1
    return used


@part
def rows_of(column: int, first: Any, last: Any, pool: Pool) -> Any:
    """Return the row of whom codes ``..last`` let in,
    and the row of whom ``first..`` put out again.
    """
    row = column * 2 * pool.bins
    return row + pool.bin[last], row + pool.bins + pool.bin[first]


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
def find(target: int, used: int, most: int, pool: Pool, space: Space) -> Any:
    """Find the members that fit ``space.fits_from..fits_to``; return (their number, words read).

    The first ``most`` of them are listed; with more than that, if any are to be listed, it stops.
    """
    # ratings of bins 2..3 are asked for on an issue: of a block's 512 members those are left that
    # rate bin 3
    #   or lower (or, where nulls match, not at all), but those who rate lower than bin 2
    members, unit = len(pool.record), np.uint64(1)
    needed = 0  # the issues that rule anybody out
    for u in range(used):
        first, last = space.fits_from[space.entry[u]], space.fits_to[space.entry[u]]
        high, low = rows_of(space.column[u], first, last, pool)
        if pool.held[high] - pool.held[low] < members:
            space.row_high[needed], space.row_low[needed] = high, low
            needed += 1
    count: Any = 0
    work, fitting = 0, space.block
    for block in range(len(pool.everybody)):
        base = block * pool.columns * 2 * pool.bins
        for word in range(WORDS):
            fitting[0, word] = pool.everybody[block, word]
        # AND issue after issue, until nobody is left
        anybody = True
        for u in range(needed):
            work += WORDS
            keep(fitting, 0, pool.bits, base + space.row_high[u], np.uint64(0))
            anybody = keep(fitting, 0, pool.bits, base + space.row_low[u], ~np.uint64(0))
            if not anybody:
                break
        if not anybody:
            continue
        # count them, or look at each bit and list its member
        for word in range(WORDS):
            rest = fitting[0, word]
            if most == 0 and not pool.verify:
                count += np.int64(popcount(rest))
                continue
            while rest:
                low_bit = rest & (~rest + unit)
                rest ^= low_bit
                record = pool.record[block * BLOCK + 64 * word + np.int64(popcount(low_bit - unit))]
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

"""Kernels on lists of neighbours: putting them in order, the distances of pairs,
the values behind them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.bitsets import popcount
from ratingpriv.base.compute.compiling import kernel
from ratingpriv.proximity.arrays import Ints, Rows, Words

type Floats = NDArray[np.float64]

LANES = 32  # ratings that are compared at once


class Later(NamedTuple):
    """Later records that are proximate with ``record[i]``:
    ``neighbours[start[i]:stop[i]]``, ascending.
    """

    record: Ints
    start: Ints
    stop: Ints
    neighbours: NDArray[np.int32]


class Known(NamedTuple):
    """What the records of slot s know, entries ``start[s]:start[s + 1]``:
    how many know which value.
    """

    start: Ints
    code: Ints
    weight: Ints


@kernel
def emit(
    lists: Later,
    before: Ints,
    pair_from: int,
    pair_to: int,
    first: int,
    base: int,
    left: Ints,
    right: Ints,
) -> None:
    """Write pairs ``pair_from..pair_to``, the first in ``first``; pair ``base`` is at place 0.

    ``before``: how many pairs are before each list.
    """
    record, start, neighbours = lists.record, lists.start, lists.neighbours
    i, pair = first, pair_from
    while pair < pair_to:
        last = min(before[i + 1], pair_to)
        begin, from_ = pair - base, start[i] + pair - before[i]
        for k in range(last - pair):
            left[begin + k] = record[i]
            right[begin + k] = neighbours[from_ + k]
        pair = last
        i += 1


@kernel
def aligned_distances(
    left: Ints, right: Ints, steps: NDArray[np.uint8], unit: Floats, distance: Floats
) -> None:
    """Measure pairs of equal support [SWLZ11, Eq. 1 and Def. 4.1]; ``unit``:
    the distance of so many steps.

    ``steps``, (n_records, LANES * blocks), are ratings as steps above the lowest; 0 where not
    rated.
    """
    lanes, blocks = np.uint64(LANES), np.uint64(steps.shape[1] // LANES)
    for pair in range(len(left)):
        a, b = np.uint64(left[pair]), np.uint64(right[pair])
        most, block = np.uint8(0), np.uint64(0)
        while block < blocks:
            # so many, and everything stays uint8: LLVM makes it one vector
            for lane in range(LANES):
                k = block * lanes + np.uint64(lane)
                x, y = steps[a, k], steps[b, k]
                far = np.uint8(x - y) if x > y else np.uint8(y - x)
                most = far if far > most else most
            block += np.uint64(1)
        distance[pair] = unit[most]


@kernel
def one_step_distances(
    left: Ints, right: Ints, hashes: Words, rows: Rows, step: float, distance: Floats
) -> None:
    """Measure pairs of equal support that are ``step`` apart unless all their ratings are equal.

    ``hashes`` are equal where rows of codes are; where they are, the rows are compared.
    """
    indptr, codes = rows.indptr, rows.codes
    for pair in range(len(left)):
        a, b = np.uint64(left[pair]), np.uint64(right[pair])
        far = step
        if hashes[a] == hashes[b]:
            x, y, end = indptr[a], indptr[b], indptr[a + np.uint64(1)]
            while x < end and codes[x] == codes[y]:
                x += 1
                y += 1
            if x == end:
                far = 0.0
        distance[pair] = far


@kernel
def distances(
    left: Ints,
    right: Ints,
    rows: Rows,
    numbers: Floats,
    scale: float,
    null: float,
    distance: Floats,
) -> None:
    """Measure any pairs [SWLZ11, Eq. 1 and Def. 4.1]; ``null`` is between a null and a rating.

    ``numbers``, (n_levels,), are the levels times ``scale``, whole where ``scale`` is not 1.
    """
    indptr, indices, codes = rows.indptr, rows.indices, rows.codes
    for pair in range(len(left)):
        x, x_end = indptr[left[pair]], indptr[left[pair] + 1]
        y, y_end = indptr[right[pair]], indptr[right[pair] + 1]
        most, mismatch = null * 0, False
        while x < x_end or y < y_end:
            if x < x_end and y < y_end and indices[x] == indices[y]:
                far = abs(numbers[codes[x]] - numbers[codes[y]])
                most = far if far > most else most
                x += 1
                y += 1
            else:
                mismatch = True
                if y == y_end or (x < x_end and indices[x] < indices[y]):
                    x += 1
                else:
                    y += 1
        most /= scale
        distance[pair] = null if mismatch and null > most else most


@kernel
def count_values(
    begin: Ints,
    neighbours: NDArray[np.int32],
    slot_of: Ints,
    known: Known,
    scratch: Ints,
    touched: Words,
    stop: Ints,
    codes: Ints,
    counts: Ints,
) -> None:
    """Count the values known to each list of records, ``neighbours[begin[i]:begin[i + 1]]``.

    Of each list the codes whose counts are not 0 are written, ascending, and the counts, up to
    ``stop[i]``. ``scratch`` has a place, ``touched`` a bit for each value; both come and go empty.
    """
    unit, pair = np.uint64(1), 0
    start, code, weight = known
    for i in range(len(begin) - 1):
        least, most = len(touched), -1
        for j in range(begin[i], begin[i + 1]):
            slot = slot_of[neighbours[j]]
            for entry in range(start[slot], start[slot + 1]):
                value = code[entry]
                scratch[value] += weight[entry]
                word = value >> 6
                touched[word] |= unit << np.uint64(value & 63)
                least = word if word < least else least
                most = word if word > most else most
        for word in range(least, most + 1):
            rest = touched[word]
            touched[word] = np.uint64(0)
            while rest:
                low = rest & (~rest + unit)
                rest ^= low
                value = 64 * word + np.int64(popcount(low - unit))
                codes[pair] = value
                counts[pair] = scratch[value]
                scratch[value] = 0
                pair += 1
        stop[i] = pair

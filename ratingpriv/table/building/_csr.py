"""Compiled loops of csr.py: arrays in, arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.compiling import compiled
from ratingpriv.table.building.coding import Codes

__all__ = ["scatter", "sort_rows"]

_SHORT = 24  # rows up to this length are sorted by insertion


@compiled()
def scatter(
    records: NDArray[np.int32],
    issues: NDArray[np.int32],
    codes: Codes,
    following: NDArray[np.int64],
    indices: NDArray[np.int32],
    out: Codes,
    order: NDArray[np.int64],
    first: int,
) -> None:
    """Put each coordinate at the next free entry of its record; ``order`` is filled unless it is empty.

    ``following`` int64 (n_records,) is the next free entry of each record and is moved on;
    coordinate i of this chunk is coordinate ``first + i`` of the data.
    """
    keep_order = len(order) > 0
    for i in range(len(records)):
        record = records[i]
        entry = following[record]
        following[record] = entry + 1
        indices[entry] = issues[i]
        out[entry] = codes[i]
        if keep_order:
            order[entry] = first + i


@compiled()
def sort_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    codes: Codes,
    order: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    """Sort rows ``first:last`` by issue, in place and stable; codes and (unless empty) order move along.

    Short rows by insertion, others by their bytes (radix sort, the lowest first).
    """
    keep_order = len(order) > 0
    longest = 0
    for row in range(first, last):
        longest = max(longest, indptr[row + 1] - indptr[row])
    keys = np.empty(longest, dtype=np.int64)
    moved = np.empty(longest, dtype=np.int64)
    moved_codes = np.empty(longest, dtype=codes.dtype)
    moved_order = np.empty(longest if keep_order else 0, dtype=np.int64)
    counts = np.empty(257, dtype=np.int64)
    for row in range(first, last):
        start = indptr[row]
        length = indptr[row + 1] - start
        in_order = True
        for i in range(1, length):
            if indices[start + i] < indices[start + i - 1]:
                in_order = False
                break
        if in_order:
            continue
        # An issue and its place in the row in one number: one array is sorted, not three.
        largest = np.int64(0)
        for i in range(length):
            issue = np.int64(indices[start + i])
            largest = max(largest, issue)
            keys[i] = (issue << 32) | i
        if length <= _SHORT:
            for i in range(1, length):
                key = keys[i]
                j = i
                while j > 0 and keys[j - 1] > key:
                    keys[j] = keys[j - 1]
                    j -= 1
                keys[j] = key
        else:
            shift = 32
            while largest > 0:
                counts[:] = 0
                for i in range(length):
                    counts[((keys[i] >> shift) & 255) + 1] += 1
                for digit in range(256):
                    counts[digit + 1] += counts[digit]
                for i in range(length):
                    digit = (keys[i] >> shift) & 255
                    moved[counts[digit]] = keys[i]
                    counts[digit] += 1
                keys, moved = moved, keys
                largest >>= 8
                shift += 8
        for i in range(length):
            moved_codes[i] = codes[start + i]
            if keep_order:
                moved_order[i] = order[start + i]
        for i in range(length):
            place = keys[i] & 0xFFFFFFFF
            indices[start + i] = keys[i] >> 32
            codes[start + i] = moved_codes[place]
            if keep_order:
                order[start + i] = moved_order[place]

"""Compiled loops of coding.py's StreamedRows: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import compiled

_WORTH = 4  # a bitmap is worth it for rows that rate more than one issue in every 64 * _WORTH

# The number of a word's only bit: powers of two leave different remainders when divided by 67.
_BIT_OF = np.zeros(67, dtype=np.int64)
_BIT_OF[[(1 << bit) % 67 for bit in range(64)]] = np.arange(64)


@compiled()
def put(
    records: NDArray[np.int32],
    issues: NDArray[np.int32],
    codes: NDArray[Any],
    extra: NDArray[Any],
    following: NDArray[np.int64],
    all_issues: NDArray[np.int32],
    all_codes: NDArray[Any],
    all_extra: NDArray[Any],
) -> None:
    """Put each rating at the next free entry of its record;
    ``extra`` goes along unless it is empty.

    ``following`` int64 (n_records,) is the next free entry of each record and is moved on.
    """
    more = len(extra) > 0
    for i in range(len(records)):
        record = records[i]
        entry = following[record]
        following[record] = entry + 1
        all_issues[entry] = issues[i]
        all_codes[entry] = codes[i]
        if more:
            all_extra[entry] = extra[i]


@compiled()
def sort_rows(
    indptr: NDArray[np.int64],
    ends: NDArray[np.int64],
    indices: NDArray[np.int32],
    codes: NDArray[Any],
    extra: NDArray[Any],
    final: NDArray[Any],
    n_issues: int,
    first: int,
    last: int,
) -> int:
    """Sort rows ``first:last`` by issue, in place and stable, and renumber codes;
    return how many repeats.

    Row i is at ``indptr[i]:ends[i]``. ``extra`` (unless empty) moves along; code c becomes
    ``final[c]``. A repeat is an entry with the issue of the one before. Rows that rate many of the
    issues are marked in a bitmap, which is then read in order: two simple passes instead of a sort.

    Example: issues 5, 2, 65 of a row with codes a, b, c.
        marked = [bits 2 and 5, bit 1 of the second word]; code_of[5] = a, code_of[2] = b,
        code_of[65] = c read from the lowest bit on: issues 2, 5, 65 with final[b], final[a],
        final[c] As (issue << 32) | place: keys (5, 0), (2, 1), (65, 2) are sorted to (2, 1), (5,
        0), (65, 2) and the places say where codes come from: b, a, c
    """
    more = len(extra) > 0
    words = (n_issues + 63) >> 6
    marked = np.zeros(words, dtype=np.uint64)
    code_of = np.empty(n_issues, dtype=codes.dtype)
    extra_of = np.empty(n_issues if more else 0, dtype=extra.dtype)
    longest = 0
    for row in range(first, last):
        longest = max(longest, ends[row] - indptr[row])
    keys = np.empty(longest, dtype=np.int64)
    moved = np.empty(longest, dtype=codes.dtype)
    moved_extra = np.empty(longest if more else 0, dtype=extra.dtype)
    repeats = 0
    unit = np.uint64(1)
    for row in range(first, last):
        start, end = indptr[row], ends[row]
        length = end - start
        # 1. A row that is in order only has its codes renumbered.
        in_order, again = True, 0
        for entry in range(start + 1, end):
            if indices[entry] <= indices[entry - 1]:
                if indices[entry] < indices[entry - 1]:
                    in_order = False
                    break
                again += 1
        if in_order:
            repeats += again
            for entry in range(start, end):
                codes[entry] = final[codes[entry]]
            continue
        # 2. A row that rates many issues is marked in the bitmap; a repeat falls back to sorting.
        distinct = False
        if length * _WORTH > words:
            distinct = True
            for entry in range(start, end):
                issue = indices[entry]
                word, bit = issue >> 6, unit << np.uint64(issue & 63)
                if marked[word] & bit:
                    distinct = False
                marked[word] |= bit
                code_of[issue] = codes[entry]
                if more:
                    extra_of[issue] = extra[entry]
            entry = start
            for word in range(words):
                left = marked[word]
                if left == 0:
                    continue
                marked[word] = 0
                while distinct and left != 0:
                    rest = left & (left - unit)
                    issue = (word << 6) + _BIT_OF[(left ^ rest) % np.uint64(67)]
                    left = rest
                    indices[entry] = issue
                    codes[entry] = final[code_of[issue]]
                    if more:
                        extra[entry] = extra_of[issue]
                    entry += 1
        if distinct:
            continue
        # 3. An issue and its place in the row in one number: sorting them is stable, and one array
        # moves.
        for i in range(length):
            keys[i] = (np.int64(indices[start + i]) << 32) | i
            moved[i] = codes[start + i]
            if more:
                moved_extra[i] = extra[start + i]
        keys[:length].sort()
        for i in range(length):
            place = keys[i] & 0xFFFFFFFF
            indices[start + i] = keys[i] >> 32
            codes[start + i] = final[moved[place]]
            if more:
                extra[start + i] = moved_extra[place]
            if i > 0 and indices[start + i] == indices[start + i - 1]:
                repeats += 1
    return repeats


@compiled()
def compact(
    indptr: NDArray[np.int64],
    ends: NDArray[np.int64],
    indices: NDArray[np.int32],
    codes: NDArray[Any],
    extra: NDArray[Any],
    gone: int,
) -> int:
    """Close the gaps behind rows and leave out entries of code ``gone``.

    Return how many entries stay.

    ``indptr`` int64 (n_records + 1,) becomes that of what stays.
    """
    more = len(extra) > 0
    to = 0
    for row in range(len(ends)):
        start = indptr[row]
        indptr[row] = to
        for entry in range(start, ends[row]):
            if codes[entry] != gone:
                indices[to] = indices[entry]
                codes[to] = codes[entry]
                if more:
                    extra[to] = extra[entry]
                to += 1
    indptr[len(ends)] = to
    return to

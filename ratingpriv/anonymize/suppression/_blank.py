"""Ratings blanked until no few of a record's leave fewer than k records, and put back.

Arrays in, arrays out.

Worked example, k = 2, ε = 0, m = 2. Records a (1, 1), b (1, 2), c (1, 1), d (2, 2). Weak sets of d:
its 2 on issue 0, which nobody else has; that cell is blanked. Of b: (1, 2), as only b has both.
Either cell meets that set; the 1, the commoner, is blanked where the commoner go first. Putting
back: with its 1 again b would be alone with (1, 2), so it stays blank; so does d's.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known._search import all_fit, fewer, meet
from ratingpriv.audit.known.arrays import WORDS, Literals, Ratings, Windows
from ratingpriv.base.compute.compiling import part, search_kernel

_SETS = 200_000  # of a record that are weighed against each other


class Space(NamedTuple):
    """Working arrays of the kernels."""

    stack: NDArray[np.uint64]
    chosen: NDArray[np.int64]  # a literal a depth of the search
    following: NDArray[np.int64]
    sets: NDArray[np.int64]  # weak ones
    entry: NDArray[np.int64]  # a place a rating of the record
    literal: NDArray[np.int64]
    times: NDArray[np.int64]  # in how many weak sets it is
    fitting: NDArray[np.int64]  # how many records fit it

    @classmethod
    def of(cls, size: int, blocks: int, width: int) -> Space:
        entry, literal, times, fitting = np.zeros((4, width), dtype=np.int64)
        chosen, following = np.zeros((2, size), dtype=np.int64)
        stack = np.zeros(((size + 1) * blocks, WORDS), dtype=np.uint64)
        sets = min(_SETS, max(1, sum(comb(width, rows) for rows in range(1, size + 1))))
        return cls(
            stack,
            chosen,
            following,
            np.zeros((sets, size), np.int64),
            entry,
            literal,
            times,
            fitting,
        )


@part
def _weak_sets(
    rows: int, size: int, k: int, most: int, fits: NDArray[np.uint64], blocks: int, space: Space
) -> int:
    """Find sets of up to ``size`` of the first ``rows`` literals that
    leave fewer than k of those in row 0.

    Rows of the stack are what the chosen so far have in common; ``most`` sets end the search.
    Returns how many there are, each padded with -1.
    """
    count, level = 0, 0
    space.following[0] = 0
    while level >= 0:
        row = space.following[level]
        if row >= rows:
            level -= 1
            continue
        space.following[level] = row + 1
        if level == size - 1:
            left = fewer(space.stack, level, fits, space.literal[row], blocks, k)
        else:
            left = meet(space.stack, level, fits, space.literal[row], blocks)
        if left < k:
            for above in range(size):
                space.sets[count, above] = space.chosen[above] if above < level else -1
            space.sets[count, level] = row
            count += 1
            if count == most:
                return count
        elif level < size - 1:
            space.chosen[level] = row
            level += 1
            space.following[level] = row + 1
    return count


@part
def _set(
    entry: int, record: int, there: bool, ratings: Ratings, windows: Windows, literals: Literals
) -> None:
    """Have a record fit what its rating fits, or no more."""
    blocks, issue, code = len(literals.everybody), ratings.issue[entry], ratings.code[entry]
    width, block, word = len(windows.low), record >> 9, (record >> 6) & 7
    bit = np.uint64(1) << np.uint64(record & 63)
    for window in range(windows.low[code], windows.high[code] + 1):
        literal = np.int64(literals.key[issue * width + window])
        if literal >= 0 and there:
            literals.fits[literal * blocks + block, word] |= bit
        elif literal >= 0:
            literals.fits[literal * blocks + block, word] &= ~bit
    literal = np.int64(literals.key[issue * width + code])
    if there:
        literals.owners[literal * blocks + block, word] |= bit
    else:
        literals.owners[literal * blocks + block, word] &= ~bit


@part
def _gather(
    record: int,
    mask: NDArray[np.bool_],
    ratings: Ratings,
    width: int,
    literals: Literals,
    space: Space,
) -> int:
    """Write the entries of a record's ratings, those kept first, and their literals.

    Count the kept.
    """
    rows, blanks = 0, ratings.indptr[record + 1] - ratings.indptr[record]
    for entry in range(ratings.indptr[record], ratings.indptr[record + 1]):
        if mask[entry]:
            row = rows
            rows += 1
        else:
            blanks -= 1
            row = blanks
        space.entry[row] = entry
        space.literal[row] = literals.key[ratings.issue[entry] * width + ratings.code[entry]]
    return rows


@search_kernel
def blank_weak(
    records: NDArray[np.int64],
    size: int,
    k: int,
    rarest: bool,
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    mask: NDArray[np.bool_],
    space: Space,
) -> int:
    """Blank ratings of ``records``, until none of their sets of up to ``size`` is weak.

    Count the blanks.

    Each time the rating that is in the most weak sets, a greedy hitting set; of several the one
    that the fewest records fit, or with ``rarest`` False the most. Others may have become weak by
    that.
    """
    blocks, width, most, blanked = len(literals.everybody), len(windows.low), len(space.sets), 0
    all_fit(space.stack, literals)
    for i in range(len(records)):
        record, weak = records[i], most
        while weak == most:
            rows = _gather(record, mask, ratings, width, literals, space)
            weak = _weak_sets(rows, size, k, most, literals.fits, blocks, space)
            for row in range(rows):
                space.times[row], space.fitting[row] = 0, -1
            for weak_set in range(weak):
                for member in range(size):
                    if space.sets[weak_set, member] >= 0:
                        space.times[space.sets[weak_set, member]] += 1
            left = weak
            while left > 0:
                best = 0
                for row in range(rows):
                    if space.times[row] < max(space.times[best], 1):
                        continue
                    if space.fitting[row] < 0:
                        space.fitting[row] = meet(
                            space.stack, 0, literals.fits, space.literal[row], blocks
                        )
                    if (
                        space.times[row] > space.times[best]
                        or (rarest and space.fitting[row] < space.fitting[best])
                        or (not rarest and space.fitting[row] > space.fitting[best])
                    ):
                        best = row
                mask[space.entry[best]] = False
                _set(space.entry[best], record, False, ratings, windows, literals)
                blanked += 1
                alive = 0
                for weak_set in range(left):  # the sets that it is not in stay
                    met = False
                    for member in range(size):
                        met |= space.sets[weak_set, member] == best
                    for member in range(size):
                        row = space.sets[weak_set, member]
                        if met and row >= 0:
                            space.times[row] -= 1
                        elif not met:
                            space.sets[alive, member] = row
                    if not met:
                        alive += 1
                left = alive
    return blanked


@search_kernel
def put_back(
    records: NDArray[np.int64],
    size: int,
    k: int,
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    mask: NDArray[np.bool_],
    space: Space,
) -> int:
    """Put blanks of ``records`` back where no set of up to ``size`` becomes weak by it; count them.

    Nobody else's sets can: who fits them only grows. Those that most records fit go first.
    """
    blocks, width, back = len(literals.everybody), len(windows.low), 0
    for i in range(len(records)):
        record = records[i]
        rows = _gather(record, mask, ratings, width, literals, space)
        end = ratings.indptr[record + 1] - ratings.indptr[record]
        all_fit(space.stack, literals)
        for row in range(rows, end):
            space.fitting[row] = meet(space.stack, 0, literals.fits, space.literal[row], blocks)
        for _ in range(rows, end):
            best = -1
            for row in range(rows, end):
                if space.fitting[row] >= 0 and (
                    best < 0 or space.fitting[row] > space.fitting[best]
                ):
                    best = row
            entry, literal = space.entry[best], space.literal[best]
            space.fitting[best] = -1
            _set(entry, record, True, ratings, windows, literals)  # it fits its own rating
            all_fit(space.stack, literals)
            left = meet(space.stack, 0, literals.fits, literal, blocks)
            for block in range(blocks):
                for word in range(8):
                    space.stack[block, word] = space.stack[blocks + block, word]
            if left < k or (
                size > 1 and _weak_sets(rows, size - 1, k, 1, literals.fits, blocks, space) > 0
            ):
                _set(entry, record, False, ratings, windows, literals)
                continue
            mask[entry] = True
            back += 1
            for of_row in (space.entry, space.literal, space.fitting):
                of_row[best] = of_row[rows]
            space.entry[rows], space.literal[rows] = entry, literal
            rows += 1
    return back

"""The cell search: every conjunction of d literals that somebody owns,
counted until it has k records.

Worked example, ε = 0, k = 2, d = 2. Records a (1, 1), b (1, 2), c (2, 2); literals 0: issue 0 is 1,
1: issue 0 is 2, 2: issue 1 is 1, 3: issue 1 is 2. By record: below literal 0 stand a and b, with
their issue 1 left; a's only other literal is 2, {a, b} ∩ {a} = {a}, one record: a is narrowed down
by 0 and 2, b by 0 and 3, c by 1 and 3. By cell: the same pairs, each counted once for all its
owners; 1 and 2 have none.

Literals are tried in ascending order of their numbers, so that among witnesses that leave equally
few the first is kept whose literals come first. Arrays in, arrays out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known.arrays import Literals, Ratings, Windows
from ratingpriv.base.compute.bitsets import and_rows, common, popcount
from ratingpriv.base.compute.compiling import kernel, part, search_kernel


class State(NamedTuple):
    """Of each record: whether fewer are looked for, the fewest found (k: none yet),
    by which literals.
    """

    active: NDArray[np.bool_]
    fewest: NDArray[np.int64]
    witness: NDArray[np.int64]

    def copy(self) -> State:
        return State(self.active.copy(), self.fewest.copy(), self.witness.copy())


class Space(NamedTuple):
    """Working arrays of :func:`by_record`; (size, …): a row a depth."""

    stack: NDArray[np.uint64]  # who fits all literals down to a depth, as sets ...
    fit: NDArray[np.int32]  # ... or as lists (size, n), with where the rest of their rows begins
    fit_entry: NDArray[np.int64]
    fits: NDArray[np.int64]
    fit_first: NDArray[np.int64]  # (n_levels,) the windows that a rating fits
    fit_last: NDArray[np.int64]
    # who owns them all: everybody, then from ``room`` of a depth on those below it
    record: NDArray[np.int32]
    entry: NDArray[np.int64]
    room: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    # (size, n_literals) what comes next, and where the records below it end
    literal: NDArray[np.int64]
    upto: NDArray[np.int64]
    child: NDArray[np.int64]
    children: NDArray[np.int64]
    path: NDArray[np.int64]
    owners: NDArray[np.int64]  # (n_literals,)
    place: NDArray[np.int64]
    seen: NDArray[np.int64]
    left: NDArray[np.int64]
    stamp: NDArray[np.int64]


class Cells(NamedTuple):
    """Working arrays of :func:`by_cell`."""

    stack: NDArray[np.uint64]
    owners: NDArray[np.uint64]
    following: NDArray[np.int64]
    path: NDArray[np.int64]


@kernel
def fill(
    ratings: Ratings,
    key: NDArray[np.int32],
    width: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    blocks: int,
    rows: NDArray[np.uint64],
) -> None:
    """Set in the rows of each literal the records with a rating in
    windows ``first[code]..last[code]``.
    """
    one = np.uint64(1)
    for record in range(len(ratings.indptr) - 1):
        block, word = record >> 9, (record >> 6) & 7
        bit = one << np.uint64(record & 63)
        for entry in range(ratings.indptr[record], ratings.indptr[record + 1]):
            code = ratings.code[entry]
            for window in range(first[code], last[code] + 1):
                literal = key[ratings.issue[entry] * width + window]
                if literal >= 0:
                    rows[np.int64(literal) * blocks + block, word] |= bit


@part
def all_fit(stack: NDArray[np.uint64], literals: Literals) -> None:
    """Write everybody to the first row."""
    for block in range(len(literals.everybody)):
        for word in range(8):
            stack[block, word] = literals.everybody[block, word]


@part
def fewer(
    stack: NDArray[np.uint64],
    depth: int,
    rows: NDArray[np.uint64],
    literal: int | np.int64,
    blocks: int,
    limit: int,
) -> int:
    """Count the records in both, until there are ``limit``."""
    count = 0
    for block in range(blocks):
        count += common(stack, depth * blocks + block, rows, literal * blocks + block)
        if count >= limit:
            return limit
    return count


@part
def meet(
    out: NDArray[np.uint64],
    depth: int,
    rows: NDArray[np.uint64],
    literal: int | np.int64,
    blocks: int,
) -> int:
    """Write what is in row ``depth`` and in the literal to the next row, and count it."""
    count = 0
    for block in range(blocks):
        count += and_rows(
            out,
            (depth + 1) * blocks + block,
            out,
            depth * blocks + block,
            rows,
            literal * blocks + block,
        )
    return count


@part
def _sort(numbers: NDArray[np.int64], level: int, count: int) -> None:
    """Sort the first ``count`` of a row, ascending (Shell's sort:
    numba's own would count references).
    """
    gap = count // 2
    while gap > 0:
        for i in range(gap, count):
            number, slot = numbers[level, i], i
            while slot >= gap and numbers[level, slot - gap] > number:
                numbers[level, slot] = numbers[level, slot - gap]
                slot -= gap
            numbers[level, slot] = number
        gap //= 2


@part
def sought(issue: NDArray[np.int64], first: int, stop: int, wanted: int) -> int:
    """Return where an issue stands in a row, ascending, between two places;
    ``stop`` where it does not.
    """
    low, high = first, stop
    while low < high:
        middle = (low + high) >> 1
        if issue[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < stop and issue[low] == wanted else stop


@part
def _narrow(
    level: int,
    literal: int | np.int64,
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    space: Space,
) -> int:
    """Write who of the list at ``level`` fits a literal to the next one; return how many do.

    Above the first list is everybody, of whom the ratings of an issue by code say who does.
    """
    issue, window, count = literals.issue[literal], literals.window[literal], 0
    lowest, highest = windows.low[window], windows.high[window]
    if level == 0:
        start = issue * len(windows.own_first)
        for index in range(literals.column[start + lowest], literals.column[start + highest + 1]):
            space.fit[1, count] = literals.rater[index]
            space.fit_entry[1, count] = literals.entry[index] + 1
            count += 1
    for i in range(space.fits[level] if level > 0 else 0):
        record = np.int64(space.fit[level, i])
        stop = ratings.indptr[record + 1]
        entry = sought(ratings.issue, space.fit_entry[level, i], stop, issue)
        if entry < stop and lowest <= ratings.code[entry] <= highest:
            space.fit[level + 1, count], space.fit_entry[level + 1, count] = record, entry + 1
            count += 1
    space.fits[level + 1] = count
    return count


@part
def _count_later(level: int, ratings: Ratings, width: int, literals: Literals, space: Space) -> int:
    """Count for every literal who of a list fits it by a later rating.

    Return how many ratings there are.
    """
    steps = 0
    for i in range(space.fits[level]):
        record = np.int64(space.fit[level, i])
        for entry in range(space.fit_entry[level, i], ratings.indptr[record + 1]):
            code = ratings.code[entry]
            for window in range(space.fit_first[code], space.fit_last[code] + 1):
                literal = np.int64(literals.key[ratings.issue[entry] * width + window])
                if literal >= 0 and space.seen[literal] != space.stamp[0]:
                    space.seen[literal], space.left[literal] = space.stamp[0], 1
                elif literal >= 0:
                    space.left[literal] += 1
            steps += 1
    return steps


@search_kernel
def by_record(
    size: int,
    k: int,
    first: int,
    stop: int,
    budget: int,
    ratings: Ratings,
    windows: Windows,
    literals: Literals,
    state: State,
    space: Space,
) -> int:
    """Look at all conjunctions of ``size`` literals whose first is in ``first:stop``,
    for records one by one.

    For sparse data: below each literal stand the records that own it, with where their further
    ratings begin. Who fits is a set, or a list where data are so large that literals have none.
    Returns the words that were ANDed, or the ratings gone through in lists; -1 where those were
    more than ``budget``.
    """
    indptr, issue, code, width = ratings.indptr, ratings.issue, ratings.code, len(windows.low)
    blocks, listed = len(literals.everybody), len(literals.column) > 0
    all_fit(space.stack, literals)
    words, level, entering = 0, 0, True
    literal: int | np.int64
    while level >= 0:
        begin, end = space.begin[level], space.end[level]
        if entering and level == size - 1:
            # the last literal: each is counted once, for all records that own it
            space.stamp[0] += 1
            if listed:
                words += _count_later(level, ratings, width, literals, space)
            for i in range(begin, end):
                record, entry = np.int64(space.record[i]), space.entry[i]
                while entry < indptr[record + 1] and state.active[record]:
                    for window in range(
                        windows.own_first[code[entry]], windows.own_last[code[entry]] + 1
                    ):
                        literal = np.int64(literals.key[issue[entry] * width + window])
                        if level == 0 and (literal < first or literal >= stop):
                            continue
                        if not listed and space.seen[literal] != space.stamp[0]:
                            space.seen[literal] = space.stamp[0]
                            space.left[literal] = fewer(
                                space.stack, level, literals.fits, literal, blocks, k
                            )
                            words += 8 * blocks
                        if space.left[literal] < state.fewest[record]:
                            state.fewest[record] = space.left[literal]
                            for above in range(level):
                                state.witness[record, above] = space.path[above]
                            state.witness[record, level] = literal
                    if state.fewest[record] == 1:  # nothing leaves fewer than the record itself
                        state.active[record] = False
                    entry += 1
            if words > budget:
                return -1
            level -= 1
            entering = False
            continue
        if entering:
            # the literals that come next, ascending, and how many own each
            count = 0
            for i in range(begin, end):
                record = np.int64(space.record[i])
                until = indptr[record + 1] - (size - 1 - level) if state.active[record] else 0
                for entry in range(space.entry[i], until):
                    for window in range(
                        windows.own_first[code[entry]], windows.own_last[code[entry]] + 1
                    ):
                        literal = np.int64(literals.key[issue[entry] * width + window])
                        if level == 0 and (literal < first or literal >= stop):
                            continue
                        if space.owners[literal] == 0:
                            space.literal[level, count] = literal
                            count += 1
                        space.owners[literal] += 1
            _sort(space.literal, level, count)
            # a counting sort: the records below each of them
            upto = space.room[level]
            for child in range(count):
                literal = space.literal[level, child]
                space.place[literal] = upto
                upto += space.owners[literal]
                space.upto[level, child] = upto
                space.owners[literal] = 0
            for i in range(begin, end):
                record = np.int64(space.record[i])
                until = indptr[record + 1] - (size - 1 - level) if state.active[record] else 0
                for entry in range(space.entry[i], until):
                    for window in range(
                        windows.own_first[code[entry]], windows.own_last[code[entry]] + 1
                    ):
                        literal = np.int64(literals.key[issue[entry] * width + window])
                        if level == 0 and (literal < first or literal >= stop):
                            continue
                        space.record[space.place[literal]] = record
                        space.entry[space.place[literal]] = entry + 1
                        space.place[literal] += 1
            space.children[level], space.child[level] = count, -1
        space.child[level] += 1
        child = space.child[level]
        if child >= space.children[level]:
            level -= 1
            entering = False
            continue
        # down to a literal: who fits it too, and the records that stand below it
        literal = np.int64(space.literal[level, child])
        space.path[level] = literal
        if listed:
            words += _narrow(level, literal, ratings, windows, literals, space)
        else:
            meet(space.stack, level, literals.fits, literal, blocks)
            words += 8 * blocks
        space.begin[level + 1] = space.upto[level, child - 1] if child > 0 else space.room[level]
        space.end[level + 1] = space.upto[level, child]
        level += 1
        entering = True
    return words


@search_kernel
def by_cell(
    size: int,
    k: int,
    first: int,
    stop: int,
    budget: int,
    literals: Literals,
    state: State,
    space: Cells,
) -> int:
    """Do as :func:`by_record`, literal by literal: for data in which most records rate most issues.

    Owners are sets too, and a conjunction that no record owns for whom fewer are looked for is
    passed over.
    """
    blocks, last = len(literals.everybody), len(literals.issue)
    bit, words = np.uint64(1), 0
    all_fit(space.stack, literals)
    for block in range(blocks):
        for word in range(8):
            space.owners[block, word] = np.uint64(0)
    for owner in range(len(state.active)):
        if state.active[owner]:
            space.owners[owner >> 9, (owner >> 6) & 7] |= bit << np.uint64(owner & 63)
    level = 0
    literal: int | np.int64
    space.following[0] = first
    while level >= 0:
        literal = space.following[level]
        if literal >= (stop if level == 0 else last):
            level -= 1
            continue
        space.following[level] = literal + 1
        words += 8 * blocks
        if words > budget:
            return -1
        if level < size - 1:
            if meet(space.owners, level, literals.owners, literal, blocks):
                meet(space.stack, level, literals.fits, literal, blocks)
                words += 8 * blocks
                space.path[level] = literal
                level += 1
                space.following[level] = literals.following[literal]
            continue
        if not fewer(space.owners, level, literals.owners, literal, blocks, 1):
            continue
        left = fewer(space.stack, level, literals.fits, literal, blocks, k)
        if left >= k:
            continue
        for block in range(blocks):
            for word in range(8):
                row = level * blocks + block
                some = space.owners[row, word] & literals.owners[literal * blocks + block, word]
                while some:
                    lowest = some & (~some + bit)
                    some ^= lowest
                    record = (block << 9) + (word << 6) + np.int64(popcount(lowest - bit))
                    if left < state.fewest[record]:
                        state.fewest[record] = left
                        for above in range(level):
                            state.witness[record, above] = space.path[above]
                        state.witness[record, level] = literal
                    if left == 1:  # nothing leaves fewer than the record itself
                        state.active[record] = False
                        for above in range(level + 1):
                            space.owners[above * blocks + block, word] &= ~lowest
    return words

"""How many records fit random subsets of a record's ratings: all of them, or drawn. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.audit.exposure._search import mixed
from ratingpriv.audit.known._search import all_fit, sought
from ratingpriv.base.compute.bitsets import and_rows
from ratingpriv.base.compute.compiling import part, search_kernel


@part
def _listed(size: int, start: int, chosen: Any, ratings: Any, windows: Any, literals: Any) -> int:
    """Count the records that fit: of those that fit the rarest of the chosen ratings, who fits the others."""
    levels, left = len(windows.own_first), 0
    rarest, fewest = 0, len(ratings.issue) + 1
    for position in range(size):
        entry = start + chosen[position]
        column, code = ratings.issue[entry] * levels, ratings.code[entry]
        fit = literals.column[column + windows.high[code] + 1] - literals.column[column + windows.low[code]]
        if fit < fewest:
            rarest, fewest = position, fit
    entry = start + chosen[rarest]
    first = literals.column[ratings.issue[entry] * levels + windows.low[ratings.code[entry]]]
    for other in range(first, first + fewest):
        record, fits = np.int64(literals.rater[other]), True
        for position in range(size):
            if position != rarest and fits:
                entry = start + chosen[position]
                code, stop = ratings.code[entry], ratings.indptr[record + 1]
                there = sought(ratings.issue, ratings.indptr[record], stop, ratings.issue[entry])
                fits = there < stop and windows.low[code] <= ratings.code[there] <= windows.high[code]
        left += fits
    return left


@part
def _left(size: int, start: int, chosen: Any, ratings: Any, windows: Any, literals: Any, stack: Any) -> int:
    """Count the records that fit the chosen ratings of the row that starts at ``start``."""
    if len(literals.column) > 0:
        return _listed(size, start, chosen, ratings, windows, literals)
    blocks, left, width = len(literals.everybody), 0, len(windows.low)
    all_fit(stack, literals)
    for place in range(size):
        entry, left = start + chosen[place], 0
        literal = np.int64(literals.key[ratings.issue[entry] * width + ratings.code[entry]])
        for block in range(blocks):
            left += and_rows(stack, block, stack, block, literals.fits, literal * blocks + block)
    return left


@search_kernel
def count_subsets(
    size: int, k: int, first: int, stop: int, samples: int, seed: Any, ratings: Any, windows: Any,
    literals: Any, space: Any, found: Any,
) -> None:  # fmt: skip
    """Count which subsets of ``size`` ratings of records ``first:stop`` leave fewer than k: of some, or all.

    Of ``samples`` drawn from ``seed`` and a record's position each is the first places of a shuffle that is
    ended there (Fisher and Yates). All come in lexicographic order: the last place that can is moved on, and
    those behind follow it. With 2 of 3 ratings: 0 1, 0 2, 1 2.
    """
    chosen, golden = space.chosen, np.uint64(0x9E3779B97F4A7C15)
    for record in range(first, stop):
        start = ratings.indptr[record]
        rated = ratings.indptr[record + 1] - start
        if rated < size:
            continue
        state = mixed(seed + np.uint64(record) * golden)
        for position in range(rated):
            chosen[position] = position
        moving, rounds = 0, 0
        while moving >= 0:
            for position in range(size if samples > 0 else 0):
                state += golden
                share = np.float64(mixed(state) >> np.uint64(11)) * 2.0**-53
                other = position + np.int64(share * (rated - position))
                chosen[position], chosen[other] = chosen[other], chosen[position]
            left = _left(size, start, chosen, ratings, windows, literals, space.stack)
            found.sets[record] += 1
            found.below[record] += left < k
            found.picks[record] += 1.0 / left
            rounds += 1
            if samples > 0:
                moving = samples - rounds - 1
                continue
            moving = size - 1
            while moving >= 0 and chosen[moving] == rated - size + moving:
                moving -= 1
            if moving >= 0:
                chosen[moving] += 1
                for after in range(moving + 1, size):
                    chosen[after] = chosen[after - 1] + 1

"""How many records fit random subsets of a record's ratings: all of them, or drawn. Arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ratingpriv.audit.exposure._search import mixed
from ratingpriv.base.compute.bitsets import and_rows
from ratingpriv.base.compute.compiling import part, search_kernel

__all__ = ["draw", "enumerate_all"]


@part
def _left(size: int, start: int, chosen: Any, ratings: Any, literals: Any, width: int, stack: Any) -> int:
    """Count the records that fit the chosen ratings of the row that starts at ``start``."""
    blocks, left = len(literals.everybody), 0
    for block in range(blocks):
        for word in range(8):
            stack[block, word] = literals.everybody[block, word]
    for place in range(size):
        entry, left = start + chosen[place], 0
        literal = np.int64(literals.key[ratings.issue[entry] * width + ratings.code[entry]])
        for block in range(blocks):
            left += and_rows(stack, block, stack, block, literals.fits, literal * blocks + block)
    return left


@search_kernel
def enumerate_all(
    size: int, k: int, first: int, stop: int, ratings: Any, literals: Any, width: int, space: Any, found: Any
) -> None:
    """Go through all subsets of ``size`` ratings of records ``first:stop``; how many leave fewer than k.

    Subsets come in lexicographic order: the last place that can is moved on, and those behind follow it.
    """
    chosen = space.chosen
    for record in range(first, stop):
        start = ratings.indptr[record]
        rated = ratings.indptr[record + 1] - start
        if rated < size:
            continue
        for place in range(size):
            chosen[place] = place
        while True:
            left = _left(size, start, chosen, ratings, literals, width, space.stack)
            found.sets[record] += 1
            found.below[record] += left < k
            found.picks[record] += 1.0 / left
            place = size - 1
            while place >= 0 and chosen[place] == rated - size + place:
                place -= 1
            if place < 0:
                break
            chosen[place] += 1
            for after in range(place + 1, size):
                chosen[after] = chosen[after - 1] + 1


@search_kernel
def draw(
    size: int, k: int, first: int, stop: int, samples: int, seed: Any, ratings: Any, literals: Any,
    width: int, space: Any, found: Any,
) -> None:  # fmt: skip
    """Do as :func:`enumerate_all` for ``samples`` subsets a record, drawn from ``seed`` and its position.

    A subset is the first places of a shuffle that is ended there (Fisher and Yates).
    """
    chosen, golden = space.chosen, np.uint64(0x9E3779B97F4A7C15)
    for record in range(first, stop):
        start = ratings.indptr[record]
        rated = ratings.indptr[record + 1] - start
        if rated < size:
            continue
        state = mixed(seed + np.uint64(record) * golden)
        for place in range(rated):
            chosen[place] = place
        for _ in range(samples):
            for place in range(size):
                state += golden
                share = np.float64(mixed(state) >> np.uint64(11)) * 2.0**-53
                other = place + np.int64(share * (rated - place))
                chosen[place], chosen[other] = chosen[other], chosen[place]
            left = _left(size, start, chosen, ratings, literals, width, space.stack)
            found.sets[record] += 1
            found.below[record] += left < k
            found.picks[record] += 1.0 / left

"""The (k-1)-core of the proximity graph: in rounds, or along lists where rounds would take one record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.suppression.remaining import Remaining
from ratingpriv.base.compute.compiling import compiled
from ratingpriv.proximity.pairs import pairs

_Whole = NDArray[np.int64]

_ROUNDS = 32
"""After so many rounds in a row that take out few records, the neighbours of those at risk are listed."""

_FEW = 512
"""Records that the engine takes off in one visit to each query: fewer cost a round as much."""

_LISTED = 4_000_000
"""Neighbours that are listed at once, about."""


def take_the_core(remaining: Remaining, k: int, report: Callable[[int], None]) -> None:
    """Suppress whoever has fewer than ``k`` neighbours, itself included, until nobody has.

    Leaves the (k-1)-core of the proximity graph: whatever order records go in, the same ones are left. A
    chain of records, each of which goes when the one before it has gone, would take as many rounds as it has
    records; so after some rounds the neighbours of the records with the fewest are listed, and the chain is
    followed there.
    """
    rounds = 0
    while True:
        gone = remaining.alive & (remaining.sizes < k)
        count = int(np.count_nonzero(gone))
        if not count:
            return
        rounds = rounds + 1 if count <= _FEW else 0
        if rounds > _ROUNDS:
            gone |= _followed(remaining, k)
            rounds = 0
        remaining.suppress(gone)
        report(int(np.count_nonzero(~remaining.alive)))


def _followed(remaining: Remaining, k: int) -> NDArray[np.bool_]:
    """Return who goes along the listed neighbours of the records that have the fewest, bool (n_records,).

    Nobody goes who would not go anyway; others may have to go later.
    """
    alive = np.flatnonzero(remaining.alive)
    sizes = remaining.sizes[alive]
    order = np.argsort(sizes, kind="stable")
    listed = np.zeros(len(alive), dtype=bool)
    listed[order[: max(1, int(np.searchsorted(np.cumsum(sizes[order]), _LISTED)))]] = True
    of = remaining.neighbours
    owners, others = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for block in pairs(of.table.take(alive), of.epsilon, nulls=of.nulls, subset=listed):
        for owner, other in ((block.left, block.right), (block.right, block.left)):
            owners.append(owner[listed[owner]])
            others.append(other[listed[owner]])
    owner, near = np.concatenate(owners), np.concatenate(others)
    start = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(alive))))).astype(np.int64)
    near = near[np.argsort(owner, kind="stable")]
    gone = np.zeros(len(alive), dtype=bool)
    peel(start, near, sizes.copy(), k, gone, np.empty(len(alive), dtype=np.int64))
    of_all = np.zeros(len(remaining.alive), dtype=bool)
    of_all[alive[gone]] = True
    return of_all


@compiled()
def peel(start: _Whole, near: _Whole, sizes: _Whole, k: int, gone: NDArray[np.bool_], queue: _Whole) -> int:
    """Take out records with fewer than ``k`` neighbours (themselves included) until no listed one is left.

    The neighbours of record i are ``near[start[i]:start[i + 1]]``: nobody's list but that of a record without
    any neighbour is empty, unless it is not listed, and then it stays. ``sizes`` int64 (n,), |N(t)|, are
    lowered as neighbours go; ``gone`` bool (n,), False, gets who was taken out; ``queue`` int64 (n,) is
    scratch. Returns how many were taken out. Of 0-1-2-3-3, each near to the next, at k = 3: 0 has two
    neighbours and goes, which leaves 1 with two, and so on; 2 and both 3 stay with three.
    """
    first, last = 0, 0
    for i in range(len(sizes)):
        if sizes[i] < k and (start[i + 1] > start[i] or sizes[i] == 1):
            gone[i] = True
            queue[last] = i
            last += 1
    while first < last:
        i = queue[first]
        first += 1
        for entry in range(start[i], start[i + 1]):  # who goes takes one from each neighbour
            other = near[entry]
            sizes[other] -= 1
            if sizes[other] < k and not gone[other] and start[other + 1] > start[other]:
                gone[other] = True
                queue[last] = other
                last += 1
    return last

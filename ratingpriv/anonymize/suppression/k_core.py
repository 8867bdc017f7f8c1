"""The (k-1)-core of the proximity graph: in rounds, or along lists where rounds would take one record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.suppression._k_core import peel
from ratingpriv.anonymize.suppression.remaining import Remaining
from ratingpriv.proximity.pairs import pairs

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
    left: list[NDArray[np.int64]] = []
    right: list[NDArray[np.int64]] = []
    for block in pairs(of.table.take(alive), of.epsilon, nulls=of.nulls, subset=listed):
        for one, other in ((block.left, block.right), (block.right, block.left)):
            mine = listed[one]
            left.append(one[mine])
            right.append(other[mine])
    owner = np.concatenate(left) if left else np.empty(0, dtype=np.int64)
    near = np.concatenate(right) if right else np.empty(0, dtype=np.int64)
    start = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(alive))))).astype(np.int64)
    near = near[np.argsort(owner, kind="stable")]
    gone = np.zeros(len(alive), dtype=bool)
    peel(start, near, sizes.copy(), k, gone, np.empty(len(alive), dtype=np.int64))
    found = np.zeros(len(remaining.alive), dtype=bool)
    found[alive[gone]] = True
    return found

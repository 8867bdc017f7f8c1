"""Touching only who is at risk: who may stay untouched, and the cheapest place next to those who do.

(k,ε)-anonymity asks for neighbours, not for groups [SWLZ11, Def. 4.2]. The records of the (k-1)-core of the
proximity graph have k neighbours each among themselves, so all of them can be published as they are, whatever
becomes of the others. And another record is safe as soon as it is ε-proximate with k-1 of them. They need not
be proximate with each other, so it has up to 2ε of room on an issue where a group of its own has ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.dense import Dense
from ratingpriv.anonymize.modification.grouping import features, near_blocks
from ratingpriv.anonymize.modification.plan import Task
from ratingpriv.anonymize.suppression.k_core import take_the_core
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable

_BLOCK = 1 << 14  # records among which places are sought
_STRANGERS = 256  # untouched records from anywhere that are looked at in every block


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The cheapest place found for each of some records next to untouched ones."""

    records: NDArray[np.int64]  # (m,), positions, ascending
    cost: NDArray[np.float64]  # (m,), in numbers of the Measure; inf where none was found
    places: NDArray[np.float64]  # (m, p); the record in its place, NaN where null


def untouched(table: RatingTable, target: Target, resources: Resources) -> NDArray[np.bool_]:
    """Return which records make up the (k-1)-core, bool (n,): the most that can be published as they are."""
    remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
    report = partial(resources.report, "finding records to leave untouched", total=None)
    take_the_core(remaining, target.k, report)
    return remaining.alive


def places(task: Task, cells: Dense, core: NDArray[np.bool_], rng: np.random.Generator) -> Places:
    """Find a cheap place next to ``k - 1`` records of the ``core`` for every record outside it.

    Needs exact levels. Where there are many records, each looks at the core's records in a block of near
    ones, and at some from anywhere. With ``by.median`` a null becomes the issue's lower median, moved to
    within ε of the k - 1, or what a record has that is copied.
    """
    k, by, resources = task.target.k, task.by, task.resources
    n, p = cells.codes.shape
    inside, outside = np.flatnonzero(core), np.flatnonzero(~core)
    cost, where = np.full(len(outside), np.inf), np.full((len(outside), p), np.nan)
    if len(inside) == 0 or len(outside) == 0:
        return Places(outside, cost, where)
    blocks = [np.arange(n)]
    if n > 2 * _BLOCK:
        points = features(cells.codes, cells.levels, rng)
        blocks = near_blocks(points, np.ones(n, dtype=np.int64), _BLOCK, rng)
    number, wanted = np.cumsum(~core) - 1, np.zeros(p)
    for j in range(p if by.median else 0):
        codes = np.sort(cells.codes[:, j])
        rated = int(np.searchsorted(codes, len(cells.levels)))
        wanted[j] = cells.levels[codes[(rated - 1) // 2]] if rated else 0.0
    scale = kernels.Scale(
        cells.levels, by.width, by.smallest, by.largest, by.separates, task.fabricate, wanted
    )
    for block in blocks:
        near, movers = block[core[block]], block[~core[block]]
        if len(blocks) > 1:
            strangers = rng.choice(inside, size=min(_STRANGERS, len(inside)), replace=False)
            near = np.union1d(near, strangers)
        block_cost, block_where = np.full(len(movers), np.inf), np.full((len(movers), p), np.nan)
        arrays = (cells.codes[movers], cells.codes[near], k - 1, scale, block_cost, block_where)
        piece: Callable[[int, int], None] = partial(kernels.anchor, *arrays)
        units = np.ones(len(movers), dtype=np.int64)
        share_out(piece, units, resources.threads, resources.progress, "finding places")
        cost[number[movers]], where[number[movers]] = block_cost, block_where
    return Places(outside, cost, where)

"""The first plan: whom to leave, whom to move, and whom to group with whom.

(k,ε)-anonymity asks for neighbours, not for groups [SWLZ11, Def. 4.2]. The records of the (k-1)-core of the
proximity graph have k neighbours each among themselves, so all of them can be published as they are, whatever
becomes of the others. And another record is safe as soon as it is ε-proximate with k-1 of them. They need not
be proximate with each other, so it has up to 2ε of room on an issue where a group of its own has ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.dense import Dense, dense, fits_whole, labels_by_support
from ratingpriv.anonymize.modification.grouping import (
    cheap_groups,
    costs_of,
    features,
    near_blocks,
    place_rest,
)
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining, take_the_core
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import choose_windows
from ratingpriv.partition.groups import Groups

_BLOCK = 1 << 14  # records among which places are sought
_STRANGERS = 256  # untouched records from anywhere that are looked at in every block
_FEW = 100  # records up to which grouping everybody is tried, too
_LEVELS = 255  # ratings that codes of one byte tell apart


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


def first_plan(task: Task, rng: np.random.Generator) -> Plan:
    """Return what to do so that every record has k neighbours; l is not looked at.

    By the strategy "window" the core stays untouched and the others are seen to; where there is no core,
    everybody is grouped. Of few records both are tried: what the core spares is little there. A table that is
    too large to be laid out whole is grouped by its Hamming groups, and nobody is moved.
    """
    table, by, target = task.table, task.by, task.target
    if task.strategy == "paper":
        from ratingpriv.partition.papers.modification import graph_modification

        modified = graph_modification(
            table, target.k, target.epsilon, nulls=target.nulls, fabricate=task.fabricate
        )
        return Plan(modified.groups.labels)
    n, memory = table.n_records, task.resources.memory
    core = untouched(table, target, task.resources)
    if by.separates and not by.own and not fits_whole(n, table.n_issues, memory):

        def group_part(
            part: RatingTable, rng: np.random.Generator, resources: Resources
        ) -> NDArray[np.int64]:
            return group_all(replace(task, table=part, whole=max(task.whole, n), resources=resources), rng)

        return Plan(labels_by_support(table, target.k, core, group_part, rng, task.resources))
    everybody = Places(np.arange(n), np.full(n, np.inf), np.empty((n, 0)))
    around = _around(task, core, rng)
    if around is None or max(n, task.whole) > _FEW:
        return _weighed(task, around or everybody, rng)[0]
    ways = (_weighed(task, way, rng) for way in (around, everybody))
    return min(ways, key=lambda weighed: weighed[1])[0]


def _around(task: Task, core: NDArray[np.bool_], rng: np.random.Generator) -> Places | None:
    """Return who is outside the ``core``, and where each could move; None where there is no such way."""
    table, memory = task.table, task.resources.memory
    outside = np.flatnonzero(~core)
    if len(outside) == table.n_records:
        return None
    found = Places(outside, np.full(len(outside), np.inf), np.empty((len(outside), 0)))
    exact = dense(table, task.by, memory, _LEVELS)
    movable = exact.exact and task.by.whole and not task.by.own
    if movable and 8 * len(outside) * table.n_issues <= (2 << 30 if memory is None else memory):
        found = places(task, exact, core, rng)
    return None if len(outside) < task.target.k and np.isinf(found.cost).any() else found


def _weighed(task: Task, way: Places, rng: np.random.Generator) -> tuple[Plan, float]:
    """Return (plan, its cost in numbers of the Measure) of grouping some records or moving each."""
    labels = np.full(task.table.n_records, -1, dtype=np.int64)
    if len(way.records) >= task.target.k:
        cells = dense(task.table, task.by, task.resources.memory).of(way.records)
        labels[way.records] = _grouped(task, cells, way.cost, rng)
    lonely = labels[way.records] < 0
    groups = Groups.of_labels(labels).arranged()
    windows = choose_windows(task.table, task.by, *groups, fabricate=task.fabricate)
    plan = Plan(labels, way.records[lonely], way.places[lonely])
    return plan, float(windows.cost.sum()) + float(way.cost[lonely].sum())


def group_all(task: Task, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels int64 (n,) of groups of at least k, everybody in one, at a low cost."""
    cells = dense(task.table, task.by, task.resources.memory)
    return _grouped(task, cells, np.full(task.table.n_records, np.inf), rng)


def _grouped(
    task: Task, cells: Dense, alone: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    costs = costs_of(cells.levels, task.by, fabricate=task.fabricate, bands=cells.bands)
    k, resources = task.target.k, task.resources
    return cheap_groups(cells.codes, k, costs, alone, rng, resources, whole=task.whole)


def place_leftovers(task: Task, labels: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Put every record that is in no group into the one where it costs least; all are grouped if none is."""
    groups = Groups.of_labels(labels)
    if groups.count == 0:
        return group_all(task, rng)
    if len(groups.unplaced) == 0:
        return groups.labels
    cells = dense(task.table, task.by, task.resources.memory)
    costs = costs_of(cells.levels, task.by, fabricate=task.fabricate, bands=cells.bands)
    return place_rest(cells.codes, groups.labels, costs, groups.unplaced, task.resources)

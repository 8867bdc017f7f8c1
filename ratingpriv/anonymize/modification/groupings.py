"""The first plan: whom to leave, whom to move, and whom to group with whom."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.anchoring import places, untouched
from ratingpriv.anonymize.modification.dense import (
    Dense,
    dense,
    fits_whole,
    labels_by_support,
)
from ratingpriv.anonymize.modification.grouping import Effort, cheap_groups, costs_of, place_rest
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import choose_windows
from ratingpriv.partition.groups import Groups

_FEW = 100  # records up to which grouping everybody is tried, too
_LEVELS = 255  # ratings that codes of one byte tell apart


def first_plan(task: Task, rng: np.random.Generator) -> Plan:
    """Return what to do so that every record has k neighbours; l is not looked at."""
    if task.strategy == "window":
        return _least(task, rng)
    from ratingpriv.partition.papers.modification import graph_modification

    target = task.target
    found = graph_modification(
        task.table, target.k, target.epsilon, nulls=target.nulls, fabricate=task.fabricate
    )
    return Plan(found.groups.labels)


def group_all(task: Task, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels int64 (n,) of groups of at least k, everybody in one, at a low cost."""
    cells = dense(task.table, task.by, task.resources.memory)
    return _grouped(task, cells, np.full(task.table.n_records, np.inf), rng)


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


def _least(task: Task, rng: np.random.Generator) -> Plan:
    """Leave the core untouched and see to the others; group everybody where there is none.

    Of few records both are tried: what the core spares is little there. A table that is too large to be laid
    out whole is grouped by its Hamming groups, and nobody is moved.
    """
    n, by = task.table.n_records, task.by
    core = untouched(task.table, task.target, task.resources)
    if by.separates and not by.own and not fits_whole(n, task.table.n_issues, task.resources.memory):
        return Plan(
            labels_by_support(task.table, task.target.k, core, partial(_all_of, task), rng, task.resources)
        )
    everybody = _Way(np.arange(n), np.full(n, np.inf), np.empty((n, 0)))
    around = _around(task, core, rng)
    if around is None or max(n, task.whole) > _FEW:
        return _taken(task, around or everybody, rng)[0]
    return min((_taken(task, way, rng) for way in (around, everybody)), key=lambda taken: taken[1])[0]


def _all_of(
    task: Task, part: RatingTable, rng: np.random.Generator, resources: Resources
) -> NDArray[np.int64]:
    """Return groups of all records of a part of the task's table."""
    whole = max(task.whole, task.table.n_records)
    return group_all(replace(task, table=part, whole=whole, resources=resources), rng)


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """Records to group, positions ascending; what each costs if it is moved instead, and its place."""

    records: NDArray[np.int64]
    alone: NDArray[np.float64]
    places: NDArray[np.float64]


def _around(task: Task, core: NDArray[np.bool_], rng: np.random.Generator) -> _Way | None:
    """Return the way that leaves the ``core`` untouched; None where there is none, or it is no way."""
    table, memory = task.table, task.resources.memory
    outside = np.flatnonzero(~core)
    if len(outside) == table.n_records:
        return None
    alone, where = np.full(len(outside), np.inf), np.empty((len(outside), 0))
    exact = dense(table, task.by, memory, _LEVELS)
    movable = exact.exact and task.by.whole and not task.by.own
    if movable and _fits(len(outside), table.n_issues, memory):
        found = places(task, exact, core, rng)
        alone, where = found.cost, found.places
    if len(outside) < task.target.k and np.isinf(alone).any():
        return None
    return _Way(outside, alone, where)


def _taken(task: Task, way: _Way, rng: np.random.Generator) -> tuple[Plan, float]:
    """Return (plan, what it costs in numbers of the Measure) of going one way."""
    labels = np.full(task.table.n_records, -1, dtype=np.int64)
    if len(way.records) >= task.target.k:
        rows = dense(task.table, task.by, task.resources.memory).of(way.records)
        labels[way.records] = _grouped(task, rows, way.alone, rng)
    lonely = labels[way.records] < 0
    groups = Groups.of_labels(labels).arranged()
    windows = choose_windows(task.table, task.by, *groups, fabricate=task.fabricate)
    plan = Plan(labels, way.records[lonely], way.places[lonely])
    return plan, float(windows.cost.sum()) + float(way.alone[lonely].sum())


def _grouped(
    task: Task, cells: Dense, alone: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    costs = costs_of(cells.levels, task.by, fabricate=task.fabricate, bands=cells.bands)
    m, p = cells.codes.shape
    effort = Effort.for_rows(max(m, task.whole), p)
    return cheap_groups(cells.codes, task.target.k, costs, alone, rng, task.resources, effort=effort)


def _fits(records: int, issues: int, memory: int | None) -> bool:
    """Whether the places of all ``records`` can be kept in memory; without, they are grouped."""
    return 8 * records * issues <= (2 << 30 if memory is None else memory)

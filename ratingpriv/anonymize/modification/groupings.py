"""The first draft: groups by each of the groupings that modify() offers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.anchoring import places, untouched
from ratingpriv.anonymize.modification.clamping import plan
from ratingpriv.anonymize.modification.dense import Dense, dense
from ratingpriv.anonymize.modification.grouping import Effort, cheap_groups, costs_of, place_rest
from ratingpriv.anonymize.modification.plan import Asked, Draft
from ratingpriv.distortion.windows import Measure
from ratingpriv.partition.groups import Groups
from ratingpriv.table import RatingTable

__all__ = ["GROUPINGS", "first_draft", "group_all", "place_leftovers"]

GROUPINGS = ("distortion", "partition", "paper")
"""distortion: as little change as we can find; partition: cliques first; paper: [SWLP10, §4.4]."""

_SMALL = 5000  # records up to which both ways of the grouping "distortion" are tried
_LEVELS = 255  # ratings that codes of one byte tell apart


def first_draft(table: RatingTable, by: Measure, asked: Asked, rng: np.random.Generator) -> Draft:
    """Return what to do so that every record has k neighbours; l is not looked at."""
    if asked.grouping == "paper":
        from ratingpriv.partition.papers.modification import graph_modification

        found = graph_modification(
            table, asked.target.k, asked.target.epsilon, nulls=asked.target.nulls, fabricate=asked.fabricate
        )
        return Draft.of_groups(found.groups.labels)
    if asked.grouping == "partition":
        from ratingpriv.partition.partitioning import partition

        cliques = partition(
            table, k=asked.target.k, epsilon=asked.target.epsilon, nulls=asked.target.nulls,
            threads=asked.threads, memory=asked.memory, progress=asked.progress,
        ).groups  # fmt: skip
        return Draft.of_groups(place_leftovers(table, by, cliques.labels, asked, rng))
    return _least(table, by, asked, rng)


def group_all(table: RatingTable, by: Measure, asked: Asked, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels int64 (n,) of groups of at least k, everybody in one, at a low cost."""
    cells = dense(table, by, asked.memory)
    return _grouped(cells, by, asked, np.full(table.n_records, np.inf), rng)


def place_leftovers(
    table: RatingTable, by: Measure, labels: NDArray[np.int64], asked: Asked, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Put every record that is in no group into the one where it costs least; all are grouped if none is."""
    groups = Groups.of_labels(labels)
    if groups.count == 0:
        return group_all(table, by, asked, rng)
    if len(groups.unplaced) == 0:
        return groups.labels
    cells = dense(table, by, asked.memory)
    costs = costs_of(cells.levels, by, fabricate=asked.fabricate)
    return place_rest(
        cells.codes, groups.labels, costs, groups.unplaced, threads=asked.threads, progress=asked.progress
    )


def _least(table: RatingTable, by: Measure, asked: Asked, rng: np.random.Generator) -> Draft:
    """Leave the core untouched and see to the others; or group everybody, where that costs less."""
    target, n = asked.target, table.n_records
    core = untouched(table, target.k, target.epsilon, target.nulls, asked.threads, asked.progress)
    ways = [way for way in (_around(table, core, by, asked, rng), _everybody(table)) if way is not None]
    if len(ways) == 2 and (n > _SMALL or 2 * np.count_nonzero(~core) <= n):
        ways = ways[:1]  # a large core is well worth leaving alone
    if len(ways) == 2:
        short = Effort.for_rows(n, table.n_issues).quick()
        quick = [_taken(table, way, by, asked, rng, short) for way in ways]
        ways = [ways[0] if quick[0][1] <= quick[1][1] else ways[1]]
    return _taken(table, ways[0], by, asked, rng, None)[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """Records to group, positions ascending; what each costs if it is moved instead, and its place."""

    records: NDArray[np.int64]
    alone: NDArray[np.float64]
    target: NDArray[np.float64]


def _everybody(table: RatingTable) -> _Way:
    n = table.n_records
    return _Way(np.arange(n), np.full(n, np.inf), np.empty((n, 0)))


def _around(
    table: RatingTable, core: NDArray[np.bool_], by: Measure, asked: Asked, rng: np.random.Generator
) -> _Way | None:
    """Return the way that leaves the ``core`` untouched; None where there is none, or it is no way.

    The papers' strategies know groups only: there, nobody is moved next to the untouched.
    """
    outside = np.flatnonzero(~core)
    if len(outside) == table.n_records:
        return None
    alone, target = np.full(len(outside), np.inf), np.empty((len(outside), 0))
    exact = dense(table, by, asked.memory, _LEVELS)
    alike = asked.strategy == "window" and exact.exact and by.whole
    if alike and _fits(len(outside), table.n_issues, asked.memory):
        found = places(
            exact, core, asked.target.k, by, rng, fabricate=asked.fabricate, threads=asked.threads,
            progress=asked.progress,
        )  # fmt: skip
        alone, target = found.cost, found.target
    if len(outside) < asked.target.k and np.isinf(alone).any():
        return None
    return _Way(outside, alone, target)


def _taken(
    table: RatingTable, way: _Way, by: Measure, asked: Asked, rng: np.random.Generator, effort: Effort | None
) -> tuple[Draft, float]:
    """Return (draft, what it costs) of going one way."""
    labels = np.full(table.n_records, -1, dtype=np.int64)
    if len(way.records) >= asked.target.k:
        cells = dense(table, by, asked.memory)
        rows = Dense(cells.codes[way.records], cells.levels, cells.exact)
        labels[way.records] = _grouped(rows, by, asked, way.alone, rng, effort)
    lonely = labels[way.records] < 0
    draft = Draft(labels, way.records[lonely], way.target[lonely])
    return draft, _price(table, draft, by, asked) + float(way.alone[lonely].sum())


def _grouped(
    cells: Dense, by: Measure, asked: Asked, alone: NDArray[np.float64], rng: np.random.Generator,
    effort: Effort | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    return cheap_groups(
        cells.codes, asked.target.k, costs_of(cells.levels, by, fabricate=asked.fabricate), alone, rng,
        effort=effort, threads=asked.threads, progress=asked.progress,
    )  # fmt: skip


def _price(table: RatingTable, draft: Draft, by: Measure, asked: Asked) -> float:
    """Return what the draft's groups cost, in numbers of the Measure."""
    return float(plan(table, Groups.of_labels(draft.labels), by, fabricate=asked.fabricate).cost.sum())


def _fits(records: int, issues: int, memory: int | None) -> bool:
    """Whether the places of all ``records`` can be kept in memory; without, they are grouped."""
    return 8 * records * issues <= (2 << 30 if memory is None else memory)

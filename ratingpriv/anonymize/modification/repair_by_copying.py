"""Repair by copies: a record whose neighbourhood is too uniform becomes like one whose is diverse enough.

A copy of an untouched record u has the neighbourhood of u and itself. So where N(u) is diverse with some room
to spare, the copy is safe, and so is everybody else as long as few records move. Whether it worked is for the
audit to say; in every round the models are fewer, with more room to spare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.attempt import Attempt
from ratingpriv.anonymize.modification.dense import Dense
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.base.compute.parallel import share_out

_ROUNDS = 10
_LEAST_DIVERSE = 0.05  # of the records that could be models, this share is left out at first
_COMPARED = 4_000_000_000  # pairs of a record and a model; beyond, some models are drawn


def copying_plan(task: Task, cells: Dense, last: Attempt, turn: int, rng: np.random.Generator) -> Plan | None:
    """Return a plan that moves those whom the ``last`` attempt left at risk, or None where there is none.

    ``cells`` are exact codes of the task's table; ``turn`` counts the rounds from 0.
    """
    if turn >= _ROUNDS or not cells.exact:
        return None
    leaving = _leaving(last, task.target.k)
    loose = (last.plan.labels < 0) & ~leaving
    loose[last.plan.moved] = False
    models = _models(last, loose, task.target.l, _LEAST_DIVERSE + (1 - _LEAST_DIVERSE) * turn / _ROUNDS)
    movers = np.flatnonzero(leaving)
    most = max(1, _COMPARED // max(len(movers), 1))
    if len(models) > most:
        models = np.sort(rng.choice(models, size=most, replace=False))
    if len(models) == 0:
        return None
    rows, like = cells.codes[movers], cells.codes[models]
    model, cost = np.full(len(movers), -1, dtype=np.int64), np.full(len(movers), np.inf)

    def piece(first: int, end: int) -> None:
        kernels.nearest_copies(first, end, rows, like, cells.levels, task.fabricate, model, cost)

    units = np.ones(len(movers), dtype=np.int64)
    share_out(piece, units, task.resources.threads, task.resources.progress, "finding diverse places")
    if (model < 0).any():
        return None
    return last.plan.with_moves(movers, np.append(cells.numbers, np.nan)[like[model]])


def _leaving(last: Attempt, k: int) -> NDArray[np.bool_]:
    """Return who has to move, bool (n,): those at risk, and a group that would be left with less than k."""
    leaving = ~last.audit.satisfied_by_record
    labels, count = last.groups.labels, last.groups.count
    placed = labels >= 0
    staying = np.bincount(labels[placed & ~leaving], minlength=count)
    broken = (staying < k) & (staying < last.groups.sizes)
    leaving[placed] |= broken[labels[placed]]
    return leaving


def _models(
    last: Attempt,
    loose: NDArray[np.bool_],
    l: float | None,  # noqa: E741 -- the theory's word
    left_out: float,
) -> NDArray[np.int64]:
    """Return untouched records that meet the target, without the share ``left_out`` of the least diverse."""
    models = np.flatnonzero(loose & last.audit.satisfied_by_record)
    if l is None or len(models) == 0:
        return models
    diversity = np.min([last.audit.sd(c.name)[models] for c in last.table.numeric_sensitive], axis=0)
    return models[diversity >= np.quantile(diversity, left_out, method="lower")]

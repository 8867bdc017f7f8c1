"""Repair: the next plan, where the audit finds somebody at risk.

Groups of k records satisfy (k,ε), but with l a neighbourhood in the release may be larger than the
group, and less diverse: only the audit can tell. Two ways in rounds; the cheaper one that meets the
target is taken.

copying  A record whose neighbourhood is too uniform becomes a copy of an untouched record u, which
         has the neighbourhood of u and itself. So where N(u) is diverse with room to spare, the
         copy is safe, and so is everybody else as long as few move. In every round the models are
         fewer, with more to spare.
merging  Those at risk in no group get into one; each group that holds one is merged with the
         nearest. Every round leaves fewer groups and ungrouped records, so in the end every
         neighbourhood is the whole table; if that is not diverse enough we stop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ratingpriv.anonymize.modification import _anchoring as kernels
from ratingpriv.anonymize.modification.dense import Dense, dense
from ratingpriv.anonymize.modification.grouping import features, group_all, place_leftovers
from ratingpriv.anonymize.modification.plan import Attempt, Plan, Task, attempt
from ratingpriv.base.compute.parallel import share_out
from ratingpriv.partition.groups import Groups

_SMALL = 5000  # records up to which both ways are tried
_ROUNDS = 10  # of copying
_LEAST_DIVERSE = 0.05  # of the records that could be models, this share is left out at first
_COMPARED = 4_000_000_000  # pairs of a record and a model; beyond, some models are drawn
_NEAR = 12  # groups that a group may be merged with
_PATIENCE = 12  # rounds after which groups are merged with more and more others at once


def repaired(task: Task, made: Attempt, rng: np.random.Generator) -> tuple[Attempt, Attempt]:
    """Return (the cheaper of the repairs that meet the target, or the last one;
    the best one merged).
    """
    memory = task.resources.memory
    exact = dense(task.table, task.by, memory, 255)
    copied, _ = _rounds(task, made, lambda last, turn: copying_plan(task, exact, last, turn, rng))
    if copied.satisfied and task.table.n_records > _SMALL:
        return copied, made
    cells = dense(task.table, task.by, memory)
    points = features(cells.codes, cells.levels, rng)
    merged, best = _rounds(
        task, made, lambda last, turn: merging_plan(task, points, last, turn, rng)
    )
    if not (copied.satisfied and merged.satisfied):
        return (copied if copied.satisfied else merged), best
    return min(merged, copied, key=lambda repair: repair.cost), best


def _rounds(
    task: Task, made: Attempt, next_plan: Callable[[Attempt, int], Plan | None]
) -> tuple[Attempt, Attempt]:
    """Return (the first attempt that satisfies the target, or the last one; the best one)."""

    # k holds, a large l, few records at risk
    def reached(made: Attempt) -> tuple[bool, float, int]:
        audit = made.audit
        tops = () if audit.k_epsilon_l is None else audit.k_epsilon_l.max_l.values()
        least = min((top for top in tops if top is not None), default=float("inf"))
        return audit.k_epsilon.satisfied, least, -audit.n_violators

    best, turn = made, 0
    while not made.satisfied and (plan := next_plan(made, turn)) is not None:
        made = attempt(task, plan)
        best = max(best, made, key=reached)
        task.resources.report("repairing", turn, None)
        turn += 1
    return made, best


def copying_plan(
    task: Task, cells: Dense, last: Attempt, turn: int, rng: np.random.Generator
) -> Plan | None:
    """Return a plan that moves those whom the ``last`` attempt left at risk,
    or None where there is none.

    ``cells`` are exact codes of the task's table; ``turn`` counts the rounds from 0.
    """
    if turn >= _ROUNDS or not cells.exact:
        return None
    # who moves: those at risk, and a group that would be left with less than k
    leaving = ~last.audit.satisfied_by_record
    labels, count = last.groups.labels, last.groups.count
    placed = labels >= 0
    staying = np.bincount(labels[placed & ~leaving], minlength=count)
    broken = (staying < task.target.k) & (staying < last.groups.sizes)
    leaving[placed] |= broken[labels[placed]]
    movers = np.flatnonzero(leaving)
    # whom they may copy: untouched records that meet the target, without the least diverse of them
    loose = (last.plan.labels < 0) & ~leaving
    loose[last.plan.moved] = False
    models = np.flatnonzero(loose & last.audit.satisfied_by_record)
    if task.target.l is not None and len(models):
        sds = [last.audit.sd(column.name)[models] for column in last.table.numeric_sensitive]
        diversity = np.min(sds, axis=0)
        left_out = _LEAST_DIVERSE + (1 - _LEAST_DIVERSE) * turn / _ROUNDS
        models = models[diversity >= np.quantile(diversity, left_out, method="lower")]
    most = max(1, _COMPARED // max(len(movers), 1))
    if len(models) > most:
        models = np.sort(rng.choice(models, size=most, replace=False))
    if len(models) == 0:
        return None
    model, cost = np.full(len(movers), -1, dtype=np.int64), np.full(len(movers), np.inf)
    arrays = (cells.codes[movers], cells.codes[models], cells.levels, task.fabricate, model, cost)
    piece: Callable[[int, int], None] = partial(kernels.nearest_copies, *arrays)
    units = np.ones(len(movers), dtype=np.int64)
    share_out(
        piece, units, task.resources.threads, task.resources.progress, "finding diverse places"
    )
    if (model < 0).any():
        return None
    return last.plan.with_moves(
        movers, np.append(cells.numbers, np.nan)[cells.codes[models[model]]]
    )


def merging_plan(
    task: Task, points: NDArray[np.float32], last: Attempt, turn: int, rng: np.random.Generator
) -> Plan | None:
    """Return a plan with fewer groups and ungrouped records than the ``last`` attempt's, or None.

    ``points`` float32 (n, d) say which records are near each other; ``turn`` counts the rounds from
    0.
    """
    at_risk = ~last.audit.satisfied_by_record
    labels, merging = last.plan.labels.copy(), np.empty(0, dtype=np.int64)
    loose = np.flatnonzero(at_risk & (labels < 0))
    if len(loose) >= task.target.k:
        labels[loose] = labels.max() + 1 + group_all(task.of(loose), rng)
    elif len(loose) and labels.max(initial=-1) < 0:
        labels = group_all(task, rng)  # no group to go to
    elif len(loose):
        only = np.flatnonzero((labels >= 0) | at_risk)
        labels[only] = place_leftovers(task.of(only), labels[only])
    elif last.groups.count == 1 and len(last.groups.unplaced) == 0:
        return None
    else:  # those at risk were all grouped
        labels = last.groups.labels
        merging = np.unique(labels[at_risk])
    # once in vain is bad luck; many times, and the neighbourhoods reach far beyond the groups
    at_once = 1 if turn < _PATIENCE else 2 ** (turn - _PATIENCE)
    return last.plan.with_groups(_merged(Groups.of_labels(labels), merging, points, at_once))


def _merged(
    groups: Groups, merging: NDArray[np.int64], points: NDArray[np.float32], at_once: int
) -> NDArray[np.int64]:
    """Return labels with each group of ``merging`` joined by ``at_once`` near groups, once each.

    Where there is one group only, everybody is put into it.
    """
    if len(merging) == 0:
        return groups.labels
    if groups.count < 2:
        return np.zeros_like(groups.labels)
    members, bounds = groups.arranged()
    means = np.add.reduceat(points[members], bounds[:-1], axis=0) / groups.sizes[:, None]
    amount = min(max(_NEAR, 4 * at_once) + 1, groups.count)
    _, near = cKDTree(means).query(means[merging], k=amount)
    into = np.arange(groups.count)
    free = np.ones(groups.count, dtype=bool)
    for group, others in zip(merging.tolist(), np.atleast_2d(near).tolist(), strict=True):
        if not free[group]:
            continue
        # where all near ones were merged just now, its turn is in another round
        partners = [other for other in others if other != group and free[other]][:at_once]
        into[partners] = group
        free[[group, *partners]] = False
    labels = groups.labels.copy()
    labels[labels >= 0] = into[labels[labels >= 0]]
    return labels

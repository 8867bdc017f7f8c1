"""Repair by merging: what the audit finds at risk is grouped, and groups are merged, until nobody is.

Groups of k records satisfy (k,ε), but with l a neighbourhood in the release may be larger than the group, and
less diverse: only the audit can tell. So each round takes the records that the audit names. Those in no group
get into one; each group that holds one is merged with a near group, by preference one that makes it diverse.
Every round leaves fewer groups and ungrouped records, so in the end everybody is in one group: then every
neighbourhood is the whole table, and if that is not diverse enough we stop.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ratingpriv.anonymize.modification.attempt import Attempt
from ratingpriv.anonymize.modification.groupings import group_all, place_leftovers
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.partition.groups import Groups

_NEAR = 12  # groups that a group may be merged with
_PATIENCE = 12  # rounds after which groups are merged with more and more others at once


def merging_plan(
    task: Task, points: NDArray[np.float32], last: Attempt, turn: int, rng: np.random.Generator
) -> Plan | None:
    """Return a plan with fewer groups and ungrouped records than the ``last`` attempt's, or None.

    ``points`` float32 (n, d) say which records are near each other; ``turn`` counts the rounds from 0.
    """
    at_risk = ~last.audit.satisfied_by_record
    labels = _grouped(task, last.plan, at_risk, rng)
    whom = np.empty(0, dtype=np.int64)
    if labels is None:  # those at risk were all grouped
        if last.groups.count == 1 and len(last.groups.unplaced) == 0:
            return None
        labels = last.groups.labels
        whom = np.unique(labels[at_risk])
    groups = Groups.of_labels(labels)
    if len(whom) == 0:
        whom = np.flatnonzero(~_diverse(groups, task))
    # once in vain is bad luck; many times, and the neighbourhoods reach far beyond the groups
    at_once = 1 if turn < _PATIENCE else 2 ** (turn - _PATIENCE)
    return last.plan.with_groups(_merged(task, groups, whom, points, at_once))


def group_sds(groups: Groups, column: SensitiveColumn, rule: str) -> NDArray[np.float64]:
    """Return the SD of a sensitive column in each group, float64 (count,) [SWLZ11, Eq. 3]; +inf if all null.

    In float64, to choose by; verdicts are the audit's.
    """
    placed = groups.labels >= 0
    label, present = groups.labels[placed], column.present[placed]
    values = np.where(present, column.values[placed], 0.0)
    known = np.bincount(label, weights=present, minlength=groups.count)
    size = np.bincount(label, minlength=groups.count)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(label, weights=values, minlength=groups.count) / known
        off = np.where(present, values - mean[label], 0.0)
        spread = np.bincount(label, weights=off**2, minlength=groups.count)
        of_nulls = (size - known) * mean**2 if rule == "paper" else 0.0
        variance = (spread + of_nulls) / (size if rule == "paper" else known)
    return np.where(known == 0, np.inf, np.sqrt(variance))


def _grouped(
    task: Task, plan: Plan, at_risk: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """Return labels with everybody at risk in a group, or None where they all are already."""
    loose = np.flatnonzero(at_risk & (plan.labels < 0))
    if len(loose) == 0:
        return None
    labels = plan.labels.copy()
    if len(loose) >= task.target.k:
        labels[loose] = labels.max() + 1 + group_all(task.of(loose), rng)
        return labels
    if labels.max(initial=-1) < 0:
        return group_all(task, rng)  # no group to go to
    only = np.flatnonzero((labels >= 0) | at_risk)
    labels[only] = place_leftovers(task.of(only), labels[only], rng)
    return labels


def _diverse(groups: Groups, task: Task) -> NDArray[np.bool_]:
    """Return which groups have an SD of l on every sensitive issue, bool (count,), to choose by."""
    fine = np.ones(groups.count, dtype=bool)
    if task.target.l is not None:
        for column in task.table.numeric_sensitive:
            fine &= group_sds(groups, column, task.target.sensitive_nulls) >= task.target.l
    return fine


def _merged(
    task: Task, groups: Groups, whom: NDArray[np.int64], points: NDArray[np.float32], at_once: int
) -> NDArray[np.int64]:
    """Return labels with each group of ``whom`` merged with ``at_once`` near groups, once each.

    Where there is one group only, everybody is put into it.
    """
    if len(whom) == 0:
        return groups.labels
    if groups.count < 2:
        return np.zeros_like(groups.labels)
    members, bounds = groups.arranged()
    means = np.add.reduceat(points[members], bounds[:-1], axis=0) / groups.sizes[:, None]
    amount = min(max(_NEAR, 4 * at_once) + 1, groups.count)
    _, near = cKDTree(means).query(means[whom], k=amount)
    into = np.arange(groups.count)
    free = np.ones(groups.count, dtype=bool)
    for g, others in zip(whom, np.atleast_2d(near), strict=True):
        if not free[g]:
            continue
        open_ = [int(other) for other in others if other != g and free[other]]
        if not open_:
            rest = np.flatnonzero(free)
            open_ = [int(other) for other in rest[rest != g][:1]]
        if not open_:  # all near ones were merged just now: join the nearest of them
            into[g] = into[int(others[1] if others[0] == g else others[0])]
            free[g] = False
            continue
        chosen = _partners(task, int(g), open_, members, bounds)[:at_once]
        into[chosen] = g
        free[[g, *chosen]] = False
    labels = groups.labels.copy()
    labels[labels >= 0] = into[labels[labels >= 0]]
    return labels


def _partners(
    task: Task, g: int, others: list[int], members: NDArray[np.int64], bounds: NDArray[np.int64]
) -> list[int]:
    """Return ``others``, nearest first, in the order of preference: those that make ``g`` diverse enough."""
    l = task.target.l  # noqa: E741 -- the theory's word
    if l is None:
        return others
    mine = members[bounds[g] : bounds[g + 1]]
    lacking = []
    for other in others:
        both = np.concatenate((mine, members[bounds[other] : bounds[other + 1]]))
        one = Groups(np.zeros(len(both), dtype=np.int64), 1)
        least = min(
            float(group_sds(one, SensitiveColumn(c.name, c.values[both], c.present[both]),
                            task.target.sensitive_nulls)[0])
            for c in task.table.numeric_sensitive
        )  # fmt: skip
        lacking.append(max(0.0, l - least))
    return [others[at] for at in np.argsort(lacking, kind="stable")]

"""A task, a plan for it, and the attempt that comes of the plan.

Groups are chosen (:mod:`grouping`), a strategy applies the plan and the audit says what came of it,
and where somebody is still at risk a repair (:mod:`repair`) makes the next plan. A plan is never
changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.changes import (
    changed_table,
    clamp,
    move_to_places,
    no_changes,
)
from ratingpriv.anonymize.modification.paper_strategy import modify_as_the_paper
from ratingpriv.anonymize.result import audit_for
from ratingpriv.audit.result import AuditResult
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion, distortion_of
from ratingpriv.partition.distortion.windows import Measure, choose_windows
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.fixed_rules import with_own_issues

_CHANGING = 3  # steps of an attempt: ratings are changed, put into a table, audited


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A table, and what modify() shall make of it, with ``strategy`` and ``fabricate`` as there.

    ``by`` are its ratings as the numbers that costs are counted in. ``whole``: how many records
    there are in all where this is a class of them, as less effort is put into each of many; 0: they
    are all here.
    """

    table: RatingTable
    by: Measure
    target: Target
    strategy: str = "window"
    fabricate: bool = True
    resources: Resources = field(default_factory=Resources)
    whole: int = 0

    def of(self, positions: NDArray[np.int64]) -> Task:
        """Return the same task for some of the records, counted in the same numbers."""
        return replace(self, table=self.table.take(positions))


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is to be done with every record; who is in no group and does not move stays untouched.

    ``labels`` int64 (n,) are the groups, which become cliques, negative for none; ``moved`` int64
    (m,), ascending, records in no group that move next to untouched ones, and ``places`` float64
    (m, p) what they become, NaN where null, in numbers of the Measure.
    """

    labels: NDArray[np.int64]
    moved: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    places: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def unchanged(cls, n: int) -> Plan:
        """Return the plan that leaves all ``n`` records as they are."""
        return cls(np.full(n, -1, dtype=np.int64))

    def with_groups(self, labels: NDArray[np.int64]) -> Plan:
        """Return the plan with other groups.

        Who is in one does not move to a place of its own any more.
        """
        still = labels[self.moved] < 0
        return Plan(labels, self.moved[still], self.places[still])

    def with_moves(self, movers: NDArray[np.int64], places: NDArray[np.float64]) -> Plan:
        """Return the plan in which the ``movers`` leave their groups
        and go to ``places`` float64 (m, p).
        """
        labels = self.labels.copy()
        labels[movers] = -1
        before = ~np.isin(self.moved, movers)
        records = np.concatenate((self.moved[before], movers))
        rows = np.concatenate((self.places[before].reshape(-1, places.shape[1]), places))
        order = np.argsort(records)
        return Plan(labels, records[order], rows[order])


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What came of a plan: the records after it, their audit,
    and notes for whoever publishes them.
    """

    plan: Plan
    groups: Groups
    table: RatingTable
    audit: AuditResult
    distortion: Distortion
    notes: tuple[str, ...]

    @property
    def satisfied(self) -> bool:
        """Whether the target holds, by the audit."""
        return self.audit.satisfied

    @property
    def cost(self) -> float:
        """What was changed: over the whole range of a quasi-identifier
        is as far as over the scale.
        """
        moved = 0.0 if self.distortion.quasi is None else self.distortion.quasi.moved
        scale = self.table.scale
        return self.distortion.total + moved * (
            1.0 if scale is None else scale.maximum - scale.minimum
        )


def attempt(task: Task, plan: Plan) -> Attempt:
    """Apply the ``plan`` to the task's table and audit what comes out."""
    by, groups = task.by, Groups.of_labels(plan.labels)
    windows = choose_windows(
        task.table,
        by,
        *groups.arranged(),
        fabricate=task.fabricate,
        progress=task.resources.progress,
    )
    report = partial(task.resources.report, "changing ratings", total=_CHANGING)
    report(0)
    table = with_own_issues(task.table)
    changes = no_changes(table, by.every_number)
    notes: tuple[str, ...] = ()
    if task.strategy == "paper":
        notes = modify_as_the_paper(table, windows, by, changes, fabricate=task.fabricate)
    else:
        clamp(table, windows, changes)
    if len(plan.moved):
        move_to_places(table, plan.moved, plan.places, changes)
    report(1)
    released = changed_table(task.table, changes, by.unit, by.own)
    report(2)
    audit = audit_for(released, task.target, task.resources)
    report(_CHANGING)
    cost = distortion_of(task.table, released, np.arange(task.table.n_records))
    return Attempt(plan, groups, released, audit, cost, notes)

"""An attempt: the release that a plan makes by a strategy, audited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratingpriv.anonymize.modification.anchoring import move_to_places
from ratingpriv.anonymize.modification.changes import Changes, changed_table, no_changes
from ratingpriv.anonymize.modification.paper_strategy import modify_as_the_paper
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.anonymize.modification.window_strategy import clamp
from ratingpriv.anonymize.result import audit_for
from ratingpriv.audit.result import AuditResult
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion, distortion_of
from ratingpriv.partition.distortion.windows import choose_windows
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.fixed_rules import with_own_issues

STRATEGIES = ("window", "paper")
"""window: the least change that makes a group a clique; paper: the centroid rules of [SWLP10, §4.5]."""


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What came of a plan.

    Attributes
    ----------
    plan, groups : the plan, and its groups numbered as they are
    table : the records after the modification
    audit : of ``table``
    distortion : from the original
    notes : what a publisher should know
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
        """What was changed: over the whole range of a quasi-identifier is as far as over the scale."""
        moved = 0.0 if self.distortion.quasi is None else self.distortion.quasi.moved
        scale = self.table.scale
        return self.distortion.total + moved * (1.0 if scale is None else scale.maximum - scale.minimum)


def attempt(task: Task, plan: Plan) -> Attempt:
    """Apply the ``plan`` to the task's table and audit what comes out."""
    changes, notes = _applied(task, plan)
    released = changed_table(task.table, changes, task.by.unit, task.by.own)
    return Attempt(
        plan,
        Groups.of_labels(plan.labels),
        released,
        audit_for(released, task.target, task.resources),
        distortion_of(task.table, released, np.arange(task.table.n_records)),
        notes,
    )


def _applied(task: Task, plan: Plan) -> tuple[Changes, tuple[str, ...]]:
    """Return (what the plan changes, what a publisher should know of it)."""
    members, bounds = Groups.of_labels(plan.labels).arranged()
    windows = choose_windows(
        task.table, task.by, members, bounds, fabricate=task.fabricate, progress=task.resources.progress
    )
    table = with_own_issues(task.table)
    changes = no_changes(table, task.by.every_number)
    notes: tuple[str, ...] = ()
    if task.strategy == "paper":
        notes = modify_as_the_paper(table, windows, task.by, changes, fabricate=task.fabricate).notes()
    else:
        clamp(table, windows, changes)
    if len(plan.moved):
        move_to_places(table, plan.moved, plan.places, changes)
    return changes, notes

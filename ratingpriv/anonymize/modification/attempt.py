"""An attempt: the release that a plan makes, audited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ratingpriv.anonymize.modification.changes import changed_table
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.anonymize.modification.strategies import apply
from ratingpriv.anonymize.result import audit_for
from ratingpriv.audit.result import AuditResult
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion, distortion_of
from ratingpriv.partition.groups import Groups

__all__ = ["Attempt", "attempt"]


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
    changes, notes = apply(task, plan)
    released = changed_table(task.table, changes, task.by.unit, task.by.own)
    return Attempt(
        plan,
        Groups.of_labels(plan.labels),
        released,
        audit_for(released, task.target, task.resources),
        distortion_of(task.table, released, np.arange(task.table.n_records)),
        notes,
    )

"""Applying a plan: a strategy says what becomes of a group's ratings; who moves goes where it shall."""

from __future__ import annotations

from ratingpriv.anonymize.modification.anchoring import move_to_places
from ratingpriv.anonymize.modification.changes import Changes, no_changes
from ratingpriv.anonymize.modification.paper_strategy import modify_as_the_paper
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.anonymize.modification.window_strategy import clamp
from ratingpriv.partition.distortion.windows import choose_windows
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.fixed_rules import with_own_issues

__all__ = ["STRATEGIES", "apply"]

STRATEGIES = ("window", "paper")
"""window: the least change that makes a group a clique; paper: the centroid rules of [SWLP10, §4.5]."""


def apply(task: Task, plan: Plan) -> tuple[Changes, tuple[str, ...]]:
    """Return (what the plan changes, what a publisher should know of it)."""
    table, by = task.table, task.by
    members, bounds = Groups.of_labels(plan.labels).arranged()
    windows = choose_windows(
        table, by, members, bounds, fabricate=task.fabricate, progress=task.resources.progress
    )
    table = with_own_issues(table)
    changes = no_changes(table, by.every_number)
    notes: tuple[str, ...] = ()
    if task.strategy == "paper":
        notes = modify_as_the_paper(table, windows, by, changes, fabricate=task.fabricate).notes()
    else:
        clamp(table, windows, changes)
    if len(plan.moved):
        move_to_places(table, plan.moved, plan.places, changes)
    return changes, notes

"""Modification class by class: only records that agree on quasi-identifiers are made alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification.attempt import Attempt, attempt
from ratingpriv.anonymize.modification.classes.forming import Classes, classes_of
from ratingpriv.anonymize.modification.groupings import first_plan
from ratingpriv.anonymize.modification.plan import Plan, Task
from ratingpriv.data.table import RatingTable

type _Search = Callable[[Task, np.random.Generator], tuple[Attempt, Attempt]]


@dataclass(frozen=True, slots=True, eq=False)
class ByClass:
    """What came of it.

    Attributes
    ----------
    task, made : of the records that are released; the attempt is audited by all rules
    classes : what was made alike within
    """

    task: Task
    made: Attempt
    classes: Classes


def modify_by_class(task: Task, rng: np.random.Generator, search: _Search) -> ByClass:
    """Modify each class of ``task.table`` by itself; what does not meet the target is the best attempt.

    A class that does not meet the target, as it may be with an l, is no class any more: its records lose
    values of quasi-identifiers, and so join others. Where those who have lost all do not meet it, the
    smallest class joins them; until all meet it, or there is no other class.

    Parameters
    ----------
    search : returns (what it makes of one class, its best attempt) for the task of a class
    """
    shunned = np.zeros((0, len(task.table.quasi)), dtype=np.int64)
    while True:
        classes = classes_of(task.table, task.target.k, shunned)
        all_of = replace(task, table=classes.table, whole=len(classes.kept))
        last = ByClass(all_of, attempt(all_of, _plan(all_of, classes, rng, search)), classes)
        more = np.zeros(0) if last.made.satisfied else _to_dissolve(last)
        if len(more) == 0:
            return last
        shunned = np.concatenate((shunned, more))


def _to_dissolve(last: ByClass) -> NDArray[np.int64]:
    """Return the keys of classes that shall join others: those at risk; if one knows nothing, another.

    The records of the smallest class then join those that know nothing, until there is no other class.
    """
    at_risk, classes = ~last.made.audit.satisfied_by_record, last.classes
    failed = np.array([bool(at_risk[members].any()) for members in classes.members])
    knows = (classes.keys >= 0).any(axis=1)
    if failed[~knows].any():
        others = np.flatnonzero(knows & (failed | ~failed.any(where=knows)))
        sizes = np.array([len(classes.members[at]) for at in others])
        failed = np.isin(np.arange(len(failed)), others[np.argsort(sizes, kind="stable")][:1])
    keys: NDArray[np.int64] = classes.keys[failed]
    return keys


def _plan(task: Task, classes: Classes, rng: np.random.Generator, search: _Search) -> Plan:
    """Return the plans of all classes as one."""
    labels, places, moved, fresh = np.full(task.table.n_records, -1, dtype=np.int64), [], [], 0
    for number, members in enumerate(classes.members):
        plan = _of_class(replace(task, table=_alone(task.table, members)), rng, search)
        mine = plan.labels
        labels[members] = np.where(mine < 0, -1, mine + fresh)
        fresh += int(mine.max(initial=-1)) + 1
        if len(plan.moved):
            moved.append(members[plan.moved])
            places.append(plan.places)
        task.resources.report("modifying classes", number + 1, len(classes.members))
    if not moved:
        return Plan(labels)
    records = np.concatenate(moved)
    order = np.argsort(records)
    return Plan(labels, records[order], np.concatenate(places)[order])


def _of_class(task: Task, rng: np.random.Generator, search: _Search) -> Plan:
    """Return what to do with one class: nothing, where it meets the target by itself.

    Whether it has k neighbours is for the audit of all classes to say: groups have them by construction.
    """
    if task.target.l is None:
        return first_plan(task, rng)
    made = attempt(task, Plan.unchanged(task.table.n_records))
    if made.satisfied:
        return made.plan
    made, best = search(task, rng)
    return made.plan if made.satisfied else best.plan


def _alone(table: RatingTable, members: NDArray[np.int64]) -> RatingTable:
    """Return a class as a table of its own, without the quasi-identifiers on which all agree."""
    mine = table.take(members)
    return mine.replace(quasi=tuple(column for column in mine.quasi if column.within is not None))

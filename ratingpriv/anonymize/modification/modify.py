"""Modification: ratings changed, as little as we can find,
until a privacy target is met [SWLP10].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ratingpriv.anonymize.modification.classes import Classes, classes_of, said_of_classes
from ratingpriv.anonymize.modification.grouping import first_plan
from ratingpriv.anonymize.modification.plan import Attempt, Plan, Task, attempt
from ratingpriv.anonymize.modification.repair import repaired
from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters, Randomness
from ratingpriv.audit.diversity import sd_ceiling
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.numbers import in_full, largest_l
from ratingpriv.base.target import ReleaseTarget, Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.partition.distortion.windows import FILLS, measure
from ratingpriv.partition.groups import UNPLACED, Groups

STRATEGIES = ("window", "paper")
"""window: the least change that makes a group a clique; paper: the centroid rules of
[SWLP10, §4.5].
"""
_BEST = "the target was NOT reached; this is the best attempt"
_UNCHANGED = "the records meet the target as they are: nothing was changed, and no less can be"


def make(
    table: RatingTable,
    target: ReleaseTarget,
    randomness: Randomness,
    resources: Resources,
    *,
    strategy: str,
    fabricate: bool,
    fill: str,
) -> Anonymized:
    """Change ratings until the records meet the target; all records are released.

    But for fewer than k of them, where quasi-identifiers leave no other way. Sensitive ratings are
    never changed. No rating leaves the scale; whole numbers stay whole, decimals keep their grid. A
    table that meets the target already is returned unchanged. No category of a quasi-identifier is
    ever changed into another: see :mod:`ratingpriv.anonymize.modification.classes`. One that may
    differ by ``within`` is moved within windows of that width
    (:mod:`ratingpriv.partition.distortion.windows`).

    Parameters
    ----------
    strategy : "window": records that have k neighbours among themselves stay untouched, see
        :mod:`ratingpriv.anonymize.modification.grouping`, and each of the others is moved next to
        k-1 of them or grouped with others at risk, whatever costs less, see
        :mod:`ratingpriv.anonymize.modification.grouping`; a group gets the least change in Σ |x -
        x'| that makes it a clique, see :mod:`ratingpriv.partition.distortion.windows`. "paper":
        groups by merging and borrowing [SWLP10, §4.4], modified by the papers' rules
        [SWLP10, §4.5], see :mod:`ratingpriv.anonymize.modification.paper_strategy`
    fabricate : whether a null may become a rating. Without, an issue that only some of a group rate
        is suppressed
    fill : what a null becomes that becomes a rating, with the strategy "window". "metric": what is
        cheapest in the papers' metric, where a null is a 0: a low rating of those within ε of the
        group's, so that averages fall. "median": the lower median of the group's ratings, moved
        into its window (where a record moves next to others: the issue's, or what a copied record
        has); costs more by that metric

    Raises
    ------
    ParameterError
        The ratings, or the quasi-identifiers, do not suit the strategy "paper".
    TargetNotReachedError
        k is more than there are records, or no release with this l was found; the message has the
        proof if there is one, and what is within reach instead. ``best`` is the best attempt, or
        None.
    """
    movable = [column for column in table.quasi if column.within is not None]
    if movable and strategy == "paper":
        name = movable[0].name
        expected = (
            f"another one: the papers know no column with a tolerance of its own, as {name} has"
        )
        remedy = "leave it out, or let the column be equal, after banding"
        raise ParameterError("strategy", "paper", expected, remedy)
    _refuse_impossible(table, target)
    by = measure(table, target.epsilon, nulls=target.nulls, fill=fill)
    task = Task(table, by, target, strategy, fabricate, resources)
    seed = randomness.seed
    made = attempt(task, Plan.unchanged(table.n_records))
    if made.satisfied:
        return _result(task, made, seed, optimal=True, statement=_UNCHANGED)
    if table.quasi:
        release = _by_class(task, randomness.rng, seed)
    else:
        made, best = _made(task, randomness.rng)
        if not made.satisfied:
            raise _not_reached(_result(task, best, seed, optimal=False, statement=_BEST))
        release = _result(task, made, seed, optimal=False, statement=_statement(task, made))
    return replace(
        release, notes=(*release.notes, *randomness.notes), secret_seed=randomness.secret
    )


def check_options(*, strategy: str, fabricate: bool, fill: str) -> None:
    """Refuse an option that is none of its choices, or goes not with another.

    No data are needed for that.
    """
    checks.choice("strategy", strategy, STRATEGIES)
    checks.choice("fill", fill, FILLS)
    fabricate = checks.flag("fabricate", fabricate)
    if fill == "median" and not fabricate:
        expected = "not to be given with `fabricate=False`, which imputes nothing"
        raise ParameterError("fill", fill, expected, "drop one of them")
    if fill == "median" and strategy != "window":
        expected = f"not to be given with `strategy='{strategy}'`, which has rules of its own"
        raise ParameterError("fill", fill, expected, "use `strategy='window'`")


def _refuse_impossible(table: RatingTable, target: Target) -> None:
    """Raise TargetNotReachedError where a bound proves that no modification reaches k or l."""
    if target.k > table.n_records:
        raise TargetNotReachedError(
            f"k = {target.k} is more than the {table.n_records} records there are: no "
            f"modification can help, "
            f"proved; the largest k within reach is {table.n_records}"
        )
    if target.l is None:
        return
    ceilings = {
        c.name: sd_ceiling(c, sensitive_nulls=target.sensitive_nulls)
        for c in table.numeric_sensitive
    }
    name = min(ceilings, key=lambda name: ceilings[name])
    if ceilings[name] < target.l:
        raise TargetNotReachedError(
            f"l = {in_full(target.l)} is out of reach, proved: sensitive ratings are never "
            f"changed, and no "
            f"group of these records has an SD above {in_full(ceilings[name])} on {name} "
            f"(Popoviciu's "
            f"bound); ask for an l of at most {in_full(ceilings[name])}, which may still be "
            f"too much"
        )


def _made(task: Task, rng: np.random.Generator) -> tuple[Attempt, Attempt]:
    """Return (what was made of the task, its best attempt).

    Both the same where it meets the target.
    """
    made = attempt(task, first_plan(task, rng))
    return (made, made) if made.satisfied else repaired(task, made, rng)


def _by_class(task: Task, rng: np.random.Generator, seed: int | None) -> Anonymized:
    """Return the release of a table with quasi-identifiers; its records may be fewer.

    Only records that agree on them are made alike. A class that does not meet the target, as it may
    be with an l, is no class any more: its records lose values of quasi-identifiers, and so join
    others. Where those who have lost all do not meet it, the smallest class joins them; until all
    meet it, or there is no other class.
    """
    table, shunned = task.table, np.zeros((0, len(task.table.quasi)), dtype=np.int64)
    while True:
        classes = classes_of(table, task.target.k, shunned)
        released = replace(task, table=classes.table, whole=len(classes.kept))
        made = attempt(released, _plan_of_classes(released, classes, rng))
        if made.satisfied:
            break
        at_risk = ~made.audit.satisfied_by_record
        failed = np.array([bool(at_risk[members].any()) for members in classes.members])
        knows = (classes.keys >= 0).any(axis=1)
        if failed[~knows].any():
            others = np.flatnonzero(knows & (failed | ~failed.any(where=knows)))
            sizes = np.array([len(classes.members[other]) for other in others])
            failed = np.isin(np.arange(len(failed)), others[np.argsort(sizes, kind="stable")][:1])
        if not failed.any():
            break
        shunned = np.concatenate((shunned, classes.keys[failed]))
    labels = np.full(table.n_records, UNPLACED, dtype=np.int64)
    labels[classes.kept] = made.groups.labels
    cost = distortion_of(table, made.table, classes.kept)
    statement = _BEST
    if made.satisfied:
        equal = [column.name for column in table.quasi if not column.within]
        statement = f"{_statement(released, made)}. {said_of_classes(table, classes, cost, equal)}"
    release = _result(released, made, seed, optimal=False, statement=statement)
    release = replace(release, kept=classes.kept, groups=Groups.of_labels(labels), distortion=cost)
    if not made.satisfied:
        raise _not_reached(release)
    return release


def _plan_of_classes(task: Task, classes: Classes, rng: np.random.Generator) -> Plan:
    """Return the plans of all classes as one.

    Whether a class has k neighbours is for the audit of all to say: groups have them by
    construction.
    """
    whole, fresh = Plan.unchanged(task.table.n_records), 0
    for number, members in enumerate(classes.members):
        part = task.table.take(members)  # without the quasi-identifiers on which all agree
        part = part.replace(
            quasi=tuple(column for column in part.quasi if column.within is not None)
        )
        alone = replace(task, table=part)
        if task.target.l is None:
            plan = first_plan(alone, rng)
        elif (made := attempt(alone, Plan.unchanged(part.n_records))).satisfied:
            plan = made.plan
        else:
            made, best = _made(alone, rng)
            plan = made.plan if made.satisfied else best.plan
        whole.labels[members] = np.where(plan.labels < 0, -1, plan.labels + fresh)
        fresh += int(plan.labels.max(initial=-1)) + 1
        if len(plan.moved):
            whole = whole.with_moves(members[plan.moved], plan.places)
        task.resources.report("modifying classes", number + 1, len(classes.members))
    return whole


def _statement(task: Task, made: Attempt) -> str:
    grouped, moved = int(np.count_nonzero(made.groups.labels >= 0)), len(made.plan.moved)
    parts = []
    if grouped:
        kind = "group" if made.groups.count == 1 else "groups"
        how = "by the papers' strategies, which do not aim at the least cost"
        if task.strategy == "window" and task.by.median:
            how = (
                "at the least cost for the ratings of each group, with medians for what is imputed"
            )
        elif task.strategy == "window":
            how = "at the least cost for each such group (on the scale and the grid of the ratings)"
            how += "" if task.fabricate else " without imputing anything"
        parts.append(
            f"{grouped} records were made indistinguishable within ε in {made.groups.count} "
            f"{kind}, {how}"
        )
    if moved:
        who = "1 record was" if moved == 1 else f"{moved} records were"
        parts.append(f"{who} moved next to records that stay as they are")
    heuristic = "Who goes with whom was chosen by a heuristic: a better choice may exist"
    return f"{'; '.join(parts) or 'no rating was changed'}. {heuristic}"


def _result(
    task: Task, made: Attempt, seed: int | None, *, optimal: bool, statement: str
) -> Anonymized:
    fill = "median" if task.by.median else "metric"
    return Anonymized(
        table=made.table,
        kept=np.arange(made.table.n_records),
        groups=made.groups,
        method="modify",
        parameters=AnonymizeParameters.of(
            task.target,
            seed=seed,
            strategy=task.strategy,
            grouping="paper" if task.strategy == "paper" else "distortion",
            fabricate=task.fabricate,
            fill=fill if task.strategy == "window" and task.fabricate else None,
        ),
        distortion=made.distortion,
        optimal=optimal,
        statement=statement,
        audit=made.audit,
        notes=made.notes,
    )


def _not_reached(best: Anonymized) -> TargetNotReachedError:
    target, audit = best.parameters, best.audit
    reached = "" if audit.k_epsilon_l is None else largest_l(audit.k_epsilon_l.max_l)
    words = f"k = {target.k}, epsilon = {in_full(target.epsilon)}" + (
        "" if target.l is None else f", l = {in_full(target.l)}"
    )
    return TargetNotReachedError(
        f"no release with {words} is known, which proves nothing: groups were merged until all "
        f"records were one. The best attempt leaves {audit.n_violators} records at risk; with "
        f"this k and epsilon it has a largest k of {audit.k_epsilon.max_k}"
        + (f" and a largest l of {reached}" if reached else "")
        + "; ask for these, or suppress records instead",
        best,
    )

"""Predictive Anonymization: the method ``predictive`` [CTWY10].

Records are padded with predicted ratings, similar ones are grouped, and all of a group are made
identical. The published part of the paper that we have starts at the end of its §4.2; the padding
(P0), the sample and "bounded t-means" are our reading, named as such in
:mod:`ratingpriv.utility.prediction` and :mod:`ratingpriv.anonymize.predictive.groups`. What may be
claimed of the result, and what the paper's theorems do not give, is in
:mod:`ratingpriv.anonymize.predictive.homogenise`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ratingpriv.anonymize.modification.classes import classes_of, said_of_classes
from ratingpriv.anonymize.predictive.diversity import diversified, refuse_beyond_groups
from ratingpriv.anonymize.predictive.groups import CENTRES, groups_of, points_of
from ratingpriv.anonymize.predictive.homogenise import (
    LABELS,
    SCHEMES,
    Claims,
    added_cells,
    cells_of,
    exact_means,
    homogenised,
    link_confidence,
    padded_cells,
)
from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters, Randomness, audit_for
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.base.numbers import largest_l
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.utility.prediction import RatingModel

_MEMORY = 2 << 30  # bytes for a dense release, where nothing else is said
_BY_CONSTRUCTION = (
    "the records of a group are identical, so no attack can name one, which proves nothing: judge "
    "the release by profile disclosure and attribute inference"
)
_DATES = (
    "timestamps are not released: a mean rating has none, and a record's own would tell its real "
    "ratings "
    "from those it was given"
)


def make(
    table: RatingTable,
    target: ReleaseTarget,
    randomness: Randomness,
    resources: Resources,
    **options: Any,
) -> Anonymized:
    """Make the records of each group of k similar ones, or little more, identical [CTWY10, §4].

    All records are released, but for fewer than k where quasi-identifiers leave no other way.
    Sensitive ratings are neither predicted nor changed: they stay with the record.
    Quasi-identifiers are never changed into others: groups are made among records that have equal
    values, also of one that may differ ``within`` so much, a null being a value of its own; where
    that leaves classes of fewer than k, values are suppressed as
    :mod:`ratingpriv.anonymize.modification.classes` says. Timestamps are not released.

    ``options`` are those of :func:`check_options`. Members of a group are identical, so that any ε
    holds that 0 does. "padded" needs more than ``memory`` sooner; so may the distances of a bin.
    The error where the groups do not have this l names the largest, and its ``best`` is what was
    made. ``claims`` of the result say what its ratings give away.
    """
    scheme, labels, centres = (options[name] for name in ("scheme", "labels", "centres"))
    cover, factors, bins = check_options(**options)
    if target.k > table.n_records:
        raise TargetNotReachedError(
            f"k = {target.k} is more than the {table.n_records} records there are, proved; the "
            f"largest k "
            f"within reach is {table.n_records}"
        )
    if scheme == "padded":
        memory = _MEMORY if resources.memory is None else resources.memory
        cells = table.n_records * table.n_issues
        if (needed := 8 * cells) > memory:  # an issue and a code each, and what writes them
            raise ResourceError(
                "`scheme='padded'` releases a rating of every record on every issue: "
                f"{table.n_records:,} x {table.n_issues:,} = {cells:,} ratings, about "
                f"{needed >> 20:,} MiB, "
                f"and {memory >> 20:,} MiB may be used: allow more with `memory`, take fewer "
                f"`issues`, or "
                "use `scheme='pure'`"
            )
        if table.n_ratings == 0:
            raise ParameterError(
                "scheme", scheme, "data with ratings, to predict others from", "use 'pure'"
            )
    classes = classes_of(table, target.k, exact=True)
    data = classes.table
    of_groups, of_diversity = randomness.rng.spawn(2)
    model = RatingModel.fit(data, factors=factors, resources=resources)
    points = points_of(model)
    # groups within each class, which has random numbers of its own
    group, count = np.empty(len(points), dtype=np.int32), 0
    for members, seed in zip(classes.members, of_groups.spawn(len(classes.members)), strict=True):
        within = groups_of(points[members], target.k, seed, resources, bins=bins, centres=centres)
        group[members] = within + count
        count += int(within.max()) + 1
    given, added = cells_of(data, group), 0
    if cover is not None:
        refuse_beyond_groups(cover[1], len(given.sizes))
        if scheme != "padded":  # whose groups have everything
            pairs = diversified(
                group, data, cover, of_diversity, original=table, resources=resources
            )
            given, added = added_cells(data, group, given, pairs, model), len(pairs)
    if scheme == "padded":
        given = padded_cells(data, group, given, model, resources)
    released = homogenised(data, group, given, labels)
    cost = distortion_of(table, released, classes.kept)
    if cost.erased:
        raise AssertionError(f"{cost.erased} ratings have no released rating of their item")
    of_record = np.full(table.n_records, UNPLACED, dtype=np.int64)
    of_record[classes.kept] = group
    exact = exact_means(given, padded=scheme == "padded") if labels == "exact" else None
    sizes = (len(given.sizes), int(given.sizes.min()), int(given.sizes.max()))
    claims = Claims(*sizes, link_confidence(given, target.k), exact, cover, added)
    statement = _statement(scheme, labels, claims)
    if table.quasi and (
        about := said_of_classes(table, classes, cost, [column.name for column in table.quasi])
    ):
        statement = f"{statement}. {about}"
    how = {
        "scheme": scheme,
        "labels": labels,
        "diversity": cover,
        "factors": factors,
        "centres": centres,
    }
    how["bins"] = "auto" if bins is None else bins
    parameters = AnonymizeParameters.of(target, seed=randomness.seed, **how)
    made = Anonymized(
        table=released,
        kept=classes.kept,
        groups=Groups.of_labels(of_record),
        method="predictive",
        parameters=parameters,
        distortion=cost,
        optimal=False,
        statement=statement,
        audit=audit_for(released, target, resources),
        notes=(
            _BY_CONSTRUCTION,
            *(() if table.timestamps is None else (_DATES,)),
            *randomness.notes,
        ),
        secret_seed=randomness.secret,
        claims=claims,
    )
    if not made.satisfied:
        raise _not_reached(made)
    return made


def check_options(
    *,
    scheme: str,
    labels: str,
    diversity: Sequence[int] | None,
    centres: str,
    factors: int,
    bins: int | None,
    timestamps: bool = False,
) -> tuple[tuple[int, int] | None, int, int | None]:
    """Check the options, which need no data for that.

    Return the diversity (b, l), factors and bins.

    Refused beside what is out of range: ``timestamps`` in a release, and ``diversity`` with exact
    labels: what is added to groups has a mean of predictions, whose digits would show that nobody
    rated it.
    """
    checks.choice("scheme", scheme, SCHEMES)
    checks.choice("labels", labels, LABELS)
    checks.choice("centres", centres, CENTRES)
    bins = None if bins is None else checks.whole_number("bins", bins, 1)
    factors = checks.whole_number("factors", factors, 0)
    if timestamps:
        raise ParameterError(
            "timestamps", True, f"none with `method='predictive'`: {_DATES}", "leave it out"
        )
    if diversity is None:
        return None, factors, bins
    if isinstance(diversity, str) or not isinstance(diversity, Sequence) or len(diversity) != 2:
        raise ParameterError("diversity", diversity, "a pair (b, l) of whole numbers >= 1")
    b, groups = (checks.whole_number("diversity", number, 1) for number in diversity)
    if labels == "exact" and scheme == "pure":
        expected = (
            "'rounded' with `diversity`: the digits of an exact mean show which items were added "
            "to a group"
        )
        raise ParameterError("labels", labels, expected, "use `labels='rounded'`")
    return (b, groups), factors, bins


def _statement(scheme: str, labels: str, claims: Claims) -> str:
    sizes = f"{claims.smallest}" + (
        "" if claims.smallest == claims.largest else f" to {claims.largest}"
    )
    given = "every item that some of its group rated, with the mean of their ratings"
    if scheme == "padded":
        given = (
            "every item, with the mean of its group's ratings and of predicted ones where there "
            "are none"
        )
    rounded = ", rounded to the scale" if labels == "rounded" else ""
    groups = "1 group" if claims.groups == 1 else f"{claims.groups} groups"
    text = (
        f"the records of each of {groups} ({sizes} records) were made identical: each has "
        f"{given}{rounded}. "
    )
    if claims.diversity is not None:
        b, least = claims.diversity
        what = "Every rated item is"
        if b > 1:
            what = f"Every {b} items that a record rates together are"
        more = (
            f", for which {claims.added_cells} items were added to groups"
            if claims.added_cells
            else ""
        )
        text += f"{what} among those of at least {least} groups{more}. "
    return f"{text}Who goes with whom was chosen by a heuristic: a better choice may exist"


def _not_reached(best: Anonymized) -> TargetNotReachedError:
    target, audit = best.parameters, best.audit
    reached = largest_l({} if audit.k_epsilon_l is None else audit.k_epsilon_l.max_l)
    return TargetNotReachedError(
        f"the groups that were made do not reach {target.model}, which proves nothing of others: "
        f"{audit.n_violators} of {audit.dataset.records} records violate it. Sensitive ratings "
        f"are never "
        f"changed. The largest k that holds is {audit.k_epsilon.max_k}"
        + (f", the largest l: {reached}" if reached else "")
        + "; ask for these, or for a larger k",
        best,
    )

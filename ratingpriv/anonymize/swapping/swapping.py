"""Anonymising by swapping: cliques of k with little scatter, within which people exchange their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters, Randomness, audit_for
from ratingpriv.anonymize.swapping.exchange import Exchanged, bits_of, bits_of_the_system, exchange
from ratingpriv.anonymize.swapping.given_groups import read_given_groups
from ratingpriv.anonymize.swapping.swapped import Swapped, answers_sha256
from ratingpriv.attack.evaluation.group_tables import group_tables
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.answers import Compared, scatter
from ratingpriv.partition.near.checking import check_groups
from ratingpriv.partition.near.least import least_epsilon
from ratingpriv.partition.near.made import NULLS, NearGroups
from ratingpriv.partition.near.near import near_groups
from ratingpriv.proximity.reservations import has_missing

LEFT_OUT = 0.02
"""Of the people so many may be left out where ε is looked for: the smallest ε that leaves no more."""
MOST_LEFT_OUT = 0.5
"""And so many where ε is given: a release of less than half of the people is another data set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The method's own options, as :func:`ratingpriv.anonymize` has them."""

    swap_nulls: str | None
    withhold_at_most: float | None
    groups: str | Path | None
    max_share: float | None
    distinct: int | None
    entropy: float | None

    @property
    def demands(self) -> dict[str, Any]:
        """What each group shall meet on each sensitive column."""
        return {"max_share": self.max_share, "distinct": self.distinct, "entropy": self.entropy}


def check_options(**options: Any) -> None:
    """Refuse values of the method's own options that no data could make right."""
    asked = _Asked(**options)
    if asked.swap_nulls is not None:
        checks.choice("swap_nulls", asked.swap_nulls, NULLS)
    if asked.withhold_at_most is not None:
        share = checks.non_negative_number("withhold_at_most", asked.withhold_at_most)
        if share >= 1:
            raise ParameterError("withhold_at_most", share, "a share below 1, such as 0.02")
    if asked.groups is not None:
        checks.path("groups", asked.groups)
        if said := [name for name, value in asked.demands.items() if value is not None]:
            raise ParameterError(said[0], "with `groups`", f"no `{said[0]}`", "the groups are made already")


def make(
    table: RatingTable, target: ReleaseTarget, randomness: Randomness, resources: Resources, **options: Any
) -> Anonymized:
    """Exchange answers within groups of at least ``target.k`` people who answered within ε of each other.

    In each group every column of ratings, sensitive values and quasi-identifiers is permuted uniformly on its
    own, missing values included. Given the groups, what comes out depends on the data only by how many of
    each group gave each answer. Whoever is in no group is left out: nobody, or at least k.

    Parameters
    ----------
    target : ``searched``: ε is the smallest at which few enough are left out
    swap_nulls : what becomes of missing values: "exchange", as answers are, the default; "fill", each group
        lacks a value in no or in every record, the default where the null rule is "strict"; "strict", all of
        a group have the same ones missing
    withhold_at_most : the share of the people that may be left out; None: LEFT_OUT where ε is looked for,
        else MOST_LEFT_OUT
    groups : a file with the groups, see :mod:`ratingpriv.anonymize.swapping.given_groups`
    max_share, distinct, entropy : what each group shall meet on each sensitive column

    Raises
    ------
    ParameterError
        k is 1, there are fewer than 2k people, the groups are no cliques or of other data, or a demand is
        below the commonest share.
    TargetNotReachedError
        Too many would be left out; the message says which ε would do.
    """
    asked = _Asked(**options)
    checks.whole_number("k", target.k, 2)
    if table.n_records < 2 * target.k:
        expected = f"at least {2 * target.k}, twice `k`: one group alone exchanges with nobody else"
        raise ParameterError("table", f"{table.n_records} records", expected, "ask for a smaller `k`")
    _refuse_demand(table, asked)
    missing = has_missing(table) or table.lacks_quasi
    nulls = asked.swap_nulls or ("fill" if target.nulls == "strict" and missing else "exchange")
    if nulls == "exchange" and missing and target.nulls == "strict":
        expected = "wildcard: missing values are exchanged like answers, so that they match anything"
        remedy = "or fill and blank them within groups (`swap_nulls='fill'`)"
        raise ParameterError("nulls", target.nulls, expected, remedy)
    rule = "wildcard" if nulls == "exchange" and missing else "strict"
    near, target, smaller = _grouped(table, target, asked, nulls, resources)
    target = replace(target, nulls=rule, searched=False)
    given = randomness.secret is None
    made = exchange(
        table, near.groups, bits_of(randomness.rng) if given else bits_of_the_system, fill=nulls == "fill"
    )
    return _anonymized(table, target, asked, nulls, near, made, smaller, given, resources)


def _grouped(
    table: RatingTable, target: ReleaseTarget, asked: _Asked, nulls: str, resources: Resources
) -> tuple[NearGroups, ReleaseTarget, tuple[float, int] | None]:
    """Return the groups, the target with its ε, and the next smaller ε with how many it leaves out."""
    if asked.groups is not None:
        labels = read_given_groups(asked.groups, table)
        if target.searched:
            expected = "the distance that the groups were made at"
            raise ParameterError("epsilon", None, expected, "name it with `epsilon`")
        groups = check_groups(table, labels, target.k, target.epsilon, nulls)
        compared = Compared.of(table, target.epsilon, "strict" if nulls == "strict" else "wildcard", None)
        spread = scatter(compared.answers, groups.labels)
        return NearGroups(groups, spread, target.k, target.epsilon, nulls), target, None
    how = {**asked.demands, "l": target.l, "sensitive_nulls": target.sensitive_nulls, "nulls": nulls}
    how |= resources.keywords
    if target.searched:
        most = LEFT_OUT if asked.withhold_at_most is None else asked.withhold_at_most
        try:
            least = least_epsilon(table, target.k, most, **how)
        except ParameterError as error:
            raise TargetNotReachedError(f"{error}; `method='predictive'` keeps everybody", None) from error
        left = None
        if least.smaller is not None and least.smaller_left_out is not None:
            left = (least.smaller, least.smaller_left_out)
        return least.near, replace(target, epsilon=least.epsilon), left
    most = MOST_LEFT_OUT if asked.withhold_at_most is None else asked.withhold_at_most
    near = near_groups(table, target.k, target.epsilon, withhold_at_most=1.0, **how)
    if near.left_out_share > most:
        raise _too_many(table, target, near, most, how)
    return near, target, None


def _too_many(
    table: RatingTable, target: ReleaseTarget, near: NearGroups, most: float, how: dict[str, Any]
) -> TargetNotReachedError:
    """Return the error where too many would be left out, with the ε that would do."""
    reason = (
        f"with k = {target.k} and epsilon = {in_full(target.epsilon)}, {near.left_out:,} of "
        f"{table.n_records:,} records are in no group, more than the {100 * most:g} % that may be left out"
    )
    try:
        least = least_epsilon(table, target.k, most, **how)
        remedy = f"`epsilon={in_full(least.epsilon)}` leaves {least.near.left_out:,} out"
    except ParameterError:
        remedy = "no epsilon below the range does"
    others = "fewer questions (`issues='top:20'`), or `method='predictive'`"
    return TargetNotReachedError(f"{reason}; {remedy}; else select {others}", None)


def _refuse_demand(table: RatingTable, asked: _Asked) -> None:
    """Refuse a largest share that is below the commonest value's: no grouping of everybody can keep it."""
    if asked.max_share is None:
        return
    checks.non_negative_number("max_share", asked.max_share)
    if not table.sensitive:
        remedy = "name one with `sensitive`, or leave `max_share` out"
        raise ParameterError("max_share", asked.max_share, "data with a sensitive issue", remedy)
    for secret in table.sensitive:
        known = secret.values[secret.present]
        largest = float(np.unique(known, return_counts=True)[1].max(initial=0)) / table.n_records
        if asked.max_share < largest:
            expected = f"at least {largest:.3f}, the share of the commonest value of {secret.name}"
            remedy = "groups of everybody cannot have less of it; ask for that, or group values of the column"
            raise ParameterError("max_share", asked.max_share, expected, remedy)


def _anonymized(
    table: RatingTable,
    target: ReleaseTarget,
    asked: _Asked,
    nulls: str,
    near: NearGroups,
    made: Exchanged,
    smaller: tuple[float, int] | None,
    seeded: bool,
    resources: Resources,
) -> Anonymized:
    """Return what was exchanged, with what it says of itself."""
    groups = Groups.of_labels(near.groups.labels)
    sizes = groups.sizes
    claims = Swapped(
        groups=groups.count,
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        scatter=near.scatter,
        nulls=nulls,
        tables=group_tables(table, made.table, groups, groups.labels[made.kept]),
        constant=made.constant,
        smaller=None if smaller is None else smaller[0],
        smaller_left_out=None if smaller is None else smaller[1],
        sources=made.sources,
        answers_sha256=answers_sha256(table),
        seeded=seeded,
    )
    parameters = AnonymizeParameters.of(target, swap_nulls=nulls, withhold_at_most=asked.withhold_at_most)
    parameters = replace(parameters, **asked.demands)
    missing = ", missing values too" if nulls == "exchange" and target.nulls == "wildcard" else ""
    statement = (
        f"each record is put together from the values of at least {target.k} people who answered within "
        f"{in_full(target.epsilon)} of each other: within their group each column was permuted at random on "
        f"its own{missing}. Given the groups, the release tells how many of each gave each value, and no more"
    )
    notes = []
    if table.carried:
        names = listed_names([column.name for column in table.carried])
        notes.append(f"carried columns are not exchanged, so the release has none: {names}")
    return Anonymized(
        table=made.table,
        kept=made.kept,
        groups=groups,
        method="swap",
        parameters=parameters,
        distortion=distortion_of(table, made.table, made.kept),
        optimal=False,
        statement=statement,
        audit=audit_for(made.table, target, resources),
        notes=tuple(notes),
        claims=claims,
    )

"""Anonymising by swapping: cliques of k with little scatter,
within which people exchange their answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters, Randomness, audit_for
from ratingpriv.anonymize.swapping.exchange import Exchanged, bits_of, bits_of_the_system, exchange
from ratingpriv.anonymize.swapping.given_groups import read_given_groups
from ratingpriv.anonymize.swapping.swapped import Swapped
from ratingpriv.attack.evaluation.group_tables import group_tables
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.problems import listed_names
from ratingpriv.data.table.hashing import answers_sha256
from ratingpriv.partition.distortion.measure import distortion_of
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.near.answers import Compared, scatter
from ratingpriv.partition.near.checking import check_groups
from ratingpriv.partition.near.demands import Demands
from ratingpriv.partition.near.least import smallest
from ratingpriv.partition.near.made import NULLS, NearGrouping, NearGroups, comparing_rule, made
from ratingpriv.partition.near.near import MOST_LEFT_OUT, larger
from ratingpriv.proximity.demands import CountedDemands
from ratingpriv.proximity.reservations import has_missing

LEFT_OUT = 0.02
"""Of the people so many may be left out where ε is looked for: the smallest ε that leaves no
more.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked(CountedDemands):
    """The method's own options, as :func:`ratingpriv.anonymize` has them."""

    swap_nulls: str | None
    withhold_at_most: float | None
    groups: str | Path | None


def check_options(**options: Any) -> None:
    """Refuse values of the method's own options that no data could make right."""
    chosen = _Asked(**options)
    if chosen.swap_nulls is not None:
        checks.choice("swap_nulls", chosen.swap_nulls, NULLS)
    if chosen.withhold_at_most is not None:
        share = checks.non_negative_number("withhold_at_most", chosen.withhold_at_most)
        if share >= 1:
            raise ParameterError("withhold_at_most", share, "a share below 1, such as 0.02")
    if chosen.groups is not None:
        checks.path("groups", chosen.groups)
        if said := [*chosen.demands]:
            raise ParameterError(
                said[0], "with `groups`", f"no `{said[0]}`", "the groups are made already"
            )


def make(
    table: RatingTable,
    target: ReleaseTarget,
    randomness: Randomness,
    resources: Resources,
    **options: Any,
) -> Anonymized:
    """Exchange answers within groups of at least ``target.k`` people
    who answered within ε of each other.

    In each group every column of ratings, sensitive values and quasi-identifiers is permuted
    uniformly on its own, missing values included. Given the groups, what comes out depends on the
    data only by how many of each group gave each answer. Whoever is in no group is left out:
    nobody, or at least k.

    Parameters
    ----------
    target : ``searched``: ε is the smallest at which few enough are left out
    swap_nulls : what becomes of missing values: "exchange", as answers are, the default; "fill",
        each group lacks a value in no or in every record, the default where the null rule is
        "strict"; "strict", all of a group have the same ones missing
    withhold_at_most : the share of the records that may be suppressed; None: LEFT_OUT where ε is
        looked for, else MOST_LEFT_OUT
    groups : a file with the groups, see :mod:`ratingpriv.anonymize.swapping.given_groups`
    demands : what each group shall meet on each sensitive column
        (:class:`ratingpriv.proximity.demands.CountedDemands`)

    Raises
    ------
    ParameterError
        k is 1, there are fewer than 2k people, the groups are no cliques or of other data, or a
        demand is below the commonest share.
    TargetNotReachedError
        Too many would be left out; the message says which ε would do.
    """
    chosen = _Asked(**options)
    missing = has_missing(table) or table.lacks_quasi
    nulls = chosen.swap_nulls or ("fill" if target.nulls == "strict" and missing else "exchange")
    if nulls == "exchange" and missing and target.nulls == "strict":
        expected = (
            "wildcard: missing values are exchanged like ratings, so that they match anything"
        )
        remedy = "or impute and suppress them within groups (`swap_nulls='fill'`)"
        raise ParameterError("nulls", target.nulls, expected, remedy)
    rule = "wildcard" if nulls == "exchange" and missing else "strict"
    demands = Demands(**chosen.demands, l=target.l, sensitive_nulls=target.sensitive_nulls)
    grouping = NearGrouping(target, nulls, demands, resources)
    near, smaller = _grouped(table, grouping, chosen, searched=target.searched)
    target = replace(target, epsilon=near.epsilon, nulls=rule, searched=False)
    given = randomness.secret is None
    bits = bits_of(randomness.rng) if given else bits_of_the_system
    exchanged = exchange(table, near.groups, bits, fill=nulls == "fill", resources=resources)
    return _anonymized(table, target, chosen, nulls, near, exchanged, smaller, given, resources)


def _grouped(
    table: RatingTable, grouping: NearGrouping, asked: _Asked, *, searched: bool
) -> tuple[NearGroups, tuple[float, int] | None]:
    """Return the groups, and where ε is looked for the next smaller
    one with how many it leaves out.
    """
    target, most = grouping.target, asked.withhold_at_most
    grouping.refuse_impossible(table)
    if asked.groups is not None:
        labels = read_given_groups(asked.groups, table)
        if searched:
            expected = "the distance that the groups were made at"
            raise ParameterError("epsilon", None, expected, "name it with `epsilon`")
        groups = check_groups(table, labels, target.k, target.epsilon, grouping.nulls)
        compared = Compared.of(
            table, target.epsilon, comparing_rule(grouping.nulls), grouping.resources.memory
        )
        spread = scatter(compared.answers, groups.labels)
        return NearGroups(groups, spread, target.k, target.epsilon, grouping.nulls), None
    if searched:
        try:
            least = smallest(table, grouping, LEFT_OUT if most is None else most)
        except ParameterError as error:
            raise TargetNotReachedError(
                f"{error}; `method='predictive'` keeps all records", None
            ) from error
        if least.smaller is None or least.smaller_left_out is None:
            return least.near, None
        return least.near, (least.smaller, least.smaller_left_out)
    near, most = made(table, grouping), MOST_LEFT_OUT if most is None else most
    if near.left_out_share > most:
        reason = (
            f"with k = {target.k} and epsilon = {in_full(target.epsilon)}, {near.left_out:,} of "
            f"{table.n_records:,} records are in no group, more than the {100 * most:g} % that "
            f"may be suppressed; {larger(table, grouping, most)}; `method='predictive'` keeps all "
            "records"
        )
        raise TargetNotReachedError(reason, None)
    return near, None


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
        tables=group_tables(table, made.table, groups, groups.labels[made.kept], resources),
        constant=made.constant,
        smaller=None if smaller is None else smaller[0],
        smaller_left_out=None if smaller is None else smaller[1],
        sources=made.sources,
        answers_sha256=answers_sha256(table),
        seeded=seeded,
    )
    parameters = AnonymizeParameters.of(
        target, swap_nulls=nulls, withhold_at_most=asked.withhold_at_most
    )
    parameters = replace(parameters, **asked.demands)
    missing = ", missing values too" if nulls == "exchange" and target.nulls == "wildcard" else ""
    statement = (
        f"each record is put together from the values of at least {target.k} people who answered "
        f"within "
        f"{in_full(target.epsilon)} of each other: within their group each column was permuted at "
        f"random on "
        f"its own{missing}. Given the groups, the release tells how many of each gave each value, "
        f"and no more"
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

"""Partitions and modification of a Spark DataFrame, one Hamming group at a time.

Under ``strict``, with ε below the scale's maximum, records of different Hamming groups are never ε-proximate:
what one machine does to a group alone holds for all data. Where a group does not fit a task, nothing is done
and the numbers are told. Of a group of fewer than k records no partition has one, and nothing but changing
which issues they rate could make them like others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv import checks
from ratingpriv.anonymize.modification.modify import CHEAPEST, GROUPINGS, STRATEGIES
from ratingpriv.codebook.checking import checked_options
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.partition.greedy.greedy import ORDERS
from ratingpriv.partition.partitioning import METHODS
from ratingpriv.progress import Progress
from ratingpriv.spark.groups.budget import fitting
from ratingpriv.spark.groups.methods import MODIFIED, PARTITIONED, Done, Modifying, Partitioning
from ratingpriv.spark.groups.releasing import Released, proved, refuse_recoded, released
from ratingpriv.spark.groups.tables import Grouping, grouping_of
from ratingpriv.spark.plan import refuse_rule
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run, check_whole
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing, functions
from ratingpriv.spark.session.work import folder_of_run, refuse_places, write_whole
from ratingpriv.target import Target

__all__ = ["SMALL", "Modification", "Partition", "modify", "parted", "partition"]

SMALL = ("refuse", "withhold")
"""What becomes of records in Hamming groups for which there is no release."""

_EVERY = 1 << 40


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition into cliques of at least k records, as far as one was found.

    Attributes
    ----------
    target : what was asked for
    done : what was found in the Hamming groups, added up
    places : the folder with ``record`` and ``group`` (null: none), None where none was named
    """

    target: Target
    done: Done
    places: str | None

    @property
    def found(self) -> bool:
        """Whether every record is in a group; the data then is (k,ε)-anonymous [SWLP10, Cor. 1]."""
        return not self.done.withheld

    @property
    def proved_impossible(self) -> bool:
        """Whether no such partition exists, as none of some Hamming group does."""
        return self.done.impossible > 0

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return self.done.sizes.total()

    @property
    def group_sizes(self) -> tuple[tuple[int, int], ...]:
        """The sizes that groups have, ascending, and how many groups have each."""
        return tuple(sorted(self.done.sizes.items()))

    @property
    def min_sd(self) -> Mapping[str, float]:
        """The least SD of a group, of each sensitive issue of which one is known."""
        return dict(self.done.min_sd)

    @property
    def withheld(self) -> int:
        """How many records are in no group."""
        return self.done.withheld

    def __repr__(self) -> str:
        state = "found" if self.found else "impossible" if self.proved_impossible else "not found"
        rest = f"{self.groups} groups, {self.withheld} records in none"
        return f"<Partition: {state} ({self.target.model}), {rest}>"


@dataclass(frozen=True, slots=True)
class Modification:
    """A release of changed ratings.

    Attributes
    ----------
    target : what was asked for
    done : what was done to the Hamming groups, added up
    release : the release
    seed : the seed of the random numbers, None where it was not given
    """

    target: Target
    done: Done
    release: Released
    seed: int | None

    @property
    def changed(self) -> int:
        """How many ratings were changed."""
        return self.done.changed

    @property
    def distortion(self) -> float:
        """The sum of all changes, Σ |x - x'|."""
        return math.fsum(self.done.total)

    @property
    def withheld(self) -> int:
        """How many records are not in the release."""
        return self.done.withheld

    def __repr__(self) -> str:
        return (
            f"<Modification ({self.target.model}): {self.changed} ratings changed, distortion "
            f"{self.distortion:g}, {self.withheld} records withheld>"
        )


@cancellable
def partition(
    df: Any,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    method: str = "auto",
    order: str = "position",
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    exact_up_to: int = 20,
    places: str | None = None,
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    **columns: Any,
) -> Partition:
    """Search for a partition of a Spark DataFrame into cliques of at least ``k`` records, group by group.

    Implements k-decomposability [SWLP10, §4.3] as :func:`ratingpriv.partition` does, called for each Hamming
    group. Each group may take another order of seeds; "position" is the order of ids.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record
    k, epsilon, l, method, order, sensitive_nulls, exact_up_to : as for :func:`ratingpriv.partition`
    nulls : "strict"
    places : a folder that is made and gets in Parquet which ``record`` is in which ``group``
    issues, work, memory, progress, name, columns : as for :func:`ratingpriv.spark.audit`; a Hamming group has
        to fit ``memory``

    Raises
    ------
    ParameterError
        As :func:`ratingpriv.partition`; ε is not below the scale's maximum, so that groups are not apart.
    ResourceError
        Hamming groups do not fit; the message has the numbers. Or Spark failed.
    DataError, OutputError
        As the audit.
    """
    target = Target(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    checks.choice("method", method, METHODS)
    checks.choice("order", order, ORDERS)
    most = checks.whole_number("exact_up_to", exact_up_to, 0)
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    _refuse_rule(target)
    with failing():
        refuse_places(df, work=work, places=places)
        with folder_of_run(df.sparkSession, work) as folder:
            run = Run(df.sparkSession, folder, resources, 5)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            grouping, together = _groups(run, reading, target)
            run.report("partitioning Hamming groups")
            step = Partitioning(grouping, target, method, order, most)
            rows = run.written(together.mapInArrow(step, PARTITIONED), "groups")
            done, rows = parted(rows, reading)
            if places is not None:
                write_whole(run.spark, rows, places, done.records)
            run.report("done")
    return Partition(target, done, places)


@cancellable
def modify(
    df: Any,
    *,
    k: int,
    epsilon: float,
    release: str,
    l: float | None = None,  # noqa: E741 -- the theory's word
    strategy: str = "window",
    grouping: str = CHEAPEST,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    small: str = "refuse",
    rng: int | None = None,
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    **columns: Any,
) -> Modification:
    """Change ratings of a Spark DataFrame until it is (k,ε)- or, with ``l``, (k,ε,l)-anonymous, by group.

    Implements modification as :func:`ratingpriv.anonymize` does, called for each Hamming group with at least
    k records. Within one all rate the same issues, so that no rating is invented and none left out. What
    one machine may do beside that, changing which issues are rated, is not tried: records of smaller groups
    are refused, or withheld.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record
    k, epsilon, l, strategy, grouping, sensitive_nulls : as for "modify" of :func:`ratingpriv.anonymize`
    nulls : "strict"
    release : a folder that is made and gets the release in Parquet, proved: what was written is read again
        and audited before it has its name. Ids are the input's: replace them before it is published
    small : "refuse" data in which a Hamming group has fewer than k records, or no release with this l was
        found for one; or "withhold" such records
    rng : the seed; the same one gives the same changes, however records lie. None: one from the operating
        system
    issues, work, memory, progress, name, columns : as for :func:`ratingpriv.spark.audit`; a Hamming group has
        to fit ``memory``. A codebook with columns, recodes of quasi-identifiers, and those with a tolerance
        are refused

    Raises
    ------
    ParameterError
        An argument is out of range; ε is not below the scale's maximum, so that groups are not apart.
    TargetNotReachedError
        Nobody could be released; or ``small`` is "refuse" and not everybody. The message has the numbers.
    ResourceError
        Hamming groups do not fit; the message has the numbers. Or Spark failed.
    DataError, OutputError
        As the audit.
    """
    target = Target(k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    how = {
        "strategy": checks.choice("strategy", strategy, STRATEGIES),
        "grouping": checks.choice("grouping", grouping, (CHEAPEST, *GROUPINGS)),
    }
    checks.choice("small", small, SMALL)
    seed = checks.seed_from(rng)
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    _refuse_rule(target)
    with failing():
        refuse_places(df, work=work, release=release)
        with folder_of_run(df.sparkSession, work) as folder:
            run = Run(df.sparkSession, folder, resources, 12)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            refuse_recoded(reading, options)
            moving = [one.name for one in reading.sketch.profile.quasi if one.within is not None]
            if moving:
                expected = "equal, after banding: on Spark no attribute is changed"
                raise ParameterError("quasi", f"{moving[0]} within a number", expected)
            groups, together = _groups(run, reading, target)
            run.report("modifying Hamming groups")
            made = run.written(
                together.mapInArrow(Modifying(groups, target, how, seed), MODIFIED), "modified"
            )
            done, rows = parted(made, reading)
            if done.withheld == done.records or (done.withheld and small == "refuse"):
                raise _not_reached(target, done)
            run.report("writing the release")
            F = functions()  # noqa: N806 -- its usual name
            values = rows.select("record", "places", "ratings")
            ratings = int(values.agg(F.sum(F.size("places"))).collect()[0][0] or 0)
            written = proved(
                run, released(df, reading, options, values), release, reading, options, target,
                done.records - done.withheld, ratings,
            )  # fmt: skip
            run.report("done")
    return Modification(target, done, written, None if rng is None else seed)


def _refuse_rule(target: Target) -> None:
    """Refuse a rule for nulls before a long read."""
    refuse_rule(target.epsilon, target.nulls)
    check_spark()


def _groups(run: Run, reading: Reading, target: Target) -> tuple[Grouping, Any]:
    """Return by what records are grouped, and all of them, each group in one task.

    Raises
    ------
    ResourceError
        Groups do not fit.
    """
    profile = reading.sketch.profile
    numeric = any(one.labels is None for one in profile.sensitive)
    target.check_data(profile.records, sensitive=bool(profile.sensitive), numeric=numeric)
    grouping = grouping_of(
        profile, target.epsilon, whole_ids=reading.whole_ids, most=_EVERY, nulls=target.nulls
    )
    run.report("assembling records")
    assembled = run.assembled(reading, grouping.comparison, "by-group")
    large = fitting(assembled, grouping.comparison, run.budget)
    if large is not None:
        raise ResourceError(
            f"{large}. Found `memory` of {run.budget >> 20:,} MiB; raise it, where tasks have as much, or "
            "suppress records instead"
        )
    return grouping, assembled.repartition(run.parts, "key").sortWithinPartitions("key")


def parted(rows: Any, reading: Reading) -> tuple[Done, Any]:
    """Return what tasks said, added up, and the rows of records.

    Raises
    ------
    ResourceError
        That is not of all records.
    """
    F = functions()  # noqa: N806
    done = Done()
    for row in rows.where(F.col("said").isNotNull()).select("said").collect():
        done.add(Done.from_json(row[0]))
    check_whole(done.records, reading.sketch.profile.records, "in Hamming groups")
    return done, rows.where(F.col("said").isNull()).drop("said")


def _not_reached(target: Target, done: Done) -> TargetNotReachedError:
    parts = []
    if done.too_small:
        parts.append(
            f"{done.in_too_small:,} records are in {done.too_small:,} Hamming groups of fewer than k = "
            f"{target.k}"
        )
    if done.not_reached:
        parts.append(
            f"no release was found of {done.not_reached:,} Hamming groups with {done.in_not_reached:,} "
            "records"
        )
    rest = done.records - done.withheld
    way = (
        "nobody is left to be released"
        if not rest
        else f"the other {rest:,} records can be released: without these groups, if small is 'withhold'"
    )
    return TargetNotReachedError(
        f"{'; '.join(parts)}; {way}, or use one machine, which may change nulls", None
    )

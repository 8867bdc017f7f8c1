"""Suppressing the records of a Spark DataFrame: the fewest for (k,ε)-anonymity, the same as on one machine.

Who has fewer than k in its neighbourhood goes, which takes neighbours from others, until nobody has fewer:
what is left is the (k-1)-core of the proximity graph, whatever the order. Where Hamming groups fit a task
each is taken there at once; else in rounds over all records that a round before may have changed: those that
share a key with somebody who went.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv.codebook.checking import checked_options
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import TargetNotReachedError
from ratingpriv.progress import Progress
from ratingpriv.spark.groups.budget import fitting
from ratingpriv.spark.groups.grouping import parted
from ratingpriv.spark.groups.methods import SUPPRESSED, Suppressing
from ratingpriv.spark.groups.releasing import (
    Released,
    proved,
    refuse_recoded,
    released,
    values_of,
)
from ratingpriv.spark.groups.tables import grouping_of
from ratingpriv.spark.plan import Comparison, compare, refuse_rule
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing, functions
from ratingpriv.spark.session.work import folder_of_run, refuse_places, write_whole
from ratingpriv.target import Target

__all__ = ["Suppression", "suppress"]


@dataclass(frozen=True, slots=True)
class Suppression:
    """What was suppressed.

    Attributes
    ----------
    target : what was asked for
    records : how many there are
    suppressed : how many of them go; they are the fewest, proved
    rounds : how many rounds over the records that took; None: Hamming groups were taken one at a time
    withheld : the folder with their ids, None where none was named
    release : the release, None where none was named
    """

    target: Target
    records: int
    suppressed: int
    rounds: int | None
    withheld: str | None
    release: Released | None

    @property
    def statement(self) -> str:
        """What is claimed, in a sentence."""
        if not self.suppressed:
            return (
                "no record is suppressed, which is the fewest there can be: the data meet the target as they "
                "are"
            )
        return (
            f"the fewest records are suppressed, proved: {self.suppressed} of {self.records}. Those left are "
            "the only largest part of the data that will do (the (k-1)-core of the proximity graph)"
        )

    def __repr__(self) -> str:
        return f"<Suppression ({self.target.model}): {self.suppressed} of {self.records} records>"


@cancellable
def suppress(
    df: Any,
    *,
    k: int,
    epsilon: float,
    nulls: str = "strict",
    withheld: str | None = None,
    release: str | None = None,
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    **columns: Any,
) -> Suppression:
    """Suppress as few records of a Spark DataFrame as can be, so that the others are (k,ε)-anonymous.

    The records are those that :func:`ratingpriv.anonymize` suppresses with the method "suppress". An l is not
    asked for: which records then go is a greedy choice among all, made on one machine only.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record
    k, epsilon : the target, as for :func:`ratingpriv.audit`
    nulls : "strict"
    withheld : a folder that is made and gets the ids of the suppressed records in Parquet (``record``: text)
    release : a folder that is made and gets the other records in Parquet, proved: what was written is read
        again and audited before it has its name. Ids are the input's: replace them before it is published
    issues, work, memory, progress, name, columns : as for :func:`ratingpriv.spark.audit`. A codebook with
        columns, and recodes of quasi-identifiers, are refused with ``release``

    Raises
    ------
    ParameterError
        An argument is out of range, or has no meaning on Spark.
    TargetNotReachedError
        Nobody could be released, proved.
    DataError, OutputError, ResourceError
        As the audit; or what was written as a release does not meet the target.
    """
    target = Target(k=k, epsilon=epsilon, nulls=nulls)
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    refuse_rule(target.epsilon, target.nulls)
    check_spark()
    with failing():
        refuse_places(df, work=work, withheld=withheld, release=release)
        with folder_of_run(df.sparkSession, work) as folder:
            run = Run(df.sparkSession, folder, resources, 12)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            if release is not None:
                refuse_recoded(reading, options)
            records = reading.sketch.profile.records
            target.check_data(records, sensitive=False)
            gone, rounds = _gone(run, reading, target)
            count = gone.count()
            if count == records:
                raise _nobody(target, records)
            if withheld is not None:
                write_whole(run.spark, gone, withheld, count)
            made = None
            if release is not None:
                F = functions()  # noqa: N806 -- its usual name
                run.report("writing the release")
                values = values_of(reading).join(gone, "record", "left_anti")
                values = run.written(values, "values")
                sums = values.agg(F.sum(F.size("places"))).collect()
                rows = released(df, reading, options, values)
                made = proved(
                    run, rows, release, reading, options, target, records - count, int(sums[0][0] or 0)
                )
            run.report("done")
    return Suppression(target, records, count, rounds, withheld, made)


def _gone(run: Run, reading: Reading, target: Target) -> tuple[Any, int | None]:
    """Return the ids of those who go, and the rounds that it took."""
    profile = dataclasses.replace(reading.sketch.profile, sensitive=())
    comparison = compare(profile, target.epsilon, target.nulls)
    if comparison.by_support and not comparison.identical:
        grouping = grouping_of(
            profile, target.epsilon, whole_ids=reading.whole_ids, most=1 << 40, nulls=target.nulls
        )
        run.report("assembling records")
        assembled = run.assembled(reading, grouping.comparison, "by-group")
        if not fitting(assembled, grouping.comparison, run.budget):
            run.report("looking at every Hamming group")
            together = assembled.repartition(run.parts, "key").sortWithinPartitions("key")
            done = together.mapInArrow(Suppressing(grouping, target), SUPPRESSED)
            return parted(run.written(done, "suppressed"), reading)[1], None
    return _in_rounds(run, reading, comparison, target.k)


def _in_rounds(run: Run, reading: Reading, comparison: Comparison, k: int) -> tuple[Any, int]:
    """Take out who has too few neighbours until nobody has, in rounds over the keys that lost somebody."""
    F = functions()  # noqa: N806
    run.report("assembling records")
    assembled = run.assembled(reading, comparison)
    pending, count = run.members(assembled), comparison.records
    gone, rounds = [], 0
    while True:
        run.steps += 4
        here = dataclasses.replace(run, folder=f"{run.folder}/round-{rounds}")
        found = here.results(pending, comparison, count).select("key", "codes", "weight", "size")
        rounds += 1
        few = found.where(F.col("size") < k)
        less = few.agg(F.sum("weight")).collect()[0][0]
        if not less:
            break
        gone.append(few.select("key", "codes"))
        left = found.where(F.col("size") >= k).select("key", "codes", "weight")
        touched = left.join(few.select("key").distinct(), "key", "left_semi")
        count = int(touched.agg(F.sum("weight")).collect()[0][0] or 0)
        if not count:
            break
        pending = here.written(touched, "pending")
        run.report(f"round {rounds}: {int(less):,} records go")
    if not gone:
        return assembled.select("record").limit(0), rounds
    every = gone[0]
    for one in gone[1:]:
        every = every.unionAll(one)
    return run.written(assembled.join(every, ["key", "codes"], "left_semi").select("record"), "gone"), rounds


def _nobody(target: Target, records: int) -> TargetNotReachedError:
    if target.k > records:
        reason = f"k = {target.k} is more than the {records} records there are"
    else:
        reason = f"no part of the data, however small, is ({target.model})-anonymous"
    return TargetNotReachedError(f"nobody can be released, proved: {reason}", None)

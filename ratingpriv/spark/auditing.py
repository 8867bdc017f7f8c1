"""The audit of a Spark DataFrame: exact, on as many machines as the session has.

Every shuffle goes by what is in the data, and what a step made is written down before the next
reads it: tasks that are lost, tried again or run twice at once give the same rows. Only the
DataFrame API is used, so that a session may be one of Spark Connect.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.judging import Aggregates
from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.audit.records import WorstRecords
from ratingpriv.audit.result import AuditedDataset, AuditResult
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.base.progress import Progress
from ratingpriv.base.tally import Histogram
from ratingpriv.data.codebook.options import checked_options
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.documents.audit import Violator
from ratingpriv.proximity.neighbourhoods import EqualRecords
from ratingpriv.proximity.reservations import AuditedData, is_idle
from ratingpriv.spark.comparison import Profile, compare, refuse_rule
from ratingpriv.spark.concluding import WEIGHT, Concluding, merged
from ratingpriv.spark.joining import FOUND, join
from ratingpriv.spark.reading import Reading, digest, frame_of, located, read_frame
from ratingpriv.spark.records import assembled, group_sizes, keyed, meeting, rows_of
from ratingpriv.spark.session import (
    cancellable,
    check_spark,
    failing,
    functions,
    opened,
    partitions,
)
from ratingpriv.spark.work import folder_of_run, refuse_places, write_whole

ENGINE = "spark"
"""The engine's name in results."""

BUDGET = 256 << 20
"""Bytes that a task may use for what it holds, unless something else is said."""

_STEPS = 6


@cancellable
def audit(
    df: Any,
    *,
    k: int,
    epsilon: float,
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    per_record: str | None = None,
    show: int = 20,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    sha256: str | None = None,
    **words: Any,
) -> AuditResult:
    """Decide what :func:`ratingpriv.audit` decides, for a Spark DataFrame, on its own session.

    Implements [SWLZ11, Def. 4.2 and 4.3]. The result is that of the same table on one machine,
    field by field, but for the engine's name, and the order of records that are equally at risk: by
    their ids, whole numbers as numbers. It has no list of records:
    :meth:`ratingpriv.AuditResult.violators` are the ``show`` worst, and what is known of each
    record is in the files at ``per_record``.

    Exact also where executors are lost, tasks are tried again or run twice at once. What a task
    holds is bounded by ``memory``, whatever the data are, but for the different values of sensitive
    issues.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record; its session is neither made nor
        stopped
    k, epsilon : as for :func:`ratingpriv.audit.verdict.audit`
    issues : names of the issues to keep, in a list or with commas between them; None: all
    work : a folder that every executor reaches, path or URI, for what steps hand on; the folder of
        the run in it is removed at the end. None: a temporary one, where the session is of this
        machine alone
    per_record : a folder, path or URI, that is made and gets a row a record in Parquet, as
        :meth:`ratingpriv.AuditResult.to_frame` has it
    show : how many of the worst violators are named, >= 0; 0 saves a pass over the records
    memory : bytes that a task may use for what it holds, about; None: 256 MiB. The larger, the less
        is copied
    progress : called with (the step, steps done, steps in all)
    name, sha256 : what is said of the data in the result
    words : the other demands of an audit: ``l``, ``nulls`` ("strict" alone: under the other rules
        nothing tells apart which records can meet), ``sensitive_nulls``, ``sensitive_kind``,
        ``at_most``, ``accept`` and :class:`ratingpriv.proximity.demands.CountedDemands`; and what
        is said of columns, by the words of :func:`ratingpriv.read`: ``layout``, ``id``, ``issue``,
        ``rating``, ``timestamp``, ``sensitive``, ``quasi``, ``codebook``, ``scale``, …; a row a
        record has to have ids

    Raises
    ------
    ParameterError
        An argument is out of range, or has no meaning on Spark; there is no pyspark (the message
        says what to install); ε is at least the scale's maximum but does not cover the range of the
        ratings.
    DataError
        What :func:`ratingpriv.read` refuses, without the line.
    OutputError
        ``per_record`` is there already, or ``work`` holds other things.
    ResourceError
        Spark failed.
    """
    demands = {field.name for field in dataclasses.fields(AuditParameters)} - {"engine"}
    demanded = {word: value for word, value in words.items() if word in demands}
    parameters = AuditParameters(k=k, epsilon=epsilon, engine=ENGINE, **demanded)
    options = checked_options(None, {word: words[word] for word in words if word not in demands})
    resources = Resources(None, memory, progress)
    refuse_rule(parameters.nulls)
    check_spark()
    with failing():
        refuse_places(df, work=work, per_record=per_record)
        with folder_of_run(df.sparkSession, work) as folder:
            run = _Run(df.sparkSession, folder, resources)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            profile = reading.sketch.profile
            data = _data_of(reading)
            numeric = any(not column.nominal for column in data.sensitive)
            parameters.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
            comparison = compare(profile, parameters.epsilon, parameters.counting)
            run.report("assembling records")
            records = run.assembled(reading)
            groups = group_sizes(
                records, "support", *[f"q{i}" for i in range(len(profile.equal_quasi))]
            )
            outcome = run.compared(records, profile, Concluding(parameters, comparison))
            equal = run.equal(records, profile, parameters, outcome)
            if show or per_record is not None:
                run.report("naming records")
            if per_record is not None:
                outcome.write(run.spark, per_record, profile.table.selection)
            worst = outcome.worst(show) if show else None
            run.report("done")
    sketched = AuditedDataset.of(profile.table, hamming_group_sizes=groups)
    counted: dict[str, Any] = {"records": profile.records, "ratings": profile.ratings}
    dataset = dataclasses.replace(sketched, name=name, sha256=sha256, **counted)
    return conclude(outcome.aggregates, dataset, data, worst=worst, equal=equal)


def audit_file(
    data: str,
    *,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    **words: Any,
) -> AuditResult:
    """Audit Parquet, a file or a folder of parts, on a session of its own,
    which is stopped at the end.

    Parameters
    ----------
    data : a path of this machine or a URI that every executor reaches
    master : as for :func:`ratingpriv.spark.session.opened`
    conf : settings of Spark, such as ``spark.executor.memory``
    words : those of :func:`audit`
    """
    located(data)  # what is not there is said before Spark starts
    sha256 = digest(data)
    with opened(master, conf or {}) as session, failing():
        return audit(frame_of(session, data), name=data, sha256=sha256, **words)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was found of neighbourhoods: DataFrames, and the sums."""

    records: Any  # as ratingpriv.spark.records.keyed gives them
    rows: Any  # as rows_of gives them
    results: Any  # of each row, as Concluding.schema has it
    profile: Profile
    aggregates: Aggregates

    def named(self, results: Any) -> Any:
        """Return some results by record: those of its row, and ``record``."""
        queries = self.rows.select("grp", "codes", "query").join(results, "query")
        return self.records.select("grp", "codes", "record").join(queries, ["grp", "codes"])

    def write(self, spark: Any, folder: str, selection: object) -> None:
        """Write a row a record, with the columns of ``AuditResult.to_frame()``,
        whole or not at all.
        """
        F = functions()  # noqa: N806 -- its usual name
        columns = [F.col("record"), F.col("size"), F.col("satisfied")]
        for j, column in enumerate(self.profile.sensitive):
            kinds = (
                *(("sd",) if column.name in self._numeric else ()),
                "share",
                "distinct",
                "entropy",
            )
            columns += [F.col(f"{kind}{j}").alias(f"{kind}:{column.name}") for kind in kinds]
        if selection is not None:
            columns.append(F.lit(str(selection)).alias("selection"))
        write_whole(spark, self.named(self.results).select(*columns), folder, self.profile.records)

    def worst(self, limit: int) -> WorstRecords:
        """Return the worst ``limit`` violators, and whose sensitive values are given away most.

        Of records that are equally bad those come first whose ids do: whole numbers by their value,
        before all others by their text.
        """
        F, issues = functions(), self.aggregates.issues  # noqa: N806
        is_integral = F.col("record").rlike("^-?(0|[1-9][0-9]*)$")
        number = F.when(is_integral, F.expr("try_cast(record AS decimal(38, 0))"))
        by_id = (number.isNull(), number, F.col("record"))
        least, most = F.lit(math.inf), F.lit(0.0)
        for j in range(len(issues)):
            least = F.least(least, F.col(f"sd{j}"))
            most = F.greatest(most, F.col(f"share{j}"))
        bad = self.named(self.results.where("NOT satisfied")).orderBy("size", least, -most, *by_id)
        violators = []
        for row in bad.limit(limit).collect():
            counts = [
                {issue.name: row[f"{kind}{j}"] for j, issue in enumerate(issues)}
                for kind in ("share", "distinct", "entropy")
            ]
            sd = {name: row[f"sd{j}"] for name, j in self._numeric.items()}
            violators.append(
                Violator(row["record"], row["size"], None if issues and not sd else sd, *counts)
            )
        given: dict[str, tuple[int, int, str] | None] = {}
        for j, issue in enumerate(issues):
            given[issue.name] = None
            if issue.known:
                same = (F.col(f"largest{j}") == issue.largest) & (F.col(f"known{j}") == issue.known)
                first = self.named(self.results.where(same)).orderBy(*by_id).first()
                given[issue.name] = issue.largest, issue.known, first["record"]
        return WorstRecords(limit, tuple(violators), given)

    @property
    def _numeric(self) -> dict[str, int]:
        """The number of each sensitive issue that has an SD, by its name."""
        nominal = self.aggregates.parameters.sensitive_kind == "nominal"
        issues = enumerate(self.profile.sensitive)
        return {issue.name: j for j, issue in issues if issue.labels is None and not nominal}


@dataclass(slots=True)
class _Run:
    """One run: its session, its folder, the memory of a task; and its steps, one a method."""

    spark: Any
    folder: str
    resources: Resources
    _done: int = 0

    def report(self, what: str) -> None:
        """Say that a step begins."""
        self.resources.report(f"on Spark: {what}", self._done, _STEPS)
        self._done += 1

    def written(self, rows: Any, name: str) -> Any:
        """Write rows down and return them as they are read."""
        path = f"{self.folder}/{name}"
        rows.write.parquet(path)
        return self.spark.read.schema(rows.schema).parquet(path)

    def assembled(self, reading: Reading) -> Any:
        """Return the records (:func:`ratingpriv.spark.records.assembled`),
        none of which is lost.
        """
        F, profile = functions(), reading.sketch.profile  # noqa: N806 -- its usual name
        frame_known = self.spark.createDataFrame(reading.known)
        records = self.written(assembled(reading.rows, frame_known, profile), "records")
        sums = records.agg(F.count(F.lit(1)), F.sum(F.size("support"))).collect()[0]
        _check_whole(int(sums[0]), profile.records, "records assembled")
        _check_whole(int(sums[1] or 0), profile.ratings, "ratings assembled")
        return records

    def compared(self, records: Any, profile: Profile, concluding: Concluding) -> _Outcome:
        """Return what is found of each neighbourhood."""
        F, comparison = functions(), concluding.comparison  # noqa: N806
        self.report("counting equal records")
        for seed in itertools.count():
            keys = keyed(records, profile, comparison, seed)
            rows = self.written(rows_of(keys, comparison), f"rows-{seed}")
            twice = (
                rows.groupBy("grp")
                .agg((F.min("key") != F.max("key")).alias("twice"))
                .where("twice")
            )
            if twice.limit(1).count() == 0:  # else two keys have one hash
                break
        weight = F.col("entries")[0]["count"]
        total = int(rows.agg(F.sum(weight)).collect()[0][0] or 0)
        _check_whole(total, profile.records, "records to be found")
        self.report("comparing records")
        budget = BUDGET if self.resources.memory is None else self.resources.memory
        parts = partitions(self.spark)
        cells = meeting(rows, comparison, budget).repartition(parts, "grp", "i", "j")
        added = cells.sortWithinPartitions("grp", "i", "j").mapInArrow(
            functools.partial(join, comparison=comparison, budget=budget), _ddl(FOUND)
        )
        weights = rows.select(
            "query", F.lit(WEIGHT).cast("int").alias("place"), weight.alias("count")
        )
        sums = (
            added.unionAll(weights)
            .repartition(parts, "query")
            .sortWithinPartitions("query", "place")
        )
        concluded = sums.mapInArrow(concluding.conclude, _ddl(concluding.schema))
        results = self.written(concluded, "results")
        summed = results.where("summed IS NOT NULL").select("summed").collect()
        summands = [pickle.loads(bytes(row[0])) for row in summed]  # noqa: S301 -- our tasks'
        aggregates = merged(summands)
        _check_whole(aggregates.n_records, profile.records, "records covered")
        results = results.where("query IS NOT NULL")
        _check_whole(
            int(results.agg(F.sum("weight")).collect()[0][0]),
            profile.records,
            "records covered",
        )
        return _Outcome(keys, rows, results, profile, aggregates)

    def equal(
        self, records: Any, profile: Profile, parameters: AuditParameters, outcome: _Outcome
    ) -> EqualRecords | None:
        """Count the records as equal, at ε = 0; None where no key tells records apart there."""
        sizes = outcome.aggregates.sizes
        if parameters.epsilon > 0:
            open_ = dataclasses.replace(profile, sensitive=())
            try:
                comparison = compare(open_, 0.0)
            except ParameterError:
                return None
            if profile.moving_quasi:
                parameters_equal = AuditParameters(k=parameters.k, epsilon=0.0, engine=ENGINE)
                again = _Run(
                    self.spark, f"{self.folder}/equal", Resources(None, self.resources.memory, None)
                )
                sizes = again.compared(
                    records, open_, Concluding(parameters_equal, comparison)
                ).aggregates.sizes
            else:
                counted = group_sizes(keyed(records, open_, comparison), "key", "codes")
                size, groups = np.array(counted, dtype=np.int64).T
                sizes = Histogram(size, size * groups)
        return EqualRecords(int(sizes.sizes[0]), sizes.below(2), sizes.below(parameters.k))


def _ddl(schema: pa.Schema) -> str:
    """Return an Arrow schema as Spark writes it."""
    kinds = {
        pa.int32(): "int",
        pa.int64(): "bigint",
        pa.float64(): "double",
        pa.bool_(): "boolean",
        pa.binary(): "binary",
    }
    return ", ".join(f"{field.name} {kinds[field.type]}" for field in schema)


def _check_whole(found: int, expected: int, what: str) -> None:
    """Raise ResourceError where what was read again is not all of it; ``what`` says of what."""
    if found != expected:
        raise ResourceError(
            f"found {found:,} {what}, expected {expected:,}: rows were lost, or other ones "
            f"were read "
            "the second time; give `work` a folder that every executor reaches, and data that do "
            "not change"
        )


def _data_of(reading: Reading) -> AuditedData:
    """Return what the cautions need to know; sensitive columns with each value once, and a null."""
    profile, answers, sensitive = reading.sketch.profile, reading.sketch.answers, []
    table = profile.table
    for one in profile.sensitive:
        nulls = int(int(one.counts.sum()) < profile.records)
        values = np.append(one.values, np.zeros(nulls))
        present = np.arange(len(values)) < len(one.values)
        sensitive.append(SensitiveColumn(one.name, values, present, one.labels))
    return AuditedData(
        n_records=profile.records,
        n_issues=table.n_issues,
        n_ratings=profile.ratings,
        levels=table.levels,
        scale=table.scale,
        sensitive=tuple(sensitive),
        quasi=tuple(column.described for column in table.quasi),
        answer_ranges=table.ranges_by(answers, profile.records),
        idle_quasi=tuple(
            one.name for one in table.quasi if is_idle(one, answers[one.name] == profile.records)
        ),
        lacks_quasi=any(answers[one.name] < profile.records for one in table.quasi),
        carried=table.carried,
        guessed=table.guessed,
        unsaid=table.unsaid,
        spellings=table.spellings,
        uncounted=table.uncounted,
        repeats=table.repeats,
    )

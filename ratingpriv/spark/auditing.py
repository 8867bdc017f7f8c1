"""The audit of a Spark DataFrame: exact, on as many machines as the session has."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.inference import as_decimal
from ratingpriv.audit.result import AuditedDataset, AuditParameters, AuditResult
from ratingpriv.cautions import checked_codes
from ratingpriv.codebook.checking import checked_options
from ratingpriv.compute.resources import Resources
from ratingpriv.progress import Progress
from ratingpriv.spark.concluding import (
    SUMMED,
    Concluding,
    SensitiveNumbers,
    merged_aggregates,
    merged_worst,
)
from ratingpriv.spark.plan import Comparison, compare, refuse_rule
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run, ddl
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing, functions
from ratingpriv.spark.session.work import folder_of_run, refuse_places, write_whole
from ratingpriv.table import RatingTable, Scale, SensitiveColumn
from ratingpriv.table.parts import QuasiRule, Spellings

__all__ = ["ENGINE", "AuditedData", "audit", "audited_dataset", "summed_up"]

ENGINE = "spark"
"""The engine's name in results."""

_STEPS = 8


@cancellable
def audit(
    df: Any,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    max_share: float | None = None,
    sensitive_kind: str = "interval",
    distinct: int | None = None,
    entropy: float | None = None,
    at_most: float | None = None,
    accept: Sequence[str] = (),
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    per_record: str | None = None,
    show: int = 20,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    sha256: str | None = None,
    **columns: Any,
) -> AuditResult:
    """Decide what :func:`ratingpriv.audit` decides, for a Spark DataFrame, on its own session.

    Implements [SWLZ11, Def. 4.2 and 4.3]. The result is that of the same table on one machine, field by
    field, but for the engine's name, and the order of records that are equally at risk: by their ids, whole
    numbers as numbers. It has no list of records: :meth:`ratingpriv.AuditResult.violators` are the ``show``
    worst, and what is known of each record is in the files at ``per_record``.

    ``equal`` is None: equal records are not counted here.

    Exact also where executors are lost, tasks are tried again or run twice at once. What a task holds is
    bounded by ``memory``, whatever the data are.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record; its session is neither made nor stopped
    k, epsilon, l, sensitive_nulls, max_share, sensitive_kind, distinct, entropy, at_most, accept : as for
        :func:`ratingpriv.audit.verdict.audit`
    nulls : "strict"; under the other rules nothing tells apart which records can meet
    issues : names of the issues to keep, in a list or with commas between them; None: all
    work : a folder that every executor reaches, path or URI, for what steps hand on; the folder of the run in
        it is removed at the end. None: a temporary one, where the session is of this machine alone
    per_record : a folder, path or URI, that is made and gets a row a record in Parquet, as
        :meth:`ratingpriv.AuditResult.to_frame` has it
    show : how many of the worst violators are named, >= 0; 0 saves a pass over the records
    memory : bytes that a task may use for what it holds, about; None: 256 MiB. The larger, the less is copied
    progress : called with (the step, steps done, steps in all)
    name, sha256 : what is said of the data in the result
    columns : what is said of columns, by the words of :func:`ratingpriv.read`: ``layout``, ``id``, ``issue``,
        ``rating``, ``timestamp``, ``sensitive``, ``quasi``, ``codebook``, ``scale``, …; a row a record has to
        have ids

    Raises
    ------
    ParameterError
        An argument is out of range, or has no meaning on Spark; there is no pyspark (the message says what to
        install); ε is at least the scale's maximum but does not cover the range of the ratings.
    DataError
        What :func:`ratingpriv.read` refuses, without the line.
    OutputError
        ``per_record`` is there already, or ``work`` holds other things.
    ResourceError
        Spark failed.
    """
    parameters = AuditParameters(
        k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls, engine=ENGINE,
        max_share=max_share, sensitive_kind=sensitive_kind, distinct=distinct, entropy=entropy,
        at_most=at_most, accept=checked_codes(accept),
    )  # fmt: skip
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    exact = None if parameters.entropy is None else as_decimal(parameters.entropy)
    refuse_rule(parameters.epsilon, parameters.nulls, exact)
    check_spark()
    spark = df.sparkSession
    with failing():
        refuse_places(df, work=work, per_record=per_record)
        with folder_of_run(spark, work) as folder:
            run = Run(spark, folder, resources, _STEPS)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            profile = reading.sketch.profile
            comparison = compare(profile, parameters.epsilon, parameters.nulls, exact)
            data = AuditedData.of(reading)
            numeric = any(not column.nominal for column in data.sensitive)
            parameters.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
            found = _Found.of(run, reading, comparison, parameters, per_record=per_record, show=show)
            run.report("done")
    dataset = audited_dataset(reading, found.hamming_groups, name=name, sha256=sha256)
    return conclude(found.aggregates, dataset, data, worst=found.worst)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a run found."""

    aggregates: Any
    worst: Any
    hamming_groups: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls,
        run: Run,
        reading: Reading,
        comparison: Comparison,
        parameters: AuditParameters,
        *,
        per_record: str | None,
        show: int,
    ) -> _Found:
        run.report("assembling records")
        assembled = run.assembled(reading, comparison)
        run.report("counting equal records")
        members = run.members(assembled)
        groups = run.hamming_groups(reading, comparison, members)
        results = run.results(members, comparison, comparison.records)
        run.report("adding up")
        concluding = _concluding(comparison, parameters)
        aggregates = summed_up(results, comparison, parameters)
        worst = None
        if show or per_record is not None:
            run.report("naming records")
            named = assembled.select("record", "key", "codes").join(
                results.drop("weight"), ["key", "codes"], "inner"
            )
            if per_record is not None:
                named = run.written(named, "by-record")
                records = comparison.records
                _write_by_record(run, named, concluding, per_record, records, reading.sketch.table)
            if show:
                worst = merged_worst(_summed(named, functools.partial(concluding.worst, limit=show)))
        return cls(aggregates, worst, groups)


def audited_dataset(
    reading: Reading, hamming_groups: tuple[tuple[int, int], ...], *, name: str, sha256: str | None
) -> AuditedDataset:
    """Return what is said of the data beside a result."""
    profile = reading.sketch.profile
    return dataclasses.replace(
        AuditedDataset.of(reading.sketch.table, hamming_group_sizes=hamming_groups),
        name=name,
        records=profile.records,
        ratings=profile.ratings,
        sha256=sha256,
    )


def summed_up(results: Any, comparison: Comparison, parameters: AuditParameters) -> Aggregates:
    """Return what the rows of :meth:`ratingpriv.spark.running.Run.results` sum up to."""
    return merged_aggregates(_summed(results, _concluding(comparison, parameters).aggregate))


def _concluding(comparison: Comparison, parameters: AuditParameters) -> Concluding:
    return Concluding(
        parameters,
        tuple(
            SensitiveNumbers(one.name, one.labels is not None, one.shift, one.decimals)
            for one in comparison.sensitive
        ),
    )


def _summed(rows: Any, step: Callable[[Any], Any]) -> list[bytes]:
    """Return what the tasks of a step sum their rows up to."""
    return [bytes(row[0]) for row in rows.mapInArrow(step, ddl(SUMMED)).collect()]


def _write_by_record(
    run: Run, named: Any, concluding: Concluding, per_record: str, records: int, table: RatingTable
) -> None:
    """Write a row a record, in a folder of Parquet that is there whole or not at all."""
    F = functions()  # noqa: N806 -- its usual name
    rows = run.mapped(named, concluding.by_record, concluding.record_schema)
    if table.selection is not None:
        rows = rows.withColumn("selection", F.lit(str(table.selection)))
    write_whole(run.spark, rows, per_record, records)


@dataclass(frozen=True, slots=True)
class AuditedData:
    """What the cautions need to know: a :class:`ratingpriv.audit.cautions.Audited`."""

    n_records: int
    n_issues: int
    n_ratings: int
    levels: NDArray[np.float64]
    scale: Scale | None
    sensitive: tuple[SensitiveColumn, ...]
    quasi: tuple[QuasiRule, ...]
    carried: tuple[Any, ...]
    guessed: tuple[str, ...]
    spellings: Spellings | None
    uncounted: tuple[str, ...]
    issue_ranges: Mapping[str, tuple[float, float]]
    repeats: tuple[tuple[str, int, int], ...]
    lacks_quasi: bool
    joined: None = None  # a DataFrame has its attributes in its rows

    @classmethod
    def of(cls, reading: Reading) -> AuditedData:
        """Return it of a DataFrame that was looked at."""
        table, profile = reading.sketch.table, reading.sketch.profile
        return cls(
            n_records=profile.records,
            n_issues=len(profile.issues),
            n_ratings=profile.ratings,
            levels=profile.levels,
            scale=profile.scale,
            sensitive=tuple(
                _once(one.name, one.values, one.labels, int(one.counts.sum()) < profile.records)
                for one in profile.sensitive
            ),
            quasi=tuple(column.described for column in table.quasi),
            carried=table.carried,
            guessed=table.guessed,
            spellings=table.spellings,
            uncounted=table.uncounted,
            issue_ranges=table.ranges_by(reading.sketch.answers),
            repeats=table.repeats,
            lacks_quasi=table.lacks_quasi,
        )


def _once(
    name: str, values: NDArray[np.float64], labels: tuple[str, ...] | None, null: bool
) -> SensitiveColumn:
    """Return a sensitive column in which every rating is once, and a null if there is one."""
    known = np.ones(len(values) + null, dtype=bool)
    known[len(values) :] = False
    return SensitiveColumn(name, np.append(values, np.zeros(int(null))), known, labels)

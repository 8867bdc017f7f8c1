"""Releases of a Spark DataFrame: written as Parquet, read again, and proved before they have their name.

A release keeps the ids and the layout of its input, so that it can be joined again, and nothing but what was
audited or is carried: ids, issues (as the numbers that were read), quasi-identifiers, sensitive and carried
columns. It has no manifest: who publishes it replaces the ids first, and
:func:`ratingpriv.spark.audit` of it is what anybody can repeat.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.cautions import cautions
from ratingpriv.audit.result import AuditParameters
from ratingpriv.cautions import Caution
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.errors import ParameterError, ResourceError
from ratingpriv.numbers import in_full
from ratingpriv.proximity.reservations import of_written
from ratingpriv.spark.auditing import ENGINE, AuditedData, audited_dataset, summed_up
from ratingpriv.spark.plan import compare
from ratingpriv.spark.reading import Reading, columns_of_records, read_frame
from ratingpriv.spark.running import Run
from ratingpriv.spark.session.session import functions
from ratingpriv.spark.session.work import write_whole
from ratingpriv.target import Target

__all__ = ["Released", "proved", "refuse_recoded", "released", "values_of"]


@dataclass(frozen=True, slots=True)
class Released:
    """A release that was written.

    Attributes
    ----------
    place : the folder
    records : how many are in it
    largest_k : the largest k that holds of it at the ε that was asked for
    cautions : what to know before relying on that
    """

    place: str
    records: int
    largest_k: int
    cautions: tuple[Caution, ...] = ()


def refuse_recoded(reading: Reading, options: ReadOptions) -> None:
    """Refuse columns that a release would have finer, or otherwise, than they were looked at."""
    if options.codebook is not None and options.codebook.columns:
        remedy = "make the columns what it says in the DataFrame first, and name roles by options"
        raise ParameterError("codebook", "one with columns", "none, where a release is written", remedy)
    recoded = [one for one in reading.sketch.profile.quasi if one.recoded]
    if recoded:
        raise ParameterError(
            "quasi", f"{recoded[0].name} ({recoded[0].recoded})", "columns as they are, in what is released",
            "make it coarser in the DataFrame first: a release keeps the column as the DataFrame has it",
        )  # fmt: skip


def values_of(reading: Reading) -> Any:
    """Return a row a record, ``record``, ``places`` and ``ratings``: the issues that it rates, as numbers."""
    p = len(reading.sketch.profile.issues)
    F = functions()  # noqa: N806 -- its usual name
    if reading.begin is not None:
        step = functools.partial(_rated, begin=reading.begin, issues=p)
        return reading.rows.mapInArrow(step, "record string, places array<int>, ratings array<double>")
    rated = F.when((F.col("issue") < p) & F.col("rating").isNotNull(), F.struct("issue", "rating"))
    rows = reading.rows.groupBy("record").agg(F.sort_array(F.collect_list(rated)).alias("rated"))
    return rows.select("record", F.col("rated.issue").alias("places"), F.col("rated.rating").alias("ratings"))


def released(df: Any, reading: Reading, options: ReadOptions, values: Any) -> Any:
    """Return the DataFrame of a release.

    Parameters
    ----------
    df, reading, options : the input
    values : ``record, places, ratings`` of the records that are released
    """
    F = functions()  # noqa: N806
    issues = reading.sketch.profile.issues
    whole = bool(np.all(reading.sketch.profile.levels == np.rint(reading.sketch.profile.levels)))
    kind = "bigint" if whole else "double"
    table = reading.sketch.table
    if reading.layout == "long":
        session = values.sparkSession
        sensitive = [one.name for one in table.sensitive]
        names = session.createDataFrame(
            pa.table({
                "place": pa.array(np.arange(len(issues) + len(sensitive)), pa.int32()),
                "issue": pa.array([*issues, *sensitive], pa.string()),
            })
        )  # fmt: skip
        pairs = F.arrays_zip(F.col("places").alias("place"), F.col("ratings").alias("rating"))
        mine = values.select("record", F.explode_outer(pairs).alias("pair"))
        mine = mine.select("record", F.col("pair.place").alias("place"), F.col("pair.rating").alias("rating"))
        secret = reading.rows.where((F.col("issue") >= len(issues)) & F.col("rating").isNotNull())
        secret = secret.join(values.select("record"), "record", "left_semi")
        every = mine.unionAll(secret.select("record", F.col("issue").alias("place"), "rating"))
        rows = every.join(F.broadcast(names), "place", "left").select("record", "issue", "rating")
        kind_of_id = "bigint" if reading.whole_ids else "string"
        return rows.select(
            F.col("record").cast(kind_of_id).alias(reading.id),
            F.col("issue").alias(options.issue or "issue"),
            F.col("rating").alias(options.rating or "rating"),
        )
    others = [
        name
        for name in map(str, df.columns)
        if name in {
            *(one.name for one in table.quasi), *(one.name for one in table.sensitive),
            *(column.name for column in table.carried),
        }
    ]  # fmt: skip
    kept = columns_of_records(df, reading, [reading.id, *others])
    joined = kept.join(values, "record", "inner")
    by_place = F.map_from_arrays("places", "ratings")
    columns = [F.col("_0").alias(reading.id)]
    columns += [by_place[F.lit(place)].cast(kind).alias(name) for place, name in enumerate(issues)]
    columns += [F.col(f"_{number}").alias(name) for number, name in enumerate(others, start=1)]
    return joined.select(*columns)


def proved(
    run: Run,
    rows: Any,
    place: str,
    reading: Reading,
    options: ReadOptions,
    target: Target,
    records: int,
    ratings: int,
) -> Released:
    """Write a release, read it again, and audit it before it has its name.

    Parameters
    ----------
    rows : as :func:`released` made them
    place : where it goes
    records, ratings : how many there have to be in it

    Raises
    ------
    ResourceError
        What was written does not meet the target, or is not what was meant. Nothing is left.
    """
    staged = f"{run.folder}/release"
    rows.write.parquet(staged)
    written = run.spark.read.parquet(staged)
    run.report("reading the release again")
    again = read_frame(written, _as_released(options, reading), name="release")
    # the scale is the input's: how far a null is from a rating does not depend on who is left
    profile = dataclasses.replace(again.sketch.profile, scale=reading.sketch.profile.scale)
    again = dataclasses.replace(again, sketch=dataclasses.replace(again.sketch, profile=profile))
    if (profile.records, profile.ratings) != (records, ratings):
        has = f"{profile.records} records and {profile.ratings} ratings, not {records} and {ratings}"
        raise ResourceError(f"{place}: the release as it was written has {has}; nothing was released")
    found, groups = _audited(run, again, target)
    large = not found.sizes.below(target.k)
    if not large or (target.l is not None and found.by_rule[target.sensitive_nulls]):
        model = f"k = {target.k}, epsilon = {in_full(target.epsilon)}"
        raise ResourceError(f"{place}: the release as it was written is not {model}; nothing was released")
    write_whole(run.spark, written, place, int(written.count()))
    dataset = audited_dataset(again, groups, name=place, sha256=None)
    dataset = dataclasses.replace(dataset, scale=again.sketch.profile.scale)
    told = cautions(AuditedData.of(again), dataset, target, found, asked=target.k)
    return Released(place, records, int(found.sizes.sizes[0]), of_written(told, AuditedData.of(reading)))


def _audited(run: Run, again: Reading, target: Target) -> tuple[Aggregates, tuple[tuple[int, int], ...]]:
    """Audit a release; return what was found, and the sizes of its Hamming groups."""
    here = dataclasses.replace(run, folder=f"{run.folder}/proof")
    asked = AuditParameters(
        k=target.k, epsilon=target.epsilon, l=target.l, nulls=target.nulls,
        sensitive_nulls=target.sensitive_nulls, engine=ENGINE,
    )  # fmt: skip
    comparison = compare(again.sketch.profile, target.epsilon, target.nulls)
    members = here.members(here.assembled(again, comparison))
    groups = here.hamming_groups(again, comparison, members)
    return summed_up(here.results(members, comparison, comparison.records), comparison, asked), groups


def _as_released(options: ReadOptions, reading: Reading) -> ReadOptions:
    """Return how the release is read: as the input, of which some columns are gone and issues are numbers."""
    table = reading.sketch.table
    said: dict[str, Any] = {
        "id": reading.id, "layout": reading.layout, "drop": (), "identifier": (), "keep": (),
        "sensitive": tuple(one.name for one in table.sensitive),
    }  # fmt: skip
    if reading.layout == "wide":
        rules = [one.name if one.within is None else f"{one.name}={one.within!r}" for one in table.quasi]
        carried = tuple(column.name for column in table.carried)
        said |= {"quasi": tuple(rules), "carry": carried, "ratings": table.issues}
    return dataclasses.replace(options, **said)


def _rated(batches: Any, begin: Callable[[Any], Any], issues: int) -> Any:
    for batch in begin(batches):
        known = np.stack(
            [np.asarray(batch.column(f"c{place}").is_valid()) for place in range(issues)], axis=1
        ) if issues else np.zeros((batch.num_rows, 0), dtype=bool)  # fmt: skip
        values = np.zeros(known.shape)
        for place in range(issues):
            column = batch.column(f"c{place}").fill_null(0.0)
            values[:, place] = column.to_numpy(zero_copy_only=False)
        bounds = pa.array(np.concatenate(([0], np.cumsum(known.sum(axis=1)))).astype(np.int32))
        yield pa.RecordBatch.from_arrays(
            [
                batch.column("record"),
                pa.ListArray.from_arrays(bounds, pa.array(np.nonzero(known)[1].astype(np.int32))),
                pa.ListArray.from_arrays(bounds, pa.array(values[known])),
            ],
            names=["record", "places", "ratings"],
        )

"""One run on Spark: its session, its folder, the memory of a task; and its steps, one a method.

Every shuffle goes by a key that is in the data, and what a step made is written down before the next reads
it: tasks that are lost, tried again or run twice at once give the same rows. Only the DataFrame API is used,
so that a session may be one of Spark Connect.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv.compute.resources import Resources
from ratingpriv.errors import ResourceError
from ratingpriv.spark import assembling, joining, planning, routing
from ratingpriv.spark.plan import (
    Comparison,
    assembled_schema,
    results_schema,
    routed_schema,
)
from ratingpriv.spark.reading import Reading
from ratingpriv.spark.session.session import functions, partitions

__all__ = ["BUDGET", "Run", "check_whole", "ddl"]

BUDGET = 256 << 20
"""Bytes that a task may use for what it holds, unless something else is said."""

_SAMPLED, _LEAST_SAMPLED = 200_000, 500
"""So many members of all large keys together, and of each of many, are looked at to plan."""

_TYPES = {
    pa.string(): "string", pa.binary(): "binary", pa.int32(): "int", pa.int64(): "bigint",
    pa.float64(): "double", pa.bool_(): "boolean", pa.list_(pa.int64()): "array<bigint>",
}  # fmt: skip


def ddl(schema: pa.Schema) -> str:
    """Return an Arrow schema as Spark writes it."""
    quoted = {field.name: field.name.replace("`", "``") for field in schema}
    return ", ".join(f"`{quoted[field.name]}` {_TYPES[field.type]}" for field in schema)


@dataclass(slots=True)
class Run:
    """One run.

    Attributes
    ----------
    spark : the session
    folder : of the run alone
    resources : the memory of a task, and who is told how far it is
    steps : how many steps the run will tell of
    """

    spark: Any
    folder: str
    resources: Resources
    steps: int
    _done: int = 0

    def report(self, what: str) -> None:
        """Say that a step begins."""
        self.resources.report(f"on Spark: {what}", self._done, self.steps)
        self._done += 1

    @property
    def budget(self) -> int:
        """How many bytes a task may use for what it holds."""
        return BUDGET if self.resources.memory is None else self.resources.memory

    @property
    def parts(self) -> int:
        """Into how many parts shuffles go."""
        return partitions(self.spark)

    def written(self, rows: Any, name: str) -> Any:
        """Write rows down and return them as they are read."""
        place = f"{self.folder}/{name}"
        rows.write.parquet(place)
        return self.spark.read.parquet(place)

    def assembled(self, reading: Reading, comparison: Comparison, name: str = "assembled") -> Any:
        """Return the records (:func:`ratingpriv.spark.plan.assembled_schema`)."""
        return self.written(self._assembling(reading, comparison), name)

    def hamming_groups(
        self, reading: Reading, comparison: Comparison, members: Any
    ) -> tuple[tuple[int, int], ...]:
        """Return the sizes of Hamming groups: (size, groups of that size), ascending."""
        F = functions()  # noqa: N806 -- its usual name
        if comparison.by_support and not comparison.identical and not comparison.moving_quasi:
            sizes = members.groupBy("key").agg(F.sum("weight").alias("size"))
        else:  # the key has less in it than which issues are rated, or more
            none = np.empty(0, dtype=np.int64)
            plain = dataclasses.replace(
                comparison, by_support=True, rated=False, identical=False, complete=False, moving_quasi=(),
                first_code=none, null_code=none, sensitive=(),
            )  # fmt: skip
            sizes = self._assembling(reading, plain).groupBy("key").agg(F.count(F.lit(1)).alias("size"))
        found = sizes.groupBy("size").agg(F.count(F.lit(1)).alias("groups")).collect()
        return tuple(sorted((int(row["size"]), int(row["groups"])) for row in found))

    def members(self, assembled: Any) -> Any:
        """Return the different records and how many there are of each."""
        F = functions()  # noqa: N806
        columns = [name for name in assembled.columns if name != "record"]
        counted = assembled.groupBy(*columns).agg(F.count(F.lit(1)).alias("weight"))
        return self.written(counted, "members")

    def results(self, members: Any, comparison: Comparison, records: int) -> Any:
        """Return what was found of each neighbourhood (:func:`ratingpriv.spark.plan.results_schema`).

        Raises
        ------
        ResourceError
            What is read again of queries, members or results is not of all ``records``: a folder that is
            another one on every machine loses what other machines wrote, and no size may be concluded from
            the rest.
        """
        F = functions()  # noqa: N806
        secret = [f"s{number}" for number in range(len(comparison.sensitive))]
        queries = members.groupBy("key", "codes").agg(F.sum("weight").alias("weight"))
        home = queries.select(
            F.xxhash64("key").alias("hash"), F.lit(0).alias("role"), "key", "codes",
            *[F.lit(None).cast("int").alias(name) for name in secret], "weight",
        )  # fmt: skip
        there = members.select(
            F.xxhash64("key").alias("hash"), F.lit(1).alias("role"), "key", "codes", *secret, "weight"
        )
        rows = self.written(home.unionAll(there), "rows")
        sums = rows.groupBy("role").agg(F.sum("weight").alias("records")).collect()
        for role, what in ((0, "to be answered for"), (1, "to be found")):
            check_whole(sum(int(row["records"]) for row in sums if row["role"] == role), records, what)
        self.report("planning")
        plan = self._plan(rows, comparison)
        self.report("comparing records")
        routed = rows.mapInArrow(
            functools.partial(routing.route, comparison=comparison, plan=plan),
            ddl(routed_schema(comparison)),
        )
        order = ["hash", "cell", "role"]
        if any(not one.exact for one in comparison.sensitive):
            order += ["codes", *secret]  # sums of float64 are those of their order
        together = routed.repartition(self.parts, "hash", "cell").sortWithinPartitions(*order)
        joined = together.mapInArrow(
            functools.partial(joining.join, comparison=comparison, budget=self.budget),
            ddl(results_schema(comparison)),
        )
        results = self.written(joined, "results")
        check_whole(int(results.agg(F.sum("weight")).collect()[0][0] or 0), records, "answered for")
        return results

    def mapped(self, rows: Any, step: Callable[[Any], Any], schema: pa.Schema) -> Any:
        """Return what a step, Arrow in and Arrow out, makes of the rows of each part."""
        return rows.mapInArrow(step, ddl(schema))

    def _plan(self, rows: Any, comparison: Comparison) -> planning.Plan:
        """Plan the cells of large keys, on a sample that is taken once: by what rows are, not by chance."""
        F = functions()  # noqa: N806
        fewest = planning.fewest_rows(comparison, self.budget)
        sizes = rows.groupBy("hash").agg(
            F.sum((F.col("role") == 0).cast("bigint")).alias("queries"),
            F.sum((F.col("role") == 1).cast("bigint")).alias("members"),
            F.max(F.length("key")).alias("key"),
            F.max(F.length("codes")).alias("codes"),
        )
        large = planning.large(comparison, sizes.where(F.col("queries") >= fewest).toArrow(), self.budget)
        if not large:
            return planning.Plan()
        each = max(_SAMPLED // len(large), _LEAST_SAMPLED)
        drawn = self.spark.createDataFrame(
            pa.table({
                "large": pa.array(list(large), pa.int64()),
                "one_in": pa.array([max(1, members // each) for _, members in large.values()], pa.int64()),
            })
        )  # fmt: skip
        chosen = F.pmod(F.xxhash64(F.lit("a sample"), "codes", "key"), F.col("one_in")) == 0
        sample = (
            rows.where(F.col("role") == 1)
            .join(F.broadcast(drawn), F.col("hash") == F.col("large"))
            .where(chosen)
            .select("hash", "key", "codes")
            .toArrow()
        )
        plan = planning.plan(comparison, large, sample, self.budget)
        if not plan.trees:
            return plan
        counted = (
            rows.where(F.col("role") == 0)
            .mapInArrow(
                functools.partial(routing.homes, comparison=comparison, plan=plan),
                ddl(routing.homes_schema()),
            )
            .groupBy("cell")
            .agg(F.sum("queries").alias("queries"))
        )
        return plan.counted({int(row["cell"]): int(row["queries"]) for row in counted.collect()})

    def _assembling(self, reading: Reading, comparison: Comparison) -> Any:
        schema = ddl(assembled_schema(comparison))
        if reading.begin is not None:
            begin = reading.begin
            return reading.rows.mapInArrow(
                functools.partial(_assembled_wide, begin=begin, comparison=comparison), schema
            )
        F = functions()  # noqa: N806
        places = len(comparison.columns)
        known = F.when(F.col("issue") < places, F.col("issue")).alias("issue")
        rows = reading.rows.select("record", known, "rating")
        together = rows.repartition(self.parts, "record").sortWithinPartitions("record", "issue")
        return together.mapInArrow(functools.partial(assembling.assemble_long, comparison=comparison), schema)


def check_whole(found: int, records: int, what: str) -> None:
    """Raise ResourceError where what was read again is not of all records; ``what`` says what they are."""
    if found != records:
        raise ResourceError(
            f"found {found:,} records {what}, expected {records:,}: rows were lost, or other ones were read "
            "the second time; give `work` a folder that every executor reaches, and data that do not change"
        )


def _assembled_wide(batches: Any, *, begin: Callable[[Any], Any], comparison: Comparison) -> Any:
    return assembling.assemble_wide(begin(batches), comparison)

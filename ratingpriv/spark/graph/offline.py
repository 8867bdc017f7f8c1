"""Import files for Neo4j straight from a Spark DataFrame: every record, the pairs of those at risk."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv import checks
from ratingpriv.codebook.checking import checked_options
from ratingpriv.comparison.distances import DistanceLevels, distance_levels
from ratingpriv.compute.resources import Resources
from ratingpriv.errors import OutputError, ParameterError
from ratingpriv.graph.ingesting import IngestOptions
from ratingpriv.graph.offline.folder import (
    ImportFolder,
    OfflineImport,
    array_delimiter,
    import_folder,
    refuse_folder,
)
from ratingpriv.graph.offline.rows import (
    IN_GROUP,
    PROXIMATE,
    RATED,
    add_dataset,
    add_issues,
    group_header,
    record_header,
)
from ratingpriv.graph.store import DatasetSpec, IssueBatch
from ratingpriv.progress import Progress
from ratingpriv.provenance import tool
from ratingpriv.proximity.reservations import reservations_of
from ratingpriv.spark import routing
from ratingpriv.spark.graph import lines, pairing
from ratingpriv.spark.plan import Comparison, compare, refuse_rule, routed_schema
from ratingpriv.spark.reading import Reading, read_frame
from ratingpriv.spark.running import Run, check_whole, ddl
from ratingpriv.spark.session.cancelling import cancellable
from ratingpriv.spark.session.session import check_spark, failing, functions
from ratingpriv.spark.session.work import below, folder_of_run, local_path

__all__ = ["OfflineDataset", "offline"]

_ROWS = 33  # bits below which Spark's increasing number has the row, and above which the part


@dataclass(frozen=True, slots=True)
class OfflineDataset:
    """Import files that were written from a DataFrame.

    Attributes
    ----------
    spec : what the dataset says of itself
    files : where they are, and the command that imports them
    """

    spec: DatasetSpec
    files: OfflineImport


@cancellable
def offline(
    df: Any,
    *,
    dataset: str,
    epsilon: float,
    k: int,
    folder: str | Path,
    ratings: bool = False,
    nulls: str = "strict",
    issues: str | Sequence[str] | None = None,
    work: str | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    name: str = "table",
    sha256: str | None = None,
    **columns: Any,
) -> OfflineDataset:
    """Write the records of a Spark DataFrame as files for ``neo4j-admin database import``.

    They hold what ``ratingpriv ingest --edges at-risk --k K --offline`` writes of the same table with its
    records in the order of their ids, whole numbers as numbers and before texts: every record with the exact
    size of its neighbourhood [SWLZ11, Def. 4.2] at each distance level, issues, Hamming groups, ratings, and
    the pairs in which a record with fewer than ``k`` in its neighbourhood takes part. One pass over the
    records for each level.

    There are no pseudonyms, no timestamps and no quasi-identifiers: ids are those of the data, dates of
    ratings are left out, quasi-identifiers are refused.

    Parameters
    ----------
    df : a DataFrame of Spark 4, a row a rating or a row a record
    dataset : the dataset's name in the store, 1 to 200 characters
    epsilon : the rating distance of the pairs, and the last of the levels
    k : the pairs of records with fewer than so many in their neighbourhood are written, >= 2
    folder : a folder of the driver's machine, new or empty; the driver writes into it what tasks send
    ratings : whether non-sensitive ratings go in too; sensitive ones always do
    nulls : "strict"
    issues, work, memory, progress, name, sha256, columns : as for :func:`ratingpriv.spark.auditing.audit`

    Raises
    ------
    ParameterError
        An argument is out of range, or has no meaning on Spark; there are quasi-identifiers; more records at
        risk meet in one task than ``memory`` holds.
    DataError, ResourceError
        As the audit.
    OutputError
        ``folder`` is elsewhere, not empty, or cannot be made.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    asked = IngestOptions(
        dataset=dataset, epsilon=epsilon, nulls=nulls, edges="at-risk", k=k, ratings=ratings
    )
    place = local_path(str(folder))
    if place is None:
        expected = "a folder of this machine, where neo4j-admin can read it"
        raise OutputError(f"{folder}: found an address, expected {expected}")
    resources = Resources(None, memory, progress)
    options = checked_options(None, columns)
    refuse_rule(epsilon, nulls)
    check_spark()
    refuse_folder(place)
    with failing():
        if below(df.inputFiles(), str(place)):
            raise OutputError(f"{folder}: the DataFrame is read from there; choose another folder")
        with folder_of_run(df.sparkSession, work) as own:
            run = Run(df.sparkSession, own, resources, 8)
            reading = read_frame(df, options, name=name, issues=issues, report=run.report)
            writing = _Writing.of(run, reading, asked)
            found = writing.found(sha256)
            with import_folder(place, found.array_delimiter) as files:
                written = OfflineDataset(found.spec, writing.write(files, found, place))
            run.report("done")
    return written


@dataclass(frozen=True, slots=True)
class _Found:
    """What is ready to be written: rows by kind, and what the Dataset node says of them."""

    spec: DatasetSpec
    array_delimiter: str
    longest_id: int
    groups: Any
    records: Any
    pairs: Any


@dataclass(frozen=True, slots=True)
class _Writing:
    """A DataFrame on its way: what is asked for, and by what its records are compared."""

    run: Run
    reading: Reading
    asked: IngestOptions
    levels: DistanceLevels
    ratings: Comparison
    comparisons: tuple[Comparison, ...]

    @classmethod
    def of(cls, run: Run, reading: Reading, asked: IngestOptions) -> _Writing:
        """Decide by what records are compared at each level."""
        profile = reading.sketch.profile
        if profile.quasi:
            shown = ", ".join(one.name for one in profile.quasi)
            expected = "no quasi-identifiers in import files from Spark"
            raise ParameterError("quasi", shown, expected, "ingest the table on one machine")
        if asked.k is not None and asked.k > profile.records:
            raise ParameterError("k", asked.k, f"at most {profile.records:,}, the number of records")
        levels = distance_levels(profile, asked.epsilon, asked.nulls)
        plain = dataclasses.replace(profile, sensitive=())
        comparisons = tuple(compare(plain, level, asked.nulls) for level in levels.levels)
        run.steps += 2 + 3 * len(comparisons)
        ratings = lines.ratings_comparison(compare(profile, asked.epsilon, asked.nulls))
        return cls(run, reading, asked, levels, ratings, comparisons)

    def found(self, sha256: str | None) -> _Found:
        """Count and compare; everything that will be written is then in the folder of the run."""
        F = functions()  # noqa: N806 -- its usual name
        run, profile = self.run, self.reading.sketch.profile
        run.report("assembling records")
        records = self._numbered(run.assembled(self.reading, self.ratings))
        groups = self._groups(records)
        numbers = groups.select("key", "number")
        sized = records.join(numbers, "key", "inner")
        for place, comparison in enumerate(self.comparisons):
            sized = sized.join(self._sizes(records, comparison, place), "position", "inner")
        last = len(self.comparisons) - 1
        sized = run.written(sized.withColumn("at_risk", F.col(f"size{last}") < self.asked.k), "sized")
        counted = sized.agg(
            F.count(F.lit(1)).alias("records"),
            F.max(F.octet_length("record")).alias("longest"),
            F.bit_xor(F.xxhash64("record", "key", "codes", *self._secret)).alias("hash"),
        ).collect()[0]
        check_whole(int(counted["records"]), profile.records, "with sizes")
        run.report("listing the pairs of records at risk")
        pairs = self._pairs(sized)
        spec = self._spec(int(groups.count()), int(pairs.count()), int(counted["hash"]), sha256)
        labels = [label for one in profile.sensitive for label in one.labels or ()]
        longest = 0 if self.reading.whole_ids else int(counted["longest"])
        return _Found(spec, array_delimiter(labels), longest, groups, sized, pairs)

    def write(self, files: ImportFolder, found: _Found, place: Path) -> OfflineImport:
        """Write the files."""
        profile, name = self.reading.sketch.profile, found.spec.name
        add_dataset(files, found.spec)
        secret = [one.name for one in profile.sensitive]
        names, flags = [*profile.issues, *secret], [*[False] * len(profile.issues), *[True] * len(secret)]
        labels = [*[None] * len(profile.issues), *(one.labels for one in profile.sensitive)]
        add_issues(files, name, IssueBatch(names, flags, labels))
        files.begin("nodes", "HammingGroup", group_header({}))
        self._write(files, "HammingGroup", found.groups, functools.partial(lines.group_lines, dataset=name))
        whole = self.reading.whole_ids
        files.begin("nodes", "Record", record_header(text=not whole, at_risk=True, more={}))
        step: Callable[..., Any] = functools.partial(
            lines.record_lines, dataset=name, array_delimiter=found.array_delimiter,
            levels=len(self.comparisons), whole_ids=whole,
        )  # fmt: skip
        self._write(files, "Record", found.records, step)
        files.begin("relationships", "IN_GROUP", IN_GROUP)
        self._write(files, "IN_GROUP", found.records.select("position", "number"), lines.membership_lines)
        files.begin("relationships", "RATED", RATED)
        step = functools.partial(lines.rating_lines, ratings=self.ratings, all_ratings=found.spec.all_ratings)
        self._write(files, "RATED", found.records.select("position", "key", "codes", *self._secret), step)
        files.begin("relationships", "PROXIMATE", PROXIMATE)
        self._write(files, "PROXIMATE", found.pairs, lines.pair_lines)
        spec, rows = found.spec, files.rows
        expected = (spec.groups, spec.records, spec.records, spec.ratings, spec.pairs)
        kinds = ("HammingGroup", "Record", "IN_GROUP", "RATED", "PROXIMATE")
        if tuple(rows[kind] for kind in kinds) != expected:
            raise ValueError(f"{rows} rows were written, expected {dict(zip(kinds, expected, strict=True))}")
        return files.finish(place, found.longest_id)

    @property
    def _secret(self) -> list[str]:
        return [f"s{number}" for number in range(len(self.ratings.sensitive))]

    def _write(self, files: ImportFolder, name: str, rows: Any, step: Callable[..., Any]) -> None:
        """Put what tasks make of rows into the files of a label or type, a part of the rows at a time."""
        self.run.report(f"writing {name}")
        for row in self.run.mapped(rows, step, lines.lines_schema()).toLocalIterator():
            files.add_lines(name, row["lines"], int(row["count"]))

    def _numbered(self, assembled: Any) -> Any:
        """Give records their positions, by their ids: whole numbers as numbers, and before texts."""
        F = functions()  # noqa: N806
        if self.reading.whole_ids:
            order = [F.col("record").cast("bigint")]
        else:
            whole = F.col("record").rlike("^(0|-?[1-9][0-9]{0,17})$")
            number = F.when(whole, F.expr("try_cast(record AS bigint)"))
            order = [number.asc_nulls_last(), F.col("record").asc()]
        return self._in_order(assembled, order, "position", "numbered")

    def _groups(self, records: Any) -> Any:
        """Return the Hamming groups, numbered by their first records."""
        F = functions()  # noqa: N806
        width = np.dtype(self.ratings.code_type).itemsize
        groups = records.groupBy("key").agg(
            F.min("position").alias("first"),
            F.count(F.lit(1)).alias("size"),
            (F.max(F.octet_length("codes")) / width).cast("bigint").alias("support"),
        )
        return self._in_order(groups, [F.col("first").asc()], "number", "groups")

    def _in_order(self, rows: Any, order: list[Any], called: str, name: str) -> Any:
        """Return rows numbered from 0 on, in an order: part by part, as they were written."""
        F = functions()  # noqa: N806
        marked = rows.orderBy(*order).withColumn("mark", F.monotonically_increasing_id())
        marked = self.run.written(marked, f"{name}-marked")
        part, row = F.shiftright("mark", _ROWS), F.col("mark").bitwiseAND((1 << _ROWS) - 1)
        counts = marked.groupBy(part.alias("part")).agg(
            F.count(F.lit(1)).alias("rows"), F.max(row).alias("last")
        )
        counted = sorted((int(one["part"]), int(one["rows"]), int(one["last"])) for one in counts.collect())
        if any(last + 1 != rows for _, rows, last in counted):
            raise ValueError("rows were not numbered one after the other")
        starts = np.cumsum([0, *(rows for _, rows, _ in counted)])[:-1]
        known = self.run.spark.createDataFrame(
            pa.table({
                "part": pa.array([one for one, _, _ in counted], pa.int64()),
                "start": pa.array(starts, pa.int64()),
            })
        )  # fmt: skip
        found = marked.withColumn("part", part.cast("bigint")).join(F.broadcast(known), "part", "inner")
        found = found.withColumn(called, F.col("start") + row).drop("mark", "part", "start")
        return self.run.written(found, name)

    def _sizes(self, records: Any, comparison: Comparison, place: int) -> Any:
        """Return the size of every record's neighbourhood at a level."""
        here = dataclasses.replace(self.run, folder=f"{self.run.folder}/level-{place}")
        here.report(f"counting neighbours within {self.levels.levels[place]:g}")
        step = functools.partial(lines.compared, ratings=self.ratings, comparison=comparison)
        rows = records.select("position", "key", "codes")
        made = here.written(here.mapped(rows, step, lines.compared_schema()), "assembled")
        results = here.results(here.members(made), comparison, comparison.records)
        results = results.select("key", "codes", "size")
        found = made.join(results, ["key", "codes"], "inner")
        self.run._done = here._done
        return found.selectExpr("record AS position", f"size AS size{place}")

    def _pairs(self, sized: Any) -> Any:
        """Return the pairs in which a record at risk takes part."""
        F = functions()  # noqa: N806
        run = dataclasses.replace(self.run, folder=f"{self.run.folder}/pairs")
        comparison = pairing.pairing_comparison(self.comparisons[-1], self.ratings)
        profile = self.reading.sketch.profile
        complete = profile.ratings == profile.records * len(profile.issues)
        if not comparison.by_support and not complete:  # all are neighbours, and no fewer than k
            nobody = [F.lit(0).cast("bigint").alias(end) for end in ("left", "right")]
            return run.written(sized.limit(0).select(*nobody, F.lit(0.0).alias("distance")), "pairs")
        step = functools.partial(pairing.tagged, ratings=self.ratings, comparison=comparison)
        rows = sized.select("position", "at_risk", "key", "codes")
        made = run.mapped(rows, step, pairing.tagged_schema()).withColumn("hash", F.xxhash64("key"))
        made = run.written(made, "tagged")
        columns = ("hash", "role", "key", "codes", "weight")
        queries = made.where(F.col("weight").bitwiseAND(1) == 1).withColumn("role", F.lit(0))
        members = made.withColumn("role", F.lit(1))
        members = members.join(queries.select("hash").distinct(), "hash", "left_semi")
        rows = run.written(queries.select(*columns).unionAll(members.select(*columns)), "rows")
        plan = run._plan(rows, comparison)
        routed = rows.mapInArrow(
            functools.partial(routing.route, comparison=comparison, plan=plan), ddl(routed_schema(comparison))
        )
        together = routed.repartition(run.parts, "hash", "cell")
        step = functools.partial(
            pairing.list_pairs, comparison=comparison, epsilon=self.asked.epsilon,
            scale=profile.scale, budget=run.budget,
        )  # fmt: skip
        together = together.sortWithinPartitions("hash", "cell", "role")
        return run.written(run.mapped(together, step, pairing.pairs_schema()), "pairs")

    def _spec(self, groups: int, pairs: int, records: int, sha256: str | None) -> DatasetSpec:
        profile, table, asked = self.reading.sketch.profile, self.reading.sketch.table, self.asked
        secret = sum(int(one.counts.sum()) for one in profile.sensitive)
        scale = profile.scale
        said = [list(profile.issues), profile.levels.tolist(), self.reading.whole_ids, records]
        said += [[one.name, one.values.tolist(), one.labels] for one in profile.sensitive]
        return DatasetSpec(
            name=asked.dataset,
            records=profile.records,
            groups=groups,
            issues=len(profile.issues) + len(profile.sensitive),
            ratings=secret + (profile.ratings if asked.ratings else 0),
            pairs=pairs,
            epsilon_max=asked.epsilon,
            nulls=asked.nulls,
            edges=asked.edges,
            k=asked.k,
            scale_min=None if scale is None else scale.minimum,
            scale_max=None if scale is None else scale.maximum,
            scale_declared=scale is not None and scale.declared,
            rating_min=float(profile.levels[0]) if len(profile.levels) else None,
            rating_max=float(profile.levels[-1]) if len(profile.levels) else None,
            all_ratings=asked.ratings,
            source_sha256=sha256,
            selection=None if table.selection is None else json.dumps(table.selection.to_dict()),
            reservations=reservations_of(table, asked.epsilon),
            tool=f"ratingpriv {tool()['version']}",
            levels=self.levels.levels,
            every_level=self.levels.every,
            fingerprint=hashlib.sha256(b"ratingpriv spark 1" + json.dumps(said).encode()).hexdigest(),
        )

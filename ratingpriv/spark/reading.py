"""From a file to a DataFrame, long or wide.

To what its records are compared on, and its cells as rows.

Whatever its layout, a DataFrame becomes rows of ``record, column, cell``, cells as text. One pass
counts the different ones; the driver reads these as the product reads any data
(:mod:`ratingpriv.spark.sketch`), with its refusals, and says what becomes of each. Nothing depends
on the order of rows: where that would matter (rows without ids, which of two duplicates comes
first), it is refused.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.provenance import sha256_of
from ratingpriv.data.codebook.deciding import decided
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.one_person import repeats, repeats_left_out
from ratingpriv.data.formats.column_names import decide_layout, long_columns
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.problems import no_rows
from ratingpriv.data.table.building.spelling import Repeats
from ratingpriv.data.table.selection import is_computed
from ratingpriv.spark.session import functions
from ratingpriv.spark.sharing import Judge, ids_spelt_otherwise, shared_values
from ratingpriv.spark.sketch import Cells, Sketch, long_sketch, wide_sketch
from ratingpriv.spark.work import GLOB, local_path

MOST_CELLS = 2_000_000
"""So many different cells of all columns together go to the driver; more are refused."""

_WHOLE = ("byte", "short", "integer", "long")
_TEXT = ("string", "char", "varchar")
_OF_TEXT = ("encoding", "delimiter", "header")
_AS_TEXT = ("date", "timestamp", "timestamp_ntz")
_NUMBERS = (*_WHOLE, "float", "double", "decimal", "boolean", "void")
_EXACT = float(1 << 53)


@dataclass(frozen=True, slots=True)
class Reading:
    """A DataFrame that was looked at.

    ``known`` is ``column, cell, place, code``, what became of each different cell: ``place`` the
    column's in :attr:`ratingpriv.spark.comparison.Profile.columns`, -1 where nothing is compared,
    ``code`` null where the cell says that nothing was answered.
    """

    sketch: Sketch
    rows: Any  # a DataFrame of ``record, column, cell``: texts; a record may have rows of nulls
    known: pa.Table


@dataclass(frozen=True, slots=True)
class _Frame:
    """A DataFrame whose columns are called ``_0``, ``_1``, …,
    as their own names may hold any character.
    """

    df: Any
    names: tuple[str, ...]
    kinds: dict[str, str]
    name: str

    @classmethod
    def of(cls, df: Any, name: str) -> _Frame:
        names = tuple(map(str, df.columns))
        kinds = (field.dataType.typeName() for field in df.schema.fields)
        numbered = df.toDF(*[f"_{number}" for number in range(len(names))])
        return cls(numbered, names, dict(zip(names, kinds, strict=True)), name)

    def column(self, name: str) -> Any:
        return functions().col(f"_{self.names.index(name)}")

    def ids(self, column: str) -> Any:
        """Return a column of record ids as text, null where it is none."""
        F = functions()  # noqa: N806 -- its usual name
        kind, ids = self.kinds[column], self.column(column)
        if kind in (*_TEXT, *_WHOLE):
            return ids.cast("string").alias("record")
        if kind in ("float", "double"):
            is_integral = (ids == F.floor(ids)) & (F.abs(ids) <= _EXACT)
            return F.when(is_integral, ids.cast("long").cast("string")).alias("record")
        raise self.refusal(
            f"record ids of type {kind}", "whole numbers or text", "cast them to text", column
        )

    def cells(self, column: str, what: str = "a column", expected: str = "numbers or text") -> Any:
        """Return the cells of a column as text, equal ones alike."""
        kind, cells = self.kinds[column], self.column(column)
        if kind not in (*_NUMBERS, *_TEXT, *_AS_TEXT):
            remedy = "cast the column, or drop it with `drop`"
            raise self.refusal(f"{what} of type {kind}", expected, remedy, column)
        if kind in ("float", "double"):
            cells = cells + functions().lit(0.0).cast(kind)  # -0.0 is 0.0
        return cells.cast("string")

    def repeats(
        self, ids: str, judges: Mapping[str, Judge], records: int, *, wide: bool
    ) -> list[Repeats]:
        """Return the ids that are only spelt otherwise,
        and what records share in columns of ``judges``.
        """
        repeated: list[Repeats | None] = []
        if self.kinds[ids] in _TEXT:
            rows = self.df.select(self.ids(ids)).distinct()
            repeated.append(ids_spelt_otherwise(rows, ids, records, MOST_CELLS))
        for column, judge in judges.items():
            if self.kinds[column] in (*_TEXT, *_WHOLE):
                value = self.column(column).cast("string").alias("value")
                rows = self.df.select(value) if wide else self.df.select(self.ids(ids), value)
                repeated.append(shared_values(rows, column, judge, MOST_CELLS))
        return [repeat for repeat in repeated if repeat is not None]

    def refusal(
        self, found: str, expected: str, remedy: str, column: str | None = None
    ) -> DataError:
        return DataError(Problem(self.name, found, expected, remedy, column=column))

    def records(self, ids: Any, *, unique: bool) -> int:
        """Return how many records there are; DataError where an id is null, or there twice."""
        F = functions()  # noqa: N806
        counts = self.df.select(ids).agg(
            F.count(F.lit(1)), F.count("record"), F.count_distinct("record")
        )
        rows, named, records = map(int, counts.collect()[0])
        if rows == 0:
            raise DataError(no_rows(self.name))
        if named < rows:
            problem = f"{rows - named:,} rows without a record id, or with a number that is none"
            expected = "in every row a record id: text, or a whole number below 2**53"
            raise self.refusal(problem, expected, "fill it in, or cast the ids to text")
        if unique and records < rows:
            problem = f"record ids a second time: {rows:,} rows of {records:,} ids"
            remedy = "remove the duplicates, or name another column of ids with `id`"
            raise self.refusal(problem, "every record id once", remedy)
        return records

    def typed(self, column: str, texts: pa.Array) -> pa.Array:
        """Return cells that became text as Arrow has the column itself.

        Texts that are null stay null.
        """
        kind = self.df.select(self.column(column)).limit(0).toArrow().schema.field(0).type
        if self.kinds[column] in _AS_TEXT or pa.types.is_string(kind):
            return texts
        return pa.nulls(len(texts), kind) if pa.types.is_null(kind) else texts.cast(kind)


def frame_of(spark: Any, data: str) -> Any:
    """Return the DataFrame of Parquet, a file or a folder of parts: a path of this machine,
    or a URI.

    Parts may have different columns, and what one of them lacks is null there.
    """
    try:
        frame = spark.read.option("mergeSchema", "true").parquet(located(data))
        frame.columns  # noqa: B018 -- Spark Connect looks into the files only now
    except Exception as error:
        if " is not a Parquet file" not in str(error):
            raise
        actual, remedy = (
            "a file that is no Parquet, or is damaged",
            "write it to Parquet, and audit that",
        )
        raise DataError(Problem(data, actual, "a Parquet file", remedy)) from error
    return frame


def located(data: str) -> str:
    """Return a path or URI as Spark takes it."""
    if data == "-":
        raise ParameterError("data", data, "a file, a folder or a URI that executors can read")
    path = local_path(data)
    where = data
    if path is not None:
        if not path.exists():
            actual, expected = "no such file or directory", "a file or directory with ratings"
            raise DataError(Problem(data, actual, expected, "check the path"))
        if "://" not in data:
            where = f"file://{path.resolve()}"
    if GLOB & set(where):
        remedy = "rename it, as Spark takes such a name for a pattern"
        raise ParameterError("data", data, "a name without {}[]*?\\", remedy)
    return where


def digest(data: str) -> str | None:
    """Return the SHA-256 of the bytes of a single file of this machine; None of anything else."""
    path = local_path(data)
    return sha256_of(path) if path is not None and path.is_file() else None


def read_frame(
    df: Any,
    options: ReadOptions,
    *,
    name: str = "table",
    issues: str | Sequence[str] | None = None,
    report: Callable[[str], None] = lambda what: None,
) -> Reading:
    """Look at a DataFrame, called ``name`` in messages,
    of which some or all ``issues`` are kept.
    """
    for option, why in (
        *((text, "say how text is read where the DataFrame is made") for text in _OF_TEXT),
        ("sheet", "a DataFrame has no sheets"),
        ("decimal_comma", "write the decimal point as a point"),
        ("attributes", "join them to one row per record"),
        ("only", "name the items to keep with `issues`"),
    ):
        if getattr(options, option) not in (None, ()):
            raise ParameterError(option, getattr(options, option), f"no `{option}` on Spark", why)
    if options.duplicates != "refuse":
        expected = "`duplicates='refuse'` on Spark, where rows have no order"
        raise ParameterError(
            "duplicates", options.duplicates, expected, "decide on the DataFrame first"
        )
    frame = _Frame.of(df, name)
    read = _read_long if decide_layout(list(frame.names), options) == "long" else _read_wide

    def narrowed(table: RatingTable, *, records: int) -> RatingTable:
        """Keep some issues of a sketch; what is said of a selection is said of the data."""
        if isinstance(issues, str) and is_computed(issues):
            expected = "names on Spark, a comma between them"
            raise ParameterError("issues", issues.partition(":")[0], expected, "name the items")
        if issues is not None:
            table = table.select_issues(issues)
        part = table.selection
        if part is None:
            return table
        return table.replace(
            selection=dataclasses.replace(part, records=records, of_records=records)
        )

    return read(frame, options, narrowed, report)


def _read_wide(
    frame: _Frame,
    options: ReadOptions,
    narrow: Callable[..., RatingTable],
    report: Callable[[str], None],
) -> Reading:
    F, roles = functions(), decided(list(frame.names), options, file=frame.name)  # noqa: N806
    if roles.id is None:
        expected = "a column of record ids, as rows of a DataFrame have no numbers that stay"
        raise frame.refusal("no such column", expected, "name it with `id`")
    unread = ("identifier", "drop", "carry")
    wanted = [name for name in frame.names if name != roles.id and roles.role(name) not in unread]
    ids = frame.ids(roles.id)
    pairs = [
        F.struct(F.lit(name).alias("column"), frame.cells(name).alias("cell")) for name in wanted
    ]
    empty = F.struct(
        F.lit(None).cast("string").alias("column"), F.lit(None).cast("string").alias("cell")
    )
    rows = frame.df.select(ids, F.explode(F.array(*pairs or [empty])).alias("pair"))
    rows = rows.select("record", "pair.column", "pair.cell")
    counted = _counted(rows, frame, report)
    records = frame.records(ids, unique=True)
    names = counted.column("column").to_pylist()
    cells, texts = {}, {}
    for column in wanted:
        first = bisect.bisect_left(names, column)
        here = counted.slice(first, bisect.bisect_right(names, column) - first)
        present = here.filter(here.column("cell").is_valid())
        texts[column] = present.column("cell").combine_chunks()
        times = present.column("count").to_numpy()
        nulls = int(here.column("count").to_numpy().sum() - times.sum())
        cells[column] = Cells(frame.typed(column, texts[column]), times, nulls)
    sketch = wide_sketch(
        roles,
        cells,
        options,
        names=frame.names,
        records=records,
        name=frame.name,
        narrow=functools.partial(narrow, records=records),
    )
    judges: dict[str, Judge] = {
        name: repeats if role == "identifier" else repeats_left_out
        for name in frame.names
        if name not in roles.unwanted and (role := roles.role(name)) in ("identifier", "drop")
    }
    sketch = sketch.repeating(frame.repeats(roles.id, judges, records, wide=True))
    column_number = {column: number for number, column in enumerate(sketch.profile.columns)}
    present = [_known([], [], [], [])]
    for column in wanted:
        n = len(texts[column])
        code = sketch.codes.get(column, np.full(n, -1))
        present.append(
            _known([column] * n, texts[column], [column_number.get(column, -1)] * n, code)
        )
    return Reading(sketch, rows, pa.concat_tables(present))


def _read_long(
    frame: _Frame,
    options: ReadOptions,
    narrow: Callable[..., RatingTable],
    report: Callable[[str], None],
) -> Reading:
    for role in ("quasi", "identifier", "carry", "keep", "codebook"):
        value = getattr(options, role)
        if value and not (role == "codebook" and not value.columns):
            shown = ", ".join(value) if isinstance(value, tuple) else "one"
            raise ParameterError(
                role, shown, f"no `{role}` for one row per rating", "give one row per record"
            )
    columns = long_columns(list(frame.names), options, file=frame.name)
    ids = frame.ids(columns.record)
    issue = frame.cells(columns.issue, "issues", "names or numbers").alias("column")
    if frame.kinds[columns.rating] in _AS_TEXT:
        actual = f"ratings of type {frame.kinds[columns.rating]}"
        raise frame.refusal(actual, "ratings", "cast the column", columns.rating)
    rows = frame.df.select(
        ids, issue, frame.cells(columns.rating, "ratings", "ratings").alias("cell")
    )
    counted = _counted(rows, frame, report)
    records = frame.records(ids, unique=False)
    texts = counted.column("cell").combine_chunks()
    pairs = pa.table(
        {
            "issue": counted.column("column"),
            "rating": frame.typed(columns.rating, texts),
            "count": counted.column("count"),
        }
    )
    sketch = long_sketch(
        pairs,
        columns,
        options,
        records=records,
        name=frame.name,
        narrow=functools.partial(narrow, records=records),
    )
    judges = dict.fromkeys(columns.dropped, repeats_left_out)
    sketch = sketch.repeating(frame.repeats(columns.record, judges, records, wide=False))
    column_number = {column: number for number, column in enumerate(sketch.profile.columns)}
    places = np.array(
        [column_number.get(name, -1) for name in counted.column("column").to_pylist()],
        dtype=np.int64,
    )
    return Reading(sketch, rows, _known(pairs.column("issue"), texts, places, sketch.codes[""]))


def _counted(rows: Any, frame: _Frame, report: Callable[[str], None]) -> pa.Table:
    """Return the different cells, ``column, cell, count``, in an order that is always the same."""
    report("counting the different cells")
    F = functions()  # noqa: N806
    counts = rows.groupBy("column", "cell").agg(F.count(F.lit(1)).alias("count"))
    kinds = pa.schema({"column": pa.string(), "cell": pa.string(), "count": pa.int64()})
    counted = counts.limit(MOST_CELLS + 1).toArrow().cast(kinds)
    if counted.num_rows > MOST_CELLS:
        actual = f"more than {MOST_CELLS:,} different cells in all columns together"
        remedy = "drop columns that are no ratings with `drop`, or make them coarser"
        raise frame.refusal(actual, f"at most {MOST_CELLS:,}", remedy)
    report("counting the records")
    return counted.sort_by([("column", "ascending"), ("cell", "ascending")]).combine_chunks()


def _known(column: Any, cell: Any, place: Any, code: Any) -> pa.Table:
    codes = np.asarray(code, dtype=np.int32)
    kinds = {"column": pa.string(), "cell": pa.string(), "place": pa.int32(), "code": pa.int32()}
    content = {
        "column": column,
        "cell": cell,
        "place": place,
        "code": pa.array(codes, mask=codes < 0),
    }
    return pa.table(content, schema=pa.schema(kinds))

"""From a DataFrame, long or wide, to what its records are compared on, and the rows that steps begin with.

One pass counts the different cells, a second their records; the driver reads the cells as the product reads
any data (:mod:`ratingpriv.spark.sketch`), with its refusals. Nothing depends on the order of rows: where that
would matter (rows without ids, which of two duplicates comes first), it is refused.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ratingpriv.codebook.deciding import decided
from ratingpriv.codebook.options import ReadOptions
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.formats.column_names import LongColumns, decide_layout, long_columns
from ratingpriv.spark.cells import changed, count_cells, looked_up
from ratingpriv.spark.session.session import functions
from ratingpriv.spark.sketch import Cells, Sketch, long_sketch, wide_sketch
from ratingpriv.table import RatingTable
from ratingpriv.table.building.problems import no_rows

__all__ = ["MOST_CELLS", "Reading", "columns_of_records", "read_frame"]

MOST_CELLS = 2_000_000
"""So many different cells of all columns together go to the driver; more are refused."""

_WHOLE = ("byte", "short", "integer", "long")
_TEXT = ("string", "char", "varchar")
_AS_TEXT = ("date", "timestamp", "timestamp_ntz")
_NUMBERS = (*_WHOLE, "float", "double", "decimal", "boolean", "void")
_EXACT = float(1 << 53)


@dataclass(frozen=True, slots=True)
class Reading:
    """A DataFrame that was looked at.

    Attributes
    ----------
    layout : "long" or "wide"
    sketch : what its cells are
    rows : of a long one a DataFrame of ``record, issue, rating`` (:func:`ratingpriv.spark.plan.long_schema`);
        of a wide one its cells and ``record``
    begin : of a wide one turns its batches into those of :func:`ratingpriv.spark.plan.wide_schema`
    whole_ids : whether records are called by whole numbers
    id : the column of record ids
    """

    layout: str
    sketch: Sketch
    rows: Any
    begin: Callable[[Any], Any] | None
    whole_ids: bool
    id: str


def read_frame(
    df: Any,
    options: ReadOptions,
    *,
    name: str = "table",
    issues: str | Sequence[str] | None = None,
    report: Callable[[str], None] = lambda what: None,
) -> Reading:
    """Look at a DataFrame.

    Parameters
    ----------
    df : a Spark DataFrame
    options : what is said of the data, checked
    name : its name in messages and results
    issues : names of the issues to keep; None: all
    report : told what is being done

    Raises
    ------
    ParameterError, DataError
        As :func:`ratingpriv.read`; also: no column of record ids, an option that depends on the order of
        rows, columns of other types, more than :data:`MOST_CELLS` different cells.
    """
    _refuse_options(options)
    names = list(map(str, df.columns))
    report("counting the different cells")
    if decide_layout(names, options) == "long":
        return _read_long(df, names, options, name=name, issues=issues, report=report)
    return _read_wide(df, names, options, name=name, issues=issues, report=report)


def columns_of_records(df: Any, reading: Reading, wanted: Sequence[str]) -> Any:
    """Return columns of the data as they are, called ``_0``, ``_1``, …, and ``record``, as in ``rows``."""
    names = list(map(str, df.columns))
    record = _record(_kinds(df, names)[reading.id], reading.id, "")
    kept = {f"_{number}": (name, lambda column: column) for number, name in enumerate(wanted)}
    return _selected(df, names, {"record": (reading.id, record), **kept})


def _refuse_options(options: ReadOptions) -> None:
    for option, why in (
        ("encoding", "say how text is read where the DataFrame is made"),
        ("delimiter", "say how text is read where the DataFrame is made"),
        ("header", "say how text is read where the DataFrame is made"),
        ("sheet", "a DataFrame has no sheets"),
        ("decimal_comma", "write the decimal point as a point"),
        ("attributes", "join them to a row a record"),
        ("only", "name the issues to keep with `issues`"),
    ):
        if getattr(options, option) not in (None, ()):
            raise ParameterError(option, getattr(options, option), f"no `{option}` on Spark", why)
    if options.duplicates != "refuse":
        expected = "`duplicates='refuse'` on Spark, where rows have no order"
        raise ParameterError("duplicates", options.duplicates, expected, "decide on the DataFrame first")


def _read_wide(
    df: Any,
    names: list[str],
    options: ReadOptions,
    *,
    name: str,
    issues: str | Sequence[str] | None,
    report: Callable[[str], None],
) -> Reading:
    said = decided(names, options, file=name)
    if said.id is None:
        expected = "a column of record ids, as rows of a DataFrame have no numbers that stay"
        raise DataError(Problem(name, "no such column", expected, "name it with `id`"))
    kinds = _kinds(df, names)
    wanted = [
        one for one in names if one != said.id and said.role(one) not in ("identifier", "drop", "carry")
    ]
    record = _record(kinds[said.id], said.id, name)
    read = _selected(df, names, {"record": (said.id, record), **_cells_of(wanted, kinds, name)})
    plain = read.select(*[f"c{number}" for number in range(len(wanted))])
    F = functions()  # noqa: N806 -- its usual name
    counted = (
        plain.mapInArrow(count_cells, "column int, cell string, count long")
        .groupBy("column", "cell")
        .agg(F.sum("count").alias("count"))
        .limit(MOST_CELLS + 1)
        .toArrow()
    )
    _refuse_many(counted.num_rows, name)
    cells = _cells(counted, wanted, plain)
    report("counting the records")
    records = _records(read, name, unique=True)
    sketch = wide_sketch(
        said, cells, options, names=names, records=records, name=name,
        narrow=functools.partial(_narrowed, issues=issues, records=records),
    )  # fmt: skip
    place = {column: f"c{number}" for number, column in enumerate(wanted)}
    lookups = [dataclasses.replace(one, column=place[one.column]) for one in sketch.lookups]
    rows = read.select("record", *[one.column for one in lookups])
    begin = functools.partial(looked_up, record="record", lookups=lookups)
    return Reading("wide", sketch, rows, begin, kinds[said.id] not in _TEXT, said.id)


def _read_long(
    df: Any,
    names: list[str],
    options: ReadOptions,
    *,
    name: str,
    issues: str | Sequence[str] | None,
    report: Callable[[str], None],
) -> Reading:
    for role in ("quasi", "identifier", "carry", "keep", "codebook"):
        value = getattr(options, role)
        if value and not (role == "codebook" and not value.columns):
            shown = ", ".join(value) if isinstance(value, tuple) else "one"
            remedy = "give a row a record"
            raise ParameterError(role, shown, f"no `{role}` for a row a rating", remedy)
    columns = long_columns(names, options, file=name)
    kinds = _kinds(df, names)
    _refuse_kinds(columns, kinds, name)
    F = functions()  # noqa: N806
    record = _record(kinds[columns.record], columns.record, name)
    read = _selected(df, names, {
        "record": (columns.record, record),
        "issue": (columns.issue, lambda column: column.cast("string")),
        "rating": (columns.rating, lambda column: column),
    })  # fmt: skip
    pairs = (
        read.groupBy("issue", "rating").agg(F.count(F.lit(1)).alias("count")).limit(MOST_CELLS + 1).toArrow()
    )
    _refuse_many(pairs.num_rows, name)
    pairs = pairs.sort_by([("issue", "ascending"), ("rating", "ascending")]).combine_chunks()
    report("counting the records")
    records = _records(read, name, unique=False)
    issue, rating = (_joined(pairs.column(one)) for one in ("issue", "rating"))
    counts = _joined(pairs.column("count")).to_numpy(zero_copy_only=False)
    sketch = long_sketch(
        issue, rating, counts, columns, options, records=records, name=name,
        narrow=functools.partial(_narrowed, issues=issues, records=records),
    )  # fmt: skip
    if sketch.pairs is None:
        raise TypeError("a long sketch has pairs")
    place, value = sketch.pairs
    known = df.sparkSession.createDataFrame(pa.table({
        "its_issue": issue,
        "its_rating": rating,
        "place": pa.array(place, mask=place < 0),
        "value": pa.array(value, mask=np.isnan(value)),
        "found": pa.array(np.ones(len(place), dtype=bool)),
    }))  # fmt: skip
    same = read["issue"].eqNullSafe(known["its_issue"]) & read["rating"].eqNullSafe(known["its_rating"])
    gone = F.raise_error(F.lit(f"{changed().__notes__[0]}\n")).cast("int")  # the note is a line of its own
    rows = read.join(F.broadcast(known), same, "left").select(
        "record",
        F.when(F.col("found").isNull(), gone).otherwise(F.col("place")).alias("issue"),
        F.col("value").alias("rating"),
    )
    return Reading("long", sketch, rows, None, kinds[columns.record] not in _TEXT, columns.record)


def _kinds(df: Any, names: Sequence[str]) -> dict[str, str]:
    return {name: field.dataType.typeName() for name, field in zip(names, df.schema.fields, strict=True)}


def _selected(df: Any, names: Sequence[str], wanted: dict[str, tuple[str, Callable[[Any], Any]]]) -> Any:
    """Return some columns under other names, each made by a function; names may hold any character."""
    F = functions()  # noqa: N806
    places = {name: f"_{number}" for number, name in enumerate(names)}
    numbered = df.toDF(*places.values())
    made = [make(F.col(places[column])).alias(called) for called, (column, make) in wanted.items()]
    return numbered.select(*made)


def _record(kind: str, column: str, name: str) -> Callable[[Any], Any]:
    """Return what makes texts of a column of record ids; null where it is none."""
    F = functions()  # noqa: N806
    if kind in (*_TEXT, *_WHOLE):
        return lambda ids: ids.cast("string")
    if kind in ("float", "double"):

        def of_floats(ids: Any) -> Any:
            whole = (ids == F.floor(ids)) & (F.abs(ids) <= _EXACT)
            return F.when(whole, ids.cast("long").cast("string"))

        return of_floats
    found, expected = f"record ids of type {kind}", "whole numbers or text"
    raise DataError(Problem(name, found, expected, "cast them to text", column=column))


def _records(read: Any, name: str, *, unique: bool) -> int:
    """Return how many records there are; DataError where an id is null, or there twice."""
    F = functions()  # noqa: N806
    asked = read.agg(
        F.count(F.lit(1)).alias("rows"),
        F.count("record").alias("named"),
        F.count_distinct("record").alias("records"),
    )
    rows, named, records = (int(column[0].as_py()) for column in asked.toArrow().columns)
    if rows == 0:
        raise DataError(no_rows(name))
    if named < rows:
        found = f"{rows - named:,} rows without a record id, or with a number that is none"
        expected = "in every row a record id: text, or a whole number below 2**53"
        raise DataError(Problem(name, found, expected, "fill it in, or cast the ids to text"))
    if unique and records < rows:
        found = f"record ids a second time: {rows:,} rows of {records:,} ids"
        remedy = "remove the duplicates, or name another column of ids with `id`"
        raise DataError(Problem(name, found, "every record id once", remedy))
    return records


def _cells_of(
    wanted: Sequence[str], kinds: dict[str, str], name: str
) -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """Return the columns of cells, called c0, c1, …; dates become text."""
    made: dict[str, tuple[str, Callable[[Any], Any]]] = {}
    for number, column in enumerate(wanted):
        kind = kinds[column]
        if kind in _AS_TEXT:
            made[f"c{number}"] = (column, lambda cells: cells.cast("string"))
        elif kind in (*_NUMBERS, *_TEXT):
            made[f"c{number}"] = (column, lambda cells: cells)
        else:
            remedy = "cast the column, or leave it out with `drop`"
            raise DataError(
                Problem(name, f"a column of type {kind}", "numbers or text", remedy, column=column)
            )
    return made


def _cells(counted: pa.Table, wanted: Sequence[str], plain: Any) -> dict[str, Cells]:
    """Return the different cells of every column, of its own type, in an order that is always the same."""
    counted = counted.sort_by([("column", "ascending"), ("cell", "ascending")]).combine_chunks()
    numbers = _joined(counted.column("column")).to_numpy(zero_copy_only=False)
    texts, counts = _joined(counted.column("cell")), _joined(counted.column("count"))
    empty = plain.limit(0).toArrow().schema
    ends = np.searchsorted(numbers, np.arange(len(wanted) + 1))
    cells = {}
    for number, column in enumerate(wanted):
        at = slice(int(ends[number]), int(ends[number + 1]))
        here, times = texts[at], counts[at].to_numpy(zero_copy_only=False)
        there = np.asarray(here.is_valid())
        kind = empty.field(number).type
        known = here.filter(pa.array(there))
        made = pa.nulls(0, kind) if pa.types.is_null(kind) else known.cast(kind)
        cells[column] = Cells(made, times[there], int(times[~there].sum()))
    return cells


def _joined(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def _refuse_many(different: int, name: str) -> None:
    if different > MOST_CELLS:
        found = f"more than {MOST_CELLS:,} different cells in all columns together"
        remedy = "leave out columns that are no answers with `drop`, or make them coarser"
        raise DataError(Problem(name, found, f"at most {MOST_CELLS:,}", remedy))


def _refuse_kinds(columns: LongColumns, kinds: dict[str, str], name: str) -> None:
    allowed = (
        (columns.issue, (*_NUMBERS, *_TEXT, *_AS_TEXT), "issues", "names or numbers"),
        (columns.rating, (*_NUMBERS, *_TEXT), "ratings", "ratings"),
    )
    for column, fine, what, expected in allowed:
        if kinds[column] not in fine:
            found, remedy = f"{what} of type {kinds[column]}", "cast the column"
            raise DataError(Problem(name, found, expected, remedy, column=column))


def _narrowed(table: RatingTable, *, issues: str | Sequence[str] | None, records: int) -> RatingTable:
    """Keep some issues of a sketch; what is said of a selection is said of the data."""
    if isinstance(issues, str) and issues.startswith(("top:", "random:", "@")):
        expected = "names on Spark, a comma between them"
        raise ParameterError("issues", issues.partition(":")[0], expected, "name the issues")
    if issues is not None:
        table = table.select_issues(issues)
    if table.selection is None:
        return table
    return table.replace(selection=dataclasses.replace(table.selection, records=records, of_records=records))

"""Cells of a DataFrame: what different ones there are, and what each stands for. Arrow in, Arrow out.

Nothing is parsed, recoded or judged here. The different cells of all columns are few; they go to the driver,
where the product reads them as it reads any table (:mod:`ratingpriv.spark.sketch`), and a
:class:`Lookup` brings back what became of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ratingpriv.errors import ParameterError
from ratingpriv.spark.session.refusals import refusal

__all__ = ["COUNTED", "Lookup", "changed", "count_cells", "looked_up", "plain"]

COUNTED = pa.schema([("column", pa.int32()), ("cell", pa.string()), ("count", pa.int64())])
"""A cell of a column, written as text (null: an empty one), and how often it is there."""

_KEPT = 1 << 17  # different cells of all columns that a task keeps, beside a batch, before it hands them on


@dataclass(frozen=True, slots=True)
class Lookup:
    """What the cells of a column stand for.

    Attributes
    ----------
    column : its name
    cells : arrow array (n,) of the column's type, different, without nulls
    values : float64 arrow array (n,); null: not rated
    """

    column: str
    cells: pa.Array
    values: pa.Array


def plain(cells: pa.Array) -> pa.Array:
    """Return cells such that equal ones are written alike: -0.0 is 0.0, a dictionary what it lists."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    return pc.add(cells, pa.scalar(0, cells.type)) if pa.types.is_floating(cells.type) else cells


def count_cells(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the different cells of every column of ``batches``; rows of :data:`COUNTED`, to be added up."""
    kept: dict[int, pa.Array] = {}
    for batch in batches:
        for number, column in enumerate(batch.columns):
            found = _counts(plain(column))
            if number in kept:
                found = _merged(kept[number], found)
            kept[number] = found
        if sum(map(len, kept.values())) > _KEPT:
            for number, found in kept.items():
                yield _rows(number, found)
            kept.clear()
    for number, found in kept.items():
        yield _rows(number, found)


def looked_up(
    batches: Iterable[pa.RecordBatch], record: str, lookups: Sequence[Lookup]
) -> Iterator[pa.RecordBatch]:
    """Replace each cell by what it stands for: ``record``, then ``c0``, ``c1``, …, one a Lookup.

    Raises
    ------
    ParameterError
        A cell is there that was not when cells were counted.
    """
    names = ["record", *(f"c{number}" for number in range(len(lookups)))]
    for batch in batches:
        columns = [batch.column(record).cast(pa.string())]
        for one in lookups:
            cells = plain(batch.column(one.column))
            places = pc.index_in(cells, value_set=one.cells)
            if places.null_count > cells.null_count:
                raise changed()
            columns.append(one.values.take(places))
        yield pa.RecordBatch.from_arrays(columns, names=names)


def changed() -> ParameterError:
    """Return the error where data are not what they were a moment ago."""
    return refusal(
        "the data",
        "other cells than when they were counted",
        "data that stay as they are during an audit",
        "write them to Parquet first, and audit that",
    )


def _counts(cells: pa.Array) -> pa.Array:
    """Return a struct array (values, counts) of the different cells."""
    return pc.value_counts(cells)


def _merged(one: pa.Array, other: pa.Array) -> pa.Array:
    table = pa.table({
        "values": pa.chunked_array([one.field("values"), other.field("values")]),
        "counts": pa.chunked_array([one.field("counts"), other.field("counts")]),
    })  # fmt: skip
    added = table.group_by("values").aggregate([("counts", "sum")])
    return pa.StructArray.from_arrays(
        [added.column("values").combine_chunks(), added.column("counts_sum").combine_chunks()],
        names=["values", "counts"],
    )


def _rows(number: int, found: pa.Array) -> pa.RecordBatch:
    cells = found.field("values").cast(pa.string())
    column = pa.array([number] * len(cells), pa.int32())
    return pa.RecordBatch.from_arrays([column, cells, found.field("counts").cast(pa.int64())], schema=COUNTED)

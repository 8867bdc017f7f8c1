"""Records of a DataFrame as rows of import files: Arrow in, Arrow out.

What :mod:`ratingpriv.graph.offline` writes on one machine is written here by tasks, as text, and put into
files by the driver.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.graph.offline.rows import framed, record_frame
from ratingpriv.spark.plan import Comparison
from ratingpriv.spark.rows import decode, encode
from ratingpriv.table.building.coding import smallest_code_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "compared",
    "compared_schema",
    "group_lines",
    "lines_schema",
    "membership_lines",
    "pair_lines",
    "rating_lines",
    "ratings_comparison",
    "record_lines",
]

_SLICE = 10_000  # rows of a text, about a megabyte


def lines_schema() -> pa.Schema:
    """Return the schema of text: ``count`` rows, each with its newline."""
    import pyarrow as pa

    return pa.schema([("count", pa.int64()), ("lines", pa.string())])


def compared_schema() -> pa.Schema:
    """Return the schema of records that are called by their positions."""
    import pyarrow as pa

    return pa.schema([("record", pa.int64()), ("key", pa.binary()), ("codes", pa.binary())])


def compared(
    batches: Iterable[pa.RecordBatch], ratings: Comparison, comparison: Comparison
) -> Iterator[pa.RecordBatch]:
    """Yield records as another comparison has them.

    Parameters
    ----------
    batches : ``position``, ``key`` and ``codes``
    ratings : by what they were made: keys are supports, codes all ratings
    comparison : by what they are wanted
    """
    import pyarrow as pa

    for batch in batches:
        found = decode(ratings, batch.column("key"), batch.column("codes"))
        key, codes = encode(comparison, found.indptr, found.places, found.codes, found.equal)
        yield pa.RecordBatch.from_arrays([batch.column("position"), key, codes], schema=compared_schema())


def ratings_comparison(comparison: Comparison) -> Comparison:
    """Return a comparison whose keys are supports and whose codes are all ratings; others are made of it."""
    every = np.arange(len(comparison.levels))
    return dataclasses.replace(
        comparison, lo=every, hi=every, code_type=smallest_code_type(len(every)).name, by_support=True,
        rated=True, identical=False, complete=False,
    )  # fmt: skip


def group_lines(batches: Iterable[pa.RecordBatch], dataset: str) -> Iterator[pa.RecordBatch]:
    """Yield rows of HammingGroup from ``number``, ``size`` and ``support``."""
    for batch in batches:
        number, size, support = (_numbers(batch, one) for one in ("number", "size", "support"))
        yield from _lines(framed(number, number, size, support, dataset=dataset))


def record_lines(
    batches: Iterable[pa.RecordBatch], dataset: str, array_delimiter: str, levels: int, *, whole_ids: bool
) -> Iterator[pa.RecordBatch]:
    """Yield rows of Record from ``position``, ``record``, ``number``, ``size0``, …, and ``at_risk``."""
    for batch in batches:
        ids = pl.Series("id", batch.column("record"), dtype=pl.String)
        sizes = np.stack([_numbers(batch, f"size{place}") for place in range(levels)], axis=1)
        yield from _lines(
            record_frame(
                _numbers(batch, "position"), ids.cast(pl.Int64) if whole_ids else ids,
                _numbers(batch, "number"), sizes, _numbers(batch, "at_risk"), dataset=dataset,
                array_delimiter=array_delimiter,
            )
        )  # fmt: skip


def membership_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of IN_GROUP from ``position`` and ``number``."""
    for batch in batches:
        yield from _lines(framed(_numbers(batch, "position"), _numbers(batch, "number")))


def rating_lines(
    batches: Iterable[pa.RecordBatch], ratings: Comparison, *, all_ratings: bool
) -> Iterator[pa.RecordBatch]:
    """Yield rows of RATED from ``position``, ``key``, ``codes`` and the codes of sensitive issues.

    Sensitive ratings always; the others where ``all_ratings``.
    """
    for batch in batches:
        position = _numbers(batch, "position")
        for number, column in enumerate(ratings.sensitive):
            code = batch.column(f"s{number}")
            rated = np.asarray(code.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
            value = column.values[code.drop_null().to_numpy().astype(np.int64)]
            issue = np.full(len(value), len(ratings.issues) + number, dtype=np.int64)
            yield from _lines(framed(position[rated], issue, value))
        if all_ratings:
            found = decode(ratings, batch.column("key"), batch.column("codes"))
            owner = np.repeat(position, np.diff(found.indptr))
            yield from _lines(framed(owner, found.places, ratings.levels[found.codes]))


def pair_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of PROXIMATE from ``left``, ``right`` and ``distance``."""
    for batch in batches:
        yield from _lines(framed(*(_numbers(batch, one) for one in ("left", "right", "distance"))))


def _numbers(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    return np.asarray(batch.column(name).to_numpy(zero_copy_only=False))


def _lines(frame: pl.DataFrame) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for first in range(0, len(frame), _SLICE):
        some = frame.slice(first, _SLICE)
        columns = [pa.array([len(some)], pa.int64()), pa.array([some.write_csv(include_header=False)])]
        yield pa.RecordBatch.from_arrays(columns, schema=lines_schema())

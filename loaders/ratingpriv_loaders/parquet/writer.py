"""Writing Parquet, wide (a row a record) or long (a row a rating): one file, row group by row group.

The file says what columns there are and which library wrote it, as every Parquet file does; no index of
pandas, no names of files, no times.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.formats.writing import (
    Rereading,
    WriteOptions,
    refuse_columns_beside_ratings,
    scale_of,
    sensitive_scales_of,
)
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import LongRows, full_order
from ratingpriv.data.table.building.finishing import fresh_name
from ratingpriv_loaders.text.writer import taken_for_ids
from ratingpriv_loaders.wide_cells import STATES, WideCells

_CELLS = 1 << 24  # cells of a row group
_WHOLE = r"^(0|[1-9][0-9]{0,17})$"


class ParquetWriter:
    """Writes one Parquet file; whole numbers are Int64, other ratings Float64."""

    name = "parquet"
    description = "Parquet, wide (a row a record) or long (a row a rating), one file"
    states = (*STATES, "issue", "rating", "timestamp", "timestamps")

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError never: Parquet can hold any table."""
        layout = options.layout or table.origin.layout
        said = ReadOptions(
            layout=layout,
            sensitive=tuple(column.name for column in table.sensitive),
            scale=scale_of(table),
            sensitive_scale=sensitive_scales_of(table),
            timestamps=table.timestamps is not None,
        )
        name = options.name or path.name
        with row_groups(path) as append_rows:

            def append(frame: pl.DataFrame) -> None:
                rows = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).replace_schema_metadata(None)
                append_rows(rows, max(1, len(rows)))

            if layout == "long":
                return _write_long(table, append, said, name, progress)
            return _write_wide(table, append, said, name, progress, options)


@contextlib.contextmanager
def row_groups(path: Path) -> Iterator[Callable[[pa.Table, int], None]]:
    """Give a function that appends a table, in row groups of at most so many rows.

    Errors of the disk are those of Python's file.
    """
    with path.open("wb") as file, contextlib.ExitStack() as stack:
        opened: list[pq.ParquetWriter] = []

        def append(table: pa.Table, rows: int) -> None:
            if not opened:
                writer = pq.ParquetWriter(pa.PythonFile(file, "w"), table.schema, compression="zstd")
                opened.append(stack.enter_context(writer))
            opened[0].write_table(table, row_group_size=rows)

        yield append


def _write_wide(
    table: RatingTable,
    append: Callable[[pl.DataFrame], None],
    said: ReadOptions,
    name: str,
    progress: Progress | None,
    options: WriteOptions,
) -> Rereading:
    cells = WideCells.of(table, labels=options.labels)
    said = dataclasses.replace(said, codebook=cells.codebook)
    id_name = None
    height = max(1, _CELLS // (table.n_issues + len(table.other_names) + 1))
    for first in range(0, max(1, table.n_records), height):
        part = table.take(np.arange(first, min(first + height, table.n_records)))
        frame: pl.DataFrame = part.to_wide("polars")
        id_name = frame.columns[0]
        kept = frame.columns if options.record_ids else frame.columns[1:]
        append(frame.select(_stored(table, frame[column], cells) for column in kept))
        if progress is not None:
            progress(f"writing {name}", first + part.n_records, table.n_records)
    if not options.record_ids:
        return Rereading("parquet", dataclasses.replace(said, only=taken_for_ids(table)))
    return Rereading("parquet", _with(said, id=id_name))


def _write_long(
    table: RatingTable,
    append: Callable[[pl.DataFrame], None],
    said: ReadOptions,
    name: str,
    progress: Progress | None,
) -> Rereading:
    refuse_columns_beside_ratings(table)
    origin, rows = table.origin, LongRows(table, full_order(table))
    names: list[str] = []
    for wanted in (origin.record_name, origin.issue_name, origin.rating_name, origin.timestamp_name):
        names.append(fresh_name(wanted, names))
    issues = pl.Series(rows.names, dtype=pl.String)
    if bool(issues.str.contains(_WHOLE).all()):
        issues = issues.cast(pl.Int64)
    whole = bool(np.all(rows.levels == np.floor(rows.levels)))
    ratings = pl.Series([*rows.levels.tolist(), None], dtype=pl.Float64)
    ratings = ratings.cast(pl.Int64) if whole else ratings
    names = names if table.timestamps is not None else names[:3]
    for done, columns in rows.columns(table.record_ids, issues, ratings):
        append(pl.DataFrame(dict(zip(names, columns, strict=True))))
        if progress is not None:
            progress(f"writing {name}", done, table.n_records)
    roles = dict(zip(("id", "issue", "rating", "timestamp"), names, strict=False))
    return Rereading("parquet", _with(said, **roles))


def _stored(table: RatingTable, column: pl.Series, cells: WideCells) -> pl.Series:
    """Return a column of the frame of a table as the file has it."""
    name = column.name
    if name in cells.attributes:
        if cells.attributes[name].null_count() == table.n_records:
            return column.cast(pl.Null)  # of whatever type it was, nothing of it is left
        categories = column.dtype == pl.Categorical or isinstance(column.dtype, pl.Enum)
        return column.cast(pl.String) if categories else column
    if name in cells.words:
        words = pl.Series([*cells.words[name], None], dtype=pl.String)
        return words.gather(column.cast(pl.Int64).fill_null(len(words)) - 1).alias(name)
    if name not in table.issues and name not in table.other_names:
        return column  # the ids
    return column.cast(pl.Int64 if _is_whole(table, name) else pl.Float64)


def _is_whole(table: RatingTable, issue: str) -> bool:
    """Whether an issue is written as whole numbers; non-sensitive ones are all of one type."""
    for column in table.sensitive:
        if column.name == issue:
            there = column.values[column.present]
            return bool(np.all(there == np.floor(there)))
    return table.integral


def _with(options: ReadOptions, **roles: str | None) -> ReadOptions:
    return dataclasses.replace(options, **roles)  # type: ignore[arg-type]

"""Writing Parquet, wide (a row a record) or long (a row a rating): one file,
row group by row group.

The file says what columns there are and which library wrote it, as every Parquet file does; no
index of pandas, no names of files, no times.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ratingpriv.base.extras import arrow
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.writing import Rereading, WriteOptions, refuse_columns_beside_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import LongRows, full_order
from ratingpriv.data.table.building.finishing import fresh_name
from ratingpriv_loaders.writing import STATES, WideCells, how_read, taken_for_ids

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = 1 << 24  # cells of a row group
_WHOLE = r"^(0|[1-9][0-9]{0,17})$"


class ParquetWriter:
    """Writes one Parquet file; whole numbers are Int64, other ratings Float64."""

    name = "parquet"
    description = "Parquet, wide (one row per record) or long (one row per rating), one file"
    suffixes = (".parquet", ".pq", ".parq")
    states = (*STATES, "issue", "rating", "timestamp", "timestamps")

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError never: Parquet can hold any table."""
        name = options.name or path.name
        with row_groups(path) as append_rows:

            def append(frame: pl.DataFrame) -> None:
                rows = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).replace_schema_metadata(
                    None
                )
                append_rows(rows, max(1, len(rows)))

            if (options.layout or table.origin.layout) == "long":
                return _write_long(table, append, name, progress)
            return _write_wide(table, append, name, progress, options)


@contextlib.contextmanager
def row_groups(path: Path) -> Iterator[Callable[[pa.Table, int], None]]:
    """Give a function that appends a table, in row groups of at most so many rows.

    Errors of the disk are those of Python's file.
    """
    whole = arrow("Parquet files")
    import pyarrow.parquet as pq

    with path.open("wb") as file, contextlib.ExitStack() as stack:
        opened: list[Any] = []

        def append(table: pa.Table, rows: int) -> None:
            if not opened:
                writer = pq.ParquetWriter(
                    whole.PythonFile(file, "w"), table.schema, compression="zstd"
                )
                opened.append(stack.enter_context(writer))
            opened[0].write_table(table, row_group_size=rows)

        yield append


def _write_wide(
    table: RatingTable,
    append: Callable[[pl.DataFrame], None],
    name: str,
    progress: Progress | None,
    options: WriteOptions,
) -> Rereading:
    cells = WideCells.of(table, labels=options.labels)
    # whether each issue is written as whole numbers; non-sensitive ones are all of one type
    integers = dict.fromkeys(table.issues, table.integral)
    for column in table.numeric_sensitive:
        rated = column.values[column.present]
        integers[column.name] = bool(np.all(rated == np.floor(rated)))

    def stored(column: pl.Series) -> pl.Series:
        """Return a column of the frame of a table as the file has it."""
        if (attribute := cells.attributes.get(column.name)) is not None:
            if attribute.null_count() == table.n_records:
                return column.cast(pl.Null)  # of whatever type it was, nothing of it is left
            categories = column.dtype == pl.Categorical or isinstance(column.dtype, pl.Enum)
            return column.cast(pl.String) if categories else column
        if column.name in cells.words:
            return cells.worded(column)
        if column.name not in integers:
            return column  # the ids
        return column.cast(pl.Int64 if integers[column.name] else pl.Float64)

    ids = ""
    height = max(1, _CELLS // (table.n_issues + len(table.other_names) + 1))
    for first in range(0, max(1, table.n_records), height):
        part = table.take(np.arange(first, min(first + height, table.n_records)))
        frame: pl.DataFrame = part.to_wide("polars")
        ids = frame.columns[0]
        kept = frame.columns if options.record_ids else frame.columns[1:]
        append(frame.select(stored(frame[column]) for column in kept))
        if progress is not None:
            progress(f"writing {name}", first + part.n_records, table.n_records)
    roles: dict[str, Any] = {"id": ids} if options.record_ids else {"only": taken_for_ids(table)}
    timed = table.timestamps is not None
    said = how_read(table, "wide", timestamps=timed, codebook=cells.codebook, **roles)
    return Rereading("parquet", said)


def _write_long(
    table: RatingTable, append: Callable[[pl.DataFrame], None], name: str, progress: Progress | None
) -> Rereading:
    refuse_columns_beside_ratings(table)
    origin, rows = table.origin, LongRows(table, full_order(table))
    names: list[str] = []
    for wanted in (
        origin.record_name,
        origin.issue_name,
        origin.rating_name,
        origin.timestamp_name,
    ):
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
    return Rereading(
        "parquet", how_read(table, "long", timestamps=table.timestamps is not None, **roles)
    )

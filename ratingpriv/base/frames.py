"""Rows of a result as a polars data frame, by the names that its JSON has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ratingpriv.base.escaping import as_utf8

if TYPE_CHECKING:
    import polars as pl

type Columns = Mapping[tuple[str, ...], type]
"""Where each column's value stands in a row of JSON, key by key, and its type: str, int, float or
bool.
"""


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Columns) -> pl.DataFrame:
    """Return rows of JSON as a frame.

    A column is called by its keys, joined by dots: ``success.rate``.

    Types are String, Int64, Float64 and Boolean, whatever the rows are; what a row lacks, or has as
    None, is null.
    """
    rows = list(rows)

    def cell(row: Any, path: tuple[str, ...]) -> Any:
        return row if row is None or not path else cell(row.get(path[0]), path[1:])

    cells = {".".join(path): [cell(row, path) for row in rows] for path in columns}
    return typed_frame(cells, {".".join(path): kind for path, kind in columns.items()})


def typed_frame(cells: Mapping[str, list[Any]], types: Mapping[str, type]) -> pl.DataFrame:
    """Return columns of cells as a frame; their types as in :func:`frame_of`."""
    import polars as pl

    texts = (
        (name, [as_utf8(cell) if isinstance(cell, str) else cell for cell in column])
        for name, column in cells.items()
        if types[name] is str
    )
    known = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    return pl.DataFrame(
        {**cells, **dict(texts)}, schema={name: known[types[name]] for name in cells}
    )

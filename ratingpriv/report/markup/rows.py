"""The rows of a result as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.base import escaping
from ratingpriv.base.files import replacing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_csv"]


def write_csv(
    frame: pl.DataFrame, path: str | Path, *, safe: bool = True, force: bool = False, private: bool = False
) -> None:
    """Write a frame to ``path``, whole or not at all; null is an empty cell.

    ``safe`` : whether texts that a spreadsheet would take for formulas are escaped, names of columns too
    """
    import polars as pl

    if safe:
        texts = pl.col(pl.String)
        frame = frame.with_columns(texts.map_elements(escaping.csv_safe, return_dtype=pl.String))
        frame = frame.rename({name: escaping.csv_safe(name) for name in frame.columns})
    with replacing(path, force=force, private=private) as temporary, temporary.open("wb") as file:
        frame.write_csv(file)

"""Rows of measures as a tidy data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ratingpriv.base.frames import typed_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["tidy_frame"]

_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("data", "method", "attack", "measure", "reason"), str),
    **dict.fromkeys(("k", "seed", "measured", "of"), int),
    "front": bool,
}
"""The types of columns that are no Float64."""


def tidy_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """Return ``columns`` of ``rows``; None, or no text, is null."""
    cells = {name: [None if row[name] == "" else row[name] for row in rows] for name in columns}
    return typed_frame(cells, {name: _TYPES.get(name, float) for name in columns})

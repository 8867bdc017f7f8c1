"""Tables of quasi-identifiers, from data frames of texts or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from golden.tables import build
from properties.strategies import without_ratings

from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn

__all__ = ["quasi_column", "quasi_table"]


def quasi_column(values: pl.Series, within: float | None = None) -> QuasiColumn:
    """A quasi-identifier of these values, as the loaders make it."""
    texts = values.dtype == pl.String
    distinct = values.drop_nulls().unique(maintain_order=True)
    distinct = distinct if texts else distinct.cast(pl.Float64).sort()
    of = {value: code for code, value in enumerate(distinct.to_list())}
    codes = np.array([-1 if value is None else of[value] for value in values.to_list()], dtype=np.int32)
    return QuasiColumn(values.name, codes, distinct, within)


def quasi_table(
    frame: pl.DataFrame,
    *,
    ratings: np.ndarray | None = None,
    within: Mapping[str, float] | None = None,
) -> RatingTable:
    """The columns of ``frame`` as quasi-identifiers, with ratings beside them or without any."""
    rows = [[1.0]] * len(frame) if ratings is None else ratings.tolist()
    table = build(rows, scale=None if ratings is None else (1, 5))
    table = without_ratings(table) if ratings is None else table
    return replace(
        table, quasi=tuple(quasi_column(one, (within or {}).get(one.name)) for one in frame.get_columns())
    )

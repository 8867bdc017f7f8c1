"""Timestamps of Parquet files: kept as they are, and moved about as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv_loaders.parquet.cells import plain_series, value_type
from ratingpriv_loaders.parquet.parts import Parts

__all__ = ["Times"]


class Times:
    """The timestamp column of all parts: whole numbers, floats, dates or instants, of one kind.

    Raises
    ------
    DataError
        It is of another type, or not of one kind in all parts.
    """

    def __init__(self, parts: Parts, column: str) -> None:
        self.column = column
        kinds = [_series_type(kind) for kind in parts.types(column)]
        for part, kind in zip(parts.parts, kinds, strict=True):
            if not (kind.is_numeric() or kind.is_temporal()) or kind in (pl.Time, pl.Duration):
                found, expected = (
                    f"timestamps of type {kind}",
                    "whole numbers (unix seconds), dates or instants",
                )
                remedy = "cast them, or name another column with `timestamp`"
                raise DataError(Problem(part.file, found, expected, remedy, column=column))
            if kind != kinds[0] and not (kind.is_integer() and kinds[0].is_integer()):
                found, expected = f"timestamps of type {kind}", f"{kinds[0]}, as in {parts.parts[0].file}"
                raise DataError(Problem(part.file, found, expected, "cast them to one type", column=column))
        self.kind: pl.DataType = kinds[0]
        if self.kind.is_integer() and any(kind not in (pl.Int8, pl.Int16, pl.Int32) for kind in kinds):
            self.kind = pl.Int64()
        elif self.kind.is_integer():
            self.kind = pl.Int32()

    def read(self, array: pa.Array) -> pl.Series:
        """Return a batch of timestamps."""
        return plain_series(self.column, array).cast(self.kind)

    def joined(self, pieces: list[pl.Series | None]) -> pl.Series:
        """Return batches as one series."""
        return pl.concat([piece for piece in pieces if piece is not None])

    @property
    def physical(self) -> np.dtype[Any]:
        """The type of whole number that holds a timestamp."""
        return np.dtype(np.int32 if self.kind in (pl.Int32, pl.Date, pl.Float32) else np.int64)

    def packed(self, times: pl.Series) -> NDArray[Any]:
        """Return timestamps as whole numbers; the smallest one there is stands for null."""
        numbers = times.to_physical().to_numpy() if not times.null_count() else None
        if numbers is None:
            numbers = times.to_physical().fill_null(0).to_numpy()
            numbers = numbers.view(self.physical).copy()
            numbers[times.is_null().to_numpy()] = np.iinfo(self.physical).min
        return numbers.view(self.physical)

    def unpacked(self, numbers: NDArray[Any]) -> pl.Series:
        """Turn :meth:`packed` numbers back."""
        null = numbers == np.iinfo(self.physical).min
        if self.kind.is_float():
            numbers = numbers.view(np.float64 if self.physical.itemsize == 8 else np.float32)
        series = pl.Series(self.column, numbers).cast(self.kind)
        return series.set(pl.Series(null), None) if null.any() else series


def _series_type(kind: pa.DataType) -> pl.DataType:
    return pl.Series(pa.array([], type=value_type(kind))).dtype

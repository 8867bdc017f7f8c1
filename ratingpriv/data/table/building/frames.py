"""Data frames of polars, pandas and arrow, read column by column as polars."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.table.building.problems import Problems, missing_column, nested_cells


class Frame:
    """A data frame of any supported kind, read column by column.

    Attributes
    ----------
    kind : polars, pandas or arrow
    name : how messages call it
    names : of the columns, as texts
    """

    def __init__(self, df: Any, name: str) -> None:
        self.name = name
        self.kind, self._df = _recognised(df)
        if self.kind == "pandas":
            labels = list(self._df.columns)
        elif self.kind == "arrow":
            labels = self._df.column_names
        else:
            labels = self._df.columns
        self.names = [str(label) for label in labels]
        seen: set[str] = set()
        for column in self.names:
            if column in seen:
                found = f"two columns called {shown_name(column)}"
                raise DataError(
                    Problem(name, found, "every column once", "rename or drop one of the two", column=column)
                )
            seen.add(column)
        if not self.names:
            raise DataError(Problem(name, "no columns", "columns with ratings"))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._df)

    @property
    def said(self) -> Mapping[str, Any]:
        """What pandas keeps beside the columns (``df.attrs``); mappings by column only."""
        kept = getattr(self._df, "attrs", None) if self.kind == "pandas" else None
        return {name: one for name, one in (kept or {}).items() if isinstance(one, Mapping)}

    def index(self) -> pl.Series | None:
        """Return pandas' index where it says more than the number of the row: called by its name, or ""."""
        if self.kind != "pandas":
            return None
        import pandas as pd

        index = self._df.index
        numbered = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
        if numbered and index.name is None:
            return None
        if isinstance(index, pd.MultiIndex):
            found, remedy = "an index of several levels", "turn it into columns with `df.reset_index()`"
            raise DataError(Problem(self.name, found, "an index of one level, or none", remedy))
        try:
            values = pl.Series(pl.from_pandas(pd.Series(index)))
        except Exception as error:  # whatever pandas keeps there
            found, remedy = "an index of several types", "turn it into a column with `df.reset_index()`"
            raise DataError(Problem(self.name, found, "record ids", remedy)) from error
        return values.alias("" if index.name is None else str(index.name))

    def require(self, wanted: dict[str, str]) -> None:
        """Refuse names that are not among the columns."""
        missing = [(role, column) for role, column in wanted.items() if column not in self.names]
        if missing:
            raise DataError([missing_column(column, role, self.names, self.name) for role, column in missing])

    def column(self, name: str, problems: Problems) -> pl.Series:
        """Return a column as polars; notes a problem where its cells are of several types."""
        place = self.names.index(name)
        series = self._df.to_series(place) if self.kind == "polars" else self._converted(place)
        if series is None:
            found = "cells of several types, or of one that is no number"
            remedy = "turn the column into numbers, or leave it out with `drop`"
            problems.add(Problem(self.name, found, "numbers or null", remedy, column=name))
        elif series.dtype.is_nested() or series.dtype == pl.Object:
            problems.add(nested_cells(self.name, name))
        else:
            return series.alias(name)
        return pl.Series(name, [], dtype=pl.Null)

    def _converted(self, place: int) -> pl.Series | None:
        """Return a column of pandas or arrow as polars; None where its cells are of several types."""
        import pyarrow as pa

        try:
            if self.kind == "pandas":
                return pl.Series(pl.from_pandas(self._df.iloc[:, place], nan_to_null=True))
            return pl.Series(self._df.column(place))
        except (pa.ArrowException, TypeError, ValueError, ArithmeticError):  # Decimal("sNaN"), int too large
            return None

    def categories(self, name: str) -> list[str] | None:
        """Return the categories of a column, in order, if it is categorical with an order of its own."""
        place = self.names.index(name)
        if self.kind == "polars":
            kind = self._df.dtypes[place]
            return kind.categories.to_list() if isinstance(kind, pl.Enum) else None
        if self.kind == "pandas":
            series = self._df.iloc[:, place]
            return (
                [str(label) for label in series.cat.categories] if series.dtype.name == "category" else None
            )
        import pyarrow as pa

        column = self._df.column(place)
        if not pa.types.is_dictionary(column.type):
            return None
        unified = column.unify_dictionaries()
        labels = unified.chunk(0).dictionary.to_pylist() if unified.num_chunks else []
        return [str(label) for label in labels if label is not None]

    def ordered_categories(self, name: str) -> list[Any] | None:
        """Return the categories of a column, in order, if it is an ordered categorical; else None."""
        place = self.names.index(name)
        if self.kind == "polars":
            return self.categories(name)
        if self.kind == "pandas":
            series = self._df.iloc[:, place]
            ordered = series.dtype.name == "category" and series.cat.ordered
            return list(series.cat.categories) if ordered else None
        import pyarrow as pa

        kind = self._df.column(place).type
        return self.categories(name) if pa.types.is_dictionary(kind) and kind.ordered else None


def _recognised(df: Any) -> tuple[str, Any]:
    if isinstance(df, pl.LazyFrame):
        return "polars", df.collect()
    if isinstance(df, pl.DataFrame):
        return "polars", df
    # Whoever passes a pandas or arrow object has imported the module; others should not pay for importing it.
    pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if pandas is not None and isinstance(df, pandas.DataFrame):
        return "pandas", df
    if arrow is not None and isinstance(df, arrow.Table):
        return "arrow", df
    if arrow is not None and isinstance(df, arrow.RecordBatch):
        return "arrow", arrow.Table.from_batches([df])
    if hasattr(df, "__arrow_c_stream__"):
        import pyarrow as pa

        try:
            return "arrow", pa.table(df)
        except pa.ArrowException:  # a stream of something else: a polars or pandas Series
            pass
    raise ParameterError("df", type(df).__name__, "a polars, pandas or arrow table")

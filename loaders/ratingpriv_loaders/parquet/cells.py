"""Columns of Parquet batches as arrays: ratings as numbers with a mask,
timestamps as whole numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.numbers import EXACT, inexact_decimal
from ratingpriv.data.codebook.cells import ROUND, NullTokens, bad_rating
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table.building.problems import (
    Locate,
    Problems,
    exact,
    nested_cells,
    number_text,
    unreal,
)


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values, of a dictionary those it lists."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: pa.DataType) -> bool:
    """Whether the values are text."""
    kind = value_type(kind)
    view = pa.types.is_string_view(kind) if hasattr(pa.types, "is_string_view") else False
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view)


def holds_numbers(kind: pa.DataType) -> bool:
    """Whether the values can be ratings: whole numbers, floats,
    decimals or booleans (true is 1).
    """
    types = pa.types
    numbers = (
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_boolean,
        types.is_null,
    )
    return any(holds(value_type(kind)) for holds in numbers)


def refuse_kind(file: str, column: str, kind: pa.DataType) -> None:
    """Raise DataError unless a column's type is one of plain values, which polars can take."""
    plain = value_type(kind)
    if pa.types.is_nested(plain):
        raise DataError(nested_cells(file, column))
    if pa.types.is_decimal(plain):  # read without polars
        return
    try:
        pl.Series(pa.array([], type=plain))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
        found, expected = f"a column of type {plain}", "numbers, text, dates or instants"
        remedy = "cast the column, or drop it with `drop`"
        raise DataError(Problem(file, found, expected, remedy, column=column)) from error


def refuse_not_text(file: str, column: str, array: pa.Array, first: int) -> None:
    """Raise DataError where bytes that are said to be text are none.

    The array's first row is ``first``.
    """
    try:
        if is_text(array.type):
            array.validate(full=True)
    except pa.ArrowInvalid as error:
        place = f"rows {first + 1:,} to {first + len(array):,}"
        found, expected = f"text that is no UTF-8, in {place}", "text in UTF-8"
        remedy = "write the column anew, from text that was decoded"
        raise DataError(Problem(file, found, expected, remedy, column=column)) from error


def plain_series(name: str, array: pa.Array) -> pl.Series:
    """Return an array as a Series, dictionaries as what they list."""
    return pl.Series(
        name, array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    )


def as_text(series: pl.Series, file: str) -> pl.Series:
    """Return a Series as text; DataError for an instant of no year that
    has four digits (polars panics).
    """
    if series.dtype in (pl.Date, pl.Datetime):
        years = series.drop_nulls().dt.year()  # null where they are beyond all calendars
        if not years.is_between(1, 9999).fill_null(value=False).all():
            found, expected = "a time outside of the years 1 to 9999", "times that people write"
            remedy = "correct it, or leave it empty"
            raise DataError(Problem(file, found, expected, remedy, column=series.name))
    return series.cast(pl.String, strict=False)


class NumberReader:
    """Reads columns of ratings; knows what the user said means "not rated"."""

    def __init__(self, options: ReadOptions) -> None:
        self._nulls = NullTokens(options)
        self._named = bool(options.null or options.only_null)
        self._nan_is_null = any(text in self._nulls for text in ("NaN", "nan", "NAN"))
        self._spelled: Counter[str] = Counter()

    def spelled(self) -> Counter[str]:
        """Return how often each way to say "not rated" was read since this was last asked;
        "" are nulls.
        """
        found, self._spelled = self._spelled, Counter()
        return found

    def read(self, array: pa.Array) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return (values (n,) of any number type, whether rated, None:
        all) of a column that holds numbers.

        NaN and infinity are still there, see :meth:`refuse_unreal`; a decimal that float64 does not
        keep is NaN as well. Values are anything where not rated.
        """
        kind = array.type
        self._spelled += Counter({"": array.null_count})
        if pa.types.is_null(kind):
            return np.zeros(len(array), dtype=np.uint8), np.zeros(len(array), dtype=bool)
        array = array.dictionary_decode() if pa.types.is_dictionary(kind) else array
        rated = pc.is_valid(array).to_numpy(zero_copy_only=False) if array.null_count else None
        if pa.types.is_decimal(array.type):
            values = _floats(array)
        else:
            array = array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array
            array = array.fill_null(0) if array.null_count else array
            values = array.to_numpy(zero_copy_only=False)
        if not self._named:
            return values, rated
        # what the user named as "not rated" is none
        distinct, times = pl.Series("", values if rated is None else values[rated]).value_counts(
            name="times"
        )
        codes = [number_text(value) if value == value else "NaN" for value in distinct.to_numpy()]
        nulls = [self._nan_is_null if code == "NaN" else code in self._nulls for code in codes]
        if any(nulls):
            told = zip(codes, times, nulls, strict=True)
            self._spelled += Counter({code: count for code, count, is_null in told if is_null})
            gone = np.isin(values, distinct.to_numpy()[np.array(nulls)])
            if self._nan_is_null and values.dtype.kind == "f":
                gone |= np.isnan(values)
            rated = ~gone if rated is None else rated & ~gone
        return values, rated

    def refuse_unreal(
        self,
        values: NDArray[Any],
        rated: NDArray[np.bool_] | None,
        looked_at: NDArray[np.bool_] | None,
        place: Locate,
        problems: Problems,
        *,
        decimals: bool = False,
    ) -> NDArray[np.bool_] | None:
        """Note NaN, infinity and whole numbers too large to be exact.

        Return ``rated`` without them.

        ``decimals``: the values were decimals, and NaN is one that float64 does not keep.
        ``looked_at`` says which rows matter at all (None: all); ``place`` where a row stands.
        """
        if values.dtype.kind != "f" and values.dtype.itemsize < 8:
            return rated
        good = exact(values)
        if good.all():
            return rated
        wrong = ~good if rated is None else ~good & rated

        def problem(row: int) -> Problem:
            file, line, column = place(row)
            if decimals:
                found = "a decimal of more than 15 significant digits, or beyond 2**53"
                return Problem(file, found, EXACT, ROUND, line, column)
            if values.dtype.kind != "f":
                return unreal(values[row], place(row))
            text = "NaN" if np.isnan(values[row]) else str(float(values[row]))
            return bad_rating(text, file, line or 0, str(column))

        problems.at(np.flatnonzero(wrong if looked_at is None else wrong & looked_at), problem)
        return good if rated is None else good & rated


def _floats(decimals: pa.Array) -> NDArray[np.float64]:
    """Return decimals as float64, by way of the distinct, which are few.

    NaN where it does not keep one.
    """
    encoded = decimals.dictionary_encode()
    distinct = encoded.dictionary.to_pylist()
    floats = [float(one) if inexact_decimal(one) is None else math.nan for one in distinct]
    places = encoded.indices.fill_null(len(floats)).to_numpy(zero_copy_only=False)
    values: NDArray[np.float64] = np.array([*floats, 0.0])[places]
    return values

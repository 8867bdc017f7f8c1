"""Which types of Parquet columns can be read at all, and whether text in them is text.

A file may state what pyarrow reads and polars cannot take (it panics on some): intervals, nested values, time
zones that nobody knows, texts and names whose bytes are no UTF-8. All of it is refused here, before polars.
"""

from __future__ import annotations

import polars as pl
import pyarrow as pa

from ratingpriv.errors import DataError, Problem
from ratingpriv.table.building.problems import nested_cells

__all__ = ["refuse_kind", "refuse_not_text"]


def refuse_kind(file: str, column: str, kind: pa.DataType) -> None:
    """Raise DataError unless a column's type is one of plain values that can be read."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_nested(plain):
        raise DataError(nested_cells(file, column))
    if not _is_plain(plain):
        expected, remedy = "numbers, text, dates or instants", "cast the column, or leave it out with `drop`"
        raise DataError(Problem(file, f"a column of type {plain}", expected, remedy, column=column))
    if pa.types.is_timestamp(plain) and plain.tz is not None:
        try:
            pl.Series(pa.array([], type=plain))
        except (pl.exceptions.PolarsError, ValueError) as error:
            expected = "instants of a known time zone, such as UTC or Europe/Berlin"
            problem = Problem(file, "instants of an unknown time zone", expected, "cast them", column=column)
            raise DataError(problem) from error


def refuse_not_text(file: str, column: str, array: pa.Array, first: int) -> None:
    """Raise DataError where bytes that are said to be text are none; the array's first row is ``first``."""
    kind = array.type.value_type if pa.types.is_dictionary(array.type) else array.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_string_view(kind)):
        return
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        place = f"rows {first + 1:,} to {first + len(array):,}"
        found, expected = f"text that is no UTF-8, in {place}", "text in UTF-8"
        remedy = "write the column anew, from text that was decoded"
        raise DataError(Problem(file, found, expected, remedy, column=column)) from error


def _is_plain(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
        or types.is_decimal128(kind)
        or types.is_decimal256(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
        or _is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_date(kind)
        or types.is_time(kind)
        or types.is_timestamp(kind)
        or types.is_duration(kind)
    )


def _is_string_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind)) if hasattr(pa.types, "is_string_view") else False

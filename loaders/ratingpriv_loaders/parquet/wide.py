"""The wide layout of Parquet: a row a record, a column an issue."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.escaping import looks_like_data, shown_name
from ratingpriv.formats.reading import ReadOptions
from ratingpriv.table import Origin, RatingTable
from ratingpriv.table.building.assembling import (
    LocateCell,
    Place,
    Problems,
    issue_roles,
    missing_column,
    numbers_of,
    table_from_columns,
)
from ratingpriv.table.building.coding import as_float
from ratingpriv_loaders import column_names
from ratingpriv_loaders.parquet.cells import NumberReader, holds_numbers, is_text, plain_series, value_type
from ratingpriv_loaders.parquet.parts import Parts, ahead
from ratingpriv_loaders.text.problems import text_column

__all__ = ["PANDAS_INDEX", "ids_of_two_kinds", "read_wide"]

_CELLS = 1 << 22  # cells of a batch
_FEW = 21  # a rating scale rarely has more levels than this (Likert, stars, half stars, 0..20)
PANDAS_INDEX = "__index_level_0__"
"""An unnamed index of row names, as pandas writes it."""


def read_wide(parts: Parts, options: ReadOptions) -> RatingTable:
    """Read a row a record; dropped columns, and those not wanted, stay unread."""
    file, names = parts.source.name, parts.names
    id_name = column_names.id_column(names, options, file=file)
    if id_name is None and PANDAS_INDEX in names:
        id_name = PANDAS_INDEX
    for role, said in (("sensitive", options.sensitive), ("drop", options.drop)):
        if id_name is not None and id_name in said:
            raise ParameterError(role, id_name, "a column other than the one of record ids (`id`)")
    issues = [name for name in names if name != id_name]
    issue_roles(issues, options.sensitive, options.drop, file)
    missing = [missing_column(name, "kept", issues, file) for name in options.only if name not in issues]
    if missing:
        raise DataError(missing)
    wanted = {*options.only, *options.sensitive} if options.only else set(issues)
    kept = [name for name in issues if name in wanted and name not in options.drop]
    reading = _Reading(parts, options, kept, id_name)
    reading.read()
    if options.layout is None and not (options.sensitive or options.scale or options.only):
        reading.refuse_long()
    return table_from_columns(
        reading.columns(),
        record_ids=None if id_name is None else reading.ids(),
        sensitive=options.sensitive,
        drop=options.drop,
        scale=options.scale,
        sensitive_scale=options.sensitive_scale,
        unread=[name for name in issues if name not in wanted],
        origin=Origin(
            name=file,
            format="parquet",
            layout="wide",
            record_name=id_name or "record",
            order=tuple(kept),
            details={"null": list(options.only_null or options.null)},
        ),
        locate=lambda row, column: parts.place(row, column or None),
        problems=reading.problems,
    )


class _Reading:
    """The columns of a file on their way to a table, each in the smallest type that holds it."""

    def __init__(self, parts: Parts, options: ReadOptions, kept: list[str], id_name: str | None) -> None:
        self._parts, self._options, self._id_name = parts, options, id_name
        self.problems = Problems(options.max_problems)
        self._numbers = NumberReader(options)
        self._pieces: dict[str, list[pl.Series]] = {name: [] for name in kept}
        self._ids: list[pl.Series] = []

    def read(self) -> None:
        """Read all batches."""
        parts, options = self._parts, self._options
        self._refuse_ids_of_two_kinds()
        columns = [*self._pieces, *([self._id_name] if self._id_name is not None else [])]
        rows = max(1024, _CELLS // len(columns))
        for first, batch in ahead(parts.batches(columns, rows=rows)):
            for name, pieces in self._pieces.items():
                pieces.append(self._piece(name, batch.column(name), first))
            if self._id_name is not None:
                self._ids.append(plain_series(self._id_name, batch.column(self._id_name)))
            if options.progress is not None:
                options.progress(f"reading {parts.source.name}", first + len(batch), parts.rows)

    def columns(self) -> list[pl.Series]:
        """Return a Series for each issue; what is not numbers has become a problem."""
        return [self._joined(name) for name in self._pieces]

    def ids(self) -> pl.Series:
        """Return the record ids."""
        return _stacked(self._ids)

    def refuse_long(self) -> None:
        """Refuse to guess wide where the columns look like record, issue and rating of a long layout."""
        if not 2 <= len(self._pieces) <= 4 or self._id_name is not None or self._parts.rows < 100:
            return
        distinct = {name: _stacked(pieces).n_unique() for name, pieces in self._pieces.items()}
        few = [name for name, number in distinct.items() if number <= _FEW]
        if len(few) != 1 or sum(number > 5 * _FEW for number in distinct.values()) != len(distinct) - 1:
            return
        counts = ", ".join(f"{number:,}" for number in distinct.values())
        found = f"columns of {counts} different values, by no known names"
        expected = (
            f"ratings only, or the layout with a row a rating (column {shown_name(few[0])} may be the rating)"
        )
        remedy = "say `layout='long'` with `id`, `issue` and `rating` (names or numbers), or `layout='wide'`"
        raise DataError(Problem(self._parts.source.name, found, expected, remedy))

    def _piece(self, name: str, array: pa.Array, first: int) -> pl.Series:
        if not holds_numbers(array.type):
            return plain_series(name, array)
        values, rated = self._numbers.read(array)
        rated = self._numbers.refuse_unreal(
            values,
            rated,
            None,
            lambda row: self._parts.place(first + row, name),
            self.problems,
            decimals=pa.types.is_decimal(value_type(array.type)),
        )
        column = pl.Series(name, _smallest(values, rated))
        return column if rated is None else column.set(pl.Series(~rated), None)

    def _joined(self, name: str) -> pl.Series:
        pieces = self._pieces[name]
        if not all(piece.dtype.is_numeric() for piece in pieces):
            return self._refused(name, pieces)
        if _kinds(pieces) > 1:  # 0.1 as float32 is the decimal 0.1, also beside a float64
            pieces = [_as_meant(piece) if piece.dtype == pl.Float32 else piece for piece in pieces]
        return _stacked(pieces)

    def _refused(self, name: str, pieces: list[pl.Series]) -> pl.Series:
        """Note that a column is no column of ratings, unless all of it is null."""
        nothing = pl.Series(name, [None] * self._parts.rows, dtype=pl.UInt8)
        first, texts, rated = None, [], 0
        start = 0
        for piece in pieces:
            there = np.flatnonzero(piece.is_not_null().to_numpy())
            if len(there) and not piece.dtype.is_numeric():
                first = start + int(there[0]) if first is None else first
                if piece.dtype == pl.String:
                    texts.append(piece.drop_nulls())
                else:
                    place = self._parts.place(start + int(there[0]), name)
                    numbers_of(piece.drop_nulls(), self.problems, _always(place))
                    return nothing
            rated += len(there)
            start += len(piece)
        if first is None:
            return nothing
        distinct = pl.concat(texts).unique(maintain_order=True)
        place = self._parts.place(first, name)
        self.problems.add(
            text_column(
                self._parts.names.index(name) + 1 if looks_like_data(name) else name,
                name,
                distinct.head(3).to_list(),
                sum(map(len, texts)),
                rated,
                place.line or 0,
                place.file,
                ids=self._id_name is None and len(distinct) == self._parts.rows,
                sensitive=name in self._options.sensitive,
            )
        )
        return nothing

    def _refuse_ids_of_two_kinds(self) -> None:
        if self._id_name is None:
            return
        for part, kind in zip(self._parts.parts, self._parts.types(self._id_name), strict=True):
            if pa.types.is_decimal256(value_type(kind)):
                found, expected = f"record ids of type {value_type(kind)}", "whole numbers or text"
                problem = Problem(part.file, found, expected, "cast them to text", column=self._id_name)
                raise DataError(problem)
        kinds = [is_text(kind) for kind in self._parts.types(self._id_name)]
        if len(set(kinds)) > 1:
            raise DataError(ids_of_two_kinds(self._parts, self._id_name))


def ids_of_two_kinds(parts: Parts, column: str) -> Problem:
    """Return the Problem of record ids that are text in one part and numbers in another."""
    kinds = parts.types(column)
    number = next(n for n, kind in enumerate(kinds) if is_text(kind) != is_text(kinds[0]))
    found = f"record ids of type {value_type(kinds[number])}"
    expected = f"{value_type(kinds[0])}, as in {parts.parts[0].file}"
    return Problem(parts.parts[number].file, found, expected, "cast them to one type", column=column)


def _always(place: Place) -> LocateCell:
    return lambda row, column: place


def _kinds(pieces: list[pl.Series]) -> int:
    return len({piece.dtype for piece in pieces})


def _stacked(pieces: list[pl.Series]) -> pl.Series:
    """Join pieces of a column; if their types differ, as what holds all of them."""
    if _kinds(pieces) == 1:
        return pl.concat(pieces)
    kinds = [piece.dtype for piece in pieces]
    common: type[pl.DataType] = pl.String
    if all(kind.is_integer() for kind in kinds):
        common = pl.Int64
    elif all(kind.is_numeric() for kind in kinds):
        common = pl.Float64
    return pl.concat([piece.cast(common, strict=False) for piece in pieces])


def _as_meant(piece: pl.Series) -> pl.Series:
    meant = pl.Series(piece.name, as_float(piece.fill_null(0).to_numpy()))
    return meant.set(piece.is_null(), None)


def _smallest(values: NDArray[Any], rated: NDArray[np.bool_] | None) -> NDArray[Any]:
    """Return whole numbers in the smallest signed type that holds them; what is not rated becomes 0."""
    if values.dtype.kind == "f":
        return values
    if rated is not None:
        values = np.where(rated, values, values.dtype.type(0))
    if len(values) == 0:
        return values.astype(np.int8)
    low, high = int(values.min()), int(values.max())
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values

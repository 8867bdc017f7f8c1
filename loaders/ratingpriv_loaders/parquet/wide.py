"""The wide layout of Parquet: a row a record, a column an issue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.frames import of_categories
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coding import as_float
from ratingpriv.data.table.building.problems import Problems
from ratingpriv_loaders.parquet.cells import (
    NumberReader,
    as_text,
    holds_numbers,
    is_text,
    plain_series,
    value_type,
)
from ratingpriv_loaders.parquet.parts import Parts, ahead

_CELLS = 1 << 22  # cells of a batch
PANDAS_INDEX = "__index_level_0__"
"""An unnamed index of row names, as pandas writes it."""


def read_wide(parts: Parts, options: ReadOptions) -> RatingTable:
    """Read a row a record, see :func:`raw_wide`."""
    return table_of(raw_wide(parts, options), options)


def raw_wide(parts: Parts, options: ReadOptions) -> RawData:
    """Read the columns of a row a record; identifiers, dropped ones and those not wanted stay unread."""
    file, names = parts.source.name, parts.names
    roles = wanted(names, options, file=file)
    id_name = next((name for name in names if roles[name] == "id"), None)
    if id_name is None and roles.get(PANDAS_INDEX, "") is None:
        id_name = PANDAS_INDEX
    schema = parts.parts[0].schema
    unread = {
        name: role
        for name, role in roles.items()
        if role == "drop" or (role == "identifier" and not _may_repeat(schema.field(name).type))
    }
    reading = _Reading(parts, options, [name for name in names if name not in unread], id_name)
    reading.read()
    return RawData(
        read=tuple(reading.columns()),
        records=parts.rows,
        origin=Origin(
            name=file,
            format="parquet",
            layout="wide",
            record_name=id_name or "record",
            details={"null": list(options.only_null or options.null)},
        ),
        locate=lambda row, column: parts.place(row, column or None),
        unread=tuple((name, str(role)) for name, role in unread.items()),
        names=tuple(names),
    )


def _may_repeat(kind: pa.DataType) -> bool:
    """Return whether a direct identifier of this type is looked at for values that repeat."""
    kind = value_type(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind))


class _Reading:
    """The columns of a file on their way to a table, each in the smallest type that holds it."""

    def __init__(self, parts: Parts, options: ReadOptions, kept: list[str], id_name: str | None) -> None:
        self._parts, self._options, self._id_name = parts, options, id_name
        self.problems = Problems(options.max_problems)
        self._numbers = NumberReader(options)
        self._pieces: dict[str, list[pl.Series]] = {name: [] for name in kept}
        self._categories: dict[str, list[str] | None] = {}
        self._named: dict[str, Counter[str]] = {}

    def read(self) -> None:
        """Read all batches."""
        parts, options = self._parts, self._options
        self._refuse_ids_of_two_kinds()
        rows = max(1024, _CELLS // max(1, len(self._pieces)))
        for first, batch in ahead(parts.batches(list(self._pieces), rows=rows)):
            for name, pieces in self._pieces.items():
                array = batch.column(name)
                if name == self._id_name:
                    pieces.append(plain_series(name, array))
                else:
                    pieces.append(self._piece(name, array, first))
            if options.progress is not None:
                options.progress(f"reading {parts.source.name}", first + len(batch), parts.rows)
        self.problems.raise_if_any()

    def columns(self) -> Iterator[RawColumn]:
        """Yield each column: numbers, dates or text; ordered categories as numbers with their words."""
        for name in self._pieces:
            cells = self._joined(name)
            categories = self._categories.get(name)
            if name == self._id_name:
                index = name == PANDAS_INDEX
                why = "it is the index of a data frame" if index else ""
                yield RawColumn(name=name, cells=cells, known_role="id" if index else None, why=why)
            elif categories is not None:
                yield of_categories(cells, categories)
            else:
                read = TextCells.of(cells) if cells.dtype == pl.String else cells
                yield RawColumn(name=name, cells=read, missing=self._named.get(name, {}))

    def _piece(self, name: str, array: pa.Array, first: int) -> pl.Series:
        if not holds_numbers(array.type):
            self._note_categories(name, array)
            return plain_series(name, array)
        values, rated = self._numbers.read(array)
        spelled = self._numbers.spelled()
        del spelled[""]
        self._named[name] = self._named.get(name, Counter()) + spelled
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

    def _note_categories(self, name: str, array: pa.Array) -> None:
        """Note the categories of an ordered dictionary; they are none if batches do not agree on them."""
        ordered = pa.types.is_dictionary(array.type) and array.type.ordered
        found = [str(one) for one in array.dictionary.to_pylist()] if ordered else None
        before = self._categories.setdefault(name, found)
        self._categories[name] = found if before == found else None

    def _joined(self, name: str) -> pl.Series:
        pieces = self._pieces[name]
        if name == self._id_name:
            return _stacked(pieces, self._parts.source.name)
        if _kinds(pieces) > 1:
            # what a part has none of is null there, in whatever type; 0.1 as float32 is the decimal 0.1
            pieces = [piece for piece in pieces if piece.null_count() < len(piece)] or pieces[:1]
            if all(piece.dtype.is_numeric() for piece in pieces) and _kinds(pieces) > 1:
                pieces = [_as_meant(piece) if piece.dtype == pl.Float32 else piece for piece in pieces]
            kept = _stacked(pieces, self._parts.source.name)
            if len(kept) < self._parts.rows:
                whole = [
                    piece.cast(kept.dtype)
                    if piece.null_count() < len(piece)
                    else pl.Series(name, [None] * len(piece), dtype=kept.dtype)
                    for piece in self._pieces[name]
                ]
                return pl.concat(whole)
            return kept
        return _stacked(pieces, self._parts.source.name)

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


def _kinds(pieces: list[pl.Series]) -> int:
    return len({piece.dtype for piece in pieces})


def _stacked(pieces: list[pl.Series], file: str) -> pl.Series:
    """Join pieces of a column; if their types differ, as what holds all of them."""
    if _kinds(pieces) == 1:
        return pl.concat(pieces)
    kinds = [piece.dtype for piece in pieces]
    if not all(kind.is_numeric() for kind in kinds):
        return pl.concat([as_text(piece, file) for piece in pieces])
    common = pl.Int64 if all(kind.is_integer() for kind in kinds) else pl.Float64
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

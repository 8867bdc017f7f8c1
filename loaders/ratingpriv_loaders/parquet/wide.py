"""The wide layout of Parquet: a row a record, a column an issue."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.frames import of_categories
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import Origin
from ratingpriv.data.table.building.coding import as_float
from ratingpriv.data.table.building.problems import Problems
from ratingpriv_loaders.background import passed_on
from ratingpriv_loaders.parquet.cells import (
    NumberReader,
    as_text,
    holds_numbers,
    is_text,
    plain_series,
    value_type,
)
from ratingpriv_loaders.parquet.parts import Parts

_CELLS = 1 << 22  # cells of a batch
PANDAS_INDEX = "__index_level_0__"
"""An unnamed index of row names, as pandas writes it."""


def raw_wide(parts: Parts, options: ReadOptions) -> RawData:
    """Read the columns of a row a record; identifiers, dropped ones and those not wanted stay unread."""
    file, names = parts.source.name, parts.names
    roles = wanted(names, options, file=file)
    id_name = next((name for name in names if roles[name] == "id"), None)
    if id_name is None and roles.get(PANDAS_INDEX, "") is None:
        id_name = PANDAS_INDEX
    unread = {}
    for name, role in roles.items():
        kind = value_type(parts.parts[0].schema.field(name).type)
        # a direct identifier is looked at for values that repeat, where it may have such
        repeats = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)
        if role == "drop" or (role == "identifier" and not repeats):
            unread[name] = role
    reading = _Reading(parts, options, [name for name in names if name not in unread], id_name)
    return RawData(
        read=tuple(map(reading.column, reading.pieces)),
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


class _Reading:
    """The columns of a file, read: each in pieces, in the smallest type that holds it."""

    def __init__(self, parts: Parts, options: ReadOptions, columns: list[str], id_name: str | None) -> None:
        self._parts, self._id_name = parts, id_name
        self._problems = Problems(options.max_problems)
        self._numbers = NumberReader(options)
        self.pieces: dict[str, list[pl.Series]] = {name: [] for name in columns}
        self._categories: dict[str, list[str] | None] = {}
        self._named: dict[str, Counter[str]] = {}
        if id_name is not None:
            kinds = parts.types(id_name)
            for part, kind in zip(parts.parts, map(value_type, kinds), strict=True):
                if pa.types.is_decimal256(kind):
                    found, expected = f"record ids of type {kind}", "whole numbers or text"
                    raise DataError(Problem(part.file, found, expected, "cast them to text", column=id_name))
            if len(set(map(is_text, kinds))) > 1:
                raise DataError(parts.of_two_kinds(id_name))
        rows = max(1024, _CELLS // max(1, len(columns)))
        for first, batch in passed_on(parts.batches(columns, rows=rows)):
            for name, pieces in self.pieces.items():
                array = batch.column(name)
                numeric = name != id_name and holds_numbers(array.type)
                if not numeric and name != id_name:
                    # the words of an ordered dictionary; none if batches do not agree on them
                    ordered = pa.types.is_dictionary(array.type) and array.type.ordered
                    words = [str(word) for word in array.dictionary.to_pylist()] if ordered else None
                    before = self._categories.setdefault(name, words)
                    self._categories[name] = words if before == words else None
                pieces.append(self._piece(name, array, first) if numeric else plain_series(name, array))
            if options.progress is not None:
                options.progress(f"reading {parts.source.name}", first + len(batch), parts.rows)
        self._problems.raise_if_any()

    def _piece(self, name: str, array: pa.Array, first: int) -> pl.Series:
        """Return some rows of a column of numbers; what is wrong with them is noted."""
        values, rated = self._numbers.read(array)
        spelled = self._numbers.spelled()
        del spelled[""]
        self._named[name] = self._named.get(name, Counter()) + spelled
        rated = self._numbers.refuse_unreal(
            values,
            rated,
            None,
            lambda row: self._parts.place(first + row, name),
            self._problems,
            decimals=pa.types.is_decimal(value_type(array.type)),
        )
        column = pl.Series(name, _smallest(values, rated))
        return column if rated is None else column.set(pl.Series(~rated), None)

    def column(self, name: str) -> RawColumn:
        """Return a column: numbers, dates or text; ordered categories as numbers with their words."""
        file, all_pieces = self._parts.source.name, self.pieces[name]
        pieces, categories = all_pieces, self._categories.get(name)
        if name == self._id_name:
            index = name == PANDAS_INDEX
            why, role = ("it is the index of a data frame", "id") if index else ("", None)
            return RawColumn(name=name, cells=_stacked(pieces, file), known_role=role, why=why)
        if _kinds(pieces) > 1:
            # what a part has none of is null there, in whatever type; 0.1 as float32 is the decimal 0.1
            pieces = [piece for piece in pieces if piece.null_count() < len(piece)] or pieces[:1]
            if all(piece.dtype.is_numeric() for piece in pieces) and _kinds(pieces) > 1:
                pieces = [_as_meant(piece) if piece.dtype == pl.Float32 else piece for piece in pieces]
        cells = _stacked(pieces, file)
        if len(cells) < self._parts.rows:
            kind = cells.dtype
            cells = pl.concat(
                [
                    piece.cast(kind)
                    if piece.null_count() < len(piece)
                    else pl.Series(name, [None] * len(piece), dtype=kind)
                    for piece in all_pieces
                ]
            )
        if categories is not None:
            return of_categories(cells, categories)
        read = TextCells.of(cells) if cells.dtype == pl.String else cells
        return RawColumn(name=name, cells=read, missing=self._named.get(name, {}))


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

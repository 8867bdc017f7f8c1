"""Parquet files, opened: batches of rows, through all parts of a folder;
the columns of a row a record.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ratingpriv.base.compute.resources import refuse_exhausted
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.frames import of_categories
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recognition.one_person import may_be_of_one_person
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.table import Origin
from ratingpriv.data.table.building.coding import as_float
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv_loaders.background import passed_on
from ratingpriv_loaders.parquet.cells import (
    NumberReader,
    as_text,
    holds_numbers,
    is_text,
    plain_series,
    refuse_kind,
    refuse_not_text,
    value_type,
)
from ratingpriv_loaders.wide_or_long import OpenedFile, columns_only

MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_SUFFIXES = (".parquet", ".pq", ".parq")
_BROKEN = (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError)
_BUFFER = 1 << 20  # bytes of a column read from the file at a time
_CELLS = 1 << 22  # cells of a batch of a row a record

PANDAS_INDEX = "__index_level_0__"
"""An unnamed index of row names, as pandas writes it."""


class Batch(NamedTuple):
    """Some rows: those from ``first`` on (0-based, counted through all parts)."""

    first: int
    columns: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Part:
    """One file: how messages call it, its source, its columns and its number of rows."""

    file: str
    source: Source
    schema: pa.Schema
    rows: int


def part_paths(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder by name; those that begin with _ or . are no data."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in _SUFFIXES and path.name[0] not in "._" and path.is_file()
    )


class ParquetParts(OpenedFile):
    """The files of a source, at least one, opened and found to have the same columns.

    ``names`` : the columns, as in the first part; ``paths`` : the files of a folder, else None.
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.source, self.options = source, options
        self.paths = part_paths(source.path) if source.is_dir else None
        sources = [source] if self.paths is None else [source.part(path) for path in self.paths]
        self.parts = [_opened(one) for one in sources]
        if not self.parts:
            found, expected = "a folder without a Parquet file", "files named *.parquet"
            raise DataError(Problem(source.name, found, expected, "check the path"))
        self.names = tuple(self.parts[0].schema.names)
        column_names.refuse_too_many(len(self.names), file=self.parts[0].file)
        self._refuse_columns()
        self.rows = sum(part.rows for part in self.parts)
        # metadata of their own
        said = {key for part in self.parts for key in part.schema.metadata or {}}
        said |= {
            key for part in self.parts for field in part.schema for key in field.metadata or {}
        }
        said.discard(b"PARQUET:field_id")
        self.aside = [f"keys of metadata: {len(said)}"] if said else []
        self._starts = np.cumsum([0, *(part.rows for part in self.parts)])

    def place(self, row: int, column: str | None) -> Place:
        """Say where row ``row`` (0-based, counted through all parts) stands:
        rows count as lines from 1.
        """
        number = int(np.searchsorted(self._starts, row, side="right")) - 1
        return Place(self.parts[number].file, row - int(self._starts[number]) + 1, column)

    def raw(self) -> RawData:
        """Read a row a record; columns not wanted stay unread,
        and dropped ones that cannot be read.
        """
        try:
            return self._raw(look=True)
        except DataError:  # it may be about a column that was dropped for that
            return self._raw(look=False)

    def _raw(self, *, look: bool) -> RawData:
        """Read a row a record; ``look`` : also what was dropped under a name that tells nothing."""
        file, names, options = self.source.name, self.names, self.options
        if not self.rows:
            raise columns_only(file, names)
        roles = wanted(names, options, file=file, look=look)
        id_name = next((name for name in names if roles[name] == "id"), None)
        if id_name is None and roles.get(PANDAS_INDEX, "") is None:
            id_name = PANDAS_INDEX
        unread = {
            name: role
            for name, role in roles.items()
            if role == "drop" or (role == "identifier" and not self._may_repeat(name))
        }
        if id_name is not None:
            self._refuse_ids(id_name)
        return RawData(
            read=self._read([name for name in names if name not in unread], id_name),
            records=self.rows,
            origin=Origin(
                name=file,
                format="parquet",
                layout="wide",
                record_name=id_name or "record",
                details={"null": list(options.only_null or options.null)},
            ),
            locate=lambda row, column: self.place(row, column or None),
            unread=tuple(unread.items()),
            names=names,
        )

    def _read(self, names: Sequence[str], id_name: str | None) -> tuple[RawColumn, ...]:
        """Read columns, batch by batch; DataError where cells are none that a table can have."""
        options = self.options
        problems, numbers = Problems(options.max_problems), NumberReader(options)
        columns = [_Column(self, name, name == id_name, numbers) for name in names]
        rows = max(1024, _CELLS // max(1, len(columns)))
        for first, batch in passed_on(self.batches(list(names), rows=rows)):
            for column in columns:
                column.add(batch.column(column.name), first, problems)
            if options.progress is not None:
                options.progress(f"reading {self.source.name}", first + len(batch), self.rows)
        problems.raise_if_any()
        return tuple(column.finished() for column in columns)

    def _may_repeat(self, name: str) -> bool:
        """Whether a direct identifier is looked at for values that repeat, as it may have such."""
        kind = value_type(self.parts[0].schema.field(name).type)
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return text or (pa.types.is_integer(kind) and may_be_of_one_person(name))

    def types(self, column: str) -> list[pa.DataType]:
        """Return the type of a column in every part; DataError if it is one that cannot be read."""
        for part in self.parts:
            refuse_kind(part.file, column, part.schema.field(column).type)
        return [part.schema.field(column).type for part in self.parts]

    def of_two_kinds(self, column: str) -> Problem:
        """Return the Problem of record ids that are text in one part and numbers in another."""
        kinds = self.types(column)
        number = next(n for n, kind in enumerate(kinds) if is_text(kind) != is_text(kinds[0]))
        found = f"record ids of type {value_type(kinds[number])}"
        expected = f"{value_type(kinds[0])}, as in {self.parts[0].file}"
        return Problem(
            self.parts[number].file, found, expected, "cast them to one type", column=column
        )

    def batches(
        self, columns: Sequence[str], *, rows: int, encoded: Sequence[str] = ()
    ) -> Iterator[Batch]:
        """Read columns in batches of at most ``rows`` rows.

        Of ``encoded``, those of text as dictionaries.
        """
        first = 0
        for column in columns:
            self.types(column)
        for part in self.parts:
            begin = first
            text = [name for name in encoded if is_text(part.schema.field(name).type)]
            try:
                with _reader(part.source, text) as file:
                    for batch in file.iter_batches(rows, columns=list(columns), use_threads=False):
                        refuse_exhausted(f"reading {part.file}")
                        for column in columns:
                            refuse_not_text(part.file, column, batch.column(column), first - begin)
                        yield Batch(first, batch)
                        first += len(batch)
            except _BROKEN as error:
                # the disk's, not the file's
                if isinstance(error, OSError) and error.errno == errno.EIO:
                    raise
                raise DataError(_damaged(part.file, error)) from error
            if first - begin != part.rows:
                found = f"{first - begin:,} rows where {part.rows:,} are stated"
                raise DataError(_damaged(part.file, ValueError(found)))

    def _refuse_ids(self, column: str) -> None:
        """Refuse record ids of a row a record whose types can be none, or are of two kinds."""
        kinds = self.types(column)
        for part, kind in zip(self.parts, map(value_type, kinds), strict=True):
            if pa.types.is_decimal256(kind):
                found, expected = f"record ids of type {kind}", "whole numbers or text"
                raise DataError(
                    Problem(part.file, found, expected, "cast them to text", column=column)
                )
        if len(set(map(is_text, kinds))) > 1:
            raise DataError(self.of_two_kinds(column))

    def _refuse_columns(self) -> None:
        """Refuse two columns of one name, none, and parts that have others than the first."""
        file, problems = self.parts[0].file, []
        where: dict[str, int] = {}
        for number, name in enumerate(self.names, start=1):
            if where.setdefault(name, number) < number:
                finding = (
                    f"the name {shown_name(name, number)} a second time (first in column "
                    f"{where[name]})"
                )
                expected = "a different name for every column"
                problems.append(
                    Problem(file, finding, expected, "rename one of them", column=number)
                )
        if problems:
            raise DataError(problems)
        if not self.names:
            raise DataError(Problem(file, "no columns", "columns with ratings"))
        for part in self.parts[1:]:
            missing = [name for name in self.names if name not in part.schema.names]
            more = [name for name in part.schema.names if name not in self.names]
            if missing or more or len(part.schema.names) != len(self.names):
                finding = f"a column more, {shown_name((more or part.schema.names)[0])}"
                if missing:
                    finding = (
                        f"no column {shown_name(missing[0], self.names.index(missing[0]) + 1)}"
                    )
                remedy = "read the parts one by one, or give all of them the same columns"
                expected = f"the columns of {file}"
                problems.append(Problem(part.file, finding, expected, remedy))
        if problems:
            raise DataError(problems)


class _Column:
    """A column of a row a record, being read: in pieces,
    each in the smallest type that holds it.
    """

    def __init__(self, file: ParquetParts, name: str, is_id: bool, numbers: NumberReader) -> None:
        self.name, self._file, self._is_id, self._numbers = name, file, is_id, numbers
        self._pieces: list[pl.Series] = []
        self._missing: Counter[str] = Counter()
        # the words of an ordered dictionary; none if batches do not agree on them
        self._categories: set[tuple[str, ...]] = set()

    def add(self, array: pa.Array, first: int, problems: Problems) -> None:
        """Add the rows from ``first`` on; what is wrong with numbers is noted."""
        name = self.name
        if self._is_id or not holds_numbers(array.type):
            ordered = pa.types.is_dictionary(array.type) and array.type.ordered
            self._categories.add(tuple(map(str, array.dictionary.to_pylist())) if ordered else ())
            self._pieces.append(plain_series(name, array))
            return
        values, rated = self._numbers.read(array)
        spelled = self._numbers.spelled()
        del spelled[""]
        self._missing += spelled
        rated = self._numbers.refuse_unreal(
            values,
            rated,
            None,
            lambda row: self._file.place(first + row, name),
            problems,
            decimals=pa.types.is_decimal(value_type(array.type)),
        )
        column = pl.Series(name, values)
        column = column if rated is None else column.set(pl.Series(~rated), None)
        self._pieces.append(column.shrink_dtype() if column.dtype.is_integer() else column)

    def finished(self) -> RawColumn:
        """Return the column: numbers, dates or text;
        ordered categories as numbers with their words.
        """
        cells = _stacked(self._pieces, self._file.source.name)
        if self._is_id:
            index = self.name == PANDAS_INDEX
            why, role = ("it is the index of a data frame", "id") if index else ("", None)
            return RawColumn(name=self.name, cells=cells, known_role=role, why=why)
        if len(self._categories) == 1 and (words := min(self._categories)):
            return of_categories(cells, list(words))
        read = TextCells.of(cells) if cells.dtype == pl.String else cells
        return RawColumn(name=self.name, cells=read, missing=self._missing)


def _stacked(pieces: list[pl.Series], file: str) -> pl.Series:
    """Join pieces of a column; if their types differ, as what holds all of them."""
    # what a part has none of is null there, in whatever type
    filled = [piece.null_count() < len(piece) for piece in pieces]
    kinds = {piece.dtype for piece, some in zip(pieces, filled, strict=True) if some} or {
        pieces[0].dtype
    }
    kind: Any = next(iter(kinds))
    if len(kinds) > 1:
        kind = pl.String
        if all(one.is_numeric() for one in kinds):
            kind = pl.Int64 if all(one.is_integer() for one in kinds) else pl.Float64

    def cast(piece: pl.Series) -> pl.Series:
        if piece.dtype == pl.Float32 and kind == pl.Float64:  # 0.1 as float32 is the decimal 0.1
            meant = pl.Series(piece.name, as_float(piece.fill_null(0).to_numpy()))
            return meant.set(piece.is_null(), None)
        return as_text(piece, file) if kind == pl.String else piece.cast(kind)

    nothing = pl.Series(pieces[0].name, [], dtype=kind)
    return pl.concat(
        [
            cast(piece) if some else nothing.extend_constant(None, len(piece))
            for piece, some in zip(pieces, filled, strict=True)
        ]
    )


def _opened(source: Source) -> Part:
    if source.is_stream and not source.head.startswith((MAGIC, _ENCRYPTED)):  # it may be endless
        raise DataError(_unreadable(source, ValueError()))
    try:
        with _reader(source, []) as file:
            schema, metadata = file.schema_arrow, file.metadata
            _ = schema.names  # decodes them
            return Part(source.name, source, schema, metadata.num_rows)
    except _BROKEN as error:
        raise DataError(_unreadable(source, error)) from error


def _reader(source: Source, dictionary: list[str]) -> pq.ParquetFile:
    opened: Any
    if source.content is not None:
        opened = pa.BufferReader(source.content)
    elif source.is_stream:
        opened = pa.PythonFile(source.open(), mode="r")
    else:
        with source.open():  # refuses what may not be read, or has changed
            opened = pa.OSFile(str(source.path))
    return pq.ParquetFile(opened, read_dictionary=dictionary, pre_buffer=False, buffer_size=_BUFFER)


def _unreadable(source: Source, error: Exception) -> Problem:
    name, start = source.name, source.head[:16]
    if not start:
        return Problem(name, "an empty file", "a Parquet file", "check that it was written whole")
    if start.startswith(_ENCRYPTED):
        return Problem(
            name, "an encrypted Parquet file", "a Parquet file in the clear", "decrypt it first"
        )
    if start.startswith(MAGIC):
        return _damaged(name, error)
    found, remedy = "a file that is no Parquet", "if it is text, say `format='delimited'`"
    return Problem(name, found, "a Parquet file", remedy, cell=start.decode("utf-8", "replace"))


def _damaged(name: str, error: Exception) -> Problem:
    reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    found = "a Parquet file that is cut short or damaged"
    return Problem(name, found, "a whole Parquet file", "copy or download it again", cell=reason)

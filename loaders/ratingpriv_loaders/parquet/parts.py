"""Parquet files as batches of rows: one file, or a folder of them in the order of their names."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ratingpriv.base.compute.resources import refuse_exhausted
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Source
from ratingpriv.data.table.building.problems import Place
from ratingpriv_loaders.parquet.cells import is_text, refuse_kind, refuse_not_text, value_type

MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_SUFFIXES = (".parquet", ".pq", ".parq")
_BROKEN = (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError)
_BUFFER = 1 << 20  # bytes of a column read from the file at a time


class Batch(NamedTuple):
    """Some rows: those from ``first`` on (0-based, counted through all parts)."""

    first: int
    columns: pa.RecordBatch


@dataclass(frozen=True, slots=True)
class Part:
    """One file: how messages call it, what it is opened from, its columns and its number of rows."""

    file: str
    path: Path | bytes | Source
    schema: pa.Schema
    rows: int


def part_paths(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder by name; those that begin with _ or . are no data."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in _SUFFIXES and path.name[0] not in "._" and path.is_file()
    )


class Parts:
    """The files of a source, at least one, opened and found to have the same columns.

    ``names`` : the columns, as in the first part; ``paths`` : the files of a folder, else None.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.paths = part_paths(source.path) if source.is_dir else None
        if self.paths is None:
            self.parts = [_opened(source.name, _raw(source))]
        else:
            for path in self.paths:
                source.part(path)  # is to be the same at the end
            self.parts = [_opened(str(Path(source.name) / path.name), path) for path in self.paths]
        if not self.parts:
            found, expected = "a folder without a Parquet file", "files named *.parquet"
            raise DataError(Problem(source.name, found, expected, "check the path"))
        self.names: list[str] = self.parts[0].schema.names
        column_names.refuse_too_many(len(self.names), file=self.parts[0].file)
        self._refuse_columns()
        self.rows = sum(part.rows for part in self.parts)
        self._starts = np.cumsum([0, *(part.rows for part in self.parts)])

    def place(self, row: int, column: str | None) -> Place:
        """Say where row ``row`` (0-based, counted through all parts) stands: rows count as lines from 1."""
        number = int(np.searchsorted(self._starts, row, side="right")) - 1
        return Place(self.parts[number].file, row - int(self._starts[number]) + 1, column)

    def beside(self) -> Iterator[str]:
        """Yield what the files say beside their columns, in words: metadata of their own."""
        said = {key for part in self.parts for key in part.schema.metadata or {}}
        said |= {key for part in self.parts for field in part.schema for key in field.metadata or {}}
        said.discard(b"PARQUET:field_id")
        if said:
            yield f"keys of metadata: {len(said)}"

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
        return Problem(self.parts[number].file, found, expected, "cast them to one type", column=column)

    def batches(self, columns: Sequence[str], *, rows: int, encoded: Sequence[str] = ()) -> Iterator[Batch]:
        """Read columns in batches of at most ``rows`` rows; of ``encoded``, those of text as dictionaries."""
        first = 0
        for column in columns:
            self.types(column)
        for part in self.parts:
            begin = first
            text = [name for name in encoded if is_text(part.schema.field(name).type)]
            try:
                with _reader(part.path, text) as file:
                    for batch in file.iter_batches(rows, columns=list(columns), use_threads=False):
                        refuse_exhausted(f"reading {part.file}")
                        for column in columns:
                            refuse_not_text(part.file, column, batch.column(column), first - begin)
                        yield Batch(first, batch)
                        first += len(batch)
            except _BROKEN as error:
                if isinstance(error, OSError) and error.errno == errno.EIO:  # the disk's, not the file's
                    raise
                raise DataError(_damaged(part.file, error)) from error
            if first - begin != part.rows:
                found = f"{first - begin:,} rows where {part.rows:,} are stated"
                raise DataError(_damaged(part.file, ValueError(found)))

    def _refuse_columns(self) -> None:
        """Refuse two columns of one name, none, and parts that have others than the first."""
        file, problems = self.parts[0].file, []
        where: dict[str, int] = {}
        for number, name in enumerate(self.names, start=1):
            if where.setdefault(name, number) < number:
                finding = f"the name {shown_name(name, number)} a second time (first in column {where[name]})"
                expected = "a different name for every column"
                problems.append(Problem(file, finding, expected, "rename one of them", column=number))
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
                    finding = f"no column {shown_name(missing[0], self.names.index(missing[0]) + 1)}"
                remedy = "read the parts one by one, or give all of them the same columns"
                expected = f"the columns of {file}"
                problems.append(Problem(part.file, finding, expected, remedy))
        if problems:
            raise DataError(problems)


def _raw(source: Source) -> Path | bytes | Source:
    """Return what a single source is opened from: its bytes where they are held, its path, or a stream."""
    if source.is_stream:
        if not source.head.startswith((MAGIC, _ENCRYPTED)):  # it may be endless
            raise DataError(_unreadable(source.name, source.head[:16], ValueError()))
        return source
    if source.content is not None:
        return source.content
    with source.open():  # refuses what may not be read
        return source.path


def _opened(name: str, path: Path | bytes | Source) -> Part:
    try:
        with _reader(path, []) as file:
            schema, metadata = file.schema_arrow, file.metadata
            _ = schema.names  # decodes them
            return Part(name, path, schema, metadata.num_rows)
    except PermissionError as error:
        found, expected = "a file that you may not read", "a file you may read"
        remedy = "ask its owner, or change its permissions"
        raise DataError(Problem(name, found, expected, remedy)) from error
    except _BROKEN as error:
        if isinstance(path, bytes):
            raise DataError(_unreadable(name, path[:16], error)) from error
        with path.open() if isinstance(path, Source) else path.open("rb") as opened:
            raise DataError(_unreadable(name, opened.read(16), error)) from error


def _reader(path: Path | bytes | Source, dictionary: list[str]) -> pq.ParquetFile:
    opened: Any
    if isinstance(path, Source):
        opened = pa.PythonFile(path.open(), mode="r")
    else:
        opened = pa.BufferReader(path) if isinstance(path, bytes) else pa.OSFile(str(path))
    return pq.ParquetFile(opened, read_dictionary=dictionary, pre_buffer=False, buffer_size=_BUFFER)


def _unreadable(name: str, start: bytes, error: Exception) -> Problem:
    if not start:
        return Problem(name, "an empty file", "a Parquet file", "check that it was written whole")
    if start.startswith(_ENCRYPTED):
        return Problem(name, "an encrypted Parquet file", "a Parquet file in the clear", "decrypt it first")
    if start.startswith(MAGIC):
        return _damaged(name, error)
    found, remedy = "a file that is no Parquet", "if it is text, say `format='delimited'`"
    return Problem(name, found, "a Parquet file", remedy, cell=start.decode("utf-8", "replace"))


def _damaged(name: str, error: Exception) -> Problem:
    reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
    found = "a Parquet file that is cut short or damaged"
    return Problem(name, found, "a whole Parquet file", "copy or download it again", cell=reason)

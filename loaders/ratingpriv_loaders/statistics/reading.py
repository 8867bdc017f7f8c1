"""One file of SPSS, Stata or SAS as raw columns: values, value labels, and what it declares missing."""

from __future__ import annotations

import io
import struct
from typing import Any

import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.codebook.cells import declared_column
from ratingpriv.data.codebook.raw import RawColumn, RawData
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.table import Origin
from ratingpriv.data.table.building.problems import Place
from ratingpriv_loaders.wide_or_long import needed, not_needed

MOST_CELLS = 200_000_000
"""Cells of a file; its own statement of how many there are is not believed."""

_LARGEST = 2.0**53
_STRING_SEGMENT = 255  # SPSS keeps longer strings as several variables of this width


class StatisticsFile:
    """A file, opened: its columns by name.

    Raises
    ------
    DataError
        It is cut short or damaged, or has no columns.
    ParameterError
        pyreadstat is not installed.
    """

    def __init__(self, source: Source, options: ReadOptions, kind: str, program: str) -> None:
        self._source, self._options, self._kind, self._program = source, options, kind, program
        self._library = needed("pyreadstat", extra="statistics", kind=f"{program} files")
        self._about = self._read(metadataonly=True)[1]
        self.names: list[str] = list(self._about.column_names)
        column_names.refuse_too_many(len(self.names), file=source.name)
        if not self.names:
            raise DataError(Problem(source.name, "no columns", "columns with ratings"))

    @property
    def aside(self) -> tuple[str, ...]:
        """What the file says beside its variables, in words."""
        said = (
            ("notes", any(map(_text, self._about.notes or ()))),
            ("a label of the whole file", _text(self._about.file_label) is not None),
            ("a variable that weights the records", self._weight(self._about) is not None),
        )
        return tuple(words for words, holds in said if holds)

    def raw(self) -> RawData:
        """Read the columns that are wanted."""
        file, unread = self._source.name, not_needed(self.names, self._options, file=self._source.name)
        wanted = [name for name in self.names if name not in unread]
        if not wanted:
            raise DataError(Problem(file, "no column that is kept", "columns with ratings"))
        frame, about = self._read(usecols=wanted, row_limit=MOST_CELLS // len(wanted) + 1)
        if len(frame) * len(wanted) > MOST_CELLS:
            found, expected = f"more than {MOST_CELLS:,} cells", "at most so many"
            raise DataError(Problem(file, found, expected, "leave columns out with `drop`"))
        size = self._source.size
        if self._transport and size is not None and size % 80:
            found, expected = "a part of a record at the end", "a transport file of records of 80 bytes"
            raise DataError(Problem(file, found, expected, "copy or download it again"))
        stated = self._about.number_rows
        if stated is not None and 0 <= stated != len(frame):
            found, expected = f"{len(frame):,} records where {stated:,} are stated", "a whole file"
            raise DataError(Problem(file, found, expected, "copy or download it again"))
        if len(frame) == 0:
            found = f"{len(self.names)} columns and no rows"
            remedy = "check that the file was written whole"
            raise DataError(Problem(file, found, "at least one record", remedy))
        weight = self._weight(about)
        columns = tuple(self._column(frame[name], about, weighs=name == weight) for name in wanted)
        return RawData(
            read=columns,
            records=len(frame),
            origin=Origin(
                name=file,
                format=self._kind,
                layout="wide",
                order=tuple(self.names),
                details={
                    "null": list(self._options.only_null or self._options.null),
                    "columns": list(self.names),
                    "questions": {one.name: one.question for one in columns if one.question},
                    "value_labels": {one.name: list(one.labels) for one in columns if one.labels},
                    "measures": {name: _text(about.variable_measure.get(name)) for name in wanted},
                },
            ),
            locate=lambda row, column: Place(file, row + 1, column),
            unread=tuple(unread.items()),
            names=tuple(self.names),
        )

    def _column(self, cells: pl.Series, about: Any, *, weighs: bool) -> RawColumn:
        name = cells.name
        return declared_column(
            _plain(cells),
            about.missing_ranges.get(name, []),
            about.variable_value_labels.get(name, {}),
            _text(about.column_names_to_labels.get(name)),
            ordered=_text(about.variable_measure.get(name)) == "ordinal",
            known_role="drop" if weighs else None,
            why=f"{self._program} weights the records by it" if weighs else "",
        )

    def _weight(self, about: Any) -> str | None:
        """Return the variable that SPSS weights the cases by; it is no answer of anybody's."""
        head = self._source.head
        if self._kind != "sav" or len(head) < 80:
            return None
        order = "<" if struct.unpack_from("<i", head, 64)[0] in (2, 3) else ">"
        wanted, at = struct.unpack_from(f"{order}i", head, 76)[0], 1
        for name in self.names:
            if at == wanted:
                return name
            at += _slots(str(about.original_variable_types.get(name)))
        return None

    def _read(self, **more: Any) -> tuple[pl.DataFrame, Any]:
        """Return the data, and what the file says of its variables, by pyreadstat's names."""
        source, file, options = self._source, self._source.name, self._options
        settings = more if options.encoding is None else {**more, "encoding": options.encoding}
        if self._kind == "sav":
            settings["user_missing"] = True
        with source.open() as opened:  # refuses what may not be read, or has changed
            small = source.is_stream or source.content is not None
            content = io.BytesIO(opened.read()) if small else str(source.path)
        kind = "xport" if self._transport else {"sas": "sas7bdat"}.get(self._kind, self._kind)
        read = getattr(self._library, f"read_{kind}")
        try:
            return read(content, output_format="polars", **settings)  # type: ignore[no-any-return]
        except UnicodeDecodeError as error:
            found, expected = "text in another encoding than the file says", "text that can be read"
            remedy = "name the encoding with `encoding`, for example `encoding='cp1252'`"
            raise DataError(Problem(file, found, expected, remedy)) from error
        except LookupError as error:
            raise ParameterError("encoding", options.encoding, "the name of an encoding") from error
        except Exception as error:  # whatever the library and its wrapper raise, it is about the file
            found = f"a file of {self._program} that is cut short, damaged or of an unknown version"
            remedy = "copy or download it again; if another program opens it, save it anew from there"
            reason = str(error).partition("\n")[0]
            raise DataError(Problem(file, found, "a whole one", remedy, cell=reason)) from error

    @property
    def _transport(self) -> bool:
        return self._source.head.startswith(b"HEADER")


def _plain(cells: pl.Series) -> pl.Series:
    """Return numbers (whole ones as such), dates or text, null where empty."""
    kind = cells.dtype
    if kind.is_float():
        cells = cells.fill_nan(None)
        there = cells.drop_nulls()
        if len(there) and bool(((there.floor() == there) & (there.abs() <= _LARGEST)).all()):
            return cells.cast(pl.Int64)
        return cells
    if kind.is_integer() or kind in (pl.Boolean, pl.Date, pl.Null) or isinstance(kind, pl.Datetime):
        return cells
    text = cells.cast(pl.String, strict=False).str.strip_chars()
    return text.set(text == "", None)


def _slots(kind: str) -> int:
    """Return how many of SPSS's slots of eight bytes a variable of this format takes."""
    width = int(kind[1:]) if kind[:1] == "A" and kind[1:].isdecimal() else 0
    if width <= _STRING_SEGMENT:
        return max(1, -(-width // 8))
    segments = -(-width // 252)
    last = width - 252 * (segments - 1)
    return (segments - 1) * 32 + -(-last // 8)


def _text(value: Any) -> str | None:
    text = str(value).strip() if value is not None else ""
    return text or None

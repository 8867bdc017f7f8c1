"""Files of SPSS, Stata and SAS: values, value labels, and what they declare missing;
SPSS is written, too.
"""

from __future__ import annotations

import dataclasses
import errno
import io
import re
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.extras import needed
from ratingpriv.base.numbers import LARGEST
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.cells import declared_column
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions, Source
from ratingpriv.data.formats.writing import Rereading, UnwritableError, WriteOptions
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.problems import Place
from ratingpriv_loaders.wide_or_long import FileLoader, OpenedFile, TypedFile, columns_only
from ratingpriv_loaders.writing import STATES, TypedColumns

_SAS = bytes.fromhex("0000000000000000 00000000c2ea8160 b31411cfbd920800 09c7318c181f1011")
_XPORT = rb"HEADER RECORD\*{7}(LIBRARY|LIBV8  ) HEADER RECORD!!!"
MOST_CELLS = 200_000_000  # of a file; its own statement of how many there are is not believed
_STRING_SEGMENT = 255  # SPSS keeps longer strings as several variables of this width
_NAME = re.compile(r"[^\W\d_][\w.$#@]{0,63}\Z")
_RESERVED = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_WRITTEN_AT = 92  # of the header: "22 Nov 26" and "11:11:24"
_LONG_AGO = b"01 Jan 0000:00:00"
_BYTES = 32_767  # of a text


class StatisticsLoader(FileLoader):
    """What these loaders share: recognised by their first bytes, read by pyreadstat."""

    start: ClassVar[bytes]
    """What such files begin with, a regular expression."""
    has_no = ("delimiter", "header")

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        return re.match(self.start, head, re.DOTALL) is not None

    def opened(self, source: Source, options: ReadOptions) -> OpenedFile:
        """Open a file; DataError where it does not begin as such files do."""
        whose = self.owners.removesuffix(" files have")
        if not self.begins(source.head):
            actual = (
                f"a file that does not begin as {whose}'s do" if source.head else "an empty file"
            )
            remedy = "check that it was written whole, or name another `format`"
            raise DataError(Problem(source.name, actual, f"a file of {whose}", remedy))
        return StatisticsFile(source, options, self.name, whose)


class SavLoader(StatisticsLoader):
    """Reads SPSS's .sav and .zsav."""

    name = "sav"
    description = "SPSS .sav and .zsav: value labels, declared missing values"
    owners, begins_as = "SPSS files have", "SPSS files do"
    suffixes = (".sav", ".zsav")
    start = rb"\$FL[23]"


class DtaLoader(StatisticsLoader):
    """Reads Stata's .dta."""

    name = "dta"
    description = "Stata .dta: value labels, extended missing values"
    owners, begins_as = "Stata files have", "Stata files do"
    suffixes = (".dta",)
    start = rb"<stata_dta>|[\x68-\x73][\x01\x02]\x01\x00"  # releases 117 on, 104 to 115


class SasLoader(StatisticsLoader):
    """Reads SAS's .sas7bdat and transport files (.xpt)."""

    name = "sas"
    description = "SAS .sas7bdat and transport files (.xpt)"
    owners, begins_as = "SAS files have", "SAS files do"
    suffixes = (".sas7bdat", ".xpt")
    start = re.escape(_SAS) + b"|" + _XPORT


class StatisticsFile(TypedFile):
    """A file, opened: its columns by name."""

    def __init__(self, source: Source, options: ReadOptions, kind: str, program: str) -> None:
        self._source, self.options, self._kind, self._program = source, options, kind, program
        self._library = needed("pyreadstat", extra="statistics", kind=f"{program} files")
        self._about = self._read(metadataonly=True)[1]
        self.names = tuple(self._about.column_names)
        column_names.refuse_too_many(len(self.names), file=source.name)
        if not self.names:
            raise DataError(Problem(source.name, "no columns", "columns with ratings"))
        entries = (
            ("notes", any(map(_text, self._about.notes or ()))),
            ("a label of the whole file", _text(self._about.file_label) is not None),
            ("a variable that weights the records", self._weight(self._about) is not None),
        )
        self.aside = [words for words, holds in entries if holds]

    def raw(self) -> RawData:
        """Read the columns that are wanted."""
        file = self._source.name
        few = 0 <= (self._about.number_rows or -1) <= MOST_CELLS // len(self.names)
        wanted, unread = self.wanted(file, look=few)
        frame, about = self._read(usecols=wanted, row_limit=MOST_CELLS // len(wanted) + 1)
        if len(frame) * len(wanted) > MOST_CELLS:
            finding, expected = f"more than {MOST_CELLS:,} cells", "at most so many"
            raise DataError(Problem(file, finding, expected, "drop columns with `drop`"))
        size, stated = self._source.size, self._about.number_rows
        fault = ""
        if self._transport and size is not None and size % 80:  # its records have 80 bytes
            fault = "a part of a record at the end"
        elif stated is not None and 0 <= stated != len(frame):
            fault = f"{len(frame):,} records where {stated:,} are stated"
        if fault:
            raise DataError(Problem(file, fault, "a whole file", "copy or download it again"))
        if len(frame) == 0:
            raise columns_only(file, self.names)
        weight, columns = self._weight(about), []
        for name in wanted:
            labels, weighs = about.variable_value_labels.get(name, {}), name == weight
            cells, tagged = _untagged(frame[name], about.missing_user_values.get(name, ()))
            columns.append(
                declared_column(
                    _plain(cells),
                    about.missing_ranges.get(name, []),
                    labels,
                    _text(about.column_names_to_labels.get(name)),
                    tagged,
                    ordered=_text(about.variable_measure.get(name)) == "ordinal",
                    known_role="drop" if weighs else None,
                    why=f"{self._program} weights the records by it" if weighs else "",
                )
            )
        return self.raw_of(
            columns,
            Origin(name=file, format=self._kind, order=self.names),
            len(frame),
            unread,
            lambda row, column: Place(file, row + 1, column),
            questions={one.name: one.question for one in columns if one.question},
            value_labels={one.name: list(one.labels) for one in columns if one.labels},
            measures={name: _text(about.variable_measure.get(name)) for name in wanted},
        )

    def _weight(self, about: Any) -> str | None:
        """Return the variable that SPSS weights the cases by; it is no answer of anybody's."""
        head = self._source.head
        if self._kind != "sav" or len(head) < 80:
            return None
        order = "<" if struct.unpack_from("<i", head, 64)[0] in (2, 3) else ">"
        wanted, slot = struct.unpack_from(f"{order}i", head, 76)[0], 1
        for name in self.names:
            if slot == wanted:
                return name
            slot += _slots(str(about.original_variable_types.get(name)))
        return None

    def _read(self, **more: Any) -> tuple[pl.DataFrame, Any]:
        """Return the data, and what the file says of its variables, by pyreadstat's names."""
        source, file, options = self._source, self._source.name, self.options
        settings = more if options.encoding is None else {**more, "encoding": options.encoding}
        if not self._transport:
            settings["user_missing"] = True
        with source.open() as opened:  # refuses what may not be read, or has changed
            small = source.is_stream or source.content is not None
            content = io.BytesIO(opened.read()) if small else str(source.path)
        kind = "xport" if self._transport else {"sas": "sas7bdat"}.get(self._kind, self._kind)
        read = getattr(self._library, f"read_{kind}")
        try:
            return read(content, output_format="polars", **settings)  # type: ignore[no-any-return]
        except UnicodeDecodeError as error:
            finding, expected = (
                "text in another encoding than the file says",
                "text that can be read",
            )
            remedy = "name the encoding with `encoding`, for example `encoding='cp1252'`"
            raise DataError(Problem(file, finding, expected, remedy)) from error
        except LookupError as error:
            raise ParameterError("encoding", options.encoding, "the name of an encoding") from error
        # whatever the library and its wrapper raise, it is about the file
        except Exception as error:
            finding = (
                f"a file of {self._program} that is cut short, damaged or of an unknown version"
            )
            remedy = (
                "copy or download it again; if another program opens it, save it anew from there"
            )
            reason = str(error).partition("\n")[0]
            raise DataError(Problem(file, finding, "a whole one", remedy, cell=reason)) from error

    @property
    def _transport(self) -> bool:
        return self._source.head.startswith(b"HEADER")


def _untagged(cells: pl.Series, tags: Sequence[str]) -> tuple[pl.Series, dict[str, int]]:
    """Return numbers without Stata's and SAS's extended missing values,
    and how many cells had each: ".a".
    """
    if cells.dtype != pl.Object:
        return cells, {}
    values, tags_known = cells.to_list(), set(tags)
    gone = Counter(
        f".{value}" for value in values if isinstance(value, str) and value in tags_known
    )
    numbers = [
        None if isinstance(value, str) and value in tags_known else value for value in values
    ]
    return pl.Series(cells.name, numbers, strict=False), dict(gone)


def _plain(cells: pl.Series) -> pl.Series:
    """Return numbers (whole ones as such), dates or text, null where empty."""
    kind = cells.dtype
    if kind.is_float():
        cells = cells.fill_nan(None)
        present = cells.drop_nulls()
        if len(present) and bool(((present.floor() == present) & (present.abs() <= LARGEST)).all()):
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


def _refuse_unfit(columns: Sequence[pl.Series]) -> None:
    """Refuse names that SPSS does not take, and texts that it has no room for."""
    names = [column.name for column in columns]
    folded = [name.lower() for name in names]
    for index, name in enumerate(names):
        taken = _NAME.match(name) and folded[index] not in _RESERVED and name[-1] != "."
        taken = taken and len(name.encode()) <= 64
        if taken and folded.index(folded[index]) == index:
            continue
        actual = "two names that differ in case only" if taken else "a name that SPSS does not take"
        expected = "names of letters, digits and underscores that begin with a letter"
        remedy = "rename the column, or write it as CSV"
        raise UnwritableError("issues", f"{actual}: {shown_name(name)}", expected, remedy)
    for column in columns:
        if column.dtype == pl.String and bool((column.str.len_bytes() > _BYTES).any()):
            finding = f"a text of more than {_BYTES:,} bytes"
            raise UnwritableError(
                "format", finding, "texts that SPSS has room for", "write it as CSV"
            )


def _about(columns: Sequence[pl.Series], details: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file says of its columns: questions, words of scales, kinds and formats."""
    names = [column.name for column in columns]
    numeric = [column for column in columns if column.dtype.is_numeric()]
    labels: dict[str, dict[float, str]] = {}  # words of a scale, or those that the input had
    of_scales = {name: enumerate(words, 1) for name, words in details.get("labels", {}).items()}
    for said in (of_scales, details.get("value_labels", {})):
        for name in (column.name for column in numeric if column.name in said):
            labels[name] = {float(value): str(word) for value, word in said[name]}
    integers = [
        column.name for column in numeric if bool((column.floor() == column).drop_nulls().all())
    ]
    questions, measures = details.get("questions", {}), details.get("measures", {})
    return {
        "column_labels": {name: questions[name] for name in names if name in questions},
        "variable_value_labels": labels,
        "variable_measure": {name: measures[name] for name in names if measures.get(name)},
        "variable_format": dict.fromkeys(integers, "F8.0"),
    }


class SavWriter:
    """Writes a .sav, or a .zsav where the name asks for one."""

    name = "sav"
    description = "SPSS .sav and .zsav, with value labels"
    suffixes = (".sav", ".zsav")
    states = STATES

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write ``table`` to ``path``.

        UnwritableError if it is long, or a name is none that SPSS takes.
        """
        pyreadstat = needed("pyreadstat", extra="statistics", kind="SPSS files")
        release = TypedColumns(table, dataclasses.replace(options, labels="numbers"))
        _refuse_unfit(release.columns)
        about = _about(release.columns, table.origin.details)
        compress = (options.name or path.name).lower().endswith(".zsav")
        try:
            pyreadstat.write_sav(
                pl.DataFrame(release.columns), str(path), compress=compress, **about
            )
        except pyreadstat.PyreadstatError as error:
            reason = str(error).splitlines()[0]
            raise UnwritableError(
                "format", reason, "what SPSS has room for", "write it as CSV"
            ) from error
        except pyreadstat.ReadstatError as error:  # it does not say what the disk said
            raise OSError(errno.EIO, str(error), str(path)) from error
        with path.open("r+b") as file:
            file.seek(_WRITTEN_AT)
            file.write(_LONG_AGO)
        return Rereading("sav", release.said)

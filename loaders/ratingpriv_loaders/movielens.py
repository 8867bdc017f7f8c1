"""MovieLens data as GroupLens publishes it: ``u.data`` (tabs),
``ratings.dat`` (``::``), ``ratings.csv``.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.formats.writing import (
    Rereading,
    UnwritableError,
    WriteOptions,
    refuse_columns_beside_ratings,
    scale_of,
)
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import LongRows, full_order
from ratingpriv_loaders.text import bytestream
from ratingpriv_loaders.text.dialect import Opening
from ratingpriv_loaders.text.layouts import TextReading
from ratingpriv_loaders.text.writer import Dialect, write_long
from ratingpriv_loaders.wide_or_long import described, refuse_described
from ratingpriv_loaders.writing import number_texts

_NAMES = ("userId", "movieId", "rating", "timestamp")
_LINES = 100
_NUMBER = r"^[1-9][0-9]*$"
_EARLIEST, _LATEST = 100_000_000, 9_999_999_999  # nine or ten digits of unix time
_USERS = {
    "u.user": ("|", ("user", "age", "gender", "occupation", "zip")),
    "users.dat": ("::", ("user", "gender", "age", "occupation", "zip")),
}
_KNOWN = {
    "user": ("id", "MovieLens's id of the user"),
    "zip": ("identifier", "a postal code says where one lives"),
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the three ways MovieLens writes ratings, which are multiples of ``step`` up to 5."""

    file: str
    delimiter: str
    header: bool
    step: float
    line: re.Pattern[str]
    reason: str


_KINDS = (
    _Kind(
        "u.data", "\t", False, 1.0,
        re.compile(r"[1-9][0-9]*\t[1-9][0-9]*\t[1-5]\t[0-9]{9,10}", re.ASCII),
        "user, movie, rating 1..5 and unix time between tabs, as in u.data",
    ),
    _Kind(
        "ratings.dat", "::", False, 0.5,
        re.compile(r"[1-9][0-9]*::[1-9][0-9]*::[0-5](\.[05])?::[0-9]{9,10}", re.ASCII),
        "user, movie, rating and unix time between double colons, as in ratings.dat",
    ),
    _Kind(
        "ratings.csv", ",", True, 0.5,
        re.compile(r"[1-9][0-9]*,[1-9][0-9]*,[0-5]\.[05],[0-9]{9,10}", re.ASCII),
        "the header userId,movieId,rating,timestamp of MovieLens's ratings.csv",
    ),
)  # fmt: skip


class MovieLensLoader:
    """Reads a MovieLens ratings file, or the folder it came in; ratings carry their unix times."""

    name = "movielens"
    takes = ("codebook", "identifier", "ratings", "keep", "only_null")
    description = (
        "MovieLens: u.data, ratings.dat, ratings.csv, or the folder that holds one of them"
    )

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim text whose first lines all look like MovieLens, and folders with such a file."""
        if described(options):
            return None
        if source.is_dir:
            paths = [path for path in _files(source.path) if _kind(source.part(path)) is not None]
            reason = f"a folder with MovieLens's {paths[0].name}" if paths else None
        else:
            kind = _kind(source)
            reason = None if kind is None else kind.reason
        users = None if reason is None else _users(source)
        if users is not None:
            names = ", ".join(_USERS[users.name][1][1:])
            reason = f"{reason}; of {users.name} ({names}) only what is named is used"
        return None if reason is None else Detection(0.9, reason)

    def attributes(self, source: Source) -> tuple[RawData, Source] | None:
        """Return the users' ages, genders, occupations and ZIP codes
        that lie beside the ratings.
        """
        path = _users(source)
        if path is None:
            return None
        file = Source(path)
        delimiter, names = _USERS[path.name]
        opening = Opening(delimiter, False, names, known=_KNOWN)
        options = ReadOptions(layout="wide", encoding="latin-1")
        return TextReading(file, options, opening, format=self.name).raw(), file

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for: always the same."""
        return Columns("long", _NAMES, None, *_NAMES, aside=tuple(bytestream.packed_beside(source)))

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        refuse_described(options, self.name)
        file, digest_of, files_known = source, None, ", ".join(kind.file for kind in _KINDS)
        if source.is_dir:
            files = _files(source.path)
            if len(files) != 1:
                names = " and ".join(path.name for path in files) or "none of them"
                expected = f"one of {files_known} in the folder"
                raise DataError(Problem(source.name, names, expected, "name the file to read"))
            file, digest_of = source.part(files[0]), files
        # by its name its lines are broken, and the scanner will say where
        kind = _kind(file) or next((kind for kind in _KINDS if file.path.name == kind.file), None)
        if kind is None:
            expected, remedy = (
                f"user, movie, rating and time as in {files_known}",
                "say `format='delimited'`",
            )
            raise DataError(Problem(file.name, "another kind of text", expected, remedy, line=1))
        opening = Opening(kind.delimiter, kind.header, _NAMES)
        roles = dict(zip(("id", "issue", "rating", "timestamp"), _NAMES, strict=True))
        fixed = dataclasses.replace(options, layout="long", **roles)  # type: ignore[arg-type]
        table = TextReading(file, fixed, opening, format=self.name).long()
        origin = dataclasses.replace(
            table.origin, name=source.name, sha256=source.sha256(digest_of)
        )
        return table.replace(origin=origin)


def _users(source: Source) -> Path | None:
    if source.is_stream:
        return None
    folder = source.path if source.is_dir else source.path.parent
    return next((folder / name for name in _USERS if (folder / name).is_file()), None)


def _files(folder: Path) -> list[Path]:
    return [folder / kind.file for kind in _KINDS if (folder / kind.file).is_file()]


def _kind(source: Source) -> _Kind | None:
    """Return how this text writes ratings, if its first lines all are MovieLens's."""
    try:
        text = bytestream.head(source, None, 1 << 14).decode("utf-8", "ignore")
    except DataError:
        return None
    lines = text.splitlines()
    if len(lines) > 1 and not text.endswith("\n"):
        lines.pop()  # may be cut off
    for kind in _KINDS:
        body = lines[:_LINES]
        if kind.header and (not body or body.pop(0) != ",".join(_NAMES)):
            continue
        if body and all(kind.line.fullmatch(line) for line in body):
            return kind
    return None


class MovieLensWriter:
    """Writes user, movie, rating and unix time as the input had them (else as ``ratings.csv``)."""

    name = "movielens"
    description = (
        "MovieLens: user, movie, rating and unix time, as u.data, ratings.dat or ratings.csv"
    )
    suffixes: tuple[str, ...] = ()
    states = ("scale",)

    def write(
        self,
        table: RatingTable,
        path: Path,
        options: WriteOptions,
        progress: Progress | None = None,
    ) -> Rereading:
        """Write ``table`` to ``path``.

        UnwritableError if it holds what MovieLens's files do not.
        """
        if options.layout == "wide":
            raise UnwritableError("layout", "wide", "long, which MovieLens's files are")
        kind_of_delimiter = {
            kind.delimiter: kind for kind in _KINDS if table.origin.format == self.name
        }
        kind = kind_of_delimiter.get(str(table.origin.details.get("delimiter", ",")), _KINDS[-1])
        refuse_columns_beside_ratings(table)
        rows = LongRows(table, full_order(table))
        if what := _without_place(table, rows, kind.step):
            expected = (
                "user and movie numbers, a rating and a unix time in every line, as MovieLens has"
            )
            raise UnwritableError("format", what, expected, "write it as delimited")
        texts = number_texts(rows.levels)
        if kind.delimiter == ",":
            texts = [f"{level:.1f}" for level in rows.levels.tolist()]
        record, issue, rating, time = _NAMES
        origin = dataclasses.replace(
            table.origin,
            record_name=record,
            issue_name=issue,
            rating_name=rating,
            timestamp_name=time,
        )
        dialect = Dialect(kind.delimiter, "utf-8", kind.header, "", ())
        name = options.name or path.name
        write_long(
            table.replace(origin=origin), path, name, dialect, rating_texts=texts, progress=progress
        )
        return Rereading(self.name, ReadOptions(scale=scale_of(table)))


def _without_place(table: RatingTable, rows: LongRows, step: float) -> str:
    """Return what no line of user, movie, rating up to 5 and unix time has a place for.

    Empty: nothing.
    """
    times, smallest = table.timestamps, 1.0 if step == 1.0 else 0.0
    if times is None or times.null_count() or table.sensitive:
        return "ratings without a time"
    if not times.dtype.is_integer() or not times.is_between(_EARLIEST, _LATEST).all():
        return "times that are no unix times"
    if rows.gaps:
        return "records or movies without a rating"
    if not bool(table.record_ids.cast(pl.String).str.contains(_NUMBER).all()):
        return "record ids that are no numbers"
    if not bool(pl.Series(rows.names).str.contains(_NUMBER).all()):
        return "items that are no numbers"
    if np.any((rows.levels < smallest) | (rows.levels > 5) | (rows.levels % step != 0)):
        return f"ratings that are no multiples of {step:g} up to 5"
    return ""

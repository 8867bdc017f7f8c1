"""Writing tables out: what a writer is, how the right one is found, and how its file is read again.

Writers live in other packages and are found by the entry point group ``ratingpriv.writers``
(``name = "package.module:WriterClass"``); this module knows none of them by name. A writer goes by the name
of the loader that reads what it writes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.progress import Progress
from ratingpriv.data.codebook.codebook import is_pattern, matches
from ratingpriv.data.formats.reading import ReadOptions, loaders, plugged_in, read
from ratingpriv.data.formats.sources import Source
from ratingpriv.data.formats.stating import check_stated
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import attribute_columns
from ratingpriv.data.table.building.problems import listed_names

DELIMITED = "delimited"
"""The format that can hold any table: what another format cannot hold is written as this one."""

_SUFFIXES = dict.fromkeys((".parquet", ".pq", ".parq"), "parquet") | {".xlsx": "xlsx"}
_SUFFIXES |= dict.fromkeys((".sav", ".zsav"), "sav")
_UNWRITTEN = (".xls", ".ods", ".dta", ".sas7bdat", ".xpt", ".html", ".pdf", ".md", ".json")
"""Suffixes of what a table is not written as: text under such a name would be taken for it."""

_TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".data", ".gz", ".zst", ".zip")


class UnwritableError(ParameterError):
    """A format cannot hold this table; ``found`` says what it has no place for."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """How a written file is read again, such that the same table comes out: a loader and its options."""

    format: str
    options: ReadOptions

    def read(self, path: str | Path | Source, *, progress: Progress | None = None) -> RatingTable:
        """Read the file as it was written; DataError, too, if its columns are not what is stated of them.

        ``scale`` may not have been declared: sensitive ratings are held to scales of their own only. Every
        column of a wide file has the role that is stated; those of which nothing is are ratings, whatever
        they look like.
        """
        options = self.options
        scales = {**dict.fromkeys(options.sensitive), **options.sensitive_scale}
        source = path if isinstance(path, Source) else Source(path)
        options = dataclasses.replace(self.complete(source), sensitive_scale=scales, progress=progress)
        table = read(source, format=self.format, options=options)
        self.check(table)
        return table

    def complete(self, source: Source) -> ReadOptions:
        """Return the options with what nobody has to state: all other columns are ratings.

        Where columns hold texts, and in formats whose cells have types, an empty cell alone means unanswered:
        any word may be a value.
        """
        options, takes = self.options, getattr(loaders()[self.format], "takes", ())
        if options.layout == "wide" and "ratings" in takes:
            columns = loaders()[self.format].columns(source, options)
            specs = {} if options.codebook is None else options.codebook.columns
            for name in filter(is_pattern, specs):
                if any(matches(column, name) for column in columns.names if column != name):
                    found = f"a column {shown_name(name)}, a pattern that another column fits"
                    remedy = "rename it, and make the release anew"
                    raise DataError(Problem(source.name, found, "names that no other fits", remedy))
            others = {*options.sensitive, *specs, columns.record}
            ratings = tuple(name for name in columns.names if name not in others)
            options = dataclasses.replace(options, ratings=ratings)
        typed = self.format != DELIMITED and "only_null" in takes
        if typed or options.codebook is not None:
            options = dataclasses.replace(options, null=(), only_null=("",))
        return options

    def check(self, table: RatingTable) -> None:
        """Raise DataError where columns are not what is stated, or what counts as missing is told apart."""
        said = {} if self.options.codebook is None else self.options.codebook.columns
        stated = {name: spec.within for name, spec in said.items() if spec.role == "quasi"}
        carried = {name for name, spec in said.items() if spec.role == "carry"}
        found = {column.name: column.within for column in table.quasi}
        if found != stated or {column.name for column in table.carried} != carried:
            expected = "the quasi-identifiers and carried columns that are stated, by the rules stated"
            raise DataError(Problem(table.origin.name, "other ones", expected, "verify the original"))
        missing = table.origin.details.get("declared_missing", 0)
        if missing:  # they are there for everybody who reads the file
            values = f"{missing} values that the file itself declares missing"
            raise DataError(Problem(table.origin.name, values, "empty cells", "have the release made anew"))
        ways = table.origin.details.get("unanswered", 0)
        if ways > 1:  # whoever reads the file tells records apart by them
            texts, one = f"{ways} texts that all mean unanswered", "one, as in every release"
            raise DataError(Problem(table.origin.name, texts, one, "have the release made anew"))

    def to_dict(self) -> dict[str, Any]:
        """Return format and options as plain values; options that are as usual are left out."""
        usual = ReadOptions()
        fields = {
            field.name: getattr(self.options, field.name)
            for field in dataclasses.fields(ReadOptions)
            if field.compare and getattr(self.options, field.name) != getattr(usual, field.name)
        }
        codebook = fields.pop("codebook", None)
        if codebook is not None:
            fields["columns"] = {name: dict(spec.said()) for name, spec in codebook.columns.items()}
        return {"format": self.format, **_plain(fields)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Rereading:
        """Turn :meth:`to_dict` back, whoever wrote it: only what the format's writer may state is taken."""
        given = dict(content)
        format = given.pop("format", None)  # noqa: A001 -- the word of --format
        if not isinstance(format, str) or format not in writers():
            shown = format if isinstance(format, str) else type(format).__name__
            raise ParameterError("read.format", shown, "one of the formats " + ", ".join(writers()))
        return cls(format, ReadOptions(**check_stated(given, frozenset(writers()[format].states))))


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a table shall be written; None is "as the table's origin was, else as is usual".

    Attributes
    ----------
    layout : "long" (a row a rating) or "wide" (a row a record)
    record_ids : whether a wide layout has a column of record ids; a long one needs them
    labels : "words", ratings as the words of their scale where these are known, or "numbers"
    name : the file's name in the end, whose suffix says how it is packed (.gz, .zst, .zip); None: the path's
    """

    layout: str | None = None
    record_ids: bool = True
    labels: str = "words"
    name: str | None = None


@runtime_checkable
class Writer(Protocol):
    """What a writer offers; a class without constructor arguments, registered by entry point."""

    name: str
    description: str
    states: tuple[str, ...]
    """Names of the reading options that its Rereading may state; whoever checks a release takes no others."""

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``, which is nobody else's yet, and say how it is read again.

        The bytes depend on the table, the options and the versions of libraries only: no times, no names of
        files or users. UnwritableError if the format cannot hold the table; OSError if the disk fails.
        """
        ...


@functools.cache
def writers() -> dict[str, Writer]:
    """Return the installed writers."""
    return plugged_in("writer")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return list(value) if isinstance(value, tuple) else value


def check_format(format: str) -> str:  # noqa: A002 -- the word of --output-format
    """Return ``format``; ParameterError if no writer is installed for it."""
    return checks.choice("format", format, tuple(writers()))


def choose_format(table: RatingTable, name: str, format: str | None = None) -> str:  # noqa: A002
    """Return the format in which a file called ``name`` is written.

    What the user says counts first, then a suffix that belongs to one format, then what the table was read
    from.
    """
    if format is not None:
        return check_format(format)
    suffix = Path(name).suffix.lower()
    if suffix in _UNWRITTEN:
        known = "one of the formats " + ", ".join(writers())
        remedy = "choose a name such as release.csv or release.parquet"
        raise ParameterError("format", f"a name that ends in {suffix}", known, remedy)
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    origin = table.origin.format
    if origin not in writers() or (origin in _SUFFIXES.values() and suffix in _TEXT_SUFFIXES):
        return DELIMITED
    return origin


def refuse_columns_beside_ratings(table: RatingTable) -> None:
    """Raise UnwritableError where a table has columns that a row a rating has no place for."""
    names = list(attribute_columns(table))
    if names:
        raise UnwritableError(
            "layout",
            f"long, of a table with columns that are no ratings ({listed_names(names)})",
            "wide, a row a record: a row a rating has no place for them, and none is left out unsaid",
            "write it wide, or leave the columns out",
        )


def scale_of(table: RatingTable) -> tuple[float, float] | None:
    """Return the scale as reading options have it; None where all ratings are one and the same."""
    scale = table.scale
    return None if scale is None or scale.minimum == scale.maximum else (scale.minimum, scale.maximum)


def sensitive_scales_of(table: RatingTable) -> dict[str, tuple[float, float]]:
    """Return the scales that sensitive issues were declared to have, as reading options have them."""
    declared = table.origin.details.get("sensitive_scale", {})
    return {column.name: declared[column.name] for column in table.sensitive if declared.get(column.name)}


def write_table(
    table: RatingTable,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 -- the word of --output-format
    options: WriteOptions | None = None,
    progress: Progress | None = None,
) -> Rereading:
    """Write ``table`` to ``path`` in its origin's layout, or as requested; return how it is read again.

    Not atomic: :func:`ratingpriv.anonymize.release.writing.write_release` sees to that. Where the format is
    that of the origin, not requested nor said by the suffix, and cannot hold the table (a rating without a
    date in Netflix's), it is written as delimited text, and ``Rereading.format`` says so; UnwritableError if
    it was requested.
    """
    path = Path(path)
    options = options or WriteOptions()
    if options.layout is not None:
        checks.choice("layout", options.layout, ("long", "wide"))
    options = options if options.name else dataclasses.replace(options, name=path.name)
    name = options.name or path.name
    chosen = choose_format(table, name, format)
    try:
        stated = writers()[chosen].write(table, path, options, progress)
    except UnwritableError:
        if format is not None or chosen in (DELIMITED, _SUFFIXES.get(Path(name).suffix.lower())):
            raise
        stated = writers()[DELIMITED].write(table, path, options, progress)
    Rereading.from_dict(stated.to_dict())  # a reader has to take it from a manifest
    return stated

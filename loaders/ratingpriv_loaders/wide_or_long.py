"""Files whose columns have types: found, opened, and made a table: a row a record,
or a row a rating.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.codebook.cells import Contents, bad_rating, inexact_rating, number, numeral
from ratingpriv.data.codebook.raw import RawColumn, RawData, TextCells
from ratingpriv.data.codebook.recognition.one_person import repeats_left_out
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import Columns, Detection, ReadOptions, Source
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.columns import LocateCell
from ratingpriv.data.table.building.conversion import from_long
from ratingpriv.data.table.building.finishing import dropped_issues
from ratingpriv_loaders import background

TAKES = ("codebook", "quasi", "identifier", "carry", "ratings", "keep", "only_null")
"""Reading options on roles that every loader of wide columns knows."""


def described(options: ReadOptions) -> str | None:
    """Return the first option that describes the columns, which only a general loader can heed,
    or None.
    """
    if options.layout == "wide":
        return "layout"
    names = ("id", "issue", "rating", "timestamp", "delimiter", "header")
    return next((name for name in names if getattr(options, name) is not None), None)


def refuse_described(options: ReadOptions, format: str) -> None:  # noqa: A002 -- the word of `read`
    """Refuse options that a loader of one fixed format cannot heed."""
    name = described(options)
    if name is not None:
        remedy = "say `format='delimited'` to describe the columns"
        refuse_given(options, [name], f"the format {format} fixes it", remedy)


def refuse_given(
    options: ReadOptions, names: Iterable[str], why: str, remedy: str = "leave it out"
) -> None:
    """Refuse the first of these options that is given;
    ``why`` as in "Parquet has no such thing".
    """
    for name in names:
        if getattr(options, name) is not None:
            raise ParameterError(name, getattr(options, name), f"not to be given: {why}", remedy)


class OpenedFile(abc.ABC):
    """An opened file.

    Attributes
    ----------
    header : whether the first line names the columns; None where the format leaves no doubt
    aside : what it has beside a table of its columns, in words
    paths : the files of a folder
    """

    options: ReadOptions
    names: tuple[str, ...]
    header: bool | None = None
    aside: Iterable[str] = ()
    paths: list[Path] | None = None

    @abc.abstractmethod
    def raw(self) -> RawData:
        """Read a row a record: all columns that are wanted, as they are."""

    @abc.abstractmethod
    def long(self) -> RatingTable:
        """Read a row a rating."""


def columns_only(file: str, names: Sequence[str]) -> DataError:
    """Return the DataError of a file that has columns only."""
    found, remedy = f"{len(names)} columns and no rows", "check that the file was written whole"
    return DataError(Problem(file, found, "at least one record or rating", remedy))


class FileLoader:
    """What the loaders of files share whose columns are known when they are opened.

    ``has_no``, ``owners`` : reading options that mean nothing for them: "SPSS files have no such
    thing". ``begins_as`` : as in "it begins as SPSS files do".
    """

    name: ClassVar[str]
    description: ClassVar[str]
    owners: ClassVar[str] = ""
    begins_as: ClassVar[str] = ""
    suffixes: ClassVar[tuple[str, ...]] = ()
    has_no: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = TAKES

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is one of these."""
        raise NotImplementedError

    def opened(self, source: Source, options: ReadOptions) -> OpenedFile:
        """Open a file; DataError where it is none of these, or damaged."""
        raise NotImplementedError

    def detect(self, source: Source, options: ReadOptions) -> Detection | None:
        """Claim what begins as such files do, or is called so:
        that is best explained by this loader.
        """
        if source.is_dir:
            return None
        if self.begins(source.head):
            return Detection(0.95, f"it begins as {self.begins_as}")
        suffix = "" if source.is_stream else source.path.suffix
        return (
            Detection(0.6, f"the name ends in {suffix}")
            if suffix.lower() in self.suffixes
            else None
        )

    def columns(self, source: Source, options: ReadOptions) -> Columns:
        """Say what each column is taken for; DataError where a layout's columns are not found."""
        file = self.opened(source, options)
        found = column_names.described(file.names, options, file=source.name, header=file.header)
        return dataclasses.replace(found, aside=tuple(file.aside))

    def raw(self, source: Source, options: ReadOptions) -> RawData:
        """Return the columns of a row a record as they stand there.

        DataError where a row is a rating.
        """
        file = self._read_from(source, options)
        if column_names.decide_layout(file.names, options) == "long":
            raise DataError(column_names.no_columns_to_describe(source.name))
        return file.raw()

    def load(self, source: Source, options: ReadOptions) -> RatingTable:
        """Read everything, or raise DataError with the problems found."""
        from ratingpriv.data.codebook.building import table_of

        file = self._read_from(source, options)
        long = column_names.decide_layout(file.names, options) == "long"
        with background.digest(source, file.paths) as digest:
            table = file.long() if long else table_of(file.raw(), options)
            return table.replace(origin=dataclasses.replace(table.origin, sha256=digest()))

    def _read_from(self, source: Source, options: ReadOptions) -> OpenedFile:
        refuse_given(options, self.has_no, f"{self.owners} no such thing")
        return self.opened(source, options)


def refuse_roles(options: ReadOptions) -> None:
    """Refuse what is said of columns where a row is a rating: nobody would heed it."""
    for name in ("quasi", "identifier", "carry", "keep", "codebook"):
        said = getattr(options, name)
        if name == "codebook" and said is not None and not said.columns:
            continue
        if said:
            shown = ", ".join(said) if isinstance(said, tuple) else "one"
            remedy = "write the ratings as delimited text, or one row per record"
            raise ParameterError(
                name, shown, f"no `{name}` for one row per rating in this format", remedy
            )


class TypedFile(OpenedFile):
    """A file whose long layout is read as the wide one is, all columns at once."""

    def wanted(self, file: str, *, look: bool = False) -> tuple[list[str], dict[str, str]]:
        """Return the columns to read, and those that need not be,
        each with the role it is left out by.

        ``look`` : as of :func:`ratingpriv.data.codebook.deciding.wanted`.
        """
        from ratingpriv.data.codebook.deciding import wanted

        unread: dict[str, str] = {}
        if column_names.decide_layout(self.names, self.options) == "wide":
            roles = wanted(self.names, self.options, file=file, look=look)
            unread = {name: "drop" for name, role in roles.items() if role == "drop"}
        if len(unread) == len(self.names):
            raise DataError(Problem(file, "no column that is kept", "columns with ratings"))
        return [name for name in self.names if name not in unread], unread

    def raw_of(
        self,
        read: Iterable[RawColumn],
        origin: Origin,
        records: int,
        unread: Mapping[str, str],
        locate: LocateCell,
        **details: Any,
    ) -> RawData:
        """Return the data of these columns; ``details`` are what a
        writer needs to write the like.
        """
        nulls = list(self.options.only_null or self.options.null)
        details = {"null": nulls, "columns": list(self.names), **details}
        origin = dataclasses.replace(origin, layout="wide", details=details)
        return RawData(tuple(read), records, origin, locate, tuple(unread.items()), self.names)

    def long(self) -> RatingTable:
        """Read a row a rating; nobody would heed what is said of its columns."""
        raw = self.raw()
        refuse_roles(self.options)
        return _long_table(raw, self.options)


def _cells(column: RawColumn, contents: Contents, rating: str) -> pl.Series:
    """Return a column's cells as values: the ratings as numbers if they are,
    else as they stand there.
    """
    cells = column.cells
    if column.name == rating:
        cells = contents.typed(column) if isinstance(cells, pl.Series) else contents.values(column)
    elif isinstance(cells, TextCells):
        cells = cells.texts.gather(cells.codes)
        cells = cells.set(cells == "", None)
    return cells.alias(column.name)


def _long_table(raw: RawData, options: ReadOptions) -> RatingTable:
    columns = column_names.long_columns(raw.names, options, file=raw.origin.name)
    contents = Contents(options, {})
    cells = {column.name: _cells(column, contents, columns.rating) for column in raw.columns}
    if cells[columns.rating].dtype == pl.String:
        texts = enumerate(cells[columns.rating].to_list())
        row, text = next(
            (row, text) for row, text in texts if text is not None and number(text) is None
        )
        problem = inexact_rating if numeral(text) else bad_rating
        raise DataError(problem(text, *raw.locate(row, columns.rating)))
    times = columns.timestamp if options.timed else None
    named = {"record": columns.record, "issue": columns.issue, "rating": columns.rating}
    named |= {} if times is None else {"timestamp": times}
    issues = cells[columns.issue].drop_nulls().cast(pl.String).unique().to_list()
    handling = dataclasses.replace(
        options.handling, drop=tuple(dropped_issues(options.drop, columns.dropped, issues))
    )
    table = RatingTable.of(
        from_long(
            pl.DataFrame([cells[name] for name in named.values()]),
            named,
            handling,
            name=raw.origin.name,
            locate=lambda row: raw.locate(row, columns.rating),
        )
    )
    origin = dataclasses.replace(
        table.origin,
        format=raw.origin.format,
        sha256=raw.origin.sha256,
        details={**raw.origin.details, "repeats": table.repeats},
    )
    owners = cells[columns.record]
    left_out = (cells[name] for name in columns.dropped if name in cells)
    found = (repeats_left_out(one.name, one, owners) for one in left_out if one.dtype == pl.String)
    origin = origin.repeating(*found)
    spellings = contents.spelled(
        [c for c in raw.columns if c.name == columns.rating], lambda _: "rating"
    )
    return table.replace(origin=origin.spelled(spellings))

"""The long layout of Parquet: a row a rating, read batch by batch.

A small file is gathered and handed over as coordinates. A large one is read twice: first its column of
records, to count each one's ratings, then all that is needed, every rating straight to its place in the
table: the coordinates never stand in memory together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coding import as_float, normal_ids
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.parts import Spellings
from ratingpriv_loaders.numbering import Numbering
from ratingpriv_loaders.parquet.cells import (
    NumberReader,
    as_text,
    holds_numbers,
    is_text,
    plain_series,
    value_type,
)
from ratingpriv_loaders.parquet.parts import Parts, ahead
from ratingpriv_loaders.parquet.wide import ids_of_two_kinds

STREAMED = 1 << 19
"""Rows from which on a file is streamed: below, compiled code would take longer to load than it saves."""

BATCH = 1 << 20
"""Rows of a batch."""


class LongBatch(NamedTuple):
    """The rows of a batch that name a record and an issue.

    Attributes
    ----------
    records, issues : int32 (n,); positions
    values : any number type (n,)
    rated : bool (n,), None: all
    times : physical timestamps (n,) and where they are null, or None
    rows : int64 (n,), the number of each in the data, or None: ``first``, ``first + 1``, ...
    first : the number of the batch's first row
    """

    records: NDArray[np.int32]
    issues: NDArray[np.int32]
    values: NDArray[Any]
    rated: NDArray[np.bool_] | None
    times: pl.Series | None
    rows: NDArray[np.int64] | None
    first: int

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each row in the data."""
        return np.arange(self.first, self.first + len(self.records)) if self.rows is None else self.rows


class LongReading:
    """A file being read: which column is which, the ids met so far, what is wrong."""

    def __init__(self, parts: Parts, options: ReadOptions) -> None:
        self.parts, self.options = parts, options
        self.file = parts.source.name
        self.columns = column_names.long_columns(parts.names, options, file=self.file)
        by_time = self.columns.timestamp is not None and options.duplicates in ("first", "last")
        self.streamed = parts.rows >= STREAMED and not by_time
        self.problems = Problems(options.max_problems)
        self._numbers = NumberReader(options)
        self._refuse_types()
        kinds = parts.types(self.columns.issue)
        # issues are int64 where they are whole numbers; those of uint64 may be beyond it, and become text
        self._whole_issues = all(
            pa.types.is_integer(value_type(kind)) and value_type(kind) != pa.uint64() for kind in kinds
        )
        self.record_numbers = Numbering(
            text=is_text(parts.types(self.columns.record)[0]), compiled=self.streamed
        )
        self.issue_numbers = Numbering(
            text=not self._whole_issues, listed=self._issues_listed(), compiled=self.streamed
        )
        self.times = None
        if self.columns.timestamp is not None and options.timed:
            self.times = Times(parts, self.columns.timestamp)

    def gathered_table(self) -> RatingTable:
        """Read everything into memory as coordinates."""
        gathered = list(self.coordinates(self.problems))
        record_ids = self.record_numbers.ids()
        names = self.issue_names()
        if not names:
            raise no_issues(self)
        rows = _joined([part.numbers for part in gathered])
        rated = None
        if any(part.rated is not None for part in gathered):
            rated = _joined([np.ones(len(p.records), bool) if p.rated is None else p.rated for p in gathered])
        return RatingTable.of(
            parts_from_coordinates(
                Coordinates(
                    _joined([part.records for part in gathered]),
                    _joined([part.issues for part in gathered]),
                    _joined([_as_meant(part.values, gathered) for part in gathered]),
                    lambda row: self.place(int(rows[row])),
                    rated,
                ),
                self.options.handling,
                record_ids=record_ids,
                issue_names=names,
                timestamps=None
                if self.times is None
                else self.times.joined([part.times for part in gathered]),
                dropped_columns=self.columns.dropped,
                origin=self.origin(),
                problems=self.problems,
            )
        )

    def coordinates(self, problems: Problems) -> Iterator[LongBatch]:
        """Read the rows in batches; note what is wrong with them in ``problems``."""
        columns = self.columns
        wanted = [columns.record, columns.issue, columns.rating]
        if self.times is not None:
            wanted.append(self.times.column)
        encoded = [columns.record, columns.issue]
        for first, batch in ahead(self.parts.batches(wanted, rows=BATCH, encoded=encoded)):
            yield self._coordinates_of(batch, first, problems)
            self.report(first + len(batch))

    def records_only(self) -> Iterator[NDArray[np.int32]]:
        """Read the column of records alone; -1 where there is none. Problems are left for later."""
        column = self.columns.record
        unsaid = Problems()
        for first, batch in ahead(self.parts.batches([column], rows=BATCH, encoded=[column])):
            yield self._record_positions(batch.column(column), first, unsaid)

    def report(self, rows: int) -> None:
        """Tell the progress."""
        if self.options.progress is not None:
            self.options.progress(f"reading {self.file}", rows, self.parts.rows)

    def issue_names(self) -> list[str]:
        """Return the names of the issues met so far, by position."""
        names: list[str] = self.issue_numbers.ids().cast(pl.String).to_list()
        return names

    def place(self, row: int) -> Place:
        """Say where the rating of a row (counted through all parts) stands."""
        return self.parts.place(row, self.columns.rating)

    def origin(self) -> Origin:
        """Return the Origin, without the digest."""
        return Origin(
            name=self.file,
            format="parquet",
            layout="long",
            record_name=self.columns.record,
            issue_name=self.columns.issue,
            rating_name=self.columns.rating,
            timestamp_name=self.columns.timestamp or "timestamp",
            details={"null": list(self.options.only_null or self.options.null)},
        ).spelled(Spellings.of(self._numbers.spelled()))

    def _coordinates_of(self, batch: pa.RecordBatch, first: int, problems: Problems) -> LongBatch:
        columns = self.columns
        records = self._record_positions(batch.column(columns.record), first, problems)
        issues = self.issue_numbers.positions(self._issue_ids(batch.column(columns.issue)))
        values, rated = self._numbers.read(batch.column(columns.rating))
        times = None if self.times is None else self.times.read(batch.column(self.times.column))
        rows = None
        if (len(records) and records.min() < 0) or (len(issues) and issues.min() < 0):
            nameless = issues < 0 if rated is None else (issues < 0) & rated
            self._refuse_nameless(np.flatnonzero(nameless), first, problems)
            kept = np.flatnonzero((records >= 0) & (issues >= 0))
            records, issues, values = records[kept], issues[kept], values[kept]
            rated = None if rated is None else rated[kept]
            times = None if times is None else times.gather(kept)
            rows = kept + first
        looked_at = None
        if self.options.drop:
            looked_at = ~np.isin(np.array(self.issue_names()), self.options.drop)[issues]
        rated = self._numbers.refuse_unreal(
            values,
            rated,
            looked_at,
            lambda row: self.place(first + row if rows is None else int(rows[row])),
            problems,
            decimals=pa.types.is_decimal(value_type(batch.column(columns.rating).type)),
        )
        return LongBatch(records, issues, values, rated, times, rows, first)

    def _record_positions(self, ids: pa.Array, first: int, problems: Problems) -> NDArray[np.int32]:
        """Return positions of records, -1 where the id is null or no id, which is noted."""
        kind = value_type(ids.type)
        if not ids.null_count and (is_text(kind) or (pa.types.is_integer(kind) and kind != pa.uint64())):
            return self.record_numbers.positions(ids)
        column = self.columns.record
        series = plain_series(column, ids)
        before = problems.total
        normal = normal_ids(series, problems, lambda row: self.parts.place(first + row, column), unique=False)
        if problems.total > before:  # number those that are ids, so that the rest can be checked as well
            good = series.is_not_null() & (
                True
                if series.dtype == pl.String
                else (series.is_finite() & (series.cast(pl.Int64, strict=False) == series))
            )
            normal = series.set(~good, None).cast(
                pl.String if series.dtype == pl.String else pl.Int64, strict=False
            )
        return self.record_numbers.positions(normal.to_arrow())

    def _issue_ids(self, ids: pa.Array) -> pa.Array:
        """Return issues as whole numbers if all of them are, else as text."""
        if self._whole_issues or is_text(ids.type):
            return ids
        return as_text(plain_series(self.columns.issue, ids), self.file).to_arrow()

    def _issues_listed(self) -> bool:
        """Whether the issue column is categorical with an order of its own."""
        fields = [part.schema.field(self.columns.issue) for part in self.parts.parts]
        return all(
            pa.types.is_dictionary(field.type)
            # polars writes the texts of a Categorical, which has no order, in the same way
            and not any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or {})
            for field in fields
        )

    def _refuse_nameless(self, wrong: NDArray[np.int64], first: int, problems: Problems) -> None:
        def problem(row: int) -> Problem:
            file, line, column = self.parts.place(first + row, self.columns.issue)
            return Problem(
                file, "a rating without an issue", "an issue in every row", "fill it in", line, column
            )

        problems.at(wrong, problem)

    def _refuse_types(self) -> None:
        """Refuse columns of types that can be no ids, issues or ratings."""
        parts, columns = self.parts, self.columns
        kinds = parts.types(columns.record)
        if len({is_text(kind) for kind in kinds}) > 1:
            self.problems.add(ids_of_two_kinds(parts, columns.record))
        for part, kind in zip(parts.parts, kinds, strict=True):
            plain = value_type(kind)
            if not (is_text(kind) or pa.types.is_integer(plain) or pa.types.is_floating(plain)):
                found, expected = f"record ids of type {plain}", "whole numbers or text"
                self.problems.add(
                    Problem(part.file, found, expected, "cast them to text", column=columns.record)
                )
        for part, kind in zip(parts.parts, parts.types(columns.issue), strict=True):
            plain = value_type(kind)
            named = pa.types.is_primitive(plain) and not pa.types.is_duration(plain)
            if not (is_text(kind) or named or pa.types.is_boolean(plain)):
                found = f"issues of type {plain}"
                self.problems.add(
                    Problem(part.file, found, "names or numbers", "cast them to text", column=columns.issue)
                )
        for part, kind in zip(parts.parts, parts.types(columns.rating), strict=True):
            if not holds_numbers(kind):
                found = "text" if is_text(kind) else f"ratings of type {value_type(kind)}"
                cell = ", ".join(self._examples()) if is_text(kind) else None
                remedy = "cast the column to numbers, or name the column of ratings with `rating`"
                self.problems.add(
                    Problem(part.file, found, "ratings", remedy, column=columns.rating, cell=cell)
                )
                break
        self.problems.raise_if_any()

    def _examples(self) -> list[str]:
        """Return some texts of the rating column."""
        column = self.columns.rating
        for batch in self.parts.batches([column], rows=1 << 10):
            texts = batch.columns.column(column)
            if is_text(texts.type) and texts.null_count < len(texts):
                series = plain_series(column, texts).cast(pl.String)
                examples: list[str] = series.drop_nulls().unique(maintain_order=True).head(3).to_list()
                return examples
        return []


def no_issues(reading: LongReading) -> DataError:
    """Return the error for a file in which no row names an issue."""
    if not reading.problems:
        reading.problems.add(Problem(reading.file, "no issue", "at least one issue that is not sensitive"))
    return reading.problems.error()


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _as_meant(values: NDArray[Any], parts: list[LongBatch]) -> NDArray[Any]:
    """Return float32 ratings as the decimals they were meant to be if other parts are of another type."""
    mixed = len({part.values.dtype for part in parts}) > 1
    if not mixed or values.dtype.kind != "f" or values.dtype.itemsize == 8:
        return values
    finite = np.where(np.isfinite(values), values, values.dtype.type(0))
    return as_float(finite)


class Times:
    """The timestamp column of all parts: whole numbers, floats, dates or instants, of one kind.

    Raises
    ------
    DataError
        It is of another type, or not of one kind in all parts.
    """

    def __init__(self, parts: Parts, column: str) -> None:
        self.column = column
        kinds = [_series_type(kind) for kind in parts.types(column)]
        for part, kind in zip(parts.parts, kinds, strict=True):
            if not (kind.is_numeric() or kind.is_temporal()) or kind in (pl.Time, pl.Duration):
                found, expected = (
                    f"timestamps of type {kind}",
                    "whole numbers (unix seconds), dates or instants",
                )
                remedy = "cast them, or name another column with `timestamp`"
                raise DataError(Problem(part.file, found, expected, remedy, column=column))
            if kind != kinds[0] and not (kind.is_integer() and kinds[0].is_integer()):
                found, expected = f"timestamps of type {kind}", f"{kinds[0]}, as in {parts.parts[0].file}"
                raise DataError(Problem(part.file, found, expected, "cast them to one type", column=column))
        self.kind: pl.DataType = kinds[0]
        if self.kind.is_integer() and any(kind not in (pl.Int8, pl.Int16, pl.Int32) for kind in kinds):
            self.kind = pl.Int64()
        elif self.kind.is_integer():
            self.kind = pl.Int32()

    def read(self, array: pa.Array) -> pl.Series:
        """Return a batch of timestamps."""
        return plain_series(self.column, array).cast(self.kind)

    def joined(self, pieces: list[pl.Series | None]) -> pl.Series:
        """Return batches as one series."""
        return pl.concat([piece for piece in pieces if piece is not None])

    @property
    def physical(self) -> np.dtype[Any]:
        """The type of whole number that holds a timestamp."""
        return np.dtype(np.int32 if self.kind in (pl.Int32, pl.Date, pl.Float32) else np.int64)

    def packed(self, times: pl.Series) -> NDArray[Any]:
        """Return timestamps as whole numbers; the smallest one there is stands for null."""
        numbers = times.to_physical().to_numpy() if not times.null_count() else None
        if numbers is None:
            numbers = times.to_physical().fill_null(0).to_numpy()
            numbers = numbers.view(self.physical).copy()
            numbers[times.is_null().to_numpy()] = np.iinfo(self.physical).min
        return numbers.view(self.physical)

    def unpacked(self, numbers: NDArray[Any]) -> pl.Series:
        """Turn :meth:`packed` numbers back."""
        null = numbers == np.iinfo(self.physical).min
        if self.kind.is_float():
            numbers = numbers.view(np.float64 if self.physical.itemsize == 8 else np.float32)
        series = pl.Series(self.column, numbers).cast(self.kind)
        return series.set(pl.Series(null), None) if null.any() else series


def _series_type(kind: pa.DataType) -> pl.DataType:
    return pl.Series(pa.array([], type=value_type(kind))).dtype

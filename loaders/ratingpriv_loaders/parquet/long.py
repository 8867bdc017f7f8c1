"""The long layout of Parquet: a row a rating, read batch by batch.

A small file is gathered and handed over as coordinates. A large one is read twice: first its column
of records, to count each one's ratings, then all that is needed, every rating straight to its place
in the table: the coordinates never stand in memory together.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.codebook.recognition.one_person import repeats_left_out
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import Origin, RatingTable
from ratingpriv.data.table.building.coding import (
    StreamedRows,
    as_float,
    normal_ids,
    repeats,
    without,
)
from ratingpriv.data.table.building.coordinates import (
    Coordinates,
    RepeatedPairs,
    parts_from_coordinates,
    refuse_secret,
    resolve_repeated,
)
from ratingpriv.data.table.building.finishing import dropped_issues, finished, issue_roles
from ratingpriv.data.table.building.problems import Place, Problems
from ratingpriv.data.table.building.spelling import Repeats
from ratingpriv.data.table.parts import Spellings
from ratingpriv_loaders.background import passed_on
from ratingpriv_loaders.numbering import Numbering
from ratingpriv_loaders.parquet.cells import (
    NumberReader,
    as_text,
    holds_numbers,
    is_text,
    plain_series,
    value_type,
)
from ratingpriv_loaders.parquet.file import ParquetParts
from ratingpriv_loaders.wide_or_long import columns_only, refuse_roles

STREAMED = 1 << 19
"""Rows from which on a file is streamed: below, compiled code would take longer to load than it
saves.
"""

BATCH = 1 << 20
"""Rows of a batch."""

_KEPT, _DROPPED = -1, -2  # what becomes of an issue; sensitive ones have their number among those


class ParquetFile(ParquetParts):
    """The files of a source, read as either layout."""

    def long(self) -> RatingTable:
        """Read a row a rating."""
        refuse_roles(self.options)
        if not self.rows:
            raise columns_only(self.source.name, self.names)
        return read_long(self)


def read_long(parts: ParquetParts) -> RatingTable:
    """Read a row a rating: few rows are gathered, many are streamed into their places."""
    reading = LongReading(parts, parts.options)
    table = _streamed(reading) if reading.streamed else _gathered(reading)
    found = map(reading.repeats, reading.columns.dropped)
    return table.replace(origin=table.origin.repeating(*found))


class LongReading:
    """A file being read: which column is which, the ids met so far, what is wrong."""

    def __init__(self, parts: ParquetParts, options: ReadOptions) -> None:
        self.parts, self.options = parts, options
        self.file = parts.source.name
        self.columns = column_names.long_columns(parts.names, options, file=self.file)
        by_time = self.columns.timestamp is not None and options.duplicates in ("first", "last")
        self.streamed = parts.rows >= STREAMED and not by_time
        self.problems = Problems(options.max_problems)
        self._numbers = NumberReader(options)
        self._refuse_types()
        kinds = [value_type(kind) for kind in parts.types(self.columns.issue)]
        # issues are int64 where they are whole numbers; those of uint64 may be beyond it, and
        # become text
        self._whole_issues = all(
            pa.types.is_integer(kind) and kind != pa.uint64() for kind in kinds
        )
        fields = [part.schema.field(self.columns.issue) for part in parts.parts]
        listed = all(  # categorical with an order of its own
            pa.types.is_dictionary(field.type)
            # polars writes the texts of a Categorical, which has no order, in the same way
            and not any(key.startswith(b"_PL_CATEGORICAL") for key in field.metadata or {})
            for field in fields
        )
        text = is_text(parts.types(self.columns.record)[0])
        self.record_numbers = Numbering(text=text, compiled=self.streamed)
        self.issue_numbers = Numbering(
            text=not self._whole_issues, listed=listed, compiled=self.streamed
        )
        self.times = None
        if self.columns.timestamp is not None and options.timed:
            self.times = Times(parts, self.columns.timestamp)

    def coordinates(self, problems: Problems) -> Iterator[Coordinates]:
        """Read the rows in batches; note what is wrong with them in ``problems``."""
        columns = self.columns
        wanted = [columns.record, columns.issue, columns.rating]
        if self.times is not None:
            wanted.append(self.times.column)
        encoded = [columns.record, columns.issue]
        for first, batch in passed_on(self.parts.batches(wanted, rows=BATCH, encoded=encoded)):
            yield self._coordinates_of(batch, first, problems)
            if self.options.progress is not None:
                self.options.progress(f"reading {self.file}", first + len(batch), self.parts.rows)

    def records_only(self) -> Iterator[NDArray[np.int32]]:
        """Read the column of records alone; -1 where there is none. Problems are left for later."""
        column = self.columns.record
        unsaid = Problems()
        for first, batch in passed_on(self.parts.batches([column], rows=BATCH, encoded=[column])):
            yield self._record_positions(batch.column(column), first, unsaid)

    def repeats(self, column: str) -> Repeats | None:
        """Return what several records share in a column that was left out,
        if it is text that can be read.
        """
        if not is_text(self.parts.types(column)[0]):
            return None
        pairs: list[pl.DataFrame] = []
        with contextlib.suppress(DataError):
            for first, batch in self.parts.batches([self.columns.record, column], rows=BATCH):
                owners = self._record_positions(
                    batch.column(self.columns.record), first, Problems()
                )
                values = plain_series(column, batch.column(column)).cast(pl.String)
                pairs.append(pl.DataFrame({"of": owners, "value": values}).unique())
            together = pl.concat(pairs).unique()
            return repeats_left_out(column, together["value"], together["of"])
        return None

    def issue_names(self) -> list[str]:
        """Return the names of the issues met so far, by position."""
        names: list[str] = self.issue_numbers.ids().cast(pl.String).to_list()
        return names

    def all_issue_names(self) -> list[str]:
        """Return the names of the issues, all rows being read; DataError where no row names one."""
        if not (names := self.issue_names()):
            if not self.problems:
                self.problems.add(
                    Problem(self.file, "no item", "at least one item that is not sensitive")
                )
            raise self.problems.error()
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

    def _coordinates_of(self, batch: pa.RecordBatch, first: int, problems: Problems) -> Coordinates:
        columns, ids = self.columns, batch.column(self.columns.issue)
        records = self._record_positions(batch.column(columns.record), first, problems)
        if not (self._whole_issues or is_text(ids.type)):
            issues = self.issue_numbers.positions(
                as_text(plain_series(columns.issue, ids), self.file)
            )
        else:
            issues = _positions(self.issue_numbers, ids)
        values, rated = self._numbers.read(batch.column(columns.rating))
        times = None if self.times is None else self.times.read(batch.column(self.times.column))
        numbers = np.arange(first, first + len(records))
        read = Coordinates(records, issues, values, self.place, rated, numbers, times)
        if (len(records) and records.min() < 0) or (len(issues) and issues.min() < 0):

            def nameless(row: int) -> Problem:
                file, line, column = self.parts.place(first + row, columns.issue)
                found, expected = "a rating without an item", "an item in every row"
                return Problem(file, found, expected, "fill it in", line, column)

            problems.at(
                np.flatnonzero(issues < 0 if rated is None else (issues < 0) & rated), nameless
            )
            read = read.taken(np.flatnonzero((records >= 0) & (issues >= 0)), issues)
        looked_at = None
        if self.options.drop:
            looked_at = ~np.isin(np.array(self.issue_names()), self.options.drop)[read.issues]
        rated = self._numbers.refuse_unreal(
            read.values,
            read.rated,
            looked_at,
            read.place,
            problems,
            decimals=pa.types.is_decimal(value_type(batch.column(columns.rating).type)),
        )
        return dataclasses.replace(read, rated=rated)

    def _record_positions(self, ids: pa.Array, first: int, problems: Problems) -> NDArray[np.int32]:
        """Return positions of records, -1 where the id is null or no id, which is noted."""
        kind = value_type(ids.type)
        if not ids.null_count and (
            is_text(kind) or (pa.types.is_integer(kind) and kind != pa.uint64())
        ):
            return _positions(self.record_numbers, ids)
        column = self.columns.record
        series = plain_series(column, ids)
        before = problems.total
        normal = normal_ids(
            series, problems, lambda row: self.parts.place(first + row, column), unique=False
        )
        # number those that are ids, so that the rest can be checked as well
        if problems.total > before:
            text = series.dtype == pl.String
            whole = text or (series.is_finite() & (series.cast(pl.Int64, strict=False) == series))
            normal = series.set(~(series.is_not_null() & whole), None)
            normal = normal.cast(pl.String if text else pl.Int64, strict=False)
        return self.record_numbers.positions(normal)

    def _refuse_types(self) -> None:
        """Refuse columns of types that can be no ids, issues or ratings."""
        parts, columns, note = self.parts, self.columns, self.problems.add
        kinds = parts.types(columns.record)
        if len({is_text(kind) for kind in kinds}) > 1:
            note(parts.of_two_kinds(columns.record))
        for column, taken, what, expected in (
            (columns.record, _may_be_id, "record ids", "whole numbers or text"),
            (columns.issue, _may_be_name, "issues", "names or numbers"),
        ):
            for part, kind in zip(parts.parts, map(value_type, parts.types(column)), strict=True):
                if not (is_text(kind) or taken(kind)):
                    finding = f"{what} of type {kind}"
                    note(Problem(part.file, finding, expected, "cast them to text", column=column))
        for part, kind in zip(parts.parts, parts.types(columns.rating), strict=True):
            if not holds_numbers(kind):
                finding = "text" if is_text(kind) else f"ratings of type {value_type(kind)}"
                remedy = "cast the column to numbers, or name the column of ratings with `rating`"
                note(Problem(part.file, finding, "ratings", remedy, column=columns.rating))
                break
        self.problems.raise_if_any()


def _positions(numbers: Numbering, ids: pa.Array) -> NDArray[np.int32]:
    """Return the positions of ids as the file has them: of a dictionary, or plain."""
    if not pa.types.is_dictionary(ids.type):
        return numbers.positions(pl.Series(ids))
    codes = pl.Series(ids.indices).cast(pl.Int64).fill_null(-1).to_numpy()
    return numbers.labelled(ids.dictionary.to_pylist(), codes)


def _may_be_id(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _may_be_name(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_primitive(kind) and not pa.types.is_duration(kind)
    ) or pa.types.is_boolean(kind)


def _gathered(reading: LongReading) -> RatingTable:
    batches = list(reading.coordinates(reading.problems))
    names = reading.all_issue_names()
    ratings = _joined(batches, reading)
    times = [batch.times for batch in batches if batch.times is not None]
    return RatingTable.of(
        parts_from_coordinates(
            # timestamps are by the position among the rows that name a record and an issue
            dataclasses.replace(ratings, numbers=None, locate=ratings.place),
            reading.options.handling,
            record_ids=reading.record_numbers.ids(),
            issue_names=names,
            timestamps=pl.concat(times) if times else None,
            dropped_columns=reading.columns.dropped,
            origin=reading.origin(),
            problems=reading.problems,
        )
    )


def _joined(batches: list[Coordinates], reading: LongReading) -> Coordinates:
    """Return batches as coordinates; float32 as the decimals they were meant to be,
    where types differ.
    """
    nothing = np.empty(0, np.int64)
    batches = batches or [
        Coordinates(nothing, nothing, np.empty(0), reading.place, numbers=nothing)
    ]
    rated = [np.ones(len(one.records), bool) if one.rated is None else one.rated for one in batches]
    values = [
        np.where(there, batch.values, batch.values.dtype.type(0))
        for batch, there in zip(batches, rated, strict=True)
    ]
    if len({part.dtype for part in values}) > 1:
        values = [as_float(part) if part.dtype.kind == "f" else part for part in values]
    return Coordinates(
        np.concatenate([batch.records for batch in batches]),
        np.concatenate([batch.issues for batch in batches]),
        np.concatenate(values),
        reading.place,
        None if all(batch.rated is None for batch in batches) else np.concatenate(rated),
        np.concatenate([batch.numbers for batch in batches]),
    )


def _streamed(reading: LongReading) -> RatingTable:
    """Read a large file: count the ratings of each record, then put them in their places."""
    options, problems, times = reading.options, reading.problems, reading.times
    builder, aside = _placed(reading)
    record_ids, names = reading.record_numbers.ids(), reading.all_issue_names()
    unwanted = dropped_issues(options.drop, reading.columns.dropped, names)
    roles = issue_roles(names, options.sensitive, unwanted, reading.file)
    secret = {}
    for name in (names[issue] for issue in roles.sensitive):
        part = _joined(aside[name], reading)
        secret[name] = dataclasses.replace(part, issues=np.zeros_like(part.issues))
    refuse_secret(secret, options.handling, record_ids, problems)
    rows, levels, extra, again = builder.finish(len(names))
    # read the file again to find the lines of repeated pairs
    if again and options.duplicates == "refuse":
        pairs = RepeatedPairs(rows, repeats(rows), record_ids, names)
        for batch in reading.coordinates(Problems()):
            if pairs.note(batch, problems):
                break
    problems.raise_if_any()
    if again:
        ordered = extra is not None
        rows, levels = resolve_repeated(
            rows, repeats(rows), levels, options.duplicates, ordered=ordered
        )
        rows = without(rows, rows.codes == len(levels), ordered=ordered)
        extra = extra if extra is None or rows.order is None else extra[rows.order]
    if len(roles.kept) < len(names):
        place_of = np.full(len(names), -1, dtype=np.int32)
        place_of[roles.kept] = np.arange(len(roles.kept), dtype=np.int32)
        for at in range(0, len(rows.indices), BATCH):
            rows.indices[at : at + BATCH] = place_of[rows.indices[at : at + BATCH]]
    origin = reading.origin()
    parts = finished(
        rows,
        levels,
        options.handling,
        record_ids=record_ids,
        issues=[names[issue] for issue in roles.kept],
        sensitive=tuple(
            part.sensitive_column(name, len(record_ids), options.duplicates)
            for name, part in secret.items()
        ),
        origin=origin,
        names=names,
    )
    if times is not None and extra is not None:
        parts = parts.replace(timestamps=times.unpacked(extra).alias(origin.timestamp_name))
    return RatingTable.of(parts)


def _placed(reading: LongReading) -> tuple[StreamedRows, dict[str, list[Coordinates]]]:
    """Return the ratings, each among its record's, and the rows of sensitive issues,
    which are set aside.
    """
    options, times, scale = reading.options, reading.times, reading.options.scale
    lengths = np.zeros(0, dtype=np.int64)
    for positions in reading.records_only():
        if len(positions) and positions.min() < 0:
            positions = positions[positions >= 0]
        counts = np.bincount(positions, minlength=len(reading.record_numbers))
        counts[: len(lengths)] += lengths
        lengths = counts
    builder = StreamedRows(lengths, None if times is None else times.physical)
    aside: dict[str, list[Coordinates]] = {name: [] for name in options.sensitive}
    fate_of = dict.fromkeys(options.drop, _DROPPED) | {
        name: number for number, name in enumerate(aside)
    }
    fates = np.empty(0, dtype=np.int32)  # by issue
    for batch in reading.coordinates(reading.problems):
        if fate_of:
            if len(reading.issue_numbers) > len(fates):
                fates = np.array(
                    [fate_of.get(name, _KEPT) for name in reading.issue_names()], dtype=np.int32
                )
            fate = fates[batch.issues]
            for number, batches in enumerate(aside.values()):
                if len(rows := np.flatnonzero(fate == number)):
                    batches.append(dataclasses.replace(batch.taken(rows, batch.issues), times=None))
            batch = batch.taken(np.flatnonzero(fate == _KEPT), batch.issues)
        if scale is not None:
            batch.refuse_off_scale(scale, reading.problems)
        packed = None if times is None or batch.times is None else times.packed(batch.times)
        builder.add(batch.records, batch.issues, batch.values, batch.rated, packed)
    return builder, aside


class Times:
    """The timestamp column of all parts: whole numbers, floats, dates or instants, of one kind.

    DataError where it is of another type, or not of one kind in all parts.
    """

    def __init__(self, parts: ParquetParts, column: str) -> None:
        self.column = column
        kinds = [
            pl.Series(pa.array([], type=value_type(kind))).dtype for kind in parts.types(column)
        ]
        whole = all(kind.is_integer() for kind in kinds)
        for part, kind in zip(parts.parts, kinds, strict=True):
            found, expected = (
                f"timestamps of type {kind}",
                f"{kinds[0]}, as in {parts.parts[0].file}",
            )
            remedy = "cast them to one type"
            if not (kind.is_numeric() or kind.is_temporal()) or kind in (pl.Time, pl.Duration):
                expected = "whole numbers (unix seconds), dates or instants"
                remedy = "cast them, or name another column with `timestamp`"
            elif kind == kinds[0] or whole:
                continue
            raise DataError(Problem(part.file, found, expected, remedy, column=column))
        small = whole and all(kind in (pl.Int8, pl.Int16, pl.Int32) for kind in kinds)
        self.kind: Any = pl.Int32() if small else pl.Int64() if whole else kinds[0]

    def read(self, array: pa.Array) -> pl.Series:
        """Return a batch of timestamps."""
        return plain_series(self.column, array).cast(self.kind)

    @property
    def physical(self) -> np.dtype[Any]:
        """The type of whole number that holds a timestamp."""
        return np.dtype(np.int32 if self.kind in (pl.Int32, pl.Date, pl.Float32) else np.int64)

    def packed(self, times: pl.Series) -> NDArray[Any]:
        """Return timestamps as whole numbers; the smallest one there is stands for null."""
        if not times.null_count():
            return times.to_physical().to_numpy().view(self.physical)
        numbers = times.to_physical().fill_null(0).to_numpy().view(self.physical).copy()
        numbers[times.is_null().to_numpy()] = np.iinfo(self.physical).min
        return numbers

    def unpacked(self, numbers: NDArray[Any]) -> pl.Series:
        """Turn :meth:`packed` numbers back."""
        null = numbers == np.iinfo(self.physical).min
        if self.kind.is_float():
            numbers = numbers.view(np.float64 if self.physical.itemsize == 8 else np.float32)
        series = pl.Series(self.column, numbers).cast(self.kind)
        return series.set(pl.Series(null), None) if null.any() else series

"""A large long file becomes a table: ratings counted in one reading, put in their places in another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import Rows, as_float, repeats, without
from ratingpriv.data.table.building.coordinates import (
    Coordinates,
    RepeatedPairs,
    refuse_secret,
    resolve_repeated,
)
from ratingpriv.data.table.building.finishing import dropped_issues, finished, issue_roles
from ratingpriv.data.table.building.problems import Problems, off_scale, off_scale_problem
from ratingpriv.data.table.building.streaming_rows import StreamedRows
from ratingpriv_loaders.parquet.long import LongBatch, LongReading, no_issues

_KEPT, _DROPPED = -1, -2  # what becomes of an issue; sensitive ones have their number among those


def streamed_table(reading: LongReading) -> RatingTable:
    """Read a large file."""
    return _Streaming(reading).table()


class _Streaming:
    """The two readings of one file, and what is collected on the way."""

    def __init__(self, reading: LongReading) -> None:
        self.reading, self.options, self.problems = reading, reading.options, reading.problems
        self._sensitive: list[list[LongBatch]] = [[] for _ in dict.fromkeys(self.options.sensitive)]
        self._fates = np.empty(0, dtype=np.int32)  # by issue
        self._all_kept = not (self.options.sensitive or self.options.drop)

    def table(self) -> RatingTable:
        reading, options = self.reading, self.options
        times = reading.times
        builder = StreamedRows(self._lengths(), None if times is None else times.physical)
        for batch in reading.coordinates(self.problems):
            kept = self._kept(batch)
            rated = self._on_scale(kept)
            packed = None if times is None or kept.times is None else times.packed(kept.times)
            builder.add(kept.records, kept.issues, kept.values, rated, packed)
        record_ids, names = reading.record_numbers.ids(), reading.issue_names()
        if not names:
            raise no_issues(reading)
        unwanted = dropped_issues(options.drop, reading.columns.dropped, names)
        roles = issue_roles(names, options.sensitive, unwanted, reading.file)
        refuse = options.duplicates == "refuse"
        secret = {
            names[place]: self._sensitive_part(parts)
            for place, parts in zip(roles.sensitive, self._sensitive, strict=True)
        }
        refuse_secret(secret, options.handling, record_ids, self.problems)
        rows, levels, extra, again = builder.finish(len(names))
        if again and refuse:
            self._refuse_repeated(rows, record_ids, names)
        self.problems.raise_if_any()
        if again:
            ordered = extra is not None
            rows, levels = resolve_repeated(rows, repeats(rows), levels, options.duplicates, ordered=ordered)
            rows = without(rows, rows.codes == len(levels), ordered=ordered)
            extra = extra if extra is None or rows.order is None else extra[rows.order]
        if len(roles.kept) < len(names):
            place_of = np.full(len(names), -1, dtype=np.int32)
            place_of[roles.kept] = np.arange(len(roles.kept), dtype=np.int32)
            rows = dataclasses.replace(rows, indices=_renumbered(rows.indices, place_of))
        origin = reading.origin()
        parts = finished(
            rows,
            levels,
            options.handling,
            record_ids=record_ids,
            issues=[names[place] for place in roles.kept],
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

    def _lengths(self) -> NDArray[np.int64]:
        """Count the rows of each record."""
        lengths = np.zeros(0, dtype=np.int64)
        for positions in self.reading.records_only():
            known = len(self.reading.record_numbers)
            if len(positions) and positions.min() < 0:
                positions = positions[positions >= 0]
            counts = np.bincount(positions, minlength=known)
            counts[: len(lengths)] += lengths
            lengths = counts
        return lengths

    def _kept(self, batch: LongBatch) -> LongBatch:
        """Set the rows of sensitive issues aside and return those that are kept."""
        if self._all_kept:
            return batch
        if len(self.reading.issue_numbers) > len(self._fates):
            self._fates = self._decided(self.reading.issue_names())
        fates = self._fates[batch.issues]
        for number, parts in enumerate(self._sensitive):
            here = np.flatnonzero(fates == number)
            if len(here):
                parts.append(_some(batch, here)._replace(times=None))
        return _some(batch, np.flatnonzero(fates == _KEPT))

    def _decided(self, names: Sequence[str]) -> NDArray[np.int32]:
        number_of = {name: number for number, name in enumerate(dict.fromkeys(self.options.sensitive))}
        dropped = dict.fromkeys(self.options.drop, _DROPPED)
        fates = [number_of.get(name, dropped.get(name, _KEPT)) for name in names]
        return np.array(fates, dtype=np.int32)

    def _on_scale(self, batch: LongBatch) -> NDArray[np.bool_] | None:
        """Note ratings off the declared scale; return which rows are rated."""
        scale = self.options.scale
        if scale is not None:
            wrong = off_scale(batch.values, scale)
            wrong = wrong if batch.rated is None else wrong & batch.rated
            self.problems.at(
                np.flatnonzero(wrong),
                lambda row: off_scale_problem(
                    batch.values[row], scale, self.reading.place(int(batch.numbers[row]))
                ),
            )
        return batch.rated

    def _sensitive_part(self, parts: list[LongBatch]) -> Coordinates:
        """Return the rows of a sensitive issue as coordinates of one issue."""
        records = np.concatenate([part.records for part in parts] or [np.empty(0, np.int32)])
        rated = [np.ones(len(part.records), bool) if part.rated is None else part.rated for part in parts]
        return Coordinates(
            records,
            np.zeros(len(records), dtype=np.int32),
            np.concatenate([_as_float(part) for part in parts] or [np.empty(0)]),
            self.reading.place,
            np.concatenate(rated or [np.empty(0, bool)]),
            np.concatenate([part.numbers for part in parts] or [np.empty(0, np.int64)]),
        )

    def _refuse_repeated(self, rows: Rows, record_ids: pl.Series, names: list[str]) -> None:
        """Note duplicated (record, issue) pairs: read the file again to find their lines."""
        pairs = RepeatedPairs(rows, repeats(rows), record_ids, names, self.reading.place)
        for batch in self.reading.coordinates(Problems()):
            if pairs.note(batch.records, batch.issues, batch.numbers, self.problems):
                return


def _some(batch: LongBatch, here: NDArray[np.int64]) -> LongBatch:
    return LongBatch(
        batch.records[here],
        batch.issues[here],
        batch.values[here],
        None if batch.rated is None else batch.rated[here],
        None if batch.times is None else batch.times.gather(here),
        batch.numbers[here],
        batch.first,
    )


def _as_float(batch: LongBatch) -> NDArray[np.float64]:
    known = (
        batch.values
        if batch.rated is None
        else np.where(batch.rated, batch.values, batch.values.dtype.type(0))
    )
    return as_float(known)


def _renumbered(indices: NDArray[np.int32], place_of: NDArray[np.int32]) -> NDArray[np.int32]:
    for at in range(0, len(indices), 1 << 22):
        indices[at : at + (1 << 22)] = place_of[indices[at : at + (1 << 22)]]
    return indices

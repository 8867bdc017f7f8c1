"""Writing MovieLens's layouts: ``u.data`` (tabs), ``ratings.dat`` (``::``), ``ratings.csv``."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import polars as pl

from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.formats.writing import (
    Rereading,
    UnwritableError,
    WriteOptions,
    refuse_columns_beside_ratings,
    scale_of,
)
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import full_order
from ratingpriv.data.table.building.long_rows import LongRows
from ratingpriv_loaders.text.composing import number_texts
from ratingpriv_loaders.text.writer import Dialect, write_long

_KINDS = {"\t": (False, 1.0), "::": (False, 0.5), ",": (True, 0.5)}
"""Delimiter: whether there is a header, and the step between ratings."""

_NUMBER = r"^[1-9][0-9]*$"
_EARLIEST, _LATEST = 100_000_000, 9_999_999_999  # nine or ten digits of unix time


class MovieLensWriter:
    """Writes user, movie, rating and unix time as the input had them (else as ``ratings.csv``)."""

    name = "movielens"
    description = "MovieLens: user, movie, rating and unix time, as u.data, ratings.dat or ratings.csv"
    states = ("scale",)

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError if it holds what MovieLens's files do not."""
        if options.layout == "wide":
            raise UnwritableError("layout", "wide", "long, which MovieLens's files are")
        delimiter = str(table.origin.details.get("delimiter", ","))
        if table.origin.format != self.name or delimiter not in _KINDS:
            delimiter = ","
        header, step = _KINDS[delimiter]
        refuse_columns_beside_ratings(table)
        rows = LongRows(table, full_order(table))
        if what := _without_place(table, rows, step):
            expected = "user and movie numbers, a rating and a unix time in every line, as MovieLens has"
            raise UnwritableError("format", what, expected, "write it as delimited")
        texts = number_texts(rows.levels)
        if delimiter == ",":
            texts = [f"{level:.1f}" for level in rows.levels.tolist()]
        origin = dataclasses.replace(
            table.origin,
            record_name="userId",
            issue_name="movieId",
            rating_name="rating",
            timestamp_name="timestamp",
        )
        dialect = Dialect(delimiter, "utf-8", header, "", ())
        name = options.name or path.name
        write_long(table.replace(origin=origin), path, name, dialect, rating_texts=texts, progress=progress)
        return Rereading(self.name, ReadOptions(scale=scale_of(table)))


def _without_place(table: RatingTable, rows: LongRows, step: float) -> str:
    """Return what no line of user, movie, rating up to 5 and unix time has a place for; empty: nothing."""
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
        return "issues that are no numbers"
    if np.any((rows.levels < smallest) | (rows.levels > 5) | (rows.levels % step != 0)):
        return f"ratings that are no multiples of {step:g} up to 5"
    return ""

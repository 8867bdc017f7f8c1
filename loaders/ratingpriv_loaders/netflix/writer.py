"""Writing the Netflix Prize's layout: ``movie:`` lines, ``customer,rating,YYYY-MM-DD`` lines below each."""

from __future__ import annotations

import datetime
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
    sensitive_scales_of,
)
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.text.composing import open_packed, time_texts

_RECORD = r"^(0|[1-9][0-9]{0,8})$"
_MOVIE = r"^[0-9]{1,9}$"
_EARLIEST, _LATEST = datetime.date(1970, 1, 1), datetime.date(2148, 12, 31)


class NetflixWriter:
    """Writes one file as ``combined_data_*.txt``: movies by number, their customers in the table's order."""

    name = "netflix"
    description = "Netflix Prize: a line 'movie:', lines 'customer,rating,date' below"
    states = ("scale",)

    def write(
        self, table: RatingTable, path: Path, options: WriteOptions, progress: Progress | None = None
    ) -> Rereading:
        """Write ``table`` to ``path``; UnwritableError if it holds something that this layout does not."""
        if options.layout == "wide":
            raise UnwritableError("layout", "wide", "long, which Netflix's files are")
        refuse_columns_beside_ratings(table)
        times = table.timestamps
        if what := _without_place(table):
            expected = "a movie's number, and a customer's number, a whole rating and a date in every line"
            raise UnwritableError("format", what, expected, "write it as delimited")
        name = options.name or path.name
        owners = np.repeat(np.arange(table.n_records, dtype=np.int32), np.diff(table.indptr))
        by_issue = np.argsort(table.indices, kind="stable")
        bounds = np.concatenate(([0], np.cumsum(np.bincount(table.indices, minlength=table.n_issues))))
        ids = table.record_ids.cast(pl.String)
        ratings = pl.Series([str(int(level)) for level in table.levels.tolist()], dtype=pl.String)
        order = sorted(range(table.n_issues), key=lambda issue: int(table.issues[issue]))
        with open_packed(path, name) as file:
            for number, issue in enumerate(order, 1):
                entries = by_issue[bounds[issue] : bounds[issue + 1]]
                if times is None or len(entries) == 0:
                    continue
                lines = pl.DataFrame(
                    {
                        "customer": ids.gather(owners[entries]),
                        "rating": ratings.gather(table.codes[entries].astype(np.uint32)),
                        "date": time_texts(times.gather(entries)),
                    }
                ).select(pl.concat_str(pl.all(), separator=","))
                file.write(f"{table.issues[issue]}:\n".encode())
                file.write(("\n".join(lines.to_series().to_list()) + "\n").encode())
                if progress is not None:
                    progress(f"writing {name}", number, len(order))
        said = ReadOptions(scale=scale_of(table), sensitive_scale=sensitive_scales_of(table))
        return Rereading(self.name, said)


def _without_place(table: RatingTable) -> str:
    """Return what the layout has no place for; empty: nothing."""
    times, levels = table.timestamps, table.levels
    issues = pl.Series(table.issues, dtype=pl.String)
    rated = np.bincount(table.indices, minlength=table.n_issues) > 0
    if times is None or times.null_count() or table.sensitive:
        return "ratings without a date"
    if times.dtype != pl.Date or not times.is_between(_EARLIEST, _LATEST).all():
        return "times that are no dates of 1970 or later"
    if not rated.all() or not bool(np.all(np.diff(table.indptr) > 0)):
        return "records or movies without a rating"
    if not bool(table.record_ids.cast(pl.String).str.contains(_RECORD).all()):
        return "record ids that are no numbers"
    if not bool(issues.str.contains(_MOVIE).all()) or issues.cast(pl.Int64).n_unique() < len(issues):
        return "issues that are no numbers"
    if np.any((levels < 0) | (levels > 255) | (levels != np.floor(levels))):
        return "ratings that are no whole numbers from 0 to 255"
    return ""

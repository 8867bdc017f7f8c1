"""Timestamps as days since 1970-01-01, whatever the data had: unix seconds, dates, instants,
ISO text.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.table import RatingTable

INSTANT = 1e-9
"""Days, a tenth of a millisecond: differences of instants are compared with so much more than the
tolerance, because float64 rounds them.
"""

_SECONDS = 86_400
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def has_dates(table: RatingTable) -> bool:
    """Whether a table has any date."""
    return table.timestamps is not None and table.timestamps.null_count() < len(table.timestamps)


def timestamps_of(table: RatingTable) -> pl.Series:
    """Return the table's timestamps; ParameterError where it has none, or none that is not null."""
    stamps = table.timestamps
    if stamps is None or stamps.null_count() == len(stamps) or stamps.dtype == pl.Null:
        remedy = "leave dates out, or name the column of timestamps when the data is read"
        raise ParameterError(
            "dates", f"{table.origin.name} without timestamps", "ratings with dates", remedy
        )
    return stamps


def dates_of(table: RatingTable) -> NDArray[np.float64]:
    """Return the date of every rating, float64 (n_ratings,).

    ParameterError where the table has none.
    """
    return days_of(timestamps_of(table), table.origin.name)


def days_of(stamps: pl.Series, name: str = "table") -> NDArray[np.float64]:
    """Return any series of timestamps as days since 1970-01-01, float64, NaN where null.

    Numbers are unix seconds (or milli-, micro-, nanoseconds, by their size) and instants keep their
    time of day, both as fractions of a day. DataError where they are of another kind, or a text is
    no ISO date.
    """
    kind = stamps.dtype
    if kind == pl.String:
        text = stamps
        stamps = text.str.to_datetime("%+", time_unit="us", time_zone="UTC", strict=False)
        for pattern in ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"):
            if stamps.null_count() > text.null_count():
                read = text.str.to_datetime(
                    pattern, time_unit="us", strict=False
                ).dt.replace_time_zone("UTC")
                stamps = pl.select(pl.coalesce(stamps, read)).to_series()
        if stamps.null_count() > text.null_count():
            day = text.str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us"))
            stamps = pl.select(pl.coalesce(stamps, day.dt.replace_time_zone("UTC"))).to_series()
        if stamps.null_count() > text.null_count():
            bad = text.filter(stamps.is_null() & text.is_not_null())[0]
            raise DataError(
                Problem(name, f"the timestamp {bad!r}", "an ISO date such as 2005-09-06")
            )
        kind = stamps.dtype
    if kind == pl.Date:
        per_day = 1
    elif isinstance(kind, pl.Datetime):
        per_day = _PER_DAY[kind.time_unit]
    elif kind.is_numeric():
        # seconds reach 10**11 in the year 5138; milliseconds did in 1973, and so on a thousand
        # times further
        largest = stamps.cast(pl.Float64).abs().drop_nans().max()
        size = float(largest) if isinstance(largest, int | float) else 0.0
        units = (("ns", 1e17), ("us", 1e14), ("ms", 1e11))
        per_day = next((_PER_DAY[unit] for unit, least in units if size >= least), _SECONDS)
    else:
        raise DataError(
            Problem(name, f"timestamps of type {kind}", "unix seconds, dates or instants")
        )
    numbers = stamps if kind.is_numeric() else stamps.to_physical()
    days: NDArray[np.float64] = numbers.cast(pl.Float64).to_numpy().astype(np.float64, copy=True)
    days /= per_day
    days[~np.isfinite(days)] = np.nan
    return days

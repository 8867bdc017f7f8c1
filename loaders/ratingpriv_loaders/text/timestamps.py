"""From scanned timestamps to one series: whole numbers stay such, days are dates, ISO texts instants."""

from __future__ import annotations

import numpy as np
import polars as pl

from ratingpriv.errors import Problem
from ratingpriv.table.building.assembling import Problems
from ratingpriv_loaders.text.cells import NullTokens, instant, number
from ratingpriv_loaders.text.problems import quoted
from ratingpriv_loaders.text.scanned import DATE, NO_TIME, OTHER, SECONDS, TIME, Scan

__all__ = ["timestamps_of"]

_DAY = 86_400_000_000  # microseconds
_EXPECTED = "a whole number (unix seconds) or an ISO date such as 2005-09-06"


def timestamps_of(scan: Scan, nulls: NullTokens, *, column: str, file: str, problems: Problems) -> pl.Series:
    """Return the timestamps (n_rows,), null where empty: Int64, Date, or Datetime if any has a time of day.

    Texts that are no timestamps, and a mixture of numbers and dates, are noted as problems.
    """
    texts = scan.texts[TIME].to_list()
    kinds = np.zeros(len(texts), dtype=np.uint8)
    values = np.zeros(len(texts), dtype=np.int64)
    exact = scan.kinds == OTHER
    for position, text in enumerate(texts):
        whole = number(text)
        if text in nulls:
            kinds[position] = NO_TIME
        elif whole is not None and whole == int(whole) and abs(whole) < 1 << 53:
            kinds[position], values[position] = SECONDS, int(whole)
        elif (moment := instant(text)) is not None:
            kinds[position], values[position] = OTHER, moment
        else:
            kinds[position] = 255
    seen, given = scan.kinds, scan.times
    if len(texts) and exact.any():
        seen, given = seen.copy(), given.copy()
        seen[exact], given[exact] = kinds[scan.times[exact]], values[scan.times[exact]]
        bad = np.flatnonzero(seen == 255)
        for row in bad[: problems.limit].tolist():
            found = f"text ({quoted(texts[int(scan.times[row])])})"
            problems.add(
                Problem(file, found, _EXPECTED, "correct it or leave it empty", scan.lines.of(row), column)
            )
        problems.count(max(0, len(bad) - problems.limit))
    present = np.bincount(seen, minlength=256)
    numbers, days, instants = int(present[SECONDS]), int(present[DATE]), int(present[OTHER])
    if numbers and days + instants:
        fewer = seen == SECONDS if numbers < days + instants else (seen == DATE) | (seen == OTHER)
        row = int(np.argmax(fewer))
        found = f"{numbers:,} numbers and {days + instants:,} dates"
        remedy = "write all of them in one way"
        problems.add(Problem(file, found, "timestamps of one kind", remedy, scan.lines.of(row), column))
        return pl.Series(column, given)
    if instants:
        series = pl.Series(column, np.where(seen == DATE, given * _DAY, given)).cast(pl.Datetime("us"))
    elif days:
        series = pl.Series(column, given.astype(np.int32)).cast(pl.Date)
    else:
        series = pl.Series(column, given)
    missing = seen == NO_TIME
    if missing.any():
        series = series.set(pl.Series(missing), None)
    return series

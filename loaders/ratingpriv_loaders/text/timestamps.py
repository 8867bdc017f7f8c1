"""What a timestamp means, and the series of all: whole numbers, days as dates, ISO texts as instants."""

from __future__ import annotations

import contextlib
import datetime
import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ratingpriv.base.errors import Problem
from ratingpriv.data.codebook.cells import BLANKS, NullTokens, number
from ratingpriv.data.table.building.problems import Problems

if TYPE_CHECKING:
    from ratingpriv_loaders.text.scan import Scan

NO_TIME, SECONDS, DATE, OTHER = 0, 1, 2, 3
"""Kinds of timestamps: an empty cell; a whole number; days since 1970-01-01; a text still to be judged."""

_BAD = 255
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND, _DAY_OF_THEM = datetime.timedelta(microseconds=1), 86_400_000_000
_EXPECTED = "a whole number (unix seconds) or an ISO date such as 2005-09-06"


def time_of(text: str) -> tuple[int, int]:
    """Return a timestamp's kind and value; kind OTHER (value 0) where the text is still to be judged."""
    if not text:
        return NO_TIME, 0
    if _WHOLE.fullmatch(text):
        return SECONDS, int(text)
    if _DAY.fullmatch(text):
        with contextlib.suppress(ValueError):
            return DATE, datetime.date.fromisoformat(text).toordinal() - _FIRST_DAY
    return OTHER, 0


def timestamps_of(
    scan: Scan, texts: list[str], nulls: NullTokens, *, column: str, file: str, problems: Problems
) -> pl.Series:
    """Return the timestamps (n_rows,), null where empty: Int64, Date, or Datetime if any has a time of day.

    ``texts`` are those of ``scan.texts[TIME]``. Texts that are no timestamps, and a mixture of numbers and
    dates, are noted as problems.
    """
    kinds = np.full(len(texts), _BAD, dtype=np.uint8)
    values = np.zeros(len(texts), dtype=np.int64)
    for position, text in enumerate(texts):
        whole = number(text)
        if text in nulls:
            kinds[position] = NO_TIME
        elif whole is not None and whole == int(whole) and abs(whole) < 1 << 53:
            kinds[position], values[position] = SECONDS, int(whole)
        else:  # an ISO date and time, UTC if it has no offset, as microseconds
            with contextlib.suppress(ValueError):
                moment = datetime.datetime.fromisoformat(text.strip(BLANKS))
                moment = moment.replace(tzinfo=datetime.UTC) if moment.tzinfo is None else moment
                kinds[position], values[position] = OTHER, (moment - _EPOCH) // _MICROSECOND

    def bad_timestamp(row: int) -> Problem:
        cell, line = texts[int(scan.times[row])], scan.lines.of(row)
        return Problem(file, "text", _EXPECTED, "correct it or leave it empty", line, column, cell)

    exact = scan.kinds == OTHER
    seen, given = scan.kinds, scan.times
    if len(texts) and exact.any():
        seen, given = seen.copy(), given.copy()
        seen[exact], given[exact] = kinds[scan.times[exact]], values[scan.times[exact]]
        problems.at(np.flatnonzero(seen == _BAD), bad_timestamp)
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
        moments = np.where(seen == DATE, given * _DAY_OF_THEM, given)
        series = pl.Series(column, moments).cast(pl.Datetime("us"))
    elif days:
        series = pl.Series(column, given.astype(np.int32)).cast(pl.Date)
    else:
        series = pl.Series(column, given)
    missing = seen == NO_TIME
    return series.set(pl.Series(missing), None) if missing.any() else series

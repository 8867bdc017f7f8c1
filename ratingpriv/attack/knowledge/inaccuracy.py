"""How far off an adversary's knowledge is: within an error, or completely wrong [NS08, §5]."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.dates import days_of, timestamps_of
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes


@dataclass(frozen=True, slots=True, eq=False)
class Rating:
    """The table's distinct ratings, and those within an error of each: ``low[c]..high[c]``, as decimals."""

    levels: NDArray[np.float64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def of(cls, table: RatingTable, error: float, *, with_wrong: bool) -> Rating:
        """Return the ranges of a table; ParameterError where wrong ratings are needed and there are none."""
        low, high = proximate_codes(table.levels, error)
        if with_wrong and np.any(high - low + 1 == len(table.levels)):
            expected = "so little that for every rating another one of the table is wrong"
            raise ParameterError("rating_error", error, expected, "or `wrong=0`")
        return cls(table.levels, low, high)

    def known(
        self, codes: NDArray[np.int64], wrong: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return what is known of ratings ``codes`` (M,), ``wrong`` where marked; float64 (M,)."""
        low, width = self.low[codes], (self.high - self.low + 1)[codes]
        near = low + rng.integers(0, width)
        far = rng.integers(0, np.maximum(len(self.levels) - width, 1))  # among the levels out of reach
        far += np.where(far >= low, width, 0)
        known: NDArray[np.float64] = self.levels[np.where(wrong, far, near)]
        return known

    def made_up(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return ratings of what was never rated, float64 (count,): each level equally likely."""
        return self.levels[rng.integers(0, max(len(self.levels), 1), count)]


@dataclass(frozen=True, slots=True, eq=False)
class Dating:
    """Dates within ± ``error`` days; ``whole`` days where the table has days, not instants.

    ``first`` and ``last`` are the table's dates, days since 1970-01-01, ``stamps`` its timestamps.
    """

    error: float
    whole: bool
    first: float
    last: float
    stamps: pl.Series

    @classmethod
    def of(cls, table: RatingTable, error: float, *, with_wrong: bool) -> Dating:
        """Return the dates of a table; ParameterError where it has none, or no room for wrong ones."""
        stamps = timestamps_of(table)
        if stamps.dtype == pl.String:
            days = days_of(stamps, table.origin.name)
            first, last = float(np.nanmin(days)), float(np.nanmax(days))
        else:
            first, last = days_of(pl.Series([stamps.min(), stamps.max()], dtype=stamps.dtype)).tolist()
        in_days = stamps.dtype == pl.Date
        # the date in the middle has the least room on its better side
        room = math.ceil((last - first) / 2) > math.floor(error) if in_days else (last - first) / 2 > error
        if with_wrong and not room:
            raise ParameterError(
                "date_error",
                error,
                f"less than half of the {last - first:.6g} days between the first and the last date",
                "else a date has no wrong one; or `wrong=0`, or no `date_error`",
            )
        return cls(error, in_days, first, last, stamps)

    def known(
        self, entries: NDArray[np.int64], wrong: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return what is known of the dates of ratings ``entries`` (M,), NaN where they have none."""
        right = days_of(self.stamps.gather(entries))
        chance = rng.random((3, len(right)))
        reach = math.floor(self.error) if self.whole else self.error
        near = chance[0] * (2 * reach + self.whole)  # so many days there are, or so long is the window
        near = right - reach + (np.floor(near) if self.whole else near)
        before = np.maximum(right - reach - self.first, 0)  # whole: the days first .. right - reach - 1
        after = np.maximum(self.last - right - reach, 0)
        early = chance[1] * (before + after) < before
        offset = chance[2] * np.where(early, before, after)
        if self.whole:
            offset = np.floor(offset)
        # counted from the ends, so that neither side reaches the right date's window
        far = np.where(early, self.first + offset, self.last - offset)
        known: NDArray[np.float64] = np.where(wrong, far, near)
        return known

    def made_up(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return dates of what was never rated, float64 (count,): uniform from the first to the last date."""
        chance = rng.random(count)
        if self.whole:
            return self.first + np.floor(chance * (self.last - self.first + 1))
        return self.first + chance * (self.last - self.first)

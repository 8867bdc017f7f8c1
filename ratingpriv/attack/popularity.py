"""How many ratings records have, and what is still lacking once one rating of a target is known.

Implements [NS08, Figs 2, 3 and 7] and the table of [NS08, §5] of who rates what not all rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.dates import INSTANT, timestamps_of
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes


@dataclass(frozen=True, slots=True, eq=False)
class RatingCounts:
    """Records by their number of ratings of non-sensitive issues.

    Attributes
    ----------
    exactly : int64 (most,); ``exactly[x - 1]`` records have x ratings
    at_least : int64 (most,); ``at_least[x - 1]`` records have x ratings or more
    none : how many records have no rating
    largest : the most ratings of a record
    """

    exactly: NDArray[np.int64]
    at_least: NDArray[np.int64]
    none: int
    largest: int


@dataclass(frozen=True, slots=True)
class Outside:
    """Records with enough ratings of issues that are not among the most rated.

    Attributes
    ----------
    top : how many of the most rated issues do not count
    shares : for each number of ratings x, the share (0..1) of all records that have at least x others
    """

    top: int
    shares: dict[int, float]


def rating_counts(table: RatingTable, most: int = 100) -> RatingCounts:
    """Count the records with x ratings, and with at least x, for x = 1..``most``.

    Implements [NS08, Figs 2-3]. Their text says "at least X ratings", their captions "X ratings"; the
    argument, that uniformly drawn people would make the curve fall, is about the latter.
    """
    most = checks.whole_number("most", most, 1)
    number = np.diff(table.indptr)
    largest = int(number.max(initial=0))
    counts = np.bincount(number, minlength=max(most, largest) + 1).astype(np.int64)
    at_least = np.cumsum(counts[::-1])[::-1]
    return RatingCounts(counts[1 : most + 1], at_least[1 : most + 1], int(counts[0]), largest)


def outside_most_rated(
    table: RatingTable, tops: Sequence[int] = (100, 500, 1000), at_least: Sequence[int] = (1, 5, 10)
) -> tuple[Outside, ...]:
    """Find how many records rate what not everybody rates [NS08, §5, table "Not in X most rated"].

    Of issues with equally many ratings the first count as the more rated, as in ``not-top:X`` of
    :func:`ratingpriv.attack.draw`.

    Parameters
    ----------
    tops : so many of the most rated issues do not count, one row each; all of them where there are no more
    at_least : so many other ratings
    """
    wanted = [checks.whole_number("at_least", number, 1) for number in at_least]
    rows = []
    for one in tops:
        top = checks.whole_number("tops", one, 1)
        left = (
            eligible_ratings(table, f"not-top:{top}")
            if top < table.n_issues
            else np.zeros(table.n_records, dtype=np.int64)
        )
        of = max(table.n_records, 1)
        rows.append(Outside(top, {x: int(np.count_nonzero(left >= x)) / of for x in wanted}))
    return tuple(rows)


@dataclass(frozen=True, slots=True, eq=False)
class ResidualBits:
    """Bits that an adversary who knows one rating of a target still lacks, issue by issue.

    Attributes
    ----------
    rank : int64 (q,); 1: the most rated issue; ties by position
    issue : int64 (q,); its position in the table
    support : int64 (q,); how many records rate it
    rated : float64 (q,); the adversary knows that the target rated it: log2 support
    rating : float64 (q,); knows the rating within ``rating_error``, too: mean over the raters t of log2 of
        how many raters are within it of t's rating, t included
    date : float64 (q,); knows the date within ``date_error`` instead, likewise; mean over the raters with a
        date, NaN where none has one
    prior : log2 n, the bits of somebody who knows nothing
    rating_error, date_error : as asked; ``date_error`` is None where dates were not
    """

    rank: NDArray[np.int64]
    issue: NDArray[np.int64]
    support: NDArray[np.int64]
    rated: NDArray[np.float64]
    rating: NDArray[np.float64]
    date: NDArray[np.float64]
    prior: float
    rating_error: float
    date_error: float | None


def residual_bits(
    table: RatingTable,
    *,
    rating_error: float = 1.0,
    date_error: float | None = 14.0,
    ranks: Sequence[int] | None = None,
) -> ResidualBits:
    """Find the bits still lacking after one known rating, for each issue by popularity rank.

    Our reading of [NS08, Fig. 7], whose "entropy" is not defined: the bits that are still lacking, not those
    that were gained. A rating without a date is within any number of days of none, as in Sim: whoever has
    one has fewer bits left to hide in.

    Parameters
    ----------
    rating_error : how far off the known rating may be, compared as decimals
    date_error : how many days off the known date may be; None: no dates
    ranks : which ranks, from 1; None: all issues that anybody rates

    Raises
    ------
    ParameterError
        An error is negative, a rank is none of an issue that anybody rates, or dates are wanted where the
        table has none.
    """
    rating_error = checks.non_negative_number("rating_error", rating_error)
    low, high = proximate_codes(table.levels, rating_error)
    if date_error is not None:
        date_error = checks.non_negative_number("date_error", date_error)
        timestamps_of(table)  # refuses a table without
    index = Index.of(table, dates=date_error is not None)
    order = np.argsort(-index.supports, kind="stable")
    order = order[: int(np.count_nonzero(index.supports))]
    rank = np.arange(1, len(order) + 1) if ranks is None else np.asarray(_ranks(ranks, len(order)))
    issues = order[rank - 1].astype(np.int64)
    support = index.supports[issues]
    by_rating, by_date = np.empty(len(rank)), np.full(len(rank), np.nan)
    for row, issue in enumerate(issues.tolist()):
        raters = slice(int(index.indptr[issue]), int(index.indptr[issue + 1]))
        codes = np.sort(index.codes[raters]).astype(np.int64)
        by_rating[row] = _mean_bits(codes, low[codes], high[codes])
        if date_error is not None:
            when = np.sort(_days(index, raters))
            reach = date_error + INSTANT
            by_date[row] = _mean_bits(when, when - reach, when + reach)
    return ResidualBits(
        rank.astype(np.int64), issues, support, np.log2(support), by_rating, by_date,
        math.log2(table.n_records) if table.n_records else 0.0, rating_error, date_error,
    )  # fmt: skip


def _mean_bits(values: NDArray[np.generic], low: NDArray[np.generic], high: NDArray[np.generic]) -> float:
    """Return the mean of log2 #{values within low..high}; ``values`` ascend, each is within its own."""
    if len(values) == 0:
        return math.nan
    within = np.searchsorted(values, high, side="right") - np.searchsorted(values, low, side="left")
    return float(np.log2(within).mean())


def _days(index: Index, raters: slice) -> NDArray[np.float64]:
    """Return the dates of some entries that have one, in days."""
    when = index.when[raters]
    known = when[when != index.span] if index.span else when[~np.isnan(when)]
    return known.astype(np.float64)


def _ranks(ranks: Sequence[int], most: int) -> list[int]:
    wanted = [checks.whole_number("ranks", rank, 1) for rank in ranks]
    above = next((rank for rank in wanted if rank > most), None)
    if above is not None:
        raise ParameterError("ranks", above, f"ranks from 1 to {most}, the issues that anybody rates")
    return wanted

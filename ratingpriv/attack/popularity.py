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
from ratingpriv.attack.dates import INSTANT
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes


def rating_counts(table: RatingTable, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Count the records with x ratings, with at least x, for x = 1..``most``; and the most of a record.

    Implements [NS08, Figs 2-3]. Their text says "at least X ratings", their captions "X ratings"; the
    argument, that uniformly drawn people would make the curve fall, is about the latter.
    """
    number = np.diff(table.indptr)
    largest = int(number.max(initial=0))
    counts = np.bincount(number, minlength=max(most, largest) + 1).astype(np.int64)
    at_least = np.cumsum(counts[::-1])[::-1]
    return counts[1 : most + 1], at_least[1 : most + 1], largest


def outside_most_rated(
    table: RatingTable, tops: Sequence[int], at_least: Sequence[int]
) -> dict[int, dict[int, float]]:
    """Find how many records rate what not everybody rates [NS08, §5, table "Not in X most rated"].

    For so many of the most rated issues, which do not count (all where there are no more), and each number
    of other ratings, the share (0..1) of all records that have at least so many. Of issues with equally many
    ratings the first count as the more rated, as in ``not-top:X`` of :func:`ratingpriv.attack.draw`.
    """
    shares = {}
    for top in tops:
        others = np.zeros(table.n_records, dtype=np.int64)
        if top < table.n_issues:
            others = eligible_ratings(table, f"not-top:{top}")
        records = max(table.n_records, 1)
        shares[top] = {number: int(np.count_nonzero(others >= number)) / records for number in at_least}
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class ResidualBits:
    """Bits that an adversary who knows one rating of a target still lacks, issue by issue.

    Attributes
    ----------
    rank : int64 (q,); 1: the most rated issue; ties by position
    issue : int64 (q,); its position in the table
    rated : float64 (q,); the adversary knows that the target rated it: log2 |supp(i)|
    rating : float64 (q,); knows the rating within an error, too: mean over the raters t of log2 of how many
        raters are within it of t's rating, t included
    date : float64 (q,); knows the date within an error instead, likewise; mean over the raters with a date,
        NaN where none has one
    prior : log2 n, the bits of somebody who knows nothing
    """

    rank: NDArray[np.int64]
    issue: NDArray[np.int64]
    rated: NDArray[np.float64]
    rating: NDArray[np.float64]
    date: NDArray[np.float64]
    prior: float


def residual_bits(
    table: RatingTable,
    *,
    rating_error: float = 1.0,
    date_error: float | None = 14.0,
    ranks: Sequence[int] | None = None,
) -> ResidualBits:
    """Find the bits still lacking after one known rating, by popularity rank; None: all ``ranks``.

    Our reading of [NS08, Fig. 7], whose "entropy" is not defined: the bits that are still lacking, not those
    that were gained. Ratings are compared as decimals, dates by days, unless ``date_error`` is None. A rating
    without a date is within any number of days of none, as in Sim: whoever has one has fewer bits left to
    hide in.
    """
    low, high = proximate_codes(table.levels, rating_error)
    index = Index.of(table, dates=date_error is not None)
    order = np.argsort(-index.supports, kind="stable")
    order = order[: int(np.count_nonzero(index.supports))]
    rank = np.arange(1, len(order) + 1) if ranks is None else np.asarray(ranks)
    issues = order[rank - 1].astype(np.int64)
    by_rating, by_date = np.empty(len(rank)), np.full(len(rank), np.nan)
    for row, issue in enumerate(issues.tolist()):
        raters = slice(int(index.indptr[issue]), int(index.indptr[issue + 1]))
        codes = np.sort(index.codes[raters]).astype(np.int64)
        by_rating[row] = _mean_bits(codes, low[codes], high[codes])
        if date_error is not None:
            when = index.when[raters]
            when = np.sort(when[when != index.span] if index.span else when[~np.isnan(when)]).astype(
                np.float64
            )
            reach = date_error + INSTANT
            by_date[row] = _mean_bits(when, when - reach, when + reach)
    prior = math.log2(table.n_records) if table.n_records else 0.0
    return ResidualBits(rank, issues, np.log2(index.supports[issues]), by_rating, by_date, prior)


def _mean_bits(values: NDArray[np.generic], low: NDArray[np.generic], high: NDArray[np.generic]) -> float:
    """Return the mean of log2 #{values within low..high}; ``values`` ascend, each is within its own."""
    if len(values) == 0:
        return math.nan
    within = np.searchsorted(values, high, side="right") - np.searchsorted(values, low, side="left")
    return float(np.log2(within).mean())

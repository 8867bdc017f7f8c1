"""How many ratings records have [NS08, Figs 2-3], and how many outside of what all rate [NS08, §5]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.knowledge.drawing import eligible_ratings
from ratingpriv.base import checks
from ratingpriv.data.table import RatingTable

__all__ = ["Outside", "RatingCounts", "outside_most_rated", "rating_counts"]


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

    Raises
    ------
    ParameterError
        ``most`` is not a whole number from 1.
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

    Raises
    ------
    ParameterError
        A number is not a whole number from 1.
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

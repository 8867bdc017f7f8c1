"""Sparse ratings with dates, in which few issues have most ratings and few records give most of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.synthetic.blocks import EPOCH, PART_RATINGS, Block, generator_of
from ratingpriv_loaders.synthetic.draw import Sampler
from ratingpriv_loaders.synthetic.parameters import exponent, switch, whole

FIRST_DAY, LAST_DAY = np.datetime64("2000-01-01"), np.datetime64("2005-12-31")
"""The range of the dates, both ends included."""


class SparseModel:
    """Ratings whose numbers follow power laws.

    The numbers of ratings of the records are c·rank^−``activity``, rounded and kept within 1..``issues``,
    with c such that they sum to ``ratings`` exactly (what rounding leaves over goes, one each, to the most
    active). A record draws that many distinct issues one after the other, each time issue j among those left
    with probability proportional to w_j = rank^−``popularity``. Ranks are dealt to records and issues at
    random. The rating of issue j by record i is the whole number of 1..``levels`` that is nearest to

        0.65·levels + 0.35 + a_i + b_j + e_ij,

    with a_i ~ N(0, (0.1·levels)²), b_j ~ N(0, (0.1·levels)²), e_ij ~ N(0, (0.18·levels)²). With ``dates``,
    record i joins on a day u_i uniform in 2000-01-01..2005-12-31 and rates an issue ⌊E_ij⌋ days later, E_ij
    exponential with mean 90, but no later than the last day.

    Memory: a block of ratings, and some 40 bytes a record and an issue.
    """

    layout = "long"
    sensitive_names: tuple[str, ...] = ()
    name = "synthetic ratings"

    def __init__(
        self,
        records: int,
        issues: int,
        ratings: int,
        *,
        seed: int,
        dates: bool = True,
        popularity: float = 0.9,
        activity: float = 0.6,
        levels: int = 5,
    ) -> None:
        self.seed = whole("seed", seed, 0, (1 << 64) - 1)
        self.n_records = whole("records", records, 1, (1 << 31) - 1)
        self.n_issues = whole("issues", issues, 1, 10_000_000)
        cells = self.n_records * self.n_issues
        self.most_ratings = whole("ratings", ratings, 1, 1 << 62)
        if not self.n_records <= self.most_ratings <= cells:
            found = "one a record at least, and at most records x issues"
            raise ParameterError("ratings", ratings, f"from {self.n_records} to {cells}: {found}")
        self.dated = switch("dates", dates)
        self.popularity = exponent("popularity", popularity)
        self.activity = exponent("activity", activity)
        self.levels = whole("levels", levels, 2, 255)
        self.issue_names = tuple(map(str, range(1, self.n_issues + 1)))
        self.statement = (
            f"{self.most_ratings} ratings 1..{self.levels}, the sum of a record's and an issue's effect and "
            f"noise, rounded; power laws of rank: activity of records with exponent {self.activity:g}, "
            f"popularity of issues with exponent {self.popularity:g}"
            + (f"; dates from {FIRST_DAY} to {LAST_DAY}" if self.dated else "")
        )

    def parts(self) -> Iterator[Callable[[], Block]]:
        """Give what makes each part, in the order of records."""
        rng = generator_of(self.seed, 0)
        numbers = _power_law(self.n_records, self.n_issues, self.most_ratings, self.activity)
        rng.shuffle(numbers)
        weights = np.arange(1, self.n_issues + 1, dtype=np.float64) ** -self.popularity
        rng.shuffle(weights)
        appeal = rng.normal(0, 0.1 * self.levels, size=self.n_issues).astype(np.float32)
        sampler = Sampler(weights)
        before = np.cumsum(numbers, dtype=np.int64)
        before -= numbers
        # a part begins with the first record at or behind a multiple of PART_RATINGS
        begins = np.searchsorted(before, np.arange(0, self.most_ratings, PART_RATINGS))
        begins = np.unique(begins[begins < self.n_records])
        ends = np.append(begins[1:], self.n_records)
        for number, (first, last) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            yield functools.partial(
                self._part, number, first, numbers[first:last], sampler=sampler, appeal=appeal
            )

    def _part(
        self,
        number: int,
        first: int,
        numbers: NDArray[np.int32],
        *,
        sampler: Sampler,
        appeal: NDArray[np.float32],
    ) -> Block:
        rng = generator_of(self.seed, 1, number)
        count = len(numbers)
        issues = sampler.draw(numbers, rng)
        owners = np.repeat(np.arange(count, dtype=np.int32), numbers)
        kindness = rng.normal(0, 0.1 * self.levels, size=count).astype(np.float32)
        liking = rng.standard_normal(len(issues), dtype=np.float32)
        liking *= np.float32(0.18 * self.levels)
        liking += kindness[owners]
        liking += appeal[issues]
        liking += np.float32(0.65 * self.levels + 0.35)
        ratings = np.clip(np.rint(liking), 1, self.levels).astype(np.uint8)
        days = None
        if self.dated:
            start, end = (int((day - EPOCH).astype(int)) for day in (FIRST_DAY, LAST_DAY))
            joined = rng.integers(start, end + 1, size=count, dtype=np.int32)
            later = rng.standard_exponential(len(issues), dtype=np.float32) * np.float32(90)
            days = np.minimum(joined[owners] + later.astype(np.int32), np.int32(end))
        nothing = np.empty((count, 0), dtype=np.uint8)
        return Block(first, count, owners + np.int32(first), issues, ratings, days, nothing)


def _power_law(records: int, issues: int, ratings: int, steepness: float) -> NDArray[np.int32]:
    """Return how many ratings the record of each rank gives, int32 (records,): 1..issues, in all ``ratings``.

    Raised to 1 and cut at ``issues``, so that only the ranks between follow the law.
    """
    shape = np.arange(1, records + 1, dtype=np.float64) ** -steepness

    def rounded(log_c: float) -> NDArray[np.float64]:
        numbers: NDArray[np.float64] = shape * np.exp(log_c)
        np.rint(numbers, out=numbers)
        return numbers.clip(1, issues, out=numbers)

    low, high = np.log(0.1), np.log(issues / shape[-1]) + 1  # nobody has more than one; everybody has all
    for _ in range(60):  # c spans many powers of ten, so its logarithm is halved
        middle = (low + high) / 2
        if rounded(middle).sum() <= ratings:
            low = middle
        else:
            high = middle
    numbers = rounded(low).astype(np.int32)
    while (left := ratings - int(numbers.sum(dtype=np.int64))) > 0:
        numbers[np.flatnonzero(numbers < issues)[:left]] += 1
    return numbers

"""Sparse ratings with dates, in which few issues have most ratings and
few records give most of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.synthetic.models import EPOCH, PART_RATINGS, Block, Model, parameter, whole

# of dates, both included
_FIRST_DAY, _LAST_DAY = np.datetime64("2000-01-01"), np.datetime64("2005-12-31")
_STEEPEST = 10.0  # rank^-10 of ten million ranks is still far from what float64 rounds to 0
# records that still lack issues after so many rounds of drawing are finished in another way
_ROUNDS = 16
_CELLS = 1 << 18  # clocks that run together: bounds the temporary arrays


@dataclass
class SparseModel(Model):
    """Ratings whose numbers follow power laws.

    The numbers of ratings of the records are c·rank^−``activity``, rounded and kept within
    1..``issues``, with c such that they sum to ``ratings`` exactly (what rounding leaves over goes,
    one each, to the most active). A record draws that many distinct issues one after the other,
    each time issue j among those left with probability proportional to w_j = rank^−``popularity``.
    Ranks are dealt to records and issues at random. The rating of issue j by record i is the whole
    number of 1..``levels`` that is nearest to

        0.65·levels + 0.35 + a_i + b_j + e_ij,

    with a_i ~ N(0, (0.1·levels)²), b_j ~ N(0, (0.1·levels)²), e_ij ~ N(0, (0.18·levels)²). With
    ``dates``, record i joins on a day u_i uniform in 2000-01-01..2005-12-31 and rates an issue
    ⌊E_ij⌋ days later, E_ij exponential with mean 90, but no later than the last day.

    Memory: a block of ratings, and some 40 bytes a record and an issue.
    """

    ratings: int | None = parameter(
        None, "how many, exactly; by default 20 a record, or all if there are fewer"
    )
    dates: bool = parameter(True, "whether ratings have dates, from 2000-01-01 to 2005-12-31")
    popularity: float = parameter(0.9, "exponent of the power law of items; 0 (uniform) to 10")
    activity: float = parameter(0.6, "exponent of the power law of records; 0 (uniform) to 10")
    levels: int = parameter(5, "ratings are 1..levels; 2 to 255")
    sensitive = ()
    name, layout, most_issues = "synthetic ratings", "long", 10_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratings is None:
            self.ratings = self.records * min(20, self.issues)
        self.total = whole("ratings", self.ratings, 1, 1 << 62)
        cells = self.records * self.issues
        if not self.records <= self.total <= cells:
            expected = (
                f"from {self.records} to {cells}: one a record at least, and at most records x "
                "items"
            )
            raise ParameterError("ratings", self.ratings, expected)
        if not isinstance(self.dates, bool):
            raise ParameterError("dates", self.dates, "true or false")
        for name in ("popularity", "activity"):
            steepness = checks.non_negative_number(name, getattr(self, name))
            if steepness > _STEEPEST:
                raise ParameterError(name, getattr(self, name), f"a number from 0 to {_STEEPEST:g}")
            setattr(self, name, steepness)
        self.issue_names = tuple(map(str, range(1, self.issues + 1)))

    @property
    def statement(self) -> str:
        """The model in words, with its parameters."""
        return (
            f"{self.total} ratings 1..{self.levels}, the sum of a record's and an issue's effect "
            "and noise, rounded; power laws of rank: activity of records with exponent "
            f"{self.activity:g}, popularity of items with exponent {self.popularity:g}"
            + (f"; dates from {_FIRST_DAY} to {_LAST_DAY}" if self.dates else "")
        )

    def parts(self) -> Iterator[Callable[[], Block]]:
        """Give what makes each part, in the order of records."""
        rng = self.generator(0)
        numbers = _power_law(self.records, self.issues, self.total, self.activity)
        rng.shuffle(numbers)
        weights = np.arange(1, self.issues + 1, dtype=np.float64) ** -self.popularity
        rng.shuffle(weights)
        appeal = rng.normal(0, 0.1 * self.levels, size=self.issues).astype(np.float32)
        sampler = Sampler(weights)
        before = np.cumsum(numbers, dtype=np.int64)
        before -= numbers
        # a part begins with the first record at or behind a multiple of PART_RATINGS
        begins = np.searchsorted(before, np.arange(0, self.total, PART_RATINGS))
        begins = np.unique(begins[begins < self.records])
        ends = np.append(begins[1:], self.records)
        for number, (first, last) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            yield functools.partial(self._part, number, first, numbers[first:last], sampler, appeal)

    def _part(
        self,
        number: int,
        first: int,
        numbers: NDArray[np.int32],
        sampler: Sampler,
        appeal: NDArray[np.float32],
    ) -> Block:
        rng = self.generator(1, number)
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
        if self.dates:
            start, end = (int((day - EPOCH).astype(int)) for day in (_FIRST_DAY, _LAST_DAY))
            joined = rng.integers(start, end + 1, size=count, dtype=np.int32)
            later = rng.standard_exponential(len(issues), dtype=np.float32) * np.float32(90)
            days = np.minimum(joined[owners] + later.astype(np.int32), np.int32(end))
        nothing = np.empty((count, 0), dtype=np.uint8)
        return Block(first, count, owners + np.int32(first), issues, ratings, days, nothing)


def _power_law(records: int, issues: int, ratings: int, steepness: float) -> NDArray[np.int32]:
    """Return how many ratings the record of each rank gives, int32 (records,): 1..issues,
    in all ``ratings``.

    Raised to 1 and cut at ``issues``, so that only the ranks between follow the law.
    """
    shape = np.arange(1, records + 1, dtype=np.float64) ** -steepness

    def rounded(log_c: float) -> NDArray[np.float64]:
        numbers: NDArray[np.float64] = shape * np.exp(log_c)
        np.rint(numbers, out=numbers)
        return numbers.clip(1, issues, out=numbers)

    # nobody has more than one; everybody has all
    low, high = np.log(0.1), np.log(issues / shape[-1]) + 1
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


class Sampler:
    """Draws distinct issues one after the other,
    among those left with probability proportional to weight.

    Two exact ways, by what they cost. *Drawing again*: the first m distinct issues in a row of
    independent draws (by Walker's alias method). *Clocks*: issue j rings after an exponential time
    with rate w_j; the first m to ring. The former suits records that draw few issues, the latter
    those that draw many.

    ``weights`` : float64 (n_issues,), positive.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights / weights.sum()
        # Walker's alias method: keep a place with this probability, else take the other
        p = len(weights)
        keep, other = (self._weights * (p / self._weights.sum())).tolist(), list(range(p))
        small = [index for index in range(p) if keep[index] < 1]
        large = [index for index in range(p) if keep[index] >= 1]
        while small and large:
            poor, rich = small.pop(), large[-1]
            other[poor] = rich
            keep[rich] -= 1 - keep[poor]
            if keep[rich] < 1:
                small.append(large.pop())
        for index in (*small, *large):  # what rounding left over
            keep[index] = 1.0
        self._keep, self._other = np.array(keep), np.array(other, dtype=np.int64)
        # so many distinct issues are expected of n_issues / 5 draws; clocks are cheaper for more
        self._few = float((1 - np.exp(-self._weights * len(weights) / 5)).sum())

    def draw(self, numbers: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
        """Return issues, int32 (numbers.sum(),): ``numbers[i]`` for record i, ascending,
        in their order.
        """
        p = len(self._weights)
        few = np.flatnonzero(numbers <= self._few)
        many = np.flatnonzero(numbers > self._few)
        keys = self._drawn_again(few, numbers, rng)
        if len(many):
            nothing = np.empty(0, dtype=np.int64)
            keys = np.sort(
                np.concatenate([keys, self._by_clocks(many, numbers[many], nothing, rng)])
            )
        return (keys % p).astype(np.int32)

    def _drawn_again(
        self, records: NDArray[np.int64], numbers: NDArray[np.int32], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return record·n_issues + issue, ascending,
        with ``numbers[record]`` issues for each of ``records``.

        A record draws as many issues a round as it lacks, so it never gets too many, and what it
        has in the end are the first distinct ones of all that it drew.
        """
        p = len(self._weights)
        keys = np.empty(0, dtype=np.int64)
        lacking = numbers[records].astype(np.int64)
        for _ in range(_ROUNDS):
            if not len(records):
                return keys
            drawn = np.repeat(records * p, lacking)
            column = rng.integers(p, size=len(drawn))
            drawn += np.where(
                rng.random(len(drawn)) < self._keep[column], column, self._other[column]
            )
            drawn.sort()
            new = np.ones(len(drawn), dtype=bool)
            np.not_equal(drawn[1:], drawn[:-1], out=new[1:])
            if len(keys):
                slots = np.searchsorted(keys, drawn)
                new &= np.append(keys, -1)[slots] != drawn
            drawn = drawn[new]
            keys = np.insert(keys, slots[new], drawn) if len(keys) else drawn
            lacking -= np.searchsorted(drawn, (records + 1) * p) - np.searchsorted(
                drawn, records * p
            )
            records, lacking = records[lacking > 0], lacking[lacking > 0]
        return np.sort(np.concatenate([keys, self._by_clocks(records, lacking, keys, rng)]))

    def _by_clocks(
        self,
        records: NDArray[np.int64],
        numbers: NDArray[np.integer],
        taken: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return record·n_issues + issue, in any order,
        with ``numbers[i]`` issues for ``records[i]``.

        ``taken``, ascending, are keys that some records have already; they are not drawn again.
        """
        p = len(self._weights)
        batch = max(1, _CELLS // p)
        keys = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(records), batch):
            some = records[start : start + batch]
            times = rng.standard_exponential((len(some), p))
            times /= self._weights
            for record, wanted, row in zip(
                some.tolist(), numbers[start : start + batch].tolist(), times, strict=True
            ):
                left, right = np.searchsorted(taken, (record * p, (record + 1) * p))
                row[taken[left:right] - record * p] = np.inf
                keys.append(record * p + np.argpartition(row, wanted - 1)[:wanted])
        return np.concatenate(keys)

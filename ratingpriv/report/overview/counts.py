"""Numbers of people as a report may say them: exact within the team, coarse for everybody else.

A coarse number is a range that holds the true one, and which range it is depends on the range alone: two data
sets whose numbers fall into the same ranges give the same report. Below the threshold t it is "fewer than t";
so is what is missing to a total that is shown, as that number follows from the two. Others are rounded up to
a multiple of half the threshold. Numbers of people at risk err upwards, sizes of neighbourhoods downwards.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ratingpriv.attack.intervals import share as interval_of

type _Kind = Literal["exact", "few", "up to", "most", "some"]


@dataclass(frozen=True, slots=True)
class Amount:
    """How many people of a total.

    Attributes
    ----------
    kind : ``exact``; ``few``: at least one, at most ``high``; ``up to``: from ``low`` to ``high``; ``most``:
        not all, at least ``low``; ``some``: neither nobody nor everybody of a total too small to say more
    low, high : ends of the range, ``low <= true <= high``
    total : of how many; None where that is not shown either
    """

    kind: _Kind
    low: float
    high: float
    total: int | None

    @property
    def none(self) -> bool:
        """Whether it is nobody."""
        return self.kind == "exact" and self.high == 0


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a neighbourhood; ``least`` is what it has at least, None below the threshold."""

    least: int | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of people with an interval that holds that of every number in the range.

    ``amount`` is None where nothing was measured, and that is never safe.
    """

    amount: Amount | None
    low: float
    high: float

    @property
    def highest(self) -> float | None:
        """The share of the range's upper end; None where it was not measured, or is not shown."""
        if self.amount is None or self.amount.total is None or not self.amount.total:
            return None
        return min(1.0, self.amount.high / self.amount.total)


@dataclass(frozen=True, slots=True)
class Rounding:
    """How numbers are made coarse; ``threshold`` 1 leaves them exact."""

    threshold: int = 1

    @property
    def exact(self) -> bool:
        """Whether nothing is made coarse."""
        return self.threshold <= 1

    @property
    def step(self) -> int:
        """What numbers are rounded to a multiple of."""
        return max(1, self.threshold // 2)

    def amount(self, count: float, total: int) -> Amount:
        """Return ``count`` of ``total`` people; an expected number need not be whole."""
        if self.exact:
            return Amount("exact", count, count, total)
        t = self.threshold
        if total < t:
            return Amount("exact", 0, 0, None) if count <= 0 else Amount("some", 0, total, None)
        if count <= 0 or count >= total:
            return Amount("exact", max(0, min(count, total)), max(0, min(count, total)), total)
        if total < 2 * t:
            return Amount("some", 0, total, total)
        if count < t:
            return Amount("few", 0, t - 1, total)
        if total - count < t:
            return Amount("most", total - t + 1, total, total)
        up = math.ceil(count / self.step) * self.step
        return Amount("up to", max(t, up - self.step), min(up, total - t), total)

    def parts(self, counts: Sequence[int], total: int) -> list[Amount]:
        """Return counts that make up a total, each 0 or large enough to be shown; they add up to it.

        What is rounded are the running sums: how many there are up to a class errs upwards.
        """
        sums = list(itertools.accumulate(counts))
        ends = [0, *(self.amount(upto, total).high for upto in sums[:-1]), total]
        parts = [end - start for start, end in itertools.pairwise(ends)]
        whole = [total] if sums[-1] == total else []  # what is said as about so many is not all of them
        return [
            Amount("exact" if self.exact or many in (0, *whole) else "up to", many, many, total)
            for many in parts
        ]

    def whole(self, part: int, total: int) -> int | None:
        """Return the size of a part that may be shown as it is; None where it, or the rest, is too small."""
        if self.exact:
            return part
        fits = part >= self.threshold and (part == total or total - part >= self.threshold)
        return part if fits else None

    def size(self, size: int, *, at_least: int = 1) -> Size:
        """Return the size of a neighbourhood; ``at_least`` is known of it anyway."""
        if self.exact:
            return Size(size, exact=True)
        down = max(size // self.step * self.step if size >= self.threshold else 0, at_least)
        return Size(down if down > 1 else None, exact=False)

    def rate(
        self, count: float | None, of: int, *, method: str = "wilson", confidence: float = 0.95,
        low: float = 0.0, high: float = 1.0,
    ) -> Rate:  # fmt: skip
        """Return a share; ``low`` and ``high`` are its interval, taken where nothing is made coarse."""
        if count is None or not of:
            return Rate(None, 0.0, 1.0)
        amount = self.amount(count, of)
        if self.exact:
            return Rate(amount, low, high)
        if amount.total is None or amount.kind == "some":
            return Rate(amount, 0.0, 1.0)
        ends = [
            interval_of(min(end, of), of, method=method, confidence=confidence)
            for end in (amount.low, amount.high)
        ]
        return Rate(amount, ends[0].low, ends[1].high)

    def upwards(self, value: float, step: float = 0.05) -> float:
        """Return a share of something small, rounded up."""
        if self.exact:
            return value
        return min(1.0, math.ceil(round(value / step, 9)) * step)

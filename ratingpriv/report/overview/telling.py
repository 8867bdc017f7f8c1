"""How a report says numbers and names: to the team all of them,
to everybody else as much as is safe.

A coarse number is a range that holds the true one, and which range it is depends on the range
alone: two data sets whose numbers fall into the same ranges give the same report. Below the
threshold t it is "fewer than t"; so is what is missing to a total that is shown, as that number
follows from the two. Others are rounded up to a multiple of half the threshold. Numbers of people
at risk err upwards, sizes of neighbourhoods downwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal

from ratingpriv.attack.intervals import share as interval_of
from ratingpriv.base.numbers import in_full
from ratingpriv.report.plain import count, percent, plural


@dataclass(frozen=True, slots=True)
class Amount:
    """How many people of a total.

    Attributes
    ----------
    kind : ``exact``; ``few``: at least one, at most ``high``; ``up to``: from ``low`` to ``high``;
        ``most``: not all, at least ``low``; ``some``: neither nobody nor everybody of a total too
        small to say more
    low, high : ends of the range, ``low <= true <= high``
    total : of how many; None where that is not shown either
    """

    kind: Literal["exact", "few", "up to", "most", "some"]
    low: float
    high: float
    total: int | None

    @property
    def none(self) -> bool:
        """Whether it is nobody."""
        return self.kind == "exact" and self.high == 0


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of people with an interval that holds that of every number in the range.

    ``amount`` is None where nothing was measured, and that is never safe.
    """

    amount: Amount | None
    low: float = 0.0
    high: float = 1.0

    @property
    def highest(self) -> float | None:
        """The share of the range's upper end; None where it was not measured, or is not shown."""
        if self.amount is None or not self.amount.total or self.amount.kind == "some":
            return None
        return min(1.0, self.amount.high / self.amount.total)


@dataclass(frozen=True, slots=True)
class Telling:
    """For whom the report is.

    Attributes
    ----------
    internal : for the team, who have the data: nothing is made coarse or left out
    threshold : from how many people on a number is shown to others; 1 leaves numbers exact
    about : whether totals are said as about so many: the release lacks so few records that its
        exact number and that of the data would tell how few
    """

    internal: bool
    threshold: int = 1
    about: bool = False

    # ---- what may be known ----

    @property
    def exact(self) -> bool:
        """Whether no number is made coarse."""
        return self.internal or self.threshold <= 1

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

    def whole(self, part: int, total: int) -> int | None:
        """Return the size of a part that may be shown as it is.

        None where it, or the rest, is too small.
        """
        fits = part >= self.threshold and (part == total or total - part >= self.threshold)
        return part if fits or self.exact else None

    def size(self, size: int, *, at_least: int = 1) -> int | None:
        """Return what a neighbourhood has at least, as ``at_least`` is known anyway.

        None where too few.
        """
        if self.exact:
            return size
        down = max(size // self.step * self.step if size >= self.threshold else 0, at_least)
        return down if down > 1 else None

    def share(
        self,
        count: float | None,
        of: int,
        *,
        method: str = "wilson",
        confidence: float = 0.95,
        low: float = 0.0,
        high: float = 1.0,
    ) -> Rate:
        """Return a share; ``low`` and ``high`` are its interval,
        taken where nothing is made coarse.
        """
        if count is None or not of:
            return Rate(None)
        amount = self.amount(count, of)
        if self.exact:
            return Rate(amount, low, high)
        if amount.total is None or amount.kind == "some":
            return Rate(amount)
        least, most = (
            interval_of(min(end, of), of, method=method, confidence=confidence)
            for end in (amount.low, amount.high)
        )
        return Rate(amount, least.low, most.high)

    def upwards(self, value: float, step: float = 0.05) -> float:
        """Return a share of something small, rounded up."""
        return value if self.exact else min(1.0, math.ceil(round(value / step, 9)) * step)

    # ---- in words ----

    def records(self, amount: int, noun: str = "record") -> str:
        """Return how many there are in all."""
        if self.exact or amount >= self.threshold:
            return ("about " if self.about else "") + count(amount, noun)
        return f"fewer than {self.threshold} {noun}s"

    def share_of(self, amount: float, total: int, noun: str = "record") -> str:
        """Return ``2 of 300 records (0.7 %)``, or what may be said of it."""
        return self.said(self.amount(amount, total), noun)

    def said(self, amount: Amount, noun: str = "record") -> str:
        """Return an amount in words that can be a sentence's subject."""
        t, total = self.threshold, amount.total
        if total is None:
            return f"none of the {noun}s" if amount.none else f"some of fewer than {t} {noun}s"
        everybody = self.records(total, noun)
        if amount.none or not total:
            return f"none of {everybody}"
        if amount.kind == "few":
            return f"fewer than {t} of {everybody} (under {percent(t / total)})"
        if amount.kind == "most":
            return f"all but fewer than {t} of {everybody}"
        if amount.kind == "some" or amount.high == total:
            return f"{'some' if amount.kind == 'some' else 'all'} of {everybody}"
        return f"{self.in_cell(amount)} of {everybody} ({percent(amount.high / total)})"

    def verb(self, amount: float, total: int, one: str, more: str) -> str:
        """Return the verb after :meth:`share_of`."""
        number = self.amount(amount, total)
        return plural(int(number.high) if number.kind == "exact" else 2, one, more)

    def cell(self, amount: float, total: int) -> str:
        """Return an amount for a table."""
        return self.in_cell(self.amount(amount, total))

    def in_cell(self, amount: Amount) -> str:
        """Return an amount that is coarse already."""
        if amount.kind == "few":
            return f"under {self.threshold}"
        if amount.kind == "most":
            return f"over {(amount.total or 0) - self.threshold:,}"
        if amount.kind == "some":
            return "some"
        people = f"{amount.high:,.0f}" if amount.high == int(amount.high) else f"{amount.high:,.1f}"
        return people if amount.kind == "exact" else f"about {people}"

    def rate(self, rate: Rate) -> str:
        """Return a share in percent, in words."""
        amount, share = rate.amount, rate.highest
        if amount is None:
            return "not measured"
        if share is None or not amount.total:
            return "not shown"
        if amount.kind == "few":
            return f"under {percent(self.threshold / amount.total)}"
        if amount.kind == "most":
            return f"over {percent(1 - self.threshold / amount.total)}"
        if amount.kind == "exact":
            return percent(amount.high / amount.total)
        return f"about {percent(round(share, 2 if share > 0.1 else 3))}"

    def with_interval(self, rate: Rate) -> str:
        """Return :meth:`rate` with the ends of its interval in brackets."""
        ends = "" if rate.highest is None else f" ({percent(rate.low)} to {percent(rate.high)})"
        return self.rate(rate) + ends

    def measured(self, value: float | None) -> str:
        """Return a measure that is no share of people: to others with two decimals."""
        if value is None:
            return "not measured"
        if self.internal:
            return f"{value:.4g}"
        return "under 0.01" if 0 < abs(value) < 0.01 else f"{value:.2f}"

    def distance(self, value: float, *, asked: float | None = None) -> str:
        """Return a distance: to others whole numbers and what was asked for,
        else the next whole number.
        """
        if self.internal or value == asked or value == int(value):
            return in_full(value)
        return f"about {math.ceil(value)}"

    def file(self, path: str) -> str:
        """Return a file's name, for others without the folders that lead to it."""
        if self.internal:
            return path
        return PureWindowsPath(PurePosixPath(path).name).name or "the data"

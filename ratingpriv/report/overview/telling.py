"""How a report says numbers and names: to the team all of them, to everybody else as much as is safe."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath

from ratingpriv.base.numbers import in_full
from ratingpriv.report.overview.counts import Amount, Rate, Rounding
from ratingpriv.report.plain import count, percent, plural

_SHOWN = """
--k --epsilon --l --nulls --sensitive-nulls --scale --format --layout --sensitive --quasi
--engine --threads --memory --max-share --distinct --entropy --sensitive-kind --exposure --known
--wrong --rating-error --adversary --targets --algorithm --method --measure --threshold --skip
--with --interval --confidence
"""
"""Options whose values say nothing of anybody."""

_FLAGS = """
--json --quiet -q --verbose -v --force --internal --no-sensitive --ids --partition
--no-partition --header --no-header --sparsity --per-target --decimal-comma --decimal-point
--fabricate --no-fabricate --recode --sign --shuffle --strip-ids --keep-ids --csv-safe
--no-csv-safe --show-cells
"""
_ISSUES = re.compile(r"(?:top|random):\d+")


@dataclass(frozen=True, slots=True)
class Telling:
    """For whom the report is.

    Attributes
    ----------
    internal : for the team, who have the data: nothing is made coarse or left out
    threshold : from how many people on a number is shown to others
    about : whether totals are said as about so many: the release lacks so few records that its exact number
        and that of the data would tell how few
    """

    internal: bool
    threshold: int
    about: bool = False
    rounding: Rounding = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounding", Rounding(1 if self.internal else self.threshold))

    def records(self, amount: int, noun: str = "record") -> str:
        """Return how many there are in all."""
        if self.rounding.exact or amount >= self.threshold:
            return self._in_all(amount, noun)
        return f"fewer than {self.threshold} {noun}s"

    def share_of(self, amount: float, total: int, noun: str = "record") -> str:
        """Return ``2 of 300 records (0.7 %)``, or what may be said of it."""
        return self.said(self.rounding.amount(amount, total), noun)

    def said(self, amount: Amount, noun: str = "record") -> str:
        """Return an amount in words that can be a sentence's subject."""
        t, total = self.threshold, amount.total
        if total is None:
            return f"none of the {noun}s" if amount.none else f"some of fewer than {t} {noun}s"
        everybody = self._in_all(total, noun)
        if amount.none or not total:
            return f"none of {everybody}"
        if amount.kind == "few":
            return f"fewer than {t} of {everybody} (under {percent(t / total)})"
        if amount.kind == "most":
            return f"all but fewer than {t} of {everybody}"
        if amount.kind == "some" or amount.high == total:
            return f"{'some' if amount.kind == 'some' else 'all'} of {everybody}"
        return f"{self.amount(amount)} of {everybody} ({percent(amount.high / total)})"

    def _in_all(self, total: int, noun: str) -> str:
        return ("about " if self.about else "") + count(total, noun)

    def verb(self, amount: float, total: int, one: str, more: str) -> str:
        """Return the verb after :meth:`share_of`."""
        found = self.rounding.amount(amount, total)
        return plural(int(found.high) if found.kind == "exact" else 2, one, more)

    def cell(self, amount: float, total: int) -> str:
        """Return an amount for a table."""
        return self.amount(self.rounding.amount(amount, total))

    def amount(self, amount: Amount) -> str:
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
        amount = rate.amount
        if amount is None:
            return "not measured"
        if amount.total is None or amount.kind == "some":
            return "not shown"
        if amount.kind == "few":
            return f"under {percent(self.threshold / amount.total)}"
        if amount.kind == "most":
            return f"over {percent(1 - self.threshold / amount.total)}"
        share = amount.high / amount.total
        if amount.kind == "exact":
            return percent(share)
        return f"about {percent(round(share, 2 if share > 0.1 else 3))}"

    def with_interval(self, rate: Rate) -> str:
        """Return :meth:`rate` with the ends of its interval in brackets."""
        if rate.amount is None or rate.amount.kind == "some" or rate.amount.total is None:
            return self.rate(rate)
        return f"{self.rate(rate)} ({percent(rate.low)} to {percent(rate.high)})"

    def measured(self, value: float | None) -> str:
        """Return a measure that is no share of people: to others with two decimals."""
        if value is None:
            return "not measured"
        if self.internal:
            return f"{value:.4g}"
        return "under 0.01" if 0 < abs(value) < 0.01 else f"{value:.2f}"

    def distance(self, value: float, *, asked: float | None = None) -> str:
        """Return a distance: to others whole numbers and what was asked for, else the next whole number."""
        if self.internal or value == asked or value == int(value):
            return in_full(value)
        return f"about {math.ceil(value)}"

    def file(self, path: str) -> str:
        """Return a file's name, for others without the folders that lead to it."""
        if self.internal:
            return path
        return PureWindowsPath(PurePosixPath(path).name).name or "the data"

    def command(self, line: str) -> str:
        """Return a command; for others without paths, names of people, and values that may be cells."""
        if self.internal:
            return line
        try:
            words = iter(shlex.split(line))
        except ValueError:
            return "ratingpriv ..."
        quoted: list[str] = []
        for word in words:
            name, equals, value = word.partition("=")
            if not word.startswith("-") or word == "-":
                quoted.append(shlex.quote(self.file(word)))
            elif word in _FLAGS.split():
                quoted.append(word)
            elif not name.startswith("--") and not re.fullmatch(r"-[a-z]", name):
                quoted.append("...")
            else:
                value = value if equals else next(words, "")
                setting, _, text = value.partition("=")
                shown = (
                    name in _SHOWN.split()
                    or (name in ("--issues", "--items") and _ISSUES.fullmatch(value) is not None)
                    or (name == "--set" and (f"--{setting}" in _SHOWN.split() or text in ("yes", "no")))
                )
                quoted += [shlex.quote(name), shlex.quote(value) if shown and value else "..."]
        return " ".join(quoted)

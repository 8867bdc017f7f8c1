"""What a measure gives, a value or why there is none.

And all that was measured of a release, as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import frame_of
from ratingpriv.base.numbers import two_digits
from ratingpriv.base.requirement import Judged
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import utility as documents
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl


_NUMBERS = ("value", "low", "high", "original", "worthless")


def _two_digits(details: Any) -> Any:
    """Return what a measure has beside its value with two digits; the levels of a scale stay."""
    if isinstance(details, Mapping):
        return {
            name: detail if name == "levels" else _two_digits(detail)
            for name, detail in details.items()
        }
    if isinstance(details, list | tuple):
        return [_two_digits(detail) for detail in details]
    return two_digits(details) if isinstance(details, float) else details


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a release; None is what could not be measured, or is not there. Never NaN.

    Attributes
    ----------
    value : of the release
    low, high : an interval or a range around it, as ``of`` says
    of : what they are, in words ("mean of 100 queries, 95 % bootstrap interval")
    details : more numbers, by their names in JSON
    reason : why ``value`` is None; "" where it is not
    original : the same measure of the original against itself
    worthless : and of a release whose every rating is drawn from those of its issue
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    of: str = ""
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""
    original: float | None = None
    worthless: float | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ParameterError("value", self.value, "a value, or else a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ParameterError("value", self.value, "a finite number, or None with a reason")

    @classmethod
    def of_runs(cls, values: NDArray[np.float64], of: str, details: Mapping[str, Any]) -> Measured:
        """Return the mean of what several runs gave, float64 (runs,), with its range."""
        return cls(float(values.mean()), float(values.min()), float(values.max()), of, details)

    def rounded(self) -> Measured:
        """Return it with two digits of every number that is none of a scale."""
        shown: dict[str, Any] = {name: two_digits(getattr(self, name)) for name in _NUMBERS}
        return replace(self, **shown, details=_two_digits(self.details))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object: value, low, high, of, original, worthless, the details,
        and any reason.
        """
        content = {
            name: getattr(self, name) for name in ("value", "low", "high", "of", *_NUMBERS[3:])
        }
        return {**content, **self.details, **({"reason": self.reason} if self.reason else {})}


def not_measured(reason: str) -> Measured:
    """Return what stands for a measure that there is none of; ``reason`` is a sentence's part."""
    return Measured(None, reason=reason)


@dataclass(frozen=True, slots=True)
class UtilityParameters:
    """What it takes to measure the same again.

    Attributes
    ----------
    seed : of the random numbers
    measures : names of what was measured
    settings : those that were given; those that were not are each measure's defaults
    """

    seed: int
    measures: tuple[str, ...]
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Utility(Result):
    """What a release is still good for.

    Attributes
    ----------
    original, release : the two tables
    parameters : what was measured, and how
    paired_by : how it is known which released record is whose: "key" or "ids"; None: it is not
    withheld : how many records were suppressed; None where that is not known
    issues_lost, issues_added : how many issues only the original, and only the release, has
    measured : every measure by name; one that there is none of says why
    judged : the requirements, each with whether it is met
    """

    original: TableDescription
    release: TableDescription
    parameters: UtilityParameters
    paired_by: str | None
    withheld: int | None
    issues_lost: int
    issues_added: int
    measured: Mapping[str, Measured]
    judged: tuple[Judged, ...] = ()

    def __getitem__(self, name: str) -> Measured:
        return self.measured[name]

    @property
    def passed(self) -> bool | None:
        """Whether every requirement is met; None without one. What was not measured meets none."""
        return all(limit.met for limit in self.judged) if self.judged else None

    def _verdict(self) -> bool | None:
        return self.passed

    def rounded(self) -> Utility:
        """Return it with two digits of every figure, as it is told of a release by swap.

        What an exchange changed is counted in the rows of the original, and depends on the groups:
        with all digits it would tell of them beyond the group tables.
        """
        measures = {name: measure.rounded() for name, measure in self.measured.items()}
        judged = tuple(
            replace(
                limit,
                value=two_digits(limit.value),
                low=two_digits(limit.low),
                high=two_digits(limit.high),
            )
            for limit in self.judged
        )
        return replace(self, measured=measures, judged=judged)

    def measures_dict(self) -> dict[str, Any]:
        """Return what a release's own JSON says of its utility: all but the two tables."""
        return document_of(
            documents.UtilityOfRelease, self, pairing=self.paired_by, **self.measured
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.utility/1`` as plain dicts, lists,
        strings and numbers.
        """
        tables = {"original": self.original, "release": self.release}
        compared = {name: document_of(documents.Compared, table) for name, table in tables.items()}
        gate = {"required": self.judged, "passed": self.passed} if self.judged else UNSET
        return document_of(
            documents.Utility, self, pairing=self.paired_by, gate=gate, **compared, **self.measured
        )

    def to_frame(self) -> pl.DataFrame:
        """Return one row a measure.

        Columns: ``measure`` (String), ``value``, ``low``, ``high``, ``original``, ``worthless``
        (Float64; null where there is none), ``of`` (String, what they are) and ``reason`` (String,
        why there is no value).
        """
        names = dict.fromkeys(("value", "low", "high", "original", "worthless"), float)
        rows = ({"measure": name, **measure.to_dict()} for name, measure in self.measured.items())
        kinds: dict[str, type] = {"measure": str, **names, "of": str, "reason": str}
        return frame_of(rows, {(name,): kind for name, kind in kinds.items()})

    def __repr__(self) -> str:
        texts = [
            f"{name} {'not measured' if measure.value is None else format(measure.value, '.4g')}"
            for name, measure in self.measured.items()
        ]
        return f"<Utility of {self.release.name!r}: {', '.join(texts)}>"

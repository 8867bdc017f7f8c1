"""What a measure of utility gives: a value or the reason why there is none, and the rest by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a release; None is what could not be measured, or is not there. Never NaN."""

    value: float | None
    low: float | None = None  # an interval or a range around it, as ``of`` says
    high: float | None = None
    of: str = ""  # what they are, in words ("mean of 100 queries, 95 % bootstrap interval")
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))  # by its name in JSON
    reason: str = ""  # why ``value`` is None; "" where it is not
    original: float | None = None  # the same measure of the original against itself
    worthless: float | None = None  # and of a release whose every rating is drawn from those of its issue

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.reason):
            raise ParameterError("value", self.value, "a value, or else a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ParameterError("value", self.value, "a finite number, or None with a reason")

    @classmethod
    def of_runs(cls, values: NDArray[np.float64], of: str, details: Mapping[str, Any]) -> Measured:
        """Return the mean of what several runs gave, float64 (runs,), with its range."""
        return cls(float(values.mean()), float(values.min()), float(values.max()), of, details)

    def beside(self, original: Measured, worthless: Measured) -> Measured:
        """Return this measure with its two references."""
        return replace(self, original=original.value, worthless=worthless.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object: value, low, high, of, original, worthless, the details, and any reason."""
        names = ("value", "low", "high", "of", "original", "worthless")
        known = {name: getattr(self, name) for name in names}
        return {**known, **self.details, **({"reason": self.reason} if self.reason else {})}


def not_measured(reason: str) -> Measured:
    """Return what stands for a measure that there is none of; ``reason`` is a sentence's part."""
    return Measured(None, reason=reason)

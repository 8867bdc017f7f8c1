"""Entropy l-diversity: an entropy of at least log L [Machanavajjhala et al., ACM TKDD 2007]."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import as_decimal, rounded_down
from ratingpriv.proximity.counts import Counting, SensitiveCounts
from ratingpriv.proximity.demands.demand import CountedDemand

_NAME = "entropy"


def _checked(value: object) -> float:
    least = checks.non_negative_number(_NAME, value)
    if least < 1:
        raise ParameterError(_NAME, value, "a finite number >= 1")
    return least


def _met(counts: SensitiveCounts, _: float) -> NDArray[np.bool_]:
    return counts.entropy_reached()  # decided exactly when they were counted


def _refuse_impossible(issue: str, counts: NDArray[np.int64], value: float) -> None:
    """Refuse an L above the number of values that all records have."""
    if len(counts) < value:
        expected = f"at most {rounded_down(len(counts))}, the values that {issue} has"
        raise ParameterError(_NAME, value, expected)


ENTROPY = CountedDemand(
    name=_NAME,
    checked=_checked,
    nothing=1.0,
    met=_met,
    refuse_impossible=_refuse_impossible,
    best=attrgetter("entropy_l"),
    best_key="largest",
    counting=lambda least: Counting(entropy=as_decimal(least)),
    query=("min_entropy", 2.0),
)

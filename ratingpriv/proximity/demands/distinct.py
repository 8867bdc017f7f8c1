"""Distinct l-diversity: so many different known values [Machanavajjhala et al., ACM TKDD 2007]."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.proximity.counts import SensitiveCounts
from ratingpriv.proximity.demands.demand import CountedDemand

_NAME = "distinct"


def _checked(value: object) -> int:
    return checks.whole_number(_NAME, value, 1)


def _met(counts: SensitiveCounts, least: float) -> NDArray[np.bool_]:
    met: NDArray[Any] = (counts.known == 0) | (counts.distinct >= least)
    return met


def _refuse_impossible(issue: str, counts: NDArray[np.int64], value: float) -> None:
    """Refuse more values than all records have."""
    if len(counts) < value:
        raise ParameterError(_NAME, value, f"at most the {len(counts)} values that {issue} has")


DISTINCT = CountedDemand(
    name=_NAME,
    checked=_checked,
    nothing=1,
    met=_met,
    refuse_impossible=_refuse_impossible,
    best=attrgetter("distinct"),
    best_key="largest",
    query=("min_distinct", 2),
)

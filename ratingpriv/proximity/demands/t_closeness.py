"""t-closeness: how far the distribution of known values may be from that in all records.

Li, Li, Venkatasubramanian: t-Closeness, ICDE 2007, over neighbourhoods instead of blocks of equal
records. The distance is their earth mover's distance: with the ordered distance for numbers, where
the next value is 1 / (m - 1) away whatever the numbers are, and with the equal distance for words
and codes. A null is no value.
"""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import as_decimal
from ratingpriv.proximity.counts import Counting, SensitiveCounts, Whole
from ratingpriv.proximity.demands.demand import CountedDemand

_NAME = "t_closeness"


def _checked(value: object) -> float:
    distance = checks.non_negative_number(_NAME, value)
    if distance > 1:
        raise ParameterError(_NAME, value, "a distance from 0 to 1")
    return distance


def _met(counts: SensitiveCounts, t: float) -> NDArray[np.bool_]:
    return ~counts.farther(as_decimal(t))


def _refuse_impossible(issue: str, counts: NDArray[np.int64], value: float) -> None:
    """Refuse nothing: all records together are at a distance of 0."""


def _idle_on(whole: Whole, t: float) -> bool:
    """Return whether no answer, alone in its neighbourhood, is farther than t:
    no mixture of them is then.

    Of numbers the smallest or the largest is the farthest from all, of words the rarest.
    """
    alone = np.zeros((len(whole.counts), 3), dtype=np.int64)
    alone[[0, -1, int(np.argmin(whole.counts))], [0, 1, 2]] = 1
    return all(int(gap) <= as_decimal(t) * whole.unit for gap in whole.gaps(alone))


T_CLOSENESS = CountedDemand(
    name=_NAME,
    checked=_checked,
    nothing=1.0,
    met=_met,
    refuse_impossible=_refuse_impossible,
    best=attrgetter("distance"),
    idle_on=_idle_on,
    best_key="smallest",
    counting=lambda _: Counting(distances=True),
)

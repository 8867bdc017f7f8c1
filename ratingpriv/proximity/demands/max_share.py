"""A bound on the share that one value has of the known ones:
on how well an adversary guesses [ours].
"""

from __future__ import annotations

import math
from fractions import Fraction
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import as_decimal, in_full
from ratingpriv.proximity.counts import SensitiveCounts
from ratingpriv.proximity.demands.demand import CountedDemand

_NAME = "max_share"


def _checked(value: object) -> float:
    share = checks.non_negative_number(_NAME, value)
    if not 0 < share <= 1:
        raise ParameterError(_NAME, value, "a share above 0 and at most 1")
    return share


def _met(counts: SensitiveCounts, share: float) -> NDArray[np.bool_]:
    return ~counts.share_above(as_decimal(share))


def _refuse_impossible(issue: str, counts: NDArray[np.int64], value: float) -> None:
    """Refuse a share below the commonest value's of all records: some group has it, too."""
    share = Fraction(int(counts.max()), int(counts.sum()))
    if share > as_decimal(value):
        expected = f"at least the share of the commonest value of {issue} in all records"
        remedy = f"{in_full(math.ceil(float(share) * 1000) / 1000)} is above it"
        raise ParameterError(_NAME, value, expected, remedy)


MAX_SHARE = CountedDemand(
    name=_NAME,
    checked=_checked,
    nothing=1.0,
    met=_met,
    refuse_impossible=_refuse_impossible,
    best=attrgetter("largest_share"),
    best_key="smallest",
    limit=as_decimal,
    query=("max_share", 0.5),
)

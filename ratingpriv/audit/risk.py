"""Re-identification risk in the field's words, from neighbourhood sizes: that of a pick at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.tally import Histogram


@dataclass(frozen=True, slots=True)
class Risk:
    """Risk that a pick at random is right: of one record among those within ε of the target's exact ratings.

    Of no other adversary: |N(t)| is centred on t itself. Knowledge that is off by up to ε can fit fewer
    records, down to one, and whoever reasons more sharply than by chance does better.

    Attributes
    ----------
    prosecutor_max : the largest record risk 1/|N(t)|: it is known that the target is in the data
    marketer : its mean over the records: the expected share of correct picks when all are attacked
    share_below_k : share of records with |N(t)| < k
    """

    prosecutor_max: float
    marketer: float
    share_below_k: float


def record_risk(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return 1/|N(t)| for each record, float64 (n,). ``sizes`` : int64 (n,), each >= 1."""
    if len(sizes) == 0 or int(np.min(sizes)) < 1:
        raise ParameterError(
            "sizes", "none or one below 1", "at least one record, each in its own neighbourhood"
        )
    return 1.0 / np.asarray(sizes, dtype=np.float64)


def risk_of(sizes: Histogram, k: int) -> Risk:
    """Summarise the risk of all records. ``sizes`` : of their neighbourhoods, at least one, each >= 1."""
    k = checks.whole_number("k", k, 1)
    return Risk(
        prosecutor_max=float(record_risk(sizes.sizes)[0]),
        marketer=sizes.mean_inverse,
        share_below_k=sizes.below(k) / sizes.total,
    )

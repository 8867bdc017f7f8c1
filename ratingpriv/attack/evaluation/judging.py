"""How the answers of an attack are judged: by what intervals, and what is tried beside the attack itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.intervals import METHODS, Mean, Share, mean_probability, share
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What is measured of an attack, checked when it is made: ParameterError where a value is never right.

    Attributes
    ----------
    theta : θ from 0 to 1: also count for whom a record is named that is so similar to the target's [NS08,
        Def. 2]; None: that is not asked
    interval, confidence : one of :data:`ratingpriv.attack.intervals.METHODS`, and its confidence
    false_positives : whether to attack once more with each target's own record taken out
    inference : whether to predict the targets' sensitive and unknown ratings
    top : how many candidates are kept for each target
    """

    theta: float | None = None
    interval: str = "wilson"
    confidence: float = 0.95
    false_positives: bool = True
    inference: bool = True
    top: int = 10

    def __post_init__(self) -> None:
        """Check every value."""
        if self.theta is not None and checks.non_negative_number("theta", self.theta) > 1:
            raise ParameterError("theta", self.theta, "a similarity from 0 to 1")
        checks.choice("interval", self.interval, METHODS)
        if not 0 < checks.non_negative_number("confidence", self.confidence) < 1:
            raise ParameterError("confidence", self.confidence, "a number between 0 and 1, such as 0.95")
        checks.flag("false_positives", self.false_positives)

    def share(self, count: float, of: int) -> Share:
        """Return ``count`` of ``of`` with its interval."""
        return share(count, of, method=self.interval, confidence=self.confidence)

    def mean(self, values: NDArray[np.float64], weights: NDArray[np.int64] | None = None) -> Mean:
        """Return the mean of probabilities with its interval; ``weights`` as in ``mean_probability``."""
        return mean_probability(values, weights=weights, confidence=self.confidence)

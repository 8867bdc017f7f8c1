"""How attacks are judged: shares with their intervals,
and the difference of two shares of the same people.

A share of which nothing was measured has no value and the interval 0..1: it is never taken for
safe.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents.attack import SuccessDifference
from ratingpriv.documents.demands import MeanInterval, Rate

METHODS = ("wilson", "clopper-pearson")
"""Wilson's score interval (close to its confidence on average), or the exact one (never below
it).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What is measured of an attack, checked when it is made:
    ParameterError where a value is never right.

    Attributes
    ----------
    theta : θ from 0 to 1: also count for whom a record is named that is so similar to the target's
        [NS08, Def. 2]; None: that is not asked
    interval, confidence : one of :data:`METHODS`, and its confidence
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
            raise ParameterError(
                "confidence", self.confidence, "a number between 0 and 1, such as 0.95"
            )
        checks.flag("false_positives", self.false_positives)

    def share(self, count: float, of: int) -> Rate:
        """Return ``count`` of ``of`` with its interval."""
        return share(count, of, method=self.interval, confidence=self.confidence)

    def mean(
        self, values: NDArray[np.float64], weights: NDArray[np.int64] | None = None
    ) -> MeanInterval:
        """Return the mean of probabilities with its interval;
        ``weights`` as in ``mean_probability``.
        """
        return mean_probability(values, weights=weights, confidence=self.confidence)


def share(count: float, of: int, *, method: str = "wilson", confidence: float = 0.95) -> Rate:
    """Return ``count`` of ``of`` with an interval by ``method``.

    A ``count`` that is not whole is the sum of ``of`` probabilities. It has the interval of as many
    coins of their mean, which vary more than they do: it errs on the wide side.
    """
    low, high = (wilson if method == "wilson" else clopper_pearson)(
        count, of, confidence=confidence
    )
    return Rate(count / of if of else None, low, high, _number(count), int(of))


def wilson(count: float, of: float, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a share [Wilson, J. Am. Stat. Assoc. 22 (1927) 209].

    The ends are the rates p with ``|count/of - p| = z sqrt(p (1 - p) / of)``. (0, 1) if ``of`` is
    0.
    """
    from scipy.special import ndtri

    if of == 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2))  # a standard normal variable is within -z..z
    rate, denominator = count / of, 1.0 + z * z / of
    centre = (rate + z * z / (2 * of)) / denominator
    reach = z * math.sqrt(rate * (1 - rate) / of + z * z / (4.0 * of * of)) / denominator
    # rounding must not leave 0 or the rate
    low = 0.0 if count == 0 else min(max(centre - reach, 0.0), rate)
    high = 1.0 if count == of else max(min(centre + reach, 1.0), rate)
    return low, high


def mean_probability(
    values: NDArray[np.float64],
    *,
    weights: NDArray[np.int64] | None = None,
    confidence: float = 0.95,
) -> MeanInterval:
    """Return the mean of ``values``, float64 (m,) within 0..1, with an interval.

    The interval is Wilson's, as if the mean were a share: a variable within 0..1 never varies more
    than a coin of the same mean, so that it errs on the wide side.

    With ``weights``, int64 (m,), each value is itself the mean of so many things that may depend on
    each other (the ratings of one person). The interval then is that of (Σ weights)² / Σ weights²
    values, m if all are equal [Kish, Survey Sampling (1965) §8.2], and ``of`` is Σ weights.
    """
    if weights is not None:
        values, weights = values[weights > 0], weights[weights > 0].astype(np.float64)
    if len(values) == 0:
        return MeanInterval(None, 0.0, 1.0, 0)
    if weights is None:
        of = len(values)
        low, high = wilson(float(values.sum()), of, confidence=confidence)
        return MeanInterval(float(values.mean()), low, high, of)
    total = float(weights.sum())
    rate = float((values * weights).sum()) / total
    independent = total * total / float((weights * weights).sum())
    low, high = wilson(rate * independent, independent, confidence=confidence)
    return MeanInterval(rate, low, high, round(total))


def clopper_pearson(count: float, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share [Clopper and Pearson, Biometrika 26 (1934) 404].

    Neither end is left by chance more often than (1 - confidence) / 2. (0, 1) if ``of`` is 0.
    """
    from scipy.special import betaincinv

    if of == 0:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, tail))
    high = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - tail))
    return low, high


def paired_chances(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> SuccessDifference:
    """Compare two attacks by how likely each was to succeed with each of the people:
    second minus first.

    ``first`` and ``second`` are float64 (T,) within 0..1. People are counted by where the attack
    succeeded: expected numbers where coins decide, the same coin in both.

    The interval is Newcombe's method 10 [Newcombe, Stat. Med. 17 (1998) 2635]: Wilson's intervals
    of both shares, put together with the correlation of the pairs. Unlike the textbook's it has a
    width where no pair changed. The probability is that of the sign test, of which McNemar's,
    exact, is a case: a fair coin for each of the people with whom success has become more or less
    likely.
    """
    p, q = first, second
    cells = (np.minimum(p, q), np.maximum(p - q, 0), np.maximum(q - p, 0), 1 - np.maximum(p, q))
    e, f, g, h = (_number(math.fsum(cell)) for cell in cells)
    n = len(first)
    if n == 0:
        return SuccessDifference(None, -1.0, 1.0, 0, 0, 0, 0, 1.0)
    before, after = (e + f) / n, (e + g) / n
    low1, high1 = wilson(e + f, n, confidence=confidence)
    low2, high2 = wilson(e + g, n, confidence=confidence)
    # his phi, corrected for continuity where it is positive
    margins, excess = (e + f) * (g + h) * (e + g) * (f + h), e * h - f * g
    if excess > 0:
        excess = max(excess - (e + f + g + h) / 2, 0.0)
    phi = excess / math.sqrt(margins) if margins else 0.0

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))

    difference = (g - f) / n
    low = max(difference - reach(after - low2, high1 - before), -1.0)
    high = min(difference + reach(high2 - after, before - low1), 1.0)
    less, more = int(np.count_nonzero(p > q)), int(np.count_nonzero(q > p))
    return SuccessDifference(difference, low, high, e, f, g, h, _mcnemar(less, more))


def _number(value: float) -> float:
    """Return a sum of probabilities, whole where it is but for rounding."""
    integer = round(value)
    return integer if abs(value - integer) < 1e-9 else float(value)


def _mcnemar(one: int, other: int) -> float:
    """Return min(1, 2 P[X <= min(one, other)]) for X ~ Binomial(one + other, 1/2)."""
    from scipy.special import bdtr

    changed = one + other
    return min(1.0, 2.0 * float(bdtr(min(one, other), changed, 0.5))) if changed else 1.0

"""Shares with their intervals, and the difference of two shares of the same people.

A share of which nothing was measured has no value and the interval 0..1: it is never taken for safe.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents.attack import SuccessDifference
from ratingpriv.documents.making import document_of

METHODS = ("wilson", "clopper-pearson")
"""Wilson's score interval (close to its confidence on average), or the exact one (never below it)."""


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of`` attacks, and the interval that covers the true rate with the given confidence.

    Attributes
    ----------
    count, of : successes and trials. Where a coin decides among equals ``count`` is the expected number of
        successes, and need not be whole
    low, high : ends of the interval, 0 <= low <= rate <= high <= 1
    """

    count: float
    of: int
    low: float
    high: float

    @property
    def rate(self) -> float | None:
        """``count`` / ``of``; None where nothing was tried."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Mean:
    """Mean of ``of`` probabilities with an interval; ``rate`` is None where there are none."""

    rate: float | None
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How a share changes from one attack to another on the same people.

    Attributes
    ----------
    both, first_only, second_only, neither : people by where the attack succeeded; expected numbers where
        coins decide, the same coin in both
    difference : second share minus first; None where nobody was attacked
    low, high : its interval, within -1..1
    p_value : two-sided exact McNemar probability of so uneven a change if there were none
    """

    both: float
    first_only: float
    second_only: float
    neither: float
    difference: float | None
    low: float
    high: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the contract."""
        only = {"before_only": self.first_only, "after_only": self.second_only}
        return document_of(SuccessDifference, self, rate=self.difference, **only)


def share(count: float, of: int, *, method: str = "wilson", confidence: float = 0.95) -> Share:
    """Return ``count`` of ``of`` with an interval by ``method``.

    A ``count`` that is not whole is the sum of ``of`` probabilities. It has the interval of as many coins of
    their mean, which vary more than they do: it errs on the wide side.

    Raises
    ------
    ParameterError
        ``count`` is not within 0..``of``, the method is unknown, or the confidence is not within 0..1.
    """
    method = checks.choice("interval", method, METHODS)
    low, high = (wilson if method == "wilson" else clopper_pearson)(count, of, confidence=confidence)
    return Share(_number(count), int(of), low, high)


def wilson(count: float, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a share [Wilson, J. Am. Stat. Assoc. 22 (1927) 209].

    The ends are the rates p with ``|count/of - p| = z sqrt(p (1 - p) / of)``. (0, 1) if ``of`` is 0.
    """
    count, of = _check(count, of)
    return _wilson(count, of, confidence)


def mean_probability(
    values: NDArray[np.float64], *, weights: NDArray[np.int64] | None = None, confidence: float = 0.95
) -> Mean:
    """Return the mean of ``values``, float64 (m,) within 0..1, with an interval.

    The interval is Wilson's, as if the mean were a share: a variable within 0..1 never varies more than a
    coin of the same mean, so that it errs on the wide side.

    Parameters
    ----------
    weights : int64 (m,): each value is itself the mean of so many things that may depend on each other (the
        ratings of one person). The interval then is that of (Σ weights)² / Σ weights² values, m if all are
        equal [Kish, Survey Sampling (1965) §8.2], and ``of`` is Σ weights
    """
    values = np.asarray(values, dtype=np.float64)
    if weights is not None:
        values, weights = values[weights > 0], weights[weights > 0].astype(np.float64)
    if not np.all((values >= 0) & (values <= 1)):
        raise ParameterError("values", "one outside 0..1", "probabilities")
    if len(values) == 0:
        return Mean(None, 0, *_wilson(0.0, 0, confidence))
    if weights is None:
        of = len(values)
        return Mean(float(values.mean()), of, *_wilson(float(values.sum()), of, confidence))
    whole = float(weights.sum())
    rate = float((values * weights).sum()) / whole
    independent = whole * whole / float((weights * weights).sum())
    return Mean(rate, round(whole), *_wilson(rate * independent, independent, confidence))


def clopper_pearson(count: float, of: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a share [Clopper and Pearson, Biometrika 26 (1934) 404].

    Neither end is left by chance more often than (1 - confidence) / 2. (0, 1) if ``of`` is 0.
    """
    from scipy.special import betaincinv

    count, of = _check(count, of)
    tail = (1 - check_confidence(confidence)) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, tail))
    high = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - tail))
    return low, high


def paired_difference(
    both: float, first_only: float, second_only: float, neither: float, *, confidence: float = 0.95
) -> PairedDifference:
    """Compare two attacks on the same people: second share minus first, with its interval.

    The interval is Newcombe's method 10 [Newcombe, Stat. Med. 17 (1998) 2635]: Wilson's intervals of both
    shares, put together with the correlation of the pairs. Unlike the textbook's it has a width where no
    pair changed. The probability is McNemar's, exact: a fair coin for each pair that changed.
    """
    e, f, g, h = (
        checks.non_negative_number(name, value)
        for name, value in (
            ("both", both), ("first_only", first_only), ("second_only", second_only), ("neither", neither)
        )
    )  # fmt: skip
    n = round(e + f + g + h)
    if abs(e + f + g + h - n) > 1e-6:
        raise ParameterError("neither", neither, "numbers that add up to people")
    _quantile(confidence)
    if n == 0:
        return PairedDifference(0, 0, 0, 0, None, -1.0, 1.0, 1.0)
    first, second = (e + f) / n, (e + g) / n
    low1, high1 = _wilson(e + f, n, confidence)
    low2, high2 = _wilson(e + g, n, confidence)
    phi = _correlation(e, f, g, h)
    below = _reach(second - low2, high1 - first, phi)
    above = _reach(high2 - second, first - low1, phi)
    difference = (g - f) / n
    low, high = max(difference - below, -1.0), min(difference + above, 1.0)
    cells = (_number(e), _number(f), _number(g), _number(h))
    return PairedDifference(*cells, difference, low, high, _mcnemar(math.floor(f), math.floor(g)))


def paired_chances(
    first: NDArray[np.float64], second: NDArray[np.float64], *, confidence: float = 0.95
) -> PairedDifference:
    """Compare two attacks by how likely each was to succeed with each of the people.

    As :func:`paired_difference`. Where a coin decides, it is the same in both. The probability is then that
    of the sign test, of which McNemar's is a case: a fair coin for each of the people with whom success has
    become more or less likely.

    Parameters
    ----------
    first, second : float64 (T,) within 0..1
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if p.shape != q.shape or not np.all((p >= 0) & (p <= 1) & (q >= 0) & (q <= 1)):
        raise ParameterError(
            "second", "other people, or numbers outside 0..1", "probabilities of the same people"
        )
    cells = (np.minimum(p, q), np.maximum(p - q, 0), np.maximum(q - p, 0), 1 - np.maximum(p, q))
    found = paired_difference(*(_number(math.fsum(cell)) for cell in cells), confidence=confidence)
    changed = _mcnemar(int(np.count_nonzero(p > q)), int(np.count_nonzero(q > p)))
    return dataclasses.replace(found, p_value=changed)


def check_confidence(confidence: object) -> float:
    """Return ``confidence``; ParameterError unless it is a number between 0 and 1, both excluded."""
    value = checks.non_negative_number("confidence", confidence)
    if not 0 < value < 1:
        raise ParameterError("confidence", confidence, "a number between 0 and 1, such as 0.95")
    return value


def _check(count: object, of: object) -> tuple[float, int]:
    whole = checks.whole_number("of", of, 0)
    part = checks.non_negative_number("count", count)
    if part > whole:
        raise ParameterError("count", count, f"at most {whole}, the number of trials")
    return part, whole


def _number(value: float) -> float:
    """Return a sum of probabilities, whole where it is but for rounding."""
    whole = round(value)
    return whole if abs(value - whole) < 1e-9 else float(value)


def _wilson(count: float, of: float, confidence: float) -> tuple[float, float]:
    z = _quantile(confidence)
    if of == 0:
        return 0.0, 1.0
    rate, denominator = count / of, 1.0 + z * z / of
    centre = (rate + z * z / (2 * of)) / denominator
    reach = z * math.sqrt(rate * (1 - rate) / of + z * z / (4.0 * of * of)) / denominator
    low = 0.0 if count == 0 else min(max(centre - reach, 0.0), rate)  # rounding must not leave 0 or the rate
    high = 1.0 if count == of else max(min(centre + reach, 1.0), rate)
    return low, high


def _quantile(confidence: float) -> float:
    """Return z: a standard normal variable is within -z..z with the given probability."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + check_confidence(confidence) / 2))


def _correlation(e: float, f: float, g: float, h: float) -> float:
    """Return Newcombe's phi of a fourfold table, corrected for continuity where it is positive."""
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    if margins == 0:
        return 0.0
    excess = float(e * h - f * g)
    if excess > 0:
        excess = max(excess - (e + f + g + h) / 2, 0.0)
    return excess / math.sqrt(margins)


def _reach(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))


def _mcnemar(one: int, other: int) -> float:
    """Return min(1, 2 P[X <= min(one, other)]) for X ~ Binomial(one + other, 1/2)."""
    from scipy.special import bdtr

    changed = one + other
    return min(1.0, 2.0 * float(bdtr(min(one, other), changed, 0.5))) if changed else 1.0

"""Π, the adversary's probabilities over all candidates of a target, and who is best, exactly.

:class:`ratingpriv.attack.algorithms.result.Attacked` keeps a few candidates of each target. What follows from
all of them (what they have in common, what they give away) is computed target by target from here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.driver import Scoring, arrays_of, work_of
from ratingpriv.attack.knowledge.traits import fitting

_EQUAL = 1e-12  # of the larger: scores that differ by less are equal, see Attacked


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Π of one target, not normalised.

    Attributes
    ----------
    records : int32 (m,); the candidates that score above 0, in no order
    scores : float64 (m,)
    weights : float64 (m,); Π of each, up to a common factor
    rest : Π of every other candidate, up to the same factor
    others : how many others there are
    """

    records: NDArray[np.int32]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64]
    rest: float
    others: int

    @property
    def best(self) -> NDArray[np.int32]:
        """Positions of the candidates with the highest score, ascending; empty where none scores above 0."""
        if len(self.records) == 0:
            return self.records
        most = float(self.scores.max())
        return np.sort(self.records[self.scores >= most * (1 - _EQUAL)])


class Posteriors:
    """Π of any target of an attack on records that are in the table.

    Of Scoreboard it is uniform over the matching set, and over all candidates where that is empty; else it is
    proportional to e^(score / σ), σ the standard deviation of all candidates' scores, zeros included, and
    uniform where σ is 0 [NS08, §4 and §5].
    """

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._uniform = scoring.algorithm == "scoreboard"
        self._lists, self._targets = arrays_of(scoring.index, scoring.auxiliary)
        self._work = work_of(self._lists, 2, stages=scoring.stages)

    def of(self, target: int) -> Posterior:
        """Return Π of target number ``target``."""
        work = self._work
        scoring = self._scoring
        count = scoring.kernels.score(self._lists, self._targets, target, scoring.rules, work)
        records = work.touched[:count].copy()
        scores = work.score[records]
        work.score[records] = 0.0
        if scoring.stages:
            work.stage[records] = 0
        n = int(self._targets.candidates[target])
        if self._uniform:
            return Posterior(records, scores, np.ones(count), 0.0 if count else 1.0, n - count)
        weights, rest = _weights(scores, n)
        return Posterior(records, scores, weights, rest, n - count)

    def spread(self, target: int, posterior: Posterior, out: NDArray[np.float64]) -> None:
        """Write Π of every record, not normalised, to ``out``, float64 (n_records,)."""
        out[:] = posterior.rest
        out[~fitting(self._lists.traits, self._targets.bounds[target])] = 0.0
        out[posterior.records] = posterior.weights


def _weights(scores: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], float]:
    """Return e^((score - most) / σ) of ``scores`` > 0 and of the 0 of the other of ``n`` candidates."""
    most = float(scores.max()) if len(scores) else 0.0
    least = float(scores.min()) if len(scores) == n > 0 else 0.0
    if most - least <= _EQUAL * most:
        return np.ones(len(scores)), 1.0
    relative = scores / most
    mean = float(relative.sum()) / n
    squares = float(((relative - mean) ** 2).sum()) + (n - len(scores)) * mean * mean
    steepness = 1 / float(np.sqrt(squares / n))
    return np.exp((relative - 1) * steepness), float(np.exp(-steepness))

"""What comes back from an attack on many targets: an array of answers each."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """Answers to T targets, in the order of the auxiliary information [NS08, §4].

    Equal scores: two scores that differ by less than 1e-12 of the larger are equal, since the same
    terms added in another order differ by that little. Attributes that speak of the true record are
    NaN where there is none among the candidates (target not in the table, not known, or absent).

    Attributes
    ----------
    best : int64 (T,); the position of the record that is declared the target's, or -1: no match
        (⊥). It is declared only if its score is above every other
    best_candidate : int64 (T,); the candidate with the highest score (of equal ones the first),
        match or not; -1 where no candidate scores above 0
    matching : int64 (T,); size of the matching set; Scoreboard may have several members and then no
        single ``best``, for Scoreboard-RH it is 0 or 1
    eccentricity : float64 (T,); (max - max2) / σ; 0 where two are best or all scores are equal, NaN
        where there is only one candidate, and for Scoreboard, which has none
    n_candidates : int64 (T,); how many records could have been the target's (the absent one not
        counted, nor who has not as many ratings as the adversary believes)
    score_true : float64 (T,); score of the true record
    better : float64 (T,); how many candidates score above the true record
    tied : float64 (T,); how many *other* candidates score as it does
    entropy_bits : float64 (T,); -log2 Π(true record), the residual entropy; inf where the record is
        in the table, but has not as many ratings as the adversary believes
    shannon_bits : float64 (T,); Shannon entropy of Π, which the adversary can tell without the
        truth
    candidates : int64 (T, top); positions of the best candidates, by score then position; -1: no
        more with a score above 0
    scores : float64 (T, top); their scores, 0 where there is no candidate
    probabilities : float64 (T, top); their probabilities under Π, 0 where there is no candidate
    algorithm : one of :data:`ratingpriv.attack.algorithms.algorithm.ALGORITHMS`
    parameters : the algorithm's parameters by name, as they were used
    """

    best: NDArray[np.int64]
    best_candidate: NDArray[np.int64]
    matching: NDArray[np.int64]
    eccentricity: NDArray[np.float64]
    n_candidates: NDArray[np.int64]
    score_true: NDArray[np.float64]
    better: NDArray[np.float64]
    tied: NDArray[np.float64]
    entropy_bits: NDArray[np.float64]
    shannon_bits: NDArray[np.float64]
    candidates: NDArray[np.int64]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    algorithm: str
    parameters: Mapping[str, float | int | str | bool | None]

    @property
    def rank_true(self) -> NDArray[np.float64]:
        """Expected rank of the true record, ties broken at random: 1 + better + tied / 2;
        NaN without one.
        """
        return 1 + self.better + self.tied / 2

    @property
    def matched(self) -> NDArray[np.bool_]:
        """Whether a record was declared the target's, bool (T,)."""
        return self.best >= 0

    @property
    def by_coin(self) -> bool:
        """Whether the algorithm names one of equally good candidates by a coin;
        ``best`` is the first.
        """
        return ALGORITHMS[self.algorithm].by_coin

    @property
    def tossed(self) -> NDArray[np.bool_]:
        """For which targets a coin decides between equally good candidates, bool (T,)."""
        if not self.by_coin:
            return np.zeros(len(self.best), dtype=bool)
        if self.algorithm == "best-candidate":
            equal: NDArray[np.bool_] = (self.best >= 0) & (self.eccentricity == 0)
            return equal
        several: NDArray[np.bool_] = self.matching > 1
        if self.scores.shape[1] > 1:  # a graded similarity may tell members apart
            several &= np.isclose(self.scores[:, 0], self.scores[:, 1], rtol=1e-12, atol=0)
        return several

    def chances(self, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how likely the record that is named is that of ``targets`` (-1: none is),
        float64 (T,).

        0 or 1, but where a coin decides among m equally good ones of which the true one is one:
        1/m.
        """
        if self.by_coin:
            possible = (self.best >= 0) & (targets >= 0)
            chances: NDArray[np.float64] = np.where(possible, np.nan_to_num(self.within(1)), 0.0)
            return chances
        right: NDArray[np.bool_] = (self.best >= 0) & (self.best == targets)
        return right.astype(np.float64)

    def within(self, number: int) -> NDArray[np.float64]:
        """Probability that the true record is among the ``number`` best,
        ties broken at random, (T,).

        NaN where there is no true record among the candidates.
        """
        return np.clip((number - self.better) / (self.tied + 1), 0.0, 1.0)


ARRAYS = [field.name for field in fields(Attacked) if field.name not in ("algorithm", "parameters")]
Answers: Any = namedtuple("Answers", ARRAYS)  # type: ignore[misc]  # noqa: PYI024
"""The arrays of an Attacked."""

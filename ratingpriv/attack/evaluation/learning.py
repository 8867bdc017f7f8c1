"""All that follows from everybody who could be a target: one walk over the targets, a few at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.driver import Scoring
from ratingpriv.attack.algorithms.posterior import Posteriors
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.evaluation.inference import Inference, Inferring
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.profile import Persons, Similarities, disclosed, ratings_disclosed
from ratingpriv.base.compute.resources import Resources

_TOGETHER = 32  # targets whose probabilities are held at a time
_MEMORY = 1 << 28  # bytes for them


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What the candidates of T targets give away.

    Attributes
    ----------
    disclosed : bool (T,); the best candidates are identical, and the target's own record is one of them
    ratings_disclosed : bool (T,); the same, sensitive values left aside
    several : bool (T,); the best candidates are more than one
    similarity : float64 (T,); Sim of the best candidate and the target's own record, of several the least,
        NaN where there is none; None if that was not asked
    inference : predictions of the targets' values, None if that was not asked
    """

    disclosed: NDArray[np.bool_]
    ratings_disclosed: NDArray[np.bool_]
    several: NDArray[np.bool_]
    similarity: NDArray[np.float64] | None
    inference: Inference | None

    @property
    def alike(self) -> int:
        """For how many targets a profile is disclosed by several identical records."""
        return int(np.count_nonzero(self.disclosed & self.several))

    @property
    def alike_in_ratings(self) -> int:
        """For how many targets all ratings are disclosed by several records that are identical in them."""
        return int(np.count_nonzero(self.ratings_disclosed & self.several))

    def similarity_of_named(self, attacked: Attacked) -> NDArray[np.float64] | None:
        """Return how similar the record that an algorithm names is to the target's, float64 (T,).

        Where several are best, any may be named: the least similar decides. NaN where none is named.
        """
        if self.similarity is None:
            return None
        return np.where(attacked.matched | self.several, self.similarity, np.nan)


def learn(
    scoring: Scoring,
    persons: Persons,
    judging: Judging,
    resources: Resources,
) -> Learned:
    """Look at all candidates of every judged target.

    Parameters
    ----------
    scoring : of the algorithm; all that go by the same scores learn the same
    persons : who the targets are in the original
    """
    table, count = scoring.index.table, scoring.auxiliary.n_targets
    posteriors = Posteriors(scoring)
    profile, ratings, several = (np.zeros(count, dtype=bool) for _ in range(3))
    similar = np.full(count, np.nan)
    similarities = None if judging.theta is None else Similarities(persons.table, table)
    inferring = Inferring(scoring.index, persons) if judging.inference else None
    targets = np.flatnonzero(persons.judged)
    memory = _MEMORY if resources.memory is None else resources.memory
    together = max(1, min(_TOGETHER, memory // (16 * max(table.n_records, 1))))
    for first in range(0, len(targets), together):
        group = targets[first : first + together]
        weights = np.empty((len(group) if inferring else 0, table.n_records), dtype=np.float64)
        for row, target in enumerate(group.tolist()):
            posterior = posteriors.of(target)
            best = posterior.best
            own = int(scoring.auxiliary.targets[target])
            ratings[target] = ratings_disclosed(table, best, own)
            profile[target] = ratings[target] and disclosed(table, best, own)
            several[target] = len(best) > 1
            if similarities is not None and len(best):
                similar[target] = similarities.least(int(persons.records[target]), best)
            if inferring is not None:
                posteriors.spread(target, posterior, weights[row])
        if inferring is not None:
            inferring.add(group, weights.T)
        resources.report("looking at all candidates", first + len(group), len(targets))
    return Learned(
        profile,
        ratings,
        several,
        None if similarities is None else similar,
        None if inferring is None else inferring.result(judging),
    )

"""What the answers of an attack add up to: success, false positives, how sure the adversary was.

Every measure is a sum over targets, so that it can be computed again from the rows of the targets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.attack.evaluation.learning import Learned
from ratingpriv.attack.intervals import Judging, share
from ratingpriv.documents import attack as documents
from ratingpriv.documents.demands import MeanInterval, Rate
from ratingpriv.documents.making import document_of

TOP = (1, 5, 10)
"""Sizes of the lineups in which the true record may be."""


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """What another eccentricity threshold φ would have given; float64 (m,) each, ascending.

    Attributes
    ----------
    threshold : φ
    precision : of the records declared, how many are the target's (the target was in the data)
    recall : of the targets, how many are correctly declared
    false_positive : of the targets taken out of the data, for how many a record is declared; NaN
        where that was not tried
    """

    threshold: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    false_positive: NDArray[np.float64]

    @property
    def equal_error(self) -> tuple[float, float] | None:
        """The threshold at which both errors are nearest to equal, and the larger of the two there.

        The errors are missing a target that is there and declaring a record for one that is not
        [NS08, Def. 3]. None where the second was not tried.
        """
        if len(self.threshold) == 0 or np.isnan(self.false_positive).any():
            return None
        gap = np.abs((1 - self.recall) - self.false_positive)
        index = int(np.argmin(gap))
        return float(self.threshold[index]), float(
            max(1 - self.recall[index], self.false_positive[index])
        )

    def rows(self, most: int = 21) -> tuple[Mapping[str, float | None], ...]:
        """Return at most ``most`` thresholds, spread evenly, as rows of plain numbers."""
        count = len(self.threshold)
        places = (
            range(count) if count <= most else np.unique(np.linspace(0, count - 1, most).round())
        )
        columns = ("threshold", "precision", "recall", "false_positive")
        return tuple(
            {name: finite(getattr(self, name)[int(index)]) for name in columns} for index in places
        )


@dataclass(frozen=True, slots=True)
class Measures:
    """What an attack did.

    Attributes
    ----------
    targets : how many targets have a known right answer
    records : how many records there are, n
    success : the declared record is the target's; the expected number where a coin decides among
        equals
    wrong_match : another record is declared although the target's is in the table
    no_match : none is declared (⊥), of all judged targets
    false_positive : a record is declared although the target's is not in the table; none if not
        tried
    both_right : the declared record is the target's, and none is declared once the target's is
        taken out [NS08, Fig. 5]; none if the second was not tried
    profile : the records of the highest score are identical in all that is released and one is the
        target's, so that its profile is disclosed, whether or not it is told apart
    rating_profile : the same, sensitive values left aside: every rating that is released of it is
        disclosed
    similar : the named record has Sim(r, r') >= θ with the target's own [NS08, Def. 2]; where
        several share the highest score, the least similar of them has. None without θ
    top : for each lineup size k the mean probability that the true record is among the k best, ties
        at random
    expected_risk : mean of Π(true record): how often a pick by the adversary's probabilities is
        correct
    worst_risk : the largest Π(true record) of a target, None without any
    entropy_bits : over the targets whose record was among the candidates; ``prior`` is log2 n, the
        bits of somebody who knows nothing
    tradeoff : precision and recall over the eccentricity threshold; None where the algorithm has
        none
    """

    targets: int
    records: int
    success: Rate
    wrong_match: Rate
    no_match: Rate
    false_positive: Rate
    both_right: Rate
    profile: Rate
    rating_profile: Rate
    similar: Rate | None
    top: Mapping[int, MeanInterval]
    expected_risk: MeanInterval
    worst_risk: float | None
    entropy_bits: documents.Bits
    tradeoff: Tradeoff | None

    @property
    def measured(self) -> bool:
        """Whether any attack was judged; if not, no number here says that anything is safe."""
        return self.targets > 0

    @property
    def baseline(self) -> float:
        """1/n, the random-guess baseline: the success of somebody who picks any record."""
        return 1 / self.records if self.records else 0.0

    @property
    def lift(self) -> float | None:
        """How many times better than the baseline the attack is.

        None where nothing was measured.
        """
        rate = self.success.rate
        return None if rate is None or not self.records else rate * self.records

    def to_dict(self) -> dict[str, Any]:
        """Return the measures' part of ``ratingpriv.attack/2``.

        What is inferred is none of them.
        """
        return {
            **document_of(
                documents.Reidentification,
                self,
                top={str(number): mean for number, mean in self.top.items()},
                risk={"expected": self.expected_risk, "worst": self.worst_risk},
                equal_error=None if self.tradeoff is None else self.tradeoff.equal_error,
                inference=None,
            ),
            "precision_recall": None if self.tradeoff is None else list(self.tradeoff.rows()),
        }


def measure(
    attacked: Attacked,
    targets: NDArray[np.int64],
    *,
    records: int,
    judged: NDArray[np.bool_] | None = None,
    absent: Attacked | None = None,
    learned: Learned | None = None,
    judging: Judging = Judging(),
) -> Measures:
    """Add up the answers ``attacked``, and ``absent``, with each target's own record taken out.

    ``targets``, int64 (T,), are the true records; -1: not in the table, no answer but ⊥ is right.
    ``judged``, bool (T,), are those of whom the right answer is known; None: those in the table. A
    judged target that is not in the table (a suppressed record) counts as one that the adversary
    did not find.
    """
    present = targets >= 0
    judged = present if judged is None else judged
    of, untried = int(np.count_nonzero(judged)), share(0, 0)

    def counted(which: NDArray[np.bool_]) -> Rate:
        return judging.share(int(np.count_nonzero(which & judged)), of)

    declared, chances = attacked.matched & judged, attacked.chances(targets)
    right = math.fsum(chances[judged])
    both = None if absent is None else math.fsum(chances[judged & ~absent.matched])
    true_probability = np.nan_to_num(np.exp2(-attacked.entropy_bits), nan=0.0).clip(
        0.0, 1.0
    )  # Π(true record)
    probability = np.where(present, true_probability, 0.0)[judged]
    named = None if learned is None else learned.similarity_of_named(attacked)
    return Measures(
        targets=of,
        records=records,
        success=judging.share(right, of),
        wrong_match=judging.share(max(np.count_nonzero(declared) - right, 0.0), of),
        no_match=counted(~declared),
        false_positive=untried if absent is None else counted(absent.matched),
        both_right=untried if both is None else judging.share(both, of),
        profile=untried if learned is None else counted(learned.disclosed),
        rating_profile=untried if learned is None else counted(learned.ratings_disclosed),
        similar=None if named is None or judging.theta is None else counted(named >= judging.theta),
        top={
            number: judging.mean(
                np.where(present, np.nan_to_num(attacked.within(number)), 0.0)[judged]
            )
            for number in TOP
        },
        expected_risk=judging.mean(probability),
        worst_risk=float(probability.max()) if of else None,
        entropy_bits=bits_over(attacked.entropy_bits[judged & present], records),
        tradeoff=tradeoff(attacked, targets, judged, absent),
    )


def bits_over(values: NDArray[np.float64], records: int) -> documents.Bits:
    """Sum up residual entropy, the bits that the adversary still needs:
    -log2 Π(true record) [NS08, Def. 4].

    ``values``, float64 (T,), are NaN where the record was not among the candidates.
    """
    bits = values[~np.isnan(values)]
    prior = math.log2(records) if records else 0.0
    # of probability 0, the paper lets the adversary fall back on all records (Def. 4)
    bits = np.where(np.isinf(bits), prior, bits)
    if len(bits) == 0:
        return documents.Bits(None, None, None, None, 0, prior)
    lower, median, upper = np.quantile(bits, (0.25, 0.5, 0.75)).tolist()
    return documents.Bits(median, lower, upper, float(bits.mean()), len(bits), prior)


def tradeoff(
    attacked: Attacked,
    targets: NDArray[np.int64],
    judged: NDArray[np.bool_],
    absent: Attacked | None,
) -> Tradeoff | None:
    """Return precision, recall and false positives at every eccentricity that occurs, above 0.

    At 0 two candidates are equally good: no threshold makes one the answer. None without any
    eccentricity.
    """
    eccentricity = attacked.eccentricity[judged]
    if not np.any(np.isfinite(eccentricity)):
        return None
    right = (attacked.best_candidate == targets)[judged]
    threshold = np.unique(eccentricity[eccentricity > 0])
    of = max(len(eccentricity), 1)
    declared = _at_least(eccentricity, threshold)
    reached = _at_least(eccentricity[right], threshold)
    false = np.full(len(threshold), np.nan)
    if absent is not None:
        false = _at_least(absent.eccentricity[judged], threshold) / of
    return Tradeoff(threshold, reached / declared, reached / of, false)


def _at_least(values: NDArray[np.float64], threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many ``values`` are at least each threshold; a NaN never is."""
    ascending = np.sort(values[~np.isnan(values)])
    return (len(ascending) - np.searchsorted(ascending, threshold, side="left")).astype(np.float64)


def finite(value: np.float64) -> float | None:
    """Return a number for JSON, which has no NaN and no infinity: None."""
    return float(value) if math.isfinite(value) else None

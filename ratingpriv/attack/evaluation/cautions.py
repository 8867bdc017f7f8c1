"""What to know before relying on an attack's result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ratingpriv.attack.evaluation.inference import Inference
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.cautions import Caution

__all__ = ["FEW", "cautions"]

FEW = 100
"""With fewer targets than this the result says that its intervals are wide."""


def cautions(
    auxiliary: Auxiliary,
    measures: Measures,
    could_not_attack: int,
    reasons: Mapping[str, int],
    *,
    dates: bool,
    alike: int = 0,
    inference: Inference | None = None,
) -> Iterator[Caution]:
    """Yield the cautions.

    Parameters
    ----------
    auxiliary, measures, could_not_attack, reasons, inference : as in an Experiment
    dates : whether the data have any
    alike : how many targets' profiles are disclosed by several identical records
    """
    if not measures.measured:
        yield Caution("not-measured", "No attack was measured: this says nothing about how safe the data are")
    if could_not_attack:
        why = "; ".join(reasons) or "too little is known of them"
        yield Caution(
            "targets-not-attacked",
            f"{could_not_attack} of {could_not_attack + auxiliary.n_targets} targets could not be attacked "
            f"({why}): they are not in any rate, and nothing is said about their safety",
        )
    if measures.records == 1:
        yield Caution(
            "single-record",
            "There is one record only: whoever knows that the target is in the data knows the record",
        )
    if 0 < measures.targets < FEW:
        yield Caution("few-targets", f"Only {measures.targets} targets were attacked: the intervals are wide")
    if dates and not auxiliary.dated and auxiliary.n_targets:
        yield Caution(
            "dates-not-known",
            "The data have dates and the adversary was given none: whoever knows some does better",
        )
    if auxiliary.dated and not dates:
        yield Caution("dates-not-used", "Known dates were not used: the data have none")
    if alike:
        yield Caution(
            "profile-disclosed",
            f"Of {alike} of {measures.targets} targets several records fit best and are identical, the "
            "target's among them: nobody tells these apart, and all that is released about the target is "
            "disclosed",
        )
    guessed = (
        []
        if inference is None
        else [
            f"{name} ({100 * one.correct.rate:.1f} % correct, the baseline {100 * one.baseline.rate:.1f} %)"
            for name, one in inference.sensitive.items()
            if one.above_baseline and one.correct.rate is not None and one.baseline.rate is not None
        ]
    )
    if guessed:
        yield Caution(
            "inference-above-baseline",
            "Sensitive values are guessed better than by their commonest value, whether or not anybody is "
            f"identified: {', '.join(guessed)}",
        )
    lost = int(np.count_nonzero(auxiliary.issues < 0))
    if lost:
        yield Caution(
            "issues-unknown",
            f"{lost} of {len(auxiliary.issues)} known ratings are of issues that are not in this table",
        )

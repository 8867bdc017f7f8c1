"""What to know before relying on an attack's result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

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
) -> Iterator[Caution]:
    """Yield the cautions. ``dates``: whether the data have any; the rest as in an Experiment."""
    if not measures.measured:
        yield Caution("not-measured", "No attack was measured: this says nothing about how safe the data are")
    if could_not_attack:
        why = "; ".join(reasons) or "too little is known of them"
        yield Caution(
            "targets-not-attacked",
            f"{could_not_attack} of {could_not_attack + auxiliary.n_targets} targets could not be attacked "
            f"({why}): they are not in any rate, and nothing is said about their safety"
            + ("; attack with a lower `known`, too" if could_not_attack > auxiliary.n_targets else ""),
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
    lost = int(np.count_nonzero(auxiliary.issues < 0))
    if lost:
        yield Caution(
            "issues-unknown",
            f"{lost} of {len(auxiliary.issues)} known ratings are of issues that are not in this table",
        )

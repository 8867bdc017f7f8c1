"""What to know before relying on an attack's result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ratingpriv.attack.algorithms.methods import ALGORITHMS
from ratingpriv.attack.dates import has_dates
from ratingpriv.attack.evaluation.learning import Learned, identical_records
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.knowledge.drawing import Drawn
from ratingpriv.base.cautions import Caution
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.reservations import of_columns

FEW = 100
"""With fewer targets than this the result says that its intervals are wide."""


def cautions(
    table: RatingTable, drawn: Drawn, measures: Measures, learned: Learned, every: Sequence[Learned]
) -> Iterator[Caution]:
    """Yield what to know of the attack of one algorithm on ``table``.

    Of what people disclose, what ``every`` algorithm that was tried ``learned`` is told: the knowledge is the
    same, and so is the adversary.
    """
    auxiliary, could_not_attack = drawn.auxiliary, drawn.could_not_attack
    dates = has_dates(table)
    if not measures.measured:
        yield Caution("not-measured", "No attack was measured: this says nothing about how safe the data are")
    if could_not_attack:
        yield Caution(
            "targets-not-attacked",
            f"{could_not_attack} of {could_not_attack + auxiliary.n_targets} targets could not be attacked "
            f"({'; '.join(drawn.reasons)}): they are not in any rate, and nothing is said about their safety"
            + ("; attack with a lower `known`, too" if could_not_attack > auxiliary.n_targets else ""),
        )
    if measures.records == 1:
        yield Caution(
            "single-record",
            "There is one record only: whoever knows that the target is in the data knows the record",
        )
    if 0 < measures.targets < FEW:
        attacked = "1 target was" if measures.targets == 1 else f"{measures.targets} targets were"
        yield Caution("few-targets", f"Only {attacked} attacked: the intervals are wide")
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
    yield from of_columns(table)
    # where known dates may tell identical records apart, they can be named
    if learned.several.any() and not (auxiliary.dated and table.timestamps is not None):
        fewest = identical_records(table)
        if fewest > 1:
            yield Caution(
                "identical-records",
                f"Every record of the file is identical with at least {fewest - 1} others: an attack that "
                f"has to name one has no success by construction (by a coin: 1 in {fewest} at most), which "
                "proves nothing. Judge the file by profile disclosure, of all ratings too, and by attribute "
                "inference",
            )
    yield from _disclosure_cautions(every, measures.targets)


def _disclosure_cautions(learned: Sequence[Learned], targets: int) -> Iterator[Caution]:
    """Yield what is disclosed of people who need not be identified for it.

    ``learned``: by the scores that the attacks go by; of each number the largest is told, of ``targets``.
    """
    alike = max((int(np.count_nonzero(each.disclosed & each.several)) for each in learned), default=0)
    if alike:
        yield Caution(
            "profile-disclosed",
            f"Of {alike} of {targets} targets several records fit best and are identical, the target's among "
            "them: nobody tells these apart, and all that is in the file about the target is disclosed",
        )
    in_ratings = max(
        (int(np.count_nonzero(each.ratings_disclosed & each.several)) for each in learned), default=0
    )
    if in_ratings > alike:
        yield Caution(
            "ratings-disclosed",
            f"Of {in_ratings} of {targets} targets several records fit best and have identical ratings, the "
            "target's among them, though not all of their sensitive values are the same: all ratings in the "
            "file of the target are disclosed",
        )
    inferences = [each.inference for each in learned if each.inference is not None]
    guessed = []
    for name in dict.fromkeys(name for inference in inferences for name in inference.sensitive):
        predicted = [inference.sensitive[name] for inference in inferences]
        best = max(predicted, key=lambda each: each.correct.rate or 0.0)
        correct, baseline = best.correct.rate, best.baseline.rate
        if correct is not None and baseline is not None and best.correct.low > baseline:
            shares = f"{100 * correct:.1f} % correct, its commonest value {100 * baseline:.1f} %"
            guessed.append(f"{name} ({shares})")
    if guessed:
        yield Caution(
            "inference-above-baseline",
            "Sensitive values are guessed better than by their commonest value, whether or not anybody is "
            f"identified: {', '.join(guessed)}",
        )


def one_algorithm(name: str) -> Caution:
    """Return that the algorithm called ``name`` was chosen, and no other one was tried."""
    return Caution(
        "one-algorithm",
        f"Only {name} was run, of {len(ALGORITHMS)} algorithms: another one may find more. Leave out "
        "`algorithm` to run all, and to be told the strongest",
    )

"""The same attack on an original and on its release: same targets, same knowledge,
so that pairs compare.

What the adversary knows is drawn from the original. Of the release it is known by key, or because
ids were kept, which record is whose. A target whose record was suppressed has no right answer but
"no match".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.methods import options_used
from ratingpriv.attack.evaluation.experiments import Experiment, attack_each
from ratingpriv.attack.intervals import paired_chances
from ratingpriv.attack.knowledge import Auxiliary, Drawn
from ratingpriv.attack.knowledge.auxiliary import in_release, places_of
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.attack import SuccessDifference
from ratingpriv.documents.demands import Rate
from ratingpriv.documents.making import document_of
from ratingpriv.partition.distortion.pairing import positions_in_release, resemblance


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """An attack before and after.

    Attributes
    ----------
    cautions : what to know before relying on it
    before, after : the attack on the original, on the release (a suppressed target counts as not
        found)
    difference : success after minus before, on the same targets
    released, withheld : judged targets whose record is released, and suppressed
    of_released : success on the release among the released targets only: what they are exposed to
    lost : known ratings of issues that the release does not have, and of how many
    unarmed : targets of whom nothing that is known is of an issue of the release
    """

    before: Experiment
    after: Experiment
    difference: SuccessDifference
    released: int
    withheld: int
    of_released: Rate
    lost: tuple[int, int]
    unarmed: int
    cautions: tuple[Caution, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return ``ratingpriv.attack/2`` of the original,
        with ``release`` and ``difference`` added.
        """
        after = self.after.to_dict(per_target=per_target)
        left_out = ("schema", "tool", "parameters", "could_not_attack", "reasons")
        return {
            **self.before.to_dict(per_target=per_target),
            "release": {
                **{name: value for name, value in after.items() if name not in left_out},
                "released": self.released,
                "withheld": self.withheld,
                "success_of_released": document_of(Rate, self.of_released),
                "lost_knowledge": {
                    "ratings": self.lost[0],
                    "of": self.lost[1],
                    "targets": self.unarmed,
                },
                "warnings": [*after["warnings"], *self.warnings],
                "cautions": [*after["cautions"], *(caution.to_dict() for caution in self.cautions)],
            },
            "difference": document_of(SuccessDifference, self.difference),
        }


def compare(
    before: Sequence[Experiment],
    release: RatingTable,
    truth: Key | str,
    *,
    resources: Resources = Resources(),
) -> tuple[Paired, ...]:
    """Repeat attacks that were made on the original with the same
    knowledge against its ``release``.

    The true record is the paired one, whatever became of its ratings. A rating of an issue that the
    release does not have is lost knowledge: it stays known and no record can agree with it.

    Parameters
    ----------
    before : by different algorithms, of :func:`.experiments.attack_each`; the answers
        on the release are judged likewise
    truth : the release's key; or "ids": the records kept their ids

    Raises
    ------
    ParameterError
        The truth does not fit: a record that it names is not in the release, a record of the
        original or of the release is not in it, it was made for other files, or the ids were
        assigned anew.
    """
    drawn, persons, judging = before[0].drawn, before[0].persons, before[0].judging
    original, judged = persons.table, persons.judged
    places = positions_in_release(original, release, truth)
    auxiliary = known_of_release(drawn.auxiliary, original, release, places)
    algorithms = {
        attack.attacked.algorithm: options_used(
            attack.attacked.algorithm, attack.parameters, dated=release.timestamps is not None
        )
        for attack in before
    }
    # the same targets, knowledge and options; who the targets are is known from the original
    drawn_again = Drawn(auxiliary, reasons=drawn.reasons, skipped=drawn.skipped)
    after = attack_each(
        release, drawn_again, algorithms, judging=judging, persons=persons, resources=resources
    )
    gone = auxiliary.issues < 0  # known ratings of issues that were not released
    owner = np.repeat(np.arange(auxiliary.n_targets), auxiliary.known)
    unarmed = int(np.count_nonzero(np.bincount(owner[~gone], minlength=auxiliary.n_targets) == 0))
    released = int(np.count_nonzero(auxiliary.targets[judged] >= 0))
    withheld = int(np.count_nonzero(judged)) - released
    cautions = tuple(_cautions(original, release, places, withheld, unarmed))
    return tuple(
        Paired(
            first,
            second,
            paired_chances(
                first.chances[judged], second.chances[judged], confidence=judging.confidence
            ),
            released,
            withheld,
            judging.share(second.measures.success.count, released),
            (int(np.count_nonzero(gone)), len(gone)),
            unarmed,
            cautions,
        )
        for first, second in zip(before, after, strict=True)
    )


def known_of_release(
    auxiliary: Auxiliary, original: RatingTable, release: RatingTable, places: NDArray[np.int64]
) -> Auxiliary:
    """Return what is known of the targets in terms of the release: issues by name,
    records by ``places``.

    Without the dates where the release has none.
    """
    issues = places_of(original, release)
    targets = np.where(auxiliary.targets >= 0, places[auxiliary.targets], -1)
    mapped = np.where(auxiliary.issues >= 0, issues[auxiliary.issues], -1).astype(np.int32)
    attributes, values = in_release(auxiliary, original, release)
    return dataclasses.replace(
        auxiliary,
        targets=targets.astype(np.int64),
        issues=mapped,
        dates=auxiliary.dates if release.timestamps is not None else np.full(len(mapped), np.nan),
        attributes=attributes,
        values=values,
    )


def _cautions(
    original: RatingTable,
    release: RatingTable,
    places: NDArray[np.int64],
    suppressed: int,
    unarmed: int,
) -> Iterator[Caution]:
    if suppressed:
        yield Caution(
            "targets-suppressed",
            f"{suppressed} targets are not in the release: they count as not re-identified, and "
            "the released records are not safer by that",
        )
    if unarmed:
        yield Caution(
            "knowledge-lost",
            f"Of {unarmed} targets nothing was known that the release still has: an adversary who "
            f"knows "
            "other ratings does better",
        )
    likeness = resemblance(original, release, places)
    if likeness != "own":
        yield Caution(
            "pairing-implausible",
            "Released records resemble the originals they are paired with no more than others, and "
            + ("no other" if likeness == "undecided" else "another")
            + " pairing fits better: either the release hides everything, or the key is not this "
            "release's. "
            "An attack that is judged by wrong pairs fails, and looks like safety",
        )

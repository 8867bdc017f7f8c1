"""The same attack on an original and on its release: same targets, same knowledge, so that pairs compare.

What the adversary knows is drawn from the original. Of the release it is known by key, or because ids were
kept, which record is whose. A target whose record was suppressed has no right answer but "no match".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.evaluation.experiments import Experiment, experiment
from ratingpriv.attack.evaluation.profile import Persons
from ratingpriv.attack.intervals import PairedDifference, Share, paired_difference, share
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.cautions import Caution
from ratingpriv.errors import ParameterError
from ratingpriv.keys import Key
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["Paired", "compare", "known_of_release", "positions_in_release"]

_RESEMBLANCE = 1000  # records compared to see whether the pairing makes any sense


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """An attack before and after.

    Attributes
    ----------
    before : the attack on the original
    after : the same on the release; a suppressed target counts as judged and not found
    difference : success after minus before, on the same targets
    released, withheld : judged targets whose record is released, and suppressed
    of_released : success on the release among the released targets only: what they are exposed to
    lost : known ratings of issues that the release does not have, and of how many
    unarmed : targets of whom nothing that is known is of an issue of the release
    cautions : what to know before relying on the comparison
    """

    before: Experiment
    after: Experiment
    difference: PairedDifference
    released: int
    withheld: int
    of_released: Share
    lost: tuple[int, int]
    unarmed: int
    cautions: tuple[Caution, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    def exceeds(self, rate: float) -> bool:
        """Whether the success on the release may be above ``rate``; so it may if nothing was measured."""
        return self.after.exceeds(rate)

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return ``ratingpriv.attack/1`` of the original, with ``release`` and ``difference`` added."""
        after = self.after.to_dict(per_target=per_target)
        left_out = ("schema", "parameters", "could_not_attack", "reasons")
        return {
            **self.before.to_dict(per_target=per_target),
            "release": {
                **{name: value for name, value in after.items() if name not in left_out},
                "released": self.released,
                "withheld": self.withheld,
                "success_of_released": self.of_released.to_dict(),
                "lost_knowledge": {"ratings": self.lost[0], "of": self.lost[1], "targets": self.unarmed},
                "warnings": [*after["warnings"], *self.warnings],
                "cautions": [*after["cautions"], *(caution.to_dict() for caution in self.cautions)],
            },
            "difference": self.difference.to_dict(),
        }


def compare(
    before: Experiment,
    original: RatingTable,
    release: RatingTable,
    truth: Key | str,
    *,
    options: Mapping[str, Any] | None = None,
    false_positives: bool = True,
    top: int = 10,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Paired:
    """Repeat the attack ``before``, made on ``original``, against ``release``.

    The true record is the paired one, whatever became of its ratings. A rating of an issue that the release
    does not have is lost knowledge: it stays known and no record can agree with it.

    Parameters
    ----------
    before : what :func:`ratingpriv.attack.evaluation.experiments.run` or ``experiment`` found on ``original``
    truth : the release's key; or "ids": the records kept their ids. Beware: ids that were dealt out anew from
        the same names look just like kept ones
    options : of the algorithm, as they were for ``before``
    others : as :func:`ratingpriv.attack.evaluation.experiments.run`

    Raises
    ------
    ParameterError
        The truth does not fit: a record that it names is not in the release, a record of the original or of
        the release is not in it, or it was made for other files.
    """
    places = positions_in_release(original, release, truth)
    auxiliary = known_of_release(before.auxiliary, original, release, places)
    settings = before.parameters
    after = experiment(
        release,
        auxiliary,
        algorithm=settings["algorithm"],
        options=options,
        judged=before.judged,
        could_not_attack=before.could_not_attack,
        reasons=before.reasons,
        persons=Persons(original, before.truth, before.auxiliary),
        false_positives=false_positives,
        theta=settings["theta"],
        inference=before.inference is not None,
        interval=settings["interval"],
        confidence=settings["confidence"],
        top=top,
        names=before.names,
        threads=threads,
        memory=memory,
        progress=progress,
    )
    judged = before.judged
    first, second = before.succeeded[judged], after.succeeded[judged]
    difference = paired_difference(
        int(np.count_nonzero(first & second)),
        int(np.count_nonzero(first & ~second)),
        int(np.count_nonzero(~first & second)),
        int(np.count_nonzero(~first & ~second)),
        confidence=settings["confidence"],
    )
    gone = auxiliary.issues < 0
    owner = np.repeat(np.arange(auxiliary.n_targets), auxiliary.known)
    armed = np.bincount(owner[~gone], minlength=auxiliary.n_targets) > 0
    released = int(np.count_nonzero(auxiliary.targets[judged] >= 0))
    unarmed = int(np.count_nonzero(~armed))
    cautions = _cautions(original, release, places, int(np.count_nonzero(judged)) - released, unarmed)
    return Paired(
        before=before,
        after=after,
        difference=difference,
        released=released,
        withheld=int(np.count_nonzero(judged)) - released,
        of_released=share(
            int(np.count_nonzero(second)),
            released,
            method=settings["interval"],
            confidence=settings["confidence"],
        ),
        lost=(int(np.count_nonzero(gone)), len(gone)),
        unarmed=unarmed,
        cautions=tuple(cautions),
    )


def positions_in_release(original: RatingTable, release: RatingTable, truth: Key | str) -> NDArray[np.int64]:
    """Return where each original record is in the release, int64 (n_records,); -1: it was suppressed.

    Ids are compared as the text they print as: a key or a release may have read numbers as text.

    Raises
    ------
    ParameterError
        As :func:`compare`.
    """
    place = {str(one): position for position, one in enumerate(release.record_ids.to_list())}
    ids = [str(one) for one in original.record_ids.to_list()]
    if isinstance(truth, Key):
        _check_files(original, release, truth)
        paired = {
            str(one): None if other is None else str(other)
            for one, other in zip(truth.original, truth.released, strict=True)
        }
        remedy = "use the key that was written with this release"
        missing = next((one for one in ids if one not in paired), None)
        if missing is not None:
            raise ParameterError("truth", f"no record {missing!r}", "a key of every original record", remedy)
        lost = next((one for one in paired.values() if one is not None and one not in place), None)
        if lost is not None:
            raise ParameterError("truth", f"the released record {lost!r}", "records of the release", remedy)
        strange = min(place.keys() - set(paired.values()), default=None)
        if strange is not None:
            raise ParameterError("truth", f"no released record {strange!r}", "a key of every one", remedy)
        answers = [paired[one] for one in ids]
    elif truth == "ids":
        strange = min(place.keys() - set(ids), default=None)
        if strange is not None:
            raise ParameterError(
                "truth", truth, f"ids that were kept; the original has no record {strange!r}",
                "name the release's key file",
            )  # fmt: skip
        answers = list(ids)
        places = np.array([place.get(one, -1) for one in ids], dtype=np.int64)
        own, other = _agreement(original, release, places)
        if own <= other:  # else an attack on shuffled ids would fail and look like safety
            raise ParameterError(
                "truth", truth, "ids that were kept; here records of one id do not resemble each other",
                "name the release's key file",
            )  # fmt: skip
    else:
        raise ParameterError("truth", truth, "a key, or 'ids' if the release kept the records' ids")
    return np.array([-1 if one is None else place.get(one, -1) for one in answers], dtype=np.int64)


def known_of_release(
    auxiliary: Auxiliary, original: RatingTable, release: RatingTable, places: NDArray[np.int64]
) -> Auxiliary:
    """Return what is known of the targets in terms of the release: issues by name, records by ``places``."""
    issue = {name: position for position, name in enumerate(release.issues)}
    issues = np.array([issue.get(name, -1) for name in original.issues], dtype=np.int32)
    targets = np.where(auxiliary.targets >= 0, places[auxiliary.targets], -1)
    mapped = np.where(auxiliary.issues >= 0, issues[auxiliary.issues], -1).astype(np.int32)
    return dataclasses.replace(auxiliary, targets=targets.astype(np.int64), issues=mapped)


def _check_files(original: RatingTable, release: RatingTable, truth: Key) -> None:
    for fact, table, what in (
        ("input_sha256", original, "original"),
        ("release_sha256", release, "release"),
    ):
        said, is_ = truth.facts.get(fact), table.origin.sha256
        if said is not None and is_ is not None and said != is_:
            found, expected = f"a key of the {what} {str(said)[:12]}...", f"one of {table.origin.name}"
            raise ParameterError("truth", found, expected, "use the key that was written with this release")


def _cautions(
    original: RatingTable, release: RatingTable, places: NDArray[np.int64], suppressed: int, unarmed: int
) -> Iterator[Caution]:
    if suppressed:
        yield Caution(
            "targets-suppressed",
            f"{suppressed} targets are not in the release: they count as not found, and what is released "
            "about everybody else is not made safer by that",
        )
    if unarmed:
        yield Caution(
            "knowledge-lost",
            f"Of {unarmed} targets nothing was known that the release still has: an adversary who knows "
            "other ratings does better",
        )
    own, other = _agreement(original, release, places)
    if own <= other:
        yield Caution(
            "pairing-implausible",
            "Released records agree with the originals they are paired with no more than with others: "
            "either the release hides everything, or the key is not this release's",
        )


def _agreement(original: RatingTable, release: RatingTable, places: NDArray[np.int64]) -> tuple[float, float]:
    """Return on how many ratings released records agree with their originals, and with somebody else's."""
    there = np.flatnonzero(places >= 0)
    if len(there) < 2:
        return 1.0, 0.0
    there = there[np.linspace(0, len(there) - 1, min(len(there), _RESEMBLANCE)).astype(np.int64)]
    name = {issue: position for position, issue in enumerate(release.issues)}
    issue = [name.get(one, -1) for one in original.issues]

    def ratings(table: RatingTable, record: int) -> dict[int, float]:
        entries = slice(int(table.indptr[record]), int(table.indptr[record + 1]))
        return dict(
            zip(table.indices[entries].tolist(), table.levels[table.codes[entries]].tolist(), strict=True)
        )

    originals = [
        {issue[at]: value for at, value in ratings(original, record).items()} for record in there.tolist()
    ]
    released = [ratings(release, record) for record in places[there].tolist()]
    own = other = 0
    for number, one in enumerate(released):
        own += sum(originals[number].get(at) == value for at, value in one.items())
        other += sum(originals[number - 1].get(at) == value for at, value in one.items())
    return float(own), float(other)

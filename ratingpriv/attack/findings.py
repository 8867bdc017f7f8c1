"""Everything that one :func:`ratingpriv.attack` found, and the JSON contract made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ratingpriv.attack.evaluation.experiments import Experiment, place_of_strongest
from ratingpriv.attack.evaluation.paired import Paired
from ratingpriv.attack.evaluation.sweeps import Sweep
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.attack.sparsity.theorem import FalseMatches
from ratingpriv.base.display import Displayed
from ratingpriv.base.frames import Columns, frame_of
from ratingpriv.documents.attack import Theorem1
from ratingpriv.documents.demands import Rate
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Findings(Displayed):
    """Attacks, and what goes with them.

    Attributes
    ----------
    attacks : on the data: one by each algorithm, of the same targets with the same knowledge
    pairs : the same on a release, in that order, or nothing
    sweep : the strongest while knowledge varies, or None
    sparsity : similarity to nearest neighbours, or None
    theorem : false matches and their bound, with the sparsity
    fail_above : the success rate that is too much, or None
    """

    attacks: tuple[Experiment, ...]
    pairs: tuple[Paired, ...] = ()
    sweep: Sweep | None = None
    sparsity: Sparsity | None = None
    theorem: tuple[FalseMatches, ...] = ()
    fail_above: float | None = None

    @property
    def attack(self) -> Experiment:
        """The strongest attack on the data; where there is a release, the one that is the strongest on it."""
        return self.attacks[self._place]

    @property
    def paired(self) -> Paired | None:
        """The attack that is the strongest on the release, before and after; None without a release."""
        return self.pairs[self._place] if self.pairs else None

    @property
    def judged(self) -> Experiment:
        """What the headline says: the strongest attack on the release if there is one, else on the data."""
        return self.judged_each[self._place]

    @property
    def passed(self) -> bool | None:
        """Whether the success of every attack is surely not above ``fail_above``; None without one.

        A disclosed profile is a success, whether or not a record was named (:meth:`Experiment.exceeds`).
        It is not if the upper end of an interval is above, or if no attack was measured.
        """
        if self.fail_above is None:
            return None
        return not any(attack.exceeds(self.fail_above) for attack in self.judged_each)

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.attack/2``."""
        main = (self.attack if self.paired is None else self.paired).to_dict(per_target=per_target)
        main["suite"] = [self._row(place) for place in range(len(self.attacks))]
        if self.sweep is not None:
            main["sweep"] = self.sweep.to_dicts()
        if self.sparsity is not None:
            main["sparsity"] = self.sparsity.to_dict()
            main["theorem_1"] = [document_of(Theorem1, row) for row in self.theorem]
        if self.fail_above is not None:
            main["gate"] = {"fail_above": self.fail_above, "passed": self.passed}
        return main

    def to_frame(self) -> pl.DataFrame:
        """Return one row an attack, in the order of ``attacks``: what stands in the JSON's ``suite``.

        Columns are called by its keys, joined by dots. ``algorithm`` (String); of success, wrong_match,
        no_match, false_positive, both_right and profile ``.rate``, ``.low``, ``.high`` (Float64, shares from
        0 to 1), ``success.count`` (Float64) and ``success.of`` (Int64); ``baseline``, ``lift``,
        ``risk.expected.rate``, ``risk.worst`` and ``entropy_bits.median`` (Float64). With a release the same,
        each name after ``release.``, and ``difference.rate``, ``.low``, ``.high``, ``.p_value``. What was not
        measured is null.
        """
        columns = {("algorithm",): str, **_MEASURED}
        if self.pairs:
            columns |= {("release", *path): kind for path, kind in _MEASURED.items()}
            columns |= {("difference", name): float for name in ("rate", "low", "high", "p_value")}
        return frame_of((self._row(place) for place in range(len(self.attacks))), columns)

    def __repr__(self) -> str:
        judged, success = self.judged, self.judged.measures.success
        outcome = (
            "nobody was attacked"
            if success.rate is None
            else f"{success.rate:.3f} of {success.of} identified"
        )
        how = f"by {judged.parameters['algorithm']}, the strongest of {len(self.attacks)}"
        return f"<Findings on {judged.dataset.name!r}: {outcome} {how}>"

    @property
    def judged_each(self) -> tuple[Experiment, ...]:
        """The attacks on the release if there is one, else on the data, one by each algorithm."""
        return tuple(pair.after for pair in self.pairs) or self.attacks

    @property
    def _place(self) -> int:
        return place_of_strongest(self.judged_each)

    def _row(self, position: int) -> dict[str, Any]:
        """Return what one algorithm did, on the data and on the release."""
        attack = self.attacks[position]
        row = {"algorithm": attack.parameters["algorithm"], **_measures(attack)}
        if self.pairs:
            pair = self.pairs[position]
            row["release"] = {
                **_measures(pair.after),
                "success_of_released": document_of(Rate, pair.of_released),
            }
            row["difference"] = pair.difference.to_dict()
        return row


_MEASURED: Columns = {
    **{
        (name, one): float
        for name in ("success", "wrong_match", "no_match", "false_positive", "both_right", "profile")
        for one in (("rate", "low", "high", "count") if name == "success" else ("rate", "low", "high"))
    },
    ("success", "of"): int,
    ("baseline",): float,
    ("lift",): float,
    ("risk", "expected", "rate"): float,
    ("risk", "worst"): float,
    ("entropy_bits", "median"): float,
}
"""What a row says of an algorithm, on the data or on the release."""


def _measures(attack: Experiment) -> dict[str, Any]:
    """Return the measures but for the curve over thresholds, which is long, and what was inferred."""
    measures = attack.measures.to_dict()
    told = {name: value for name, value in measures.items() if name != "precision_recall"}
    return {**told, "inference": None if attack.inference is None else attack.inference.to_dict()}

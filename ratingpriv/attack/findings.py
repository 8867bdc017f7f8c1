"""Everything that one :func:`ratingpriv.attack` found, and the JSON contract made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.paired import Paired
from ratingpriv.attack.evaluation.sweeps import Sweep
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.attack.sparsity.theorem import FalseMatches

__all__ = ["Findings"]


@dataclass(frozen=True, slots=True)
class Findings:
    """An attack, and what goes with it.

    Attributes
    ----------
    attack : the attack on the data
    paired : the same on a release, or None
    sweep : the same while knowledge varies, or None
    sparsity : similarity to nearest neighbours, or None
    theorem : false matches and their bound, with the sparsity
    fail_above : the success rate that is too much, or None
    """

    attack: Experiment
    paired: Paired | None = None
    sweep: Sweep | None = None
    sparsity: Sparsity | None = None
    theorem: tuple[FalseMatches, ...] = ()
    fail_above: float | None = None

    @property
    def judged(self) -> Experiment:
        """What the gate regards: the attack on the release where there is one, else on the data."""
        return self.attack if self.paired is None else self.paired.after

    @property
    def passed(self) -> bool | None:
        """Whether the success is surely not above ``fail_above``; None without one.

        It is not if the upper end of the interval is above, or if no attack was measured.
        """
        return None if self.fail_above is None else not self.judged.exceeds(self.fail_above)

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.attack/1``."""
        main = (self.attack if self.paired is None else self.paired).to_dict(per_target=per_target)
        if self.sweep is not None:
            main["sweep"] = self.sweep.to_dicts()
        if self.sparsity is not None:
            main["sparsity"] = self.sparsity.to_dict()
            main["theorem_1"] = [one.to_dict() for one in self.theorem]
        if self.fail_above is not None:
            main["gate"] = {"fail_above": self.fail_above, "passed": self.passed}
        return main

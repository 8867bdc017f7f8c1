"""What an anonymisation gives: the records to release, what was done to them, and the proof."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.result import AuditResult
from ratingpriv.distortion.measure import Distortion
from ratingpriv.errors import ParameterError
from ratingpriv.partition.groups import Groups
from ratingpriv.table import RatingTable

__all__ = ["AnonymizeParameters", "Anonymized"]


@dataclass(frozen=True, slots=True)
class AnonymizeParameters:
    """What was asked for.

    Attributes
    ----------
    k, epsilon, l : the privacy target; ``epsilon`` is a distance between ratings, no differential-privacy
        budget; ``l`` is None where no diversity was asked for
    nulls, sensitive_nulls : the rules for nulls, as in the audit
    seed : the seed of the random numbers; None where a Generator was given or nothing is random
    strategy, grouping, fabricate : as modify() knows them; None where the method knows no such thing
    """

    k: int
    epsilon: float
    l: float | None  # noqa: E741 -- the theory's word
    nulls: str
    sensitive_nulls: str
    seed: int | None = None
    strategy: str | None = None
    grouping: str | None = None
    fabricate: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Anonymized:
    """Records that may be released, in memory; :mod:`ratingpriv.anonymize.release.writing` writes them.

    Attributes
    ----------
    table : the records to release, in the original's order; issues, scale, sensitive columns, record ids and
        origin are the original's. Nothing is renamed here: that is done when the release is written
    kept : int64 (m,), ascending; the position in the original of each record of ``table``
    groups : groups of the *original's* records that were made alike, those that stayed as they are UNPLACED;
        None where the method knows none
    method : "modify" or "suppress"
    parameters : what was asked for
    distortion : how far ``table`` is from the original
    optimal : whether nothing better exists, in the sense that ``statement`` gives
    statement : what is claimed of the result, in a sentence
    audit : the audit of ``table``; by neighbourhoods, the definition [SWLZ11, Def. 4.2-4.3]
    notes : what else a publisher should know, a sentence each
    """

    table: RatingTable
    kept: NDArray[np.int64]
    groups: Groups | None
    method: str
    parameters: AnonymizeParameters
    distortion: Distortion
    optimal: bool
    statement: str
    audit: AuditResult
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kept.shape != (self.table.n_records,):
            raise ParameterError("kept", self.kept.shape, f"{self.table.n_records} positions, one a record")
        self.kept.flags.writeable = False

    @property
    def satisfied(self) -> bool:
        """Whether the records meet the target, by their audit."""
        return self.audit.satisfied

    def __repr__(self) -> str:
        asked = self.parameters
        target = f"k={asked.k}, ε={asked.epsilon:g}" + ("" if asked.l is None else f", l={asked.l:g}")
        return (
            f"<Anonymized by {self.method} ({target}): "
            f"{'satisfied' if self.satisfied else 'NOT satisfied'}, distortion {self.distortion.total:g}, "
            f"{self.distortion.records_withheld} records withheld>"
        )

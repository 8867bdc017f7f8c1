"""Attacking many targets and judging the answers: success, false positives, risk, with intervals.

Implements the experiments of [NS08, §5]: auxiliary information is drawn from records, the algorithm is run on
the whole table, and once more with each target's own record taken out, where "no match" is the right answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.dates import has_dates
from ratingpriv.attack.evaluation.inference import Inference
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.learning import Learned
from ratingpriv.attack.evaluation.measures import Measures, finite
from ratingpriv.attack.evaluation.profile import Persons
from ratingpriv.attack.knowledge import Auxiliary, Drawn
from ratingpriv.base.cautions import Caution
from ratingpriv.base.provenance import tool
from ratingpriv.data.table import RatingTable, Selection
from ratingpriv.data.table.description import ColumnsDescription
from ratingpriv.documents import attack as documents
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "ratingpriv.attack/2"
"""Name and version of the JSON contract; bumped whenever a key changes its meaning or goes away."""


@dataclass(frozen=True, slots=True)
class AttackedDataset:
    """What was attacked."""

    name: str
    records: int
    issues: int
    ratings: int
    dates: bool
    sha256: str | None
    selection: Selection | None = None
    columns: ColumnsDescription = field(default_factory=ColumnsDescription)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the contract; the selection stands beside it there."""
        return document_of(documents.AttackedDataset, self, **self.columns.to_dict())

    @classmethod
    def of(cls, table: RatingTable) -> AttackedDataset:
        """Describe a table."""
        name, sha256 = table.origin.name, table.origin.sha256
        size, dates = (table.n_records, table.n_issues, table.n_ratings), has_dates(table)
        return cls(name, *size, dates, sha256, table.selection, ColumnsDescription.of(table))


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What an attack on many targets found.

    Attributes
    ----------
    parameters : the algorithm, its parameters, and how the auxiliary information was drawn, the seed included
    drawn : what the adversary knew, and the targets of whom too little is known
    persons : who the targets are in the original; the table itself, unless that is a release
    attacked : the answers
    absent : the answers with each target's own record taken out, None if that was not tried
    learned : what the candidates give away
    record_ids : polars Series (n,), ids as in the data
    """

    dataset: AttackedDataset
    parameters: Mapping[str, Any]
    measures: Measures
    drawn: Drawn
    persons: Persons
    judging: Judging
    attacked: Attacked
    absent: Attacked | None
    learned: Learned
    cautions: tuple[Caution, ...]
    record_ids: pl.Series

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

    @property
    def auxiliary(self) -> Auxiliary:
        """What the adversary knew; ``targets`` are the right answers."""
        return self.drawn.auxiliary

    @property
    def could_not_attack(self) -> int:
        """For how many targets no attack could be made; they are never counted as safe."""
        return self.drawn.could_not_attack

    @property
    def names(self) -> tuple[str, ...]:
        """What the targets are called, (T,)."""
        return self.persons.names

    @property
    def similarity(self) -> NDArray[np.float64] | None:
        """Sim of the named record and the target's, float64 (T,): NaN where none is named; None without θ."""
        return self.learned.similarity_of_named(self.attacked)

    @property
    def disclosed(self) -> NDArray[np.bool_]:
        """For which targets the best candidates are identical, the target's own among them, bool (T,)."""
        return self.learned.disclosed

    @property
    def inference(self) -> Inference | None:
        """What was learned of the targets' sensitive and unknown ratings; None if that was not asked."""
        return self.learned.inference

    @property
    def succeeded(self) -> NDArray[np.bool_]:
        """For which targets the declared record (of equals the first) is the true one, bool (T,)."""
        right: NDArray[np.bool_] = (self.attacked.best >= 0) & (self.attacked.best == self.auxiliary.targets)
        return right

    @property
    def chances(self) -> NDArray[np.float64]:
        """How likely the record that is named for each target is the true one, float64 (T,)."""
        return self.attacked.chances(self.auxiliary.targets)

    def exceeds(self, rate: float) -> bool:
        """Whether the success may be above ``rate``.

        A disclosed profile is a success, too, if only of all ratings. It may be above if the upper end of any
        of these intervals or the random-guess baseline is, or if nothing was measured.
        """
        measures = self.measures
        shares = (measures.success, measures.profile, measures.rating_profile)
        high = max(measures.baseline, *(share.high for share in shares))
        return not measures.measured or high > rate

    def per_target(self, show: int | None = None) -> list[dict[str, Any]]:
        """Return a row a target: the declared record, how sure, and the best candidates.

        ``correct`` and ``profile`` are None where the right answer is not known; numbers that do not exist
        are None. Where a ``coin`` decides among equals, ``match`` and ``correct`` are None, too, and
        ``chance`` is how likely the coin is right. ``show`` cuts the list.
        """
        answers, succeeded, chances = self.attacked, self.succeeded, self.chances
        judged, similarity, tossed = self.persons.judged, self.similarity, answers.tossed
        false = None if self.absent is None else self.absent.matched
        inferred = None if self.inference is None else self.inference.chances
        return [
            {
                "target": name,
                "match": None if tossed[t] else self._id(int(answers.best[t])),
                "coin": bool(tossed[t]),
                "correct": bool(succeeded[t]) if judged[t] and not tossed[t] else None,
                "chance": float(chances[t]) if judged[t] else None,
                "eccentricity": finite(answers.eccentricity[t]),
                "entropy_bits": finite(answers.entropy_bits[t]),
                "rank": finite(answers.rank_true[t]),
                "profile": bool(self.disclosed[t]) if judged[t] else None,
                **({} if similarity is None else {"similarity": finite(similarity[t])}),
                **(
                    {}
                    if inferred is None
                    else {"inferred": {key: finite(inferred[key][t]) for key in inferred}}
                ),
                "match_when_absent": None if false is None else bool(false[t]),
                "candidates": self.candidates(t),
            }
            for t, name in enumerate(self.names[:show])
        ]

    def candidates(self, target: int) -> list[dict[str, Any]]:
        """Return the best candidates of target number ``target``: record, score and probability."""
        answers = self.attacked
        return [
            {"record": self._id(int(record)), "score": float(score), "probability": float(probability)}
            for record, score, probability in zip(
                answers.candidates[target], answers.scores[target], answers.probabilities[target], strict=True
            )
            if record >= 0
        ]

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.attack/2`` as plain dicts, lists, strings and numbers."""
        return {
            "schema": SCHEMA,
            "tool": tool(),
            "dataset": self.dataset.to_dict(),
            "selection": None if self.dataset.selection is None else self.dataset.selection.to_dict(),
            "parameters": {**self.parameters, "seed": self.parameters.get("seed")},
            "targets": self.measures.targets,
            **self.measures.to_dict(),
            "inference": None if self.inference is None else self.inference.to_dict(),
            "could_not_attack": self.could_not_attack,
            "reasons": dict(self.drawn.reasons),
            "warnings": list(self.warnings),
            "cautions": [caution.to_dict() for caution in self.cautions],
            **({"per_target": self.per_target()} if per_target else {}),
        }

    def __repr__(self) -> str:
        rate = self.measures.success.rate
        shown = "nothing measured" if rate is None else f"{rate:.3f} identified"
        return f"<Experiment on {self.dataset.name!r}: {self.measures.targets} targets, {shown}>"

    def _id(self, position: int) -> str | None:
        return None if position < 0 else str(self.record_ids[position])

"""Attacking many targets and judging the answers: success, false positives, risk, with intervals.

Implements the experiments of [NS08, §5]: auxiliary information is drawn from records, the algorithm is run on
the whole table, and once more with each target's own record taken out, where "no match" is the right answer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import attack_with, index_of, scoring_of
from ratingpriv.attack.algorithms.result import Attacked
from ratingpriv.attack.evaluation.cautions import cautions, disclosure_cautions, identity_cautions
from ratingpriv.attack.evaluation.inference import Inference
from ratingpriv.attack.evaluation.learning import Learned, learn
from ratingpriv.attack.evaluation.measures import TOP, Measures, correct, measure
from ratingpriv.attack.evaluation.profile import Persons
from ratingpriv.attack.intervals import METHODS, check_confidence
from ratingpriv.attack.knowledge import Auxiliary
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.provenance import tool
from ratingpriv.data.table import RatingTable, Selection
from ratingpriv.data.table.description import ColumnsDescription
from ratingpriv.proximity.reservations import of_columns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SCHEMA", "AttackedDataset", "Experiment", "check_judging", "experiment"]

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
        """Return the attributes as the JSON contract has them; the selection stands beside them there."""
        described = dataclasses.asdict(self)
        del described["selection"], described["columns"]
        return {**described, **self.columns.to_dict()}

    @classmethod
    def of(cls, table: RatingTable) -> AttackedDataset:
        """Describe a table."""
        dates = table.timestamps is not None and table.timestamps.null_count() < len(table.timestamps)
        return cls(
            table.origin.name, table.n_records, table.n_issues, table.n_ratings, dates, table.origin.sha256,
            table.selection, ColumnsDescription.of(table),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What an attack on many targets found.

    Attributes
    ----------
    dataset : what was attacked
    parameters : the algorithm, its parameters, and how the auxiliary information was drawn, the seed included
    measures : the results
    auxiliary : what the adversary knew
    truth : int64 (T,); position of each target's true record, -1 where it is not in the table
    judged : bool (T,); for which targets the right answer is known
    attacked : the answers
    learned : what the candidates give away
    similarity : float64 (T,); Sim of the named record and the target's, NaN where none is named; None without
        θ
    absent : the answers with each target's own record taken out, None if that was not tried
    could_not_attack : targets for which no attack could be made; they are never counted as safe
    reasons : how many those are, by reason
    cautions : what to know before relying on the result
    record_ids : polars Series (n,), ids as in the data
    names : (T,), what the targets are called
    """

    dataset: AttackedDataset
    parameters: Mapping[str, Any]
    measures: Measures
    auxiliary: Auxiliary
    truth: NDArray[np.int64]
    judged: NDArray[np.bool_]
    attacked: Attacked
    absent: Attacked | None
    learned: Learned
    similarity: NDArray[np.float64] | None
    could_not_attack: int
    reasons: Mapping[str, int]
    cautions: tuple[Caution, ...]
    record_ids: pl.Series
    names: tuple[str, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of ``cautions``."""
        return tuple(caution.message for caution in self.cautions)

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
        return correct(self.attacked, self.truth)

    @property
    def chances(self) -> NDArray[np.float64]:
        """How likely the record that is named for each target is the true one, float64 (T,)."""
        return self.attacked.chances(self.truth)

    def exceeds(self, rate: float) -> bool:
        """Whether the success may be above ``rate``.

        A disclosed profile is a success, too, if only of all ratings. It may be above if the upper end of any
        of these intervals or the
        random-guess baseline is, or if nothing was measured.
        """
        measures = self.measures
        high = max(
            measures.success.high,
            measures.profile.high,
            measures.rating_profile.high,
            measures.baseline,
        )
        return not measures.measured or high > rate

    def per_target(self, show: int | None = None) -> list[dict[str, Any]]:
        """Return a row a target: the declared record, how sure, and the best candidates.

        ``correct`` and ``profile`` are None where the right answer is not known; numbers that do not exist
        are None. Where a ``coin`` decides among equals, ``match`` and ``correct`` are None, too, and
        ``chance`` is how likely the coin is right. ``show`` cuts the list.
        """
        answers, succeeded, chances = self.attacked, self.succeeded, self.chances
        tossed = answers.tossed
        false = None if self.absent is None else self.absent.matched
        return [
            {
                "target": name,
                "match": None if tossed[at] else self._id(int(answers.best[at])),
                "coin": bool(tossed[at]),
                "correct": bool(succeeded[at]) if self.judged[at] and not tossed[at] else None,
                "chance": float(chances[at]) if self.judged[at] else None,
                "eccentricity": _number(answers.eccentricity[at]),
                "entropy_bits": _number(answers.entropy_bits[at]),
                "rank": _number(answers.rank_true[at]),
                "profile": bool(self.disclosed[at]) if self.judged[at] else None,
                **self._learned(at),
                "match_when_absent": None if false is None else bool(false[at]),
                "candidates": self.candidates(at),
            }
            for at, name in enumerate(self.names[:show])
        ]

    def _learned(self, target: int) -> dict[str, Any]:
        """Return the similarity, with θ, and how likely each sensitive value is guessed, if asked."""
        learned: dict[str, Any] = {}
        if self.similarity is not None:
            learned["similarity"] = _number(self.similarity[target])
        if self.inference is not None:
            chances = self.inference.chances
            learned["inferred"] = {name: _number(values[target]) for name, values in chances.items()}
        return learned

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
            "reasons": dict(self.reasons),
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


def experiment(
    table: RatingTable,
    auxiliary: Auxiliary,
    *,
    algorithm: str = "scoreboard-rh",
    options: Mapping[str, Any] | None = None,
    judged: NDArray[np.bool_] | None = None,
    drawn: Mapping[str, Any] | None = None,
    could_not_attack: int = 0,
    reasons: Mapping[str, int] | None = None,
    persons: Persons | None = None,
    false_positives: bool = True,
    theta: float | None = None,
    inference: bool = True,
    interval: str = "wilson",
    confidence: float = 0.95,
    top: int = 10,
    names: Sequence[str] | None = None,
    index: Index | None = None,
    answers: tuple[Attacked, Attacked | None] | None = None,
    learned: Learned | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Experiment:
    """Attack ``table`` with given auxiliary information, and judge the answers.

    Parameters
    ----------
    auxiliary : what is known; ``targets`` are the right answers
    judged : bool (T,); for which targets the right answer is known; None: those whose record is in the table
    drawn : how the auxiliary information came about, for ``parameters``
    could_not_attack, reasons : targets that are not in ``auxiliary`` because too little is known of them
    persons : who the targets are in the original, where ``table`` is its release; None: ``table`` is the
        original
    names : what the targets are called; default: the auxiliary's labels, or the ids of the records
    answers : what the algorithm answered already, and with each target's own record taken out
    learned : what the candidates give away, where it is known already: all algorithms that go by the same
        scores learn the same
    others : as :func:`ratingpriv.attack.evaluation.suite.run`
    """
    check_judging(theta, interval, confidence)
    checks.flag("false_positives", false_positives)
    resources = Resources(threads, memory, progress)
    names = _names(table, auxiliary) if names is None else tuple(names)
    truth = auxiliary.targets
    judged = truth >= 0 if judged is None else np.asarray(judged, dtype=bool)
    given: dict[str, Any] = {"options": options, "top": top, "resources": resources}
    if index is None:
        index = index_of(table, dated=auxiliary.dated, options=options)
    if answers is None:
        attacked = attack_with(algorithm, index, dataclasses.replace(auxiliary, absent=False), **given)
        absent = None
        if false_positives:
            absent = attack_with(algorithm, index, dataclasses.replace(auxiliary, absent=True), **given)
    else:
        attacked, absent = answers
    persons = Persons(table, truth, auxiliary) if persons is None else persons
    if learned is None:
        scoring = scoring_of(algorithm, index, dataclasses.replace(auxiliary, absent=False), options)
        learned = learn(
            scoring, persons, judged, similarity=theta is not None, inference=inference,
            resources=resources, confidence=confidence,
        )  # fmt: skip
    similarity = learned.similarity_of_named(attacked)
    measures = measure(
        attacked, truth, records=table.n_records, judged=judged, absent=absent, profile=learned.disclosed,
        rating_profile=learned.ratings_disclosed,
        similar=None if theta is None or similarity is None else similarity >= theta,
        top=TOP, interval=interval, confidence=confidence,
    )  # fmt: skip
    dataset = AttackedDataset.of(table)
    reasons = dict(reasons or {})
    return Experiment(
        dataset=dataset,
        parameters={
            "algorithm": algorithm, **attacked.parameters, **(drawn or {}),
            "theta": theta, "interval": interval, "confidence": confidence,
        },
        measures=measures,
        auxiliary=auxiliary,
        truth=truth,
        judged=judged,
        attacked=attacked,
        absent=absent,
        learned=learned,
        similarity=similarity,
        could_not_attack=could_not_attack,
        reasons=reasons,
        cautions=(
            *cautions(auxiliary, measures, could_not_attack, reasons, dates=dataset.dates),
            *of_columns(table),
            *identity_cautions(table, learned, dated=auxiliary.dated),
            *disclosure_cautions((learned,), measures.targets),
        ),
        record_ids=table.record_ids,
        names=names,
    )  # fmt: skip


def check_judging(theta: float | None, interval: str, confidence: float) -> None:
    """Raise ParameterError for what no answers could be judged by, before there are any."""
    if theta is not None and checks.non_negative_number("theta", theta) > 1:
        raise ParameterError("theta", theta, "a similarity from 0 to 1")
    checks.choice("interval", interval, METHODS)
    check_confidence(confidence)


def _names(table: RatingTable, auxiliary: Auxiliary) -> tuple[str, ...]:
    if auxiliary.labels is not None:
        return auxiliary.labels
    return tuple(
        str(table.record_ids[position]) if position >= 0 else f"target {number}"
        for number, position in enumerate(auxiliary.targets.tolist(), start=1)
    )


def _number(value: np.float64) -> float | None:
    return float(value) if np.isfinite(value) else None

"""Attacking many targets and judging the answers: success, false positives, risk, with intervals.

Implements the experiments of [NS08, §5]: auxiliary information is drawn from records, the algorithm is run on
the whole table, and once more with each target's own record taken out, where "no match" is the right answer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.driver import Attacked, attack_all
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import (
    Algorithms,
    fitting,
    index_of,
    named,
    options_of,
    scores_of,
    scorings_of,
)
from ratingpriv.attack.dates import has_dates
from ratingpriv.attack.evaluation.cautions import cautions
from ratingpriv.attack.evaluation.inference import Inference
from ratingpriv.attack.evaluation.learning import Learned, learn
from ratingpriv.attack.evaluation.measures import Measures, finite, measure
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge import Auxiliary, Drawn
from ratingpriv.attack.knowledge.auxiliary import Persons
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.provenance import tool
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import attack as documents
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What an attack on many targets found.

    Attributes
    ----------
    dated : whether the data have any date
    parameters : the algorithm, its parameters, and how the auxiliary information was drawn, the seed included
    drawn : what the adversary knew, and the targets of whom too little is known
    persons : who the targets are in the original; the table itself, unless that is a release
    attacked : the answers
    absent : the answers with each target's own record taken out, None if that was not tried
    learned : what the candidates give away
    record_ids : polars Series (n,), ids as in the data
    """

    dataset: TableDescription
    dated: bool
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
        judged, tossed = self.persons.judged, answers.tossed
        similarity = self.learned.similarity_of_named(answers)
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
                "profile": bool(self.learned.disclosed[t]) if judged[t] else None,
                **({} if similarity is None else {"similarity": finite(similarity[t])}),
                **(
                    {}
                    if inferred is None
                    else {"inferred": {key: finite(inferred[key][t]) for key in inferred}}
                ),
                "match_when_absent": None if false is None else bool(false[t]),
                "candidates": self.candidates(t),
            }
            for t, name in enumerate(self.persons.names[:show])
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
            "schema": documents.Attack.__struct_config__.tag,
            "tool": tool(),
            "dataset": document_of(documents.AttackedDataset, self.dataset, dates=self.dated),
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


def experiment(
    table: RatingTable,
    drawn: Drawn,
    algorithm: str = "scoreboard-rh",
    options: Mapping[str, Any] | None = None,
    *,
    judging: Judging = Judging(),
    index: Index | None = None,
    resources: Resources = Resources(),
) -> Experiment:
    """Attack ``table`` with what is known of some targets, by one algorithm, and judge the answers.

    Parameters
    ----------
    drawn : what :func:`ratingpriv.attack.draw` drew, or ``Drawn(auxiliary)``
    algorithm, options : one of :data:`ratingpriv.attack.algorithms.methods.ALGORITHMS`, and its own options.
        Scoreboard's tolerances, where not given, are the errors of the draw
    index : the table's inverted lists, if it is attacked more than once

    Raises
    ------
    ParameterError
        There is no such algorithm or option, or what is known does not fit the table.
    """
    algorithms = options_of(algorithm, options)
    return attack_each(table, drawn, algorithms, judging=judging, index=index, resources=resources)[0]


def attack_each(
    table: RatingTable,
    drawn: Drawn,
    algorithms: Algorithms,
    *,
    judging: Judging = Judging(),
    persons: Persons | None = None,
    index: Index | None = None,
    resources: Resources = Resources(),
) -> tuple[Experiment, ...]:
    """Attack ``table`` with each of the algorithms, and judge the answers of each.

    The algorithm is run on the whole table, and once more with each target's own record taken out, where "no
    match" is the right answer [NS08, §5]. ``persons``: who the targets are in the original, where ``table``
    is its release; None: it is the original.
    """
    persons = persons or Persons(table, drawn.auxiliary)
    algorithms = {name: fitting(name, options, drawn.parameters) for name, options in algorithms.items()}
    if index is None:
        index = index_of(table, dated=drawn.auxiliary.dated, algorithms=algorithms)
    present, absent = (
        scorings_of(algorithms, index, dataclasses.replace(drawn.auxiliary, absent=away)) if tried else {}
        for away, tried in ((False, True), (True, judging.false_positives))
    )
    answers, without = (
        {scores: attack_all(each, top=judging.top, resources=resources) for scores, each in scored.items()}
        for scored in (present, absent)
    )
    learned = {scores: learn(each, persons, judging, resources) for scores, each in present.items()}
    every = tuple(learned.values())
    dataset, dated = TableDescription.of(table), has_dates(table)
    told = {"theta": judging.theta, "interval": judging.interval, "confidence": judging.confidence}
    attacks = []
    for name in algorithms:
        scores = scores_of(name)
        attacked = named(name, answers[scores])
        missed = named(name, without[scores]) if without else None
        measures = measure(
            attacked,
            drawn.auxiliary.targets,
            records=table.n_records,
            judged=persons.judged,
            absent=missed,
            learned=learned[scores],
            judging=judging,
        )
        attacks.append(
            Experiment(
                dataset=dataset,
                dated=dated,
                parameters={"algorithm": name, **attacked.parameters, **drawn.parameters, **told},
                measures=measures,
                drawn=drawn,
                persons=persons,
                judging=judging,
                attacked=attacked,
                absent=missed,
                learned=learned[scores],
                cautions=tuple(cautions(table, drawn, measures, learned[scores], every)),
                record_ids=table.record_ids,
            )
        )
    return tuple(attacks)


def place_of_strongest(attacks: Sequence[Experiment]) -> int:
    """Return the place of the attack that succeeds most often; of equals the last, which names more often.

    All attacks are on the same targets, so that it also has the highest interval.
    """
    rates = [round(attack.measures.success.rate or 0.0, 12) for attack in attacks]
    return max(range(len(attacks)), key=lambda place: (rates[place], place))

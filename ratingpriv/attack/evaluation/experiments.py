"""Attacking many targets and judging the answers: success, false positives, risk, with intervals.

Implements the experiments of [NS08, §5]: auxiliary information is drawn from records, the algorithm
is run on the whole table, and once more with each target's own record taken out, where "no match"
is the right answer.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.attack.algorithms.attacked import Attacked
from ratingpriv.attack.algorithms.driver import attack_all
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import (
    Algorithms,
    fitting,
    index_of,
    named,
    options_of,
    scorings_of,
)
from ratingpriv.attack.dates import has_dates
from ratingpriv.attack.evaluation.inference import Inference
from ratingpriv.attack.evaluation.learning import Learned, identical_records, learn
from ratingpriv.attack.evaluation.measures import Measures, finite, measure
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge import Auxiliary, Drawn, Knowledge, draw
from ratingpriv.attack.knowledge.auxiliary import Persons
from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.provenance import tool
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import attack as documents
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.reservations import of_columns

if TYPE_CHECKING:
    import polars as pl

VARIED = ("known", "wrong", "unrated", "rating_error", "date_error", "items", "knows_count")
"""What can be varied, in the order of the rows."""

FEW = 100
"""With fewer targets than this the result says that its intervals are wide."""


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """What an attack on many targets found.

    Attributes
    ----------
    dataset : the data that were attacked
    measures : what the attack did
    judging : how its success is counted
    cautions : what to know before relying on it
    dated : whether the data have any date
    parameters : the algorithm, its parameters, and how the auxiliary information was drawn, the
        seed included
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
        """What was learned of the targets' sensitive and unknown ratings.

        None if that was not asked.
        """
        return self.learned.inference

    @property
    def succeeded(self) -> NDArray[np.bool_]:
        """For which targets the declared record (of equals the first) is the true one,
        bool (T,).
        """
        right: NDArray[np.bool_] = (self.attacked.best >= 0) & (
            self.attacked.best == self.auxiliary.targets
        )
        return right

    @property
    def chances(self) -> NDArray[np.float64]:
        """How likely the record that is named for each target is the true one, float64 (T,)."""
        return self.attacked.chances(self.auxiliary.targets)

    def exceeds(self, rate: float) -> bool:
        """Whether the success may be above ``rate``.

        A disclosed profile is a success, too, if only of all ratings. It may be above if the upper
        end of any of these intervals or the random-guess baseline is, or if nothing was measured.
        """
        measures = self.measures
        shares = (measures.success, measures.profile, measures.rating_profile)
        high = max(measures.baseline, *(share.high for share in shares))
        return not measures.measured or high > rate

    def per_target(self, show: int | None = None) -> list[dict[str, Any]]:
        """Return a row a target: the declared record, how sure, and the best candidates.

        ``correct`` and ``profile`` are None where the right answer is not known; numbers that do
        not exist are None. Where a ``coin`` decides among equals, ``match`` and ``correct`` are
        None, too, and ``chance`` is how likely the coin is right. ``show`` cuts the list.
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
            {
                "record": self._id(int(record)),
                "score": float(score),
                "probability": float(probability),
            }
            for record, score, probability in zip(
                answers.candidates[target],
                answers.scores[target],
                answers.probabilities[target],
                strict=True,
            )
            if record >= 0
        ]

    def to_dict(self, *, per_target: bool = False) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.attack/2`` as plain dicts, lists,
        strings and numbers.
        """
        return {
            "schema": documents.Attack.__struct_config__.tag,
            "tool": tool(),
            "dataset": document_of(documents.AttackedDataset, self.dataset, dates=self.dated),
            "selection": None
            if self.dataset.selection is None
            else self.dataset.selection.to_dict(),
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
        shown = "nothing measured" if rate is None else f"{rate:.3f} re-identified"
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
    algorithm, options : one of :data:`ratingpriv.attack.algorithms.algorithm.ALGORITHMS`, and its
        own options. Scoreboard's tolerances, where not given, are the errors of the draw
    index : the table's inverted lists, if it is attacked more than once

    Raises
    ------
    ParameterError
        There is no such algorithm or option, or what is known does not fit the table.
    """
    algorithms = options_of(algorithm, options)
    return attack_each(table, drawn, algorithms, judging=judging, index=index, resources=resources)[
        0
    ]


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

    The algorithm is run on the whole table, and once more with each target's own record taken out,
    where "no match" is the right answer [NS08, §5]. ``persons``: who the targets are in the
    original, where ``table`` is its release; None: it is the original.
    """
    persons = persons or Persons(table, drawn.auxiliary)
    algorithms = {
        name: fitting(name, options, drawn.parameters) for name, options in algorithms.items()
    }
    if index is None:
        index = index_of(table, dated=drawn.auxiliary.dated, algorithms=algorithms)
    present, absent = (
        scorings_of(algorithms, index, dataclasses.replace(drawn.auxiliary, absent=away))
        if tried
        else {}
        for away, tried in ((False, True), (True, judging.false_positives))
    )
    answers, without = (
        {
            scores: attack_all(each, top=judging.top, resources=resources)
            for scores, each in scored.items()
        }
        for scored in (present, absent)
    )
    learned = {scores: learn(each, persons, judging, resources) for scores, each in present.items()}
    every = tuple(learned.values())
    dataset, dated = TableDescription.of(table), has_dates(table)
    measuring = {
        "theta": judging.theta,
        "interval": judging.interval,
        "confidence": judging.confidence,
    }
    attacks = []
    for name in algorithms:
        scores = ALGORITHMS[name].scores
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
                parameters={
                    "algorithm": name,
                    **attacked.parameters,
                    **drawn.parameters,
                    **measuring,
                },
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
    """Return the place of the attack that succeeds most often.

    Of equals the last, which names more often.

    All attacks are on the same targets, so that it also has the highest interval.
    """
    rates = [round(attack.measures.success.rate or 0.0, 12) for attack in attacks]
    return max(range(len(attacks)), key=lambda place: (rates[place], place))


def cautions(
    table: RatingTable, drawn: Drawn, measures: Measures, learned: Learned, every: Sequence[Learned]
) -> Iterator[Caution]:
    """Yield what to know of the attack of one algorithm on ``table``.

    Of what people disclose, what ``every`` algorithm that was tried ``learned`` is told: the
    knowledge is the same, and so is the adversary.
    """
    auxiliary, could_not_attack = drawn.auxiliary, drawn.could_not_attack
    dates = has_dates(table)
    if not measures.measured:
        yield Caution(
            "not-measured", "No attack was measured: this says nothing about how safe the data are"
        )
    if could_not_attack:
        yield Caution(
            "targets-not-attacked",
            f"not attacked: {could_not_attack} of {could_not_attack + auxiliary.n_targets} targets "
            f"({'; '.join(drawn.reasons)}); no rate covers them"
            + (
                "; attack with a lower `known`, too"
                if could_not_attack > auxiliary.n_targets
                else ""
            ),
        )
    if measures.records == 1:
        yield Caution(
            "single-record",
            "There is one record only: an adversary who knows that the target is in the data "
            "knows the record",
        )
    if 0 < measures.targets < FEW:
        attacked = "1 target was" if measures.targets == 1 else f"{measures.targets} targets were"
        yield Caution("few-targets", f"Only {attacked} attacked: the intervals are wide")
    if dates and not auxiliary.dated and auxiliary.n_targets:
        yield Caution(
            "dates-not-known",
            "The data have dates and the adversary was given none: one who knows some does better",
        )
    if auxiliary.dated and not dates:
        yield Caution("dates-not-used", "Known dates were not used: the data have none")
    lost = int(np.count_nonzero(auxiliary.issues < 0))
    if lost:
        yield Caution(
            "issues-unknown",
            f"{lost} of {len(auxiliary.issues)} known ratings are of items that are not in this "
            "table",
        )
    yield from of_columns(table)
    # where known dates may tell identical records apart, they can be named
    if learned.several.any() and not (auxiliary.dated and table.timestamps is not None):
        fewest = identical_records(table)
        if fewest > 1:
            yield Caution(
                "identical-records",
                f"Every record of the file is identical with at least {fewest - 1} others, so no "
                f"attack can name one (by a coin: 1 in {fewest} at most), which proves nothing: "
                "judge the file by profile disclosure and attribute inference",
            )
    yield from _disclosure_cautions(every, measures.targets)


def _disclosure_cautions(learned: Sequence[Learned], targets: int) -> Iterator[Caution]:
    """Yield what is disclosed of people who need not be identified for it.

    ``learned``: by the scores that the attacks go by; of each number the largest is told, of
    ``targets``.
    """
    alike = max(
        (int(np.count_nonzero(each.disclosed & each.several)) for each in learned), default=0
    )
    if alike:
        yield Caution(
            "profile-disclosed",
            f"Of {alike} of {targets} targets several records fit best and are identical, the "
            "target's among them: all that the file has about the target is disclosed",
        )
    in_ratings = max(
        (int(np.count_nonzero(each.ratings_disclosed & each.several)) for each in learned),
        default=0,
    )
    if in_ratings > alike:
        yield Caution(
            "ratings-disclosed",
            f"Of {in_ratings} of {targets} targets several records fit best and have identical "
            f"ratings, the "
            "target's among them, though not all of their sensitive values are the same: all "
            "ratings in the "
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
            "Sensitive values are inferred better than by their commonest value, with or without "
            f"re-identification: {', '.join(guessed)}",
        )


def one_algorithm(name: str) -> Caution:
    """Return that the algorithm called ``name`` was chosen, and no other one was tried."""
    return Caution(
        "one-algorithm",
        f"Only {name} was run, of {len(ALGORITHMS)} algorithms: another one may re-identify more. "
        "Without `algorithm` all are run, and the strongest is reported",
    )


@dataclass(frozen=True, slots=True)
class Point:
    """A setting, and what the strongest attack did.

    Attributes
    ----------
    setting : a value for each name in VARIED, as it was used
    algorithm : the attack that re-identified most
    measures : what it did
    could_not_attack : targets of whom too little is known
    """

    setting: Mapping[str, Any]
    algorithm: str
    measures: Measures
    could_not_attack: int

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and the measures that a table or a figure shows."""
        counted = {"algorithm": self.algorithm, "could_not_attack": self.could_not_attack}
        return document_of(documents.SweepPoint, self.measures, **self.setting, **counted)


@checks.takes_random_state
def sweep(
    table: RatingTable,
    knowledge: Knowledge,
    varied: Mapping[str, Sequence[Any]],
    *,
    algorithms: Algorithms | None = None,
    judging: Judging = Judging(),
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    resources: Resources = Resources(),
) -> tuple[Point, ...]:
    """Attack at every combination of the given values; a point is the strongest attack there.

    The last of VARIED varies fastest. All points have one seed: the same targets, and where they
    can issues.

    Parameters
    ----------
    knowledge : what is known at each point, but for what is varied
    varied : values by names of VARIED. Combinations with more wrong and unrated than known are left
        out
    algorithms : as for :func:`ratingpriv.attack.evaluation.experiments.attack_each`; None: all
    rng : the seed of every point; a Generator or None draws one
    random_state : the same as ``rng``, by scikit-learn's name; one of the two

    Raises
    ------
    ParameterError
        A value is out of range, or no combination is left.
    """
    every: dict[str, Sequence[Any]] = {}
    for name in VARIED:
        value = varied.get(name, getattr(knowledge, name))
        listed = checks.several(value)
        # one value, text or None, stands for itself
        every[name] = [value] if listed is None else listed
    combinations = (
        dict(zip(VARIED, values, strict=True)) for values in itertools.product(*every.values())
    )
    settings = [
        dataclasses.replace(knowledge, **setting) for setting in combinations if _possible(setting)
    ]
    if not settings:
        raise ParameterError("wrong", every["wrong"], "at most as many as are known")
    seed = checks.seed_from(rng)
    judging = dataclasses.replace(judging, inference=False)
    dated = any(error is not None for error in every["date_error"])
    index = index_of(table, dated=dated, algorithms=algorithms)
    points = []
    for number, setting in enumerate(settings):
        resources.report("sweeping", number, len(settings))
        drawn = draw(table, setting, rng=seed)
        run = algorithms or options_of(None, None)
        attacks = attack_each(table, drawn, run, judging=judging, index=index, resources=resources)
        strongest = attacks[place_of_strongest(attacks)]
        used, name = {name: drawn.parameters[name] for name in VARIED}, strongest.attacked.algorithm
        points.append(Point(used, name, strongest.measures, strongest.could_not_attack))
    return tuple(points)


def _possible(setting: Mapping[str, Any]) -> bool:
    """Whether no more are wrong or unrated than known.

    If that is no number, Knowledge will see to it.
    """
    n_known, wrong, unrated = (setting[name] for name in ("known", "wrong", "unrated"))
    return not isinstance(n_known, int) or (
        wrong <= n_known and (unrated == 0 or unrated <= n_known - max(wrong, 1))
    )

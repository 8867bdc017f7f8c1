"""Several attacks with the same knowledge: what is scored alike is scored once, and the strongest counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ratingpriv.attack.algorithms.driver import attack_all
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
from ratingpriv.attack.evaluation.cautions import cautions, disclosure_cautions
from ratingpriv.attack.evaluation.experiments import AttackedDataset, Experiment
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.learning import learn
from ratingpriv.attack.evaluation.measures import measure
from ratingpriv.attack.evaluation.profile import Persons
from ratingpriv.attack.knowledge import Drawn
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable


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
    dataset = AttackedDataset.of(table)
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
                parameters={"algorithm": name, **attacked.parameters, **drawn.parameters, **told},
                measures=measures,
                drawn=drawn,
                persons=persons,
                judging=judging,
                attacked=attacked,
                absent=missed,
                learned=learned[scores],
                cautions=tuple(cautions(table, drawn, measures, learned[scores])),
                record_ids=table.record_ids,
            )
        )
    return tuple(attacks)


def told_of_all(attacks: Sequence[Experiment]) -> tuple[Experiment, ...]:
    """Let every attack say what any of them disclosed: the knowledge is the same, and so is the adversary."""
    every = list({id(attack.learned): attack.learned for attack in attacks}.values())
    if len(every) < 2:
        return tuple(attacks)
    shared = tuple(disclosure_cautions(every, attacks[0].measures.targets))

    def telling(attack: Experiment) -> Experiment:
        own = tuple(disclosure_cautions((attack.learned,), attack.measures.targets))
        others = (caution for caution in attack.cautions if caution not in own)
        return dataclasses.replace(attack, cautions=(*others, *shared))

    return tuple(telling(attack) for attack in attacks)


def place_of_strongest(attacks: Sequence[Experiment]) -> int:
    """Return the place of the attack that succeeds most often; of equals the last, which names more often.

    All attacks are on the same targets, so that it also has the highest interval.
    """
    rates = [round(attack.measures.success.rate or 0.0, 12) for attack in attacks]
    return max(range(len(attacks)), key=lambda place: (rates[place], place))

"""Several attacks with the same knowledge: what is scored alike is scored once, and the strongest counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import answers_of, fitting, index_of, options_of, scores_alike
from ratingpriv.attack.evaluation.cautions import disclosure_cautions
from ratingpriv.attack.evaluation.experiments import Experiment, check_judging, experiment
from ratingpriv.attack.knowledge import Auxiliary
from ratingpriv.attack.knowledge.whole import draw_known
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.data.table import RatingTable

__all__ = ["attack_each", "draw_and_attack", "place_of_strongest", "run", "told_of_all"]


def run(
    table: RatingTable,
    *,
    algorithm: str = "scoreboard-rh",
    options: Mapping[str, Any] | None = None,
    targets: int | Sequence[int] | NDArray[np.int64] | None = None,
    known: int = 8,
    wrong: int = 0,
    rating_error: float = 0.0,
    date_error: float | None = None,
    items: str = "uniform",
    short: str = "skip",
    unrated: int = 0,
    knows_count: float | None = None,
    knows: str | Sequence[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    false_positives: bool = True,
    theta: float | None = None,
    inference: bool = True,
    interval: str = "wilson",
    confidence: float = 0.95,
    top: int = 10,
    index: Index | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Experiment:
    """Draw what an adversary knows of some records of ``table``, attack with it, and judge the answers.

    Parameters
    ----------
    algorithm, options : see :func:`ratingpriv.attack.algorithms.methods.attack_with`
    targets, known, wrong, rating_error, date_error, items, short, unrated, knows_count, knows, rng : see
        :func:`ratingpriv.attack.knowledge.draw`
    false_positives : whether to attack once more with each target's own record taken out
    theta : θ from 0 to 1: also count for whom a record is named that is so similar to the target's [NS08,
        Def. 2]
    inference : whether to predict the targets' sensitive and unknown ratings
    interval, confidence : see :func:`ratingpriv.attack.intervals.share`
    top : how many candidates are kept for each target
    index : the table's inverted lists, if it is attacked more than once
    threads, memory, progress : as everywhere

    Raises
    ------
    ParameterError
        As the functions named above.
    """
    knowledge: dict[str, Any] = {
        "targets": targets, "known": known, "wrong": wrong, "rating_error": rating_error,
        "date_error": date_error, "items": items, "short": short, "unrated": unrated,
        "knows_count": knows_count, "knows": knows, "rng": rng,
    }  # fmt: skip
    return draw_and_attack(
        table, algorithm=algorithm, options=options, knowledge=knowledge, false_positives=false_positives,
        theta=theta, inference=inference, interval=interval, confidence=confidence, top=top, index=index,
        threads=threads, memory=memory, progress=progress,
    )[0]  # fmt: skip


def draw_and_attack(
    table: RatingTable,
    *,
    algorithm: str | None = None,
    options: Mapping[str, Any] | None = None,
    knowledge: Mapping[str, Any],
    extra: Mapping[str, Any] | None = None,
    **how: Any,
) -> tuple[Experiment, ...]:
    """Draw what an adversary knows once, and attack with each algorithm.

    Parameters
    ----------
    algorithm : one of ALGORITHMS; None: all of them
    options : of the algorithms; with None each takes those that it has
    knowledge : as for :func:`ratingpriv.attack.knowledge.whole.draw_known`
    extra : what else is to be in ``parameters`` of how the knowledge came about
    how : as for :func:`attack_each`

    Raises
    ------
    ParameterError
        As ``draw`` and ``experiment``.
    """
    given = options_of(algorithm, options)
    drawn = draw_known(table, **knowledge)
    told: Mapping[str, Any] = drawn.parameters
    requested = {
        one: fitting(one, chosen, told["rating_error"], told["date_error"]) for one, chosen in given.items()
    }
    return attack_each(
        table,
        drawn.auxiliary,
        requested,
        drawn={
            **{name: value for name, value in told.items() if name != "absent"},
            **(extra or {}),
        },
        could_not_attack=drawn.could_not_attack,
        reasons=drawn.reasons,
        **how,
    )


def attack_each(
    table: RatingTable,
    auxiliary: Auxiliary,
    requested: Mapping[str, Mapping[str, Any]],
    *,
    false_positives: bool = True,
    theta: float | None = None,
    interval: str = "wilson",
    confidence: float = 0.95,
    top: int = 10,
    index: Index | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **others: Any,
) -> tuple[Experiment, ...]:
    """Attack ``table`` with each of the algorithms, and judge the answers of each.

    Parameters
    ----------
    requested : the algorithms' names with their options, in the order of the results
    others : as for :func:`ratingpriv.attack.evaluation.experiments.experiment`

    Raises
    ------
    ParameterError
        As ``experiment``.
    """
    check_judging(theta, interval, confidence)
    checks.flag("false_positives", false_positives)
    resources = Resources(threads, memory, progress)
    if index is None:
        every = {name: value for options in requested.values() for name, value in options.items()}
        index = index_of(table, dated=auxiliary.dated, options=every)
    here, gone = (dataclasses.replace(auxiliary, absent=absent) for absent in (False, True))
    answers = answers_of(requested, index, here, top=top, resources=resources)
    absent = answers_of(requested, index, gone, top=top, resources=resources) if false_positives else {}
    attacks: list[Experiment] = []
    for algorithm, options in requested.items():
        learned = next(
            (one.learned for one in attacks if scores_alike(algorithm, one.parameters["algorithm"])), None
        )
        attacks.append(
            experiment(
                table,
                auxiliary,
                algorithm=algorithm,
                options=options,
                index=index,
                answers=(answers[algorithm], absent.get(algorithm)),
                learned=learned,
                threads=threads,
                memory=memory,
                progress=progress,
                theta=theta,
                interval=interval,
                confidence=confidence,
                **others,
            )
        )
    return tuple(attacks)


def told_of_all(attacks: Sequence[Experiment]) -> tuple[Experiment, ...]:
    """Let every attack say what any of them disclosed: the knowledge is the same, and so is the adversary."""
    every = list({id(one.learned): one.learned for one in attacks}.values())
    if len(every) < 2:
        return tuple(attacks)
    shared = tuple(disclosure_cautions(every, attacks[0].measures.targets))
    own = [tuple(disclosure_cautions((one.learned,), one.measures.targets)) for one in attacks]
    return tuple(
        dataclasses.replace(
            one, cautions=(*(caution for caution in one.cautions if caution not in mine), *shared)
        )
        for one, mine in zip(attacks, own, strict=True)
    )


def place_of_strongest(attacks: Sequence[Experiment]) -> int:
    """Return the place of the attack that succeeds most often; of equals the last, which names more often.

    All attacks are on the same targets, so that it also has the highest interval.
    """
    rates = [round(attack.measures.success.rate or 0.0, 12) for attack in attacks]
    return max(range(len(attacks)), key=lambda place: (rates[place], place))

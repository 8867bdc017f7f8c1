"""The same attack while what the adversary knows varies: the rows behind [NS08, Figs 4-12]."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.methods import index_of
from ratingpriv.attack.evaluation.experiments import AttackedDataset
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.evaluation.suite import draw_and_attack, place_of_strongest
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.data.table import RatingTable

__all__ = ["VARIED", "Point", "Sweep", "sweep"]

VARIED = ("known", "wrong", "unrated", "rating_error", "date_error", "items", "knows_count")
"""What can be varied, in the order of the rows."""


@dataclass(frozen=True, slots=True)
class Point:
    """One setting and what the attack did there.

    Attributes
    ----------
    setting : a value for each name in VARIED, as it was used
    algorithm : which attack was the strongest there
    measures : its results
    could_not_attack : targets of whom too little is known; they are in no rate
    """

    setting: Mapping[str, Any]
    algorithm: str
    measures: Measures
    could_not_attack: int

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and the measures that a table or a figure shows."""
        measures = self.measures
        return {
            **self.setting,
            "algorithm": self.algorithm,
            "targets": measures.targets,
            "could_not_attack": self.could_not_attack,
            "success": measures.success.to_dict(),
            "false_positive": measures.false_positive.to_dict(),
            "no_match": measures.no_match.to_dict(),
            "both_right": measures.both_right.to_dict(),
            "profile": measures.profile.to_dict(),
            **({} if measures.similar is None else {"similar": measures.similar.to_dict()}),
            "expected_risk": measures.expected_risk.to_dict(),
            "entropy_bits": measures.entropy_bits.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Sweep:
    """An attack at every combination of the varied values.

    Attributes
    ----------
    dataset : what was attacked
    algorithm : by which algorithm; None: by the strongest of all at each point
    varied : the names that take more than one value, in the order of VARIED
    points : one for each combination, the last name varying fastest
    seed : the seed; every point uses it, so that points share targets and, where they can, issues
    """

    dataset: AttackedDataset
    algorithm: str | None
    varied: tuple[str, ...]
    points: tuple[Point, ...]
    seed: int

    @property
    def measured(self) -> bool:
        """Whether an attack was measured at every point."""
        return all(point.measures.measured for point in self.points)

    def series(self, along: str) -> Iterator[tuple[Mapping[str, Any], tuple[Point, ...]]]:
        """Yield (the other varied names' values, points along ``along``) for each curve of a figure."""
        others = [name for name in self.varied if name != along]
        curves: dict[tuple[Any, ...], list[Point]] = {}
        for point in self.points:
            curves.setdefault(tuple(point.setting[name] for name in others), []).append(point)
        for key, points in curves.items():
            yield dict(zip(others, key, strict=True)), tuple(points)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the points as plain dicts, for ``sweep`` of ``ratingpriv.attack/2``."""
        return [point.to_dict() for point in self.points]


@checks.takes_random_state
def sweep(
    table: RatingTable,
    *,
    known: int | str | Sequence[int | str] | None = None,
    wrong: int | Sequence[int] = 0,
    unrated: int | Sequence[int] = 0,
    rating_error: float | Sequence[float] = 0.0,
    date_error: float | Sequence[float | None] | None = None,
    items: str | Sequence[str] = "uniform",
    knows_count: float | Sequence[float | None] | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    algorithm: str | None = None,
    options: Mapping[str, Any] | None = None,
    targets: int | Sequence[int] | NDArray[np.int64] | None = None,
    short: str = "skip",
    knows: str | Sequence[str] | None = None,
    progress: Progress | None = None,
    **others: Any,
) -> Sweep:
    """Attack at every combination of the given values; a point is the strongest attack there.

    Parameters
    ----------
    known, wrong, unrated, rating_error, date_error, items, knows_count : a value or several, as for
        :func:`ratingpriv.attack.knowledge.whole.draw_known`. Combinations with more wrong and unrated than
        known are left out
    rng : the seed of every point; a Generator or None draws one
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    algorithm, options : as for :func:`ratingpriv.attack.evaluation.suite.draw_and_attack`
    targets, short, knows : as for :func:`ratingpriv.attack.knowledge.draw`
    progress, others : as for :func:`ratingpriv.attack.evaluation.suite.attack_each`

    Raises
    ------
    ParameterError
        As ``draw_and_attack``; or no combination is left.
    """
    values = {
        "known": _several(known), "wrong": _several(wrong), "unrated": _several(unrated),
        "rating_error": _several(rating_error), "date_error": _several(date_error), "items": _several(items),
        "knows_count": _several(knows_count),
    }  # fmt: skip
    settings = [
        setting
        for combination in itertools.product(*values.values())
        if _possible(setting := dict(zip(VARIED, combination, strict=True)))
    ]
    if not settings:
        raise ParameterError("wrong", wrong, "at most as many as are known")
    seed = checks.seed_from(rng)
    dated = any(error is not None for error in values["date_error"])
    index = index_of(table, dated=dated, options=options)
    points = []
    for number, setting in enumerate(settings):
        if progress is not None:
            progress("sweeping", number, len(settings))
        attacks = draw_and_attack(
            table, algorithm=algorithm, options=options, index=index, inference=False,
            knowledge={**setting, "targets": targets, "short": short, "knows": knows, "rng": seed}, **others,
        )  # fmt: skip
        found = attacks[place_of_strongest(attacks)]
        used = {name: found.parameters[name] for name in VARIED}
        points.append(Point(used, found.parameters["algorithm"], found.measures, found.could_not_attack))
    varied = tuple(name for name in VARIED if len(values[name]) > 1)
    return Sweep(AttackedDataset.of(table), algorithm, varied, tuple(points), seed)


def _possible(setting: Mapping[str, Any]) -> bool:
    """Whether no more are wrong or unrated than known; if that is no number, drawing will see to it."""
    known, wrong, unrated = (setting[name] for name in ("known", "wrong", "unrated"))
    return not isinstance(known, int) or (
        wrong <= known and (unrated == 0 or unrated <= known - max(wrong, 1))
    )


def _several(value: Any) -> tuple[Any, ...]:
    """Return the values as a tuple; one value, text included, as a tuple of it. None is a value."""
    listed = checks.several(value)
    return (value,) if listed is None else tuple(listed)

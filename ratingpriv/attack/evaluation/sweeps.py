"""The same attack while what the adversary knows varies: the rows behind [NS08, Figs 4-12]."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ratingpriv.attack.algorithms.methods import Algorithms, index_of, options_of
from ratingpriv.attack.evaluation.experiments import attack_each, place_of_strongest
from ratingpriv.attack.evaluation.measures import Measures
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge import Knowledge, draw
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.attack import SweepPoint
from ratingpriv.documents.making import document_of

VARIED = ("known", "wrong", "unrated", "rating_error", "date_error", "items", "knows_count")
"""What can be varied, in the order of the rows."""


@dataclass(frozen=True, slots=True)
class Point:
    """A setting, with a value for each name in VARIED as it was used, and what the strongest attack did."""

    setting: Mapping[str, Any]
    algorithm: str
    measures: Measures
    could_not_attack: int

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and the measures that a table or a figure shows."""
        counted = {"algorithm": self.algorithm, "could_not_attack": self.could_not_attack}
        return document_of(SweepPoint, self.measures, **self.setting, **counted)


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

    The last of VARIED varies fastest. All points have one seed: the same targets, and where they can issues.

    Parameters
    ----------
    knowledge : what is known at each point, but for what is varied
    varied : values by names of VARIED. Combinations with more wrong and unrated than known are left out
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
        every[name] = [value] if listed is None else listed  # one value, text or None, stands for itself
    combinations = (dict(zip(VARIED, values, strict=True)) for values in itertools.product(*every.values()))
    settings = [dataclasses.replace(knowledge, **setting) for setting in combinations if _possible(setting)]
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
    """Whether no more are wrong or unrated than known; if that is no number, Knowledge will see to it."""
    known, wrong, unrated = (setting[name] for name in ("known", "wrong", "unrated"))
    return not isinstance(known, int) or (
        wrong <= known and (unrated == 0 or unrated <= known - max(wrong, 1))
    )

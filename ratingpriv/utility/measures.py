"""The measures of utility by name: where each is, what it needs, and which are quick; loaded when called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ratingpriv.base import checks

__all__ = ["MEASURES", "NAMES", "QUICK", "Measure", "chosen"]

NAMES = (
    "query_error", "membership_change", "classification", "centroid", "standard_deviation",
    "clustering_coefficient", "information_loss", "bias", "recommender", "structure", "questions",
)  # fmt: skip
"""Every measure. Each draws from the stream of its place here, so a new one goes to the end."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A function ``measure(pair, *, rng, resources, **settings) -> Measured``.

    Attributes
    ----------
    module, function : where it is
    settings : the settings of :func:`ratingpriv.utility` that it takes, each with its own name for it
    quick : whether it takes one pass over the ratings or few, and no model: ``anonymize`` measures it always
    """

    module: str
    function: str
    settings: Mapping[str, str] = field(default_factory=dict)
    quick: bool = False


_ROOM = "ratingpriv.utility"

MEASURES: dict[str, Measure] = {
    "query_error": Measure(f"{_ROOM}.query_error", "query_error", {"queries": "queries"}, quick=True),
    "membership_change": Measure(
        f"{_ROOM}.membership", "membership_change", {"clusters": "clusters", "cluster_nulls": "nulls"}
    ),
    "classification": Measure(
        f"{_ROOM}.classification", "classification", {"target": "target", "classifier": "classifier"}
    ),
    "centroid": Measure(f"{_ROOM}.centroid", "centroid", quick=True),
    "standard_deviation": Measure(f"{_ROOM}.standard_deviation", "standard_deviation", quick=True),
    "clustering_coefficient": Measure(
        f"{_ROOM}.clustering", "clustering_coefficient", {"epsilon": "epsilon", "nulls": "nulls"}
    ),
    "information_loss": Measure(f"{_ROOM}.information_loss", "information_loss", quick=True),
    "bias": Measure(f"{_ROOM}.bias", "bias", quick=True),
    "recommender": Measure(f"{_ROOM}.recommender", "recommender"),
    "structure": Measure(f"{_ROOM}.structure", "structure", quick=True),
    "questions": Measure(f"{_ROOM}.questions", "questions"),
}

QUICK = tuple(name for name in NAMES if name in MEASURES and MEASURES[name].quick)
"""Those that take one pass over the ratings or few."""


def chosen(measures: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the names of measures in the order of NAMES; None: all.

    Raises
    ------
    ParameterError
        There is no such measure, or none is named.
    """
    if measures is None:
        return tuple(name for name in NAMES if name in MEASURES)
    named = {checks.choice("measure", name, MEASURES) for name in checks.texts("measure", measures)}
    if not named:
        checks.choice("measure", None, MEASURES)
    return tuple(name for name in NAMES if name in named)

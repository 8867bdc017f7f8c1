"""The measures of utility by name: what each is set by, and which are quick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ratingpriv.base import checks
from ratingpriv.utility.classification import classification
from ratingpriv.utility.clustering import clustering_coefficient
from ratingpriv.utility.comparing import ALWAYS
from ratingpriv.utility.membership import membership_change
from ratingpriv.utility.query_error import query_error
from ratingpriv.utility.questions import questions
from ratingpriv.utility.ratings import (
    bias,
    centroid,
    information_loss,
    standard_deviation,
    structure,
)
from ratingpriv.utility.recommender import recommender
from ratingpriv.utility.result import Measured


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of utility: ``function(pair, *, rng, resources, **settings)``.

    ``settings`` are those of :func:`ratingpriv.utility` that it takes, each with its own name for
    it. What its values mean stands in :data:`ratingpriv.documents.utility.MEASURED`.
    """

    function: Callable[..., Measured]
    settings: Mapping[str, str] = field(default_factory=dict)


MEASURES: dict[str, Measure] = {
    "query_error": Measure(query_error, {"queries": "queries"}),
    "membership_change": Measure(
        membership_change, {"clusters": "clusters", "cluster_nulls": "nulls"}
    ),
    "classification": Measure(classification, {"target": "target", "classifier": "classifier"}),
    "centroid": Measure(centroid),
    "standard_deviation": Measure(standard_deviation),
    "clustering_coefficient": Measure(
        clustering_coefficient, {"epsilon": "epsilon", "nulls": "nulls"}
    ),
    "information_loss": Measure(information_loss),
    "bias": Measure(bias),
    "recommender": Measure(recommender),
    "structure": Measure(structure),
    "questions": Measure(questions),
}
"""Every measure. Each draws from the stream of its place here, so a new one goes to the end."""

NAMES = tuple(MEASURES)

QUICK = tuple(name for name in MEASURES if name in ALWAYS)
"""Those that ``anonymize`` measures always."""


def chosen(measures: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the names of measures in the order of NAMES; None: all.

    One that is none is refused.
    """
    if measures is None:
        return tuple(MEASURES)
    named = {checks.choice("measure", name, MEASURES) for name in checks.texts("measure", measures)}
    if not named:
        checks.choice("measure", None, MEASURES)
    return tuple(name for name in NAMES if name in named)

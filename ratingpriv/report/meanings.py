"""What each measure of utility is called, and which of its values are good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a measure is said.

    Attributes
    ----------
    title : what it is called in a table
    better : which values are good, in a word or two
    """

    title: str
    better: str


MEANINGS = {
    "query_error": Meaning("query error", "lower"),
    "membership_change": Meaning("membership change", "lower"),
    "classification": Meaning("classification", "higher"),
    "centroid": Meaning("centroid", "lower"),
    "standard_deviation": Meaning("standard deviation", "near the original"),
    "clustering_coefficient": Meaning("clustering coefficient", "near the original"),
    "information_loss": Meaning("information loss", "lower"),
    "bias": Meaning("bias", "lower"),
    "recommender": Meaning("recommender", "lower"),
    "structure": Meaning("structure", "lower"),
    "questions": Meaning("questions", "lower"),
}
"""By the names of :data:`ratingpriv.utility.measures.NAMES`."""


def no_better(measures: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """Return the measures by which a release is no better than a worthless one, and how many tell that.

    A measure tells nothing of it where it has no value, or where the worthless release is as good as the
    original.

    Parameters
    ----------
    measures : value, original and worthless by the names of :data:`MEANINGS`; others are left out
    """
    lost, measured = [], 0
    for name, meaning in MEANINGS.items():
        measure = measures.get(name, {})
        value, original, worthless = (measure.get(key) for key in ("value", "original", "worthless"))
        if value is None or worthless is None or original == worthless:
            continue
        measured += 1
        if meaning.better == "lower":
            better = value < worthless
        elif meaning.better == "higher":
            better = value > worthless
        else:
            better = abs(value - (original or 0.0)) < abs(worthless - (original or 0.0))
        if not better:
            lost.append(name)
    return tuple(lost), measured

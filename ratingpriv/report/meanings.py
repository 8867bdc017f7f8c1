"""What each measure of utility is called, and which of its values are good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BETTER = {
    "query_error": "lower",
    "membership_change": "lower",
    "classification": "higher",
    "centroid": "lower",
    "standard_deviation": "near the original",
    "clustering_coefficient": "near the original",
    "information_loss": "lower",
    "bias": "lower",
    "recommender": "lower",
    "structure": "lower",
    "questions": "lower",
}
"""Which values are good, in a word or two, by the names of :data:`ratingpriv.utility.measures.NAMES`."""


def title(name: str) -> str:
    """Return what a measure is called in a table."""
    return name.replace("_", " ")


def no_better(measures: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """Return the measures by which a release is no better than a worthless one, and how many tell that.

    A measure tells nothing of it where it has no value, or where the worthless release is as good as the
    original.
    """
    lost, measured = [], 0
    for name, good in BETTER.items():
        measure = measures.get(name, {})
        value, original, worthless = (measure.get(key) for key in ("value", "original", "worthless"))
        if value is None or worthless is None or original == worthless:
            continue
        measured += 1
        if good == "lower":
            better = value < worthless
        elif good == "higher":
            better = value > worthless
        else:
            better = abs(value - (original or 0.0)) < abs(worthless - (original or 0.0))
        if not better:
            lost.append(name)
    return tuple(lost), measured

"""Whether a release is better than a worthless one: which values of a measure are good, and which count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratingpriv.base.cautions import Caution
from ratingpriv.base.reservations import RESERVATIONS

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

ALWAYS = ("query_error", "centroid", "standard_deviation", "information_loss", "bias", "structure")
"""Those that take one pass over the ratings or few, and no model: they are measured of every release."""


def no_better(measures: Mapping[str, Any]) -> tuple[tuple[str, ...], int]:
    """Return the measures by which a release is no better than a worthless one, and how many tell that.

    Of those that are measured of every release: so it is one number wherever it is said, whatever else was
    measured. A measure tells nothing of it where it has no value, or where the worthless release is as good
    as the original.

    Parameters
    ----------
    measures : by their names, each with ``value``, ``original`` and ``worthless``, as JSON has them
    """
    lost, measured = [], 0
    for name in ALWAYS:
        measure = measures.get(name, {})
        value, original, worthless = (measure.get(key) for key in ("value", "original", "worthless"))
        if value is None or worthless is None or original == worthless:
            continue
        measured += 1
        good = BETTER[name]
        if good == "lower":
            better = value < worthless
        elif good == "higher":
            better = value > worthless
        else:
            better = abs(value - (original or 0.0)) < abs(worthless - (original or 0.0))
        if not better:
            lost.append(name)
    return tuple(lost), measured


def worthless_caution(measures: Mapping[str, Any]) -> Caution | None:
    """Return the reservation that a release is no better than a worthless one on most measures, or None."""
    lost, measured = no_better(measures)
    if 2 * len(lost) <= measured:
        return None
    said = f"no better than a random baseline on {len(lost)} of {measured} measures"
    return Caution("worthless", f"the release is {said}: {RESERVATIONS['worthless'].remedy}", said)

"""What each measure of utility means, in a plain sentence, and which of its values are good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.report.plain import count, percent

__all__ = ["MEANINGS", "Meaning", "no_better"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a measure is said.

    Attributes
    ----------
    title : what it is called in a table
    better : which values are good, in a word or two
    sentence : what its value is
    more : what of its details belongs to it, as the end of that sentence
    """

    title: str
    better: str
    sentence: str
    more: Callable[[Mapping[str, Any]], str] = lambda details: ""


def _majority(details: Mapping[str, Any]) -> str:
    return f"; to guess the most frequent class always is right for {percent(details['majority'])}"


def _biases(details: Mapping[str, Any]) -> str:
    return (
        f"; what the original's mean alone gives: {details['global_mean']:.4g}, its biases: "
        f"{details['biases']:.4g}"
    )


def _moved(details: Mapping[str, Any]) -> str:
    before, after = details["mean_before"], details["mean_after"]
    return "" if before is None or after is None else f"; it was {before:.4g} and is {after:.4g}"


def _lost(details: Mapping[str, Any]) -> str:
    lost = details["issues_without_ratings"]
    return f"; {count(lost, 'question')} lost all answers and are not in it" if lost else ""


def _redrawn(details: Mapping[str, Any]) -> str:
    again = details["redrawn"]
    return f"; {count(again, 'condition')} that nobody meets drawn again" if again else ""


MEANINGS = {
    "query_error": Meaning(
        "query error",
        "lower",
        "how far off it is to count records by random conditions, as a share of the true count",
        _redrawn,
    ),
    "membership_change": Meaning(
        "membership change", "lower", "the share of records that k-means puts into another cluster"
    ),
    "classification": Meaning(
        "classification",
        "higher",
        "how often a classifier that learned from the release is right about other people",
        _majority,
    ),
    "centroid": Meaning("centroid", "lower", "how far the mean of a question moved", _lost),
    "standard_deviation": Meaning(
        "standard deviation",
        "near the original",
        "how much the ratings of a question differ from one another",
    ),
    "clustering_coefficient": Meaning(
        "clustering coefficient",
        "near the original",
        "how often two records that are proximate with a third are so with each other",
    ),
    "information_loss": Meaning(
        "information loss", "lower", "the share of the ratings that are not in the release as they were"
    ),
    "bias": Meaning("bias", "lower", "how far the mean of all ratings moved", _moved),
    "recommender": Meaning(
        "recommender",
        "lower",
        "by how much a recommender that learned from the release misses ratings that were taken out of it; "
        "the rest was made with them at hand, so an error below the original's is no gain",
        _biases,
    ),
    "structure": Meaning(
        "structure", "lower", "how far questions gained or lost answers, as a share of all ratings"
    ),
    "questions": Meaning("questions", "lower", "how far the correlation of two questions moved"),
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
    lost, told = [], 0
    for name, meaning in MEANINGS.items():
        one = measures.get(name, {})
        value, original, worthless = (one.get(key) for key in ("value", "original", "worthless"))
        if value is None or worthless is None or original == worthless:
            continue
        told += 1
        if meaning.better == "lower":
            better = value < worthless
        elif meaning.better == "higher":
            better = value > worthless
        else:
            better = abs(value - (original or 0.0)) < abs(worthless - (original or 0.0))
        if not better:
            lost.append(name)
    return tuple(lost), told

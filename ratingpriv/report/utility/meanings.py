"""What each measure of utility means, in a plain sentence, and which of its values are good."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MEANINGS", "Meaning"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """How a measure is said.

    Attributes
    ----------
    title : what it is called in a table
    better : which values are good, in a word or two
    sentence : what its value is
    """

    title: str
    better: str
    sentence: str


MEANINGS = {
    "query_error": Meaning(
        "query error",
        "lower",
        "how far off it is to count records by random conditions, as a share of the true count, on average",
    ),
    "membership_change": Meaning(
        "membership change",
        "lower",
        "the share of records that k-means puts into another cluster",
    ),
    "classification": Meaning(
        "classification",
        "higher",
        "the share of other people for whom a classifier that learned from the release is right",
    ),
    "centroid": Meaning(
        "centroid",
        "near the original",
        "the means of all questions, multiplied by themselves and added up",
    ),
    "standard_deviation": Meaning(
        "standard deviation",
        "near the original",
        "how much the ratings of a question differ, the mean over all questions",
    ),
    "clustering_coefficient": Meaning(
        "clustering coefficient",
        "near the original",
        "how often two neighbours of a record are neighbours themselves",
    ),
    "information_loss": Meaning(
        "information loss",
        "lower",
        "the share of the ratings that are not in the release as they were",
    ),
    "bias": Meaning("bias", "near 0", "how far the mean of all ratings moved"),
    "recommender": Meaning(
        "recommender",
        "lower",
        "by how much a recommender that learned from the release misses ratings it has not seen (RMSE)",
    ),
    "structure": Meaning("structure", "lower", "the share of the pairs of record and question"),
    "questions": Meaning("questions", "lower", "how far a question's answers shifted"),
}
"""By the names of :data:`ratingpriv.utility.measures.NAMES`."""

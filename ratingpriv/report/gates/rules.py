"""The kinds of things that are asked of data, as code scanning lists them: what each is, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RULES", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of outcome.

    Attributes
    ----------
    title : what it is, in a few words
    meaning : what it says, and what it does not
    remedy : what to do where it fails
    """

    title: str
    meaning: str
    remedy: str


_DISTANCE = "Epsilon is a distance between ratings, not the epsilon of differential privacy."

RULES: Mapping[str, Rule] = {
    "verdict": Rule(
        "The data are as private as requested",
        f"The verdict of the command on what was requested of k, epsilon and l. {_DISTANCE} A tolerance "
        "(--at-most) changes the exit code, never the verdict.",
        "Run the command as it stands in the pipeline: its report says which demand is not met, by how many "
        "records, and what to try next. Do not release the data as they are.",
    ),
    "fail-above": Rule(
        "An attack succeeds no more often than the limit",
        "The success of every attack that was tried, and what profiles disclose, with the upper ends of "
        "their intervals, beside --fail-above. It is a measurement of these adversaries: a low number is "
        "no proof.",
        "See which attack is the strongest and what it knows, make a release that meets a stricter target, "
        "and attack that. Where nothing could be measured, that is no safety.",
    ),
    "require": Rule(
        "A number of the result keeps its limit",
        "A limit that was set with --require. A number that could not be measured keeps none; one that is "
        "known to lie in an interval keeps it where the whole interval does.",
        "See the number in the report of the command; --require list names all that a limit can be on.",
    ),
    "input": Rule(
        "The input can be read and what is asked can be answered",
        "The command ended before there was a result: nothing is known of how private the data are.",
        "Correct what the message names, and run the command again.",
    ),
}
"""By the word in :class:`ratingpriv.report.gates.outcome.Outcome`, which never changes its meaning."""

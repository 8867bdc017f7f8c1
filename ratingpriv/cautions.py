"""What to know before relying on a result: a stable code for programs, and a sentence or two for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

__all__ = ["CODES", "WILDCARD", "Caution"]

WILDCARD = (
    "Under wildcard an unanswered question matches anything: these are the records that nobody can rule out "
    "by what both answered. It says nothing of an adversary who knows that a question was answered; it is "
    "not the safe reading."
)
"""What the wildcard rule means, and what it does not."""

CODES: Mapping[str, str] = {
    # audit, frontier
    "sparse-data": "many records rate, or are, what nobody else rates or is: no k above 1 can hold",
    "known-null-rule": "the adversary is supposed to know nothing of what was left unanswered",
    "sensitive-nulls-verdict": "the verdict depends on how unknown sensitive ratings are counted",
    "unreachable-l": "no group of these sensitive ratings can have an SD of l",
    "nominal-not-in-l": "l says nothing of sensitive issues that are categories",
    "no-ratings": "there are quasi-identifiers and no ratings: ε changes nothing",
    # audit
    "sensitive-not-audited": "the store holds too few pairs to say what neighbourhoods give away",
    "inference": "one value makes up much of a sensitive issue in some neighbourhoods",
    # audit, frontier, partition
    "scale-without-null-distance": "the scale's maximum is not positive: a null separates at every ε",
    "epsilon-reaches-null-distance": "ε is not below the scale's maximum: a null separates no more",
    "epsilon-covers-range": "any two ratings are within ε of each other",
    "k-asks-nothing": "k = 1 holds for any data",
    "nulls-wildcard": "an unanswered question matches anything: this is not the safe reading",
    # every result
    "roles-guessed": "columns are compared as equal on nobody's word: attributes by name, choices of two",
    "attributes-missing": "records that the file of attributes does not have count as unanswered there",
    "attributes-unused": "the file of attributes has records that the data do not have",
    "null-spellings": "unanswered is written in several ways, which count as one; or NA may be Namibia",
    "carried-columns": "columns are released that nobody audited",
    # audit, frontier, partition
    "columns-not-counted": "nothing is about the direct identifiers and dropped columns that the data have",
    # frontier
    "no-protection": "from some ε on any two ratings are indistinguishable: these ε are no answer",
    "rows-incomplete": "more distances matter than are shown",
    "feasible-not-monotone": "a larger ε than one that serves need not serve",
    "sensitive-nulls-feasible": "the two rules for unknown sensitive ratings allow different ε",
    "paper-method": "the answer is the paper's bisection, which is not exact",
    # attack
    "not-measured": "no target was attacked",
    "targets-not-attacked": "too little is known of some targets; they are in no rate",
    "single-record": "there is one record only",
    "few-targets": "so few targets that the intervals are wide",
    "dates-not-known": "the data have dates and the adversary was given none",
    "dates-not-used": "dates are known and the data have none",
    "issues-unknown": "known ratings are of issues that are not in the table",
    "profile-disclosed": "the records that fit best are identical, the target's among them",
    "ratings-disclosed": "the records that fit best have identical ratings, the target's among them",
    "identical-records": "every record is identical with others: that nobody is named proves nothing",
    "inference-above-baseline": "sensitive values are guessed better than by their commonest value",
    "one-algorithm": "one algorithm was chosen, and the stronger ones may not have been run",
    # attack on Spark
    "profiles-not-compared": "whether the records that fit best are identical was not looked at",
    "quasi-not-known": "the data have quasi-identifiers and the adversary was given none",
    # attack on a release
    "targets-suppressed": "targets are not in the release",
    "knowledge-lost": "of some targets nothing is known that the release still has",
    "pairing-implausible": "released records resemble their originals no more than others",
}
"""Every caution that a result can carry, in a line. A code never changes its meaning."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One caution.

    Attributes
    ----------
    code : one of CODES
    message : what to know, with this result's numbers, and a way out
    """

    code: str
    message: str

    @classmethod
    def from_dict(cls, content: Mapping[str, str]) -> Self:
        """Turn :meth:`to_dict` back."""
        return cls(content["code"], content["message"])

    def to_dict(self) -> dict[str, str]:
        """Return code and message, as the JSON contracts have them under ``cautions``."""
        return {"code": self.code, "message": self.message}

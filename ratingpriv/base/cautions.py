"""What to know before relying on a result: a stable code for programs, and a sentence or two for people.

Some change what a verdict says: it holds, *but*. Such a verdict is no plain yes, neither in its headline nor
in an exit code, until somebody accepts it by the code (:class:`Standing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ratingpriv.base.errors import ParameterError

WILDCARD = (
    "Under wildcard an unanswered question, or an attribute that somebody lacks, matches anything: these are "
    "the records that nobody can rule out by what both have. It says nothing of an adversary who knows that "
    "a question was answered; it is not the safe reading."
)
"""What the wildcard rule means, and what it does not."""

BUTS: Mapping[str, str] = {
    "attributes-missing": "some records lack attributes",
    "epsilon-covers-questions": "questions tell nobody apart at this epsilon",
    "epsilon-covers-range": "this protects nothing",
    "epsilon-reaches-null-distance": "this protects nothing",
    "identifier-repeats": "several records may be of one person",
    "k-asks-nothing": "this asks for nothing",
    "nulls-wildcard": "what is missing matches anything",
    "sensitive-nulls-feasible": "the two rules for missing sensitive ratings disagree",
    "sensitive-nulls-verdict": "the two rules for missing sensitive ratings disagree",
}
"""The codes that change what a verdict says, and what follows *but* where a caution has no better words."""

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
    "epsilon-covers-questions": "all answers to some questions are within ε of each other",
    "nulls-wildcard": "what is missing matches anything: this is not the safe reading",
    # every result
    "roles-guessed": "columns are compared as equal on nobody's word: attributes by name, choices of two",
    "attributes-missing": "records that the file of attributes does not have count as unanswered there",
    "attributes-unused": "the file of attributes has records that the data do not have",
    "null-spellings": "unanswered is written in several ways, which count as one; or NA may be Namibia",
    "identifier-repeats": "a direct identifier stands in several records, which may be of one person",
    "carried-columns": "columns are released that nobody audited",
    # audit, frontier, partition
    "columns-not-counted": "nothing is about the direct identifiers and dropped columns that the data have",
    # frontier
    "no-protection": "from some ε on any two ratings are indistinguishable: these ε are no answer",
    "rows-incomplete": "more distances matter than are shown",
    "feasible-not-monotone": "a larger ε than one that serves need not serve",
    "sensitive-nulls-feasible": "the two rules for unknown sensitive ratings allow different ε",
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
    # release by blank
    "selection": "some ratings were blanked much sooner than others: what is left is no fair picture",
    # attack on a release
    "targets-suppressed": "targets are not in the release",
    "knowledge-lost": "of some targets nothing is known that the release still has",
    "pairing-implausible": "released records resemble their originals no more than others",
}
"""Every caution that a result can carry, in a line. A code never changes its meaning."""


@dataclass(frozen=True, slots=True)
class Caution:
    """One caution: one of CODES, and what to know, with this result's numbers, and a way out.

    ``but`` is what a verdict that holds says with it, after *but*; None: as BUTS has it; empty: what it says
    stays the same.
    """

    code: str
    message: str
    but: str | None = None

    def __post_init__(self) -> None:
        """Take the usual words where none are given."""
        if self.but is None:
            object.__setattr__(self, "but", BUTS.get(self.code, ""))
        elif self.but and self.code not in BUTS:
            raise ValueError(f"{self.code}: a caution that changes a verdict has to be one of BUTS")

    @classmethod
    def of(cls, code: str, but: str | None = None) -> Self:
        """Return the caution of a code in the words of CODES."""
        return cls(code, CODES[code], but)

    @classmethod
    def from_dict(cls, content: Mapping[str, str]) -> Self:
        """Turn :meth:`to_dict` back."""
        code = content["code"]
        return cls(code, content["message"], content.get("but") if code in BUTS else None)

    def to_dict(self) -> dict[str, str]:
        """Return code, message, and of the BUTS the words, as the JSON contracts have ``cautions``."""
        words = {"but": self.but or ""} if self.code in BUTS else {}
        return {"code": self.code, "message": self.message, **words}


def identifier_repeats(name: str, different: int, records: int) -> Caution:
    """Return the caution that a direct identifier has fewer different values than records that have one."""
    return Caution(
        "identifier-repeats",
        f"{name}: {different:,} different values in {records:,} records. k counts records, and those that "
        "share a direct identifier may be one person, who is then counted as several. Keep one record a "
        "person before anything is counted",
        but=f"several records may be of one person: {different:,} different {name} in {records:,} records",
    )


def checked_codes(accept: Any) -> tuple[str, ...]:
    """Return the codes of the reservations that are accepted; ParameterError for what is none of BUTS."""
    from ratingpriv.base import checks  # and NumPy with it, which no help needs

    expected = "one of " + ", ".join(BUTS)
    codes = checks.texts("accept", accept, expected)
    for code in codes:
        if code not in BUTS:
            raise ParameterError("accept", code, expected)
    return tuple(dict.fromkeys(codes))


@dataclass(frozen=True, slots=True)
class Standing:
    """What a verdict comes to with its reservations: its headline and its exit code are made here alone.

    Attributes
    ----------
    held : whether it holds, by the definition
    buts, accepted : the cautions that change what it says, and the codes of those that were accepted
    wildcard : whether it is under the null rule wildcard, with something missing
    tolerated : whether a gate passes although it does not hold
    decided : whether it is known that it holds, or that it does not; what is not holds for nobody
    """

    held: bool
    buts: tuple[Caution, ...]
    accepted: tuple[str, ...]
    wildcard: bool
    tolerated: bool = False
    decided: bool = True

    @classmethod
    def of(
        cls,
        held: bool | None,
        cautions: Iterable[Caution],
        accept: Sequence[str] = (),
        *,
        tolerated: bool = False,
    ) -> Self:
        """Return the standing of a verdict with these cautions; ``held`` is None where it was not decided."""
        found = tuple(cautions)
        buts = tuple(caution for caution in found if caution.but)
        accepted = tuple(code for code in accept if code in {caution.code for caution in buts})
        wildcard = any(caution.code == "nulls-wildcard" for caution in found)
        return cls(held is True, buts, accepted, wildcard, tolerated, held is not None)

    @property
    def reserved(self) -> tuple[str, ...]:
        """Codes of the reservations that nobody accepted."""
        return tuple(dict.fromkeys(one.code for one in self.buts if one.code not in self.accepted))

    @property
    def passes(self) -> bool:
        """Whether it is a yes: it holds, or is tolerated, and every reservation was accepted."""
        return (self.held or self.tolerated) and not self.reserved

    @property
    def exit_code(self) -> int:
        """0 for a yes, 1 for a no or a *but*; 3 where nothing was decided, as a resource ended first."""
        return 3 if not self.decided else 0 if self.passes else 1

    @property
    def good(self) -> bool | None:
        """Whether it is good news; None where it holds with a *but*, is tolerated, or was not decided."""
        return None if self.tolerated or not self.decided or (self.held and self.buts) else self.held

    def headline(self, yes: str, no: str) -> str:
        """Return ``yes`` or ``no`` with what must not be left out: ``SATISFIED UNDER WILDCARD, but ...``."""
        state = f"{yes if self.held else no}{' UNDER WILDCARD' if self.wildcard else ''}"
        said = dict.fromkeys(one.but for one in self.buts)
        if not self.held or not said:
            return state
        accepted = "" if self.reserved else " (accepted)"
        return f"{state}, but {', and '.join(map(str, said))}{accepted}"

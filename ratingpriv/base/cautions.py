"""What to know before relying on a result: a stable code for programs,
and a sentence or two for people.

Some are reservations (:data:`ratingpriv.base.reservations.RESERVATIONS`). A verdict with one is no
plain yes, neither in its headline nor in an exit code, until somebody accepts it by the code
(:class:`Standing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ratingpriv.base.reservations import RESERVATIONS

WILDCARD = (
    "Under wildcard an unanswered question, or an attribute that somebody lacks, matches "
    "anything: these are "
    "the records that nobody can rule out by what both have. It says nothing of an adversary who "
    "knows that "
    "a question was answered; it is not the safe reading."
)
"""What the wildcard rule means, and what it does not."""

CODES: Mapping[str, str] = {
    **{row.code: row.when for row in RESERVATIONS.values()},
    # audit, frontier
    "sparse-data": "many records have rated items or attributes of their own: no k above 1 "
    "can hold",
    "known-null-rule": "the adversary is assumed to know nothing of missing ratings",
    "unreachable-l": "no group of these sensitive ratings can have an SD of l",
    "nominal-not-in-l": "l does not cover sensitive items that are categories",
    "no-ratings": "there are quasi-identifiers and no ratings: ε changes nothing",
    # audit
    "sensitive-not-audited": "the store holds too few pairs to check attribute disclosure",
    "inference": "one value has a large share of a sensitive item in some neighbourhoods",
    # audit, frontier, partition
    "scale-without-null-distance": "no positive maximum of the scale: a missing rating separates "
    "at every ε",
    # every result
    "attributes-unused": "the file of attributes has records that the data do not have",
    "null-spellings": "missing is written in several ways, which count as one; or NA may be "
    "Namibia",
    "carried-columns": "columns are released without an audit",
    # audit, frontier, partition
    "columns-not-counted": "direct identifiers and dropped columns of the data are not covered",
    # frontier
    "no-protection": "from some ε on any two ratings are indistinguishable: these ε do not protect",
    "rows-incomplete": "more distances matter than are shown",
    "feasible-not-monotone": "a larger ε than one that suffices need not suffice",
    # attack
    "not-measured": "no target was attacked",
    "targets-not-attacked": "too little is known of some targets; they are in no rate",
    "single-record": "there is one record only",
    "few-targets": "so few targets that the intervals are wide",
    "dates-not-known": "the data have dates and the adversary was given none",
    "dates-not-used": "dates are known and the data have none",
    "issues-unknown": "known ratings are of items that are not in the table",
    "profile-disclosed": "the records that fit best are identical, the target's among them",
    "ratings-disclosed": "the records that fit best have identical ratings, the target's "
    "among them",
    "identical-records": "every record is identical with others: a rate of 0 proves nothing",
    "inference-above-baseline": "sensitive values are inferred better than by their "
    "commonest value",
    "one-algorithm": "one algorithm was chosen, and the stronger ones may not have been run",
    # release by blank
    "selection": "some ratings were suppressed more often than others: the rest is no fair sample",
    # attack on a release
    "targets-suppressed": "targets are not in the release",
    "knowledge-lost": "the release has none of the items that are known of some targets",
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
    reservation : what a verdict that holds says with it; None: what RESERVATIONS has; empty: the
        verdict stays plain. It stands in JSON as ``but``
    """

    code: str
    message: str
    reservation: str | None = None

    def __post_init__(self) -> None:
        """Take the usual words where none are given."""
        row = RESERVATIONS.get(self.code)
        if self.reservation is None:
            said = "" if row is None or row.written_only else row.sentence
            object.__setattr__(self, "reservation", said)
        elif self.reservation and row is None:
            raise ValueError(
                f"{self.code}: a caution that changes a verdict has to be one of RESERVATIONS"
            )

    @classmethod
    def of(cls, code: str, reservation: str | None = None) -> Self:
        """Return the caution of a code in the words of CODES."""
        return cls(code, CODES[code], reservation)

    @classmethod
    def due(cls, code: str, found: str, reservation: str | None = None) -> Self:
        """Return the caution of a reservation that is due: what was found,
        and the remedy of RESERVATIONS.
        """
        return cls(code, f"{found.removesuffix('.')}. {RESERVATIONS[code].remedy}", reservation)

    @classmethod
    def from_dict(cls, content: Mapping[str, str]) -> Self:
        """Turn :meth:`to_dict` back."""
        code = content["code"]
        return cls(code, content["message"], content.get("but") if code in RESERVATIONS else None)

    def to_dict(self) -> dict[str, str]:
        """Return code, message, and of a reservation the words,
        as the JSON contracts have ``cautions``.
        """
        words = {"but": self.reservation or ""} if self.code in RESERVATIONS else {}
        return {"code": self.code, "message": self.message, **words}

    def of_written(self, sentence: str | None = None) -> Self:
        """Return the caution beside something written, where a reservation ``written_only`` counts.

        ``sentence``: better words than those of the table.
        """
        row = RESERVATIONS.get(self.code)
        if row is None or not row.written_only or self.reservation:
            return self
        return replace(self, reservation=sentence or row.sentence)


def identifier_repeats(name: str, different: int, records: int) -> Caution:
    """Return the caution that a direct identifier has fewer different
    values than records that have one.
    """
    return Caution.due(
        "identifier-repeats",
        f"{name}: {different:,} different values in {records:,} records. k counts records, and "
        f"those that "
        "share a direct identifier may be one person, who is then counted as several",
        f"several records may be of one person: {different:,} different {name} in {records:,} "
        f"records",
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """What a verdict comes to with its reservations:
    its headline and its exit code are made here alone.

    Attributes
    ----------
    held : whether it holds, by the definition
    reservations, accepted : the cautions that change what it says, and the codes of those that were
        accepted
    wildcard : whether it is under the null rule wildcard, with something missing
    tolerated : whether a gate passes although it does not hold
    decided : whether it is known that it holds, or that it does not; what is not holds for nobody
    """

    held: bool
    reservations: tuple[Caution, ...]
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
        """Return the standing of a verdict with these cautions;
        ``held`` is None where it was not decided.
        """
        found = tuple(cautions)
        reservations = tuple(caution for caution in found if caution.reservation)
        accepted = tuple(
            code for code in accept if code in {caution.code for caution in reservations}
        )
        wildcard = any(caution.code == "nulls-wildcard" for caution in found)
        return cls(held is True, reservations, accepted, wildcard, tolerated, held is not None)

    @property
    def reserved(self) -> tuple[str, ...]:
        """Codes of the reservations that nobody accepted."""
        codes = (one.code for one in self.reservations if one.code not in self.accepted)
        return tuple(dict.fromkeys(codes))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the reservations say, accepted or not, each once.

        Empty where the verdict does not hold.
        """
        if not (self.held or self.tolerated):
            return ()
        return tuple(dict.fromkeys(one.reservation or "" for one in self.reservations))

    @property
    def passes(self) -> bool:
        """Whether it is a yes: it holds, or is tolerated, and every reservation was accepted."""
        return (self.held or self.tolerated) and not self.reserved

    @property
    def plain(self) -> bool:
        """Whether it holds, and every reservation was accepted: what ``bool`` of a result is."""
        return self.held and not self.reserved

    def __bool__(self) -> bool:
        return self.plain

    @property
    def exit_code(self) -> int:
        """0 for a yes, 1 for a no or a reservation;
        3 where a resource ended before it was decided.
        """
        return 3 if not self.decided else 0 if self.passes else 1

    @property
    def good(self) -> bool | None:
        """Whether it is good news; None: it holds with a reservation, is tolerated,
        or was not decided.
        """
        undecided = self.tolerated or not self.decided or (self.held and self.reservations)
        return None if undecided else self.held

    def headline(self, yes: str, no: str) -> str:
        """Return ``yes`` or ``no`` with what must not be left
        out: ``SATISFIED WITH RESERVATION``.
        """
        state = f"{yes if self.held else no}{' UNDER WILDCARD' if self.wildcard else ''}"
        if not self.held or not self.reservations:
            return state
        return f"{state} WITH RESERVATION{'' if self.reserved else ' (accepted)'}"

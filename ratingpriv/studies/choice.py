"""What may be published: the demands on a release, the one that is chosen, and what it says of itself."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import decimal_number, in_full
from ratingpriv.studies.candidates import OF_MAP, Candidate, Guess
from ratingpriv.studies.found import Found

FOUND_AT_MOST = 0.09
"""Of the released people: EMA's external guidance on Policy 0070, from the cell size 11 of US practice."""
SOURCE = "EMA Policy 0070, external guidance: 0.09; a convention, yours may be lower"
WITHHOLD_AT_MOST = 0.01
COMMONEST = "commonest+"

_TIE = 0.001
"""Scatters that differ by no more are as good as equal."""


@dataclass(frozen=True, slots=True)
class Demands:
    """What a release shall keep, checked when it is made.

    Attributes
    ----------
    found_at_most : share of the released people who may be re-identified, within 0 and 1
    withhold_at_most : share of the records that may be left out, from 0 to below 1
    guessed_at_most : share of the released people whose sensitive value may be guessed right; a text
        ``commonest+0.1``: so much more than by the commonest value; None: that is no demand
    """

    found_at_most: float = FOUND_AT_MOST
    withhold_at_most: float = WITHHOLD_AT_MOST
    guessed_at_most: float | str | None = None

    def __post_init__(self) -> None:
        """Check every value and bring numbers to their types."""
        found = checks.non_negative_number("found_at_most", self.found_at_most)
        if not 0 < found < 1:
            raise ParameterError("found_at_most", self.found_at_most, "a share above 0 and below 1, as 0.09")
        withheld = checks.non_negative_number("withhold_at_most", self.withhold_at_most)
        if withheld >= 1:
            raise ParameterError("withhold_at_most", self.withhold_at_most, "a share from 0 to below 1")
        object.__setattr__(self, "found_at_most", found)
        object.__setattr__(self, "withhold_at_most", withheld)
        self._guess()

    def _guess(self) -> tuple[float, bool] | None:
        """Return the share, and whether it is beyond the commonest value's."""
        given = self.guessed_at_most
        if given is None:
            return None
        beyond = isinstance(given, str) and given.startswith(COMMONEST)
        text = given.removeprefix(COMMONEST) if isinstance(given, str) else given
        try:
            number = decimal_number(text) if isinstance(text, str) else text
            share = checks.non_negative_number("guessed_at_most", number)
        except ValueError:  # a ParameterError is one
            share = 2.0
        if share > 1:
            raise ParameterError("guessed_at_most", given, "a share from 0 to 1, or commonest+0.1")
        return share, beyond

    def check_data(self, records: int) -> None:
        """Refuse a share that no release of so many records keeps."""
        if self.found_at_most < 1 / records:
            expected = f"at least 1/{records}: no release of {records} records keeps less"
            raise ParameterError("found_at_most", self.found_at_most, expected)

    @property
    def smallest_k(self) -> int:
        """The smallest k that is tried of groups that may be larger than k."""
        return max(2, self.sure_k - 1)

    @property
    def sure_k(self) -> int:
        """The smallest k whose groups hide people by their size alone."""
        return max(2, math.ceil(1 / self.found_at_most))

    def keeps(self, candidate: Candidate, records: int) -> bool:
        """Whether a candidate surely keeps every demand."""
        left = candidate.left_out
        if left is None or left > self.withhold_at_most * records:
            return False
        return candidate.found.keeps(self.found_at_most) and self.keeps_guesses(candidate.guessed)

    def keeps_guesses(self, guessed: Iterable[Guess]) -> bool:
        """Whether no sensitive value is guessed more often than it may be."""
        limit = self._guess()
        if limit is None:
            return True
        share, beyond = limit
        return all(one.by_group <= share + (one.by_commonest if beyond else 0.0) for one in guessed)


@dataclass(frozen=True, slots=True)
class Choice:
    """The release that is chosen; ValueError where it does not keep the demands.

    Attributes
    ----------
    method, k, epsilon : how it is made
    found : who can be re-identified
    proof : whether that is proved; else it was measured
    words : the same in a sentence
    """

    candidate: Candidate
    demands: Demands
    records: int

    def __post_init__(self) -> None:
        """Refuse what does not keep the demands."""
        if not self.demands.keeps(self.candidate, self.records):
            raise ValueError("a choice keeps the demands")

    @property
    def method(self) -> str:
        """The method of :func:`ratingpriv.anonymize`."""
        return self.candidate.method

    @property
    def k(self) -> int:
        """Records of a neighbourhood or group at least."""
        return self.candidate.k

    @property
    def epsilon(self) -> float:
        """The rating distance."""
        return self.candidate.epsilon

    @property
    def found(self) -> Found:
        """Who can be re-identified."""
        return self.candidate.found

    @property
    def proof(self) -> bool:
        """Whether that is proved."""
        return self.found.by == "proof"

    @property
    def words(self) -> str:
        """The release in a sentence."""
        return sentence(self.candidate, self.records)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What would do where nothing keeps the demands, computed.

    ``kind``: a larger share that may be left out or found, fewer items, another method, no file of records.
    ``value``: the share, or how many items; None where it is none.
    """

    kind: Literal["withhold_at_most", "found_at_most", "items", "method", "tables"]
    words: str
    value: float | None = None
    method: str | None = None
    k: int | None = None
    epsilon: float | None = None


def least_scatter(candidates: Iterable[Candidate], demands: Demands, records: int) -> Candidate | None:
    """Return what keeps the demands with least scatter; of nearly equal ones who leaves out fewest."""
    good = [one for one in candidates if demands.keeps(one, records)]
    least = min((one.scatter or 0.0 for one in good), default=0.0)
    return min(
        (one for one in good if (one.scatter or 0.0) <= least + _TIE),
        key=lambda one: (one.left_out, one.epsilon, one.k, OF_MAP.index(one.method)),
        default=None,
    )


# ---- in words ----


def sentence(one: Candidate, records: int) -> str:
    """Return what a release does, costs and leaves, in a sentence."""
    people = f"{one.k:,} people"
    near = "alike" if not one.epsilon else f"within {in_full(one.epsilon)} of each other"
    left = one.left_out or 0
    out = f"{left:,} of {records:,} {'is' if left == 1 else 'are'} left out" if left else "nobody is left out"
    acts = {
        "swap": f"Exchange answers among groups of at least {people} who answered {near}",
        "modify": f"Change answers until those of at least {people} are "
        + ("the same" if not one.epsilon else near),
        "predictive": f"Give groups of at least {people} with similar answers the same answers",
        "suppress": "Change no answer, and release all others" if left else "Release everybody as they are",
    }
    changes = f", {percent(one.changed)} of the answers change" if one.changed else ""
    moved = one.correlations_moved
    moves = f", correlations move by {moved:.2g}" if moved is not None and one.changed else ""
    told = f"; all answers of {percent(one.read)} are told to whoever finds their group" if one.read else ""
    return f"{acts[one.method]}: {out}{changes}{moves}, and {risk(one.found)}{told}{guesses(one.guessed)}."


def risk(found: Found) -> str:
    """Return who can be re-identified, and how that is known."""
    if found.by == "proof":
        return (
            f"at most {percent(found.high, up=True)} can be re-identified by anybody, whatever they know of "
            "the answers (proved)"
        )
    return (
        f"at most {percent(found.high, up=True)} can be re-identified (measured: {found.targets:,} people "
        "were attacked in one such release)"
    )


def guesses(guessed: Iterable[Guess]) -> str:
    """Return how often sensitive values are guessed."""
    return "".join(
        f"; {one.name} is guessed right in {percent(one.by_group)} ({percent(one.by_others)} without the "
        f"person's answer, {percent(one.by_commonest)} by the commonest)"
        for one in guessed
    )


def percent(share: float | None, *, up: bool = False) -> str:
    """Return a share in percent, to a tenth; ``up``: never less than it is."""
    value = 100 * (share or 0.0)
    scale = 10 if value >= 1 else 1000
    rounded = (math.ceil(value * scale - 1e-9) if up else round(value * scale)) / scale
    return f"{rounded:g} %"

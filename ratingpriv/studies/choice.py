"""What may be published: the demands on a release, the one that is chosen,
and what it says of itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import decimal_number, in_full
from ratingpriv.base.reservations import FOUND_AT_MOST, RESERVATIONS
from ratingpriv.studies.candidates import OF_MAP, Candidate, Guess
from ratingpriv.studies.found import Found

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
    withhold_at_most : share of the records that may be suppressed, from 0 to below 1
    guessed_at_most : share of the released people whose sensitive value may be inferred correctly;
        a text ``commonest+0.1``: so much more than by the commonest value; None: that is no demand
    """

    found_at_most: float = FOUND_AT_MOST
    withhold_at_most: float = WITHHOLD_AT_MOST
    guessed_at_most: float | str | None = None

    def __post_init__(self) -> None:
        """Check every value and bring numbers to their types."""
        found = checks.share_limit("found_at_most", self.found_at_most)
        withheld = checks.share_limit("withhold_at_most", self.withhold_at_most, zero=True)
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
        return _is_proposable(candidate) and self.meets(candidate, records)

    def meets(self, candidate: Candidate, records: int) -> bool:
        """Whether a candidate surely keeps every demand, were its reservations accepted."""
        left = candidate.left_out
        if left is None or left > self.withhold_at_most * records:
            return False
        return candidate.found.keeps(self.found_at_most) and self.keeps_guesses(candidate.guessed)

    def proposes(self, candidate: Candidate) -> bool:
        """Whether it guesses no more than it may,
        and nobody but its publisher has to accept anything.
        """
        return _is_proposable(candidate) and self.keeps_guesses(candidate.guessed)

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
    refused : what was refused because its groups tell all of many people, though it tells all of no
        more people than the choice; None: nothing was
    """

    candidate: Candidate
    demands: Demands
    records: int
    refused: Candidate | None = None

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
    def reserved(self) -> tuple[str, ...]:
        """Codes of the reservations that its release has."""
        return self.candidate.reserved

    @property
    def proof(self) -> bool:
        """Whether that is proved."""
        return self.found.by == "proof"

    @property
    def words(self) -> str:
        """The release in a sentence, and in what it is no better than what was refused."""
        return sentence(self.candidate, self.records) + no_better(self.candidate, self.refused)


def least_scatter(
    candidates: Iterable[Candidate], demands: Demands, records: int
) -> Candidate | None:
    """Return what keeps the demands with least scatter.

    Of nearly equal ones who leaves out fewest.
    """
    good = [one for one in candidates if demands.keeps(one, records)]
    least = min((one.scatter or 0.0 for one in good), default=0.0)
    return min(
        (one for one in good if (one.scatter or 0.0) <= least + _TIE),
        key=lambda one: (one.left_out, one.epsilon, one.k, OF_MAP.index(one.method)),
        default=None,
    )


def refused_swap(
    chosen: Candidate, candidates: Iterable[Candidate], demands: Demands, records: int
) -> Candidate | None:
    """Return what was refused as its groups agree, and tells all of no more people than the choice.

    Of several the one that tells least.
    """
    agreeing = [
        one
        for one in candidates
        if [code for code in one.reserved if not RESERVATIONS[code].proposable] == ["groups-agree"]
        and one.read is not None
        and demands.meets(one, records)
    ]
    least = min(
        agreeing, key=lambda one: (one.read or 0.0, one.scatter or 0.0, one.k), default=None
    )
    if least is None or (least.read or 0.0) > (chosen.read or 0.0):
        return None
    return least


def _is_proposable(candidate: Candidate) -> bool:
    return all(RESERVATIONS[code].proposable for code in candidate.reserved)


# ---- in words ----


def sentence(one: Candidate, records: int) -> str:
    """Return what a release does, costs and leaves, in a sentence."""
    people = f"{one.k:,} people"
    near = "alike" if not one.epsilon else f"within {in_full(one.epsilon)} of each other"
    left = one.left_out or 0
    out = (
        f"{left:,} of {records:,} records {'is' if left == 1 else 'are'} suppressed"
        if left
        else "no record is suppressed"
    )
    acts = {
        "swap": f"Exchange ratings among groups of at least {people} {near}",
        "modify": f"Change ratings until those of at least {people} are "
        + ("the same" if not one.epsilon else near),
        "predictive": f"Give groups of at least {people} with similar ratings the same ratings",
        "suppress": "Change no rating, and release all others"
        if left
        else "Release all records unchanged",
    }
    changes = f", {percent(one.changed)} of the ratings change" if one.changed else ""
    moved = one.correlations_moved
    moves = f", correlations move by {moved:.2g}" if moved is not None and one.changed else ""
    told = (
        f"; all ratings of {percent(one.read)} are disclosed to an adversary who knows their group"
        if one.read
        else ""
    )
    return (
        f"{acts[one.method]}: {out}{changes}{moves}, and "
        f"{risk(one.found)}{told}{guesses(one.guessed)}."
    )


def no_better(one: Candidate, refused: Candidate | None) -> str:
    """Return that a release tells all answers of no fewer people than
    what was refused for just that.
    """
    if refused is None:
        return ""
    return (
        f" In one respect that is no better than {refused.method} with k = {refused.k:,} at "
        f"epsilon = {in_full(refused.epsilon)}, which is not proposed because its groups disclose "
        f"all ratings of {percent(refused.read)} of the people: this discloses all ratings of "
        f"{percent(one.read)}."
    )


def risk(found: Found) -> str:
    """Return who can be re-identified, and how that is known."""
    if found.by == "proof":
        return (
            f"at most {percent(found.high, up=True)} can be re-identified by anybody, whatever "
            f"they know of "
            "the ratings (proved)"
        )
    return (
        f"at most {percent(found.high, up=True)} can be re-identified (measured: "
        f"{found.targets:,} people "
        "were attacked in one such release)"
    )


def guesses(guessed: Iterable[Guess]) -> str:
    """Return how often sensitive values are guessed."""
    return "".join(
        f"; {one.name} is inferred correctly for {percent(one.by_group)} "
        f"({percent(one.by_others)} without the person's value, "
        f"{percent(one.by_commonest)} by the commonest)"
        for one in guessed
    )


def percent(share: float | None, *, up: bool = False) -> str:
    """Return a share in percent, to a tenth; ``up``: never less than it is."""
    value = 100 * (share or 0.0)
    scale = 10 if value >= 1 else 1000
    rounded = (math.ceil(value * scale - 1e-9) if up else round(value * scale)) / scale
    return f"{rounded:g} %"

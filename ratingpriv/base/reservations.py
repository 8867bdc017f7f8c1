"""The table of reservations: what a verdict that holds may leave open, a row a code.

A verdict with a reservation is no plain yes, neither in its headline nor in its exit code, until
somebody accepts it by its code. What decides that a row is due stands in
:mod:`ratingpriv.proximity.reservations`, or with the result that alone can know it; whoever needs
the codes walks the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.errors import ParameterError, meant


@dataclass(frozen=True, slots=True)
class Reservation:
    """One row.

    Attributes
    ----------
    code : for programs, and for ``accept``; it never changes its meaning
    when : when it is due, in a line
    sentence : what a verdict says with it, where a caution has no better words
    remedy : what to do about it, in the words of the library: how the message of each caution ends
    beside : what the page of a release says in place of that message, which is then a detail: where
        the sentence says the rest. Empty: the message
    written_only : whether it counts only where something is written: a release is made for good
    proposable : whether a proposal may accept it on behalf of whoever asks, and says what it means;
        what has any other is never proposed: whether it may be published nobody but its publisher
        can say
    """

    code: str
    when: str
    sentence: str
    remedy: str
    beside: str = ""
    written_only: bool = False
    proposable: bool = False


_DECLARE = (
    "Declare the role of each column: `quasi` or `ratings`, or `others='rating'` if all columns "
    "that you do not name are items"
)

_TABLE = (
    Reservation(
        "attributes-missing",
        "records that the file of attributes does not have count as missing there",
        "some records lack attributes",
        "Check that both files call a record by the same id, or suppress these records",
    ),
    Reservation(
        "demand-asks-nothing",
        "a demand on sensitive items cannot fail: its number, or an item of which no value is "
        "known",
        "a demand asks for nothing",
        "Demand more, or drop the demand",
    ),
    Reservation(
        "epsilon-covers-questions",
        "all ratings of some items are within ε of each other",
        "items distinguish no records at this epsilon",
        "Name items in `quasi` whose ratings must be equal, or take a smaller epsilon",
    ),
    Reservation(
        "epsilon-covers-range",
        "any two ratings are within ε of each other",
        "this protects nothing",
        "Take a smaller epsilon",
    ),
    Reservation(
        "epsilon-reaches-null-distance",
        "ε is not below the scale's maximum: a missing rating separates no records",
        "this protects nothing",
        "Take a smaller epsilon",
    ),
    Reservation(
        "groups-agree",
        "the groups of many people agree on every item, so that the release discloses all of it",
        "an adversary who knows the group of a person may see every item",
        "Ask for a larger epsilon, or release more items",
    ),
    Reservation(
        "identifier-repeats",
        "a direct identifier stands in several records, which may be of one person",
        "several records may be of one person",
        "Keep one record a person before anything is counted",
    ),
    Reservation(
        "k-asks-nothing", "k = 1 holds for any data", "this asks for nothing", "Ask for a larger k"
    ),
    Reservation(
        "no-answers",
        "no item is rated",
        "no item is rated",
        "Look at how the data were read",
    ),
    Reservation(
        "found",
        "more people can be re-identified than the threshold allows, or that was not measured",
        "people can be re-identified",
        "Take epsilon 0 and a larger k, or fewer items, or allow more with `found_at_most`",
    ),
    Reservation(
        "nulls-wildcard",
        "what is missing matches anything: this is not the safe reading",
        "what is missing matches anything",
        "Use the rule strict for missing ratings",
        beside="The verdict does not cover an adversary who knows that an item was rated",
        proposable=True,
    ),
    Reservation(
        "quasi-asks-nothing",
        "all values of some quasi-identifiers count as the same",
        "quasi-identifiers distinguish no records",
        "Take a smaller width or finer classes, or drop it",
    ),
    Reservation(
        "roles-guessed",
        "the roles of columns are not declared: attributes by name, choices of two, numbers taken "
        "for ratings",
        "the roles of columns were guessed",
        _DECLARE,
        beside=_DECLARE,
        written_only=True,
    ),
    Reservation(
        "seed-known",
        "values were exchanged by random numbers of a seed, by which the exchange can be undone",
        "a person who knows the seed can undo the exchange",
        "Use no seed, in Python `rng`: it is for tests and studies",
    ),
    Reservation(
        "sensitive-nulls-feasible",
        "the two rules for unknown sensitive ratings allow different ε",
        "the two rules for missing sensitive ratings disagree",
        "Take an epsilon that both rules allow; the careful reading is `sensitive_nulls='ignore'`",
    ),
    Reservation(
        "sensitive-nulls-verdict",
        "the verdict depends on how unknown sensitive ratings are counted",
        "the two rules for missing sensitive ratings disagree",
        "The careful reading is `sensitive_nulls='ignore'`",
    ),
    Reservation(
        "worthless",
        "the release is no better than a random baseline on most measures of utility",
        "the release is no better than a random baseline on most measures",
        "Take another method, or a smaller k",
    ),
)

FOUND_AT_MOST = 0.09
"""The share of people who may be re-identified before a release has the reservation ``found``, by
default.

The threshold of EMA and Health Canada for clinical reports made public [EMA, External guidance on
the implementation of policy 0070: 0.09], from the cell size of 11 of US practice. It is a
convention.
"""

RESERVATIONS: Mapping[str, Reservation] = {row.code: row for row in _TABLE}
"""Every reservation by its code."""


def checked_codes(accept: Any) -> tuple[str, ...]:
    """Return the codes of the reservations that are accepted; ParameterError for what is none."""
    from ratingpriv.base import checks  # and NumPy with it, which no help needs

    expected = "one of " + ", ".join(RESERVATIONS)
    codes = checks.texts("accept", accept, expected)
    for code in codes:
        if code not in RESERVATIONS:
            raise ParameterError("accept", code, expected, meant(code, RESERVATIONS))
    return tuple(dict.fromkeys(codes))

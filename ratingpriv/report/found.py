"""How many people are found: the worst that any document says of one file,
for every page that says it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ratingpriv.base.cautions import Caution
from ratingpriv.base.reservations import FOUND_AT_MOST

type _Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """The strongest attack that was measured.

    Attributes
    ----------
    success : ``Rate``; rate, low, high, count, of
    original : the rate of the same adversary in the data that a release is of; None without a
        release
    adversary : who that is, in words
    at_most : the share of records that no adversary exceeds
    asked : how many there are, those of whom too little is known to attack them among them
    threshold : the share from which on it is too much
    """

    success: _Document
    original: _Document | None
    adversary: str
    at_most: float
    asked: int
    threshold: float = FOUND_AT_MOST

    @property
    def rate(self) -> float:
        """The share that is found; where it was not measured, what is proved."""
        rate = self.success["rate"]
        return float(self.success["low"] if rate is None else rate)

    @property
    def caution(self) -> Caution | None:
        """The reservation ``found``, where it is due."""
        from ratingpriv.attack.strongest import found_caution
        from ratingpriv.documents.demands import Rate

        success = {"count": (self.success["rate"] or 0.0) * self.success["of"], **self.success}
        return found_caution(Rate(**success), self.at_most, self.threshold, self.adversary)


def worst_found(documents: Mapping[str, _Document], *, of_release: bool) -> Found | None:
    """Return the largest that documents say is found in the release, or in the data.

    None: none measured.

    ``documents`` : by the names of the commands that made them, all about the same files
    """
    made, attack = documents.get("anonymize"), documents.get("attack")
    rates = []
    if of_release and made is not None and made.get("attack") is not None:
        rates.append(_of_anonymize(made["attack"]))
    if attack is not None and ("release" in attack or not of_release):
        rates.extend(_of_attack(attack))
    if not rates:
        return None
    worst = max(rates, key=lambda one: one.rate)
    return replace(worst, at_most=min(one.at_most for one in rates), threshold=rates[0].threshold)


def _of_anonymize(attack: _Document) -> Found:
    from ratingpriv.attack.strongest import OF_WHOLE, WHOLE

    who = WHOLE if attack["algorithm"] in OF_WHOLE else _knows(attack["known"])
    targets, rest = (
        attack["success"]["of"] + attack["not_attacked"],
        (attack["at_most"], attack["threshold"]),
    )
    return Found(attack["success"], attack["original"], who, rest[0], targets, rest[1])


def _of_attack(document: _Document) -> Iterator[Found]:
    """Yield the strongest adversary, and the strongest of those whom the attack was about."""
    from ratingpriv.attack.strongest import WHOLE

    judged, before = document.get("release", document), document if "release" in document else None
    full_knowledge = judged["whole_record"]
    in_data = None if before is None else before["whole_record"]["success"]
    yield Found(
        full_knowledge["success"],
        in_data,
        WHOLE,
        full_knowledge["at_most"],
        full_knowledge["records"],
    )
    success = judged.get("success_of_released") or judged["success"]
    if success["rate"] is not None:
        who = _knows(document["parameters"].get("known"))
        targets = document["targets"] + document["could_not_attack"]
        yield Found(success, before and before["success"], who, 1.0, targets)


def _knows(known: int | str | None) -> str:
    if known is None:
        return "an adversary who knows what a file says"
    return (
        f"an adversary who knows {'all ratings' if known == 'all' else f'{known} ratings'} of "
        f"each person"
    )

"""The figures of the first page: who is found, what is guessed, who is left out,
what use is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.cautions import Caution
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.report.found import Found, worst_found
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.telling import Amount, Rate, Telling
from ratingpriv.report.pages import standing_of
from ratingpriv.utility.comparing import no_better, worthless_caution


@dataclass(frozen=True, slots=True)
class Guess:
    """How often answers to a sensitive question are guessed: with what the adversary knows,
    and without.
    """

    name: str
    correct: Rate
    baseline: Rate

    @property
    def gain(self) -> float:
        """What knowledge adds, as far as it is told."""
        return (self.correct.highest or 0.0) - (self.baseline.highest or 0.0)

    @property
    def gains(self) -> bool:
        """Whether knowledge adds something beyond chance."""
        certain = self.correct.low > self.baseline.high
        return self.correct.highest is not None and self.gain > 0 and certain


@dataclass(frozen=True, slots=True)
class Attacked:
    """The rates of a ``ratingpriv.attack/2`` document as they may be told.

    Of a release they are of the targets that are in it: who was suppressed is no success for those
    who were not.

    Attributes
    ----------
    asked : how many targets there were, those that could not be attacked among them
    rows : each attack with its rates, before and after, and its false positives
    before, found : of the strongest attack on the data, and of the same on the release where it was
        attacked
    profile : the largest share of targets whose whole profile an attack discloses
    guesses : how often each sensitive question is guessed by the best attack, worst first
    """

    of_release: bool
    asked: int
    rows: tuple[tuple[str, list[Rate], Rate], ...]
    before: Rate
    found: Rate
    profile: Rate
    guesses: tuple[Guess, ...]


@dataclass(frozen=True, slots=True)
class _Rates:
    """Rates of targets, of whom so many were ``asked``, as they may be told."""

    telling: Telling
    asked: int
    interval: str
    confidence: float

    def of(self, success: Mapping[str, Any]) -> Rate:
        """Return a rate; what it is of has to be a number that may be shown, too."""
        of, telling = success["of"], self.telling
        if success["rate"] is None:
            return telling.share(None, 0)
        shown = telling.whole(of, self.asked) is not None or of < telling.threshold
        return telling.share(
            success.get("count", success["rate"] * of),
            of if shown else self.asked,
            method=self.interval,
            confidence=self.confidence,
            low=success["low"],
            high=success["high"],
        )


def attacked(document: Mapping[str, Any], telling: Telling) -> Attacked:
    """Return the rates of an attack as they may be told."""
    settings, of_release = document["parameters"], document.get("release") is not None
    n_targets = int(document["targets"]) + int(document["could_not_attack"])

    rate = _Rates(telling, n_targets, settings["interval"], settings["confidence"]).of

    def rates(one: Mapping[str, Any]) -> list[Rate]:
        after = (
            [one["release"].get("success_of_released") or one["release"]["success"]]
            if of_release
            else []
        )
        return [rate(one["success"]), *map(rate, after)]

    suite = document.get("suite") or [{**settings, **document}]
    judged = [one["release"] if of_release else one for one in suite]
    rows = [
        (str(one["algorithm"]), rates(one), rate(last["false_positive"]))
        for one, last in zip(suite, judged, strict=True)
    ]
    profile = max((one["profile"] for one in judged), key=lambda one: one["rate"] or 0.0)
    guesses = []
    guessed = [one["inference"]["sensitive"] for one in judged if one["inference"] is not None]
    for name in guessed[0] if guessed else ():
        best = max((one[name] for one in guessed), key=lambda one: one["correct"]["rate"] or 0.0)
        guesses.append(Guess(name, rate(best["correct"]), rate(best["baseline"])))
    strongest = rates(document)
    return Attacked(
        of_release,
        n_targets,
        tuple(rows),
        strongest[0],
        strongest[-1],
        rate(profile),
        tuple(sorted(guesses, key=lambda one: -one.gain)),
    )


@dataclass(frozen=True, slots=True)
class Figures:
    """What the first page has.

    Attributes
    ----------
    outcome : what decides, the first of these that is so: "invalid", "unaudited", "broken",
        "reserved", "unmeasured", "found", "uncertain", "disclosed", "guessed", "worthless"; "kept"
        is none of them
    attack : all rates; None where there was no attack
    found, before : people found by the strongest attack that any document has, and by the same in
        the data that a release is of; None where there was no such attack
    adversary : who that is, in words; empty where there was none
    read : people of whom all that is in the file is disclosed, although they are not told apart
    guesses : each sensitive question, worst first; empty where nothing was measured
    left_out : how many records the release lacks; None without a release, or where that is not
        known
    lost : the measures by which the release is no better than a worthless one; None where none was
        measured
    measures : how many were measured
    """

    outcome: str
    attack: Attacked | None
    found: Rate | None
    before: Rate | None
    adversary: str
    read: Rate | None
    guesses: tuple[Guess, ...]
    left_out: Amount | None
    lost: tuple[str, ...] | None
    measures: int


def figures_of(material: Material) -> Figures:
    """Return the figures of the first page; the outcome tells no more of people than they do."""
    of_release, verified, utility = (
        material.is_of_release,
        material.of("verify"),
        material.of("utility"),
    )
    document = material.of("attack")
    attack = None if document is None else attacked(document, material.telling)
    # an attack on the data alone says nothing of a release of them
    judged = attack if attack is not None and (attack.of_release or not of_release) else None
    worst = worst_found(material.documents, of_release=of_release)
    rates_of_attack, before = (None, None) if worst is None else _rates_of(worst, material)
    read, guesses = (judged.profile, judged.guesses) if judged else (None, ())
    lost, measures = ((), 0) if utility is None else no_better(utility)
    news, limit = (
        standing_of(material.judged).good,
        FOUND_AT_MOST if worst is None else worst.threshold,
    )
    share, proved = (
        rates_of_attack and rates_of_attack.highest,
        worst is not None and worst.at_most <= limit,
    )
    decides = {
        "invalid": verified is not None and not verified["valid"],
        "unaudited": of_release and material.of("audit_release") is None,
        "broken": news is False,
        "reserved": news is None,
        "unmeasured": share is None and not proved,
        "found": not proved and (share or 0.0) > limit,
        "uncertain": not proved and rates_of_attack is not None and rates_of_attack.high > limit,
        "disclosed": read is not None and (read.highest or 0.0) > limit,
        "guessed": any(guess.gains for guess in guesses),
        "worthless": 2 * len(lost) > measures,
    }
    return Figures(
        outcome=next((outcome for outcome, holds in decides.items() if holds), "kept"),
        attack=attack,
        found=rates_of_attack,
        before=before,
        adversary="" if worst is None else worst.adversary,
        read=read,
        guesses=guesses,
        left_out=_left_out(material),
        lost=lost if measures else None,
        measures=measures,
    )


def _rates_of(worst: Found, material: Material) -> tuple[Rate, Rate | None]:
    """Return how many people the strongest attack finds,
    and how many in the data that a release is of.
    """
    before = None if worst.original is None else _told(worst.original, worst.asked, material)
    return _told(worst.success, worst.asked, material), before


def reserved(material: Material) -> dict[str, Any]:
    """Return the audit that the verdict is of,
    with the reservations on what was measured of a release.

    To others without the numbers of the data.
    """
    audit = material.judged
    if not material.is_of_release:
        return audit
    worst, utility = worst_found(material.documents, of_release=True), material.of("utility")
    due = [
        None if worst is None else worst.caution,
        None if utility is None else worthless_caution(utility),
    ]
    found = [caution for caution in due if caution is not None]
    if not material.telling.internal:
        found = [Caution.of(caution.code) for caution in found]
    made = material.of("anonymize") or {}
    accepted = dict.fromkeys((*audit.get("accepted", ()), *made.get("accepted", ())))
    cautions = [*audit["cautions"], *(caution.to_dict() for caution in found)]
    return {**audit, "cautions": cautions, "accepted": list(accepted)}


def _told(success: Mapping[str, Any], asked: int, material: Material) -> Rate:
    """Return a rate as it may be told; what it is of has to be a number that may be shown, too."""
    telling, of = material.telling, success["of"]
    if success["rate"] is None:
        return telling.share(None, 0)
    everybody = max(asked, of, material.data_said("records") or 0)
    shown = telling.whole(of, everybody) is not None or of < telling.threshold
    count, ends = (
        success.get("count", success["rate"] * of),
        {end: success[end] for end in ("low", "high")},
    )
    return telling.share(count, of if shown else everybody, **ends)


def _left_out(material: Material) -> Amount | None:
    """Return how many records of the data the release lacks: as they were paired,
    else by their numbers.
    """
    (data, release), utility = material.totals, material.of("utility")
    gone = None if utility is None else utility["withheld"]
    if gone is None and data is not None and release is not None and release <= data:
        # about: few, and the totals are told as one
        gone = 1 if material.telling.about else data - release
    return None if gone is None or data is None else material.telling.amount(gone, data)

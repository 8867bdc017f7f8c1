"""The figures of the first page: who is found, what is guessed, who is left out, what use is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ratingpriv.report.meanings import no_better
from ratingpriv.report.overview.counts import Amount, Rate
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.pages import standing_of
from ratingpriv.report.templating import LIMIT

type _Outcome = Literal[
    "invalid", "unaudited", "broken", "reserved", "unmeasured", "found", "uncertain", "disclosed", "guessed",
    "worthless", "kept",
]  # fmt: skip
"""What decides: the first of these that is so; "kept" is none of the others."""


@dataclass(frozen=True, slots=True)
class Guess:
    """How often answers to a sensitive question are guessed: with what the adversary knows, and without."""

    name: str
    correct: Rate
    baseline: Rate

    @property
    def gain(self) -> float:
        """What knowledge adds, as far as it is told."""
        return (self.correct.highest or 0.0) - (self.baseline.highest or 0.0)


class AttackFigures:
    """The rates of a ``ratingpriv.attack/2`` document as they may be told.

    Of a release they are of the targets that are in it: who was suppressed is no success for those who were
    not.
    """

    def __init__(self, document: Mapping[str, Any], telling: Telling) -> None:
        self._document, self._telling = document, telling
        self.of_release = document.get("release") is not None
        self.asked = int(document["targets"]) + int(document["could_not_attack"])
        self.suite = document.get("suite") or [{**document["parameters"], **document}]
        self._judged = [one["release"] if self.of_release else one for one in self.suite]
        self.before = self._rate(document["success"])
        """The strongest attack's on the data."""
        self.found = self._rate(self._after(document)) if self.of_release else self.before
        """The same attack's on the release, where it was attacked."""
        self.profile = self._rate(
            max((one["profile"] for one in self._judged), key=lambda one: one["rate"] or 0.0)
        )
        """The largest share of targets whose whole profile an attack discloses."""

    def rows(self) -> Iterator[tuple[str, list[Rate], Rate]]:
        """Yield each attack with its rates, before and after, and its false positives."""
        for one, last in zip(self.suite, self._judged, strict=True):
            told = [one["success"], *([self._after(one)] if self.of_release else [])]
            yield (
                str(one["algorithm"]),
                [self._rate(rate) for rate in told],
                self._rate(last["false_positive"]),
            )

    def guesses(self) -> tuple[Guess, ...]:
        """Return how often each sensitive question is guessed by the best attack, worst first."""
        named = [one["inference"]["sensitive"] for one in self._judged if one["inference"] is not None]
        made = []
        for name in named[0] if named else ():
            best = max((one[name] for one in named), key=lambda one: one["correct"]["rate"] or 0.0)
            made.append(Guess(name, self._rate(best["correct"]), self._rate(best["baseline"])))
        return tuple(sorted(made, key=lambda one: -one.gain))

    def _rate(self, success: Mapping[str, Any]) -> Rate:
        """Return a rate of targets; what it is of has to be a number that may be shown, too."""
        rounding, settings = self._telling.rounding, self._document["parameters"]
        if success["rate"] is None:
            return rounding.rate(None, 0)
        of = success["of"]
        shown = rounding.whole(of, self.asked) is not None or of < rounding.threshold
        return rounding.rate(
            success.get("count", success["rate"] * of), of if shown else self.asked,
            method=settings["interval"], confidence=settings["confidence"], low=success["low"],
            high=success["high"],
        )  # fmt: skip

    @staticmethod
    def _after(one: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = one["release"].get("success_of_released") or one["release"]["success"]
        return found


@dataclass(frozen=True, slots=True)
class Figures:
    """What the first page has.

    Attributes
    ----------
    outcome : what decides
    attack : all rates; None where there was no attack
    found, before : people found by the strongest attack, and by the same in the data that a release is of;
        None where there was no such attack
    read : people of whom all that is in the file is disclosed, although they are not told apart
    guesses : each sensitive question, worst first; empty where nothing was measured
    left_out : how many records the release lacks; None without a release, or where that is not known
    lost : the measures by which the release is no better than a worthless one; None where none was measured
    measures : how many were measured
    """

    outcome: _Outcome
    attack: AttackFigures | None
    found: Rate | None
    before: Rate | None
    read: Rate | None
    guesses: tuple[Guess, ...]
    left_out: Amount | None
    lost: tuple[str, ...] | None
    measures: int


def figures_of(material: Material) -> Figures:
    """Return the figures of the first page; the outcome tells no more of people than they do."""
    attack = success = before = profile = None
    guesses: tuple[Guess, ...] = ()
    if (document := material.of("attack")) is not None:
        attack = AttackFigures(document, material.telling)
        if attack.of_release or not material.is_of_release:
            success, profile, guesses = attack.found, attack.profile, attack.guesses()
        before = attack.before if material.is_of_release else None
    lost, measures = None, 0
    if (utility := material.of("utility")) is not None:
        lost, measures = no_better(utility)
    verified, news = material.of("verify"), standing_of(material.judged).good
    share, read = (None if rate is None or _hidden(rate) else rate.highest for rate in (success, profile))
    decides: list[tuple[_Outcome, bool]] = [
        ("invalid", verified is not None and not verified["valid"]),
        ("unaudited", material.is_of_release and material.of("audit_release") is None),
        ("broken", news is False),
        ("reserved", news is None),
        ("unmeasured", share is None),
        ("found", (share or 0.0) > LIMIT),
        ("uncertain", success is not None and success.high > LIMIT),
        ("disclosed", (read or 0.0) > LIMIT),
        (
            "guessed",
            any(
                not _hidden(one.correct) and one.gain > 0 and one.correct.low > one.baseline.high
                for one in guesses
            ),
        ),
        ("worthless", bool(measures) and len(lost or ()) == measures),
    ]
    outcome: _Outcome = next((outcome for outcome, holds in decides if holds), "kept")
    return Figures(
        outcome, attack, success, before, profile, guesses, _left_out(material), lost if measures else None,
        measures,
    )  # fmt: skip


def _hidden(rate: Rate) -> bool:
    return rate.amount is None or rate.amount.total is None or rate.amount.kind == "some"


def _left_out(material: Material) -> Amount | None:
    """Return how many records of the data the release lacks: as they were paired, else by their numbers."""
    (data, release), utility = material.totals, material.of("utility")
    gone = None if utility is None else utility["withheld"]
    if gone is None and data is not None and release is not None and release <= data:
        gone = 1 if material.telling.about else data - release  # about: few, and the totals are told as one
    return None if gone is None or data is None else material.telling.rounding.amount(gone, data)

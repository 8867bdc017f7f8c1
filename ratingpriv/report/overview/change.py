"""The third section: what was done to the data, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.numbers import in_full
from ratingpriv.report.overview.items import Item, Lines, Note, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.pictures import pictures
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.page import Table
from ratingpriv.report.utility.meanings import MEANINGS
from ratingpriv.report.wording import as_options

__all__ = ["change"]

_SHOWN = 20
_ENOUGH = 10
"""To others the answers to a question are summed up where so many times the threshold gave one."""

_METHODS = {
    "modify": "ratings were changed until every record has enough others within epsilon",
    "suppress": "records were left out, as few as the search found",
    "predictive": "records of whom similar ratings are predicted were made identical",
}


def change(material: Material) -> Part:
    """Return the section: the method, and utility beside the original's and a worthless release's."""
    title = "What was done, and what it cost"
    if not material.is_of_release:
        nothing = Note(
            "missing",
            "Nothing was done: no release was given, and this report is about the data as they are. What a "
            "release would cost was not measured.",
            f"ratingpriv anonymize {material.data_name or 'DATA'} --k {material.judged.parameters.k} "
            f"--epsilon {in_full(material.judged.parameters.epsilon)} --method modify -o RELEASE.csv",
        )
        return Part("change", title, (nothing,))
    return Part("change", title, (*_done(material), *_cost(material)))


def _done(material: Material) -> Iterator[Item]:
    verified, made = material.of("verify"), material.of("anonymize")
    stated: Mapping[str, Any] = verified["stated_not_checked"] if verified is not None else made or {}
    method = stated.get("method")
    if not isinstance(method, Mapping) or not isinstance(method.get("name"), str):
        yield Note(
            "missing",
            "How the release was made is not known: no manifest was found beside it, and no result of "
            "ratingpriv anonymize was given (--from).",
        )
        return
    name = method["name"]
    word = (
        "The manifest states, and nobody can check from the release alone" if verified else "It was made so"
    )
    yield f"{word}: method {name}, by which {_METHODS.get(name, 'the data were changed')}."
    if material.telling.internal:
        yield Lines((as_options(str(method.get("statement", ""))),))


def _cost(material: Material) -> Iterator[Item]:
    found, telling = material.of("utility"), material.telling
    if found is None:
        yield Note(
            "missing",
            "What the release is still good for was not measured.",
            f"ratingpriv utility {material.data_name or 'DATA'} {material.release_name or 'RELEASE'}",
        )
        return
    total = found["original"]["records"]
    gone = found["withheld"]
    if gone is not None:
        yield f"Suppressed: {telling.share_of(gone, total)}."
    measured = {name: found[name] for name in MEANINGS if name in found}
    there = {name: one for name, one in measured.items() if one["value"] is not None}
    rows = tuple(
        (
            MEANINGS[name].title,
            *(_measure(name, one[side], found, telling) for side in ("value", "original", "worthless")),
            MEANINGS[name].better,
        )
        for name, one in there.items()
    )
    if rows:
        yield (
            "Every measure stands beside the original's and that of a worthless release, in which each "
            "rating is a random one of the same question: what is no better than that is lost."
        )
        yield Table(
            ("measure", "release", "original", "worthless", "better"), rows, (False, True, True, True, False)
        )
        yield Lines(tuple(f"{MEANINGS[name].title}: {MEANINGS[name].sentence}" for name in there))
    else:
        yield Note("missing", "No measure of utility could be taken. That does not mean that it is useful.")
    yield from pictures(material, found)
    yield from _questions(found, telling)
    missing = [MEANINGS[name].title for name in measured if name not in there]
    if missing:
        yield Note(
            "missing",
            f"Not measured of the release: {', '.join(missing)} (ratingpriv utility says why, and takes what "
            "they need).",
        )


def _measure(name: str, value: float | None, found: Mapping[str, Any], telling: Telling) -> str:
    """Return a measure's value; shares that few people decide are made coarse as numbers of people are."""
    if value is None or telling.internal:
        return telling.measured(value)
    if name in ("information_loss", "membership_change"):
        records = found["original"]["records"]
        return telling.rate(telling.rounding.rate(min(value, 1.0) * records, records))
    return telling.measured(value)


def _mean(value: float | None, telling: Telling) -> str:
    """Return a mean or an SD of answers; to others with one decimal, lest two of them tell who is missing."""
    if value is None or telling.rounding.exact:
        return telling.measured(value)
    return f"{value:.1f}"


def _questions(found: Mapping[str, Any], telling: Telling) -> Iterator[Item]:
    details = found.get("questions", {})
    each = details.get("questions")
    if not each:
        return
    few = 1 if telling.rounding.exact else _ENOUGH * telling.threshold
    kept = [one for one in each if min(one["before"]["ratings"], one["after"]["ratings"]) >= few]
    kept = sorted(kept, key=lambda one: -one["before"]["ratings"])[:_SHOWN]
    total = found["original"]["records"]
    rows = tuple(
        (
            one["name"],
            *(telling.cell(one[side]["ratings"], total) for side in ("before", "after")),
            *(_mean(one[side][key], telling) for key in ("mean", "sd") for side in ("before", "after")),
        )
        for one in kept
    )
    if rows:
        columns = ("question", "answers", "answers now", "mean", "mean now", "SD", "SD now")
        yield Table(columns, rows, (False, *(True,) * 6))
    if len(kept) < len(each):
        more = "" if few == 1 else f"; none that fewer than {few:,} people answered"
        yield f"{len(kept):,} of {len(each):,} questions, those answered most{more}."
    alpha = details.get("cronbach_alpha")
    if alpha and min(alpha[side]["records"] for side in ("before", "after")) >= few:
        values = (_mean(alpha[side]["value"], telling) for side in ("before", "after"))
        yield f"Cronbach's alpha over the records that answered every question: {', now '.join(values)}."

"""What pictures write: names of the data made harmless and short, shares, phrases from a document."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from ratingpriv.base.escaping import printable
from ratingpriv.base.numbers import in_full
from ratingpriv.report.plain import count
from ratingpriv.report.templating import phrase

type Document = Mapping[str, Any]
"""A JSON contract, as ``to_dict()`` gives it and ``json.load`` reads it."""


def plain(name: object, most: int = 32) -> str:
    """Return a name as a text that matplotlib takes neither for mathematics nor for a hidden label.

    Control characters are escaped, and what is longer than ``most`` characters is cut.
    """
    text = printable(name)
    text = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    text = text.replace("$", r"\$")
    return "\u2009" + text if text.startswith("_") else text  # a thin space


def wrapped(text: str, inches: float, size: float) -> str:
    """Return a text in lines that fit so many inches, in letters of that many points."""
    kept = text.replace(" %", "\u00a0%")  # no line begins with it
    return "\n".join(textwrap.wrap(kept, max(20, int(inches * 72 / (0.56 * size))), break_long_words=True))


def rate(share: float) -> str:
    """Return a share in three digits, as ``9.35 %``, and never one rounded to 0 or to 100 %."""
    percent = 100 * share
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    return f"{percent:.3g} %"


def about(document: Document, dataset: str = "dataset") -> str:
    """Return what the data are, in a sentence or two: their name, their size, and which part of them."""
    data = document[dataset]
    selection = document.get("selection") or data.get("selection")
    name = plain(PurePath(data["name"]).name or data["name"], 40)
    said = f"{name}: {count(data['records'], 'record')}, {count(data['issues'], 'question')}."
    if selection is None:
        return said
    return f"{said} This is about {phrase('chosen', selection)}, not about the whole data."


def of_part(document: Document) -> str:
    """Return which part of the data it is, to follow their name in brackets; or nothing."""
    return phrase("part", document.get("selection"))


def near(document: Document, epsilon: float | None = None) -> str:
    """Return what records have to be to be neighbours, quasi-identifiers included."""
    data = document["dataset"]
    within = "within that distance" if epsilon is None else f"within a rating distance of {in_full(epsilon)}"
    rules: dict[str, list[str]] = {}
    for one in data.get("quasi", ()):
        rule = "equal" if one["rule"] == "equal" else f"within {in_full(one['within'])}"
        rules.setdefault(rule, []).append(plain(one["name"]))
    said = " and ".join(f"{rule} on {', '.join(names)}" for rule, names in rules.items())
    if not said:
        return within
    return f"{within} and {said}" if data["issues"] else said


def under(document: Document) -> str:
    """Return the null rule where it is one that a sentence must not leave out; else nothing."""
    codes = {one["code"] for one in document.get("cautions", ())}
    if "nulls-wildcard" in codes:
        return " where an unanswered question matches anything"
    return " by the rule known" if document["parameters"].get("nulls") == "known" else ""

"""Adversaries by name: how much somebody of a kind knows, and what is meant where nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ratingpriv.attack.knowledge.counting import check_count_error
from ratingpriv.attack.knowledge.drawing import check_items, check_numbers, eligible_ratings
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable

__all__ = [
    "ADVERSARIES", "ALL", "DEFAULTS", "KNOWN", "check_knowledge", "check_known", "default_known",
    "knowledge_of",
]  # fmt: skip

ALL = "all"
"""As ``known``: every rating of a target, however many there are."""

KNOWN = 8
"""So many ratings are known where nothing else is said, and no more than the fullest record has."""

DEFAULTS: Mapping[str, Any] = {
    "known": None, "wrong": 0, "rating_error": 0.0, "date_error": None, "items": "uniform", "short": "skip",
    "unrated": 0, "knows_count": None, "knows": None,
}  # fmt: skip
"""What is known where nothing is said: KNOWN exact ratings of any questions, without dates."""

ADVERSARIES: Mapping[str, Mapping[str, Any]] = {
    "colleague": {"known": 4, "rating_error": 1.0, "date_error": None},
    "web-shop": {"known": 8, "rating_error": 0.0, "date_error": 0.0},
    "netflix": {"known": 8, "wrong": 2, "rating_error": 0.0, "date_error": 14.0},
    "everything": {"known": ALL, "rating_error": 0.0, "date_error": 0.0},
}
"""Who knows what, in place of DEFAULTS.

* "colleague" heard four opinions, and remembers them within 1, without dates.
* "web-shop" sold eight of the things: it has the exact ratings and the exact dates.
* "netflix" knows eight ratings of which two are completely wrong, with dates within 14 days [NS08, §5].
* "everything" has the target's whole record, exactly, with dates: the most that there is to know.

Dates are known where the data have any. Where no record has so many ratings, as many are known as the fullest
one has, and in proportion fewer are wrong.
"""


def knowledge_of(table: RatingTable, adversary: str | None, explicit: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a target of ``table``: arguments of :func:`ratingpriv.attack.knowledge.draw`.

    Parameters
    ----------
    adversary : one of ADVERSARIES; None: DEFAULTS
    explicit : what was said beside it, which goes before; None: nothing was. Where ``date_error`` is "none"
        no dates are known

    Returns
    -------
    dict
        By the names of DEFAULTS. ``known`` may be ALL, and None where nothing was said of it.

    Raises
    ------
    ParameterError
        There is no such adversary.
    """
    said, preset = _said(explicit), _preset(adversary)
    if adversary is None:
        return {**DEFAULTS, **said}
    stamps = table.timestamps
    if stamps is None or stamps.null_count() == len(stamps):
        preset["date_error"] = None
    if "known" not in said and preset["known"] != ALL:
        items = said.get("items", DEFAULTS["items"])
        fewer = min(preset["known"], default_known(table, items))
        preset["wrong"] = preset.get("wrong", 0) * fewer // preset["known"]
        preset["known"] = fewer
    return {**DEFAULTS, **preset, **said}


def check_knowledge(adversary: str | None, explicit: Mapping[str, Any]) -> None:
    """Refuse what can be known of no table's targets; worth doing before one is read.

    Parameters
    ----------
    adversary, explicit : as for :func:`knowledge_of`

    Raises
    ------
    ParameterError
        There is no such adversary, or a value is of a wrong type or out of range, whatever the data are.
    """
    given = {**DEFAULTS, **_preset(adversary), **_said(explicit)}
    check_known(**{name: given[name] for name in ("known", "wrong", "unrated")})
    checks.non_negative_number("rating_error", given["rating_error"])
    if given["date_error"] is not None:
        checks.non_negative_number("date_error", given["date_error"])
    check_items(given["items"])
    check_count_error(given["knows_count"])
    if given["knows"] is not None:
        checks.texts("knows", given["knows"])


def check_known(known: object, wrong: object, unrated: object) -> None:
    """Refuse numbers that are right for no target; ``known`` may be ALL, or None: KNOWN at most.

    Raises
    ------
    ParameterError
        One is out of range, or all ratings are known and some shall be wrong; or ``known`` is another word.
    """
    if not isinstance(known, str):
        check_numbers(KNOWN if known is None else known, wrong, unrated)
        return
    if known != ALL:
        raise ParameterError("known", known, "a whole number >= 1, or 'all'")
    for name, value in (("wrong", wrong), ("unrated", unrated)):
        if checks.whole_number(name, value, 0):
            raise ParameterError(name, value, "0 where all ratings are known", "or a number of known ratings")


def _said(explicit: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said."""
    said = {name: value for name, value in explicit.items() if value is not None}
    error = said.get("date_error")
    if isinstance(error, str) and error == "none":
        said["date_error"] = None
    return said


def _preset(adversary: str | None) -> dict[str, Any]:
    """Return what an adversary of that name knows; nothing where none is named."""
    if adversary is None:
        return {}
    return dict(ADVERSARIES[checks.choice("adversary", adversary, tuple(ADVERSARIES))])


def default_known(table: RatingTable, items: str) -> int:
    """Return KNOWN, or how many ratings of such ``items`` the fullest record has if these are fewer."""
    return int(np.clip(eligible_ratings(table, items).max(initial=1), 1, KNOWN))

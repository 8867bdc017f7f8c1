"""How much an adversary knows of each target, and of whom; adversaries by name."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.dates import has_dates
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import whole_number
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.selection import most_rated

ALL = "all"
"""As ``known``: every rating of a target, however many there are."""

KNOWN = 8
"""So many ratings are known where nothing else is said, and no more than the fullest record has."""

_ITEMS = "uniform, rarest, or not-top:N with N from 1 to the number of items - 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What is known, and of whom, checked when it is made [NS08, §5].

    Attributes
    ----------
    targets : None: every record; a whole number: a uniform sample of so many; else their positions
        (see :func:`ratingpriv.attack.positions_of` for ids)
    known : how many ratings of a target are known, the paper's m′: the right, the wrong and the
        unrated together; ALL: every one (of such ``items``); None: :func:`default_known`
    wrong : how many of those, drawn uniformly, are completely wrong (w): the rating is then a level
        that is not within ``rating_error`` of the right one, each such level equally likely, and
        the date (if dates are known) a time between the table's first and last date, not within
        ``date_error`` of the right one
    unrated : how many of the known ones are of issues that the target did *not* rate
        [NS08, Fig. 10], drawn without replacement among the others that ``items`` allows, in
        proportion to |supp(i)|; their ratings are levels and their dates (if dates are known) times
        of the table, uniformly. A target that left too few issues unrated cannot be attacked so
    rating_error : e: a known rating is one of the levels within ±e of the right one, each equally
        likely
    date_error : None: no date is known; else days: a known date is within ± so many days of the
        right one, uniformly. Where the table has dates (not instants), errors are whole days
    items : which ratings are known: "uniform" (any), "not-top:100" (of issues that are not among
        the 100 most rated), "rarest" (of the target's least rated issues; ties at random)
    knows_count : h: about how many ratings a target made is known, too [NS08, Fig. 12]: c̃ = c (1 +
        η), η uniform within ±h, c = |supp(target)|. Then only records with c̃ / (1 + h) <=
        |supp(r')| <= c̃ / (1 - h) are candidates. None: no idea
    knows : names of quasi-identifiers of the table that are known of each target, exactly: only
        records that have the same values, or do not tell them, are candidates. "none"; None: all of
        them
    short : what to do with targets that have fewer such ratings than are to be known: "skip" them
        (and count them) or "refuse"

    Raises
    ------
    ParameterError
        A value is of a wrong type or out of range, whatever the data are.
    """

    targets: int | Sequence[int] | NDArray[np.int64] | None = None
    known: int | str | None = None
    wrong: int = 0
    unrated: int = 0
    rating_error: float = 0.0
    date_error: float | None = None
    items: str = "uniform"
    knows_count: float | None = None
    knows: str | Sequence[str] | None = None
    short: str = "skip"

    def __post_init__(self) -> None:
        """Check every value and bring numbers to their types."""
        wrong, unrated = (
            checks.whole_number(name, getattr(self, name), 0) for name in ("wrong", "unrated")
        )
        numbers: dict[str, Any] = {"known": self.known, "wrong": wrong, "unrated": unrated}
        if isinstance(self.known, str):
            if self.known != ALL:
                raise ParameterError("known", self.known, "a whole number >= 1, or 'all'")
            for name in ("wrong", "unrated"):
                if numbers[name]:
                    expected, remedy = (
                        "0 where all ratings are known",
                        "or a number of known ratings",
                    )
                    raise ParameterError(name, numbers[name], expected, remedy)
        else:
            number = checks.whole_number("known", KNOWN if self.known is None else self.known, 1)
            if wrong > number:
                raise ParameterError("wrong", wrong, f"at most the {number} that are known")
            rated = max(wrong, 1)
            if unrated > number - rated:
                expected = (
                    f"at most {number - rated}: of the {number} that are known, {rated} are rated"
                )
                raise ParameterError("unrated", unrated, expected)
            numbers["known"] = None if self.known is None else number
        numbers["rating_error"] = checks.non_negative_number("rating_error", self.rating_error)
        if self.date_error is not None:
            numbers["date_error"] = checks.non_negative_number("date_error", self.date_error)
        most_rated_left_out(self.items)
        if self.knows_count is not None:
            numbers["knows_count"] = checks.non_negative_number("knows_count", self.knows_count)
            if numbers["knows_count"] >= 1:
                expected = "a number from 0 up to but not including 1, such as 0.5 for ±50 %"
                raise ParameterError("knows_count", self.knows_count, expected)
        if self.knows is not None:
            checks.texts("knows", self.knows)
        checks.choice("short", self.short, ("skip", "refuse"))
        for name, value in numbers.items():
            object.__setattr__(self, name, value)


ADVERSARIES: Mapping[str, Mapping[str, Any]] = {
    "colleague": {"known": 4, "rating_error": 1.0, "date_error": None},
    "web-shop": {"known": 8, "rating_error": 0.0, "date_error": 0.0},
    "netflix": {"known": 8, "wrong": 2, "rating_error": 0.0, "date_error": 14.0},
    "everything": {"known": ALL, "rating_error": 0.0, "date_error": 0.0},
}
"""Who knows what, in place of the defaults of :class:`Knowledge`.

* "colleague" heard four opinions, and remembers them within 1, without dates.
* "web-shop" sold eight of the things: it has the exact ratings and the exact dates.
* "netflix" knows eight ratings of which two are completely wrong, with dates within 14 days
  [NS08, §5].
* "everything" has the target's whole record, exactly, with dates: the most that there is to know.

Dates are known where the data have any. Where no record has so many ratings, as many are known as
the fullest one has, and in proportion fewer are wrong.
"""


def knowledge_of(
    table: RatingTable | None, adversary: str | None, explicit: Mapping[str, Any]
) -> Knowledge:
    """Return what an adversary of that name, or by default, knows of the targets in ``table``.

    What is ``explicit`` goes before that, by the names of :class:`Knowledge`, but for what is None;
    with "none" as ``date_error`` no dates are known. Without a table: whatever the data are, to see
    what is wrong before any are read.
    """
    given = {name: value for name, value in explicit.items() if value is not None}
    if isinstance(error := given.get("date_error"), str) and error == "none":
        given["date_error"] = None
    if adversary is None:
        return Knowledge(**given)
    preset = dict(ADVERSARIES[checks.choice("adversary", adversary, tuple(ADVERSARIES))])
    if table is None:
        return Knowledge(**{**preset, **given})
    if not has_dates(table):
        preset["date_error"] = None
    if "known" not in given and preset["known"] != ALL:
        fewer = min(preset["known"], default_known(table, given.get("items", "uniform")))
        preset["wrong"] = preset.get("wrong", 0) * fewer // preset["known"]
        preset["known"] = fewer
    return Knowledge(**{**preset, **given})


def default_known(table: RatingTable, items: str) -> int:
    """Return KNOWN, or how many ratings of such ``items`` the fullest
    record has if these are fewer.
    """
    return int(np.clip(eligible_ratings(table, items).max(initial=1), 1, KNOWN))


def eligible_ratings(table: RatingTable, items: str) -> NDArray[np.int64]:
    """Return how many ratings of each record can be known, int64 (n_records,);
    ``items`` as in Knowledge.
    """
    eligible = eligible_issues(table, items)
    if eligible is None:
        return np.diff(table.indptr).astype(np.int64)
    before = np.concatenate(([0], np.cumsum(eligible[table.indices])))
    return (before[table.indptr[1:]] - before[table.indptr[:-1]]).astype(np.int64)


def eligible_issues(table: RatingTable, items: str) -> NDArray[np.bool_] | None:
    """Return of which issues a rating can be known, bool (n_issues,); None: of any."""
    most = most_rated_left_out(items)
    if not most:
        return None
    if most >= table.n_issues:
        raise ParameterError("items", items, _ITEMS)
    eligible = np.ones(table.n_issues, dtype=bool)
    eligible[most_rated(table, most)] = False
    return eligible


def most_rated_left_out(items: object) -> int:
    """Return how many of the most rated issues ``items`` leaves out.

    ParameterError where it is no word.
    """
    if isinstance(items, str):
        if items in ("uniform", "rarest"):
            return 0
        kind, _, number = items.partition(":")
        with contextlib.suppress(ValueError):
            if kind == "not-top" and (most := whole_number(number)) >= 1:
                return most
    raise ParameterError("items", items, _ITEMS)

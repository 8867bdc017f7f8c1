"""[NS08, Figs 4-6 and 8-12]: Scoreboard-RH against all targets of whom enough can be known.

Settings: ``rows`` ([right, known] each), ``unrated``, ``rating_error``, ``date_error``, ``items``,
``knows_count`` (lists; "none" is null), ``y`` ("identified", "both" or "bits"), ``series`` (what tells them
apart), ``targets`` (so many at most) and ``phi``.

Judges speak of ``at(**knowledge)``: the points, each a :class:`Point`, of what the adversary knows so.
The paper's numbers are of 480,189 people and 17,770 films.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.methods import index_of
from ratingpriv.attack.evaluation.cautions import FEW
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.suite import experiment
from ratingpriv.attack.intervals import Share
from ratingpriv.attack.knowledge import Knowledge as Drawing
from ratingpriv.attack.knowledge import draw
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.reproduce import Panel
from ratingpriv.studies.papers.data import part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Measured, Setting, series

_NOTHING = "none"  # TOML has no null


class Knowledge(Struct, frozen=True):
    """What the adversary knows.

    Attributes
    ----------
    right, known : m of m' ratings are right, the others completely wrong; ``unrated`` come on top
    unrated : so many films that the target did not rate
    rating_error, date_error, items, knows_count : as for :func:`ratingpriv.attack.draw`
    """

    right: int
    known: int
    unrated: int
    rating_error: float
    date_error: float | None
    items: str
    knows_count: float | None

    @property
    def row(self) -> str:
        """How many of how many ratings are right: ``6 of 8``."""
        return f"{self.right} of {self.known}"

    @property
    def films(self) -> str:
        """Which films are known: ``none of the 100 most rated``."""
        number = self.items.removeprefix("not-top:")
        return "any films" if self.items == "uniform" else f"none of the {number} most rated"

    def label(self, name: str) -> str:
        """Return one of the attributes in words: ``dates ±14 days``."""
        if name == "date_error":
            return "no dates" if self.date_error is None else f"dates ±{self.date_error:g} days"
        if name == "knows_count":
            if self.knows_count is None:
                return "number of ratings not known"
            return f"number of ratings known ±{100 * self.knows_count:g} %"
        return self.films if name == "items" else self.row


class Interval(Struct, frozen=True):
    """A share, or a mean of bits, of ``of`` targets, with its 95 % interval; None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    of: int


class Point(Struct, frozen=True):
    """What the attack did.

    Attributes
    ----------
    knowledge : what it was made with
    identified : the declared record is the target's
    both : and none is declared once it is taken out
    best : share whose best candidate is theirs, declared or not
    bits, bits_of_missed : residual bits of all targets, and of those who are not identified
    prior : log2 n
    targets : how many were attacked
    eligible, records : how many of how many records have enough ratings to be attacked so
    """

    knowledge: Knowledge
    identified: Interval
    both: Interval
    best: float | None
    bits: Interval
    bits_of_missed: Interval
    prior: float
    targets: int
    eligible: int
    records: int


def attack(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Attack a data set with all that the figure combines."""
    table = table_of(data, setting)
    part, most = part_of_netflix(data, table), settings["targets"]
    reasons = {knowledge: fits(table, knowledge) for knowledge in knowledges(settings)}
    points = [point_of(data, known, settings, setting) for known, reason in reasons.items() if not reason]
    missing = list(dict.fromkeys(filter(None, reasons.values())))
    notes = [f"{data}: {reason}" for reason in (part, *missing) if reason]
    if not points:
        return Measured((), {}, notes, "", "not measured", "; ".join(missing))
    fewest = min(points, key=lambda point: point.eligible)
    if fewest.records > most:
        notes.append(f"{data}: up to {most:,} of those who can be attacked, drawn uniformly, are attacked")
    if fewest.eligible < fewest.records:
        notes.append(
            f"{data}: only {fewest.eligible:,} of {fewest.records:,} have enough ratings for "
            f"{fewest.knowledge.row} ({fewest.knowledge.films}); the others are in no rate"
        )
    curves: dict[str, list[Point]] = {}
    for point in points:
        curves.setdefault(point.knowledge.label(settings["series"]), []).append(point)
    drawn, factor = [], 1 if settings["y"] == "bits" else 100
    for label, several in curves.items():
        y, low, high = (
            [None if point.targets == 0 else factor * end for point, end in zip(several, ends, strict=True)]
            for ends in zip(*map(_ends, (getattr(point, settings["y"]) for point in several)), strict=True)
        )
        unmeasured = ", ".join(point.knowledge.row for point in several if not point.targets)
        note = f"nobody could be attacked: {unmeasured}" if unmeasured else ""
        x: list[float | str] = [point.knowledge.row for point in several]
        if panel.x == "unrated":
            x = [float(point.knowledge.unrated) for point in several]
        drawn.append(series(f"{data}, {label}", x, y, low=low, high=high, note=note, data=data))
    why = f"what the paper speaks of was not tried, or fewer than {FEW} targets could be attacked so"
    return Measured(drawn, {"": values_of(points)}, notes, "", "not measured", why)


def values_of(points: list[Point]) -> Mapping[str, Any]:
    """Return what judges speak of; points of fewer than FEW targets decide nothing."""
    measured = [point for point in points if point.targets >= FEW]

    def at(**known: object) -> list[Point]:
        return [
            point
            for point in measured
            if all(getattr(point.knowledge, name) == value for name, value in known.items())
        ]

    return {"at": at, "percent": _percent, "mean": _mean, "shares": _shares, "FEW": FEW}


def _ends(found: Interval) -> tuple[Any, Any, Any]:
    return found.value, found.low, found.high


def _shares(point: Point) -> str:
    best = "" if point.best is None else f"; the best candidate is theirs for {100 * point.best:.1f} %"
    return f"{_percent(point.identified)} of {point.targets:,} targets{best}"


def _percent(share: Interval) -> str:
    value, low, high = (None if end is None else 100 * end for end in _ends(share))
    return "not measured" if value is None else f"{value:.1f} % ({low:.1f} to {high:.1f})"


def _mean(bits: Interval) -> str:
    return "no" if bits.value is None else f"{bits.value:.2f} ({bits.low:.2f} to {bits.high:.2f})"


def knowledges(settings: Mapping[str, Any]) -> Iterator[Knowledge]:
    """Yield what the figure's ``settings`` combine: rows fastest, then ``unrated``."""
    names = ("date_error", "items", "knows_count", "unrated", "rows")
    for *combined, (right, known) in itertools.product(*(settings[name] for name in names)):
        date_error, items, count, unrated = combined
        date_error, count = (None if one == _NOTHING else one for one in (date_error, count))
        yield Knowledge(right, known, unrated, settings["rating_error"], date_error, items, count)


def fits(table: RatingTable, knowledge: Knowledge) -> str:
    """Return why such knowledge cannot be had of ``table``; "" if it can."""
    stamps = table.timestamps
    if knowledge.date_error is not None and (stamps is None or stamps.null_count() == len(stamps)):
        return "its ratings have no dates"
    top = knowledge.items.removeprefix("not-top:")
    if top.isdigit() and int(top) >= table.n_issues:
        return f"it has {table.n_issues} films, none outside of the {top} most rated"
    return ""


def point_of(data: str, knowledge: Knowledge, settings: Mapping[str, Any], setting: Setting) -> Point:
    """Attack up to ``targets`` records of a data set, what is known of each drawn from what they rated."""
    most, phi = settings["targets"], settings["phi"]

    def point() -> Point:
        table, dated = table_of(data, setting), knowledge.date_error is not None
        index = setting.shared(("index", data, dated), lambda: index_of(table, dated=dated))
        enough = eligible_ratings(table, knowledge.items) >= knowledge.known
        drawing = Drawing(
            targets=_targets(data, enough, most, setting),
            known=knowledge.known + knowledge.unrated,
            wrong=knowledge.known - knowledge.right,
            unrated=knowledge.unrated,
            rating_error=knowledge.rating_error,
            date_error=knowledge.date_error,
            items=knowledge.items,
            knows_count=knowledge.knows_count,
        )
        result = experiment(
            table, draw(table, drawing, rng=setting.seed), "scoreboard-rh", {"phi": phi},
            judging=Judging(inference=False), index=index, resources=setting.resources,
        )  # fmt: skip
        measures = result.measures
        bits = np.minimum(result.attacked.entropy_bits, measures.entropy_bits.prior)
        return Point(
            knowledge, _share(measures.success), _share(measures.both_right), measures.top[1].rate,
            _mean_of(bits), _mean_of(bits[~result.succeeded]), measures.entropy_bits.prior, measures.targets,
            int(np.count_nonzero(enough)), measures.records,
        )  # fmt: skip

    return setting.measured(("attack", data, *structs.astuple(knowledge), most, phi), point, Point)


def _targets(data: str, enough: NDArray[np.bool_], most: int, setting: Setting) -> NDArray[np.int64] | None:
    """Return up to ``most`` records who can be attacked, the first in a random order; None: all."""
    if len(enough) <= most:
        return None
    order = setting.stream("targets", data).permutation(len(enough))
    chosen = order[enough[order]][:most]
    return np.sort(chosen if len(chosen) else order[:1]).astype(np.int64)  # nobody: one who is skipped


def _share(share: Share) -> Interval:
    return Interval(share.rate, share.low, share.high, share.of)


def _mean_of(bits: NDArray[np.float64]) -> Interval:
    """Return the mean of some targets' bits, with its interval by the normal approximation."""
    count = len(bits)
    if not count:
        return Interval(None, None, None, 0)
    mean = float(bits.mean())
    half = 1.96 * float(bits.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    return Interval(mean, max(mean - half, 0.0), mean + half, count)

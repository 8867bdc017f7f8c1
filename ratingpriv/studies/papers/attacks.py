"""[NS08, Figs 4-6 and 8-12]: Scoreboard-RH against all targets of whom enough can be known.

Settings: ``rows`` ([right, known] each), ``unrated``, ``rating_error``, ``date_error``, ``items``,
``knows_count`` (lists; "none" is null), ``y`` ("identified", "both" or "bits"), ``series`` (what
tells them apart), ``targets`` (so many at most) and ``phi``.

Judges speak of ``at(**knowledge)``: the points, each a :class:`Point`, of what the adversary knows
so. The paper's numbers are of 480,189 people and 17,770 films.
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
from ratingpriv.attack.dates import has_dates
from ratingpriv.attack.evaluation.experiments import FEW, experiment
from ratingpriv.attack.intervals import Judging
from ratingpriv.attack.knowledge import Knowledge as Drawing
from ratingpriv.attack.knowledge import draw
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.reproduce import Panel
from ratingpriv.studies.papers.data import part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Measured, Setting, series


class Knowledge(Struct, frozen=True):
    """What the adversary knows, as :func:`ratingpriv.attack.draw` has it.

    ``right`` of the ``known`` ratings are right, the others completely wrong; ``unrated`` come on
    top.
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


class Mean(Struct, frozen=True):
    """A mean ``of`` some targets, of chances or of bits, with its interval;
    ``rate`` is None without any.
    """

    rate: float | None
    low: float
    high: float
    of: int


class Point(Struct, frozen=True):
    """What the attack with some knowledge did.

    Attributes
    ----------
    identified : the declared record is the target's
    both : and none is declared once it is taken out
    best : share whose best candidate is theirs, declared or not
    bits, bits_of_missed : residual bits of all targets, and of those who are not identified
    prior : log2 n
    targets : how many were attacked
    eligible, records : how many of how many records have enough ratings to be attacked so
    """

    knowledge: Knowledge
    identified: Mean
    both: Mean
    best: float | None
    bits: Mean
    bits_of_missed: Mean
    prior: float
    targets: int
    eligible: int
    records: int


def attack(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Attack a data set with all that the figure combines."""
    table = table_of(data, setting)
    part, most = part_of_netflix(data, table), settings["targets"]
    reasons = {knowledge: fits(table, knowledge) for knowledge in knowledges(settings)}
    points = [
        point_of(data, known, settings, setting) for known, reason in reasons.items() if not reason
    ]
    missing = list(dict.fromkeys(filter(None, reasons.values())))
    notes = [f"{data}: {reason}" for reason in (part, *missing) if reason]
    if not points:
        return Measured((), {}, notes, "", "not measured", "; ".join(missing))
    fewest = min(points, key=lambda point: point.eligible)
    if fewest.records > most:
        notes.append(
            f"{data}: up to {most:,} of those who can be attacked, drawn uniformly, are attacked"
        )
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
        shown = [getattr(point, settings["y"]) for point in several]
        y, low, high = (
            [factor * getattr(mean, end) if mean.rate is not None else None for mean in shown]
            for end in ("rate", "low", "high")
        )
        unmeasured = ", ".join(point.knowledge.row for point in several if not point.targets)
        note = f"no target could be attacked: {unmeasured}" if unmeasured else ""
        x: list[float | str] = [point.knowledge.row for point in several]
        if panel.x == "unrated":
            x = [float(point.knowledge.unrated) for point in several]
        drawn.append(series(f"{data}, {label}", x, y, low=low, high=high, note=note, data=data))
    why = (
        f"what the paper speaks of was not tried, or fewer than {FEW} targets could be attacked so"
    )
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

    def percent(share: Mean) -> str:
        if share.rate is None:
            return "not measured"
        return f"{100 * share.rate:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"

    def mean(bits: Mean) -> str:
        return "no" if bits.rate is None else f"{bits.rate:.2f} ({bits.low:.2f} to {bits.high:.2f})"

    def shares(point: Point) -> str:
        best = (
            ""
            if point.best is None
            else f"; the best candidate is theirs for {100 * point.best:.1f} %"
        )
        return f"{percent(point.identified)} of {point.targets:,} targets{best}"

    return {"at": at, "percent": percent, "mean": mean, "shares": shares, "FEW": FEW}


def knowledges(settings: Mapping[str, Any]) -> Iterator[Knowledge]:
    """Yield what the figure's ``settings`` combine: rows fastest, then ``unrated``."""
    names = ("date_error", "items", "knows_count", "unrated", "rows")
    for *combined, (right, known) in itertools.product(*(settings[name] for name in names)):
        date_error, items, count, unrated = combined
        # TOML has no null
        date_error, count = (None if value == "none" else value for value in (date_error, count))
        yield Knowledge(right, known, unrated, settings["rating_error"], date_error, items, count)


def fits(table: RatingTable, knowledge: Knowledge) -> str:
    """Return why such knowledge cannot be had of ``table``; "" if it can."""
    if knowledge.date_error is not None and not has_dates(table):
        return "its ratings have no dates"
    top = knowledge.items.removeprefix("not-top:")
    if top.isdigit() and int(top) >= table.n_issues:
        return f"it has {table.n_issues} films, none outside of the {top} most rated"
    return ""


def point_of(
    data: str, knowledge: Knowledge, settings: Mapping[str, Any], setting: Setting
) -> Point:
    """Attack up to ``targets`` records of a data set,
    what is known of each drawn from what they rated.
    """
    most, phi = settings["targets"], settings["phi"]

    def point() -> Point:
        table, dated = table_of(data, setting), knowledge.date_error is not None
        index = setting.shared(("index", data, dated), lambda: index_of(table, dated=dated))
        enough = eligible_ratings(table, knowledge.items) >= knowledge.known
        targets = None
        if len(enough) > most:  # the first, in a random order, of those who can be attacked
            order = setting.stream("targets", data).permutation(len(enough))
            chosen = order[enough[order]][:most]
            targets = np.sort(chosen if len(chosen) else order[:1])  # nobody: one who is skipped
        known = structs.asdict(knowledge)
        known |= {"targets": targets, "wrong": knowledge.known - known.pop("right")}
        known["known"] += knowledge.unrated
        drawn = draw(table, Drawing(**known), rng=setting.seed)
        how: dict[str, Any] = {"index": index, "resources": setting.resources}
        judging = Judging(inference=False)
        result = experiment(table, drawn, "scoreboard-rh", {"phi": phi}, judging=judging, **how)
        measures, prior = result.measures, result.measures.entropy_bits.prior
        bits = np.minimum(result.attacked.entropy_bits, prior)
        identified, both = (
            Mean(share.rate, share.low, share.high, share.of)
            for share in (measures.success, measures.both_right)
        )
        every, missed = (_mean_of(some, prior) for some in (bits, bits[~result.succeeded]))
        sizes = (measures.targets, int(np.count_nonzero(enough)), measures.records)
        return Point(
            knowledge, identified, both, measures.top[1].rate, every, missed, prior, *sizes
        )

    return setting.measured(("attack", data, *structs.astuple(knowledge), most, phi), point, Point)


def _mean_of(bits: NDArray[np.float64], prior: float) -> Mean:
    """Return the mean of some targets' bits, with its 95 % interval by the normal approximation."""
    count = len(bits)
    if not count:
        return Mean(None, 0.0, prior, 0)
    mean = float(bits.mean())
    half = 1.96 * float(bits.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
    return Mean(mean, max(mean - half, 0.0), mean + half, count)

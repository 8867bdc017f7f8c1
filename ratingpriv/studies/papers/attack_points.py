"""One bar of [NS08, Figs 4-12]: Scoreboard-RH against all targets of whom enough can be known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.attack.algorithms.methods import index_of
from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.judging import Judging
from ratingpriv.attack.evaluation.suite import experiment
from ratingpriv.attack.intervals import Share
from ratingpriv.attack.knowledge import Knowledge as Drawing
from ratingpriv.attack.knowledge import draw
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.papers.data import table_of
from ratingpriv.studies.papers.figure import Setting

__all__ = ["Bits", "Knowledge", "Point", "fits", "knowledges", "point_of"]

_NOTHING = "none"  # TOML has no null


@dataclass(frozen=True, slots=True)
class Knowledge:
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

    def said(self, *names: str) -> str:
        """Return some of it in words: ``dates ±14 days, not among the 100 most rated``."""
        number = self.items.removeprefix("not-top:")
        words = {
            "date_error": "no dates" if self.date_error is None else f"dates ±{self.date_error:g} days",
            "items": "any films" if self.items == "uniform" else f"none of the {number} most rated",
            "knows_count": (
                "number of ratings not known"
                if self.knows_count is None
                else f"number of ratings known ±{100 * self.knows_count:g} %"
            ),
            "row": self.row,
        }
        return ", ".join(words[name] for name in names)


@dataclass(frozen=True, slots=True)
class Bits:
    """A mean of residual bits with its 95 % interval (normal approximation); None without any target."""

    mean: float | None
    low: float | None
    high: float | None
    of: int

    @classmethod
    def of_values(cls, values: NDArray[np.float64]) -> Bits:
        """Return the mean of some targets' bits."""
        count = len(values)
        if not count:
            return cls(None, None, None, 0)
        mean = float(values.mean())
        half = 1.96 * float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else 0.0
        return cls(mean, max(mean - half, 0.0), mean + half, count)


@dataclass(frozen=True, slots=True)
class Point:
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
    identified: Share
    both: Share
    best: float | None
    bits: Bits
    bits_of_missed: Bits
    prior: float
    targets: int
    eligible: int
    records: int


def knowledges(settings: Mapping[str, Any]) -> Iterator[Knowledge]:
    """Yield what the figure's ``settings`` combine: rows fastest, then ``unrated``."""
    for date_error, items, count, unrated, row in itertools.product(
        settings["date_error"], settings["items"], settings["knows_count"], settings["unrated"],
        settings["rows"],
    ):  # fmt: skip
        yield Knowledge(
            right=row[0],
            known=row[1],
            unrated=unrated,
            rating_error=settings["rating_error"],
            date_error=None if date_error == _NOTHING else date_error,
            items=items,
            knows_count=None if count == _NOTHING else count,
        )


def fits(table: RatingTable, knowledge: Knowledge) -> str:
    """Return why such knowledge cannot be had of ``table``; "" if it can."""
    stamps = table.timestamps
    if knowledge.date_error is not None and (stamps is None or stamps.null_count() == len(stamps)):
        return "its ratings have no dates"
    top = knowledge.items.removeprefix("not-top:")
    if top.isdigit() and int(top) >= table.n_issues:
        return f"it has {table.n_issues} films, none outside of the {top} most rated"
    return ""


def point_of(data: str, knowledge: Knowledge, most: int, phi: float, setting: Setting) -> Point:
    """Attack up to ``most`` records of a data set; what another figure of the run did is taken from there."""
    key = ("attack", data, knowledge, most, phi)
    if key not in setting.kept:
        setting.kept[key] = _attacked(data, knowledge, most, phi, setting)
    point: Point = setting.kept[key]
    return point


def _attacked(data: str, knowledge: Knowledge, most: int, phi: float, setting: Setting) -> Point:
    table = table_of(data, setting)
    dated = knowledge.date_error is not None
    index = ("index", data, dated)
    if index not in setting.kept:
        setting.kept[index] = index_of(table, dated=dated)
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
    found = experiment(
        table,
        draw(table, drawing, rng=setting.seed),
        "scoreboard-rh",
        {"phi": phi},
        judging=Judging(inference=False),
        index=setting.kept[index],
        resources=setting.resources,
    )
    return _point(found, knowledge, int(np.count_nonzero(enough)))


def _targets(data: str, enough: NDArray[np.bool_], most: int, setting: Setting) -> NDArray[np.int64] | None:
    """Return up to ``most`` records who can be attacked, the first in a random order; None: all."""
    if len(enough) <= most:
        return None
    order = setting.stream("targets", data).permutation(len(enough))
    chosen = order[enough[order]][:most]
    return np.sort(chosen if len(chosen) else order[:1]).astype(np.int64)  # nobody: one who is skipped


def _point(found: Experiment, knowledge: Knowledge, eligible: int) -> Point:
    measures = found.measures
    bits = np.minimum(found.attacked.entropy_bits, measures.entropy_bits.prior)
    return Point(
        knowledge=knowledge,
        identified=measures.success,
        both=measures.both_right,
        best=measures.top[1].rate,
        bits=Bits.of_values(bits),
        bits_of_missed=Bits.of_values(bits[~found.succeeded]),
        prior=measures.entropy_bits.prior,
        targets=measures.targets,
        eligible=eligible,
        records=measures.records,
    )

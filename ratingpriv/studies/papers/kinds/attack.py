"""[NS08, Figs 4-6 and 8-12]: bars of how many are identified, or of how many bits are lacking.

Settings: ``rows`` ([right, known] each), ``unrated``, ``rating_error``, ``date_error``, ``items``,
``knows_count`` (lists; "none" is null), ``y`` ("identified", "both" or "bits"), ``along`` ("rows" or
"unrated"), ``told`` (what tells the series apart), ``targets`` (so many at most) and ``phi``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ratingpriv.studies.papers.attack_judging import judged
from ratingpriv.studies.papers.attack_points import Knowledge, Point, fits, knowledges, point_of
from ratingpriv.studies.papers.data import available, part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Series, Setting

__all__ = ["run"]


def run(figure: Figure, setting: Setting) -> Outcome:
    """Attack each data set that is there with all that the figure combines."""
    settings = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes: list[str] = []
    for data in available(figure.data, setting):
        table = table_of(data, setting)
        points: dict[Knowledge, Point] = {}
        reasons: dict[str, None] = {}
        for knowledge in knowledges(settings):
            reason = fits(table, knowledge)
            if reason:
                reasons[reason] = None
            else:
                points[knowledge] = point_of(data, knowledge, settings["targets"], settings["phi"], setting)
        part = part_of_netflix(data, table)
        notes += [f"{data}: {reason}" for reason in (part, *reasons) if reason]
        if points:
            series += _series(figure, settings, points, data)
            notes += _notes(points.values(), settings["targets"], data)
            judgements += judged(figure, points, data)
        else:
            why = "; ".join(reasons)
            judgements.append(Judgement("", figure.panel("").statement, "not measured", None, why, data))
    return Outcome(tuple(series), tuple(judgements), tuple(notes))


def _series(
    figure: Figure, settings: Mapping[str, Any], points: Mapping[Knowledge, Point], data: str
) -> list[Series]:
    by_label: dict[str, list[Point]] = {}
    for knowledge, point in points.items():
        by_label.setdefault(knowledge.said(*settings["told"]), []).append(point)
    found = []
    for label, several in by_label.items():
        values = [_value(point, settings["y"]) for point in several]
        unmeasured = [point.knowledge.row for point in several if not point.targets]
        note = f"nobody could be attacked: {', '.join(unmeasured)}" if unmeasured else ""
        y, low, high = (tuple(column) for column in zip(*values, strict=True))
        if settings["along"] == "unrated":
            x: Any = tuple(float(point.knowledge.unrated) for point in several)
        else:
            x = tuple(point.knowledge.row for point in several)
        found.append(Series("", f"{data}, {label}", x, y, low, high, note, data))
    return found


def _value(point: Point, y: str) -> tuple[float | None, float | None, float | None]:
    """Return what is drawn, with its interval: % or bits."""
    if y == "bits":
        return point.bits.mean, point.bits.low, point.bits.high
    share = point.both if y == "both" else point.identified
    return (None, None, None) if share.rate is None else (100 * share.rate, 100 * share.low, 100 * share.high)


def _notes(points: Iterable[Point], most: int, data: str) -> list[str]:
    notes = []
    fewest = min(points, key=lambda point: point.eligible)
    if fewest.records > most:
        notes.append(f"{data}: up to {most:,} of those who can be attacked, drawn uniformly, are attacked")
    if fewest.eligible < fewest.records:
        knowledge = fewest.knowledge
        notes.append(
            f"{data}: only {fewest.eligible:,} of {fewest.records:,} have enough ratings for "
            f"{knowledge.row} ({knowledge.said('items')}); the others are in no rate"
        )
    return notes

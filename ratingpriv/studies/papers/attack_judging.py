"""What [NS08] says of its Figs 4-6 and 8-12, held against the points of one data set.

Each rule says in ``why`` by which number it decides. The paper's numbers are of 480,189 people and 17,770
films; a rule that would need as many says so and does not decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from ratingpriv.attack.evaluation.cautions import FEW
from ratingpriv.attack.intervals import Share
from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.papers.attack_points import Bits, Knowledge, Point
from ratingpriv.studies.papers.figure import Figure, Judgement

__all__ = ["JUDGES", "judged"]

_Points = Mapping[Knowledge, Point]

_DRAMATIC = 0.10
_HIGH = 0.90
_NEAR = 0.5


def judged(figure: Figure, points: _Points, data: str) -> tuple[Judgement, ...]:
    """Return what holds of a figure on one data set; points of fewer than FEW targets decide nothing."""
    if figure.name not in JUDGES:
        raise ParameterError("figure", figure.name, f"one of {', '.join(sorted(JUDGES))}")
    (panel,) = figure.panels
    measured = {knowledge: point for knowledge, point in points.items() if point.targets >= FEW}
    made = [
        Judgement("", panel.paper(rule), ours, holds, why, data)
        for rule, ours, holds, why in JUDGES[figure.name](measured)
    ]
    if made:
        return tuple(made)
    why = f"what the paper speaks of was not tried, or fewer than {FEW} targets could be attacked so"
    return (Judgement("", panel.statement, "not measured", None, why, data),)


_Said = tuple[str, str, bool | None, str]


def _identified(points: _Points) -> Iterator[_Said]:
    """Fig. 4."""
    for right, known, days, paper in ((6, 8, 14, 0.99), (2, 2, 3, 0.68)):
        for point in _found(points, right=right, known=known, date_error=days):
            ours = f"dates ±{days} days: {_shares(point)}"
            yield point.knowledge.row, ours, point.identified.high >= paper, _rule(paper)


def _both_right(points: _Points) -> Iterator[_Said]:
    """Fig. 5."""
    for days in (3, 14):
        several = _found(points, date_error=days)
        if several:
            worst = min(several, key=lambda point: point.both.rate or 0.0)
            best = max(several, key=lambda point: point.both.rate or 0.0)
            ours = (
                f"{_percent(worst.both)} with {worst.knowledge.row} to {_percent(best.both)} with "
                f"{best.knowledge.row}, dates ±{days} days: right when there, and none when taken out"
            )
            reach = [point.both.high >= _HIGH for point in several]
            holds = True if all(reach) else None if any(reach) else False
            why = (
                f"it holds where the interval of every row reaches {100 * _HIGH:g} %, our 'high', does not "
                "where that of none does, and else cannot be said, as the rows are our choice"
            )
            yield "both", ours, holds, why


def _bits_lacking(points: _Points) -> Iterator[_Said]:
    """Fig. 6."""
    for days in (3, 14):
        for point in _found(points, right=2, known=2, date_error=days):
            missed = point.bits_of_missed
            rule = point.knowledge.row
            if missed.mean is None:
                yield rule, "2 ratings identify everybody", None, "there is nobody left to speak of"
                continue
            ours = f"{_mean(missed)} bits of {point.prior:.1f} (dates ±{days} days, {missed.of:,} targets)"
            why = (
                f"it holds within {_NEAR:g} of 3 bits; the prior here is smaller, so that 3 bits are a "
                "larger part of it"
            )
            if missed.of < FEW:
                yield rule, ours, None, f"fewer than {FEW} are left to speak of"
                continue
            yield rule, ours, abs(missed.mean - 3) <= _NEAR, why
    for days in (3, 14):
        for point in _found(points, right=6, known=8, date_error=days):
            ours = f"{_mean(point.bits)} bits (dates ±{days} days)"
            why = "it holds where the mean is below 1 bit"
            yield point.knowledge.row, ours, point.bits.mean is not None and point.bits.mean < 1, why


def _without_dates(points: _Points) -> Iterator[_Said]:
    """Fig. 8."""
    for point in _found(points, right=6, known=8, items="not-top:500"):
        share = (point.identified.rate or 0.0) * point.eligible / point.records
        ours = (
            f"{_percent(point.identified)} of {point.targets:,} targets; the {point.eligible:,} who can be "
            f"attacked so are not all: it is {100 * share:.1f} % of {point.records:,} people"
        )
        why = f"{_rule(0.84)}; who has not rated 8 films outside of the 500 is not counted"
        yield point.knowledge.row, ours, point.identified.high >= 0.84, why
    for items in ("not-top:100", "not-top:500"):
        for point in _found(points, right=2, known=2, items=items):
            ours = f"{point.knowledge.said('items')}: {_shares(point)}"
            why = "it holds where 2 identify less than half"
            rate = point.identified.rate
            yield point.knowledge.row, ours, rate is not None and rate < 0.5, why


def _popularity(points: _Points) -> Iterator[_Said]:
    """Fig. 9."""
    apart = []
    for knowledge, point in points.items():
        for other in _found(points, right=knowledge.right, known=knowledge.known, items="uniform"):
            if knowledge.items != "uniform":
                gap = (point.identified.rate or 0.0) - (other.identified.rate or 0.0)
                apart.append((gap, knowledge, point, other))
    if apart:
        _, knowledge, point, other = max(apart, key=lambda one: abs(one[0]))
        ours = (
            f"with {knowledge.row}, {knowledge.said('items')}: {_percent(point.identified)}; any films: "
            f"{_percent(other.identified)}"
        )
        why = f"it holds where the largest difference is at most {100 * _DRAMATIC:g} points, our reading"
        largest = max(abs(gap) for gap, *_ in apart)
        yield "popularity", ours, largest <= _DRAMATIC, why


def _unrated(points: _Points) -> Iterator[_Said]:
    """Fig. 10."""
    rows = dict.fromkeys((knowledge.right, knowledge.known) for knowledge in points)
    curves = [
        sorted(_found(points, right=right, known=known), key=lambda point: point.knowledge.unrated)
        for right, known in rows
    ]
    curves = [curve for curve in curves if len(curve) > 1]
    if curves:
        ours = "; ".join(
            f"{curve[0].knowledge.right} right: {_percent(curve[0].identified)} with none, "
            f"{_percent(curve[-1].identified)} with {curve[-1].knowledge.unrated} not rated"
            for curve in curves
        )
        falls = all(_falls(curve) for curve in curves)
        why = "it holds where every curve ends below its start, and no step rises beyond its interval"
        yield "unrated", ours, falls, why


def _less_than_half(points: _Points) -> Iterator[_Said]:
    """Fig. 11."""
    for items in ("not-top:100", "not-top:500"):
        several = _found(points, items=items)
        if several:
            worst = max(several, key=lambda point: point.bits.mean or 0.0)
            ours = (
                f"at most {_mean(worst.bits)} of {worst.prior:.1f} bits ({worst.knowledge.row}, "
                f"{worst.knowledge.said('items')})"
            )
            why = "it holds where the largest mean of a row is below half of log2 n"
            yield "half", ours, worst.bits.mean is not None and worst.bits.mean < worst.prior / 2, why


def _number_known(points: _Points) -> Iterator[_Said]:
    """Fig. 12."""
    times = [
        ((point.identified.rate or 0.0) / other.identified.rate, point, other)
        for knowledge, point in points.items()
        if knowledge.knows_count is not None
        for other in _found(points, right=knowledge.right, known=knowledge.known, knows_count=None)
        if other.identified.rate
    ]
    if times:
        most, point, other = max(times, key=lambda one: one[0])
        ours = (
            f"{most:.2f} times as many with {point.knowledge.row}: {_percent(point.identified)} after "
            f"{_percent(other.identified)}"
        )
        why = "it holds where the share of some row more than doubles"
        yield "number", ours, most > 2, why


JUDGES: Mapping[str, Callable[[_Points], Iterator[_Said]]] = {
    "ns08-4": _identified,
    "ns08-5": _both_right,
    "ns08-6": _bits_lacking,
    "ns08-8": _without_dates,
    "ns08-9": _popularity,
    "ns08-10": _unrated,
    "ns08-11": _less_than_half,
    "ns08-12": _number_known,
}
"""What is said of each figure: (the rule by its name in the specification, ours, whether it holds, why)."""


def _found(points: _Points, **wanted: object) -> list[Point]:
    return [
        point
        for knowledge, point in points.items()
        if all(getattr(knowledge, name) == value for name, value in wanted.items())
    ]


def _falls(curve: Sequence[Point]) -> bool:
    rises = any(
        (later.identified.rate or 0.0) > earlier.identified.high
        for earlier, later in itertools.pairwise(curve)
    )
    return not rises and (curve[-1].identified.rate or 0.0) < (curve[0].identified.rate or 0.0)


def _rule(paper: float) -> str:
    return f"it holds where the interval reaches {100 * paper:g} %"


def _shares(point: Point) -> str:
    best = "" if point.best is None else f"; the best candidate is theirs for {100 * point.best:.1f} %"
    return f"{_percent(point.identified)} of {point.targets:,} targets{best}"


def _percent(share: Share) -> str:
    if share.rate is None:
        return "not measured"
    return f"{100 * share.rate:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def _mean(bits: Bits) -> str:
    return "no" if bits.mean is None else f"{bits.mean:.2f} ({bits.low:.2f} to {bits.high:.2f})"

"""What releases are still good for, over k, ε and the size of the data [SWLP10, Figs 15-18].

Two methods are drawn: the paper's grouping and strategy, which the statements are judged on, and our default;
and, where there is such a thing, what the original gives and what a release without any worth would.

Settings: ``records`` at most, and for each panel ``measure``, ``vary`` (epsilon, k, percent or pair),
``values``, ``k`` and ``epsilon`` where they do not vary, the measure's own ``options``, and
``data`` where not all is shown.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ratingpriv.base.numbers import in_full
from ratingpriv.studies.papers.data import available
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Panel, Series, Setting
from ratingpriv.studies.papers.judging import Curve, Finding, above, around, below, falls, near, rises
from ratingpriv.studies.papers.releases import METHODS, genders, original, release, unchanged, without_worth
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.pair import Pair

__all__ = ["RULES", "run"]

_METHODS = {"paper": "paper's method", "ours": "our default"}
_ORIGINAL, _WORTHLESS, _MAJORITY, _BOUND = "original", "worthless release", "always the majority", "ε/2"

_INTEGER = (
    "Ratings of 1..5 are whole numbers: ε = 1.5 is the same as ε = 1, and 2.5 as 2, so that only whole ε "
    "mean anything."
)
_DEFINITIONS = {
    "query_error": "Query error: 100 counting queries on two issues and the income, s = 0.1; the interval is "
    "a 95 % bootstrap over the queries. The paper does not say how many issues a query has, nor s.",
    "membership_change": "Clusters: five, by k-means from the same ten draws of seeds, a null as 0; the "
    "paper says neither. The interval is the range of the draws.",
    "classification": "The class is gender, as the paper does not say which it was. Naive Bayes learns from "
    "the released ratings of one half and predicts the other half from its original ratings, 50 times; the "
    "paper anonymises both halves separately.",
    "centroid": "The inner product of the vector of mean ratings with itself, over issues that both rate.",
    "standard_deviation": "Mean over the issues of the SD of the ratings. ε/2 bounds it within a group of "
    "records that are within ε of one another, and not over all records: 1, 1, 5, 5 in two groups has SD 2 "
    "at ε = 0.",
    "clustering_coefficient": "Mean local clustering coefficient of the proximity graph at ε. It is exactly "
    "1 in groups that are nowhere connected: that it is below 1 says nothing of how connected the graph is.",
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a measure is called and drawn: its module, the factor of y, what of it is y, and its unit."""

    module: str
    factor: float = 1.0
    unit: str = ""
    product: bool = False
    of_epsilon: bool = False


_KINDS = {
    "query_error": _Kind("query_error", 100.0, " %"),
    "membership_change": _Kind("membership", 100.0, " %"),
    "classification": _Kind("classification", 100.0, " %"),
    "centroid": _Kind("centroid", product=True),
    "standard_deviation": _Kind("standard_deviation"),
    "clustering_coefficient": _Kind("clustering", of_epsilon=True),
}

_Curves = Mapping[str, Curve]
RULES: dict[str, Callable[[_Curves], Finding]] = {
    "below 15": lambda curves: below(curves["paper"], 15.0),
    "below 15 at the end": lambda curves: below(curves["paper"], 15.0, at=-1),
    "up to 25 at the end": lambda curves: below(curves["paper"], 25.0, at=-1),
    "falls": lambda curves: falls(curves["paper"]),
    "rises": lambda curves: rises(curves["paper"]),
    "about 75": lambda curves: around(curves["paper"], 75.0, 5.0),
    "near": lambda curves: near(curves["paper"], curves[_ORIGINAL], 0.1),
    "more than guessing": lambda curves: above(curves["paper"], curves[_MAJORITY]),
    "bounded": lambda curves: above(curves[_BOUND], curves["paper"], also_equal=True),
    "raised": lambda curves: above(curves["paper"], curves[_ORIGINAL]),
    "below 1": lambda curves: below(curves["paper"], 1.0),
}
"""How what the paper says is judged."""


def run(figure: Figure, setting: Setting) -> Outcome:
    """Make the releases of all panels and measure them."""
    given = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes: list[str] = []
    for panel in figure.panels:
        wanted = given["panels"][panel.name]
        notes.append(_DEFINITIONS[wanted["measure"]])
        if wanted["vary"] == "epsilon" and any(value % 1 for value in wanted["values"]):
            notes.append(_INTEGER)
        for name in available(tuple(wanted.get("data", figure.data)), setting):
            drawn, judged, missing = _panel(panel, wanted, name, given["records"], setting)
            series += drawn
            judgements += judged
            notes += missing
        if not any(one.panel == panel.name for one in judgements):
            why = "none of its data were given: " + ", ".join(wanted.get("data", figure.data))
            judgements.append(Judgement(panel.name, panel.statement, "nothing", None, why))
    return Outcome(tuple(series), tuple(judgements), tuple(dict.fromkeys(notes)))


def _panel(
    panel: Panel, wanted: Mapping[str, Any], name: str, records: int, setting: Setting
) -> tuple[list[Series], list[Judgement], list[str]]:
    """Return the series and judgements of a panel on one data set, and what could not be made."""
    options = dict(wanted.get("options", {}))
    if wanted["measure"] == "classification":
        options["target"] = genders(name, records, setting)
        if options["target"] is None:
            reason = "nothing beside these data says who is of which gender"
            return [], [Judgement(panel.name, panel.statement, "nothing", None, reason, name)], []
    found: dict[str, list[Measured | None]] = {method: [] for method in METHODS}
    found[_ORIGINAL], found[_WORTHLESS] = [], []
    targets = [_target(wanted, value) for value in wanted["values"]]
    untouched = 0
    for k, epsilon, percent in targets:
        for method in METHODS:
            pair = release(name, method, k, epsilon, setting, records=records, percent=percent)
            untouched += method == "paper" and pair is not None and unchanged(pair)
            one = None if pair is None else _measure(wanted, pair, epsilon, name, setting, options)
            found[method].append(one)
        table = original(name, records, percent, setting)
        for label, pair in zip(
            (_ORIGINAL, _WORTHLESS), without_worth(Pair(table, table), setting), strict=True
        ):
            key = (wanted["measure"], label, name, epsilon, percent, records, repr(sorted(options)))
            if key not in setting.kept:
                setting.kept[key] = _measure(wanted, pair, epsilon, name, setting, options)
            found[label].append(setting.kept[key])
    drawn, judged, notes = _said(panel, wanted, name, targets, found)
    if untouched:
        notes.append(
            f"{name}, panel {panel.name}: at {untouched} of {len(targets)} points the data meet the target "
            "as they are, and nothing is changed."
        )
    if untouched == len(targets):
        why = "the data meet the target as they are at every point: nothing was changed, so nothing is shown"
        judged = [replace(one, holds=None, why=why) for one in judged]
    return drawn, judged, notes


def _target(wanted: Mapping[str, Any], value: Any) -> tuple[int, float, float]:
    """Return (k, ε, percent) at one value of what is varied."""
    if wanted["vary"] == "pair":
        return int(value[0]), float(value[1]), 100.0
    target: dict[str, Any] = {"k": wanted.get("k"), "epsilon": wanted.get("epsilon"), "percent": 100.0}
    target[wanted["vary"]] = value
    return int(target["k"]), float(target["epsilon"]), float(target["percent"])


def _measure(
    wanted: Mapping[str, Any], pair: Pair, epsilon: float, name: str, setting: Setting,
    options: Mapping[str, Any],
) -> Measured:  # fmt: skip
    """Measure a release; all of one data set get the same random numbers."""
    kind = _KINDS[wanted["measure"]]
    own = {**options, "epsilon": epsilon} if kind.of_epsilon else options
    measure = getattr(importlib.import_module(f"ratingpriv.utility.{kind.module}"), wanted["measure"])
    stream = setting.stream(wanted["measure"], name)
    found: Measured = measure(pair, rng=stream, resources=setting.resources, **own)
    return found


def _said(
    panel: Panel, wanted: Mapping[str, Any], name: str, targets: Sequence[tuple[int, float, float]],
    found: Mapping[str, list[Measured | None]],
) -> tuple[list[Series], list[Judgement], list[str]]:  # fmt: skip
    kind = _KINDS[wanted["measure"]]
    pairs = wanted["vary"] == "pair"
    x: tuple[Any, ...] = tuple(
        f"k = {k}, ε = {in_full(epsilon)}" if pairs else float(value)
        for value, (k, epsilon, _) in zip(wanted["values"], targets, strict=True)
    )
    drawn: dict[str, Series] = {}
    for label, measured in found.items():
        if label == _ORIGINAL and wanted["measure"] in ("query_error", "membership_change"):
            continue  # 0 by definition
        if label == _WORTHLESS and wanted["measure"] == "centroid":
            continue  # its means are the original's, but for chance
        drawn[label] = _series(panel, kind, name, label, x, measured)
    if wanted["measure"] == "classification":
        shares = [
            one.details["majority"] if one and one.value is not None else None for one in found[_ORIGINAL]
        ]
        heights = tuple(None if share is None else 100 * share for share in shares)
        drawn[_MAJORITY] = Series(panel.name, f"{_MAJORITY} ({name})", x, heights, data=name)
    if wanted["measure"] == "standard_deviation":
        bounds = tuple(epsilon / 2 for _, epsilon, _ in targets)
        drawn[_BOUND] = Series(panel.name, f"{_BOUND} ({name})", x, bounds, data=name)
    missing = [
        f"{name}, {_METHODS[method]}: {drawn[method].note}" for method in METHODS if drawn[method].note
    ]
    judged = [one for rule in panel.rules for one in _judged(panel, kind, rule, name, targets, drawn, pairs)]
    return list(drawn.values()), judged, missing


def _series(
    panel: Panel, kind: _Kind, name: str, label: str, x: tuple[Any, ...], measured: list[Measured | None]
) -> Series:
    y, low, high, why = [], [], [], set()
    for one in measured:
        if one is None:
            why.add("the target was not reached")
        elif one.value is None:
            why.add(one.reason)
        known = one is not None and one.value is not None
        value = (
            (one.details["inner_products"]["release"] if kind.product else one.value)
            if known and one
            else None
        )
        y.append(None if value is None else kind.factor * value)
        low.append(None if not known or not one or one.low is None else kind.factor * one.low)
        high.append(None if not known or not one or one.high is None else kind.factor * one.high)
    ranged = any(value is not None for value in low)
    note = "; ".join(sorted(why))
    return Series(
        panel.name, f"{_METHODS.get(label, label)} ({name})", x, tuple(y), tuple(low) if ranged else None,
        tuple(high) if ranged else None, note, name,
    )  # fmt: skip


def _judged(
    panel: Panel, kind: _Kind, rule: str, name: str, targets: Sequence[tuple[int, float, float]],
    drawn: Mapping[str, Series], pairs: bool,
) -> list[Judgement]:  # fmt: skip
    """Judge one statement: once, or, where k and ε vary together, over k for each ε."""
    judge = RULES[rule]
    groups: dict[str, list[int]] = {}
    for at, (_, epsilon, _) in enumerate(targets):
        groups.setdefault(f"At ε = {in_full(epsilon)}: " if pairs else "", []).append(at)
    judged = []
    for lead, places in groups.items():
        ks = [float(targets[at][0]) for at in places]
        curves = {}
        for label, series in drawn.items():
            curve = _curve(series, places, ks if pairs else None, kind.unit)
            if curve is not None:
                curves[label] = curve
        try:
            finding = judge(curves)
        except KeyError:
            finding = Finding(
                "not all could be measured", None, drawn["paper"].note or "a curve is not whole"
            )
        paper, ours = panel.paper(rule), lead + finding.ours
        judged.append(Judgement(panel.name, paper, ours, finding.holds, finding.why, name))
    return judged


def _curve(series: Series, places: Sequence[int], xs: list[float] | None, unit: str) -> Curve | None:
    """Return the points at ``places`` as a curve; None where one of them could not be measured."""
    values = [series.y[at] for at in places]
    if any(value is None for value in values):
        return None
    y = tuple(value for value in values if value is not None)
    x = tuple(xs) if xs is not None else tuple(float(series.x[at]) for at in places)
    low = y if series.low is None else tuple(_or(series.low[at], series.y[at]) for at in places)
    high = y if series.high is None else tuple(_or(series.high[at], series.y[at]) for at in places)
    return Curve(x, y, low, high, unit)


def _or(value: float | None, other: float | None) -> float:
    return float(value if value is not None else other or 0.0)

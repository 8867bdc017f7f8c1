"""Time and memory over the size of the data, ε, k and l [SWL10, 1-2; SWLZ11, Figs 3-8; SWLP10, Fig. 14].

Every measurement is a process of its own (:mod:`ratingpriv.studies.papers.measurement`), the median of
several. ``percent`` of the data is the first so many records of one random order, so that samples are nested.
The sensitive issue is an income drawn at random from 1..5 [SWLP10, Table 4], whatever the data.

Settings: ``runs`` of each measurement, ``records`` at most, the target ``k``, ``epsilon`` and ``l``, and for
each panel ``vary`` (percent, epsilon, k or l), ``values``, ``series``, ``unit`` (seconds or mebibytes), and
``whole``: whether ml-100k is shown with all of its films, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.studies.papers.data import SYNTHESISED, available, most_rated, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Panel, Series, Setting
from ratingpriv.studies.papers.judging import (
    Curve,
    Finding,
    falls,
    falls_then_rises,
    quotient,
    rises,
    times_within,
)
from ratingpriv.studies.papers.measurement import SERIES, Cost, Work, measure

__all__ = ["RULES", "data_of", "run", "table_for"]

_UNITS = {"seconds": " s", "mebibytes": " MiB"}
_ENOUGH = 3
"""Runs from which on their range is taken for the noise."""
_LARGEST_SD = 2.0  # on 1..5 [Popoviciu]

_Curves = Mapping[str, Curve]
RULES: dict[str, Callable[[_Curves], Finding]] = {
    "S grows": lambda curves: rises(curves["S"]),
    "S falls": lambda curves: falls(curves["S"]),
    "S falls, then rises": lambda curves: falls_then_rises(curves["S"]),
    "S falls, then rises steadily": lambda curves: falls_then_rises(curves["S"], steadily=True),
    "M grows": lambda curves: rises(curves["M"]),
    "M falls": lambda curves: falls(curves["M"]),
    "M falls, then rises steadily": lambda curves: falls_then_rises(curves["M"], steadily=True),
    "S faster": lambda curves: times_within(curves["P"], curves["S"], 1.0, math.inf),
    "S three times faster": lambda curves: times_within(curves["P"], curves["S"], 2.0, 4.0),
    "more so on more data": lambda curves: rises(quotient(curves["P"], curves["S"])),
    "S less": lambda curves: times_within(curves["P"], curves["S"], 1.0, math.inf),
    "S half": lambda curves: times_within(curves["P"], curves["S"], 1.5, 3.0),
}
"""How what a paper says is judged, of slicing (S), pairwise comparison (P) and modification (M)."""

_LARGEST_L = (
    "l = 2 is the largest SD that ratings of 1..5 can have (Popoviciu): it needs half 1s and half 5s in "
    "every group, which an income drawn at random does not give. Where l varies, l = 1 is there, too."
)
_OUR_MACHINE = (
    "Times and memory are this machine's, one thread, compiled code; where the ranges of repeated runs "
    "overlap, nothing is said. The papers' absolute times are not compared."
)
_WHOLE = (
    "ml-100k with all its films: no two of the 943 people rate the same films, so no two are proximate below "
    "epsilon = 5, and the curve is flat but for the noise; where everything is proximate, it is not."
)


def run(figure: Figure, setting: Setting) -> Outcome:
    """Measure all panels on up to two data sets."""
    given = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes = [_OUR_MACHINE]
    names = data_of(figure, setting)
    for done, panel in enumerate(figure.panels):
        wanted = given["panels"][panel.name or "only"]
        setting.resources.report(f"measuring {figure.name}", done, len(figure.panels))
        for name in names:
            costs = _costs(wanted, given, name, setting)
            series += _series(panel, wanted, name, name, costs)
            judgements += _judged(panel, wanted, name, costs, given["runs"])
            if wanted.get("whole") and name == "ml-100k" and not setting.quick:
                whole = _costs({**wanted, "series": ["S"]}, given, name, setting, whole=True)
                series += _series(panel, wanted, name, "ml-100k, all films", whole)
                notes.append(_WHOLE)
        if wanted["unit"] == "seconds" and "S" in wanted["series"]:
            notes.append(_answers(panel, names, setting, given, wanted))
    if any(value >= _LARGEST_SD for value in (given.get("l") or 0, *_values_of_l(given))):
        notes.append(_LARGEST_L)
    return Outcome(tuple(series), tuple(judgements), tuple(dict.fromkeys(notes)))


def data_of(figure: Figure, setting: Setting) -> tuple[str, ...]:
    """Return the data to take: two of those given, and a synthesised survey only where there are fewer."""
    names = available(figure.data, setting)
    given = tuple(name for name in names if name in setting.data)
    return (given or tuple(name for name in names if name in SYNTHESISED))[:2]


def table_for(name: str, records: int, setting: Setting, *, whole: bool = False) -> RatingTable:
    """Return up to ``records`` records in random order, with an income drawn at random; the most rated films.

    ``whole`` : all films. Fewer records are the first of more.
    """
    key = ("timed table", name, records, whole)
    if key not in setting.kept:
        table = table_of(name, setting)
        if not whole:
            table = most_rated(name, table)
        order = setting.stream("order", name).permutation(table.n_records)[:records]
        table = table.take(order.astype(np.int64))
        income = setting.stream("income", name).integers(1, 6, records)[: table.n_records]
        column = SensitiveColumn("income", income.astype(np.float64), np.ones(table.n_records, dtype=bool))
        setting.kept[key] = table.replace(sensitive=(column,))
    found: RatingTable = setting.kept[key]
    return found


def _costs(
    wanted: Mapping[str, Any], given: Mapping[str, Any], name: str, setting: Setting, *, whole: bool = False
) -> dict[str, list[Cost]]:
    """Return the cost of each series at each value."""
    return {
        one: [_cost(one, wanted, given, name, value, setting, whole=whole) for value in wanted["values"]]
        for one in wanted["series"]
    }


def _cost(
    one: str, wanted: Mapping[str, Any], given: Mapping[str, Any], name: str, value: float, setting: Setting,
    *, whole: bool,
) -> Cost:  # fmt: skip
    target = {"k": given["k"], "epsilon": given["epsilon"], "l": given.get("l"), **wanted.get("target", {})}
    percent = 100.0
    if wanted["vary"] == "percent":
        percent = value
    elif wanted["vary"] in target:
        target[wanted["vary"]] = value
    else:
        raise ParameterError("vary", wanted["vary"], "percent, k, epsilon or l")
    key = (
        "cost",
        one,
        name,
        percent,
        *target.values(),
        given["records"],
        given["runs"],
        whole,
        wanted["unit"],
    )
    if key not in setting.kept:
        table = table_for(name, given["records"], setting, whole=whole)
        first = np.arange(math.ceil(percent / 100 * table.n_records))
        setting.resources.report(f"measuring {SERIES[one]} on {name}, {wanted['vary']} = {value:g}", 0, None)
        work = Work(one, table.take(first), int(target["k"]), float(target["epsilon"]), target["l"])
        setting.kept[key] = measure(work, wanted["unit"], given["runs"])
    found: Cost = setting.kept[key]
    return found


def _series(
    panel: Panel, wanted: Mapping[str, Any], name: str, shown: str, costs: Mapping[str, list[Cost]]
) -> list[Series]:
    found = []
    for one, measured in costs.items():
        curve = _curve(wanted, measured)
        label = f"{SERIES[one]} ({shown})"
        answers = ", ".join("yes" if cost.satisfied else "no" for cost in measured)
        note = f"answers: {answers}"
        found.append(Series(panel.name, label, curve.x, curve.y, curve.low, curve.high, note, name))
    return found


def _judged(
    panel: Panel, wanted: Mapping[str, Any], name: str, costs: Mapping[str, list[Cost]], runs: int
) -> list[Judgement]:
    curves = {one: _curve(wanted, measured) for one, measured in costs.items()}
    judged = []
    for rule in panel.rules:
        finding = RULES[rule](curves)
        if runs < _ENOUGH:
            finding = replace(finding, holds=None, why="so few runs do not tell how large the noise is")
        judged.append(
            Judgement(panel.name, panel.paper(rule), finding.ours, finding.holds, finding.why, name)
        )
    return judged


def _curve(wanted: Mapping[str, Any], costs: Sequence[Cost]) -> Curve:
    x = tuple(float(value) for value in wanted["values"])
    runs = [cost.runs for cost in costs]
    unit = _UNITS[wanted["unit"]]
    return Curve(x, tuple(cost.median for cost in costs), tuple(map(min, runs)), tuple(map(max, runs)), unit)


def _answers(
    panel: Panel, names: Sequence[str], setting: Setting, given: Mapping[str, Any], wanted: Mapping[str, Any]
) -> str:
    """Say at how many points slicing's own search found groups, and our engine says that the target holds."""
    said = []
    for name in names:
        for one in ("S", "E"):
            if one in wanted["series"]:
                costs = [
                    _cost(one, wanted, given, name, value, setting, whole=False) for value in wanted["values"]
                ]
                yes = sum(cost.satisfied for cost in costs)
                what = "slicing finds groups" if one == "S" else "the target holds"
                said.append(f"{name}: {what} at {yes} of {len(costs)} points")
    where = f"Panel {panel.name}, " if panel.name else ""
    return where + "; ".join(said)


def _values_of_l(given: Mapping[str, Any]) -> list[float]:
    return [value for panel in given["panels"].values() if panel["vary"] == "l" for value in panel["values"]]

"""Curves over k, ε, l and the size of the data: time and memory,
and what releases are still good for.

``timing`` [SWL10, 1-2; SWLZ11, Figs 3-8; SWLP10, Fig. 14]: every measurement is a process of its
own, the median of several. Settings: ``runs`` of each, ``records`` at most, ``k``, ``epsilon``,
``l``, the ``values`` of the panel's x, ``series``
(:data:`ratingpriv.studies.papers.measurement.SERIES`), and ``whole``: a note, where ml-100k is
shown with all of its films, too.

``utility`` [SWLP10, Figs 15-18]: the paper's grouping and strategy, which the statements are judged
on, and our default; beside them what the original gives, and a release without any worth. Settings:
``records``, ``measure``, the ``values`` of the panel's x, ``k`` and ``epsilon``, ``options`` of the
measure.

``percent`` of the data is the first so many records of one random order, so that samples are
nested. The sensitive issue is an income drawn at random from 1..5 [SWLP10, Table 4], whatever the
data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ratingpriv.anonymize.methods import anonymize
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.documents.reproduce import Panel, Series
from ratingpriv.documents.utility import MEASURED
from ratingpriv.studies.papers.data import genders_of, most_rated, table_of
from ratingpriv.studies.papers.figure import Measured, Setting, series
from ratingpriv.studies.papers.judging import Curve
from ratingpriv.studies.papers.measurement import SERIES, Cost, Work, measure
from ratingpriv.utility.measures import MEASURES
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import worthless

_UNITS = {"seconds": " s", "mebibytes": " MiB"}
_ENOUGH = 3
"""Runs from which on their range is taken for the noise."""
_ANSWERS = {"S": "slicing finds groups", "E": "the target holds"}

METHODS: Mapping[str, Mapping[str, Any]] = {"paper": {"strategy": "paper"}, "ours": {}}
"""The options of "modify" for each: the paper's grouping and strategy [SWLP10, §4.4-4.5], and our
default.
"""
_LABELS = {
    "paper": "paper's method",
    "ours": "our default",
    "original": "original",
    "worthless": "worthless release",
    "majority": "always the majority",
    "bound": "ε/2",
}
_EXTRAVERSION = tuple(f"E{number}" for number in range(1, 11))


class Point(Struct, frozen=True):
    """A measure of one release: ``value`` and its interval, or the ``reason`` why there is none.

    ``majority`` is the share of the larger class, where classes are predicted; ``untouched``:
    whether the release is its original.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    majority: float | None = None
    untouched: bool = False


def timing(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Measure what each series takes."""
    drawn, curves, notes, answers = [], {}, [], []
    x = tuple(map(float, settings["values"]))
    shown = [(name, False) for name in settings["series"]]
    if settings.get("whole") and data == "ml-100k" and not setting.quick:
        shown.append(("S", True))
        notes.append(settings["whole"])
    for name, all_films in shown:
        costs = [
            _cost(name, value, panel, data, settings, setting, whole=all_films)
            for value in settings["values"]
        ]
        runs = [cost.runs for cost in costs]
        median = tuple(cost.median for cost in costs)
        curve = Curve(x, median, tuple(map(min, runs)), tuple(map(max, runs)), _UNITS[panel.y])
        note = f"answers: {', '.join('yes' if cost.satisfied else 'no' for cost in costs)}"
        label = f"{SERIES[name]} ({data}{', all films' if all_films else ''})"
        drawn.append(
            series(
                label,
                x,
                curve.y,
                low=curve.low,
                high=curve.high,
                note=note,
                data=data,
                panel=panel.name,
            )
        )
        if all_films:
            continue
        curves[name] = curve
        if panel.y == "seconds" and "S" in settings["series"] and name in _ANSWERS:
            yes = sum(cost.satisfied for cost in costs)
            answers.append(f"{data}: {_ANSWERS[name]} at {yes} of {len(costs)} points")
    few = "so few runs do not tell how large the noise is" if settings["runs"] < _ENOUGH else ""
    return Measured(drawn, {"": curves}, notes, few, answers=answers)


def _cost(
    name: str,
    value: float,
    panel: Panel,
    data: str,
    settings: Mapping[str, Any],
    setting: Setting,
    *,
    whole: bool,
) -> Cost:
    """Measure what a series takes at one value of the panel's x."""
    target = {"percent": 100.0, "l": None, **settings, panel.x: value}
    percent, k, epsilon, l = (target[key] for key in ("percent", "k", "epsilon", "l"))  # noqa: E741
    records, runs = settings["records"], settings["runs"]

    def cost() -> Cost:
        table = timed(data, records, setting, whole=whole)
        first = np.arange(math.ceil(percent / 100 * table.n_records))
        setting.resources.report(
            f"measuring {SERIES[name]} on {data}, {panel.x} = {value:g}", 0, None
        )
        return measure(Work(name, table.take(first), int(k), float(epsilon), l), panel.y, runs)

    cell = ("cost", name, data, whole, percent, k, epsilon, l, records, runs, panel.y)
    return setting.measured(cell, cost, Cost)


def timed(name: str, records: int, setting: Setting, *, whole: bool = False) -> RatingTable:
    """Return up to ``records`` records in random order, with an income drawn at random.

    The most rated films.

    ``whole`` : all films. Fewer records are the first of more.
    """

    def table() -> RatingTable:
        everything = table_of(name, setting)
        chosen = everything if whole else most_rated(name, everything)
        order = setting.stream("order", name).permutation(chosen.n_records)[:records]
        income = setting.stream("income", name).integers(1, 6, records)[: len(order)]
        return _paid(chosen.take(order.astype(np.int64)), income)

    return setting.shared(("timed", name, records, whole), table)


def utility(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Make the releases of a panel and measure them."""
    what, options = settings["measure"], dict(settings.get("options", {}))
    if what == "classification":
        options["target"] = _genders(data, settings["records"], setting)
        if options["target"] is None:
            return Measured(why="nothing beside these data says who is of which gender")
    targets = targets_of(panel.x, settings)
    points = _points(data, targets, {**settings, "options": options}, setting)
    shown = {
        method: several for method, several in points.items() if method != MEASURED[what].constant
    }
    values, notes = _curves(panel, targets, settings, shown), _reasons(data, points)
    drawn = [
        _drawn(panel, data, method, targets, settings, several) for method, several in shown.items()
    ]
    untouched = sum(point.untouched for point in points["paper"])
    if untouched:
        where = f"{data}, panel {panel.name}: at {untouched} of {len(targets)} points"
        notes.append(f"{where} the data meet the target as they are, and nothing is changed.")
    nothing = (
        "the data meet the target as they are at every point: nothing was changed, so "
        "nothing is shown"
    )
    return Measured(
        drawn,
        values,
        notes,
        nothing if untouched == len(targets) else "",
        "not all could be measured",
        _why(points["paper"]) or "a curve is not whole",
    )


def _points(
    data: str,
    targets: Sequence[tuple[int, float, float]],
    settings: Mapping[str, Any],
    setting: Setting,
) -> dict[str, list[Point]]:
    """Measure at each target what the methods release, and the references."""
    what, records, options = settings["measure"], settings["records"], settings["options"]
    points = {
        method: [
            _point(method, what, data, target, records, options, setting) for target in targets
        ]
        for method in (*METHODS, "original", "worthless")
    }
    if what == "classification":
        points["majority"] = [Point(point.majority) for point in points["original"]]
    if what == "standard_deviation":
        points["bound"] = [Point(epsilon / 2) for _, epsilon, _ in targets]
    return points


def _why(points: Sequence[Point]) -> str:
    """Return the reasons why points have no value."""
    return "; ".join(sorted({point.reason for point in points if point.reason}))


def _reasons(data: str, points: Mapping[str, Sequence[Point]]) -> list[str]:
    """Return a note for each method that has points without a value."""
    whys = {method: _why(points[method]) for method in METHODS}
    return [f"{data}, {_LABELS[method]}: {why}" for method, why in whys.items() if why]


def _factor(what: str) -> tuple[float, str]:
    """Return by how much a measure is multiplied in figures, and its unit."""
    return (100.0, " %") if MEASURED[what].percent else (1.0, "")


def _drawn(
    panel: Panel, data: str, method: str, targets: Sequence[tuple[int, float, float]],
    settings: Mapping[str, Any], points: Sequence[Point],
) -> Series:  # fmt: skip
    """Return the curve of a method, or its bars where k and ε are varied together."""
    factor, _ = _factor(settings["measure"])
    y, low, high = (
        [None if end is None else factor * end for end in ends]
        for ends in zip(*((point.value, point.low, point.high) for point in points), strict=True)
    )
    ends = {"low": low, "high": high} if any(end is not None for end in low) else {}
    x: list[Any] = [f"k = {k}, ε = {in_full(epsilon)}" for k, epsilon, _ in targets]
    if panel.x != "target":
        x = list(map(float, settings["values"]))
    label = f"{_LABELS[method]} ({data})"
    return series(label, x, y, note=_why(points), data=data, panel=panel.name, **ends)


def _curves(
    panel: Panel, targets: Sequence[tuple[int, float, float]], settings: Mapping[str, Any],
    points: Mapping[str, Sequence[Point]],
) -> dict[str, dict[str, Curve]]:  # fmt: skip
    """Return the whole curves by method, those of each ε after its lead
    where k and ε are varied together.
    """
    factor, unit = _factor(settings["measure"])
    pairs = panel.x == "target"
    numbers = [float(k) for k, _, _ in targets] if pairs else list(map(float, settings["values"]))
    groups: dict[str, list[int]] = {}
    for place, (_, epsilon, _) in enumerate(targets):
        groups.setdefault(f"At ε = {in_full(epsilon)}: " if pairs else "", []).append(place)
    return {
        lead: {
            method: _curve(
                [numbers[at] for at in places], [several[at] for at in places], factor, unit
            )
            for method, several in points.items()
            if all(several[at].value is not None for at in places)
        }
        for lead, places in groups.items()
    }


def _curve(x: Sequence[float], points: Sequence[Point], factor: float, unit: str) -> Curve:
    y = tuple(factor * (point.value or 0.0) for point in points)
    low, high = (
        tuple(value if end is None else factor * end for value, end in zip(y, ends, strict=True))
        for ends in zip(*((point.low, point.high) for point in points), strict=True)
    )
    return Curve(tuple(x), y, low, high, unit)


def targets_of(vary: str, settings: Mapping[str, Any]) -> list[tuple[int, float, float]]:
    """Return (k, ε, percent) at each value of what is varied."""
    targets = []
    for value in settings["values"]:
        varied = (
            dict(zip(("k", "epsilon"), value, strict=True)) if vary == "target" else {vary: value}
        )
        target = {"percent": 100.0, **settings, **varied}
        targets.append((int(target["k"]), float(target["epsilon"]), float(target["percent"])))
    return targets


def _point(
    method: str, what: str, data: str, target: tuple[int, float, float], records: int,
    options: Mapping[str, Any], setting: Setting,
) -> Point:  # fmt: skip
    """Measure a release, or a reference, which has no k.

    All of one data set get the same random numbers.
    """
    k, epsilon, percent = target

    def point() -> Point:
        if method in METHODS:
            pair = release(data, method, target, records, setting)
            if pair is None:
                return Point(None, reason="the target was not reached")
        else:
            table = original(data, records, percent, setting)
            other = table if method == "original" else worthless(table, setting.stream("worthless"))
            pair = Pair(table, other, np.arange(table.n_records, dtype=np.int64), "ids")
        own = {**options, "epsilon": epsilon} if what == "clustering_coefficient" else options
        measured = MEASURES[what].function
        found = measured(pair, rng=setting.stream(what, data), resources=setting.resources, **own)
        known = found.value is not None
        value = (
            found.details["inner_products"]["release"]
            if known and what == "centroid"
            else found.value
        )
        return Point(
            value, found.low if known else None, found.high if known else None, found.reason,
            found.details["majority"] if known and what == "classification" else None,
            method == "paper" and unchanged(pair),
        )  # fmt: skip

    asked = {key: value for key, value in options.items() if key != "target"}
    cell = (
        "utility",
        what,
        data,
        method,
        k if method in METHODS else 0,
        epsilon,
        percent,
        records,
        asked,
    )
    return setting.measured(cell, point, Point)


def original(name: str, records: int, percent: float, setting: Setting) -> RatingTable:
    """Return the first ``percent`` of up to ``records`` records in one random order,
    with a random income.

    Of ml-100k the 20 most rated films, of big5 the ten items of extraversion. Ids, and so draws by
    id, stay.
    """

    def table() -> RatingTable:
        everything = table_of(name, setting)
        chosen = _chosen(name, records, percent, setting)
        income = setting.stream("income", name).integers(1, 6, everything.n_records)[chosen]
        part = (
            everything.select_issues(_EXTRAVERSION)
            if name == "big5"
            else most_rated(name, everything)
        )
        return _paid(part.take(chosen), income)

    return setting.shared(("original", name, records, percent), table)


def _genders(name: str, records: int, setting: Setting) -> Any:
    """Return the gender of each record of :func:`original`, all of it;
    None where nothing says it.
    """
    known = genders_of(name, setting) if name in setting.data else None
    return (
        None
        if known is None
        else known.gather(_chosen(name, records, 100.0, setting)).rename("gender")
    )


def _chosen(name: str, records: int, percent: float, setting: Setting) -> NDArray[np.int64]:
    order = setting.stream("order", name).permutation(table_of(name, setting).n_records)[:records]
    return order[: math.ceil(percent / 100 * len(order))].astype(np.int64)


def _paid(table: RatingTable, income: NDArray[np.int64]) -> RatingTable:
    known = np.ones(table.n_records, dtype=bool)
    return table.replace(sensitive=(SensitiveColumn("income", income.astype(np.float64), known),))


def release(
    name: str, method: str, target: tuple[int, float, float], records: int, setting: Setting
) -> Pair | None:
    """Return an original beside its release, made once a run.

    None where the target was not reached.
    """
    k, epsilon, percent = target

    def pair() -> Pair | None:
        what = f"anonymising {name}: {method}, k = {k}, epsilon = {in_full(epsilon)}"
        setting.resources.report(what, 0, None)
        table, resources = original(name, records, percent, setting), setting.resources
        how = {"threads": resources.threads, "memory": resources.memory, **METHODS[method]}
        try:
            made = anonymize(table, "modify", k=k, epsilon=epsilon, rng=setting.seed, **how)
        except TargetNotReachedError:
            return None
        return Pair(table, made.table, made.pairing, "ids")

    return setting.shared(("release", name, method, target, records), pair)


def unchanged(pair: Pair) -> bool:
    """Return whether a release has every rating of its original and no other:
    nothing had to be done.
    """
    before, after = pair.original, pair.release
    return before.n_ratings == after.n_ratings and all(
        np.array_equal(getattr(before, name), getattr(after, name))
        for name in ("indptr", "indices", "values")
    )

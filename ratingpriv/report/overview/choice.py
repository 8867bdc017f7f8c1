"""The fourth section: why this k and this epsilon, and what others would have cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.numbers import in_full
from ratingpriv.report.overview.assumed import declares_scale
from ratingpriv.report.overview.drawn import bars
from ratingpriv.report.overview.items import Item, Note, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.overview.pictures import pictures
from ratingpriv.report.overview.telling import Telling
from ratingpriv.report.page import Table

__all__ = ["choice"]

_MOST = 40
"""So many distances are shown at most."""


def choice(material: Material) -> Part:
    """Return the section: what holds at which distance, and the table of costs."""
    return Part("choice", "The choice of k and epsilon", (*_frontier(material), *_recommended(material)))


def _frontier(material: Material) -> Iterator[Item]:
    found, telling, asked = material.of("frontier"), material.telling, material.judged.parameters
    if found is None:
        yield Note(
            "missing",
            "Which k holds at which distance was not measured.",
            f"ratingpriv frontier {material.data_name or 'DATA'} --k {asked.k}",
        )
        return
    yield (
        f"Asked for: k = {asked.k}, epsilon = {in_full(asked.epsilon)}. What holds for the data as they are "
        f"at other distances, with missing ratings {found['parameters']['nulls']}:"
    )
    rows = list(_rows(found, telling, asked.epsilon, declared=bool(declares_scale(material))))
    total = found["dataset"]["records"]
    target = found["parameters"]["k"]
    judged = target is not None or found["parameters"]["l"] is not None
    columns = ["epsilon", "largest k", "alone", *([_asked_of(found)] if judged else [])]
    cells = tuple(
        (
            in_full(epsilon),
            _largest(row, telling, target),
            telling.cell(row["singletons"], total),
            *([_holds(row)] if judged else []),
        )
        for epsilon, row in rows[:_MOST]
    )
    if not cells:
        yield "The distances that matter are differences between people's answers, and are not shown."
        return
    yield Table(tuple(columns), cells, (True, True, True, *([False] if judged else [])))
    if not telling.internal and total >= 2 * telling.threshold:
        alone = [
            (f"epsilon = {in_full(epsilon)}", telling.rounding.amount(row["singletons"], total).high / total,
             telling.cell(row["singletons"], total))
            for epsilon, row in rows[:12]
        ]  # fmt: skip
        if alone:
            yield bars(
                alone, "Records that are alone.",
                "Share of the records that no other one is within epsilon of, at each distance",
            )  # fmt: skip
    if not found["complete"] or len(rows) > _MOST:
        yield "More distances matter than are shown."
    smallest = found["smallest_epsilon"]
    if smallest is not None:
        least = smallest["neighbourhood"]
        if least is None:
            yield f"No epsilon that protects serves for {_asked_of(found)}."
        else:
            told = telling.distance(least, asked=asked.epsilon)
            yield f"The smallest epsilon for {_asked_of(found)} is {told}. This is exact."
    yield (
        "Epsilon says which ratings count as indistinguishable: a larger one is the weaker demand, and from "
        "some epsilon on (no protection) any two ratings are."
    )
    yield from pictures(material, found)


def _rows(
    found: Mapping[str, Any], telling: Telling, asked: float, *, declared: bool
) -> Iterator[tuple[float, Mapping[str, Any]]]:
    """Yield distances with what holds there.

    A distance that is no whole number is the difference between two people's answers, and so is the largest
    one where nobody declared a scale. To others the rows are those of whole numbers, and of what was asked
    for, up to where nothing protects any more (not declared: up to twice of that): what holds there is what
    holds at the last one that matters.
    """
    rows = sorted(found["rows"], key=lambda row: float(row["epsilon"]))
    if telling.internal or found["parameters"]["epsilon"] is not None:
        yield from ((row["epsilon"], row) for row in rows)
        return
    protecting = [row for row in rows if row["protection"]]
    if not protecting or not found["complete"]:
        return
    last = protecting[-1]["epsilon"]
    last = last if declared else min(last, math.ceil(2 * max(asked, 1)))
    whole = range(min(math.floor(last), _MOST) + 1)
    for epsilon in sorted({*map(float, whole), *([asked] if asked <= last else [])}):
        below = [row for row in protecting if row["epsilon"] <= epsilon]
        if below:
            yield epsilon, below[-1]


def _asked_of(found: Mapping[str, Any]) -> str:
    k, l = found["parameters"]["k"], found["parameters"]["l"]  # noqa: E741
    said = [] if k is None else [f"k = {k}"]
    return ", ".join([*said, *([] if l is None else [f"l = {in_full(l)}"])])


def _largest(row: Mapping[str, Any], telling: Telling, asked: int | None) -> str:
    held = asked if asked is not None and row["satisfied"] and row["max_k"] >= asked else 1
    size = telling.rounding.size(row["max_k"], at_least=held)
    if size.exact:
        return f"{row['max_k']:,}"
    return f"under {telling.threshold}" if size.least is None else f"at least {size.least:,}"


def _holds(row: Mapping[str, Any]) -> str:
    if not row["protection"]:
        return "no protection"
    return "holds" if row["satisfied"] else "no"


def _recommended(material: Material) -> Iterator[Item]:
    found, telling = material.of("recommend"), material.telling
    if found is None:
        yield Note(
            "missing",
            "What other k, epsilon and methods would cost was not measured (--with recommend; it is slow).",
            f"ratingpriv recommend {material.data_name or 'DATA'}",
        )
        return
    total = found["dataset"]["records"]
    yield (
        "Releases that were made to be measured. On the front are those that no other one here beats; that "
        "is a table of costs and no verdict."
    )
    columns = (
        "method", "k", "epsilon", "suppressed", "ratings kept", "query error", "expected exposure",
        "attack success", "front",
    )  # fmt: skip
    rows = tuple(_option(one, total, telling) for one in _told(found, telling))
    yield Table(columns, rows, (False, *(True,) * 7, False))
    failed = sum(bool(one["reason"]) for one in found["options"])
    if failed:
        yield f"Not made: {failed:,} of {len(found['options']):,} combinations."
    yield from pictures(material, found)


def _told(found: Mapping[str, Any], telling: Telling) -> Iterator[Mapping[str, Any]]:
    """Yield the releases that were made.

    Of suppression there are rows at the k that few suppressed records happen to give: that is the size of a
    neighbourhood. To others only a k is shown that was tried by other methods, too, or was asked for.
    """
    asked = {one["k"] for one in found["options"] if one["method"] != "suppress"}
    asked |= set(found["parameters"]["k"] or ())
    for one in found["options"]:
        if not one["reason"] and (telling.rounding.exact or one["k"] in asked):
            yield one


def _option(one: Mapping[str, Any], total: int, telling: Telling) -> tuple[str, ...]:
    def value(name: str) -> float | None:
        found: float | None = one["measures"].get(name, {}).get("value")
        return found

    def share(name: str) -> str:
        found = value(name)
        if found is None:
            return "-"
        return telling.rate(telling.rounding.rate(min(found, 1.0) * total, total))

    gone, query = value("records_suppressed"), value("query_error")
    return (
        one["method"],
        f"{one['k']:,}",
        telling.distance(one["epsilon"]),
        "-" if gone is None else telling.cell(gone, total),
        share("ratings_kept"),
        "-" if query is None else telling.measured(query),
        share("exposure_expected"),
        share("attack_success"),
        {True: "front", False: "", None: "-"}[one["front"]],
    )

"""An experiment as a page: what was run, what could not be, and the measures over the seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.base.numbers import in_full
from ratingpriv.report.page import Page, Section, Table
from ratingpriv.report.plain import count
from ratingpriv.report.wording import EPSILON_NOTE, as_options
from ratingpriv.studies.experiment.experiment import Experimented
from ratingpriv.studies.experiment.seeds import CONFIDENCE

__all__ = ["experiment_page"]


def experiment_page(result: Experimented, output: str | None = None) -> Page:
    """Return the page; ``output`` is where the table with all rows is, if it was written."""
    asked, written = result.parameters, "" if output is None else f" in {output}"
    return Page(
        headline=f"{count(result.cells, 'cell')}, {count(len(result.rows), 'row')}{written}",
        explanation=(
            f"Means over {count(asked['seeds'], 'seed')}, with {100 * CONFIDENCE:g} % intervals by Student's "
            "t where there are several: they are about seeds, not about other data.",
        ),
        sections=(
            Section("Measures", (_table(result),)),
            Section("No release", tuple(_infeasible(result))),
            Section("What was run", (*map(_dataset, result.datasets), EPSILON_NOTE)),
        ),
    )


def _table(result: Experimented) -> Table:
    columns = ("data", "method", "k", "epsilon", "l", "attack", "measure", "mean", "low", "high", "of")
    rows = tuple(
        (
            one.where["data"],
            one.where["method"],
            str(one.where["k"]),
            in_full(one.where["epsilon"]),
            "" if one.where["l"] is None else in_full(one.where["l"]),
            one.where["attack"] or "",
            one.where["measure"],
            *("-" if value is None else f"{value:.4g}" for value in (one.mean, one.low, one.high)),
            f"{one.measured} of {one.of}",
        )
        for one in result.intervals
        if one.where["measure"] != "feasible"
    )
    return Table(columns, rows, (False, False, True, True, True, False, False, True, True, True, True))


def _infeasible(result: Experimented) -> Iterator[str]:
    seen: dict[tuple[Any, ...], None] = {}
    for one in result.infeasible:
        where = tuple(one[name] for name in ("data", "method", "k", "epsilon", "l", "reason"))
        seen.setdefault(where)
    for data, method, k, epsilon, l, reason in seen:  # noqa: E741 -- the theory's word
        asked = f"k = {k}, epsilon = {in_full(epsilon)}" + ("" if l is None else f", l = {in_full(l)}")
        yield f"In {data}, by {method}, {asked}: {as_options(reason)}"


def _dataset(one: Mapping[str, Any]) -> str:
    return (
        f"Data set {one['name']}: {count(one['records'], 'record')}, {count(one['issues'], 'question')}, "
        f"{count(one['ratings'], 'rating')}"
    )

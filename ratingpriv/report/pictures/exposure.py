"""Exposure: what exact knowledge leaves, and what knowledge leaves that is off by a little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    at_right,
    interval,
    nothing_measured,
    rows_of,
    stacked,
)
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about, near, rate
from ratingpriv.report.plain import count, plural
from ratingpriv.report.templating import phrase

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _finding(document: Document) -> str:
    exposure = document["exposure"]
    if not exposure["records"]:
        return "Nothing was measured"
    chance = rate(exposure["expected"])
    if not exposure["expected_exact"]:
        chance += f" (95 % interval {rate(exposure['expected_low'])} to {rate(exposure['expected_high'])})"
    may = "" if exposure["worst_exact"] else " (may not be the fewest)"
    text = (
        f"{phrase('knowledge', exposure['error']).capitalize()} leaves, in expectation, a chance of "
        f"{chance} of picking the right record; in the worst case {count(exposure['worst'], 'record')} "
        f"{plural(exposure['worst'], 'remains', 'remain')}{may}"
    )
    if exposure["certain"]:
        least = "" if exposure["certain_exact"] else "at least "
        text += f". For {least}{count(exposure['certain'], 'record')} some such knowledge fits nobody else"
    return text


def _caption(document: Document) -> str:
    exposure = document["exposure"]
    examined = (
        ""
        if exposure["records"] == exposure["of_records"]
        else f" Examined: {exposure['records']:,} of {exposure['of_records']:,} records, drawn at random."
    )
    searched = "" if exposure["worst_exact"] else " The worst case was searched for: there may be worse."
    return (
        f"{about(document)}{examined} Exact ratings: a pick at random among the records "
        f"{near(document, document['parameters']['epsilon'])}. Inexact: among the records that fit "
        f"{phrase('knowledge', exposure['error'])} on every question.{searched}"
    )


def _steps(pairs: Sequence[tuple[int, int]]) -> tuple[list[float], list[float]]:
    """Return, for each size, how many percent of the records have at most that."""
    whole, below = sum(amount for _, amount in pairs), 0
    sizes, shares = [], []
    for size, amount in sorted(pairs):
        below += amount
        sizes.append(float(size))
        shares.append(100 * below / whole)
    return sizes, shares


def _size(document: Document) -> tuple[float, float]:
    return 7.2, 4.4 if document["exposure"].get("fewest_left") else 1.7


def _draw(axes: Axes, document: Document) -> None:
    if not document["exposure"]["records"]:
        nothing_measured(axes)
        return
    left = [(one["left"], one["records"]) for one in document["exposure"].get("fewest_left") or ()]
    panels = stacked(axes, [1.0, 2.2] if left else [1.0], gap=0.28, share_x=False)
    _draw_chances(panels[0], document)
    if left:
        _draw_left(panels[1], document, left)


def _inexact(error: float) -> str:
    return f"ratings off by up to {in_full(error)}" if error else "exact ratings, equal records"


def _draw_chances(panel: Axes, document: Document) -> None:
    exposure, exact = document["exposure"], 100 * document["risk"]["marketer"]
    inexact = (100 * exposure["expected"], 100 * exposure["expected_low"], 100 * exposure["expected_high"])
    rows_of(panel, ("exact ratings", _inexact(exposure["error"])))
    interval(panel, 0, (exact, exact, exact), colour=COLOURS[0])
    interval(panel, 1, inexact, colour=COLOURS[1])
    at_right(panel, 0, rate(exact / 100), COLOURS[0])
    at_right(panel, 1, rate(exposure["expected"]), COLOURS[1])
    panel.set_xlim(0, min(100.0, max(1.25 * max(exact, inexact[2]), 1.0)))
    panel.set_xlabel("chance that a pick at random is right, % (mean over the records)")


def _draw_left(panel: Axes, document: Document, left: list[tuple[int, int]]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    found = document["exposure"]
    exact = [(one["size"], one["records"]) for one in document["neighbourhood_sizes"]["histogram"]]
    largest = max(size for size, _ in [*exact, *left])
    curves = (
        (exact, COLOURS[0], "exact ratings"),
        (left, COLOURS[1], f"{_inexact(found['error'])}, worst"),
    )
    for pairs, colour, name in curves:
        sizes, shares = _steps(pairs)
        panel.step([*sizes, 1.3 * largest], [*shares, 100.0], where="post", color=colour, label=name)
        panel.plot([sizes[0]] * 2, [0, shares[0]], color=colour)
    panel.set_xscale("log")
    panel.set_xlim(0.9, 1.3 * largest)
    panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_ylim(0, 104)
    panel.grid(alpha=0.25)
    panel.set_xlabel("records that fit what is known")
    panel.set_ylabel("records left with\nat most so many, %")
    panel.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize="small")
    k = document["parameters"]["k"]
    panel.axvline(k, color=GREY, linestyle="--", linewidth=1)
    panel.annotate(
        f"k = {k:,}", (k, 0.5), xycoords=("data", "axes fraction"), xytext=(-2, 0),
        textcoords="offset points", color=GREY, fontsize="small", rotation=90, ha="right", va="center",
    )  # fmt: skip


def _not_asked(document: Document) -> str | None:
    return "it has no `exposure`" if document.get("exposure") is None else None


EXPOSURE = Picture(_finding, _caption, _draw, _size, _not_asked)

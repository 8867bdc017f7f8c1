"""A frontier: who is alone, and which k and which l hold, over the distance between ratings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import COLOURS, GREY, HATCH, label_ends, nothing_measured, stacked
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about, near, plain, under
from ratingpriv.report.plain import count, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 5
"""Curves of l that get a colour and a name of their own."""
_MARKED = 100
"""Distances that get a dot each; of more there are lines only."""
_EACH = 1.25
"""Inches of a panel."""


def _finding(document: Document) -> str:
    rows, target, smallest = document["rows"], _target(document), document["smallest_epsilon"]
    if not rows:
        return "Nothing was measured"
    if target and smallest is not None:
        paper = document["parameters"]["method"] == "paper"
        epsilon = smallest["partition" if paper else "neighbourhood"]
        if epsilon is None:
            return f"{target} is not within reach at any rating distance that protects{under(document)}"
        if document["parameters"]["k"] == 1 and not document["parameters"]["l"]:
            return "k = 1 asks for nothing: it holds for any data"
        by = ", by the paper's search" if paper else ""
        here = f"{in_full(epsilon)}{by}{under(document)}"
        return f"The smallest rating distance at which {target} holds is {here}"
    if target:
        held = sum(row["satisfied"] is True for row in rows)
        return f"{target} holds at {held} of {count(len(rows), 'rating distance')}{under(document)}"
    first, records = rows[0], document["dataset"]["records"]
    alone = (
        f"{share(first['singletons'], records)} of the records are alone at a rating distance of "
        f"{in_full(first['epsilon'])}"
    )
    useful = [row for row in rows if row["protection"]]
    if not useful:
        return f"{alone}; no distance protects{under(document)}"
    best = max(useful, key=lambda row: (row["max_k"], -row["epsilon"]))
    shown = "" if document["complete"] else " of those shown"
    return (
        f"{alone}; the largest k at a distance that protects{shown} is {best['max_k']:,}, at "
        f"{in_full(best['epsilon'])}{under(document)}"
    )


def _target(document: Document) -> str:
    k, l = document["parameters"]["k"], document["parameters"]["l"]  # noqa: E741
    parts = ([] if k is None else [f"k = {k:,}"]) + ([] if l is None else [f"l = {in_full(l)}"])
    return " with ".join(parts)


def _caption(document: Document) -> str:
    rows = document["rows"]
    steps = (
        "What holds at a distance holds up to the next one."
        if document["complete"]
        else "Dots are the distances that were looked at; between them something may change."
    )
    sentences = [about(document), steps, f"Alone: no other record is {near(document)}."]
    if any(not row["protection"] for row in rows):
        sentences.append(
            "Hatched: no protection, as any two ratings are indistinguishable or a missing rating keeps "
            "nobody apart."
        )
    if _chosen(document) is not None:
        sentences.append(f"Diamond: the smallest distance at which {_target(document)} holds.")
    if len(_names(document)) > _NAMED:
        sentences.append(f"Of l, the {_NAMED} sensitive questions where least holds.")
    sentences.append("The distance is between ratings; it is no privacy budget.")
    return " ".join(sentences)


def _chosen(document: Document) -> float | None:
    """Return the ε that answers what was requested; None where none does, or nothing was requested."""
    smallest = document["smallest_epsilon"]
    if smallest is None:
        return None
    found: float | None = smallest[
        "partition" if document["parameters"]["method"] == "paper" else "neighbourhood"
    ]
    return found


def _names(document: Document) -> list[str]:
    """Return the sensitive questions of numbers, those first that hold least."""
    names = list(document["rows"][0]["max_l"]) if document["rows"] else []

    def most(name: str) -> float:
        return max((row["max_l"][name] or 0.0 for row in document["rows"] if row["protection"]), default=0.0)

    return sorted(names, key=most)


def _size(document: Document) -> tuple[float, float]:
    return 7.2, _EACH * (3 if _names(document) else 2) + 1.6


def _draw(axes: Axes, document: Document) -> None:
    rows = document["rows"]
    if not rows:
        nothing_measured(axes)
        return
    names = _names(document)
    panels = stacked(axes, [1.0] * (3 if names else 2))
    epsilons = [row["epsilon"] for row in rows]
    widest = (epsilons[-1] - epsilons[0]) or max(abs(epsilons[-1]), 1.0)
    end = epsilons[-1] + 0.06 * widest
    for panel in panels:
        panel.set_xlim(epsilons[0] - 0.03 * widest, end)
        panel.grid(alpha=0.25)
    records = document["dataset"]["records"]
    _curve(panels[0], document, [100 * row["singletons"] / records for row in rows], end, COLOURS[1])
    panels[0].set_ylim(-4, 104)
    panels[0].set_ylabel("alone,\n% of records")
    _draw_k(panels[1], document, end)
    if names:
        _draw_l(panels[2], document, names, end)
    _shade(panels, document, end)
    panels[-1].set_xlabel("ε, distance between ratings (points of the scale)")


def _curve(panel: Axes, document: Document, heights: list[float], end: float, colour: str) -> None:
    """Draw steps, to the end of the axes; where not every distance was looked at, dots."""
    epsilons = [row["epsilon"] for row in document["rows"]]
    few = len(epsilons) <= _MARKED
    if document["complete"]:
        panel.step(epsilons, heights, where="post", color=colour, marker="o" if few else "", ms=4)
        panel.plot([epsilons[-1], end], [heights[-1]] * 2, color=colour)
    else:
        panel.plot(epsilons, heights, color=colour, marker="o" if few else "", ms=4, linestyle=":", lw=1)


def _draw_k(panel: Axes, document: Document, end: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    largest = [row["max_k"] for row in document["rows"]]
    wanted = document["parameters"]["k"]
    _curve(panel, document, largest, end, COLOURS[0])
    top = max(*largest, wanted or 1, 2)
    if top > 50:
        panel.set_yscale("log")
        panel.set_ylim(0.8, 1.6 * top)
        panel.yaxis.set_major_locator(LogLocator())
        panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        panel.yaxis.set_minor_formatter(NullFormatter())
    else:
        panel.set_ylim(0, 1.1 * top)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    panel.set_ylabel("largest k,\nrecords")
    if wanted is not None:
        _demanded(panel, wanted, f"k = {wanted:,}")
        found = _chosen(document)
        if found is not None:
            panel.plot([found], [wanted], marker="D", ms=8, color=COLOURS[2], zorder=5)


def _demanded(panel: Axes, value: float, name: str) -> None:
    panel.axhline(value, color=GREY, linestyle="--", linewidth=1)
    panel.annotate(
        name, (1, value), xycoords=("axes fraction", "data"), xytext=(5, 0), textcoords="offset points",
        va="center", color=GREY, fontsize="small", annotation_clip=False,
    )  # fmt: skip


def _draw_l(panel: Axes, document: Document, names: list[str], end: float) -> None:
    ends: list[tuple[float, str, str]] = []
    top = 0.0
    for name, colour in zip(names[:_NAMED], COLOURS, strict=False):
        heights = [math.nan if row["max_l"][name] is None else row["max_l"][name] for row in document["rows"]]
        _curve(panel, document, heights, end, colour)
        known = [height for height in heights if not math.isnan(height)]
        top = max(top, *known, 0.0)
        ends.append((known[-1] if known else 0.0, plain(name, 14), colour))
    wanted = document["parameters"]["l"]
    panel.set_ylim(-0.04 * top, 1.1 * max(top, wanted or 0.0) or 1.0)
    panel.set_ylabel("largest l,\nSD")
    if wanted is not None:
        panel.axhline(wanted, color=GREY, linestyle="--", linewidth=1)
        ends.append((wanted, f"l = {in_full(wanted)}", GREY))
    label_ends(panel, ends, inches=_EACH)


def _shade(panels: list[Axes], document: Document, end: float) -> None:
    useless = [row["epsilon"] for row in document["rows"] if not row["protection"]]
    for number, panel in enumerate(panels):
        for interval in document["feasible"] or ():
            below = end if interval["below"] is None else interval["below"]
            panel.axvspan(interval["from"], below, color=COLOURS[2], alpha=0.12, lw=0)
            if number == 0:
                panel.text(
                    (interval["from"] + below) / 2, 96, "holds", ha="center", va="top", color=COLOURS[2],
                    fontsize="small", clip_on=True,
                )  # fmt: skip
        if useless:
            panel.axvspan(useless[0], end, facecolor="none", edgecolor=GREY, hatch=HATCH, lw=0)
            if number == 0:
                panel.annotate(
                    "no protection", (1, 1), xycoords="axes fraction", xytext=(0, 3),
                    textcoords="offset points", color=GREY, fontsize="small", ha="right",
                )  # fmt: skip


FRONTIER = Picture(_finding, _caption, _draw, _size)

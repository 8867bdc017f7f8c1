"""A frontier: who is alone, and which k and which l hold, over the distance between ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    HATCH,
    Document,
    Picture,
    beside,
    grouped_ticks,
    label_ends,
    plain,
    stacked,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 5
"""Curves of l that get a colour and a name of their own."""
_MARKED = 100
"""Distances that get a dot each; of more there are lines only."""
_EACH = 1.25
"""Inches of a panel."""


def _draw(axes: Axes, rows: Sequence[Document], document: Document) -> None:
    names = list(rows[0]["max_l"])
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
    from matplotlib.ticker import MaxNLocator

    largest = [row["max_k"] for row in document["rows"]]
    wanted = document["parameters"]["k"]
    _curve(panel, document, largest, end, COLOURS[0])
    top = max(*largest, wanted or 1, 2)
    if top > 50:
        panel.set_yscale("log")
        panel.set_ylim(0.8, 1.6 * top)
        grouped_ticks(panel.yaxis, subs=(1.0,))
    else:
        panel.set_ylim(0, 1.1 * top)
        panel.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    panel.set_ylabel("largest k,\nrecords")
    if wanted is not None:
        panel.axhline(wanted, color=GREY, linestyle="--", linewidth=1)
        beside(panel, f"k = {wanted:,}", (1, wanted), along=("axes fraction", "data"), colour=GREY)
        smallest = document["smallest_epsilon"] or {"neighbourhood": None, "partition": None}
        paper = document["parameters"]["method"] == "paper"
        if (chosen := smallest["partition" if paper else "neighbourhood"]) is not None:
            panel.plot([chosen], [wanted], marker="D", ms=8, color=COLOURS[2], zorder=5)


def _draw_l(panel: Axes, document: Document, names: list[str], end: float) -> None:
    """Draw the largest l of the sensitive questions of numbers where least holds."""

    def most(name: str) -> float:
        return max((row["max_l"][name] or 0.0 for row in document["rows"] if row["protection"]), default=0.0)

    names = sorted(names, key=most)
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
                beside(panel, "no protection", (1, 1), shift=(0, 3), colour=GREY, ha="right", va="baseline")


FRONTIER = Picture(
    "frontier",
    lambda document: document["rows"],
    _draw,
    lambda document: _EACH * (3 if document["rows"] and document["rows"][0]["max_l"] else 2) + 1.6,
)

"""Audits, partitions and frontiers: sizes of neighbourhoods, what knowledge leaves,
what holds over ε.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures import canvas
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    Document,
    Picture,
    beside,
    grouped_ticks,
)
from ratingpriv.report.plain import chance, count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# ---- histograms of sizes ----

_SINGLE = 40
"""Up to this size each has a bar of its own."""
_BARS = 24
"""Bars of larger sizes, about."""

type _Sizes = Sequence[tuple[int, int]]
"""Sizes ascending, and how many there are of each."""


def binned(sizes: _Sizes, k: int | None) -> list[tuple[int, int, int]]:
    """Return bars ``(from, to, how many)``, both ends included: one a size,
    or wider ones for large sizes.

    No bar is on both sides of ``k``.
    """
    largest = max((size for size, _ in sizes), default=0)
    if largest <= _SINGLE:
        return [(size, size, amount) for size, amount in sizes]
    starts = {1, *(round(largest ** (step / _BARS)) for step in range(_BARS))}
    if k is not None and k <= largest:
        starts.add(k)
    edges = sorted(starts)
    bars = []
    for start, after in zip(edges, [*edges[1:], largest + 1], strict=True):
        amount = sum(amount for size, amount in sizes if start <= size < after)
        if amount:
            bars.append((start, after - 1, amount))
    return bars


def _draw_sizes(
    axes: Axes, sizes: _Sizes, document: Document, *, x: str, y: str, of: str = "record"
) -> None:
    k = document["parameters"]["k"]
    bars = binned(sizes, k)
    wide = any(start != end for start, end, _ in bars) or bars[-1][1] > _SINGLE
    for start, end, amount in bars:
        low = k is not None and start < k
        axes.bar(
            start - 0.45 if not wide else start,
            amount,
            0.9 if not wide else end + 1 - start,
            align="edge",
            color=COLOURS[1] if low else COLOURS[0],
            hatch="///" if low else None,
            edgecolor="white",
            lw=0.6,
        )
    axes.set_ylim(0, 1.12 * max(amount for _, _, amount in bars))
    canvas.whole_ticks(axes.yaxis, most=6)
    if wide:
        axes.set_xscale("log")
        axes.set_xlim(0.9, 1.15 * (bars[-1][1] + 1))
    else:
        axes.set_xlim(0.4, max(bars[-1][1], k or 0) + 0.8)
        canvas.whole_ticks(axes.xaxis, most=12)
    grouped_ticks(axes.xaxis, subs=(1, 2, 5) if wide else None)
    grouped_ticks(axes.yaxis)
    if k is not None:
        line = k if wide else k - 0.5
        axes.axvline(line, color=GREY, linestyle="--", linewidth=1)
        below = sum(amount for size, amount in sizes if size < k)
        text, colour = f"k = {k:,}; below it: {count(below, of)}", COLOURS[1] if below else GREY
        along = ("data", "axes fraction")
        beside(axes, text, (line, 1), along=along, shift=(4, 4), colour=colour, va="baseline")
    axes.grid(axis="y", alpha=0.25)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _histogram(rows: Sequence[Document] | None, what: str) -> _Sizes | None:
    return None if rows is None else [(row["size"], row[what]) for row in rows]


def _draw_hamming(axes: Axes, groups: _Sizes, document: Document) -> None:
    sizes = [(size, size * amount) for size, amount in groups]
    _draw_sizes(axes, sizes, document, x="records in the Hamming group", y="records in such groups")


NEIGHBOURHOODS = Picture(
    "sizes",
    lambda document: _histogram(document["neighbourhood_sizes"]["histogram"], "records"),
    partial(
        _draw_sizes,
        x="records in the neighbourhood, itself included",
        y="records with such a neighbourhood",
    ),
)
HAMMING = Picture(
    "hamming",
    lambda document: _histogram(document["dataset"].get("hamming_group_sizes"), "groups"),
    _draw_hamming,
    lacks="it has no sizes of Hamming groups; audit again with this version",
)
PARTITION = Picture(
    "partition",
    lambda document: _histogram(document.get("group_sizes"), "groups"),
    partial(_draw_sizes, x="records in the group", y="groups of that size", of="group"),
    lacks="it has no sizes of groups; partition again with this version",
    nothing="",
)

# ---- what knowledge leaves: exact ratings, ratings that are off by a little, a few ratings ----

_HEIGHT = 3.2


def _exposure(document: Document) -> Document | None:
    exposure: Document | None = document.get("exposure")
    return exposure if exposure is None or exposure["records"] else {}


def _draw_exposure(axes: Axes, exposure: Document, document: Document) -> None:
    left = [(row["left"], row["records"]) for row in exposure.get("fewest_left") or ()]
    panels = canvas.stacked(axes, [1.0, 2.2] if left else [1.0], gap=0.28, share_x=False)
    error = exposure["error"]
    off = f"rating error up to {in_full(error)}" if error else "exact ratings, equal records"
    exact = 100 * document["risk"]["marketer"]
    inexact = (
        100 * exposure["expected"],
        100 * exposure["expected_low"],
        100 * exposure["expected_high"],
    )
    canvas.rows_of(panels[0], ("exact ratings", off))
    canvas.interval(panels[0], 0, (exact, exact, exact), colour=COLOURS[0])
    canvas.interval(panels[0], 1, inexact, colour=COLOURS[1])
    canvas.at_right(panels[0], 0, chance(exact / 100), COLOURS[0])
    canvas.at_right(panels[0], 1, chance(exposure["expected"]), COLOURS[1])
    panels[0].set_xlim(0, min(100.0, max(1.25 * max(exact, inexact[2]), 1.0)))
    panels[0].set_xlabel("chance that a pick at random is right, % (mean over the records)")
    if left:
        sizes = [
            (row["size"], row["records"]) for row in document["neighbourhood_sizes"]["histogram"]
        ]
        curves = (("exact ratings", sizes, COLOURS[0]), (f"{off}, worst", left, COLOURS[1]))
        _draw_left(panels[1], curves, document["parameters"]["k"])


def _draw_left(
    panel: Axes, curves: Sequence[tuple[str, Sequence[tuple[int, int]], str]], k: int
) -> None:
    """Draw how many percent of the records have at most so many others that fit what is known."""
    end = 1.3 * max(size for _, pairs, _ in curves for size, _ in pairs)
    for name, pairs, colour in curves:
        sizes, amounts = zip(*sorted(pairs), strict=True)
        shares = 100 * np.cumsum(amounts) / sum(amounts)
        panel.step([*sizes, end], [*shares, 100.0], where="post", color=colour, label=name)
        panel.plot([sizes[0]] * 2, [0, shares[0]], color=colour)
    panel.set_xscale("log")
    panel.set_xlim(0.9, end)
    grouped_ticks(panel.xaxis, subs=(1, 2, 5))
    panel.set_ylim(0, 104)
    panel.grid(alpha=0.25)
    panel.set_xlabel("records that fit what is known")
    panel.set_ylabel("records left with\nat most so many, %")
    panel.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize="small")
    panel.axvline(k, color=GREY, linestyle="--", linewidth=1)
    along = ("data", "axes fraction")
    beside(
        panel,
        f"k = {k:,}",
        (k, 0.5),
        along=along,
        shift=(-2, 0),
        colour=GREY,
        rotation=90,
        ha="right",
    )


EXPOSURE = Picture(
    "exposure",
    _exposure,
    _draw_exposure,
    lambda document: 4.4 if document["exposure"].get("fewest_left") else 1.7,
    "it has no `exposure`",
)


def _draw_known(axes: Axes, below_k: Sequence[Document], document: Document) -> None:
    known_verdict = document["known"]
    worst = zip(*((row["m"], 100 * row["share"]) for row in below_k), strict=True)
    axes.plot(*worst, marker="o", ms=6, color=COLOURS[1], label="worst choice")
    random = [row for row in known_verdict["random"] if row["below_k"] is not None]
    if random:
        rows = [
            (row["m"], *(100 * row[f"below_k{end}"] for end in ("", "_low", "_high")))
            for row in random
        ]
        sizes, means, low, high = map(np.array, zip(*rows, strict=True))
        look: dict[str, Any] = {
            "marker": "s",
            "ms": 5,
            "capsize": 3,
            "linestyle": "--",
            "color": COLOURS[0],
        }
        axes.errorbar(sizes, means, yerr=[means - low, high - means], label="random choice", **look)
    axes.set_xlim(0.8, known_verdict["m"] + 0.2)
    canvas.whole_ticks(axes.xaxis)
    canvas.shares_over(
        axes, "ratings that are known", f"left with fewer than {known_verdict['k']:,}, %"
    )


KNOWN = Picture(
    "known",
    lambda document: document["known"]["below_k"] if document.get("known") else None,
    _draw_known,
    _HEIGHT,
    "it has no `known`",
    nothing="Nothing was looked at: that is not safe",
)

# ---- a frontier: who is alone, and which k and which l hold, over the distance between ratings
# ----

_NAMED = 5
"""Curves of l that get a colour and a name of their own."""
_MARKED = 100
"""Distances that get a dot each; of more there are lines only."""
_EACH = 1.25
"""Inches of a panel."""


def _draw_frontier(axes: Axes, rows: Sequence[Document], document: Document) -> None:
    names = list(rows[0]["max_l"])
    panels = canvas.stacked(axes, [1.0] * (3 if names else 2))
    epsilons = [row["epsilon"] for row in rows]
    widest = (epsilons[-1] - epsilons[0]) or max(abs(epsilons[-1]), 1.0)
    end = epsilons[-1] + 0.06 * widest
    for panel in panels:
        panel.set_xlim(epsilons[0] - 0.03 * widest, end)
        panel.grid(alpha=0.25)
    records = document["dataset"]["records"]
    _curve(
        panels[0], document, [100 * row["singletons"] / records for row in rows], end, COLOURS[1]
    )
    panels[0].set_ylim(-4, 104)
    panels[0].set_ylabel("isolated,\n% of records")
    _draw_k(panels[1], document, end)
    if names:
        _draw_l(panels[2], document, names, end)
    _shade(panels, document, end)
    panels[-1].set_xlabel("ε, distance between ratings (points of the scale)")


def _curve(
    panel: Axes,
    document: Document,
    heights: list[float],
    end: float,
    colour: str,
    label: str | None = None,
) -> None:
    """Draw steps, to the end of the axes; where not every distance was looked at, dots."""
    epsilons = [row["epsilon"] for row in document["rows"]]
    marker = "o" if len(epsilons) <= _MARKED else ""
    look: dict[str, Any] = {"color": colour, "marker": marker, "ms": 4, "label": label}
    if document["complete"]:
        panel.step(epsilons, heights, where="post", **look)
        panel.plot([epsilons[-1], end], [heights[-1]] * 2, color=colour)
    else:
        panel.plot(epsilons, heights, linestyle=":", lw=1, **look)


def _draw_k(panel: Axes, document: Document, end: float) -> None:
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
        canvas.whole_ticks(panel.yaxis, most=5)
    panel.set_ylabel("largest k,\nrecords")
    if wanted is not None:
        panel.axhline(wanted, color=GREY, linestyle="--", linewidth=1)
        beside(panel, f"k = {wanted:,}", (1, wanted), along=("axes fraction", "data"), colour=GREY)
        by = "partition" if document["parameters"]["method"] == "paper" else "neighbourhood"
        if (chosen := (document["smallest_epsilon"] or {}).get(by)) is not None:
            panel.plot([chosen], [wanted], marker="D", ms=8, color=COLOURS[2], zorder=5)


def _draw_l(panel: Axes, document: Document, names: list[str], end: float) -> None:
    """Draw the largest l of the sensitive questions of numbers where least holds."""

    def most(name: str) -> float:
        return max(
            (row["max_l"][name] or 0.0 for row in document["rows"] if row["protection"]),
            default=0.0,
        )

    names = sorted(names, key=most)
    top = 0.0
    for name, colour in zip(names[:_NAMED], COLOURS, strict=False):
        heights = [
            math.nan if row["max_l"][name] is None else row["max_l"][name]
            for row in document["rows"]
        ]
        _curve(panel, document, heights, end, colour, label=canvas.plain(name, 14))
        top = max(top, *(height for height in heights if not math.isnan(height)), 0.0)
    wanted = document["parameters"]["l"]
    panel.set_ylim(-0.04 * top, 1.1 * max(top, wanted or 0.0) or 1.0)
    panel.set_ylabel("largest l,\nSD")
    if wanted is not None:
        panel.axhline(
            wanted, color=GREY, linestyle="--", linewidth=1, label=f"l = {in_full(wanted)}"
        )
    canvas.name_curves(panel)


def _shade(panels: list[Axes], document: Document, end: float) -> None:
    """Mark where what was asked for holds, and from where on nothing protects.

    In words on the first.
    """
    look: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": "small", "clip_on": True}
    for interval in document["feasible"] or ():
        start, below = interval["from"], end if interval["below"] is None else interval["below"]
        for panel in panels:
            panel.axvspan(start, below, color=COLOURS[2], alpha=0.12, lw=0)
        panels[0].text((start + below) / 2, 96, "holds", color=COLOURS[2], **look)
    useless = [row["epsilon"] for row in document["rows"] if not row["protection"]]
    if useless:
        for panel in panels:
            panel.axvspan(
                useless[0], end, facecolor="none", edgecolor=GREY, hatch=canvas.HATCH, lw=0
            )
        beside(
            panels[0], "no protection", (1, 1), shift=(0, 3), colour=GREY, ha="right", va="baseline"
        )


FRONTIER = Picture(
    "frontier",
    lambda document: document["rows"],
    _draw_frontier,
    lambda document: _EACH * (3 if document["rows"] and document["rows"][0]["max_l"] else 2) + 1.6,
)

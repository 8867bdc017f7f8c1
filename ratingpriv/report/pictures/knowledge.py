"""What knowledge leaves: exact ratings, ratings that are off by a little, a few ratings that are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    Document,
    Picture,
    at_right,
    beside,
    grouped_ticks,
    interval,
    rows_of,
    shares_over,
    stacked,
)
from ratingpriv.report.plain import chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 3.2


def _exposure(document: Document) -> Document | None:
    exposure: Document | None = document.get("exposure")
    return exposure if exposure is None or exposure["records"] else {}


def _draw_exposure(axes: Axes, exposure: Document, document: Document) -> None:
    left = [(one["left"], one["records"]) for one in exposure.get("fewest_left") or ()]
    panels = stacked(axes, [1.0, 2.2] if left else [1.0], gap=0.28, share_x=False)
    off = (
        f"ratings off by up to {in_full(exposure['error'])}"
        if exposure["error"]
        else "exact ratings, equal records"
    )
    exact = 100 * document["risk"]["marketer"]
    inexact = (100 * exposure["expected"], 100 * exposure["expected_low"], 100 * exposure["expected_high"])
    rows_of(panels[0], ("exact ratings", off))
    interval(panels[0], 0, (exact, exact, exact), colour=COLOURS[0])
    interval(panels[0], 1, inexact, colour=COLOURS[1])
    at_right(panels[0], 0, chance(exact / 100), COLOURS[0])
    at_right(panels[0], 1, chance(exposure["expected"]), COLOURS[1])
    panels[0].set_xlim(0, min(100.0, max(1.25 * max(exact, inexact[2]), 1.0)))
    panels[0].set_xlabel("chance that a pick at random is right, % (mean over the records)")
    if left:
        sizes = [(one["size"], one["records"]) for one in document["neighbourhood_sizes"]["histogram"]]
        curves = (("exact ratings", sizes, COLOURS[0]), (f"{off}, worst", left, COLOURS[1]))
        _draw_left(panels[1], curves, document["parameters"]["k"])


def _draw_left(panel: Axes, curves: Sequence[tuple[str, Sequence[tuple[int, int]], str]], k: int) -> None:
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
    beside(panel, f"k = {k:,}", (k, 0.5), along=along, shift=(-2, 0), colour=GREY, rotation=90, ha="right")


EXPOSURE = Picture(
    "exposure",
    _exposure,
    _draw_exposure,
    lambda document: 4.4 if document["exposure"].get("fewest_left") else 1.7,
    "it has no `exposure`",
)


def _known(document: Document) -> Any:
    return document["known"]["below_k"] if document.get("known") else None


def _draw_known(axes: Axes, below_k: Sequence[Document], document: Document) -> None:
    from matplotlib.ticker import MaxNLocator

    known = document["known"]
    worst = [(one["m"], 100 * one["share"]) for one in below_k]
    axes.plot(*zip(*worst, strict=True), marker="o", ms=6, color=COLOURS[1])
    ends = [(worst[-1][1], "worst choice", COLOURS[1])]
    random = [one for one in known["random"] if one["below_k"] is not None]
    if random:
        rows = [(one["m"], *(100 * one[f"below_k{end}"] for end in ("", "_low", "_high"))) for one in random]
        sizes, means, low, high = map(np.array, zip(*rows, strict=True))
        axes.errorbar(
            sizes, means, yerr=[means - low, high - means], marker="s", ms=5, capsize=3, linestyle="--",
            color=COLOURS[0],
        )  # fmt: skip
        ends.append((float(means[-1]), "random choice", COLOURS[0]))
    axes.set_xlim(0.8, known["m"] + 0.2)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    left = f"left with fewer than {known['k']:,}, %"
    shares_over(axes, "ratings that are known", left, ends, inches=_HEIGHT - 0.6)


KNOWN = Picture(
    "known",
    _known,
    _draw_known,
    _HEIGHT,
    "it has no `known`",
    nothing="Nothing was looked at: that is not safe",
)

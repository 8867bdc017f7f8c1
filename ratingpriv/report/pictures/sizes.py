"""Histograms of sizes: of neighbourhoods, of Hamming groups, of the groups of a partition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ratingpriv.report.pictures.canvas import COLOURS, GREY, Document, Picture, beside, grouped_ticks
from ratingpriv.report.plain import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SINGLE = 40
"""Up to this size each has a bar of its own."""
_BARS = 24
"""Bars of larger sizes, about."""

type _Sizes = Sequence[tuple[int, int]]
"""Sizes ascending, and how many there are of each."""


def binned(sizes: _Sizes, k: int | None) -> list[tuple[int, int, int]]:
    """Return bars ``(from, to, how many)``, both ends included: one a size, or wider ones for large sizes.

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


def _draw(axes: Axes, sizes: _Sizes, document: Document, *, x: str, y: str, of: str = "record") -> None:
    from matplotlib.ticker import MaxNLocator

    k = document["parameters"]["k"]
    bars = binned(sizes, k)
    wide = any(start != end for start, end, _ in bars) or bars[-1][1] > _SINGLE
    for start, end, amount in bars:
        low = k is not None and start < k
        axes.bar(
            start - 0.45 if not wide else start, amount, 0.9 if not wide else end + 1 - start, align="edge",
            color=COLOURS[1] if low else COLOURS[0], hatch="///" if low else None, edgecolor="white", lw=0.6,
        )  # fmt: skip
    axes.set_ylim(0, 1.12 * max(amount for _, _, amount in bars))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    if wide:
        axes.set_xscale("log")
        axes.set_xlim(0.9, 1.15 * (bars[-1][1] + 1))
    else:
        axes.set_xlim(0.4, max(bars[-1][1], k or 0) + 0.8)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    grouped_ticks(axes.xaxis, subs=(1, 2, 5) if wide else None)
    grouped_ticks(axes.yaxis)
    if k is not None:
        line = k if wide else k - 0.5
        axes.axvline(line, color=GREY, linestyle="--", linewidth=1)
        below = sum(amount for size, amount in sizes if size < k)
        said, colour = f"k = {k:,}; below it: {count(below, of)}", COLOURS[1] if below else GREY
        along = ("data", "axes fraction")
        beside(axes, said, (line, 1), along=along, shift=(4, 4), colour=colour, va="baseline")
    axes.grid(axis="y", alpha=0.25)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def _histogram(rows: Sequence[Document] | None, what: str) -> _Sizes | None:
    return None if rows is None else [(one["size"], one[what]) for one in rows]


def _draw_hamming(axes: Axes, groups: _Sizes, document: Document) -> None:
    sizes = [(size, size * amount) for size, amount in groups]
    _draw(axes, sizes, document, x="records in the Hamming group", y="records in such groups")


NEIGHBOURHOODS = Picture(
    "sizes",
    lambda document: _histogram(document["neighbourhood_sizes"]["histogram"], "records"),
    partial(_draw, x="records in the neighbourhood, itself included", y="records with such a neighbourhood"),
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
    partial(_draw, x="records in the group", y="groups of that size", of="group"),
    lacks="it has no sizes of groups; partition again with this version",
    nothing="",
)

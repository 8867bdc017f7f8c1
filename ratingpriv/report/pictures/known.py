"""Known ratings: how many records some few of them narrow down, and how often random ones do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import COLOURS, label_ends, nothing_measured
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.words import Document, about, plain, rate
from ratingpriv.report.plain import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 3.2


def _finding(document: Document) -> str:
    known, below = document["known"], document["known"]["below_k"]
    if not below:
        return "Nothing was looked at: that is not safe"
    last = below[-1]
    said = (
        f"{rate(last['share'])} of {count(document['dataset']['records'], 'record')} are narrowed down to "
        f"fewer than {count(known['k'], 'record')} by some {count(last['m'], 'known rating')}"
    )
    random = [one for one in known["random"] if one["m"] == last["m"] and one["below_k"] is not None]
    return said + "".join(
        f", and by {rate(one['below_k'])} of the random choices of so many" for one in random
    )


def _caption(document: Document) -> str:
    known = document["known"]
    off = f"off by up to {in_full(known['error'])}" if known["error"] is not None else None
    within = off or f"known exactly, and records within {in_full(known['epsilon'])} of each accepted"
    items = "" if known["items"] is None else f" Only ratings of {plain(known['items'])} can be known."
    more = "" if known["exact"] else f" Of more than {known['proved_m']} nothing is claimed."
    return (
        f"{about(document)} Ratings are {within}.{items} Worst: some such choice of their ratings, rare ones "
        f"too.{more} Random: the mean share of the choices of whoever has so many, with its 95 % interval."
    )


def _draw(axes: Axes, document: Document) -> None:
    from matplotlib.ticker import MaxNLocator

    known = document["known"]
    if not known["below_k"]:
        nothing_measured(axes)
        return
    worst = [(one["m"], 100 * one["share"]) for one in known["below_k"]]
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
    axes.set_ylim(-2, 102)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("ratings that are known")
    axes.set_ylabel(f"left with fewer than {known['k']:,}, %")
    axes.grid(alpha=0.25)
    label_ends(axes, ends, inches=_HEIGHT - 0.6)


def _not_asked(document: Document) -> str | None:
    return None if document.get("known") else "it has no `known`"


KNOWN = Picture(_finding, _caption, _draw, lambda _document: (7.2, _HEIGHT), _not_asked)

"""Releases: what one is still good for and how much of the data it has left,
and what others would cost.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.meanings import title
from ratingpriv.report.pictures import canvas
from ratingpriv.report.pictures.canvas import (
    COLOURS,
    GREY,
    INK,
    Document,
    Picture,
    at_right,
    plain,
    rows_of,
)
from ratingpriv.report.plain import moved_most, percent
from ratingpriv.utility.comparing import BETTER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ORIGINAL, _RELEASE, _WORTHLESS = COLOURS[0], COLOURS[1], GREY
_LEFT, _RIGHT = -0.35, 1.35
"""How far beyond worthless (0) and original (1) a measure is drawn where it is."""

type _Measure = tuple[str, Document, float | None]


def _utility(document: Document) -> Document | None:
    """Return what was measured: the document itself,
    or the utility of a release that was just made.
    """
    if document["schema"].startswith("ratingpriv.utility/"):
        return document
    return document.get("utility")


# ---- measures ----


def _measures(document: Document) -> list[_Measure] | None:
    """Return the measures that have a value, and where each is between
    worthless (0) and original (1).
    """
    utility = _utility(document)
    if not utility:
        return None
    rows: list[_Measure] = []
    for name in BETTER:
        measure = utility.get(name)
        if not measure or measure["value"] is None:
            continue
        original, worthless = measure["original"], measure["worthless"]
        has_references = original is not None and worthless is not None and original != worthless
        rows.append(
            (
                title(name),
                measure,
                (measure["value"] - worthless) / (original - worthless) if has_references else None,
            )
        )
    return rows


def _draw_utility(axes: Axes, rows: list[_Measure], _document: Document) -> None:
    rows_of(axes, [title for title, _, _ in rows])
    axes.set_xlim(_LEFT, _RIGHT)
    axes.set_xticks([0, 0.5, 1], ["worthless", "half way", "original"])
    axes.axvline(1, color=_ORIGINAL, lw=1.4)
    axes.axvline(0, color=_WORTHLESS, lw=1.4)
    for y, (_, measure, position) in enumerate(rows):
        values = [measure[key] for key in ("value", "original", "worthless")]
        numbers = ["none" if value is None else f"{value:.3g}" for value in values]
        at_right(axes, y, f"{numbers[0]} ({numbers[1]}; {numbers[2]})")
        if position is None:
            continue
        ends = [
            (measure[key] - measure["worthless"]) / (measure["original"] - measure["worthless"])
            for key in ("low", "high")
            if measure[key] is not None
        ]
        if len(ends) == 2:
            axes.plot(ends, [y, y], color=_RELEASE, lw=2.2, alpha=0.75, solid_capstyle="butt")
        shown = min(max(position, _LEFT + 0.03), _RIGHT - 0.03)
        marker = "o" if shown == position else "<" if shown > position else ">"
        axes.plot([shown], [y], marker=marker, ms=8, color=_RELEASE, lw=0)


UTILITY = Picture(
    "utility",
    _measures,
    _draw_utility,
    lambda document: 1.1 + 0.34 * max(len(_measures(document) or ()), 2),
    "it has no `utility`",
)


# ---- questions ----


def _questions(document: Document) -> list[Document] | None:
    questions = ((_utility(document) or {}).get("questions") or {}).get("questions")
    return moved_most(questions) if questions else None


_MOST = 20
"""Questions drawn; of more, those whose means changed most."""


def _draw_questions(axes: Axes, rows: list[Document], _document: Document) -> None:
    rows = rows[:_MOST]
    axes.set_axis_off()
    left, right = axes.inset_axes((0, 0, 0.47, 1)), axes.inset_axes((0.53, 0, 0.47, 1))
    names = [plain(row["name"], 22) for row in rows]
    rows_of(left, names)
    rows_of(right, [""] * len(rows))
    for y, row in enumerate(rows):
        before, after = row["before"]["mean"], row["after"]["mean"]
        if after is not None:
            left.plot([before, after], [y, y], color=GREY, lw=1.6)
            left.plot([after], [y], marker="o", ms=7, color=_RELEASE, lw=0)
        else:
            left.text(
                before, y + 0.1, "  all ratings lost", color=_RELEASE, fontsize="small", va="center"
            )
        left.plot([before], [y], "o", ms=7, mew=1.6, mec=_ORIGINAL, mfc="none")
        moved = row.get("moved")
        if moved is None:
            right.text(0.5, y, "not known", color=GREY, fontsize="small", va="center")
        else:
            right.barh(y, 100 * moved, 0.6, color=_RELEASE)
            at_right(right, y, f"{100 * moved:.3g} %")
    left.margins(x=0.08)
    left.set_xlabel("mean, ○ before, ● after")
    right.set_xlim(0, min(100.0, max(5.0, 130 * max(row.get("moved") or 0.0 for row in rows))))
    right.set_xlabel("ratings moved, %")


QUESTIONS = Picture(
    "questions",
    _questions,
    _draw_questions,
    lambda document: 1.0 + 0.27 * max(min(len(_questions(document) or ()), _MOST), 3),
    "the measure questions was not taken",
)


# ---- information loss ----


def _loss(document: Document) -> Document | None:
    """Return the shares of the original's ratings that are as they were, changed, suppressed,
    and so on.
    """
    shares = document.get("shares")
    if "shares" not in document:
        distortion = (document.get("information_loss") or {}).get("distortion")
        if not distortion:
            return None
        shares = distortion.get("shares")
    if shares is None:
        return {}
    lost = shares["changed"] + shares["erased"] + shares["withheld"]
    return {"kept": max(0.0, 1.0 - float(lost)), **shares}


def _draw_loss(axes: Axes, shares: Document, _document: Document) -> None:
    rows = (
        ("as they were", shares["kept"], COLOURS[0]),
        ("changed", shares["changed"], COLOURS[1]),
        ("suppressed cells", shares["erased"], COLOURS[5]),
        ("suppressed records'", shares["withheld"], GREY),
        ("imputed (added)", shares["filled"], COLOURS[3]),
    )
    rows_of(axes, [name for name, _, _ in rows])
    for row, (_, share, colour) in enumerate(rows):
        hatch = "///" if row == len(rows) - 1 else None
        axes.barh(row, 100 * share, 0.62, color=colour, hatch=hatch, edgecolor="white", lw=0)
        at_right(axes, row, percent(share))
    axes.set_xlim(0, max(100.0, 100 * shares["filled"]))
    axes.set_xlabel("ratings, % of the original's")


LOSS = Picture(
    "loss", _loss, _draw_loss, 2.6, "the information loss was not measured, or there is no release"
)

# ---- what is lost against who is re-identified ----

_MARKERS = ("o", "s", "^", "D", "v", "P")

type _Point = tuple[float, float]


def point_of(cell: Document) -> _Point | None:
    """Return scatter and the share re-identified at most, in percent.

    None where there is no release.
    """
    scatter = cell["scatter"]
    return None if scatter is None else (100 * scatter, 100 * cell["found"]["high"])


def _candidates(document: Document) -> list[tuple[Document, _Point | None]]:
    more = document["keeps_more"]
    cells = [*document["cells"], *([] if more is None or more in document["cells"] else [more])]
    return [(cell, point_of(cell)) for cell in cells]


def _draw_map(axes: Axes, rows: list[tuple[Document, _Point | None]], document: Document) -> None:
    """Draw a mark a candidate, with its k and ε beside it,
    and the share that may be re-identified.
    """
    drawn = [(cell, point) for cell, point in rows if point is not None]
    if not drawn:
        canvas.nothing_measured(axes)
        return
    methods = list(dict.fromkeys(cell["method"] for cell, _ in rows))
    looks = dict(
        zip(methods, zip(itertools.cycle(COLOURS), itertools.cycle(_MARKERS)), strict=False)
    )
    limit = 100 * document["threshold"]["value"]
    chosen = document["choice"]
    for cell, point in drawn:
        colour, marker = looks[cell["method"]]
        face = colour if cell["passes"] else "none"
        axes.plot(*point, marker=marker, ms=7, mew=1.5, lw=0, mec=colour, mfc=face)
        if chosen is not None and all(
            cell[key] == chosen[key] for key in ("method", "k", "epsilon")
        ):
            axes.plot(*point, marker="o", ms=14, mew=1.5, lw=0, mec=INK, mfc="none")
            label = f"k = {cell['k']}, ε = {in_full(cell['epsilon'])}"
            canvas.beside(axes, label, point, along="data", shift=(10, 6), colour=INK)
    axes.axhline(limit, color=GREY, lw=1, ls="--")
    axes.set_xlim(-3, max(10.0, 1.25 * max(point[0] for _, point in drawn)))
    axes.set_ylim(0, max(2 * limit, 1.1 * max(point[1] for _, point in drawn)))
    axes.grid(alpha=0.25)
    axes.set_xlabel("scatter: squares of changes, % of all squares")
    axes.set_ylabel("re-identified at most, %")
    look = {"ms": 6, "lw": 0}
    names = {
        plain(method): {"color": colour, "marker": marker, "markerfacecolor": colour, **look}
        for method, (colour, marker) in looks.items()
    }
    canvas.legend(
        axes, names, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.1, columnspacing=1.2
    )


MAP = Picture(
    "recommend",
    lambda document: _candidates(document) or None,
    _draw_map,
    3.6,
    "there is no candidate",
)

# ---- the fewest records to suppress ----


def _draw_suppression(axes: Axes, rows: list[Document], document: Document) -> None:
    first, last = document["k"]
    for colour, row in zip(itertools.cycle(COLOURS), rows, strict=False):
        label = f"ε = {in_full(row['epsilon'])}"
        axes.plot(
            range(first, last + 1),
            row["withheld"],
            color=colour,
            drawstyle="steps-mid",
            label=label,
        )
    axes.axhline(
        document["parameters"]["withhold_at_most"] * document["dataset"]["records"],
        color=GREY,
        lw=1,
        ls="--",
    )
    canvas.whole_ticks(axes.xaxis, axes.yaxis, most=8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("k, records in the smallest neighbourhood")
    axes.set_ylabel("fewest suppressed records")
    axes.grid(alpha=0.25)
    canvas.name_curves(axes)


SUPPRESSION = Picture(
    "suppression",
    lambda document: [one for one in document["epsilons"] if one["protects"]] or None,
    _draw_suppression,
    lacks="no distance protects",
)

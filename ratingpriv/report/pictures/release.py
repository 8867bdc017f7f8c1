"""Releases: what one is still good for and how much of the data it has left, and what others would cost."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.meanings import BETTER, title
from ratingpriv.report.pictures import canvas
from ratingpriv.report.pictures.canvas import COLOURS, GREY, Document, Picture, at_right, plain, rows_of
from ratingpriv.report.plain import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ORIGINAL, _RELEASE, _WORTHLESS = COLOURS[0], COLOURS[1], GREY
_LEFT, _RIGHT = -0.35, 1.35
"""How far beyond worthless (0) and original (1) a measure is drawn where it is."""

type _Measure = tuple[str, Document, float | None]


def _utility(document: Document) -> Document | None:
    """Return what was measured: the document itself, or the utility of a release that was just made."""
    if document["schema"].startswith("ratingpriv.utility/"):
        return document
    return document.get("utility")


# ---- measures ----


def _measures(document: Document) -> list[_Measure] | None:
    """Return the measures that have a value, and where each is between worthless (0) and original (1)."""
    utility = _utility(document)
    if not utility:
        return None
    rows: list[_Measure] = []
    for name in BETTER:
        one = utility.get(name)
        if not one or one["value"] is None:
            continue
        original, worthless = one["original"], one["worthless"]
        known = original is not None and worthless is not None and original != worthless
        rows.append(
            (title(name), one, (one["value"] - worthless) / (original - worthless) if known else None)
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
    """Return the questions that had ratings, those first whose means changed most or were lost."""
    questions = ((_utility(document) or {}).get("questions") or {}).get("questions")
    if not questions:
        return None

    def change(one: Document) -> float:
        after = one["after"]["mean"]
        return float("inf") if after is None else abs(after - one["before"]["mean"])

    return sorted((one for one in questions if one["before"]["mean"] is not None), key=change, reverse=True)


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
            left.text(before, y + 0.1, "  all ratings lost", color=_RELEASE, fontsize="small", va="center")
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
    right.set_xlabel("answers moved, %")


QUESTIONS = Picture(
    "questions",
    _questions,
    _draw_questions,
    lambda document: 1.0 + 0.27 * max(min(len(_questions(document) or ()), _MOST), 3),
    "the measure questions was not taken",
)


# ---- information loss ----


def _loss(document: Document) -> Document | None:
    """Return the shares of the original's ratings that are as they were, changed, suppressed, and so on."""
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

# ---- what is lost against what is left to an adversary ----

_MARKERS = ("o", "s", "^", "D", "v", "P")
_COLUMNS = 2

type _Point = tuple[float, float]


def point_of(option: Document) -> _Point | None:
    """Return ratings not kept and expected exposure, in percent; None without one of the two."""
    kept = (option["measures"].get("ratings_kept") or {}).get("value")
    exposed = (option["measures"].get("exposure_expected") or {}).get("value")
    return None if kept is None or exposed is None else (100 * (1 - kept), 100 * exposed)


def _draw_map(axes: Axes, rows: list[tuple[Document, _Point | None]], document: Document) -> None:
    """Draw a mark a release, with its k beside it, and a panel for each distance."""
    drawn = [(option, point) for option, point in rows if point is not None]
    if not drawn:
        canvas.nothing_measured(axes)
        return
    methods = list(dict.fromkeys(option["method"] for option, _ in rows))
    looks = dict(zip(methods, zip(itertools.cycle(COLOURS), itertools.cycle(_MARKERS)), strict=False))
    fronts = document["fronts"]
    panels = canvas.grid(axes, len(fronts), _COLUMNS) if len(fronts) > 1 else [axes]
    for panel, front in zip(panels, fronts, strict=True):
        here = [(option, point) for option, point in drawn if option["epsilon"] == front["epsilon"]]
        points: dict[tuple[_Point, str], list[Document]] = {}
        for option, point in here:
            points.setdefault((point, option["method"]), []).append(option)
        for (point, method), group in points.items():
            colour, marker = looks[method]
            face = colour if any(option["front"] for option in group) else "none"
            panel.plot(*point, marker=marker, ms=7, mew=1.5, lw=0, mec=colour, mfc=face)
            ks = ", ".join(str(k) for k in sorted({option["k"] for option in group}))
            below = methods.index(method) * 9 - 5  # where methods meet, each has its own line
            canvas.beside(panel, ks, point, along="data", shift=(6, -below), colour=colour)
        right = max(5.0, 1.15 * max((point[0] for _, point in here), default=1.0))
        top = 1.15 * max((point[1] for _, point in here), default=1.0) or 1.0
        panel.set_xlim(-0.03 * right, right)
        panel.set_ylim(-0.04 * top, top)
        panel.grid(alpha=0.25)
        panel.set_xlabel("ratings not kept, % of the data's")
        panel.set_ylabel("expected exposure, %")
        if len(fronts) > 1:
            panel.set_title(f"ε = {in_full(front['epsilon'])}", loc="left", fontsize="medium", pad=3)
    look = {"ms": 6, "lw": 0}
    names = {
        plain(method): {"color": colour, "marker": marker, "markerfacecolor": colour, **look}
        for method, (colour, marker) in looks.items()
    }
    canvas.legend(axes, names, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.1, columnspacing=1.2)


MAP = Picture(
    "recommend",
    lambda document: [(option, point_of(option)) for option in document["options"]] or None,
    _draw_map,
    lambda document: (
        3.6 if len(document["fronts"]) <= 1 else 0.6 + 2.7 * math.ceil(len(document["fronts"]) / _COLUMNS)
    ),
    "there are no rows",
)

# ---- the fewest records to suppress ----


def _draw_suppression(axes: Axes, rows: list[Document], _document: Document) -> None:
    for colour, row in zip(itertools.cycle(COLOURS), rows, strict=False):
        ks, out = zip(*((step["k"], step["suppressed"]) for step in row["steps"]), strict=True)
        label = f"ε = {in_full(row['epsilon'])}"
        axes.plot(ks, out, color=colour, marker="o", ms=3.5, drawstyle="steps-pre", label=label)
        for knee in row["knees"]:
            axes.plot([knee["k"]], [knee["suppressed"]], marker="D", ms=8, color=colour)
    canvas.whole_ticks(axes.xaxis, axes.yaxis, most=8)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("k, records in the smallest neighbourhood")
    axes.set_ylabel("fewest suppressed records")
    axes.grid(alpha=0.25)
    canvas.name_curves(axes)


SUPPRESSION = Picture(
    "suppression",
    lambda document: [one for one in document["suppression"] if one["steps"]] or None,
    _draw_suppression,
    lacks="no ε has rows",
)

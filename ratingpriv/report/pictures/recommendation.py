"""A recommendation: what is lost against what is left to an adversary, and the fewest records to suppress."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ratingpriv.base.numbers import in_full
from ratingpriv.report.pictures.canvas import COLOURS, Document, Picture, label_ends, nothing_measured, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = ("o", "s", "^", "D", "v", "P")
_COLUMNS = 2
_PANEL = (3.3, 2.7)
"""Inches of a panel."""

type _Point = tuple[float, float]
type _Row = tuple[Document, _Point | None]


def point_of(option: Document) -> _Point | None:
    """Return ratings not kept and expected exposure, in percent; None without one of the two."""
    kept = (option["measures"].get("ratings_kept") or {}).get("value")
    exposed = (option["measures"].get("exposure_expected") or {}).get("value")
    return None if kept is None or exposed is None else (100 * (1 - kept), 100 * exposed)


def _size(document: Document) -> float:
    panels = len(document["fronts"])
    return 3.6 if panels <= 1 else 0.6 + _PANEL[1] * math.ceil(panels / _COLUMNS)


def _draw(axes: Axes, rows: list[_Row], document: Document) -> None:
    from matplotlib.lines import Line2D

    epsilons = [one["epsilon"] for one in document["fronts"]]
    if all(point is None for _, point in rows):
        nothing_measured(axes)
        return
    methods = list(dict.fromkeys(option["method"] for option, _ in rows))
    looks = {
        method: (COLOURS[number % len(COLOURS)], _MARKERS[number % len(_MARKERS)])
        for number, method in enumerate(methods)
    }
    panels = _panels(axes, len(epsilons))
    for panel, epsilon in zip(panels, epsilons, strict=True):
        here = [(option, point) for option, point in rows if point and option["epsilon"] == epsilon]
        _draw_panel(panel, here, looks, inches=(5.6, 2.7) if len(panels) == 1 else (2.6, 1.9))
        if len(panels) > 1:
            panel.set_title(f"ε = {in_full(epsilon)}", loc="left", fontsize="medium", pad=3)
    handles = [
        Line2D([], [], color=colour, marker=marker, markerfacecolor=colour, ms=6, lw=0)
        for colour, marker in looks.values()
    ]
    axes.legend(
        handles, [plain(method) for method in looks], loc="lower right", bbox_to_anchor=(1, 1.0),
        ncols=len(looks), frameon=False, fontsize="small", borderaxespad=0.1, columnspacing=1.2,
    )  # fmt: skip


def _panels(axes: Axes, number_of: int) -> list[Axes]:
    if number_of == 1:
        return [axes]
    axes.set_axis_off()
    rows = math.ceil(number_of / _COLUMNS)
    wide, high = (1 - 0.14) / _COLUMNS, (1 - 0.22 * (rows - 1)) / rows if rows < 4 else 0.7 / rows
    step, across = 0.0 if rows == 1 else (1 - high) / (rows - 1), wide + 0.14
    return [
        axes.inset_axes((place % _COLUMNS * across, 1 - high - place // _COLUMNS * step, wide, 0.93 * high))
        for place in range(number_of)
    ]


def _draw_panel(
    panel: Axes, rows: list[tuple[Document, _Point]], looks: dict[str, tuple[str, str]], *, inches: _Point
) -> None:
    points: dict[tuple[_Point, str], list[Document]] = {}
    for option, point in rows:
        points.setdefault((point, option["method"]), []).append(option)
    top = 1.15 * max((point[1] for point, _ in points), default=1.0) or 1.0
    right = max(5.0, 1.12 * max((point[0] for point, _ in points), default=1.0))
    panel.set_ylim(-0.04 * top, top)
    panel.set_xlim(-0.03 * right, right)
    panel.grid(alpha=0.25)
    panel.set_xlabel("ratings not kept, % of the data's")
    panel.set_ylabel("expected exposure, %")
    places = [(point[0] / right * inches[0], point[1] / top * inches[1]) for point, _ in points]
    taken = [(x - 0.06, x + 0.06, y) for x, y in places]
    for position, ((point, method), group) in zip(places, points.items(), strict=True):
        colour, marker = looks[method]
        front = any(option["front"] for option in group)
        panel.plot(
            [point[0]], [point[1]], marker=marker, ms=7, mew=1.5, lw=0, markeredgecolor=colour,
            markerfacecolor=colour if front else "none",
        )  # fmt: skip
        text = ", ".join(str(k) for k in sorted({option["k"] for option in group}))
        shift = _free(position, 0.075 * len(text), taken)
        panel.annotate(
            text, point, xytext=(72 * shift[0], 72 * shift[1]), textcoords="offset points", fontsize=8,
            va="center", color=colour,
        )  # fmt: skip


def _free(mark: _Point, width: float, taken: list[tuple[float, float, float]]) -> _Point:
    """Return where a label goes, in inches from its mark, so that it stands on no other one."""
    places = [(0.08, 0.0), (-0.08 - width, 0.0)]
    places += [(x, y) for step in range(1, 4) for y in (0.14 * step, -0.14 * step) for x in (0.0, 0.1, -0.1)]
    for x, y in places:
        left, middle = mark[0] + x, mark[1] + y
        if all(
            abs(middle - other) > 0.12 or left > end or left + width < begin for begin, end, other in taken
        ):
            taken.append((left, left + width, middle))
            return x, y
    return places[0]


def _options(document: Document) -> list[_Row] | None:
    return [(option, point_of(option)) for option in document["options"]] or None


MAP = Picture("recommend", _options, _draw, _size, "there are no rows")


# ---- the fewest records to suppress ----


def _draw_suppression(axes: Axes, rows: list[Document], _document: Document) -> None:
    from matplotlib.ticker import MaxNLocator

    ends = []
    for number, row in enumerate(rows):
        colour = COLOURS[number % len(COLOURS)]
        ks, out = zip(*((step["k"], step["suppressed"]) for step in row["steps"]), strict=True)
        axes.plot(ks, out, color=colour, marker="o", ms=3.5, drawstyle="steps-pre")
        for knee in row["knees"]:
            axes.plot([knee["k"]], [knee["suppressed"]], marker="D", ms=8, color=colour)
        ends.append((float(out[-1]), f"ε = {in_full(row['epsilon'])}", colour))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, nbins=8))
    axes.set_ylim(bottom=0, top=1.08 * max(max(end[0] for end in ends), 1.0))
    axes.set_xlabel("k, records in the smallest neighbourhood")
    axes.set_ylabel("fewest suppressed records")
    axes.grid(alpha=0.25)
    label_ends(axes, ends, inches=2.8)


SUPPRESSION = Picture(
    "suppression",
    lambda document: [one for one in document["suppression"] if one["steps"]] or None,
    _draw_suppression,
    lacks="no ε has rows",
)

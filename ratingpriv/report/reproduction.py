"""Figures of the papers in a folder: each as pictures, as a tidy table and as JSON,
and a page with all.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import OutputError
from ratingpriv.base.escaping import csv_safe
from ratingpriv.base.files import check_writable, together
from ratingpriv.report.as_json import write_json
from ratingpriv.report.markup.files import check_folder_name
from ratingpriv.report.pictures.canvas import COLOURS, new_figure, unmathematical, write_figure
from ratingpriv.report.plain import write_text
from ratingpriv.report.templating import templates, unmarked
from ratingpriv.studies.papers.reproducing import COLUMNS, Reproduction, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ratingpriv.documents.reproduce import Figure, Panel, Series

PAGE = "figures.md"
"""The page with all figures of a run."""

_SUFFIXES = (".svg", ".pdf", ".csv", ".json")


def prepare_folder(folder: str | Path, figures: Iterable[str], *, force: bool = False) -> Path:
    """Make the folder of ``figures`` if need be,
    and refuse early what could not be written in the end.
    """
    check_folder_name(folder)
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: found a file, expected a folder; choose another name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror}; choose another place") from error
    for name in (*(f"{name}{suffix}" for name in figures for suffix in _SUFFIXES), PAGE):
        check_writable(folder / name, force=force)
    return folder


def write_reproduced(
    figure: Figure, document: dict[str, Any], folder: Path, *, force: bool = False
) -> tuple[Path, ...]:
    """Write a figure's files, and return them;
    ``document`` is the JSON of a run of this figure alone.
    """
    if not figure.made:
        return ()
    vector, print_, table, content = paths = tuple(
        folder / f"{figure.name}{end}" for end in _SUFFIXES
    )
    with together():
        draw(figure, [vector, print_], force=force)
        write_text(tidy_csv(figure), table, force=force)
        write_json(document, content, force=force)
    return paths


def write_page(
    result: Reproduction, command: str | None, folder: Path, *, force: bool = False
) -> Path:
    """Write the page with all figures, and return it."""
    path = folder / PAGE
    text = templates().get_template("figures.md.jinja").render(result.to_dict(), command=command)
    write_text(unmarked(text).strip() + "\n", path, force=force)
    return path


def tidy_csv(figure: Figure) -> str:
    """Return every point of every series; what could not be measured is an empty cell."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in points(figure):
        writer.writerow(["" if cell is None else csv_safe(cell) for cell in row])
    return file.getvalue()


# ---- a figure as a picture ----

_COLOURS = (*COLOURS, "#000000", "#999999")
_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "x")
_MARKED = 40
"""Curves of more points have no markers."""


def draw(figure: Figure, paths: list[Path], *, force: bool = False) -> None:
    """Draw all panels to each of ``paths``, in the format that its suffix says."""
    columns = min(len(figure.panels), 2)
    rows = math.ceil(len(figure.panels) / columns)
    picture = new_figure(5.6 * columns, 4.0 * rows)
    places = picture.subplots(rows, columns, squeeze=False).ravel()
    labels = list(dict.fromkeys(series.label for series in figure.series))
    for panel, axes in zip(figure.panels, places, strict=False):
        drawn = [series for series in figure.series if series.panel == panel.name]
        _draw_panel(axes, panel, drawn, labels)
        axes.set_title(_plain(f"({panel.name})" if panel.name else figure.name), fontsize="medium")
    for axes in places[len(figure.panels) :]:
        axes.set_visible(False)
    picture.suptitle(_plain(f"{figure.title} {figure.source}"), fontsize="medium")
    for path in paths:
        write_figure(picture, path, force=force)


def _draw_panel(axes: Axes, panel: Panel, drawn: list[Series], labels: list[str]) -> None:
    if not any(value is not None for series in drawn for value in series.y):
        axes.text(
            0.5, 0.5, "nothing was measured", ha="center", va="center", transform=axes.transAxes
        )
    names = list(dict.fromkeys(x for series in drawn for x in series.x if isinstance(x, str)))
    for number, series in enumerate(drawn):
        index = labels.index(series.label)
        look: dict[str, Any] = {
            "color": _COLOURS[index % len(_COLOURS)],
            "label": _plain(series.label),
        }
        points = [names.index(x) if isinstance(x, str) else x for x in series.x]
        heights = [math.nan if value is None else value for value in series.y]
        errors: Any = _errors(series, heights)
        if panel.form == "bars":
            width = (
                min((b - a for a, b in itertools.pairwise(points)), default=1.0) * 0.8 / len(drawn)
            )
            shift = (number - (len(drawn) - 1) / 2) * width
            axes.bar(
                [point + shift for point in points], heights, width, yerr=errors, capsize=2, **look
            )
        elif panel.form == "steps":
            axes.step(points, heights, where="mid", **look)
        else:
            marker = _MARKERS[index % len(_MARKERS)] if len(points) <= _MARKED else ""
            style = _STYLES[index // len(_COLOURS) % len(_STYLES)]
            axes.errorbar(
                points, heights, errors, marker=marker, ms=4, capsize=2, linestyle=style, **look
            )
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    if names:  # after the scale, which puts its own ticks
        axes.set_xticks(range(len(names)), [_plain(name) for name in names])
    axes.set_xlabel(_plain(panel.x_label))
    axes.set_ylabel(_plain(panel.y_label))
    axes.grid(visible=True, alpha=0.3)
    if drawn:
        axes.legend(fontsize="x-small")


def _errors(series: Series, heights: list[float]) -> list[list[float]] | None:
    """Return how far the interval reaches below and above each y; None: there is none."""
    if series.low is None or series.high is None:
        return None
    below = [
        0.0 if low is None else max(y - low, 0.0)
        for y, low in zip(heights, series.low, strict=True)
    ]
    above = [
        0.0 if high is None else max(high - y, 0.0)
        for y, high in zip(heights, series.high, strict=True)
    ]
    return [below, above]


def _plain(text: str) -> str:
    """Return a text that is not taken for mathematics, nor for a hidden label."""
    return unmathematical(text).lstrip("_")

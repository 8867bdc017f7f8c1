"""What a picture is, what it is drawn on, and how it becomes a file: the same bytes again,
or none.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable, replacing
from ratingpriv.report.templating import phrase, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

type Document = Mapping[str, Any]
"""A JSON contract, as ``to_dict()`` gives it and ``json.load`` reads it."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One kind of picture of one JSON contract.

    Attributes
    ----------
    name : what it says are the macros NAME_finding and NAME_caption of pictures.jinja
    rows : what of a document it shows; None where the document lacks it, empty where nothing was
        measured
    draw : draws the rows into given axes; a picture of several panels makes them within these
    height : inches of a figure of its own
    lacks : what a document has not, and what gives it
    nothing : what it says where nothing was measured; empty: as elsewhere
    """

    name: str
    rows: Callable[[Document], Any]
    draw: Callable[[Axes, Any, Document], None]
    height: float | Callable[[Document], float] = 3.4
    lacks: str = ""
    nothing: str = "Nothing was measured"

    def finding(self, document: Document) -> str:
        """Return what it shows, in a sentence without its full stop: its title."""
        rows = self.rows(document)
        return (
            self.nothing
            if self.nothing and not rows
            else words(f"{self.name}_finding", document, rows)
        )

    def caption(self, document: Document) -> str:
        """Return how it is to be read, and of which data it is."""
        return words(f"{self.name}_caption", document, self.rows(document))


def words(macro: str, *values: Any) -> str:
    """Return what a macro of pictures.jinja says, in one line."""
    return re.sub(r"\s*\n\s*", " ", phrase(macro, *values, template="pictures.jinja")).strip()


def plain(name: object, most: int = 32) -> str:
    """Return a name as a text that matplotlib takes neither for mathematics nor for a hidden label.

    Control characters are escaped, and what is longer than ``most`` characters is cut.
    """
    text = unmathematical(short(name, most))
    return "\u2009" + text if text.startswith("_") else text  # a thin space


def unmathematical(text: str) -> str:
    """Return a text in which matplotlib sees no mathematics."""
    return text.replace("$", r"\$")


SUFFIXES = (".pdf", ".png", ".svg")
"""What a picture's file may end in."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""The palette of Okabe and Ito, which colour-blind people tell apart; it reads on white and on
black.
"""

GREY = "#7a7a7a"
"""What stands back; as far from white as from black."""

INK = "#1a1b1c"
"""Text and axes. In a page's own SVG it becomes the colour of the text around it."""

HATCH = "////"
NOTHING = "nothing was measured"

_UNDATED = {".pdf": {"CreationDate": None}, ".png": {"Software": None}, ".svg": {"Date": None}}
_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9.5,
    "hatch.linewidth": 0.5,
    "path.simplify_threshold": 0.5,  # points of a curve that nobody could see
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def check_picture(path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a picture's file of another suffix, or one that cannot be written."""
    path = check_writable(path, force=force)
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError("plot", str(path), "a file name ending in .svg, .png or .pdf")
    return path


def new_figure(width: float = 7.0, height: float = 4.2) -> Figure:
    """Return an empty figure of that many inches.

    It is drawn without any window or global state.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | Path, *, force: bool = False) -> None:
    """Write the figure to ``path``, in the format its suffix says: .svg, .png or .pdf.

    Drawn in memory first: a disk that fails while matplotlib writes ends there as an error of its
    own.
    """
    kind = Path(path).suffix.lower()
    drawn = drawn_as(figure, kind.removeprefix("."), dpi=150, metadata=_UNDATED[kind])
    with replacing(path, force=force) as temporary:
        temporary.write_bytes(drawn)


def drawn_as(figure: Figure, form: str, **settings: Any) -> bytes:
    """Return a figure as the bytes of a file: the same ones again, whenever it is drawn."""
    import matplotlib as mpl

    drawn = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "ratingpriv", "svg.fonttype": "none"}):
        figure.savefig(drawn, format=form, **settings)
    return drawn.getvalue()


@contextmanager
def styled() -> Iterator[None]:
    """Draw in this style, whatever the user's own settings of matplotlib are,
    and without its warnings.

    A glyph that the font lacks is drawn as a box; matplotlib would also print a warning.
    """
    import warnings

    from matplotlib import style

    with warnings.catch_warnings(), style.context(["default", _STYLE]):
        warnings.simplefilter("ignore", UserWarning)
        yield


def stacked(
    axes: Axes, heights: Sequence[float], *, gap: float = 0.07, share_x: bool = True
) -> list[Axes]:
    """Return panels within ``axes``, one above the other.

    With ``share_x`` one x axis, under the last.
    """
    axes.set_axis_off()
    unit = (1 - gap * (len(heights) - 1)) / sum(heights)
    panels: list[Axes] = []
    top = 1.0
    for height in heights:
        top -= height * unit
        shared = panels[0] if share_x and panels else None
        panels.append(axes.inset_axes((0, top, 1, height * unit), sharex=shared))
        top -= gap
    for panel in panels[:-1] if share_x else ():
        panel.tick_params(labelbottom=False)
    return panels


def grid(axes: Axes, panels: int, columns: int) -> list[Axes]:
    """Return so many panels within ``axes``, in rows of ``columns``,
    with room for titles and labels.
    """
    axes.set_axis_off()
    # from one panel to the next
    across, down = 1.14 / columns, 1 / (math.ceil(panels / columns) - 0.28)
    wide, high = across - 0.14, 0.72 * down
    places = (divmod(panel, columns) for panel in range(panels))
    return [
        axes.inset_axes((column * across, 1 - high - row * down, wide, high))
        for row, column in places
    ]


def interval(
    axes: Axes, row: float, bounds: tuple[float, float, float], *, colour: str, filled: bool = True
) -> None:
    """Draw a value, its lower and its upper bound as a dot on a line, on ``row``."""
    value, low, high = bounds
    axes.plot([low, high], [row, row], color=colour, lw=2.2, solid_capstyle="butt", alpha=0.75)
    face = colour if filled else "none"
    axes.plot(
        [value],
        [row],
        marker="o",
        ms=7,
        markeredgecolor=colour,
        markerfacecolor=face,
        mew=1.6,
        lw=0,
    )


def rows_of(axes: Axes, names: Sequence[str]) -> None:
    """Name the rows of the axes from above, 0 the first, and leave only what helps to read them."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", alpha=0.25)


def beside(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    *,
    along: Any = "axes fraction",
    shift: tuple[float, float] = (5, 0),
    colour: str = INK,
    **more: Any,
) -> None:
    """Write a text so many points away from a place, which is of the axes or, ``along`` them,
    of the data.
    """
    look = {"va": "center", "fontsize": "small", "annotation_clip": False, **more}
    axes.annotate(
        text, at, xycoords=along, xytext=shift, textcoords="offset points", color=colour, **look
    )


def at_right(axes: Axes, row: float, text: str, colour: str = INK) -> None:
    """Write a text to the right of the axes, beside ``row``."""
    beside(axes, text, (1, row), along=("axes fraction", "data"), shift=(6, 0), colour=colour)


def whole_ticks(*axes: Axis, most: int = 10) -> None:
    """Put ticks at whole numbers only, so many at most."""
    from matplotlib.ticker import MaxNLocator

    for axis in axes:
        axis.set_major_locator(MaxNLocator(integer=True, nbins=most))


def legend(axes: Axes, looks: Mapping[str, Mapping[str, Any]], **where: Any) -> None:
    """Say in a line above the axes what is drawn how: by name the settings of a ``Line2D``."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **look) for look in looks.values()]
    axes.legend(handles, [*looks], ncols=len(looks), frameon=False, fontsize="small", **where)


def grouped_ticks(*axes: Axis, subs: Sequence[float] | None = None) -> None:
    """Write thousands apart; with ``subs``, on a logarithmic axis,
    at these multiples of the powers of 10.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in axes:
        if subs is not None:
            axis.set_major_locator(LogLocator(subs=subs))
            axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def nothing_measured(axes: Axes) -> None:
    """Say in the middle of the axes that there is nothing to draw."""
    axes.text(0.5, 0.5, NOTHING, ha="center", va="center", color=GREY, transform=axes.transAxes)
    axes.set_xticks([])
    axes.set_yticks([])


def shares_over(axes: Axes, x: str, y: str) -> None:
    """Make the y axis one of percent, and name the curves that have a label."""
    axes.set_ylim(-2, 102)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.25)
    name_curves(axes)


def name_curves(axes: Axes) -> None:
    """Say to the right of the axes which curve with a label is which.

    Nothing where none has any.
    """
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize="small")

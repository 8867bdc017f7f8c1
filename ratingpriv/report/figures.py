"""Figures as files: SVG or PNG, whole or not at all, the same bytes for the same result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.errors import ParameterError
from ratingpriv.files import check_writable, replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SUFFIXES", "check_figure", "new_figure", "write_figure"]

SUFFIXES = (".png", ".svg")


def check_figure(path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a figure file of another suffix, or one that cannot be written.

    Raises
    ------
    ParameterError, OutputError
        The name does not end in .svg or .png; as :func:`ratingpriv.files.check_writable`.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ParameterError("plot", str(path), "a file name ending in .svg or .png")
    return check_writable(path, force=force)


def new_figure(width: float = 7.0, height: float = 4.2) -> Figure:
    """Return an empty figure of that many inches; it is drawn without any window or global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | Path, *, force: bool = False) -> None:
    """Write the figure to ``path``, in the format its suffix says."""
    import matplotlib as mpl

    path = check_figure(path, force=force)
    kind = path.suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with (
        mpl.rc_context({"svg.hashsalt": "ratingpriv", "svg.fonttype": "none"}),
        replacing(path, force=force) as temporary,
    ):
        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)

"""What results show of themselves in a notebook: a page, and a picture.

Results stand below what formats them. So they ask for it by name, when somebody looks, as pandas asks for its
plotting backend; importing a result loads neither a renderer nor matplotlib.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Displayed"]


class Displayed:
    """Adds to a class how a notebook shows it; ``ratingpriv.report.notebook`` says what of each class."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the page about it as HTML, for a notebook: aggregates, and no record by its id."""
        notebook = importlib.import_module("ratingpriv.report.notebook.showing")
        return cast("str", notebook.html_of(self))

    def plot(self, *, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Draw it, and return the matplotlib Axes that it is drawn on.

        Parameters
        ----------
        ax : where to draw; None: a new figure
        kind : which picture, of ``ratingpriv.report.pictures.kinds(result)``; None: the one of what was asked
            for most particularly

        Raises
        ------
        ParameterError
            There is no such picture of it.
        """
        pictures = importlib.import_module("ratingpriv.report.pictures")
        return cast("Axes", pictures.draw(self, ax=ax, kind=kind))

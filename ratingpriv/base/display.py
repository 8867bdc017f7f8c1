"""What results show of themselves in a notebook: a page, and a picture.

Results stand below what formats them. So what shows them is found by entry point, when somebody
looks, as pandas finds its plotting backends; importing a result loads neither a renderer nor
matplotlib.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Displayed:
    """Adds to a class how a notebook shows it; the entry points ``ratingpriv.display`` do."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return the page about it as HTML, for a notebook: aggregates, and no record by its id."""
        return str(display("html", self))

    def plot(self, *, ax: Axes | None = None, kind: str | None = None) -> Axes:
        """Draw it, and return the matplotlib Axes it is drawn on.

        ParameterError: there is no such picture.

        Parameters
        ----------
        ax : where to draw; None: a new figure
        kind : which picture, of ``ratingpriv.report.pictures.kinds(result)``; None: the one of what
            was asked for most particularly
        """
        return cast("Axes", display("plot", self, ax=ax, kind=kind))


class Result(Displayed):
    """A result: true where its verdict is a yes without a reservation that nobody accepted.

    What is tolerated or was not decided is false. A result without a verdict is neither true nor
    false.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        plain = self._verdict()
        if plain is None:
            raise TypeError(
                f"a {type(self).__name__} has no verdict: it is neither true nor false. Compare "
                f"one of its "
                "numbers, or ask whether it `is None`"
            )
        return plain

    def _verdict(self) -> bool | None:
        """Return whether the verdict is a yes without a reservation.

        None where there is no verdict.
        """
        standing: Any = getattr(self, "standing", None)
        return None if standing is None else bool(standing.plain)


def display(name: str, result: object, **options: object) -> Any:
    """Return what the entry point of this name makes of a result."""
    (display,) = entry_points(group="ratingpriv.display", name=name)
    return display.load()(result, **options)

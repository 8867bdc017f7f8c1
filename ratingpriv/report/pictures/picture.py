"""What a picture is: how it is drawn from a JSON document, what it says in words, how large it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ratingpriv.report.pictures.words import Document

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _nothing_lacks(_document: Document) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Picture:
    """One kind of picture of one JSON contract. Every function takes the document.

    Attributes
    ----------
    finding : what the picture shows, in a sentence without its full stop: its title
    caption : how it is to be read, and of which data it is
    draw : draws into given axes; a picture of several panels makes them within these
    size : width and height in inches of a figure of its own
    lacks : what the document lacks, so that this picture cannot be drawn of it, and what gives it; None where
        it lacks nothing
    """

    finding: Callable[[Document], str]
    caption: Callable[[Document], str]
    draw: Callable[[Axes, Document], None]
    size: Callable[[Document], tuple[float, float]]
    lacks: Callable[[Document], str | None] = _nothing_lacks

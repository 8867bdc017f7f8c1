"""Drawing a result, or the JSON of one: into axes, to a file, or as SVG for a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.report.pictures.attack import ATTACK, INFERENCE
from ratingpriv.report.pictures.canvas import GREY, check_picture, new_figure, styled, write_figure
from ratingpriv.report.pictures.curves import SPARSITY, SWEEP, TRADEOFF
from ratingpriv.report.pictures.exposure import EXPOSURE
from ratingpriv.report.pictures.frontier import FRONTIER
from ratingpriv.report.pictures.inline import inline_svg
from ratingpriv.report.pictures.known import KNOWN
from ratingpriv.report.pictures.picture import Picture
from ratingpriv.report.pictures.recommendation import MAP, SUPPRESSION
from ratingpriv.report.pictures.sizes import HAMMING, NEIGHBOURHOODS, PARTITION
from ratingpriv.report.pictures.utility import LOSS, QUESTIONS, UTILITY
from ratingpriv.report.pictures.words import Document, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES: Mapping[str, Mapping[str, Picture]] = {
    "ratingpriv.anonymize/1": {"questions": QUESTIONS, "loss": LOSS, "utility": UTILITY},
    "ratingpriv.attack/2": {
        "tradeoff": TRADEOFF,
        "inference": INFERENCE,
        "sparsity": SPARSITY,
        "attack": ATTACK,
        "sweep": SWEEP,
    },
    "ratingpriv.audit/1": {
        "hamming": HAMMING,
        "sizes": NEIGHBOURHOODS,
        "exposure": EXPOSURE,
        "known": KNOWN,
    },
    "ratingpriv.frontier/1": {"frontier": FRONTIER},
    "ratingpriv.partition/1": {"partition": PARTITION},
    "ratingpriv.recommend/1": {"suppression": SUPPRESSION, "recommend": MAP},
    "ratingpriv.utility/1": {"loss": LOSS, "questions": QUESTIONS, "utility": UTILITY},
}
"""The pictures of each JSON contract, by kind. Of those that a document has, the last is the default."""

_TITLE, _CAPTION = 11.5, 8.0


def kinds(result: Any) -> tuple[str, ...]:
    """Return the kinds of pictures that there are of a result, or of its JSON; none where there is none."""
    document = _document(result)
    found = PICTURES.get(str(document.get("schema")), {})
    return tuple(kind for kind, picture in found.items() if picture.lacks(document) is None)


def finding(result: Any, kind: str | None = None) -> str:
    """Return what a picture shows, in words: its title."""
    document, picture = _asked(result, kind)
    return picture.finding(document)


def caption(result: Any, kind: str | None = None) -> str:
    """Return how a picture is to be read."""
    document, picture = _asked(result, kind)
    return picture.caption(document)


def draw(result: Any, *, kind: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a result.

    Parameters
    ----------
    result : a result of the library, or its JSON contract as a dict (``result.to_dict()``, ``--json``)
    kind : which picture, one of :func:`kinds`; by default the one of what was asked for most particularly
    ax : where; by default a figure of its own by ``matplotlib.pyplot``, which a notebook shows

    Returns
    -------
    Axes
        The axes. A picture of several panels has them in ``child_axes``.

    Raises
    ------
    ParameterError
        There is no picture of such a result, or not of this kind.
    """
    document, picture = _asked(result, kind)
    if ax is not None:
        picture.draw(ax, document)
        figure = ax.get_figure(root=True)
        width = (7.0 if figure is None else figure.get_figwidth()) * ax.get_position().width
        ax.set_title(wrapped(picture.finding(document), width, _TITLE), loc="left", fontsize=_TITLE, pad=20)
        return ax
    import matplotlib.pyplot as plt

    with styled():
        return _fill(plt.figure(layout="constrained"), document, picture, title=True, caption=True)


def write_picture(result: Any, path: str | Path, *, kind: str | None = None, force: bool = False) -> None:
    """Draw a result to ``path``, .svg, .png or .pdf, with its title and its caption.

    Raises
    ------
    ParameterError, OutputError
        As :func:`draw`; as :func:`ratingpriv.report.pictures.canvas.check_picture`.
    """
    path = check_picture(path, force=force)
    document, picture = _asked(result, kind)
    with styled():
        figure = new_figure()
        _fill(figure, document, picture, title=True, caption=True)
        write_figure(figure, path, force=force)


def svg(result: Any, *, kind: str | None = None, alt: bool = True, title: bool = True) -> str:
    """Return a picture as ``<svg>`` to stand in a page: nothing from outside, and ids of its own.

    It has no background, and its text has the colour of the text around it.

    Parameters
    ----------
    result, kind : as for :func:`draw`
    alt : whether it has ``<title>`` (the finding) and ``<desc>`` (the caption); without, it is hidden from
        screen readers, as what the page says beside it already
    title : whether the finding is drawn above it

    Raises
    ------
    ParameterError
        As :func:`draw`.
    """
    document, picture = _asked(result, kind)
    with styled():
        figure = new_figure()
        _fill(figure, document, picture, title=title, caption=False)
        said = (picture.finding(document), picture.caption(document)) if alt else None
        return inline_svg(figure, said)


def _document(result: Any) -> Document:
    if isinstance(result, Mapping):
        return result
    if not hasattr(result, "to_dict"):
        raise ParameterError("result", type(result).__name__, "a result, or the JSON of one as a dict")
    found: Document = result.to_dict()
    return found


def _asked(result: Any, kind: str | None) -> tuple[Document, Picture]:
    document = _document(result)
    schema = str(document.get("schema"))
    pictures = PICTURES.get(schema)
    if pictures is None:
        listed = ", ".join(PICTURES)
        raise ParameterError("result", schema, f"one of {listed}", "there is no picture of others")
    if kind is not None and kind not in pictures:
        raise ParameterError("kind", kind, f"one of {', '.join(pictures)}")
    why = {name: picture.lacks(document) for name, picture in pictures.items()}
    if kind is None:
        kind = next((name for name in reversed(list(pictures)) if why[name] is None), next(iter(pictures)))
    if why[kind] is not None:
        raise ParameterError("kind", kind, f"a picture of what is in the result: {why[kind]}")
    return document, pictures[kind]


def _fill(figure: Figure, document: Document, picture: Picture, *, title: bool, caption: bool) -> Axes:
    """Draw into an empty figure, with the title above and the caption below."""
    width, height = picture.size(document)
    above = wrapped(picture.finding(document), width - 0.3, 1.08 * _TITLE) if title else ""
    below = wrapped(picture.caption(document), width - 0.3, _CAPTION) if caption else ""
    lines = [text.count("\n") + 1 if text else 0 for text in (above, below)]
    figure.set_size_inches(width, height + 0.2 * lines[0] + 0.14 * lines[1])
    axes = figure.add_subplot()
    picture.draw(axes, document)
    if title:
        figure.suptitle(above, x=0.15 / width, ha="left", fontsize=_TITLE, fontweight="bold")
    if caption:
        figure.supxlabel(below, x=0.15 / width, ha="left", fontsize=_CAPTION, color=GREY)
    return axes

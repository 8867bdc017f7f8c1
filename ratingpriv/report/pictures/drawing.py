"""Drawing a result, or the JSON of one: into axes, to a file, or as SVG that stands in a page."""

from __future__ import annotations

import hashlib
import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.report.pictures import canvas
from ratingpriv.report.pictures.attack import ATTACK, INFERENCE, SPARSITY, SWEEP
from ratingpriv.report.pictures.audit import (
    EXPOSURE,
    FRONTIER,
    HAMMING,
    KNOWN,
    NEIGHBOURHOODS,
    PARTITION,
)
from ratingpriv.report.pictures.canvas import GREY, INK, Document, Picture, check_picture, styled
from ratingpriv.report.pictures.release import LOSS, MAP, QUESTIONS, SUPPRESSION, UTILITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PICTURES: Mapping[str, Mapping[str, Picture]] = {
    "ratingpriv.anonymize/1": {"questions": QUESTIONS, "loss": LOSS, "utility": UTILITY},
    "ratingpriv.attack/2": {
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
    "ratingpriv.recommend/2": {"suppression": SUPPRESSION, "recommend": MAP},
    "ratingpriv.utility/1": {"loss": LOSS, "questions": QUESTIONS, "utility": UTILITY},
}
"""The pictures of each JSON contract, by kind. Of those that a document has, the last is the
default.
"""

_WIDTH = 7.2
_TITLE, _CAPTION = 11.5, 8.0


def kinds(result: Any) -> tuple[str, ...]:
    """Return the kinds of pictures that there are of a result, or of its JSON.

    None where there is none.
    """
    document = _document(result)
    pictures = PICTURES.get(str(document.get("schema")), {})
    return tuple(kind for kind, picture in pictures.items() if picture.rows(document) is not None)


def finding(result: Any, kind: str | None = None) -> str:
    """Return what a picture shows, in words: its title."""
    document, picture = picture_of(result, kind)
    return picture.finding(document)


def caption(result: Any, kind: str | None = None) -> str:
    """Return how a picture is to be read."""
    document, picture = picture_of(result, kind)
    return picture.caption(document)


def draw(result: Any, *, kind: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a result.

    Parameters
    ----------
    result : a result of the library, or its JSON contract as a dict (``result.to_dict()``,
        ``--json``)
    kind : which picture, one of :func:`kinds`; by default the one of what was asked for most
        particularly
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
    document, picture = picture_of(result, kind)
    if ax is not None:
        _draw(ax, document, picture)
        figure = ax.get_figure(root=True)
        width = (7.0 if figure is None else figure.get_figwidth()) * ax.get_position().width
        ax.set_title(
            _wrapped(picture.finding(document), width, _TITLE), loc="left", fontsize=_TITLE, pad=20
        )
        return ax
    import matplotlib.pyplot as plt

    with styled():
        return fill_texts(plt.figure(layout="constrained"), document, picture)


def write_picture(
    result: Any, path: str | Path, *, kind: str | None = None, force: bool = False
) -> None:
    """Draw a result to ``path``, .svg, .png or .pdf, with its title and caption.

    Errors as :func:`draw`.
    """
    path = check_picture(path, force=force)
    document, picture = picture_of(result, kind)
    with styled():
        figure = canvas.new_figure()
        fill_texts(figure, document, picture)
        canvas.write_figure(figure, path, force=force)


def svg(result: Any, *, kind: str | None = None, alt: bool = True, title: bool = True) -> str:
    """Return a picture as ``<svg>`` to stand in a page: nothing from outside, and ids of its own.

    It has no background, and its text has the colour of the text around it.

    Parameters
    ----------
    result, kind : as for :func:`draw`, and so are the errors
    alt : whether it has ``<title>`` (the finding) and ``<desc>`` (the caption); without, it is
        hidden from screen readers, as what the page says beside it already
    title : whether the finding is drawn above it
    """
    document, picture = picture_of(result, kind)
    texts = {"title": picture.finding(document), "desc": picture.caption(document)} if alt else {}
    with styled():
        figure = canvas.new_figure()
        fill_texts(figure, document, picture, title=title, caption=False)
        written = canvas.drawn_as(figure, "svg", transparent=True, metadata={"Date": None}).decode()

    def two_decimals(number: re.Match[str]) -> str:
        return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")

    root = ET.fromstring(written)  # noqa: S314
    prefix = (
        "p" + hashlib.sha256(f"{written}{tuple(texts.values()) or None}".encode()).hexdigest()[:10]
    )
    # what something refers to keeps an id, one of this picture
    referred = dict.fromkeys(re.findall(r"(?:url\(|href=\")#([^)\"]+)", written))
    ids = {name: f"{prefix}-{place}" for place, name in enumerate(referred)}
    for element in list(root.iter()):
        for child in list(element):
            # of every element of the page
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                element.remove(child)
        element_id = element.attrib.pop("id", None)
        if _LINK in element.attrib:
            element.set("href", element.attrib.pop(_LINK))
        for name, text in element.items():
            text = (
                _NUMBER.sub(two_decimals, text)
                if name in _DRAWN
                else text.replace(INK, "currentColor")
            )
            element.set(name, _REFERENCE.sub(lambda match: f"#{ids.get(match[1], match[1])}", text))
        if element_id in ids:
            element.set("id", ids[element_id])
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("style", "max-width:100%;height:auto")
    root.set("width", f"{figure.get_figwidth() * 96:.0f}")
    if alt:
        root.set("role", "img")
        root.set("aria-labelledby", f"{prefix}-title {prefix}-desc")
    else:
        root.set("aria-hidden", "true")
    for position, (name, text) in enumerate(texts.items()):
        element = ET.Element(f"{{{_SVG}}}{name}", {"id": f"{prefix}-{name}"})
        element.text = text
        root.insert(position, element)
    ET.register_namespace("", _SVG)
    return ET.tostring(root, encoding="unicode")


_SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_NUMBER, _REFERENCE = re.compile(r"-?\d+\.\d+"), re.compile(r"#([\w-]+)")
_DRAWN = ("d", "x", "y", "width", "height", "transform", "points")


def _document(result: Any) -> Document:
    if isinstance(result, Mapping):
        return result
    if not hasattr(result, "to_dict"):
        raise ParameterError(
            "result", type(result).__name__, "a result, or the JSON of one as a dict"
        )
    document: Document = result.to_dict()
    return document


def picture_of(result: Any, kind: str | None) -> tuple[Document, Picture]:
    """Return a result's document and the picture of it; None: that of what was asked for."""
    document = _document(result)
    schema = str(document.get("schema"))
    pictures = PICTURES.get(schema)
    if pictures is None:
        listed = ", ".join(PICTURES)
        raise ParameterError("result", schema, f"one of {listed}", "there is no picture of others")
    if kind is None:
        kind = next(iter(reversed(kinds(document))), next(iter(pictures)))
    elif kind not in pictures:
        raise ParameterError("kind", kind, f"one of {', '.join(pictures)}")
    if pictures[kind].rows(document) is None:
        raise ParameterError(
            "kind", kind, f"a picture of what is in the result: {pictures[kind].lacks}"
        )
    return document, pictures[kind]


def fill_texts(
    figure: Figure,
    document: Document,
    picture: Picture,
    *,
    title: bool = True,
    caption: bool = True,
) -> Axes:
    """Draw into an empty figure, with the title above and the caption below."""
    height = picture.height(document) if callable(picture.height) else picture.height
    above = _wrapped(picture.finding(document), _WIDTH - 0.3, 1.08 * _TITLE) if title else ""
    below = _wrapped(picture.caption(document), _WIDTH - 0.3, _CAPTION) if caption else ""
    lines = [text.count("\n") + 1 if text else 0 for text in (above, below)]
    figure.set_size_inches(_WIDTH, height + 0.2 * lines[0] + 0.14 * lines[1])
    axes = figure.add_subplot()
    _draw(axes, document, picture)
    if title:
        figure.suptitle(above, x=0.15 / _WIDTH, ha="left", fontsize=_TITLE, fontweight="bold")
    if caption:
        figure.supxlabel(below, x=0.15 / _WIDTH, ha="left", fontsize=_CAPTION, color=GREY)
    return axes


def _draw(axes: Axes, document: Document, picture: Picture) -> None:
    if rows := picture.rows(document):
        picture.draw(axes, rows, document)
    else:
        canvas.nothing_measured(axes)


def _wrapped(text: str, inches: float, size: float) -> str:
    """Return a text in lines that fit so many inches, in letters of that many points."""
    unbroken = canvas.unmathematical(text).replace(" %", "\u00a0%")  # no line begins with it
    return "\n".join(
        textwrap.wrap(unbroken, max(20, int(inches * 72 / (0.56 * size))), break_long_words=True)
    )

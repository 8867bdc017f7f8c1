"""A figure as an ``<svg>`` that stands in a page: small, without links, with ids of its own."""

from __future__ import annotations

import hashlib
import io
import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from ratingpriv.report.pictures.canvas import INK, check_epoch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_DRAWN = ("d", "x", "y", "width", "height", "transform", "points")


def inline_svg(figure: Figure, texts: tuple[str, str] | None) -> str:
    """Return the figure as an ``<svg>``; ``texts`` is its title and its description, None: it is hidden."""
    import matplotlib as mpl

    check_epoch()
    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "ratingpriv", "svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    written = stream.getvalue()
    root = ET.fromstring(written)  # noqa: S314
    own = "p" + hashlib.sha256(f"{written}{texts}".encode()).hexdigest()[:10]
    _drop(root, "metadata")
    _drop(root, "style")  # of every element, and in a page of the page's own: here of what is drawn
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    _rename(root, own)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in _DRAWN:
                element.set(name, _NUMBER.sub(_rounded, value))
            elif INK in value:
                element.set(name, value.replace(INK, "currentColor"))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("style", "max-width:100%;height:auto")
    root.set("width", f"{figure.get_figwidth() * 96:.0f}")
    if texts is None:
        root.set("aria-hidden", "true")
    else:
        root.set("role", "img")
        root.set("aria-labelledby", f"{own}-title {own}-desc")
        for position, (name, text) in enumerate(zip(("title", "desc"), texts, strict=True)):
            element = ET.Element(f"{{{_SVG}}}{name}", {"id": f"{own}-{name}"})
            element.text = text.replace(r"\$", "$")
            root.insert(position, element)
    ET.register_namespace("", _SVG)
    return ET.tostring(root, encoding="unicode")


def _drop(root: ET.Element, name: str) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}{name}":
                parent.remove(child)


def _rename(root: ET.Element, own: str) -> None:
    """Keep the ids that something refers to, under names of this picture; drop the others."""
    names: dict[str, str] = {}

    def new(match: re.Match[str]) -> str:
        return f"#{names.setdefault(match[1], f'{own}-{len(names)}')}"

    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == _LINK:
                del element.attrib[name]
                element.set("href", re.sub(r"#(\S+)", new, value))
            elif "url(#" in value:
                element.set(name, re.sub(r"#([^)\s]+)(?=\))", new, value))
    for element in root.iter():
        known = element.attrib.pop("id", None)
        if known in names:
            element.set("id", names[known])


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")

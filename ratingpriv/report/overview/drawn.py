"""Small pictures of numbers that are told already: nothing is in them that the text beside does not say."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass

from ratingpriv.escaping import printable
from ratingpriv.report.overview.items import Picture

__all__ = ["Mark", "bars", "intervals"]

_SVG = "http://www.w3.org/2000/svg"
_WIDTH, _LABEL, _RIGHT, _TOP, _AXIS = 720, 210, 60, 8, 34


@dataclass(frozen=True, slots=True)
class Mark:
    """A share and its interval, from 0 to 1, of one side; ``text`` is what it says when it is pointed at."""

    side: str
    share: float
    low: float
    high: float
    text: str


def intervals(rows: Sequence[tuple[str, Sequence[Mark]]], title: str, caption: str) -> Picture:
    """Return shares as dots with their intervals as lines, a row a name; sides stand below one another."""
    sides = list(dict.fromkeys(mark.side for _, marks in rows for mark in marks))
    step = 18 * len(sides) + 14
    height = _TOP + step * len(rows) + _AXIS + (22 if len(sides) > 1 else 0)
    root = _root(height, title, caption)
    bottom = _TOP + step * len(rows)
    _grid(root, bottom)
    for place, (name, marks) in enumerate(rows):
        top = _TOP + step * place
        _text(root, _LABEL - 12, top + step / 2 + 5, name, anchor="end")
        for mark in marks:
            level = sides.index(mark.side)
            y = top + 7 + 18 * level + 9
            group = _add(root, "g", {"class": f"side{level}"})
            _add(group, "title").text = printable(f"{name}, {mark.side}: {mark.text}")
            ends = (_x(mark.low), _x(mark.high))
            _add(group, "path", {"d": f"M{ends[0]:.1f} {y:.1f}H{ends[1]:.1f}", "class": "line"})
            for end in ends:
                _add(group, "path", {"d": f"M{end:.1f} {y - 5:.1f}V{y + 5:.1f}", "class": "line"})
            _dot(group, _x(mark.share), y, level)
    if len(sides) > 1:
        for level, side in enumerate(sides):
            x, y = _LABEL + 200 * level, height - 8
            _dot(_add(root, "g", {"class": f"side{level}"}), x + 6, y - 4, level)
            _text(root, x + 18, y, side)
    return Picture(ET.tostring(root, encoding="unicode"), f"{caption}.")


def bars(rows: Sequence[tuple[str, float, str]], title: str, caption: str) -> Picture:
    """Return shares as bars, a row (name, share, text) each."""
    step = 30
    root = _root(_TOP + step * len(rows) + _AXIS, title, caption)
    _grid(root, _TOP + step * len(rows))
    for place, (name, share, text) in enumerate(rows):
        y = _TOP + step * place
        _text(root, _LABEL - 12, y + 20, name, anchor="end")
        group = _add(root, "g", {"class": "side0"})
        _add(group, "title").text = printable(f"{name}: {text}")
        width = f"{max(_x(share) - _LABEL, 1.0):.1f}"
        _add(
            group, "rect", {"x": str(_LABEL), "y": str(y + 5), "width": width, "height": "20", "class": "bar"}
        )
        inside = share > 0.6
        x = _x(share) + (-8 if inside else 8)
        _text(root, x, y + 20, text, anchor="end" if inside else "start", kind="inside" if inside else "")
    return Picture(ET.tostring(root, encoding="unicode"), f"{caption}.")


def _root(height: float, title: str, caption: str) -> ET.Element:
    attributes = {
        "xmlns": _SVG, "viewBox": f"0 0 {_WIDTH} {height:.0f}", "width": str(_WIDTH), "role": "img",
        "class": "drawn", "aria-label": printable(f"{title} {caption}"),
    }  # fmt: skip
    return ET.Element("svg", attributes)


def _grid(root: ET.Element, bottom: float) -> None:
    for tenth in range(0, 11, 2):
        x = _x(tenth / 10)
        _add(root, "path", {"d": f"M{x:.1f} {_TOP}V{bottom:.1f}", "class": "grid"})
        _text(root, x, bottom + 18, f"{10 * tenth} %", anchor="middle")


def _dot(parent: ET.Element, x: float, y: float, level: int) -> None:
    """Draw the mark of a side: sides differ by shape, too, not by colour alone."""
    if level == 0:
        _add(parent, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5.5", "class": "dot"})
    else:
        _add(
            parent,
            "rect",
            {"x": f"{x - 5:.1f}", "y": f"{y - 5:.1f}", "width": "10", "height": "10", "class": "dot"},
        )


def _text(
    parent: ET.Element, x: float, y: float, text: str, *, anchor: str = "start", kind: str = ""
) -> None:
    more = {"class": kind} if kind else {}
    element = _add(parent, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, **more})
    element.text = printable(text if len(text) < 32 else f"{text[:30]}…")


def _add(parent: ET.Element, name: str, attributes: dict[str, str] | None = None) -> ET.Element:
    return ET.SubElement(parent, name, attributes or {})


def _x(share: float) -> float:
    return _LABEL + (_WIDTH - _LABEL - _RIGHT) * max(0.0, min(1.0, share))

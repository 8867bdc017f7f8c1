"""A picture of a graph as SVG, in the colours that docker/style.grass gives Neo4j Browser."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from html import escape

from ratingpriv.report.graphs.elements import Edge, Node, Picture
from ratingpriv.report.graphs.layout import places

_COLOURS = {
    "Dataset": ("#FFFFFF", "#C9D2DE", "#56606B", 34),
    "Run": ("#FFFFFF", "#C9D2DE", "#56606B", 34),
    "Release": ("#FFFFFF", "#2A8C2F", "#1B6B1B", 34),
    "HammingGroup": ("#F3F5F8", "#A9B4C4", "#30343B", 32),
    "Clique": ("#9467BD", "#6A4691", "#FFFFFF", 32),
    "Issue": ("#F5D76E", "#C9A93C", "#30343B", 22),
    "ReleasedRecord": ("#2A8C2F", "#1B6B1B", "#FFFFFF", 22),
    "Record": ("#6C8EBF", "#4A6A99", "#FFFFFF", 22),
}
"""By kind: inside, border, text, diameter."""
_OTHER = ("#B8C4D6", "#8FA0B8", "#22303F", 26)
_AT_RISK = ("#D62728", "#8E1618", "#FFFFFF")
_HUES = (
    ("#4E79A7", "#2F4E70"), ("#B6660F", "#7A430A"), ("#3F7F37", "#28521F"), ("#96558A", "#643A5C"),
    ("#2E7F79", "#1B4F4B"), ("#8C7400", "#5C4C00"), ("#80594A", "#523930"), ("#5B5FC7", "#393C85"),
)  # fmt: skip
_DIAMETERS = ((20, 38), (5, 30), (2, 22), (1, 14))  # from so many records in the neighbourhood on
_BEYOND = "#D62728"
_EDGES = {
    "PROXIMATE": "#8FA3BF", "WITHIN": "#2E7D4F", "MEMBER_OF": "#B9C2CF", "LEFT_OUT": "#D62728",
    "RELEASED_AS": "#2A8C2F", "IN_GROUP": "#B4BDCB", "RATED": "#C9A93C",
}  # fmt: skip
_LEGEND = {
    "Record": "record", "ReleasedRecord": "released record", "HammingGroup": "Hamming group, with its size",
    "Clique": "clique, with its size", "Issue": "question", "Dataset": "dataset", "Run": "run",
    "Release": "release",
}  # fmt: skip
_TIES = {
    "IN_GROUP": "in this group", "MEMBER_OF": "in this clique", "LEFT_OUT": "left out",
    "RELEASED_AS": "released as", "RATED": "answered",
}  # fmt: skip
_STYLE = """
.back{fill:#fff}.ink{fill:#1d2126}.soft{fill:#56606b}text{font-family:system-ui,sans-serif}
.apart{font-size:8px;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}
@media (prefers-color-scheme:dark){.back{fill:#15181b}.ink{fill:#e6e8ea}.soft{fill:#a5adb5}
.apart{stroke:#15181b}}
"""
_MARGIN, _LINE, _MOST_SAID = 24.0, 17.0, 200


def svg(picture: Picture) -> str:
    """Return a whole SVG file: title, picture, legend, caption; light or dark as its reader is."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _drawn(picture, framed=True)


def inline_svg(picture: Picture) -> str:
    """Return the picture for an HTML page, which has its title and caption itself."""
    return _drawn(picture, framed=False)


def _drawn(picture: Picture, *, framed: bool) -> str:
    where, wide, high = places(picture)
    legend = list(_legend(picture))
    width = max(wide + 2 * _MARGIN, 460.0)
    columns = max(1, int((width - 2 * _MARGIN) // 215))
    letters = int((width - 2 * _MARGIN) / 6.4)
    title = textwrap.wrap(picture.title, int(letters * 0.56)) if framed else []
    caption = textwrap.wrap(picture.caption, letters) if framed else []
    top = _MARGIN + len(title) * 24.0 + (10 if title else 0)
    rows = math.ceil(len(legend) / columns)
    below = top + high + 26
    height = below + rows * 24 + len(caption) * _LINE + _MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-labelledby="graph-title graph-said" width="{width:.0f}" height="{height:.0f}">',
        f'<title id="graph-title">{_safe(picture.title)}</title>',
        f'<desc id="graph-said">{_safe(picture.caption)}</desc>',
        f'<style>{_STYLE}</style><rect class="back" width="100%" height="100%"/>',
    ]
    for row, line in enumerate(title):
        out.append(
            f'<text class="ink" x="{_MARGIN}" y="{_MARGIN + 14 + 24 * row}" font-size="18" '
            f'font-weight="600">{_safe(line)}</text>'
        )
    left = (width - wide) / 2
    out.append(f'<g transform="translate({left:.1f} {top:.1f})">')
    captioned = len(picture.edges) <= _MOST_SAID
    out.append(f'<g opacity="{1 if captioned else 0.5}">')
    out += [_edge(edge, where, captioned=captioned) for edge in picture.edges]
    out.append("</g>")
    out += [_node(node, *where[node.key]) for node in picture.nodes]
    out.append("</g>")
    for position, (mark, text) in enumerate(legend):
        x, y = _MARGIN + position % columns * 215, below + position // columns * 24
        out.append(f'<g transform="translate({x + 12:.1f} {y:.1f})">{mark}')
        out.append(f'<text class="ink" x="20" y="4" font-size="12">{_safe(text)}</text></g>')
    for row, line in enumerate(caption):
        y = below + rows * 24 + _LINE * row + 4
        out.append(f'<text class="soft" x="{_MARGIN}" y="{y:.1f}" font-size="12">{_safe(line)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _look(node: Node) -> tuple[str, str, str, float]:
    inside, border, text, diameter = _COLOURS.get(node.kind, _OTHER)
    if node.kind in ("Record", "ReleasedRecord") and node.size is not None:
        diameter = next((wide for least, wide in _DIAMETERS if node.size >= least), 14)
    if node.hue is not None:
        (inside, border), text = _HUES[node.hue], "#FFFFFF"
    return (*_AT_RISK, diameter) if node.at_risk else (inside, border, text, diameter)


def _node(node: Node, x: float, y: float) -> str:
    inside, border, text, diameter = _look(node)
    radius = diameter / 2
    marks = _circle(node, inside, border, radius)
    if node.caption:
        fits = len(node.caption) * 5.2 < diameter
        marks += (
            f'<text text-anchor="middle" y="3.2" font-size="9" fill="{text}">{_safe(node.caption)}</text>'
            if fits
            else f'<text class="ink" text-anchor="middle" y="{radius + 11:.1f}" font-size="9">'
            f"{_safe(node.caption)}</text>"
        )
    return (
        f'<g class="node" data-key="{_safe(node.key)}" transform="translate({x:.1f} {y:.1f})">'
        f"<title>{_safe(node.said)}</title>{marks}</g>"
    )


def _circle(node: Node, inside: str, border: str, radius: float) -> str:
    """Return the mark of a node; at risk it has a second ring, released a broken border: not colour alone."""
    ring = (
        f'<circle r="{radius + 3.5:.1f}" fill="none" stroke="{inside}" stroke-width="1.6"/>'
        if node.at_risk
        else ""
    )
    broken = ' stroke-dasharray="3 2"' if node.kind == "ReleasedRecord" else ""
    return f'{ring}<circle r="{radius:.1f}" fill="{inside}" stroke="{border}" stroke-width="1.5"{broken}/>'


def _edge(edge: Edge, where: dict[str, tuple[float, float]], *, captioned: bool) -> str:
    (x1, y1), (x2, y2) = where[edge.start], where[edge.end]
    colour = _BEYOND if edge.beyond else _EDGES.get(edge.kind, "#A5ABB6")
    broken = ' stroke-dasharray="5 4"' if edge.beyond else ""
    text = ""
    if captioned and edge.caption:
        x, y = x1 + (x2 - x1) * 0.56, y1 + (y2 - y1) * 0.56 + 3
        text = f'<text class="apart soft" x="{x:.1f}" y="{y:.1f}">{_safe(edge.caption)}</text>'
    return (
        f'<g class="edge" data-ends="{_safe(edge.start)} {_safe(edge.end)}"><title>{_safe(edge.said)}</title>'
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="1.6"{broken}/>{text}</g>'
    )


def _legend(picture: Picture) -> Iterator[tuple[str, str]]:
    """Yield a mark and its meaning for everything that is in the picture."""
    for kind in dict.fromkeys(node.kind for node in picture.nodes):
        if any(node.kind == kind and not node.at_risk for node in picture.nodes):
            inside, border, _, _ = _COLOURS.get(kind, _OTHER)
            yield _circle(Node("", kind, "", ""), inside, border, 8), _LEGEND.get(kind, kind)
    if any(node.at_risk for node in picture.nodes):
        yield _circle(Node("", "Record", "", "", at_risk=True), *_AT_RISK[:2], 7), "record at risk"
    if any(node.size is not None for node in picture.nodes):
        inside, border = _COLOURS["Record"][:2]
        marks = "".join(
            f'<circle cx="{x}" r="{r}" fill="none" stroke="{border}" stroke-width="1.2"/>'
            for x, r in ((-5, 3), (4, 7))
        )
        yield marks, "larger: more in its neighbourhood"
    captioned = len(picture.edges) <= _MOST_SAID
    for kind, beyond, text in (
        ("PROXIMATE", False, "pair, with its distance" if captioned else "pair"),
        ("PROXIMATE", True, "pair beyond epsilon"),
        ("WITHIN", False, "within epsilon"),
        ("BEYOND", True, "kept away by these answers"),
    ):
        if any((edge.kind, edge.beyond) == (kind, beyond) for edge in picture.edges):
            colour, broken = (_BEYOND, ' stroke-dasharray="5 4"') if beyond else (_EDGES[kind], "")
            yield f'<line x1="-11" x2="11" stroke="{colour}" stroke-width="2"{broken}/>', text
    for kind, text in _TIES.items():
        if any(edge.kind == kind for edge in picture.edges):
            yield f'<line x1="-11" x2="11" stroke="{_EDGES[kind]}" stroke-width="2"/>', text


def _safe(text: str) -> str:
    return escape(text, quote=True)

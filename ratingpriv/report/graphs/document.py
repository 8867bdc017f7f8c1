"""A picture of an answer as a file: SVG, or an HTML page that says what is behind a node."""

from __future__ import annotations

from html import escape
from pathlib import Path

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable
from ratingpriv.report.graphs.drawing import inline_svg, svg
from ratingpriv.report.graphs.elements import Picture
from ratingpriv.report.plain import write_text

_STYLE = """
main { max-width: 72rem; }
.graph svg { height: auto; margin: 0 auto; }
.graph .faint { opacity: 0.15; }
.graph .node { cursor: pointer; }
#pointed { min-height: 1.6em; }
"""
_SCRIPT = """
"use strict";
const nodes = [...document.querySelectorAll(".graph .node")];
const edges = [...document.querySelectorAll(".graph .edge")];
const said = document.getElementById("pointed");
const ends = edge => edge.dataset.ends.split(" ");
const show = node => {
  const near = new Set([node.dataset.key]);
  for (const edge of edges) {
    const of = ends(edge).includes(node.dataset.key);
    edge.classList.toggle("faint", !of);
    if (of) ends(edge).forEach(key => near.add(key));
  }
  nodes.forEach(one => one.classList.toggle("faint", !near.has(one.dataset.key)));
  const others = near.size - 1;
  said.textContent = node.querySelector("title").textContent + "; tied to " + others +
    (others === 1 ? " other" : " others") + " here";
};
const rest = () => {
  [...nodes, ...edges].forEach(one => one.classList.remove("faint"));
  said.textContent = "";
};
for (const node of nodes) {
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", node.querySelector("title").textContent);
  node.addEventListener("mouseenter", () => show(node));
  node.addEventListener("mouseleave", rest);
  node.addEventListener("focus", () => show(node));
  node.addEventListener("blur", rest);
}
if (nodes.length) {
  const drawing = document.querySelector(".graph svg");
  drawing.setAttribute("role", "group");
}
"""


def html(picture: Picture) -> str:
    """Return one self-contained page that loads nothing."""
    from ratingpriv.report.markup.document import document

    body = (
        f"<h1>{escape(picture.title)}</h1>\n"
        f'<figure class="graph">\n{inline_svg(picture)}'
        f"<figcaption>{escape(picture.caption)}</figcaption>\n</figure>\n"
        '<p id="pointed" role="status" aria-live="polite"></p>\n'
        '<p class="note">Point at a node, or go to it with the Tab key: what it is stands here, '
        "and only what it is tied to stays dark.</p>\n"
    )
    return document(picture.title, body, style=_STYLE, script=_SCRIPT)


def check_picture(path: str | Path, *, force: bool = False) -> str:
    """Refuse early a picture that could not be written; return its suffix, in lower case.

    Raises
    ------
    ParameterError, OutputError
        The name does not end in .svg or .html; as :func:`ratingpriv.base.files.check_writable`.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".html"):
        raise ParameterError("picture", str(path), "a file name ending in .svg or .html")
    check_writable(path, force=force)
    return suffix


def write_picture(picture: Picture, path: str | Path, *, force: bool = False) -> None:
    """Write a picture to ``path``, for the user alone; errors as :func:`check_picture`."""
    suffix = check_picture(path, force=force)
    write_text(html(picture) if suffix == ".html" else svg(picture), path, force=force, private=True)

"""Nodes and relationships of an answer as a picture: SVG, or an HTML page that says what each is.

What is drawn are the elements of the answer, each once; every component has a place of its own; the
colours are those that docker/style.grass gives Neo4j Browser.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable
from ratingpriv.base.numbers import in_full
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.rows import GraphNode, GraphRelationship
from ratingpriv.graph.store import Result
from ratingpriv.report.plain import count, number, printable, write_text
from ratingpriv.report.templating import html_template

if TYPE_CHECKING:
    import networkx as nx

MOST_NODES, MOST_EDGES = 500, 4000
"""More than that nobody can look at."""

_LONGEST = 14  # characters of what stands in a node
KINDS = (
    "Dataset",
    "Run",
    "Release",
    "HammingGroup",
    "Clique",
    "SwapGroup",
    "Issue",
    "ReleasedRecord",
    "Record",
)
"""Labels that have a colour, the one that decides first."""

_NAMED_BY = {
    "HammingGroup": "size",
    "Clique": "size",
    "SwapGroup": "size",
    "Run": "run",
    "Release": "run",
}
_WORDS = {
    "HammingGroup": "Hamming group:",
    "ReleasedRecord": "released record",
    "Record": "record",
    "Issue": "item",
    "Clique": "clique of",
    "Dataset": "dataset",
    "Run": "run",
    "Release": "release",
    "SwapGroup": "group of",
}
# the marks of browse/mark, and the least of each
_SIZES = {"Alone": 1, "Few": 2, "Several": 5, "Many": 20}


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its kind (a label), what stands in it, what is said of it, and how it is drawn.

    ``size`` is the number of records in its neighbourhood, None where the answer does not say;
    ``at_risk`` whether that is too few; ``hue`` the colour that browse/mark-cliques gave it.
    """

    key: str
    kind: str
    caption: str
    said: str
    size: int | None = None
    at_risk: bool = False
    hue: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """One relationship between two nodes, by their keys; ``beyond``: farther apart than epsilon.

    ``caption`` is the distance of the two, or the answers that keep them apart.
    """

    start: str
    end: str
    kind: str
    caption: str
    said: str
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """What is drawn, under which title, and what a caption says of it.

    ``ids`` : whether records are named by their ids
    """

    title: str
    caption: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    ids: bool

    @property
    def said(self) -> str:
        """How much it shows, and whether it names records."""
        shown = f"{count(len(self.nodes), 'node')}, {count(len(self.edges), 'relationship')}"
        if self.ids:
            return f"{shown}; it names records: keep it like the data"
        if any(edge.kind == "BEYOND" for edge in self.edges):
            return f"{shown}, no ids of records, but ratings of theirs: keep it like the data"
        return f"{shown}, no ids of records"


def picture_of(
    result: Result, query: Query, params: Mapping[str, Any], *, ids: bool = False
) -> Picture:
    """Return the picture of an answer.

    A record is drawn the larger, the larger its neighbourhood is. That is what the answer says: a
    column ``size`` beside a node ``r``, which is at risk if that is below the parameter ``k``; else
    the labels and the property of ``browse/mark``. The records of ``browse/alone`` are alone, and
    at risk. A number ``cost`` beside an item ``i`` stands in it.

    Raises
    ------
    ParameterError
        There is nothing to be drawn, or more than anybody could look at.
    """
    nodes: dict[str, GraphNode] = {}
    related: dict[str, GraphRelationship] = {}
    sizes: dict[str, int] = {}
    costs: dict[str, float] = {}
    for row in result.dicts():
        for element in _elements(list(row.values())):
            if isinstance(element, GraphNode):
                nodes.setdefault(element.key, element)
            else:
                related.setdefault(element.key, element)
        size = 1 if query.id == "browse/alone" else row.get("size")
        if isinstance(row.get("r"), GraphNode) and isinstance(size, int):
            sizes[row["r"].key] = size
        if isinstance(row.get("i"), GraphNode) and isinstance(row.get("cost"), float):
            costs[row["i"].key] = row["cost"]
    if not nodes:
        expected = "a query that returns nodes, such as browse/at-risk"
        raise ParameterError("picture", "a result without nodes", expected)
    edges = [edge for edge in related.values() if edge.start in nodes and edge.end in nodes]
    if len(nodes) > MOST_NODES or len(edges) > MOST_EDGES:
        shown = f"{count(len(nodes), 'node')} and {count(len(edges), 'relationship')}"
        expected = f"at most {MOST_NODES:,} nodes and {MOST_EDGES:,} relationships"
        remedy = "ask for fewer (LIMIT), or write the graph: ratingpriv store export"
        raise ParameterError("picture", shown, expected, remedy)
    least = params.get("k") if isinstance(params.get("k"), int) else None
    alone = query.id == "browse/alone"
    drawn_nodes = [
        _with_cost(_node(node, sizes.get(node.key), least, alone, ids), costs.get(node.key))
        for node in nodes.values()
    ]
    epsilon = params.get("epsilon")
    drawn_edges = [
        _edge(edge, epsilon if isinstance(epsilon, int | float) else None) for edge in edges
    ]
    title = (
        "Nodes and relationships of a result" if query.title == query.id else printable(query.title)
    )
    return Picture(
        title, _caption(drawn_nodes, params, ids), tuple(drawn_nodes), tuple(drawn_edges), ids
    )


def _elements(value: Any) -> Iterator[GraphNode | GraphRelationship]:
    """Yield every node and relationship in a cell, those of lists, maps and paths too."""
    if isinstance(value, GraphNode | GraphRelationship):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _elements(item)
    elif isinstance(value, list):
        for item in value:
            yield from _elements(item)


def _members(kind: str, properties: Mapping[str, Any]) -> str:
    """Return what the caption of a node counts, where that is records."""
    if kind == "HammingGroup":
        same = " record rated these" if properties.get("size") == 1 else " records rated the same"
        return f"{same} items"
    return {"Clique": " records", "SwapGroup": " records whose values were exchanged"}.get(kind, "")


def _other_node(node: GraphNode, kind: str, hue: int | None) -> Node:
    """Return a node that is no record."""
    properties, named = node["properties"], _NAMED_BY.get(kind, "name")
    caption = "" if properties.get(named) is None else printable(properties[named])
    meaning = f"{_WORDS.get(kind, kind)} {caption}".strip() + _members(kind, properties)
    return Node(node.key, kind, _cut(caption), meaning, hue=hue)


def _node(node: GraphNode, size: int | None, least: int | None, alone: bool, ids: bool) -> Node:
    labels, properties = node["labels"], node["properties"]
    hue = next((number for number in range(8) if f"Hue{number}" in labels), None)
    kind = next((kind for kind in KINDS if kind in labels), printable(next(iter(labels), "node")))
    if kind not in ("Record", "ReleasedRecord"):
        return _other_node(node, kind, hue)
    if size is None and isinstance(properties.get("neighbourhood"), int):
        size = properties["neighbourhood"]
    marked = next((least_of for label, least_of in _SIZES.items() if label in labels), None)
    at_risk = "AtRisk" in labels or (
        size is not None and (size < least if least is not None else alone)
    )
    name = printable(properties.get("id", "")) if ids else ""
    words = [f"{_WORDS.get(kind, kind)} {name}".strip()]
    if size is not None:
        words.append(f"{count(size, 'record')} in its neighbourhood, itself included")
    if at_risk:
        words.append("at risk")
    crowd = (
        "" if size is None else f"{size} of {least}" if at_risk and least is not None else str(size)
    )
    return Node(node.key, kind, _cut(name) or crowd, "; ".join(words), size or marked, at_risk, hue)


def _with_cost(node: Node, cost: float | None) -> Node:
    """Return an item with what its change costs, where the answer says so."""
    if cost is None:
        return node
    shown = number(cost)
    caption = f"{node.caption[: _LONGEST - len(shown) - 2]}: {shown}"
    said = f"{node.said}; information loss (L1) {shown}"
    return replace(node, caption=caption, said=said)


def _edge(edge: GraphRelationship, epsilon: float | None) -> Edge:
    properties, kind = edge["properties"], edge["type"]
    if kind == "BEYOND":
        because = printable(properties.get("because", ""))
        return Edge(edge.start, edge.end, kind, because, f"beyond epsilon: {because}", beyond=True)
    distance = properties.get("distance") if kind in ("PROXIMATE", "WITHIN") else None
    if not isinstance(distance, int | float):
        return Edge(edge.start, edge.end, kind, "", printable(kind))
    beyond = epsilon is not None and distance > epsilon
    text = f"{in_full(float(distance))} apart"
    more = f", more than epsilon = {in_full(epsilon or 0)}" if beyond else ""
    return Edge(edge.start, edge.end, kind, number(float(distance)), text + more, beyond)


def _caption(nodes: list[Node], params: Mapping[str, Any], ids: bool) -> str:
    records = [record for record in nodes if record.kind in ("Record", "ReleasedRecord")]
    shown = [
        f"{name} = {number(value) if isinstance(value, float) else printable(value)}"
        for name, value in params.items()
        if isinstance(value, str | int | float) and (ids or name != "record")
    ]
    parts = [", ".join(shown)] if shown else []
    # else nobody knows
    sized = [record for record in records if record.size is not None or record.at_risk]
    risk = (
        f", {len([record for record in sized if record.at_risk]):,} of them at risk"
        if sized
        else ""
    )
    parts.append(f"{count(len(records), 'record')} drawn{risk}")
    return ". ".join(parts) + "."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


# ---- where the nodes stand ----

_ROOM = 62.0  # pixels around a node
_GAP = 34.0
_SEED = 1
_RATIO = 2.1  # width to height, about

type Places = tuple[dict[str, tuple[float, float]], float, float]
"""Each node's x and y by its key, and the width and height that they need, in pixels."""


def places(picture: Picture) -> Places:
    """Return where the nodes stand; the same picture has the same places."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(one.key for one in picture.nodes)
    graph.add_edges_from((one.start, one.end) for one in picture.edges if one.start != one.end)
    # equal ones in the answer's order
    parts = sorted(nx.connected_components(graph), key=len, reverse=True)
    boxes = []
    # with its nodes in the answer's order: a view's is another one in every process
    for part in parts:
        inner = nx.Graph()
        inner.add_nodes_from(key for key in graph if key in part)
        inner.add_edges_from(edge for edge in graph.edges if edge[0] in part)
        boxes.append(_box(inner))
    wanted = max(
        math.sqrt(_RATIO * sum((width + _GAP) * (height + _GAP) for _, width, height in boxes)),
        max(width for _, width, _ in boxes),
    )
    where: dict[str, tuple[float, float]] = {}
    left = top = row = most = 0.0
    for inside, width, height in boxes:
        if left > 0 and left + width > wanted:
            left, top, row = 0.0, top + row + _GAP, 0.0
        where |= {key: (left + x, top + y) for key, (x, y) in inside.items()}
        left, row = left + width + _GAP, max(row, height)
        most = max(most, left - _GAP)
    return where, most, top + row


def _box(graph: nx.Graph) -> Places:
    """Return the places of one component, from 0 on, and the room that it takes."""
    import networkx as nx

    n = len(graph)
    if n == 1:
        return {next(iter(graph)): (_ROOM / 2, _ROOM / 2)}, _ROOM, _ROOM
    side = _ROOM * (0.9 + math.sqrt(n) * (1.15 if n > 4 else 0.8))
    where = nx.spring_layout(graph, seed=_SEED, iterations=120, k=1.6 / math.sqrt(n))
    xs, ys = [float(x) for x, _ in where.values()], [float(y) for _, y in where.values()]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    scale = (side - _ROOM) / max(wide, high)
    positions = {
        key: (_ROOM / 2 + (float(x) - min(xs)) * scale, _ROOM / 2 + (float(y) - min(ys)) * scale)
        for key, (x, y) in where.items()
    }
    return positions, _ROOM + wide * scale, _ROOM + high * scale


# ---- how they look ----

_COLOURS = {
    "Dataset": ("#FFFFFF", "#C9D2DE", "#56606B", 34),
    "Run": ("#FFFFFF", "#C9D2DE", "#56606B", 34),
    "Release": ("#FFFFFF", "#2A8C2F", "#1B6B1B", 34),
    "HammingGroup": ("#F3F5F8", "#A9B4C4", "#30343B", 32),
    "Clique": ("#9467BD", "#6A4691", "#FFFFFF", 32),
    "SwapGroup": ("#E08214", "#A85E08", "#30343B", 32),
    "Issue": ("#F5D76E", "#C9A93C", "#30343B", 22),
    "ReleasedRecord": ("#2A8C2F", "#1B6B1B", "#FFFFFF", 22),
    "Record": ("#6C8EBF", "#4A6A99", "#FFFFFF", 22),
}
"""By kind: inside, border, text, diameter."""
_OTHER = ("#B8C4D6", "#8FA0B8", "#22303F", 26)
_AT_RISK = ("#D62728", "#8E1618", "#FFFFFF")
_HUES = (
    ("#4E79A7", "#2F4E70"),
    ("#B6660F", "#7A430A"),
    ("#3F7F37", "#28521F"),
    ("#96558A", "#643A5C"),
    ("#2E7F79", "#1B4F4B"),
    ("#8C7400", "#5C4C00"),
    ("#80594A", "#523930"),
    ("#5B5FC7", "#393C85"),
)
_DIAMETERS = ((20, 38), (5, 30), (2, 22), (1, 14))  # from so many records in the neighbourhood on
_BEYOND = "#D62728"
_EDGES = {
    "PROXIMATE": "#8FA3BF",
    "WITHIN": "#2E7D4F",
    "MEMBER_OF": "#B9C2CF",
    "LEFT_OUT": "#D62728",
    "RELEASED_AS": "#2A8C2F",
    "IN_GROUP": "#B4BDCB",
    "RATED": "#C9A93C",
    "SWAPPED_IN": "#E8B878",
}
_LEGEND = {
    "Record": "record",
    "ReleasedRecord": "released record",
    "HammingGroup": "Hamming group, with its size",
    "Clique": "clique, with its size",
    "Issue": "item",
    "Dataset": "dataset",
    "Run": "run",
    "Release": "release",
    "SwapGroup": "group, with its size",
}
_TIES = {
    "IN_GROUP": "in this group",
    "MEMBER_OF": "in this clique",
    "LEFT_OUT": "suppressed",
    "RELEASED_AS": "released as",
    "RATED": "rated",
    "SWAPPED_IN": "values exchanged within",
}
_MARGIN, _MOST_SAID = 24.0, 200
_MOST_SAID_EACH = 4
"""So many relationships a node have captions: those of a clique would lie over one another."""


def svg(picture: Picture, *, framed: bool = True) -> str:
    """Return a whole SVG file: title, picture, legend, caption; light or dark as its reader is.

    Not ``framed`` it is for an HTML page, which has title and caption itself.
    """
    where, wide, high = places(picture)
    legend = list(_legend(picture))
    width = max(wide + 2 * _MARGIN, 460.0)
    columns = max(1, int((width - 2 * _MARGIN) // 215))
    letters = int((width - 2 * _MARGIN) / 6.4)
    title = textwrap.wrap(picture.title, int(letters * 0.56)) if framed else []
    caption = textwrap.wrap(picture.caption, letters) if framed else []
    top = _MARGIN + len(title) * 24.0 + (10 if title else 0)
    rows, below = math.ceil(len(legend) / columns), top + high + 26
    drawn = html_template("graph.svg.jinja").render(
        picture=picture,
        places=where,
        nodes=[(node, look(node)) for node in picture.nodes],
        line_of=line_of,
        captioned=_captioned(picture),
        legend=legend,
        title=title,
        caption=caption,
        width=width,
        height=below + rows * 24 + len(caption) * 17.0 + _MARGIN,
        margin=_MARGIN,
        wide=wide,
        top=top,
        below=below,
        columns=columns,
        rows=rows,
    )
    return ('<?xml version="1.0" encoding="UTF-8"?>\n' if framed else "") + drawn + "\n"


def _captioned(picture: Picture) -> bool:
    """Whether there is room for the captions of relationships."""
    captions = [edge for edge in picture.edges if edge.caption]
    return len(picture.edges) <= _MOST_SAID and len(captions) <= _MOST_SAID_EACH * len(
        picture.nodes
    )


def look(node: Node) -> tuple[str, str, str, float]:
    """Return how a node looks: inside, border, text, and its diameter in pixels."""
    inside, border, text, diameter = _COLOURS.get(node.kind, _OTHER)
    if node.kind in ("Record", "ReleasedRecord") and node.size is not None:
        diameter = next((wide for least, wide in _DIAMETERS if node.size >= least), 14)
    if node.hue is not None:
        (inside, border), text = _HUES[node.hue], "#FFFFFF"
    return (*_AT_RISK, diameter) if node.at_risk else (inside, border, text, diameter)


def line_of(edge: Edge) -> str:
    """Return the colour of a relationship."""
    return _BEYOND if edge.beyond else _EDGES.get(edge.kind, "#A5ABB6")


def _legend(picture: Picture) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a mark and its meaning for everything that is in the picture."""
    nodes, edges = picture.nodes, picture.edges
    for kind in dict.fromkeys(node.kind for node in nodes if not node.at_risk):
        inside, border, _, _ = _COLOURS.get(kind, _OTHER)
        mark = {
            "inside": inside,
            "border": border,
            "radius": 8,
            "released": kind == "ReleasedRecord",
        }
        yield mark, _LEGEND.get(kind, kind)
    if any(node.at_risk for node in nodes):
        inside, border, _ = _AT_RISK
        yield {"inside": inside, "border": border, "radius": 7, "at_risk": True}, "record at risk"
    if any(node.size is not None for node in nodes):
        yield {"rings": _COLOURS["Record"][1]}, "larger: more in its neighbourhood"
    pairs = (
        ("PROXIMATE", False, "pair, with its distance" if _captioned(picture) else "pair"),
        ("PROXIMATE", True, "pair beyond epsilon"),
        ("WITHIN", False, "within epsilon"),
        ("BEYOND", True, "separated by these ratings"),
    )
    for kind, beyond, text in pairs:
        if any((edge.kind, edge.beyond) == (kind, beyond) for edge in edges):
            yield {"line": _BEYOND if beyond else _EDGES[kind], "broken": beyond}, text
    for kind, text in _TIES.items():
        if any(edge.kind == kind for edge in edges):
            yield {"line": _EDGES[kind]}, text


# ---- as a file ----


def html(picture: Picture) -> str:
    """Return one self-contained page that loads nothing."""
    from ratingpriv.report.markup.html import document

    drawn = svg(picture, framed=False)
    body = html_template("graph.html.jinja").render(picture=picture, drawn=drawn) + "\n"
    style, script = (
        resources.files(__package__).joinpath(f"graph.{end}").read_text("utf-8")
        for end in ("css", "js")
    )
    return document(picture.title, body, style=style, script=script)


def check_picture(path: str | Path, *, force: bool = False) -> str:
    """Refuse early a picture that could not be written; return its suffix, in lower case."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".html"):
        raise ParameterError("picture", str(path), "a file name ending in .svg or .html")
    check_writable(path, force=force)
    return suffix


def write_picture(picture: Picture, path: str | Path, *, force: bool = False) -> None:
    """Write a picture to ``path``, for the user alone; errors as :func:`check_picture`."""
    suffix = check_picture(path, force=force)
    write_text(
        html(picture) if suffix == ".html" else svg(picture), path, force=force, private=True
    )

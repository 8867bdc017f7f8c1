"""What of an answer is drawn: its nodes and relationships, each once, and what is said of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.rows import GraphNode, GraphRelationship
from ratingpriv.graph.store import Result
from ratingpriv.report.plain import count, number, printable

MOST_NODES, MOST_EDGES = 500, 4000
"""More than that nobody can look at."""

_LONGEST = 14  # characters of what stands in a node
KINDS = ("Dataset", "Run", "Release", "HammingGroup", "Clique", "Issue", "ReleasedRecord", "Record")
"""Labels that have a colour, the one that decides first."""

_NAMED = {"HammingGroup": "size", "Clique": "size", "Run": "run", "Release": "run"}
_SIZES = {"Alone": 1, "Few": 2, "Several": 5, "Many": 20}  # the marks of browse/mark, and the least of each


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its kind (a label), what stands in it, what is said of it, and how it is drawn.

    ``size`` is the number of records in its neighbourhood, None where the answer does not say; ``at_risk``
    whether that is too few; ``hue`` the colour that browse/mark-cliques gave it.
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
        if any(one.kind == "BEYOND" for one in self.edges):
            return f"{shown}, no ids of records, but answers of theirs: keep it like the data"
        return f"{shown}, no ids of records"


def picture_of(result: Result, query: Query, params: Mapping[str, Any], *, ids: bool = False) -> Picture:
    """Return the picture of an answer.

    A record is drawn the larger, the larger its neighbourhood is. That is what the answer says: a column
    ``size`` beside a node ``r``, which is at risk if that is below the parameter ``k``; else the labels and
    the property of ``browse/mark``. The records of ``browse/alone`` are alone, and at risk.

    Raises
    ------
    ParameterError
        There is nothing to be drawn, or more than anybody could look at.
    """
    nodes: dict[str, GraphNode] = {}
    related: dict[str, GraphRelationship] = {}
    sizes: dict[str, int] = {}
    for row in result.dicts():
        for element in _elements(list(row.values())):
            if isinstance(element, GraphNode):
                nodes.setdefault(element.key, element)
            else:
                related.setdefault(element.key, element)
        size = 1 if query.id == "browse/alone" else row.get("size")
        if isinstance(row.get("r"), GraphNode) and isinstance(size, int):
            sizes[row["r"].key] = size
    if not nodes:
        expected = "a query that returns nodes, such as browse/at-risk"
        raise ParameterError("picture", "an answer without nodes", expected)
    edges = [edge for edge in related.values() if edge.start in nodes and edge.end in nodes]
    if len(nodes) > MOST_NODES or len(edges) > MOST_EDGES:
        shown = f"{count(len(nodes), 'node')} and {count(len(edges), 'relationship')}"
        expected = f"at most {MOST_NODES:,} nodes and {MOST_EDGES:,} relationships"
        remedy = "ask for fewer (LIMIT), or write the graph: ratingpriv store export"
        raise ParameterError("picture", shown, expected, remedy)
    least = params.get("k") if isinstance(params.get("k"), int) else None
    alone = query.id == "browse/alone"
    drawn_nodes = [_node(node, sizes.get(node.key), least, alone, ids) for node in nodes.values()]
    epsilon = params.get("epsilon")
    drawn_edges = [_edge(edge, epsilon if isinstance(epsilon, int | float) else None) for edge in edges]
    title = "Nodes and relationships of an answer" if query.title == query.id else printable(query.title)
    return Picture(title, _caption(drawn_nodes, params, ids), tuple(drawn_nodes), tuple(drawn_edges), ids)


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


def _node(node: GraphNode, size: int | None, least: int | None, alone: bool, ids: bool) -> Node:
    labels, properties = node["labels"], node["properties"]
    hue = next((number for number in range(8) if f"Hue{number}" in labels), None)
    kind = next((kind for kind in KINDS if kind in labels), printable(next(iter(labels), "node")))
    if kind not in ("Record", "ReleasedRecord"):
        named = (
            "size" if kind in ("HammingGroup", "Clique") else "run" if kind in ("Run", "Release") else "name"
        )
        caption = "" if properties.get(named) is None else printable(properties[named])
        meaning = f"{_word(kind)} {caption}".strip() + _more(kind, properties)
        return Node(node.key, kind, _cut(caption), meaning, hue=hue)
    if size is None and isinstance(properties.get("neighbourhood"), int):
        size = properties["neighbourhood"]
    marked = next((least_of for label, least_of in _SIZES.items() if label in labels), None)
    at_risk = "AtRisk" in labels or (size is not None and (size < least if least is not None else alone))
    name = printable(properties.get("id", "")) if ids else ""
    words = [f"{_word(kind)} {name}".strip()]
    if size is not None:
        words.append(f"{count(size, 'record')} in its neighbourhood, itself included")
    if at_risk:
        words.append("at risk")
    crowd = "" if size is None else f"{size} of {least}" if at_risk and least is not None else str(size)
    return Node(node.key, kind, _cut(name) or crowd, "; ".join(words), size or marked, at_risk, hue)


def _more(kind: str, properties: Mapping[str, Any]) -> str:
    if kind == "HammingGroup":
        return (
            " records answered the same questions"
            if properties.get("size") != 1
            else " record answered these questions"
        )
    return " records" if kind == "Clique" else ""


def _word(kind: str) -> str:
    words = {
        "HammingGroup": "Hamming group:", "ReleasedRecord": "released record", "Record": "record",
        "Issue": "question", "Clique": "clique of", "Dataset": "dataset", "Run": "run", "Release": "release",
    }  # fmt: skip
    return words.get(kind, kind)


def _edge(edge: GraphRelationship, epsilon: float | None) -> Edge:
    properties, kind = edge["properties"], edge["type"]
    if kind == "BEYOND":
        because = printable(properties.get("because", ""))
        return Edge(edge.start, edge.end, kind, because, f"beyond epsilon: {because}", beyond=True)
    distance = properties.get("distance") if kind in ("PROXIMATE", "WITHIN") else None
    if not isinstance(distance, int | float):
        return Edge(edge.start, edge.end, kind, "", printable(kind))
    beyond = epsilon is not None and distance > epsilon
    said = f"{in_full(float(distance))} apart"
    more = f", more than epsilon = {in_full(epsilon or 0)}" if beyond else ""
    return Edge(edge.start, edge.end, kind, number(float(distance)), said + more, beyond)


def _caption(nodes: list[Node], params: Mapping[str, Any], ids: bool) -> str:
    records = [record for record in nodes if record.kind in ("Record", "ReleasedRecord")]
    shown = [
        f"{name} = {number(value) if isinstance(value, float) else printable(value)}"
        for name, value in params.items()
        if isinstance(value, str | int | float) and (ids or name != "record")
    ]
    parts = [", ".join(shown)] if shown else []
    known = [record for record in records if record.size is not None or record.at_risk]  # else nobody knows
    risk = f", {len([record for record in known if record.at_risk]):,} of them at risk" if known else ""
    parts.append(f"{count(len(records), 'record')} drawn{risk}")
    return ". ".join(parts) + "."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"

"""Where the nodes of a picture stand: every component by itself, then all of them beside each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ratingpriv.report.graphs.elements import Picture

if TYPE_CHECKING:
    import networkx as nx

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
    parts = sorted(nx.connected_components(graph), key=len, reverse=True)  # equal ones in the answer's order
    boxes = [_box(_ordered(graph, part)) for part in parts]
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


def _ordered(graph: nx.Graph, part: set[str]) -> nx.Graph:
    """Return a component with its nodes in the answer's order: a view's is another one in every process."""
    import networkx as nx

    found = nx.Graph()
    found.add_nodes_from(key for key in graph if key in part)
    found.add_edges_from(edge for edge in graph.edges if edge[0] in part)
    return found


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
    found = {
        key: (_ROOM / 2 + (float(x) - min(xs)) * scale, _ROOM / 2 + (float(y) - min(ys)) * scale)
        for key, (x, y) in where.items()
    }
    return found, _ROOM + wide * scale, _ROOM + high * scale

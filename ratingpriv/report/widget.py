"""The picture of an answer as a widget of neo4j-viz, which a notebook shows."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.store import Result
from ratingpriv.report.graphs import line_of, look, picture_of

_HEIGHT = "520px"


def widget_of(result: Result, *, query: Query, params: Mapping[str, Any], ids: bool) -> Any:
    """Return the answer as HTML of neo4j-viz; errors as :func:`ratingpriv.graph.widget`."""
    if importlib.util.find_spec("neo4j_viz") is None:
        remedy = "pip install 'ratingpriv[widget]'"
        raise ParameterError("widget", "neo4j-viz is not installed", "neo4j-viz", remedy)
    import neo4j_viz

    drawing: Any = neo4j_viz  # its types ask for what has defaults
    picture = picture_of(result, query, params, ids=ids)
    nodes = []
    for node in picture.nodes:
        inside, _, _, diameter = look(node)
        said = {"is": node.said, "kind": node.kind}
        caption = node.caption or None
        nodes.append(
            drawing.Node(id=node.key, caption=caption, size=diameter, color=inside, properties=said)
        )
    edges = [
        drawing.Relationship(
            source=edge.start,
            target=edge.end,
            caption=edge.caption or None,
            color=line_of(edge),
            properties={"is": edge.said, "kind": edge.kind},
        )
        for edge in picture.edges
    ]
    drawn = drawing.VisualizationGraph(nodes=nodes, relationships=edges)
    return drawn.render(height=_HEIGHT)

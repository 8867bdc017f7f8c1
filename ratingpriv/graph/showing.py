"""A query's nodes and relationships as a graph to move, zoom and ask in a notebook."""

from __future__ import annotations

from typing import Any

from ratingpriv.base.display import display
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.defaults import completed
from ratingpriv.graph.queries import find
from ratingpriv.graph.running import GraphStore


def widget(store: GraphStore, name: str, /, *, ids: bool = False, **params: Any) -> Any:
    """Run a query of the library, and return what it draws, for a notebook: ``browse/cliques``.

    Drawn by neo4j-viz, Neo4j's own library, on either store (the extra ``widget``). Colours, sizes
    and captions are those of ``ratingpriv query run NAME --picture``; a click on a node says what
    it is. Nothing is fetched from elsewhere.

    Parameters
    ----------
    store : an open store
    name : the query
    ids : whether records are named by their ids: keep such a notebook like the data
    params : the query's parameters. What is not given is suggested by the store, as on the command
        line: the only dataset, ε and k of its ingest, the first record at risk, the latest run

    Returns
    -------
    An ``IPython.display.HTML``, which a notebook shows where it is the last line of a cell.

    Raises
    ------
    ParameterError
        neo4j-viz is not installed; the query changes the graph; a parameter is missing that the
        store does not suggest; there is nothing to be drawn, or more than anybody could look at.
    """
    query = find(name)
    if not query.is_read:
        raise ParameterError("name", name, "a query that reads", f"run it first, then draw {name}")
    values = completed(store, query.query, params)
    result = query.run(store, **values)
    return display("widget", result, query=query.query, params=values, ids=ids)

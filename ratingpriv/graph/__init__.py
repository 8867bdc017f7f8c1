"""Records and ε-proximate pairs as a property graph, on Neo4j or in one file, and a library of Cypher.

Open a store with :func:`open_store`, look at the library with :func:`catalogue`, and ask it with the store's
``run``; every parameter is checked before an engine sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Column, Parameter, Query, catalogue, query
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSink,
    DatasetSpec,
    GraphStore,
    GroupBatch,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
    Result,
    open_store,
)

if TYPE_CHECKING:
    from ratingpriv.graph.networkx import to_networkx as to_networkx

__all__ = [
    "Column",
    "DatasetInfo",
    "DatasetSink",
    "DatasetSpec",
    "GraphStore",
    "GroupBatch",
    "IssueBatch",
    "PairBatch",
    "Parameter",
    "Query",
    "RatingBatch",
    "RecordBatch",
    "Result",
    "bind",
    "catalogue",
    "open_store",
    "parse_text",
    "query",
    "to_networkx",
]


def __getattr__(name: str) -> Any:
    if name == "to_networkx":  # networkx and the engine wait until they are asked for
        from ratingpriv.graph.networkx import to_networkx

        return to_networkx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

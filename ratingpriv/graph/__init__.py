"""Records and ε-proximate pairs as a property graph, on Neo4j or in one file,
and a library of Cypher.

Open a store with :func:`open_store`, put a table in with :func:`ingest`, look at the library with
:func:`catalogue`, and query with the store's ``run``; every parameter is checked before an engine
sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Column, Parameter, Query, catalogue, query
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.loading import DatasetSink
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GroupBatch,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
    Result,
)

if TYPE_CHECKING:
    from ratingpriv.graph.export import export_graphml as export_graphml
    from ratingpriv.graph.export import to_networkx as to_networkx
    from ratingpriv.graph.export import write_graphml as write_graphml
    from ratingpriv.graph.export import write_parquet as write_parquet
    from ratingpriv.graph.ingesting import ingest as ingest
    from ratingpriv.graph.showing import widget as widget

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
    "export_graphml",
    "ingest",
    "open_store",
    "parse_text",
    "query",
    "to_networkx",
    "widget",
    "write_graphml",
    "write_parquet",
]

__getattr__ = _offer(  # what needs the engine, networkx or pyarrow waits until it is used
    __name__,
    {
        "ingest": "ratingpriv.graph.ingesting",
        "export_graphml": "ratingpriv.graph.export",
        "to_networkx": "ratingpriv.graph.export",
        "widget": "ratingpriv.graph.showing",
        "write_graphml": "ratingpriv.graph.export",
        "write_parquet": "ratingpriv.graph.export",
    },
)

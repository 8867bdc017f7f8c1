"""Queries by way of Graph Data Science, where a Neo4j server has it: projected into memory, asked, dropped.

A query with a text for the engine ``gds`` beside its own is asked of a projection: every record, and every
pair within epsilon [SWLZ11, Def. 4.1]. Its answer is that of its own text. The projection has a name that
nobody else has, and is dropped whatever happens.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from typing import Any

from ratingpriv.base.errors import QueryFailedError, RatingPrivError
from ratingpriv.graph.catalogue import Query, query, texts_of
from ratingpriv.graph.store import GraphStore, Result


def gds_text(name: str) -> Query | None:
    """Return the text for ``gds`` of the query ``name``, or None."""
    return query(name, "gds") if "gds" in texts_of(name) else None


def ask_projection(store: GraphStore, found: Query, params: dict[str, Any]) -> Result:
    """Project what ``found``, a text for ``gds``, asks about, and return its rows.

    Raises
    ------
    QueryFailedError, StoreFullError
        The server's Graph Data Science refused, for want of memory perhaps, or the dataset was replaced
        meanwhile: the query's own text can be asked.
    """
    before = store.dataset(params["dataset"])
    with _projection(store, params["dataset"], params["epsilon"]) as graph:
        result = store.run(found, **params, graph=graph)
    if store.dataset(params["dataset"]) != before:
        raise QueryFailedError(store.uri, f"dataset {params['dataset']!r} was replaced", "run it again")
    return result


@contextlib.contextmanager
def _projection(store: GraphStore, dataset: str, epsilon: float) -> Iterator[str]:
    """Give the name of a projection that is there until the block ends, however it ends."""
    name = f"ratingpriv {uuid.uuid4().hex}"
    try:
        made = store.run("schema/gds-project", dataset=dataset, epsilon=epsilon, graph=name)
        if len(made) != 1 or made.single()[0] != store.dataset(dataset).spec.records:
            raise QueryFailedError(store.uri, "not every record was projected", "run it again")
        yield name
    except BaseException:
        with contextlib.suppress(RatingPrivError):  # the first error is the one to report
            store.run("schema/gds-drop", graph=name)
        raise
    store.run("schema/gds-drop", graph=name)

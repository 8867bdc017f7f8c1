"""Queries that take more than one statement: a first one, one repeated until it changes nothing, the result.

Cypher has no loop that every engine knows, so a folder of the library holds the parts
(``partition/components``:
``init``, ``step``, ``result``, ``clear``) and :func:`iterate` drives them. The parts leave marks on the
records, scoped by a run's name, which are taken away at the end whatever happens.
"""

from __future__ import annotations

import contextlib
import uuid
from typing import Any

from ratingpriv.errors import ParameterError, QueryFailedError, RatingPrivError, UnknownQueryError
from ratingpriv.graph.catalogue import catalogue, query
from ratingpriv.graph.store import GraphStore, Result
from ratingpriv.progress import Progress

__all__ = [
    "PARTS",
    "iterate",
    "iterated_queries",
]

PARTS = ("init", "step", "result", "clear")


def iterated_queries() -> tuple[str, ...]:
    """Ids that :func:`iterate` takes, sorted: the folders of the library that hold all four parts."""
    ids = catalogue()
    folders = {one.removesuffix("/init") for one in ids if one.endswith("/init")}
    return tuple(sorted(folder for folder in folders if all(f"{folder}/{part}" in ids for part in PARTS)))


def iterate(
    store: GraphStore,
    name: str,
    /,
    *,
    progress: Progress | None = None,
    **params: Any,
) -> Result:
    """Run the parts of an iterated query and return the rows of its result.

    Parameters
    ----------
    store : where
    name : one of :func:`iterated_queries`, e.g. ``partition/components``
    progress : called with (what is being done, steps done, None)
    params : the parameters of the parts, without ``run``

    Raises
    ------
    UnknownQueryError
        There is no such iterated query.
    ParameterError
        As :meth:`GraphStore.run`; also for ``run``, which is chosen here.
    QueryFailedError
        Somebody else ran the same query on the same dataset meanwhile, or changed the dataset: the marks of
        this run are gone, and there is no result to trust.
    """
    if name not in iterated_queries():
        raise UnknownQueryError(name, list(iterated_queries()))
    parts = {part: query(f"{name}/{part}", store.engine) for part in PARTS}
    known = {parameter.name for part in parts.values() for parameter in part.params} - {"run"}
    for key, value in params.items():
        if key not in known:
            raise ParameterError(key, value, f"a parameter of {name} ({', '.join(sorted(known))})")
    everything = {**params, "run": uuid.uuid4().hex}

    def run(part: str) -> Result:
        wanted = {parameter.name for parameter in parts[part].params}
        return store.run(parts[part], **{key: value for key, value in everything.items() if key in wanted})

    marked = run("init").single()[0]
    try:
        steps = 0
        while run("step").single()[0]:
            steps += 1
            if progress is not None:
                progress(parts["step"].title, steps, None)
        result = run("result")
    except BaseException:
        with contextlib.suppress(RatingPrivError):  # the first error is the one to tell
            run("clear")
        raise
    run("clear")
    if len(result) != marked:
        raise QueryFailedError(
            store.uri,
            f"{name} marked {marked} records and found the marks of {len(result)} in the end",
            "another run of the same query came between; run it again, one at a time",
        )
    return result

"""The library's queries as users run them: of one statement, or of several that leave a run.

A *procedure* (a decomposition, a merge, a loan) is of several statements, and what it writes stays,
under a run's name. Each is run by one name, with one contract.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import (
    CatalogueError,
    DataError,
    ParameterError,
    Problem,
    QueryFailedError,
    RatingPrivError,
    StoreFullError,
)
from ratingpriv.base.progress import Progress
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import UPKEEP, Query, catalogue, query, texts_of
from ratingpriv.graph.procedures import PROCEDURES, procedure, run_procedure
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.slices import run_in_slices
from ratingpriv.graph.store import DatasetInfo, Result, Row
from ratingpriv.graph.texts.own import OwnQuery, is_file, read_own

ENVIRONMENT = "RATINGPRIV_LIBRARY"
_AT_ONCE = 500_000  # pairs: some seconds


@dataclass(frozen=True, slots=True)
class LibraryQuery:
    """A query of the library under one contract, of however many statements (``parts``,
    in their order).
    """

    query: Query
    parts: tuple[Query, ...]

    @property
    def id(self) -> str:
        """The name to run it by."""
        return self.query.id

    @property
    def iterated(self) -> bool:
        """Whether it is of several statements, some of them repeated until they change nothing."""
        return len(self.parts) > 1

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return all(part.is_read for part in self.parts)

    def parameters(self, texts: Mapping[str, str], *, partial: bool = False) -> dict[str, Any]:
        """Return parameters given as texts, parsed and checked against the contract."""
        return bind(self.query, parse_text(self.query, texts), partial=partial)

    def run(self, store: GraphStore, *, progress: Progress | None = None, **params: Any) -> Result:
        """Run it on ``store``, by Graph Data Science where there is a
        text for it and the server has it.

        Errors as :meth:`GraphStore.run`.
        """
        if self.id in PROCEDURES:
            return run_procedure(store, self.id, progress, bind(self.query, params))
        if "parts" in params or "part" in params:
            return store.run(self.id, **params)
        if (text := texts_of(self.id).get("gds")) is not None and store.has_gds:
            # its own text answers all the same
            with contextlib.suppress(QueryFailedError, StoreFullError):
                values = bind(self.query, params)
                names = {parameter.name for parameter in text.params}
                return ask_projection(
                    store, text, {name: values[name] for name in names & values.keys()}
                )
        if self.id == "utility/average-clustering" and store.engine == "embedded":
            return _clustering(store, self.query, params)
        return run_in_slices(store, self.query, params)


def _clustering(store: GraphStore, contract: Query, params: Mapping[str, Any]) -> Result:
    """Ask the embedded store for the average clustering: its engine counts triangles in memory.

    The pairs are read some at a time, whatever the time that a statement may take.
    """
    from ratingpriv.graph.embedded import triangles_of  # only where there is such a store

    values = bind(contract, params)
    before = store.dataset(values["dataset"])
    records = before.spec.records
    places = store.run("audit/record-ids", dataset=before.spec.name).column("position")
    if places != list(range(records)) or not records:  # places are the engine's nodes
        return _declared(contract, ())
    step = max(records * _AT_ONCE // max(before.spec.pairs, 1), 1)
    where = {name: values[name] for name in ("dataset", "epsilon")}
    blocks = (
        store.run("audit/pairs", **where, first=first, last=first + step).rows
        for first in range(0, records, step)
    )
    degrees, triangles = triangles_of(records, blocks)
    _raise_unless_there(store, before)
    mean = (
        fsum(
            2 * found / (degree * (degree - 1))
            for found, degree in zip(triangles, degrees, strict=True)
            if degree > 1
        )
        / records
    )
    row = (records, sum(degrees) // 2, sum(triangles) // 3, mean)
    return _declared(contract, (row,))


def _declared(contract: Query, rows: tuple[Row, ...]) -> Result:
    """Return rows under the columns that a header declares."""
    names, types = zip(*((column.name, column.type) for column in contract.columns), strict=True)
    return Result(names, rows, types)


def find_query(name: str, engine: str | None = None, *, everything: bool = False) -> LibraryQuery:
    """Return the query called ``name``, in the text for ``engine`` where it has one of its own.

    With ``everything`` also one that is not for running, to be looked at.
    """
    if name in PROCEDURES:
        return LibraryQuery(*procedure(name, engine))
    query_found = query(name, engine)
    if query_found.is_part and not query_found.is_step and not everything:
        raise ParameterError(
            "query", name, "a query that is for running", "this one is a part of ratingpriv ingest"
        )
    return LibraryQuery(query_found, (query_found,))


def list_queries(*, everything: bool = False) -> list[LibraryQuery]:
    """Return all queries by name.

    With ``everything`` also the parts of others, and those of upkeep.
    """
    library = [LibraryQuery(one, (one,)) for one in catalogue().values()]
    queries_listed = [
        one for one in library if everything or not (one.id.startswith(UPKEEP) or one.query.is_step)
    ]
    queries_listed += map(find_query, PROCEDURES)
    return sorted(queries_listed, key=lambda one: one.id)


type Question = LibraryQuery | OwnQuery


def find(
    name: str,
    folders: Iterable[str] = (),
    engine: str | None = None,
    *,
    everything: bool = False,
    write: bool = False,
) -> Question:
    """Return the query that is called ``name``."""
    if is_file(name):
        return read_own(name, write=write)
    files = _own_files(folders)
    if name in files:
        return read_own(str(files[name]), id=name, write=write)
    if write:
        expected = "a query of your own: what one of the library writes, ratingpriv query show says"
        raise ParameterError("write", name, expected)
    return find_query(name, engine, everything=everything)


def listed(
    folders: Iterable[str] = (),
    *,
    everything: bool = False,
    refused: Callable[[RatingPrivError], None] | None = None,
) -> list[Question]:
    """Return the queries of the library and of the user's folders, by name; errors as :func:`find`.

    With ``refused`` a file of the user's that is no query leaves the others in the list: it is
    called with the error of each.
    """
    own_questions: list[Question] = []
    for name, path in _own_files(folders).items():
        try:
            own_questions.append(read_own(str(path), id=name))
        except (CatalogueError, DataError, ParameterError) as error:
            if refused is None:
                raise
            refused(error)
    return sorted(
        [*list_queries(everything=everything), *own_questions], key=lambda query: query.id
    )


def _own_files(named: Iterable[str]) -> dict[str, Path]:
    """Return the query files in folders by their names:
    the path in the folder without ``.cypher``.
    """
    folders = tuple(named) or os.environ.get(ENVIRONMENT, "").split(os.pathsep)
    taken: set[str] | None = None
    files: dict[str, Path] = {}
    for folder in filter(None, folders):
        taken = taken or {query.id for query in list_queries(everything=True)}
        root = Path(folder).expanduser()
        if not root.is_dir():
            remedy = "check the path of `library`"
            raise DataError(Problem(folder, "no folder", "a folder of .cypher files", remedy))
        for path in sorted(root.rglob("*.cypher")):
            inside = path.relative_to(root)
            if any(part.startswith(".") for part in inside.parts) or not path.is_file():
                continue
            name = inside.as_posix().removesuffix(".cypher")
            if name in files or name in taken:
                other = f"{files[name]} has it" if name in files else "the library has it"
                expected = f"names that nothing else has: {other}"
                raise ParameterError("library", name, expected, f"rename {path}")
            files[name] = path
    return files


# ---- by way of Graph Data Science ----


def ask_projection(store: GraphStore, found: Query, params: dict[str, Any]) -> Result:
    """Project what ``found``, a text for ``gds``, asks about, return its rows,
    and drop the projection.

    It holds every record and every pair within epsilon [SWLZ11, Def. 4.1], under a name of its own.
    """
    before = store.dataset(params["dataset"])
    named: dict[str, Any] = {"graph": f"ratingpriv {uuid.uuid4().hex}"}
    try:
        where: dict[str, Any] = {name: params[name] for name in ("dataset", "epsilon")}
        made = store.run("schema/gds-project", **where, **named)
        if len(made) != 1 or made.single()[0] != before.spec.records:
            raise QueryFailedError(store.uri, "not every record was projected", "run it again")
        result = store.run(found, **params, **named)
    except BaseException:
        with contextlib.suppress(RatingPrivError):  # the first error is the one to report
            store.run("schema/gds-drop", **named)
        raise
    store.run("schema/gds-drop", **named)
    _raise_unless_there(store, before)
    return result


def _raise_unless_there(store: GraphStore, before: DatasetInfo) -> None:
    if store.dataset(before.spec.name) != before:
        raise QueryFailedError(
            store.uri, f"dataset {before.spec.name!r} was replaced", "run it again"
        )

"""The library's queries as users run them: of one statement, or of several that leave a run.

A *procedure* (a decomposition, a merge, a loan) is of several statements, and what it writes stays, under a
run's name. Each is run by one name, with one contract.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shlex
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import (
    DataError,
    ParameterError,
    Problem,
    QueryFailedError,
    QueryTimedOutError,
    RatingPrivError,
    StoreFullError,
)
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Parameter, Query, catalogue, query, texts_of
from ratingpriv.graph.procedures import PROCEDURES, procedure, run_procedure
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import DatasetInfo, Result
from ratingpriv.graph.texts.own import OwnQuery, is_file, read_own

ENVIRONMENT = "RATINGPRIV_LIBRARY"
_UPKEEP = ("load/", "schema/")
_CLUSTERING, _AT_ONCE = "utility/average-clustering", 250_000  # pairs: some seconds


@dataclass(frozen=True, slots=True)
class LibraryQuery:
    """A query of the library under one contract, of however many statements (``parts``, in their order)."""

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
        """Run it on ``store``, by Graph Data Science where there is a text for it and the server has it.

        Errors as :meth:`GraphStore.run`.
        """
        if self.id in PROCEDURES:
            return run_procedure(store, self.id, progress, bind(self.query, params))
        if "parts" in params or "part" in params:
            return store.run(self.id, **params)
        if (text := texts_of(self.id).get("gds")) is not None and store.has_gds:
            with contextlib.suppress(QueryFailedError, StoreFullError):  # its own text answers all the same
                values = bind(self.query, params)
                names = {parameter.name for parameter in text.params}
                return ask_projection(store, text, {name: values[name] for name in names & values.keys()})
        return _clustering(store, **params) if self.id == _CLUSTERING else store.run(self.id, **params)


def _clustering(store: GraphStore, **params: Any) -> Result:
    """Ask for the average clustering in parts that take seconds; in more where they do not."""
    before = store.dataset(params["dataset"])
    parts, most = 1 + int((before.spec.pairs / _AT_ONCE) ** 1.5), max(before.spec.records, 1)
    for more in (1, 8, 64):
        try:
            answers = [
                store.run(_CLUSTERING, **params, part=part, parts=min(more * parts, most))
                for part in range(min(more * parts, most))
            ]
            break
        except QueryTimedOutError:
            if more == 64:
                raise
    _raise_unless_there(store, before)
    for answer in answers:
        if not len(answer):  # it cannot answer
            return answer
    records, pairs, *_ = answers[0].single()
    triangles, mean = (sum(answer.single()[column] for answer in answers) for column in (2, 3))
    return dataclasses.replace(answers[0], rows=((records, pairs, triangles, mean),))


def find_query(name: str, engine: str | None = None, *, everything: bool = False) -> LibraryQuery:
    """Return the query called ``name``, in the text for ``engine`` where it has one of its own.

    With ``everything`` also one that is not for running, to be looked at.
    """
    if name in PROCEDURES:
        return LibraryQuery(*procedure(name, engine))
    found = query(name, engine)
    if name.startswith(_UPKEEP) and not found.is_read and not everything:
        raise ParameterError(
            "query", name, "a query that is for running", "this one is a part of ratingpriv ingest"
        )
    return LibraryQuery(found, (found,))


def list_queries(*, everything: bool = False) -> list[LibraryQuery]:
    """Return all queries by name; with ``everything`` also the parts of others, and those of upkeep."""
    found = [LibraryQuery(one, (one,)) for one in catalogue().values()]
    kept = [one for one in found if everything or not (one.id.startswith(_UPKEEP) or is_step(one.id))]
    kept += map(find_query, PROCEDURES)
    return sorted(kept, key=lambda one: one.id)


def is_step(name: str) -> bool:
    """Whether a query is a statement of a procedure."""
    return name.startswith(("partition/decompose/", "partition/change/"))


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


def listed(folders: Iterable[str] = (), *, everything: bool = False) -> list[Question]:
    """Return the queries of the library and of the user's folders, by name; errors as :func:`find`."""
    own: list[Question] = [read_own(str(path), id=name) for name, path in _own_files(folders).items()]
    return sorted([*list_queries(everything=everything), *own], key=lambda query: query.id)


def _own_files(named: Iterable[str]) -> dict[str, Path]:
    """Return the query files in folders by their names: the path in the folder without ``.cypher``."""
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


# ---- what a question leaves out and the store knows ----

_USUAL_K = 5
_RUNS = ("load/runs", "partition/decompose makes a run")
_RELEASES = ("load/releases", "ratingpriv ingest RELEASE --release-of DATASET loads a release")
_SENSITIVE = ("load/sensitive-issues", "ratingpriv ingest --sensitive NAME loads a sensitive issue")
_NAMED: Mapping[str | None, tuple[str | None, str]] = {
    "run": _RUNS,
    "complete-run": _RUNS,
    "release": _RELEASES,
    "linked-release": _RELEASES,
    "record": (None, "audit/record-ids lists the ids"),
    "sensitive-issue": _SENSITIVE,
    "numeric-issue": _SENSITIVE,
}
"""By what a parameter names: the query whose first column has all there are, and where one comes from."""

type _Ask = Callable[[Parameter, list[str]], str | None]
"""Asks a person for a value, given those that there are; None where nothing was said."""


def completed(
    store: GraphStore, query: Query, given: Mapping[str, object], ask: _Ask | None = None
) -> dict[str, Any]:
    """Return ``given`` with the parameters that it lacks, as far as the store knows them.

    Only what can be one thing is taken: the only dataset, its only run, release or sensitive issue, and its
    largest ε. k is the one the dataset was ingested with, else 5.
    """
    params = dict(given)
    lacking = {
        param.name: param for param in query.params if param.name not in params and param.default is None
    }

    def fill(parameter: Parameter, choices: list[Any]) -> None:
        if len(choices) == 1:
            params[parameter.name] = choices[0]
        elif ask is not None and (text := ask(parameter, choices)):
            params.update(bind(query, parse_text(query, {parameter.name: text}), partial=True))

    if "dataset" in lacking:
        fill(lacking["dataset"], [stored.spec.name for stored in store.datasets()])
    if isinstance(name := params.get("dataset"), str) and lacking.keys() - params.keys():
        info = store.dataset(name)
        for parameter in lacking.values():
            if parameter.name not in params:
                fill(parameter, _choices(store, query, info, parameter))
    missing = [parameter for parameter in lacking.values() if parameter.name not in params]
    if missing:
        raise _incomplete(query, params, missing)
    return params


def _choices(store: GraphStore, query: Query, info: DatasetInfo, parameter: Parameter) -> list[Any]:
    """Return what a parameter can be in a dataset, as far as that can be listed."""
    known = {
        "epsilon": info.spec.epsilon_max,
        "k": info.spec.k or _USUAL_K,
        "rating_unit": 0.0,  # ratings are compared as they are, with epsilon itself
        "reach": info.spec.epsilon_max,
        "first": 0,
        "last": info.spec.records,
    }
    if parameter.name in known:
        return [known[parameter.name]]
    listing, _ = _NAMED.get(parameter.names, (None, ""))
    if listing is None or not query.is_read:  # nobody removes the only run without naming it
        return []
    return [row[0] for row in store.run(listing, dataset=info.spec.name).rows]


def parameter_text(value: Any) -> str:
    """Return a value as a command line takes it."""
    if isinstance(value, float):
        return in_full(value)
    return value if isinstance(value, str) else json.dumps(value)


def _incomplete(query: Query, params: Mapping[str, Any], missing: list[Parameter]) -> ParameterError:
    """Return the error that names everything that is missing."""
    needed = "; ".join(f"{one.name}, {one.meaning}" for one in missing)
    words = [f"-p {shlex.quote(f'{name}={parameter_text(value)}')}" for name, value in params.items()]
    words += [f"-p {one.name}={one.name.upper()}" for one in missing]
    expected = f"{len(missing)} more parameters ({needed})" if len(missing) > 1 else needed
    hints = [f"ratingpriv query run {query.id} {' '.join(words)}"]
    hints += dict.fromkeys(_NAMED[one.names][1] for one in missing if one.names in _NAMED)
    return ParameterError(missing[0].name, None, expected, "; ".join(hints))


# ---- by way of Graph Data Science ----


def ask_projection(store: GraphStore, found: Query, params: dict[str, Any]) -> Result:
    """Project what ``found``, a text for ``gds``, asks about, return its rows, and drop the projection.

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
        raise QueryFailedError(store.uri, f"dataset {before.spec.name!r} was replaced", "run it again")

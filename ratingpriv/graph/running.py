"""What every graph store is and does alike: queries are checked before an engine sees them,
rows shaped.

A query of something that is not there has no rows, which in an audit reads as "nothing was found".
So every parameter whose header says ``of record`` (and so on, see
:data:`ratingpriv.graph.catalogue.NAMED`) is looked up before the query is run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

from ratingpriv.base.errors import (
    DataError,
    DatasetIncompleteError,
    ParameterError,
    Problem,
    QueryFailedError,
    UnknownDatasetError,
)
from ratingpriv.graph import loading
from ratingpriv.graph.binding import bind
from ratingpriv.graph.catalogue import Parameter, Query, catalogue, query
from ratingpriv.graph.datasets import check_fits, info_of
from ratingpriv.graph.store import DatasetInfo, DatasetSpec, Engine, Result, Row, Runner
from ratingpriv.graph.texts.contents import leaving_datasets
from ratingpriv.graph.texts.guarding import UNNAMED, Plan, check_plan
from ratingpriv.graph.texts.own import OwnQuery, own_query


class Answer(NamedTuple):
    """The columns and rows of a text, and what it changed, by the names of ``CHANGES``."""

    columns: list[str]
    rows: list[Row]
    changes: Mapping[str, int]


type Ask = Callable[[Query, dict[str, Any]], Answer]
"""Has an engine answer a text with its parameters, as they are."""

CHANGES = tuple(
    "nodes_created nodes_deleted relationships_created relationships_deleted properties_set "
    "labels_added labels_removed".split()
)
"""What a statement may change, as the engines count it."""

_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)*")

PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between the tries to ask something of a dataset that is being replaced."""


class GraphStore(ABC):
    """A property graph that answers the catalogue's queries and takes datasets in.

    What differs between engines is abstract: their transactions, and how a dataset is loaded.

    Attributes
    ----------
    engine : ``neo4j`` or ``embedded``
    uri : where it is, never with credentials
    mode : ``read`` never changes anything
    snapshots : whether a statement sees all of another transaction or nothing of it. A server's
        does not: one that runs beside the change of two datasets finds some records of each.
    removal : the statements by which a dataset is removed, a batch at a time
    cautions : what its user should know about the store itself, a sentence each
    """

    engine: Engine
    uri: str
    mode: Literal["write", "read"]
    snapshots: bool
    removal: tuple[str, ...]
    cautions: tuple[str, ...] = ()

    @property
    def has_gds(self) -> bool:
        """Whether it can count in memory by Graph Data Science, a plug-in of Neo4j servers."""
        return False

    @abstractmethod
    def version(self) -> str:
        """Product, version and edition, e.g. ``Neo4j 5.26.30 community``."""

    @abstractmethod
    def begin_dataset(
        self, spec: DatasetSpec, base: DatasetSpec | None = None
    ) -> loading.DatasetSink:
        """Start to load a dataset, or resume a broken-off load of an equal spec.

        ``base`` : the dataset of this name as it is in the store, to which only the rest is added
        """

    @abstractmethod
    def close(self) -> None:
        """Release the file or the connections; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def _ask(self, contract: Query, values: dict[str, Any]) -> Answer:
        """Run one text in a transaction of its own, which writes where the contract does."""

    @abstractmethod
    def _transact[T](
        self,
        work: Callable[[Ask], T],
        contract: Query | None,
        *,
        read: bool = False,
        once: bool = False,
    ) -> T:
        """Run ``work`` in one transaction, for messages that of ``contract``.

        ``read``: one that leaves nothing behind; ``once``: not again where it is not known whether
        it is in.
        """

    @abstractmethod
    def _explained(self, contract: Query, values: dict[str, Any] | None) -> tuple[str, Plan]:
        """Return the plan that the engine makes of a text, in its words and ours.

        QueryFailedError: none.
        """

    def run(
        self, asked: Query | OwnQuery | str, /, *, write: bool = False, **params: Any
    ) -> Result:
        """Run a query of the catalogue (or its id) with ``params``, or a text of Cypher.

        A text is read-only unless ``write``: its plan is looked at first, and it runs in the
        store's read mode, or in a transaction that is not committed. With ``write`` it may add to
        the graph what it likes, but what was ingested stays as it is, or nothing is written
        (ParameterError). It never reads files, changes the schema or calls what has other effects
        (:mod:`ratingpriv.graph.texts.guarding`). Where it has a parameter ``dataset``, that is
        checked as for a query of the catalogue, and so is ``epsilon``.

        In this order: the parameters are bound (:func:`ratingpriv.graph.binding.bind`); a query
        with a parameter ``dataset`` gets its dataset checked: it must exist (UnknownDatasetError),
        be complete (DatasetIncompleteError), reach as far as a parameter ``epsilon``
        (ParameterError), and hold all pairs unless the query's header says ``PROXIMATE-AT-RISK``
        (ParameterError). Then what the parameters name by the header, such as a record, is looked
        up in it (ParameterError), and the engine sees the query.
        """
        resolved = resolve(asked, self.engine)
        if isinstance(resolved, Query):
            return answered(self, resolved, params, self._ask)
        resolved_own, changes = resolved, dict.fromkeys(CHANGES, 0)

        def ask(contract: Query, values: dict[str, Any]) -> Answer:
            try:
                plan = self._explained(resolved_own.query, values)[1]
            except QueryFailedError as error:
                raise self._no_plan(resolved_own, error) from error
            check_plan(plan, resolved_own.statement, resolved_own.id, write=write)

            def work(execute: Ask) -> Answer:
                if not write:
                    return execute(contract, values)
                return leaving_datasets(
                    self._runner(execute), resolved_own.statement, lambda: execute(contract, values)
                )

            answer = self._transact(work, contract, read=not write, once=write)
            changes.update({name: answer.changes.get(name, 0) for name in CHANGES})
            return answer

        # how often to ask
        contract = dataclasses.replace(resolved_own.query, writes=("graph",) if write else ())
        result = answered(self, contract, params, ask)
        return dataclasses.replace(result, changes=changes if write else None)

    def _no_plan(self, own: OwnQuery, error: QueryFailedError) -> Exception:
        """Return the error for a text of the user's that the engine cannot make a plan of."""
        actual = f"a statement that the store refuses ({error.found})"
        return DataError(Problem(own.id, actual, "Cypher that it takes"))

    def explain(self, asked: Query | OwnQuery | str, /, **params: Any) -> str:
        """Return the engine's plan of a query, which it did parse; nothing is run."""
        resolved = resolve(asked, self.engine)
        contract = resolved.query if isinstance(resolved, OwnQuery) else resolved
        return self._explained(contract, bind(contract, params) if params else None)[0]

    def one(self, query_id: str, /, **params: Any) -> list[Row]:
        """Run one statement of the catalogue in a transaction of its own,
        and look at nothing before.
        """
        return self._runner(self._ask)(query_id, **params)

    def atomically[T](self, work: Callable[[Runner], T]) -> T:
        """Run ``work`` in one transaction; it is run again when a failure was transient."""
        return self._transact(lambda ask: work(self._runner(ask)), None)

    def _runner(self, ask: Ask) -> Runner:
        def run(query_id: str, /, **params: Any) -> list[Row]:
            library_query = query(query_id, self.engine)
            return ask(library_query, bind(library_query, params)).rows

        return run

    def datasets(self) -> list[DatasetInfo]:
        """Return every dataset, by name, those with a broken-off first load included."""
        return loading.infos(self)

    def dataset(self, name: str) -> DatasetInfo:
        """Return one dataset; UnknownDatasetError names those that there are."""
        rows = self.one("load/dataset", name=name)
        if rows and rows[0][0].get("complete") is True:
            return info_of(self, rows[0][0], None)
        infos = {info.spec.name: info for info in self.datasets()}
        if name not in infos:
            raise UnknownDatasetError(name, list(infos))
        return infos[name]

    def drop(self, name: str) -> None:
        """Remove a dataset, and any load of its name, without touching others.

        UnknownDatasetError.
        """
        loading.drop(self, name)

    @functools.cached_property
    def whole(self) -> set[tuple[object, ...]]:
        """Which units were found to make the ratings of which load whole; to be added to."""
        return set()


def answered(store: GraphStore, contract: Query, params: Mapping[str, Any], ask: Ask) -> Result:
    """Check a query, ``ask`` it, and see that what it was asked of did not change meanwhile.

    A server's statement may see a part of what another one is writing. So whatever the question is
    about is looked at before and after, and the question asked again where it changed.
    """
    values = bind(contract, params)
    for pause in PAUSES:
        try:
            seen = _seen(store, contract, values)
        except DatasetIncompleteError:
            there = store.one("load/dataset", name=values["dataset"])
            # it may change places with its successor
            if not (there and there[0][0].get("complete") is True):
                raise
        else:
            columns, rows, _ = ask(contract, values)
            with contextlib.suppress(ParameterError, DatasetIncompleteError):
                # what it wrote may be anything
                after = _seen(store, contract, values, named=contract.is_read)
                if after == seen[: len(after)]:
                    return checked_result(store.uri, contract, columns, rows)
            if not contract.is_read:
                what = f"dataset {values['dataset']!r} was changed while {contract.id} wrote to it"
                raise QueryFailedError(store.uri, what, "run it again")
        time.sleep(pause)
    _seen(store, contract, values)  # it may be gone by now
    what = f"dataset {values['dataset']!r} is being replaced"
    raise DatasetIncompleteError(
        store.uri, what, "try again later; if no load is running, run its ratingpriv ingest again"
    )


def _seen(
    store: GraphStore, contract: Query, values: dict[str, Any], *, named: bool = True
) -> tuple[object, ...]:
    """Check what a query is asked of, and return how that is; equal unless it was changed."""
    if not isinstance(values.get("dataset"), str):
        return ()
    info = store.dataset(values["dataset"])
    if not named:
        return (info,)
    check_fits(info, contract, values, store.uri)
    released, seen = check_named(store, info, contract, values)
    infos = [info, *(store.dataset(name) for name in released)]
    for dataset in infos[1:]:
        check_fits(dataset, contract, values, store.uri)
    return (*infos, *seen)


def is_name(text: str) -> bool:
    """Whether a text is the name of a query: letters, digits, ``-._/``,
    which no statement of Cypher is.
    """
    return _NAME.fullmatch(text) is not None


def resolve(named: Query | OwnQuery | str, engine: Engine) -> Query | OwnQuery:
    """Find the text for ``engine`` of a query of the library.

    A query from elsewhere stays as it is.

    A text that cannot be a name is a query of the user's own.
    """
    if isinstance(named, str):
        return query(named, engine) if is_name(named) else own_query(named, UNNAMED)
    if isinstance(named, OwnQuery):
        return named
    return query(named.id, engine) if catalogue().get(named.id) == named else named


def checked_result(
    uri: str, contract: Query, columns: list[str], rows: list[tuple[Any, ...]]
) -> Result:
    """Wrap rows in a Result whose columns are those that the header declares."""
    declared = tuple(column.name for column in contract.columns)
    if not declared:  # a text without a header, or a statement that returns nothing
        return Result(tuple(columns), tuple(rows))
    if tuple(columns) != declared:
        names, wanted = ", ".join(columns), ", ".join(declared)
        actual = (
            f"query {contract.id} returned the columns {names}, and its header declares {wanted}"
        )
        raise QueryFailedError(uri, actual, f"correct {contract.path}")
    return Result(declared, tuple(rows), tuple(column.type for column in contract.columns))


# ---- what a query names is in the dataset, or it is not asked ----

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)  # of 64 bits

_RUN = ("a run", "partition/runs/list", "load/runs")
_RELEASE = ("a release", "anonymize/releases", "load/releases")
_ISSUE = ("a sensitive item", "audit/sensitive-levels", "load/sensitive-issues")
_NAMED = {
    "record": ("a record", "audit/record-ids", ""),
    "hamming-group": ("a Hamming group", "audit/hamming-groups", ""),
    "sensitive-issue": _ISSUE,
    "numeric-issue": _ISSUE,
    "run": _RUN,
    "complete-run": _RUN,
    "release-run": _RUN,
    "release": _RELEASE,
    "linked-release": _RELEASE,
    "swapped-release": _RELEASE,
}
"""By what a parameter names: that in words, the query that lists what there is, and the one that
reads it.
"""


def check_named(
    store: GraphStore, info: DatasetInfo, query: Query, values: dict[str, Any]
) -> tuple[tuple[str, ...], tuple[object, ...]]:
    """Refuse a query of something that the dataset does not have.

    A record named by a whole number is the one whose id is a text of the same digits where no id is
    that number, and the other way round; ``values`` is corrected then.
    """
    dataset = info.spec.name
    released: list[str] = []
    seen: list[object] = []
    for parameter in query.params:
        name = parameter.name
        value: Any = values[name]
        match parameter.names:
            case None:
                pass
            case "record":
                several = parameter.type.startswith("LIST")
                ids = _records(store, info, query, parameter, value if several else [value])
                values[name] = ids if several else ids[0]
            case "hamming-group":
                if not store.one("load/named-groups", dataset=dataset, values=[value]):
                    raise _missing(parameter, value, dataset)
            case "sensitive-issue" | "numeric-issue":
                (labels,) = _there(store, dataset, parameter, value)
                if parameter.names == "numeric-issue" and labels is not None:
                    what = (
                        f"a sensitive item of numbers of dataset {dataset!r}: this one is nominal"
                    )
                    raise ParameterError(name, value, what, "ask audit/inference")
            case "rating-unit":
                _check_unit(store, info, parameter, value)
            case "run" | "complete-run" | "release-run":
                of = released[-1] if parameter.names == "release-run" else dataset
                run = _there(store, of, parameter, value)
                if parameter.names != "run" and not run[0]:
                    what = f"a run of dataset {of!r} that is complete: this one was broken off, "
                    what += "or is under way"
                    raise ParameterError(name, value, what, "partition/decompose makes it again")
                seen.append(run)
            case _:
                release = _there(store, dataset, parameter, value)
                complete, linked, of, swapped, *_ = release
                what = f"a release of dataset {dataset!r} "
                if not complete:
                    what += "that was loaded to its end: this one was not"
                    raise ParameterError(name, value, what, "run its ratingpriv ingest again")
                if parameter.names == "linked-release" and swapped:
                    what += (
                        "that is not by swap: this one ties groups of people to groups of records"
                    )
                    raise ParameterError(name, value, what, "ask anonymize/swapped for its groups")
                if parameter.names == "linked-release" and not linked:
                    what += "with its key: this one came without"
                    raise ParameterError(name, value, what, "ingest it again with its `key`")
                if parameter.names == "swapped-release" and not swapped:
                    what += "by swap, with its key: this one has no groups"
                    raise ParameterError(name, value, what, "ingest one with its `key`")
                seen.append(release)
                released.append(str(of))
    return tuple(released), tuple(seen)


def _records(
    store: GraphStore, info: DatasetInfo, query: Query, parameter: Parameter, ids: list[Any]
) -> list[Any]:
    """Return the ids as the dataset has them; ParameterError where it does not."""
    names = [(id_, _other(id_)) if type(id_) in (str, int) else () for id_ in ids]
    names_asked = [name for either in names for name in either if name is not None]
    rows = (
        store.one("load/named-records", dataset=info.spec.name, values=names_asked)
        if names_asked
        else []
    )
    pairs_of = {(type(id_), id_): pairs for id_, pairs in rows}
    records = []
    for id_, either in zip(ids, names, strict=True):
        labels = [name for name in either if (type(name), name) in pairs_of]
        if not labels:
            raise _missing(parameter, id_, info.spec.name, pseudonym=info.spec.pseudonymized)
        if "PROXIMATE-AT-RISK" in query.reads and not pairs_of[type(labels[0]), labels[0]]:
            raise ParameterError(
                parameter.name,
                labels[0],
                f"a record at risk: dataset {info.spec.name!r} holds only the pairs of records "
                f"with fewer "
                f"than {info.spec.k} in their neighbourhood",
                "ingest it again with `edges='all'`",
            )
        records.append(labels[0])
    return records


def _other(id_: str | int) -> str | int | None:
    """Return the same id as a text, or as the whole number that it spells.

    None if it spells none.
    """
    if isinstance(id_, int):
        return str(id_)
    return int(id_) if _WHOLE.fullmatch(id_) else None


def _check_unit(store: GraphStore, info: DatasetInfo, parameter: Parameter, unit: float) -> None:
    """Refuse a unit that rounds a rating: records that are apart would be compared as equal."""
    question = (info.spec.name, info.created_at, info.spec.fingerprint, unit)
    if unit == 0 or question in store.whole:
        return
    if store.one("load/not-whole", dataset=info.spec.name, unit=unit)[0][0]:
        what = (
            "10 to the number of decimals of the ratings, so that each times it is a whole number"
        )
        raise ParameterError(parameter.name, unit, what, "1 for whole ratings, 10 for one decimal")
    store.whole.add(question)


def _there(store: GraphStore, dataset: str, parameter: Parameter, name: str) -> Row:
    """Return what the dataset says of the run, the release or the issue of this name."""
    rows = {row[0]: row[1:] for row in store.one(_NAMED[str(parameter.names)][2], dataset=dataset)}
    if name not in rows:
        raise _missing(parameter, name, dataset, list(rows))
    return rows[name]


def _missing(
    parameter: Parameter,
    value: object,
    dataset: str,
    known: Sequence[str] = (),
    *,
    pseudonym: bool = False,
) -> ParameterError:
    what, listing, _ = _NAMED[str(parameter.names)]
    near = difflib.get_close_matches(str(value), known, n=3, cutoff=0.5)
    listed = f"ratingpriv query run {listing} lists them"
    hint = f"did you mean {' or '.join(map(repr, near))}? {listed}" if near else listed
    what = "the pseudonym of a record" if pseudonym else what
    return ParameterError(parameter.name, value, f"{what} of dataset {dataset!r}", hint)

"""What every store does alike: check a query before its engine sees it, shape the rows, keep its datasets.

A query of something that is not there has no rows, which in an audit reads as "nothing was found". So every
parameter whose header says ``of record`` (and so on, see :data:`ratingpriv.graph.catalogue.NAMED`) is looked
up before the query is run.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

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
from ratingpriv.graph.store import DatasetInfo, Engine, Result
from ratingpriv.graph.texts.guarding import UNNAMED
from ratingpriv.graph.texts.own import OwnQuery, own_query

type Answer = tuple[list[str], list[loading.Row], dict[str, int]]
"""The columns and rows of a text, and what it changed."""
type Ask = Callable[[Query, dict[str, Any]], Answer]

CHANGES = tuple(
    "nodes_created nodes_deleted relationships_created relationships_deleted properties_set "
    "labels_added labels_removed".split()
)
"""What a statement may change, as the engines count it."""

_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)*")

PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between the tries to ask something of a dataset that is being replaced."""


def _one_dataset(store: loading.LoadableStore, name: str) -> DatasetInfo:
    """Read one dataset; UnknownDatasetError names those that there are."""
    there = store.one("load/dataset", name=name)
    if not there:
        raise UnknownDatasetError(name, [info.spec.name for info in loading.infos(store)])
    if there[0][0].get("complete") is True:
        return info_of(store, there[0][0], None)
    return next(info for info in loading.infos(store) if info.spec.name == name)


def answered(
    store: loading.LoadableStore,
    contract: Query,
    params: Mapping[str, Any],
    ask: Callable[[Query, dict[str, Any]], tuple[list[str], list[loading.Row]]],
) -> Result:
    """Check a query, ``ask`` it, and see that what it was asked of did not change meanwhile.

    A server's statement may see a part of what another one is writing. So whatever the question is about is
    looked at before and after, and the question asked again where it changed.
    """
    values = bind(contract, params)
    for pause in PAUSES:
        try:
            seen = _seen(store, contract, values)
        except DatasetIncompleteError:
            there = store.one("load/dataset", name=values["dataset"])
            if not (there and there[0][0].get("complete") is True):  # it may change places with its successor
                raise
        else:
            columns, rows = ask(contract, values)
            with contextlib.suppress(ParameterError, DatasetIncompleteError):
                after = _seen(
                    store, contract, values, named=contract.is_read
                )  # what it wrote may be anything
                if after == seen[: len(after)]:
                    return checked_result(store.uri, contract, columns, rows)
            if not contract.is_read:
                what = f"dataset {values['dataset']!r} was changed while {contract.id} wrote to it"
                raise QueryFailedError(store.uri, what, "run it again")
        time.sleep(pause)
    _seen(store, contract, values)  # it may be gone by now
    what = f"dataset {values['dataset']!r} is being replaced"
    raise DatasetIncompleteError(
        store.uri, what, "ask again later; if nobody loads it, run its ratingpriv ingest again"
    )


def answered_own(
    store: loading.LoadableStore, own: OwnQuery, params: Mapping[str, Any], ask: Ask, *, write: bool
) -> Result:
    """Check and ask a text of the user's own as :func:`answered` does, and say what it changed."""
    changes: dict[str, int] = {}

    def asking(contract: Query, values: dict[str, Any]) -> tuple[list[str], list[loading.Row]]:
        columns, rows, counted = ask(contract, values)
        changes.update({name: counted.get(name, 0) for name in CHANGES})
        return columns, rows

    query = dataclasses.replace(own.query, writes=("graph",) if write else ())  # which says how often to ask
    result = answered(store, query, params, asking)
    return dataclasses.replace(result, changes=changes if write else None)


def not_understood(own: OwnQuery, said: str) -> DataError:
    """Return the error for a text that the engine cannot make a plan of."""
    return DataError(Problem(own.id, f"a statement that the store refuses ({said})", "Cypher that it takes"))


def _seen(
    store: loading.LoadableStore, contract: Query, values: dict[str, Any], *, named: bool = True
) -> tuple[object, ...]:
    """Check what a query is asked of, and return how that is; equal unless it was changed."""
    if not isinstance(values.get("dataset"), str):
        return ()
    info = _one_dataset(store, values["dataset"])
    if not named:
        return (info,)
    check_fits(info, contract, values, store.uri)
    released, seen = check_named(store, info, contract, values)
    infos = [info, *(_one_dataset(store, name) for name in released)]
    for dataset in infos[1:]:
        check_fits(dataset, contract, values, store.uri)
    return (*infos, *seen)


def is_name(text: str) -> bool:
    """Whether a text is the name of a query: letters, digits, ``-._/``, which no statement of Cypher is."""
    return _NAME.fullmatch(text) is not None


def resolve(named: Query | OwnQuery | str, engine: Engine) -> Query | OwnQuery:
    """Find the text for ``engine`` of a query of the library; a query from elsewhere stays as it is.

    A text that cannot be a name is a query of the user's own.
    """
    if isinstance(named, str):
        return query(named, engine) if is_name(named) else own_query(named, UNNAMED)
    if isinstance(named, OwnQuery):
        return named
    return query(named.id, engine) if catalogue().get(named.id) == named else named


def contract_of(named: Query | OwnQuery) -> Query:
    """Return what a query promises, be it of the library or the user's own."""
    return named.query if isinstance(named, OwnQuery) else named


def checked_result(uri: str, contract: Query, columns: list[str], rows: list[tuple[Any, ...]]) -> Result:
    """Wrap rows in a Result whose columns are those that the header declares."""
    declared = tuple(column.name for column in contract.columns)
    if not declared:  # a text without a header, or a statement that returns nothing
        return Result(tuple(columns), tuple(rows))
    if tuple(columns) != declared:
        names, wanted = ", ".join(columns), ", ".join(declared)
        found = f"query {contract.id} returned the columns {names}, and its header declares {wanted}"
        raise QueryFailedError(uri, found, f"correct {contract.path}")
    return Result(declared, tuple(rows), tuple(column.type for column in contract.columns))


class StoredDatasets:
    """The part of a :class:`~ratingpriv.graph.store.GraphStore` that needs nothing of its engine."""

    cautions: tuple[str, ...] = ()

    @functools.cached_property
    def whole(self) -> set[tuple[object, ...]]:
        """Which units were found to make the ratings of which load whole; to be added to."""
        return set()

    @property
    def has_gds(self) -> bool:
        """Whether it can count in memory by Graph Data Science."""
        return False

    def datasets(self: loading.LoadableStore) -> list[DatasetInfo]:
        """Return every dataset, by name."""
        return loading.infos(self)

    def dataset(self: loading.LoadableStore, name: str) -> DatasetInfo:
        """Return one dataset; UnknownDatasetError names those that there are."""
        return _one_dataset(self, name)

    def drop(self: loading.LoadableStore, name: str) -> None:
        """Remove a dataset and any load of its name."""
        loading.drop(self, name)

    def __enter__(self) -> Self:
        return self


# ---- what a query names is in the dataset, or it is not asked ----

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)  # of 64 bits

_LISTED = {
    "record": "audit/record-ids",
    "hamming-group": "audit/hamming-groups",
    "sensitive-issue": "audit/sensitive-levels",
    "run": "partition/runs/list",
    "release": "anonymize/releases",
}
"""The query that lists what there is."""


def check_named(
    store: loading.LoadableStore, info: DatasetInfo, query: Query, values: dict[str, Any]
) -> tuple[tuple[str, ...], tuple[object, ...]]:
    """Refuse a query of something that the dataset does not have.

    A record named by a whole number is the one whose id is a text of the same digits where no id is that
    number, and the other way round; ``values`` is corrected then.
    """
    released: list[str] = []
    seen: list[object] = []
    for parameter in query.params:
        if parameter.names is None:
            continue
        value = values[parameter.name]
        if parameter.names == "record":
            listed = parameter.type.startswith("LIST")
            ids = _records(store, info, query, parameter, value if listed else [value])
            values[parameter.name] = ids if listed else ids[0]
        elif parameter.names == "hamming-group":
            if not store.one("load/named-groups", dataset=info.spec.name, values=[value]):
                raise _missing(parameter, value, "a Hamming group", info.spec.name, "hamming-group")
        elif parameter.names in ("sensitive-issue", "numeric-issue"):
            labels: dict[str, Any] = dict(store.one("load/sensitive-issues", dataset=info.spec.name))
            if value not in labels:
                raise _missing(
                    parameter, value, "a sensitive issue", info.spec.name, "sensitive-issue", list(labels)
                )
            if parameter.names == "numeric-issue" and labels[value] is not None:
                what = f"a sensitive issue of numbers of dataset {info.spec.name!r}: this one is nominal"
                raise ParameterError(parameter.name, value, what, "ask audit/inference")
        elif parameter.names == "rating-unit":
            _check_unit(store, info, parameter, value)
        elif parameter.names in ("run", "complete-run"):
            seen.append(_run(store, info.spec.name, parameter, value))
        elif parameter.names == "release-run":
            seen.append(_run(store, released[-1], parameter, value))
        else:
            seen.append(_release(store, info, parameter, value))
            released.append(str(seen[-1][2]))  # type: ignore[index]
    return tuple(released), tuple(seen)


def _records(
    store: loading.LoadableStore, info: DatasetInfo, query: Query, parameter: Parameter, ids: list[Any]
) -> list[Any]:
    """Return the ids as the dataset has them; ParameterError where it does not."""
    scalars = [id_ for id_ in ids if isinstance(id_, str | int) and not isinstance(id_, bool)]
    scalars += [other for id_ in scalars if (other := _other(id_)) is not None]
    rows = store.one("load/named-records", dataset=info.spec.name, values=scalars) if scalars else []
    pairs_of = {(type(id_), id_): pairs for id_, pairs in rows}
    ids = [_as_there(id_, pairs_of) for id_ in ids]
    for id_ in ids:
        if not isinstance(id_, str | int) or (type(id_), id_) not in pairs_of:
            what = "a record"
            if info.spec.pseudonymized:
                what = "the pseudonym of a record"
            raise _missing(parameter, id_, what, info.spec.name, "record")
        if "PROXIMATE-AT-RISK" in query.reads and not pairs_of[type(id_), id_]:
            raise ParameterError(
                parameter.name,
                id_,
                f"a record at risk: dataset {info.spec.name!r} holds only the pairs of records with fewer "
                f"than {info.spec.k} in their neighbourhood",
                "ingest it again with `edges='all'`",
            )
    return ids


def _other(id_: str | int) -> str | int | None:
    """Return the same id as a text, or as the whole number that it spells; None if it spells none."""
    if isinstance(id_, int):
        return str(id_)
    return int(id_) if _WHOLE.fullmatch(id_) else None


def _as_there(id_: Any, pairs_of: Mapping[tuple[type, Any], Any]) -> Any:
    """Return an id as the dataset has it, a text or a number, where it has only one of the two."""
    if not isinstance(id_, str | int) or isinstance(id_, bool) or (type(id_), id_) in pairs_of:
        return id_
    other = _other(id_)
    return other if (type(other), other) in pairs_of else id_


def _check_unit(store: loading.LoadableStore, info: DatasetInfo, parameter: Parameter, unit: float) -> None:
    """Refuse a unit that rounds a rating: records that are apart would be compared as equal."""
    question = (info.spec.name, info.created_at, info.spec.fingerprint, unit)
    if unit == 0 or question in store.whole:
        return
    if store.one("load/not-whole", dataset=info.spec.name, unit=unit)[0][0]:
        what = "10 to the number of decimals of the ratings, so that each times it is a whole number"
        raise ParameterError(parameter.name, unit, what, "1 for whole ratings, 10 for one decimal")
    store.whole.add(question)


def _run(store: loading.LoadableStore, dataset: str, parameter: Parameter, name: str) -> tuple[Any, ...]:
    runs = {row[0]: row[1:] for row in store.one("load/runs", dataset=dataset)}
    if name not in runs:
        raise _missing(parameter, name, "a run", dataset, "run", list(runs))
    if parameter.names != "run" and not runs[name][0]:
        raise ParameterError(
            parameter.name,
            name,
            f"a run of dataset {dataset!r} that is complete: this one was broken off, or is under way",
            "partition/decompose makes it again",
        )
    return runs[name]


def _release(
    store: loading.LoadableStore, info: DatasetInfo, parameter: Parameter, name: str
) -> tuple[Any, ...]:
    releases = {row[0]: row[1:] for row in store.one("load/releases", dataset=info.spec.name)}
    if name not in releases:
        raise _missing(parameter, name, "a release", info.spec.name, "release", list(releases))
    complete, linked, *_ = releases[name]
    if not complete or (parameter.names == "linked-release" and not linked):
        what, remedy = (
            ("with its key: this one came without", "ingest it again with its `key`")
            if complete
            else ("that was loaded to its end: this one was not", "run its ratingpriv ingest again")
        )
        raise ParameterError(parameter.name, name, f"a release of dataset {info.spec.name!r} {what}", remedy)
    return releases[name]


def _missing(
    parameter: Parameter,
    value: object,
    what: str,
    dataset: str,
    kind: str,
    known: list[str] | None = None,
) -> ParameterError:
    near = difflib.get_close_matches(str(value), known or (), n=3, cutoff=0.5)
    listed = f"ratingpriv query run {_LISTED[kind]} lists them"
    hint = f"did you mean {' or '.join(map(repr, near))}? {listed}" if near else listed
    return ParameterError(parameter.name, value, f"{what} of dataset {dataset!r}", hint)

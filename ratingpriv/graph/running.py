"""What every store does alike: check a query before its engine sees it, shape the rows, keep its datasets."""

from __future__ import annotations

import contextlib
import dataclasses
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
from ratingpriv.graph.catalogue import Query, catalogue, query
from ratingpriv.graph.datasets import check_fits, info_of
from ratingpriv.graph.naming import check_named
from ratingpriv.graph.store import DatasetInfo, Engine, Result
from ratingpriv.graph.texts.guarding import UNNAMED
from ratingpriv.graph.texts.own import OwnQuery, own_query

type Answer = tuple[list[str], list[loading.Row], dict[str, int]]
"""The columns and rows of a text, and what it changed."""
type Ask = Callable[[Query, dict[str, Any]], Answer]

CHANGES = (
    "nodes_created", "nodes_deleted", "relationships_created", "relationships_deleted", "properties_set",
    "labels_added", "labels_removed",
)  # fmt: skip
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

    Raises
    ------
    DatasetIncompleteError
        It is being replaced, or was changed every time.
    QueryFailedError
        It was changed while a query wrote to it.
    """
    values = bind(contract, params)
    for pause in PAUSES:
        try:
            seen = _seen(store, contract, values)
        except DatasetIncompleteError:
            if not _was_changing(store, values):
                raise
        else:
            columns, rows = ask(contract, values)
            with contextlib.suppress(ParameterError, DatasetIncompleteError):
                after = _seen(store, contract, values) if contract.is_read else _dataset_seen(store, values)
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


def _was_changing(store: loading.LoadableStore, values: Mapping[str, Any]) -> bool:
    """Whether a dataset that is not complete only changes places with its successor, or did so just now."""
    there = store.one("load/dataset", name=values["dataset"])
    return bool(there) and there[0][0].get("complete") is True


def _dataset_seen(store: loading.LoadableStore, values: dict[str, Any]) -> tuple[object, ...]:
    """Return how a dataset is; what a query wrote to it may be anything."""
    return (_one_dataset(store, values["dataset"]),) if isinstance(values.get("dataset"), str) else ()


def _seen(store: loading.LoadableStore, contract: Query, values: dict[str, Any]) -> tuple[object, ...]:
    """Check what a query is asked of, and return how that is; equal unless it was changed."""
    if not isinstance(values.get("dataset"), str):
        return ()
    info = _one_dataset(store, values["dataset"])
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

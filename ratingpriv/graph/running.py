"""What every store does alike: check a query before its engine sees it, shape the rows, keep its datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ratingpriv.errors import QueryFailedError, UnknownDatasetError
from ratingpriv.graph import loading
from ratingpriv.graph.binding import bind
from ratingpriv.graph.catalogue import Query, catalogue, query
from ratingpriv.graph.datasets import check_fits, info_of
from ratingpriv.graph.naming import check_named
from ratingpriv.graph.store import DatasetInfo, Engine, Result

__all__ = ["StoredDatasets", "bound_query", "checked_result", "resolve"]


def _one_dataset(store: loading.LoadableStore, name: str) -> DatasetInfo:
    """Read one dataset; UnknownDatasetError names those that there are."""
    there = store.one("load/dataset", name=name)
    if not there:
        raise UnknownDatasetError(name, [info.spec.name for info in loading.infos(store)])
    if there[0][0].get("complete") is True:
        return info_of(there[0][0], None)
    return next(info for info in loading.infos(store) if info.spec.name == name)


def bound_query(
    store: loading.LoadableStore, engine: Engine, asked: Query | str, params: Mapping[str, Any]
) -> tuple[Query, dict[str, Any]]:
    """Find the text for this engine, bind the parameters, check the dataset: before the engine sees it."""
    found = resolve(asked, engine)
    values = bind(found, params)
    if isinstance(values.get("dataset"), str):
        info = _one_dataset(store, values["dataset"])
        check_fits(info, found, values, store.uri)
        for released in check_named(store, info, found, values):
            check_fits(_one_dataset(store, released), found, values, store.uri)
    return found, values


def resolve(asked: Query | str, engine: Engine) -> Query:
    """Find the text for ``engine`` of a query of the library; a query from elsewhere stays as it is."""
    if isinstance(asked, str):
        return query(asked, engine)
    return query(asked.id, engine) if catalogue().get(asked.id) == asked else asked


def checked_result(uri: str, asked: Query, columns: list[str], rows: list[tuple[Any, ...]]) -> Result:
    """Wrap rows in a Result whose columns are those that the header declares."""
    declared = tuple(column.name for column in asked.columns)
    if declared and tuple(columns) != declared:
        names, wanted = ", ".join(columns), ", ".join(declared)
        found = f"query {asked.id} returned the columns {names}, and its header declares {wanted}"
        raise QueryFailedError(uri, found, f"correct {asked.path}")
    return Result(declared, tuple(rows))


class StoredDatasets:
    """The part of a :class:`~ratingpriv.graph.store.GraphStore` that needs nothing of its engine."""

    cautions: tuple[str, ...] = ()

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

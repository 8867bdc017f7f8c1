"""What every store does with its datasets in the same way: tell of them, remove one, be a context."""

from __future__ import annotations

from typing import Self

from ratingpriv.graph import loading, running
from ratingpriv.graph.store import DatasetInfo

__all__ = ["StoredDatasets"]


class StoredDatasets:
    """The part of a :class:`~ratingpriv.graph.store.GraphStore` that needs nothing of its engine."""

    def datasets(self: loading.LoadableStore) -> list[DatasetInfo]:
        """Return every dataset, by name."""
        return loading.infos(self)

    def dataset(self: loading.LoadableStore, name: str) -> DatasetInfo:
        """Return one dataset; UnknownDatasetError names those that there are."""
        return running.one_dataset(self, name)

    def drop(self: loading.LoadableStore, name: str) -> None:
        """Remove a dataset and any load of its name."""
        loading.drop(self, name)

    def __enter__(self) -> Self:
        return self

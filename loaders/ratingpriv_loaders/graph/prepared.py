"""A dataset that was counted: what goes into a graph store, cut into batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.graph.datasets import quasi_properties
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GroupBatch,
    GrownGroups,
    GrownRecords,
    IssueBatch,
    RatingBatch,
    RecordBatch,
)
from ratingpriv.proximity.fixed_rules import allowed_codes, equal_classes
from ratingpriv.proximity.hamming import HammingGroups
from ratingpriv.proximity.pairs import PairBlock, pairs

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.running import GraphStore

SLICE = 200_000
"""Records, ratings or pairs of one slice."""


class StoredQuasi:
    """The quasi-identifiers of a table as properties of its nodes: values for people,
    codes for queries.

    A Hamming group says the values of the columns that have to be equal, which all its records
    share; a record says those that may differ. Beside them every record has three lists of whole
    numbers, an entry a column: ``quasiCode``, the code of its value (-1: null), and ``quasiLeast``
    and ``quasiMost``, the codes that its rule allows. So one Cypher text decides every rule
    exactly, for texts and decimals alike.
    """

    def __init__(self, table: RatingTable) -> None:
        self._columns = table.quasi
        self._properties = quasi_properties([column.described for column in table.quasi])
        self._values = [[*column.values.to_list(), None] for column in table.quasi]  # at -1: a null
        self._ranges = [allowed_codes(column) for column in table.quasi]
        self._classes = equal_classes(table.quasi)

    def types(self, label: str) -> dict[str, str]:
        """Return the properties that nodes of HammingGroup or Record may have,
        with their import types.
        """
        named = {
            self._properties[index]: "double"
            if self._columns[index].values.dtype == pl.Float64
            else "string"
            for index in self._places(within=label == "Record")
        }
        if label == "Record":
            lists = dict.fromkeys(("quasiCode", "quasiLeast", "quasiMost"), "long[]")
            return {**named, "quasiValues": "string", **lists}
        return (
            named
            if self._classes is None
            else {**named, "quasiClass": "long", "quasiValues": "string"}
        )

    def of_groups(self, first: NDArray[np.int64]) -> dict[str, list[Any]]:
        """Return the properties of Hamming groups, by the position of a record of each."""
        equal = self._places(within=False)
        columns = self._named(first, equal)
        if self._classes is not None:
            columns["quasiClass"] = self._classes[first].tolist()
            columns["quasiValues"] = self._captions(first, equal)
        return columns

    def of_records(self, start: int, stop: int) -> dict[str, list[Any]]:
        """Return the properties of the records ``start:stop``."""
        positions = np.arange(start, stop)
        codes = [column.codes[start:stop] for column in self._columns]
        least, most = (
            [np.append(ends[end], -1)[own] for ends, own in zip(self._ranges, codes, strict=True)]
            for end in (0, 1)
        )
        return {
            **self._named(positions, self._places(within=True)),
            "quasiValues": self._captions(positions, list(range(len(self._columns)))),
            "quasiCode": np.column_stack(codes).tolist(),
            "quasiLeast": np.column_stack(least).tolist(),
            "quasiMost": np.column_stack(most).tolist(),
        }

    def _places(self, *, within: bool) -> list[int]:
        """Return the columns whose values may differ by a width, or those that have to be equal."""
        return [
            index
            for index, column in enumerate(self._columns)
            if (column.within is not None) == within
        ]

    def _named(self, positions: NDArray[np.int64], places: list[int]) -> dict[str, list[Any]]:
        """Return the values of some columns at some positions, by property."""
        return {
            self._properties[index]: [
                self._values[index][code] for code in self._columns[index].codes[positions].tolist()
            ]
            for index in places
        }

    def _captions(self, positions: NDArray[np.int64], places: list[int]) -> list[str]:
        """Return the values of records in words, as ``age=20-29, region=?``."""
        columns = []
        for index in places:
            column = self._columns[index]
            words = [
                f"{value:.15g}" if isinstance(value, float) else value
                for value in self._values[index]
            ]
            cells = [f"{column.name}={'?' if word is None else word}" for word in words]
            columns.append([cells[code] for code in column.codes[positions].tolist()])
        return [", ".join(cells) for cells in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A dataset that was counted and is ready to be loaded, or written as import files.

    Attributes
    ----------
    record_ids : polars Series (n,), as they go into the store (pseudonyms, if asked for)
    sizes : int32 or int64 (n, n_levels); |N(t)| at each of ``spec.levels``, the last of them
        ``spec.epsilon_max``
    at_risk : bool (n,), the records with |N| < k; None where edges are ``all``
    base : what is in the store and goes on in these data: only the rest is loaded
    """

    spec: DatasetSpec
    table: RatingTable
    record_ids: pl.Series
    groups: HammingGroups
    sizes: NDArray[np.int32] | NDArray[np.int64]
    at_risk: NDArray[np.bool_] | None
    quasi: StoredQuasi | None = None
    threads: int | None = None
    memory: int | None = None
    base: DatasetSpec | None = None

    @property
    def first(self) -> int:
        """The position of the first record that is loaded."""
        return 0 if self.base is None else self.base.records

    def load(self, store: GraphStore, *, progress: Progress | None = None) -> DatasetInfo:
        """Load it into ``store``, or go on with the same load where it broke off.

        StoreError where the store failed, or what arrived is not what was sent. The dataset is then
        not complete (a former one of this name is as it was); start the same load again.
        """
        spec = self.spec

        def send[B](
            kind: str, batches: Iterator[B], add: Callable[[B], object], size: Callable[[B], int]
        ) -> None:
            done, total = 0, getattr(spec, kind)
            for batch in batches:
                add(batch)
                done += size(batch)
                if progress is not None:
                    progress(f"loading {kind}", done, total)

        with store.begin_dataset(spec, self.base) as sink:
            if self.base is not None:
                # they would say who was at risk before
                store.one("browse/unmark", dataset=spec.name)
            else:
                sink.add_issues(self.issues())
            sink.add_groups(self.group_batch())
            send("records", self.records(), sink.add_records, lambda batch: len(batch.ids))
            send("ratings", self.ratings(), sink.add_ratings, lambda batch: len(batch.records))
            if self.base is not None:
                near = np.zeros(self.first, dtype=bool)
                blocks = self._marking(self.pairs(), near)
                send("pairs", blocks, sink.add_pairs, lambda block: len(block.left))
                return sink.finish(self._grown_groups(), self._grown_records(near))
            if sink.done.get("pairs", 0) >= spec.pairs:
                sink.skip("pairs", spec.pairs)
            else:
                send("pairs", self.pairs(), sink.add_pairs, lambda block: len(block.left))
            return sink.finish()

    def _marking(self, blocks: Iterator[PairBlock], near: NDArray[np.bool_]) -> Iterator[PairBlock]:
        """Give the blocks of pairs on, and mark who of the records that are there is in one."""
        for block in blocks:
            near[block.left[block.left < self.first]] = True
            yield block

    def _grown_groups(self) -> GrownGroups:
        """Return the groups that were there and to which records are added."""
        ids = np.unique(self.groups.group_of[self.first :])
        ids = ids[ids < (0 if self.base is None else self.base.groups)]
        return GrownGroups(ids, self.groups.sizes[ids])

    def _grown_records(self, near: NDArray[np.bool_]) -> GrownRecords:
        """Return the records that were there and change: all,
        where quasi-identifiers have new values.
        """
        coded_anew = self.base is not None and self.base.fingerprint != self.spec.fingerprint
        if self.quasi is None or not coded_anew:
            positions = np.flatnonzero(near)
            return GrownRecords(positions, self.sizes[positions])
        return GrownRecords(
            np.arange(self.first), self.sizes[: self.first], self.quasi.of_records(0, self.first)
        )

    def issues(self) -> IssueBatch:
        """All issues, the non-sensitive ones first."""
        sensitive = self.table.sensitive
        flags = [False] * self.table.n_issues + [True] * len(sensitive)
        labels = [None] * self.table.n_issues + [column.labels for column in sensitive]
        return IssueBatch(
            [*self.table.issues, *(column.name for column in sensitive)], flags, labels
        )

    def group_batch(self) -> GroupBatch:
        """All Hamming groups that are loaded."""
        quasi, first = None, 0 if self.base is None else self.base.groups
        if self.quasi is not None:
            quasi = self.quasi.of_groups(self.groups.order[self.groups.starts[first:-1]])
        return GroupBatch(self.groups.sizes[first:], self.groups.support_sizes[first:], quasi)

    def records(self, size: int = SLICE) -> Iterator[RecordBatch]:
        """Cut the records into batches, in the order of the data."""
        for first in range(self.first, self.table.n_records, size):
            part = slice(first, first + size)
            at_risk = None if self.at_risk is None else self.at_risk[part]
            ids = self.record_ids.slice(first, size).to_list()
            quasi = None if self.quasi is None else self.quasi.of_records(first, first + len(ids))
            yield RecordBatch(ids, self.groups.group_of[part], at_risk, quasi, self.sizes[part])

    def ratings(self, size: int = SLICE) -> Iterator[RatingBatch]:
        """Sensitive ratings issue by issue.

        Then, if asked for, the others in the order of the records.
        """
        table = self.table
        for index, column in enumerate(table.sensitive):
            rated = self.first + np.flatnonzero(column.present[self.first :])
            for first in range(0, len(rated), size):
                some = rated[first : first + size]
                issue = np.full(len(some), table.n_issues + index, dtype=np.int64)
                yield RatingBatch(some, issue, column.values[some])
        if not self.spec.all_ratings:
            return
        for first in range(int(table.indptr[self.first]), table.n_ratings, size):
            part = slice(first, min(first + size, table.n_ratings))
            places = np.arange(part.start, part.stop)
            yield RatingBatch(
                np.searchsorted(table.indptr, places, side="right") - 1,
                table.indices[part].astype(np.int64),
                table.levels[table.codes[part]],
                None if table.timestamps is None else plain(table.timestamps[part]),
            )

    def pairs(self, size: int = SLICE) -> Iterator[PairBlock]:
        """List the pairs in blocks, sorted by (left, right):
        those in which a new record takes part.
        """
        subset = (
            self.at_risk if self.base is None else np.arange(self.table.n_records) >= self.first
        )
        return pairs(
            self.table,
            self.spec.epsilon_max,
            nulls=self.spec.nulls,
            block=size,
            subset=subset,
            resources=Resources(self.threads, self.memory),
        )


def plain(timestamps: pl.Series) -> list[str] | list[int]:
    """Return timestamps as whole numbers, or else as texts."""
    return (timestamps if timestamps.dtype.is_integer() else timestamps.cast(pl.String)).to_list()

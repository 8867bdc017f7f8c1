"""The slicing loader: a table and its ε-proximate pairs, slice by slice, into a graph store.

The pairs come from the slicing engine [SWLZ11, §5.2] in slices of bounded size and go on at once, so that
memory does not grow with their number. They are counted exactly before anything is written. The store
applies a slice once, counts everything in the end, and shows the dataset as complete only then; a load that
broke off is taken up where it stopped when the same load is started again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.provenance import VERSION
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GroupBatch,
    IssueBatch,
    RatingBatch,
    RecordBatch,
)
from ratingpriv.proximity.distances import distance_levels
from ratingpriv.proximity.hamming import HammingGroups, hamming_groups
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.pairs import PairBlock, count_pairs, pairs
from ratingpriv.proximity.reservations import reservations_of
from ratingpriv_loaders.graph.pseudonyms import pseudonyms
from ratingpriv_loaders.graph.quasi import StoredQuasi
from ratingpriv_loaders.graph.sizes import sizes_by_level

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.store import DatasetSink, GraphStore

__all__ = ["EDGES", "MAX_EDGES", "Slices", "load", "slices"]

EDGES = ("all", "at-risk")
"""All proximate pairs, or only those in which a record with |N| < k takes part."""

MAX_EDGES = 10_000_000
"""So many pairs are loaded without being asked twice."""

_SLICE = 200_000  # records, ratings or pairs of one slice


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """A dataset that was counted and is ready to be loaded, or written as import files.

    Attributes
    ----------
    spec : what is coming, exactly
    table : the ratings
    record_ids : polars Series (n,), as they go into the store (pseudonyms, if asked for)
    groups : the Hamming groups
    sizes : int32 or int64 (n, n_levels); |N(t)| at each of ``spec.levels``, the last of them
        ``spec.epsilon_max``
    at_risk : bool (n,), the records with |N| < k; None where edges are ``all``
    quasi : the quasi-identifiers as properties of nodes; None where there are none
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

    def issues(self) -> IssueBatch:
        """All issues, the non-sensitive ones first."""
        sensitive = self.table.sensitive
        flags = [False] * self.table.n_issues + [True] * len(sensitive)
        labels = [None] * self.table.n_issues + [column.labels for column in sensitive]
        return IssueBatch([*self.table.issues, *(column.name for column in sensitive)], flags, labels)

    def group_batch(self) -> GroupBatch:
        """All Hamming groups."""
        quasi = None
        if self.quasi is not None:
            quasi = self.quasi.of_groups(self.groups.order[self.groups.starts[:-1]])
        return GroupBatch(self.groups.sizes, self.groups.support_sizes, quasi)

    def records(self, size: int = _SLICE) -> Iterator[RecordBatch]:
        """Cut the records into batches, in the order of the data."""
        for first in range(0, self.table.n_records, size):
            part = slice(first, first + size)
            at_risk = None if self.at_risk is None else self.at_risk[part]
            ids = self.record_ids.slice(first, size).to_list()
            quasi = None if self.quasi is None else self.quasi.of_records(first, first + len(ids))
            yield RecordBatch(ids, self.groups.group_of[part], at_risk, quasi, self.sizes[part])

    def ratings(self, size: int = _SLICE) -> Iterator[RatingBatch]:
        """Sensitive ratings issue by issue; then, if asked for, the others in the order of the records."""
        table = self.table
        for place, column in enumerate(table.sensitive):
            rated = np.flatnonzero(column.present)
            for first in range(0, len(rated), size):
                some = rated[first : first + size]
                issue = np.full(len(some), table.n_issues + place, dtype=np.int64)
                yield RatingBatch(some, issue, column.values[some])
        if not self.spec.all_ratings:
            return
        for first in range(0, table.n_ratings, size):
            part = slice(first, min(first + size, table.n_ratings))
            places = np.arange(part.start, part.stop)
            yield RatingBatch(
                np.searchsorted(table.indptr, places, side="right") - 1,
                table.indices[part].astype(np.int64),
                table.levels[table.codes[part]],
                None if table.timestamps is None else _plain(table.timestamps[part]),
            )

    def pairs(self, size: int = _SLICE, progress: Progress | None = None) -> Iterator[PairBlock]:
        """List the pairs in blocks, sorted by (left, right)."""
        return pairs(
            self.table,
            self.spec.epsilon_max,
            nulls=self.spec.nulls,
            block=size,
            subset=self.at_risk,
            threads=self.threads,
            memory=self.memory,
        )


def slices(
    table: RatingTable,
    name: str,
    *,
    epsilon: float,
    nulls: str = "strict",
    edges: str = "all",
    k: int | None = None,
    ratings: bool = False,
    max_edges: int | None = MAX_EDGES,
    key: bytes | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Slices:
    """Count what a load of ``table`` is going to be; nothing is written anywhere.

    Parameters
    ----------
    table : the ratings
    name : the dataset's name in the store, 1 to 200 characters
    epsilon : pairs up to this distance are loaded, and any smaller epsilon can be asked later
    nulls : "strict" or "wildcard", the null rule of the distances
    edges : "all" pairs, or "at-risk": only those in which a record with |N(t)| < k takes part. Questions
    that need
        every pair are then refused
    k : for edges="at-risk", a whole number >= 2
    ratings : whether non-sensitive ratings go into the store too; sensitive ones always do
    max_edges : refuse above so many pairs; None: no limit
    key : replace record ids by keyed pseudonyms (:func:`ratingpriv_loaders.graph.pseudonyms.read_key`)
    threads, memory, progress : as for :func:`ratingpriv.proximity.neighbourhoods.neighbourhoods`

    Raises
    ------
    ParameterError
        An argument is out of range, or there are more than ``max_edges`` pairs: with the numbers and the
        ways out.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("edges", edges, EDGES)
    if (k is None) != (edges == "all"):
        raise ParameterError("k", k, 'a whole number >= 2 with edges="at-risk", nothing with edges="all"')
    if k is not None:
        k = checks.whole_number("k", k, 2)
    if max_edges is not None:
        max_edges = checks.whole_number("max_edges", max_edges, 0)
    if not 1 <= len(name) <= 200:
        raise ParameterError("dataset", name, "a name of 1 to 200 characters")
    found = neighbourhoods(
        table, epsilon, nulls=nulls, sensitive=False, threads=threads, memory=memory, progress=progress
    )
    at_risk, n_pairs = None, found.pairs
    if k is not None:
        at_risk = found.sizes < k
        n_pairs = _pairs_at_risk(table, epsilon, nulls, found.sizes, at_risk)
    if max_edges is not None and n_pairs > max_edges:
        _refuse(epsilon, k, found.sizes, n_pairs, max_edges)
    levels = distance_levels(table, epsilon, nulls)
    sizes = sizes_by_level(table, levels, nulls, found.sizes, Resources(threads, memory, progress))
    groups = hamming_groups(table)
    sensitive = sum(int(np.count_nonzero(column.present)) for column in table.sensitive)
    spec = DatasetSpec(
        name=name,
        records=table.n_records,
        groups=len(groups.sizes),
        issues=table.n_issues + len(table.sensitive),
        ratings=sensitive + (table.n_ratings if ratings else 0),
        pairs=n_pairs,
        epsilon_max=epsilon,
        nulls=nulls,
        edges=edges,
        k=k,
        scale_min=None if table.scale is None else table.scale.minimum,
        scale_max=None if table.scale is None else table.scale.maximum,
        scale_declared=table.scale is not None and table.scale.declared,
        rating_min=float(table.levels[0]) if len(table.levels) else None,
        rating_max=float(table.levels[-1]) if len(table.levels) else None,
        all_ratings=ratings,
        source_sha256=table.origin.sha256,
        selection=None if table.selection is None else json.dumps(table.selection.to_dict()),
        reservations=reservations_of(table, None if ratings else epsilon),  # with ratings any may be asked
        quasi=tuple(column.described for column in table.quasi),
        pseudonymized=key is not None,
        tool=f"ratingpriv {VERSION}",
        levels=levels.levels,
        every_level=levels.every,
        fingerprint=_fingerprint(table, ratings, key),
    )
    ids = table.record_ids if key is None else pseudonyms(table.record_ids, key)
    quasi = StoredQuasi(table) if table.quasi else None
    return Slices(spec, table, ids, groups, sizes, at_risk, quasi, threads, memory)


def load(prepared: Slices, store: GraphStore, *, progress: Progress | None = None) -> DatasetInfo:
    """Load what :func:`slices` counted into ``store``, or go on with the same load where it broke off.

    ``progress`` is called with (what is being loaded, units done, units in all).

    Raises
    ------
    StoreError
        The store failed, or what arrived is not what was sent. The dataset is then not complete (a former
        one of this name is as it was); start the same load again.
    """
    spec = prepared.spec
    with store.begin_dataset(spec) as sink:
        sink.add_issues(prepared.issues())
        sink.add_groups(prepared.group_batch())
        _send(sink, prepared, progress)
        return sink.finish()


def _send(sink: DatasetSink, prepared: Slices, progress: Progress | None) -> None:
    spec = prepared.spec

    def tell(kind: str, done: int, total: int) -> None:
        if progress is not None:
            progress(f"loading {kind}", done, total)

    done = 0
    for records in prepared.records():
        sink.add_records(records)
        tell("records", done := done + len(records.ids), spec.records)
    done = 0
    for ratings in prepared.ratings():
        sink.add_ratings(ratings)
        tell("ratings", done := done + len(ratings.records), spec.ratings)
    if sink.done.get("pairs", 0) >= spec.pairs:
        sink.skip("pairs", spec.pairs)
        return
    done = 0
    for block in prepared.pairs():
        sink.add_pairs(block)
        tell("pairs", done := done + len(block.left), spec.pairs)


def _pairs_at_risk(
    table: RatingTable,
    epsilon: float,
    nulls: str,
    sizes: NDArray[np.int64],
    at_risk: NDArray[np.bool_],
) -> int:
    """Count the pairs with an end at risk: every neighbour of one, those between two of them once."""
    between = count_pairs(table.take(np.flatnonzero(at_risk)), epsilon, nulls=nulls) if at_risk.any() else 0
    return int((sizes[at_risk] - 1).sum()) - between


def _refuse(epsilon: float, k: int | None, sizes: NDArray[np.int64], found: int, limit: int) -> None:
    what = f"{found:,} pairs at epsilon {epsilon:g}"
    ways = [
        f"`max_edges={found}` to load them all the same",
        "a smaller `epsilon`",
        "fewer issues (`issues='top:20'`)",
    ]
    if k is None:
        few = int((sizes[sizes < 5] - 1).sum())
        ways.append(f"`edges='at-risk'` (with `k=5` at most {few:,} pairs)")
    else:
        what += f" in which a record with fewer than {k} in its neighbourhood takes part"
        ways.append("a smaller `k`")
    ways.append("`offline`: files for neo4j-admin database import")
    raise ParameterError("max_edges", what, f"at most {limit:,}", "ways out: " + "; ".join(ways))


def _fingerprint(table: RatingTable, ratings: bool, key: bytes | None) -> str:
    """Return a hash of everything that goes into the store, so that only the very same load is resumed."""
    digest = hashlib.sha256(b"ratingpriv slices 1")
    for array in (table.indptr, table.indices, table.codes, table.levels):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    for name in table.issues:
        digest.update(name.encode() + b"\0")
    for column in table.sensitive:
        digest.update(column.name.encode() + b"\0")
        digest.update(np.ascontiguousarray(column.values).data)
        digest.update(np.ascontiguousarray(column.present).data)
        digest.update(json.dumps(column.labels).encode())
    for quasi in table.quasi:  # their names and rules are in the spec
        digest.update(np.ascontiguousarray(quasi.codes).data)
        digest.update(json.dumps(quasi.values.to_list()).encode() + b"\0")
    digest.update(table.record_ids.dtype.base_type().__name__.encode())
    for first in range(0, table.n_records, _SLICE):  # as Python objects a slice at a time
        for id_ in table.record_ids.slice(first, _SLICE).to_list():
            digest.update(str(id_).encode() + b"\0")
    if ratings and table.timestamps is not None:
        for first in range(0, len(table.timestamps), _SLICE):
            for timestamp in _plain(table.timestamps[first : first + _SLICE]):
                digest.update(str(timestamp).encode() + b"\0")
    digest.update(b"" if key is None else hashlib.sha256(b"pseudonyms" + key).digest())
    return digest.hexdigest()


def _plain(timestamps: pl.Series) -> list[str] | list[int]:
    """Return timestamps as whole numbers, or else as texts."""
    if timestamps.dtype.is_integer():
        return timestamps.to_list()
    return timestamps.cast(pl.String).to_list()

"""The slicing loader: a table and its ε-proximate pairs, slice by slice, into a graph store.

The pairs come from the slicing engine [SWLZ11, §5.2] in slices of bounded size and go on at once, so that
memory does not grow with their number. They are counted exactly before anything is written. The store
applies a slice once, counts everything in the end, and shows the dataset as complete only then; a load that
broke off is taken up where it stopped when the same load is started again.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import json
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.provenance import VERSION
from ratingpriv.graph.datasets import quasi_properties
from ratingpriv.graph.ingesting import IngestOptions, OfflineImport
from ratingpriv.graph.store import DatasetInfo, DatasetSpec, GroupBatch, IssueBatch, RatingBatch, RecordBatch
from ratingpriv.proximity.fixed_rules import allowed_codes, equal_classes
from ratingpriv.proximity.hamming import HammingGroups, hamming_groups
from ratingpriv.proximity.levels import distance_levels
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.proximity.pairs import PairBlock, count_pairs, pairs
from ratingpriv.proximity.reservations import reservations_of
from ratingpriv_loaders.graph.offline import write_offline

if TYPE_CHECKING:
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.running import GraphStore

MAX_EDGES = 10_000_000
"""So many pairs are loaded without being asked twice."""

MINIMUM_KEY = 16
"""Bytes that a key must have at least; 32 random bytes are a good choice."""

_SLICE = 200_000  # records, ratings or pairs of one slice
_DIGITS = 32  # hexadecimal digits of a pseudonym, 128 bits


class StoredQuasi:
    """The quasi-identifiers of a table as properties of its nodes: values for people, codes for queries.

    A Hamming group says the values of the columns that have to be equal, which all its records share; a
    record says those that may differ. Beside them every record has three lists of whole numbers, an entry a
    column: ``quasiCode``, the code of its value (-1: null), and ``quasiLeast`` and ``quasiMost``, the codes
    that its rule allows. So one Cypher text decides every rule exactly, for texts and decimals alike.
    """

    def __init__(self, table: RatingTable) -> None:
        self._columns = table.quasi
        self._properties = quasi_properties([column.described for column in table.quasi])
        self._values = [[*column.values.to_list(), None] for column in table.quasi]  # at -1: a null
        self._ranges = [allowed_codes(column) for column in table.quasi]
        self._classes = equal_classes(table.quasi)

    def types(self, label: str) -> dict[str, str]:
        """Return the properties that nodes of HammingGroup or Record may have, with their import types."""
        named = {
            self._properties[place]: "double" if self._columns[place].values.dtype == pl.Float64 else "string"
            for place in self._places(within=label == "Record")
        }
        if label == "Record":
            lists = dict.fromkeys(("quasiCode", "quasiLeast", "quasiMost"), "long[]")
            return {**named, "quasiValues": "string", **lists}
        return named if self._classes is None else {**named, "quasiClass": "long", "quasiValues": "string"}

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
        return [place for place, column in enumerate(self._columns) if (column.within is not None) == within]

    def _named(self, positions: NDArray[np.int64], places: list[int]) -> dict[str, list[Any]]:
        """Return the values of some columns at some positions, by property."""
        return {
            self._properties[place]: [
                self._values[place][code] for code in self._columns[place].codes[positions].tolist()
            ]
            for place in places
        }

    def _captions(self, positions: NDArray[np.int64], places: list[int]) -> list[str]:
        """Return the values of records in words, as ``age=20-29, region=?``."""
        columns = []
        for place in places:
            column = self._columns[place]
            words = [f"{value:.15g}" if isinstance(value, float) else value for value in self._values[place]]
            cells = [f"{column.name}={'?' if word is None else word}" for word in words]
            columns.append([cells[code] for code in column.codes[positions].tolist()])
        return [", ".join(cells) for cells in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """A dataset that was counted and is ready to be loaded, or written as import files.

    Attributes
    ----------
    record_ids : polars Series (n,), as they go into the store (pseudonyms, if asked for)
    sizes : int32 or int64 (n, n_levels); |N(t)| at each of ``spec.levels``, the last of them
        ``spec.epsilon_max``
    at_risk : bool (n,), the records with |N| < k; None where edges are ``all``
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

    def load(self, store: GraphStore, *, progress: Progress | None = None) -> DatasetInfo:
        """Load it into ``store``, or go on with the same load where it broke off.

        StoreError where the store failed, or what arrived is not what was sent. The dataset is then not
        complete (a former one of this name is as it was); start the same load again.
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

        with store.begin_dataset(spec) as sink:
            sink.add_issues(self.issues())
            sink.add_groups(self.group_batch())
            send("records", self.records(), sink.add_records, lambda batch: len(batch.ids))
            send("ratings", self.ratings(), sink.add_ratings, lambda batch: len(batch.records))
            if sink.done.get("pairs", 0) >= spec.pairs:
                sink.skip("pairs", spec.pairs)
            else:
                send("pairs", self.pairs(), sink.add_pairs, lambda block: len(block.left))
            return sink.finish()

    def write_offline(self, folder: str | Path, *, progress: Progress | None = None) -> OfflineImport:
        """Write import files; see :func:`ratingpriv_loaders.graph.offline.write_offline`."""
        return write_offline(self, folder, progress=progress)

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

    def pairs(self, size: int = _SLICE) -> Iterator[PairBlock]:
        """List the pairs in blocks, sorted by (left, right)."""
        return pairs(
            self.table,
            self.spec.epsilon_max,
            nulls=self.spec.nulls,
            block=size,
            subset=self.at_risk,
            resources=Resources(self.threads, self.memory),
        )


load = Slices.load


def slices(table: RatingTable, dataset: str, *, progress: Progress | None = None, **options: Any) -> Slices:
    """Count what a load of ``table`` is going to be; ``options`` are those of IngestOptions."""
    return counted(table, IngestOptions(dataset=dataset, **options), progress)


def counted(table: RatingTable, options: IngestOptions, progress: Progress | None = None) -> Slices:
    """Count what a load of ``table`` is going to be; nothing is written anywhere.

    ParameterError where there are more than ``options.max_edges`` pairs: with the numbers and the ways out.
    """
    epsilon, nulls, k = float(options.epsilon), options.nulls, options.k
    near_at = functools.partial(  # |N(t)| [SWLZ11, Def. 4.2] at a distance, by the compiled engine
        neighbourhoods,
        table,
        nulls=nulls,
        sensitive=False,
        resources=Resources(options.threads, options.memory, progress),
    )
    near = near_at(epsilon=epsilon)
    at_risk, n_pairs = None, near.pairs
    if k is not None:  # every neighbour of a record at risk is a pair, those between two of them once
        at_risk = near.sizes < k
        between = 0
        if at_risk.any():
            between = count_pairs(table.take(np.flatnonzero(at_risk)), epsilon, nulls=nulls)
        n_pairs = int((near.sizes[at_risk] - 1).sum()) - between
    if options.max_edges is not None and n_pairs > options.max_edges:
        _refuse(options, near.sizes, n_pairs)
    levels = distance_levels(table, epsilon, nulls)
    kind = np.int32 if table.n_records < 1 << 31 else np.int64
    sizes = np.empty((table.n_records, len(levels.levels)), dtype=kind)
    for place, level in enumerate(levels.levels[:-1]):
        sizes[:, place] = near_at(epsilon=level).sizes
    sizes[:, -1] = near.sizes
    groups = hamming_groups(table)
    sensitive = sum(int(np.count_nonzero(column.present)) for column in table.sensitive)
    spec = DatasetSpec(
        name=options.dataset,
        records=table.n_records,
        groups=len(groups.sizes),
        issues=table.n_issues + len(table.sensitive),
        ratings=sensitive + (table.n_ratings if options.ratings else 0),
        pairs=n_pairs,
        epsilon_max=epsilon,
        nulls=nulls,
        edges=options.edges,
        k=k,
        scale_min=None if table.scale is None else table.scale.minimum,
        scale_max=None if table.scale is None else table.scale.maximum,
        scale_declared=table.scale is not None and table.scale.declared,
        rating_min=float(table.levels[0]) if len(table.levels) else None,
        rating_max=float(table.levels[-1]) if len(table.levels) else None,
        all_ratings=options.ratings,
        source_sha256=table.origin.sha256,
        selection=None if table.selection is None else json.dumps(table.selection.to_dict()),
        # with ratings any epsilon may be asked
        reservations=reservations_of(table, None if options.ratings else epsilon),
        quasi=tuple(column.described for column in table.quasi),
        pseudonymized=options.key is not None,
        tool=f"ratingpriv {VERSION}",
        levels=levels.levels,
        every_level=levels.every,
        fingerprint=_fingerprint(table, options.ratings, options.key),
    )
    ids = table.record_ids if options.key is None else pseudonyms(table.record_ids, options.key)
    quasi = StoredQuasi(table) if table.quasi else None
    return Slices(spec, table, ids, groups, sizes, at_risk, quasi, options.threads, options.memory)


def _refuse(options: IngestOptions, sizes: NDArray[np.int64], pairs: int) -> None:
    what = f"{pairs:,} pairs at epsilon {options.epsilon:g}"
    ways = [
        f"`max_edges={pairs}` to load them all the same",
        "a smaller `epsilon`",
        "fewer issues (`issues='top:20'`)",
    ]
    if options.k is None:
        few = int((sizes[sizes < 5] - 1).sum())
        ways.append(f"`edges='at-risk'` (with `k=5` at most {few:,} pairs)")
    else:
        what += f" in which a record with fewer than {options.k} in its neighbourhood takes part"
        ways.append("a smaller `k`")
    ways.append("`offline`: files for neo4j-admin database import")
    raise ParameterError("max_edges", what, f"at most {options.max_edges:,}", "ways out: " + "; ".join(ways))


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
    return (timestamps if timestamps.dtype.is_integer() else timestamps.cast(pl.String)).to_list()


def read_key(path: str | Path) -> bytes:
    """Read the user's key, all bytes of the file as they are.

    ParameterError where it is missing, no plain file, can be read by others than its owner, or is too short.
    """
    remedy = "make one: head -c 32 /dev/urandom > KEYFILE && chmod 600 KEYFILE"
    try:
        with Path(path).open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise ParameterError("pseudonymize", str(path), "a plain file that holds a key", remedy)
            if os.name == "posix" and mode & 0o077:
                value, expected = (
                    f"{path} with mode {stat.S_IMODE(mode):03o}",
                    "a key file that only its owner can read",
                )
                raise ParameterError("pseudonymize", value, expected, f"chmod 600 {path}")
            key = file.read()
    except OSError as error:
        raise ParameterError("pseudonymize", str(path), f"a key file ({error.strerror})", remedy) from error
    if len(key) < MINIMUM_KEY:
        value, expected = f"{path} with {len(key)} bytes", f"a key of {MINIMUM_KEY} bytes or more"
        raise ParameterError("pseudonymize", value, expected, remedy)
    return key


def pseudonyms(ids: pl.Series, key: bytes) -> pl.Series:
    """Return a String Series of the same length: 32 hexadecimal digits of HMAC-SHA256 of each id's text.

    A plain hash of an id is no protection: ids are few and can be tried one by one; with a key that stays
    with the user they cannot. Pseudonyms hide ids, not ratings: they are no anonymisation. A number and the
    text that spells it have the same pseudonym. DataError where two ids have the same; with 128 bits that
    means that the data are not what they seem.
    """
    keyed = hmac.new(key, digestmod=hashlib.sha256)
    names = []
    for id_ in ids.to_list():
        one = keyed.copy()
        one.update(str(id_).encode())
        names.append(one.hexdigest()[:_DIGITS])
    result = pl.Series(ids.name, names, dtype=pl.String)
    if result.n_unique() != len(result):
        found = "two ids with one pseudonym"
        raise DataError(Problem("record ids", found, "distinct pseudonyms", "use another key"))
    return result


class SlicingIngester:
    """Streams a table, slice by slice, with its ε-proximate pairs [SWLZ11, §5.2] into a graph store."""

    name = "slicing"
    description = "records and ε-proximate pairs from the compiled engine, slice by slice"
    max_edges = MAX_EDGES

    def read_key(self, path: str | Path) -> bytes:
        """Read a key for pseudonyms; see :func:`read_key`."""
        return read_key(path)

    def prepare(
        self, table: RatingTable, options: IngestOptions, *, progress: Progress | None = None
    ) -> Slices:
        """Count what is coming; see :func:`counted`."""
        return counted(table, options, progress)

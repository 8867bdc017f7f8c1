"""Putting a table into a graph store: what an ingester is, and how the installed one is found.

Ingesters live in other packages and are found by the entry point group ``ratingpriv.ingesters``
(``name = "package.module:IngesterClass"``); this module knows none of them by name.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import null_rule
from ratingpriv.graph.appending import base_of
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.releases import ReleaseOf, announce_release, link_release, released_name

if TYPE_CHECKING:
    from ratingpriv.base.keys import Key
    from ratingpriv.base.progress import Progress
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.releases import ReleaseInfo
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetInfo, DatasetSpec

SLICING = "slicing"
"""The ingester that comes with this library."""

_ANEW = "ingest the release of the grown data as a new one"

EDGES = ("all", "at-risk")
"""All proximate pairs, or only those in which a record with |N(t)| < k takes part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """What to put into the store, as :func:`ingest` says; checked when made,
    before anything is read.
    """

    dataset: str
    epsilon: float
    nulls: str = "strict"
    edges: str = "all"
    k: int | None = None
    ratings: bool = False
    max_edges: int | None = None
    key: bytes | None = None
    threads: int | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.dataset) <= 200 or "\0" in self.dataset:
            raise ParameterError("dataset", self.dataset, "a name of 1 to 200 characters")
        checks.non_negative_number("epsilon", self.epsilon)
        null_rule(self.nulls)
        checks.choice("edges", self.edges, EDGES)
        if self.edges == "all" and self.k is not None:
            raise ParameterError(
                "k", self.k, "no k where all pairs are loaded", "say `edges='at-risk'`"
            )
        if self.edges != "all":
            if self.k is None:
                raise ParameterError(
                    "k",
                    None,
                    "a whole number >= 2",
                    "`edges='at-risk'` needs `k`: at risk of what?",
                )
            checks.whole_number("k", self.k, 2)
        if self.max_edges is not None:
            checks.whole_number("max_edges", self.max_edges, 0)


def dataset_name(data: str) -> str:
    """Return the name of a file, without suffixes, or of a folder, as the name of a dataset."""
    path = Path(os.path.abspath(data))  # noqa: PTH100 -- a link has a name of its own
    if data == "-" or (path.exists() and not (path.is_file() or path.is_dir())):
        raise ParameterError(
            "dataset", None, "a name: what is read is no file or folder, and has none"
        )
    if path.is_dir():
        return path.name
    return Path(path.stem).stem if path.suffix in (".gz", ".zst", ".zip") else path.stem


@dataclass(frozen=True, slots=True)
class OfflineImport:
    """Import files that were written, and the script in their folder that runs the command.

    Paths in the command are relative to the folder; ``nodes`` and ``relationships`` are what it
    must report.
    """

    folder: Path
    script: Path
    command: tuple[str, ...]
    nodes: int
    relationships: int


class PreparedDataset(Protocol):
    """A dataset that was counted and is ready to be loaded."""

    @property
    def spec(self) -> DatasetSpec:
        """What is coming, exactly."""

    def load(self, store: GraphStore, *, progress: Progress | None = None) -> DatasetInfo:
        """Load it, or go on with the same load where it broke off.

        StoreError if the store fails.
        """

    def write_offline(
        self, folder: str | Path, *, progress: Progress | None = None
    ) -> OfflineImport:
        """Write it as files for ``neo4j-admin database import`` into a new folder,
        whole or not at all.
        """


@runtime_checkable
class Ingester(Protocol):
    """What an ingester offers; a class without constructor arguments, registered by entry point."""

    name: str
    description: str
    max_edges: int
    """So many pairs are loaded without being asked for."""

    def read_key(self, path: str | Path) -> bytes:
        """Read a key for pseudonyms; ParameterError if it is none or is not kept safe."""
        ...

    def prepare(
        self,
        table: RatingTable,
        options: IngestOptions,
        *,
        base: DatasetSpec | None = None,
        progress: Progress | None = None,
    ) -> PreparedDataset:
        """Count what is coming; nothing is written. ParameterError above ``options.max_edges``.

        ``base`` : what is in the store already, by :func:`ratingpriv.graph.appending.base_of`
        """
        ...


@functools.cache
def ingesters() -> dict[str, Ingester]:
    """Return the installed ingesters by name, sorted by name."""
    entries = importlib.metadata.entry_points(group="ratingpriv.ingesters")
    return {entry.name: entry.load()() for entry in sorted(entries, key=lambda entry: entry.name)}


def ingester(name: str = SLICING) -> Ingester:
    """Return an installed ingester; ParameterError names those that there are."""
    if name not in ingesters():
        names = ", ".join(ingesters()) or "none is installed"
        raise ParameterError(
            "ingester",
            name,
            f"one of the installed ingesters ({names})",
            "install ratingpriv again",
        )
    return ingesters()[name]


@dataclass(frozen=True, slots=True)
class Ingested:
    """What :func:`ingest` put into a store: the dataset, and the release that it is,
    if it is one.
    """

    dataset: DatasetInfo
    release: ReleaseInfo | None


def ingest(
    table: RatingTable,
    store: GraphStore | str | None = None,
    *,
    dataset: str,
    epsilon: float,
    nulls: str = "strict",
    edges: str = "all",
    k: int | None = None,
    ratings: bool = False,
    max_edges: int | None = None,
    pseudonym_key: bytes | None = None,
    run: str | None = None,
    release_key: Key | None = None,
    append: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Ingested:
    """Put a table into a graph store: a node a record,
    a relationship an ε-proximate pair [SWLP10, §4.3].

    A dataset of the same name is replaced in one step, and is as it was until then. A load that
    broke off goes on where it stopped when the same call is made again.

    Parameters
    ----------
    table : the ratings
    store : an open store, or the address of one as for :func:`ratingpriv.graph.open_store`, which
        is opened, or its file made, when there is something to put in, and closed again
    dataset : the dataset's name in the store, 1 to 200 characters
    epsilon : pairs up to this rating distance; any smaller epsilon can be queried later
    nulls : "strict" or "wildcard", the null rule of the distances
    edges, k : "all", or "at-risk": only the pairs of records with |N(t)| < ``k``
    ratings : whether non-sensitive ratings go in too; sensitive ones always do, and those of a
        release
    max_edges : refuse above so many pairs; None: the ingester's limit
    pseudonym_key : replace record ids by pseudonyms keyed with these bytes
    run : the table is a release of ``dataset``, which is in the store; it goes in as
        ``dataset/run``
    release_key : the release's private key, which links each record to what it became
    append : the dataset is in the store and goes on in this table, the whole one, whose first
        records are those of the dataset: only the rest is written
    threads, memory, progress : as for :func:`ratingpriv.audit`

    Raises
    ------
    ParameterError
        An argument is out of range; there are more pairs than ``max_edges``; the dataset cannot go
        on in this table.
    StoreError
        One of its kinds: the store cannot be reached, is full, or lost the load.
    """
    if run is None and release_key is not None:
        raise ParameterError(
            "release_key", "a key", "no key where the data are no release", "name the `run`"
        )
    if run is not None and append:
        raise ParameterError("append", dataset, "no `append` where the data are a release", _ANEW)
    loader = ingester()
    options = IngestOptions(
        dataset=dataset if run is None else released_name(dataset, run),
        epsilon=epsilon,
        nulls=nulls,
        edges=edges,
        k=k,
        ratings=ratings or run is not None,
        max_edges=loader.max_edges if max_edges is None else max_edges,
        key=pseudonym_key,
        threads=threads,
        memory=memory,
    )
    release = None if run is None else ReleaseOf(dataset, run, release_key)
    with contextlib.ExitStack() as stack:

        def opened() -> GraphStore:
            if store is None or isinstance(store, str):
                return stack.enter_context(open_store(store, mode="change" if append else "write"))
            return store

        there = opened() if append else None
        base = None if there is None else base_of(there, dataset)
        prepared = loader.prepare(table, options, base=base, progress=progress)
        return load_prepared(
            prepared, opened() if there is None else there, release, progress=progress
        )


def load_prepared(
    prepared: PreparedDataset,
    store: GraphStore,
    release: ReleaseOf | None = None,
    *,
    progress: Progress | None = None,
) -> Ingested:
    """Load a prepared dataset, and tie it to its original where it is a release.

    See :func:`ingest`.
    """
    if release is None:
        return Ingested(prepared.load(store, progress=progress), None)
    announce_release(store, release.dataset, release.run)
    info = prepared.load(store, progress=progress)
    return Ingested(
        info, link_release(store, release.dataset, release.run, release.key, progress=progress)
    )

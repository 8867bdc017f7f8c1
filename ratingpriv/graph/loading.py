"""How a dataset gets into a store and out again, the same for every store: open, send, count, change places.

The state is in the store itself, in ``Load`` nodes, so that a load that was killed can go on from another
process. A load's token is a hash of its spec: two processes that load the same data at once share one load,
and a batch that one of them brought the other skips. A load of the same name with another spec is discarded
first.
"""

from __future__ import annotations

import contextlib
import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import LoadFailedError, ParameterError, RatingPrivError, UnknownDatasetError
from ratingpriv.graph.datasets import KINDS, check_spec, info_of, properties_of, token_of
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GraphStore,
    GroupBatch,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
)

SCHEMA = (
    "schema/dataset-key",
    "schema/load-key",
    "schema/record-position",
    "schema/group-key",
    "schema/issue-position",
    *(f"schema/{kind}-dataset" for kind in ("record", "group", "issue", "run", "clique", "release")),
    "schema/release-released",
)

Row = tuple[Any, ...]


class Runner(Protocol):
    """Runs a query of the catalogue inside a transaction."""

    def __call__(self, query_id: str, /, **params: Any) -> list[Row]:
        """Return the rows of a query."""


class LoadableStore(GraphStore, Protocol):
    """What loading needs of a store.

    ``snapshots`` says whether a statement sees all of another transaction or nothing of it. A server's does
    not: one that runs beside the change of two datasets finds some records of each.
    """

    snapshots: bool
    removal: tuple[str, ...]
    removal_batch: int

    @property
    def whole(self) -> set[tuple[object, ...]]:
        """Which units were found to make the ratings of which load whole; to be added to."""

    def one(self, query_id: str, /, **params: Any) -> list[Row]:
        """Run one statement in a transaction of its own."""

    def index_ids(self) -> None:
        """Make the index that finds a record by its id, where the engine can have one."""

    def atomically[T](self, work: Callable[[Runner], T]) -> T:
        """Run ``work`` in one transaction; it is run again when a failure was transient."""


def now() -> str:
    """Return the time, UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def make_schema(store: LoadableStore) -> None:
    """Make the constraints and indexes that are not there yet."""
    for query_id in SCHEMA:
        store.one(query_id)
    store.index_ids()


def _loads(store: LoadableStore, name: str | None = None) -> list[dict[str, Any]]:
    loads = [row[0] for row in store.one("load/loads")]
    return [load for load in loads if name is None or load["name"] == name]


def infos(store: LoadableStore) -> list[DatasetInfo]:
    """Every dataset of ``store``, by name."""
    loads = {load["name"]: load for load in _loads(store) if load["state"] == "loading"}
    return [info_of(store, row[0], loads.get(row[0]["name"])) for row in store.one("load/datasets")]


def open_load(store: LoadableStore, spec: DatasetSpec) -> tuple[str, str, dict[str, int]]:
    """Open a load of ``spec``, or find the one that broke off: token, its nodes' ``dataset``, what came."""
    check_spec(spec)
    make_schema(store)
    token = token_of(spec)
    present = store.one("load/dataset", name=spec.name)  # before the loads: what is without one stays so
    for load in _loads(store, spec.name):
        if load["state"] == "loading" and load["token"] == token:
            return token, load["key"], {kind: int(load[f"{kind}Done"]) for kind in KINDS}
        _discard(store, load)
    left = present and present[0][0].get("complete") is not True
    if left and store.one("load/dataset", name=spec.name) == present:
        _purge(store, spec.name)  # left by a drop, or by a load that was discarded, and then was killed
        store.one("load/forget", name=spec.name)
    properties = {**_announced(spec), "createdAt": now()}

    def announce(run: Runner) -> None:
        described = {name: value for name, value in properties.items() if value is not None}
        complete = run("load/announce", name=spec.name, properties=described)[0][0]
        if not complete and any(
            load["name"] == spec.name and load["token"] != token for (load,) in run("load/loads")
        ):
            raise _displaced(store, spec)  # which began at the same moment, in the same place
        key = f"load {token}" if complete else spec.name
        state = {"key": key, "state": "loading", **{f"{kind}Done": 0 for kind in KINDS}}
        run("load/open", token=token, properties={**described, **state})

    store.atomically(announce)
    for load in _loads(store, spec.name):
        if load["token"] == token:
            return token, load["key"], {kind: int(load[f"{kind}Done"]) for kind in KINDS}
    raise _displaced(store, spec)


def _announced(spec: DatasetSpec) -> dict[str, Any]:
    """Return the properties of a Dataset node as the statements take them, levels as texts."""
    properties = properties_of(spec)
    return {**properties, "levels": properties["levels"] and [repr(one) for one in properties["levels"]]}


def _purge(store: LoadableStore, key: str) -> None:
    """Remove everything with this ``dataset`` property, in batches, the releases made of it first."""
    for (released,) in store.one("load/releases-of", key=key):
        with contextlib.suppress(UnknownDatasetError):
            drop(store, released)
    for query_id in store.removal:
        while store.one(query_id, key=key, most=store.removal_batch)[0][0]:
            pass


def _discard(store: LoadableStore, load: Mapping[str, Any]) -> None:
    """Stop a load, whoever runs it, and remove what it brought.

    The token changes first: that waits for a batch under way, and the next one finds no load to count for.
    """
    if load["state"] == "loading":
        gone = f"discarded {load['token']}"
        store.one("load/count", token=load["token"], counters={"state": "cleaning", "token": gone})
        load = {**load, "token": gone}
    complete = [row[0].get("complete") is True for row in store.one("load/dataset", name=load["name"])]
    if load["key"] != load["name"] or not any(complete):
        _purge(store, load["key"])
    store.one("load/close", token=load["token"])


def drop(store: LoadableStore, name: str) -> None:
    """Remove a dataset and any load of its name; UnknownDatasetError where there is neither."""
    loads = _loads(store, name)
    if not store.one("load/dataset", name=name) and not loads:
        raise UnknownDatasetError(name, [info.spec.name for info in infos(store)])
    store.one("load/withdraw", name=name)
    store.one("load/release-broken", released=name)
    for load in loads:
        _discard(store, load)
    _purge(store, name)
    store.one("load/forget", name=name)
    store.one("load/release-forget", released=name)


class Sink(ABC):
    """What the stores' sinks have in common: what was sent, batches cut to size, the count at the end."""

    batch_size = 20_000

    def __init__(self, store: LoadableStore, spec: DatasetSpec) -> None:
        self.spec = spec
        self._store = store
        self._token, self._key, self._done = open_load(store, spec)
        self._sent = dict.fromkeys(KINDS, 0)
        self._neighbours: int | None = 0
        self._left = False

    @property
    def done(self) -> Mapping[str, int]:
        """How much of each kind was there when this load began."""
        return self._done

    def add_issues(self, batch: IssueBatch) -> None:
        """Add issues."""
        self._add("issues", len(batch.names), lambda a, b, at: self._issues(batch, a, b, at))

    def add_groups(self, batch: GroupBatch) -> None:
        """Add Hamming groups."""
        self._add("groups", len(batch.sizes), lambda a, b, at: self._groups(batch, a, b, at))

    def add_records(self, batch: RecordBatch) -> None:
        """Add records."""
        self._check_sizes(batch)
        self._add("records", len(batch.ids), lambda a, b, at: self._records(batch, a, b, at))

    def add_ratings(self, batch: RatingBatch) -> None:
        """Add ratings."""
        self._in_range("records", batch.records)
        self._in_range("issues", batch.issues)
        self._add("ratings", len(batch.ratings), lambda a, b, at: self._ratings(batch, a, b, at))

    def add_pairs(self, batch: PairBatch) -> None:
        """Add proximate pairs."""
        self._in_range("records", batch.right)
        if len(batch.left) and not (np.all(batch.left >= 0) and np.all(batch.left < batch.right)):
            raise ParameterError("pairs", "left >= right", "every pair once, its smaller position first")
        self._add("pairs", len(batch.left), lambda a, b, at: self._pairs(batch, a, b, at))

    def skip(self, kind: str, count: int) -> None:
        """Count ``count`` items of ``kind`` as sent; they must be among ``done``."""
        if self._sent[kind] + count > self._done[kind]:
            raise ParameterError(kind, count, f"at most {self._done[kind] - self._sent[kind]} more to skip")
        if kind == "records" and count:
            self._neighbours = None  # not seen, so not added up
        self._sent[kind] += count

    def _check_sizes(self, batch: RecordBatch) -> None:
        """Refuse sizes that no neighbourhoods can have; add them up, to be counted in the end."""
        spec, sizes = self.spec, batch.sizes
        wanted = (len(batch.ids), len(spec.levels)) if spec.levels else None
        if (None if sizes is None else sizes.shape) != wanted:
            expected = f"one for each of {len(spec.levels)} levels" if spec.levels else "none without levels"
            raise ParameterError("sizes", None if sizes is None else sizes.shape, expected)
        if sizes is None or not len(sizes):
            return
        if sizes[:, 0].min() < 1 or sizes[:, -1].max() > spec.records or np.any(np.diff(sizes) < 0):
            what = f"found outside 1..{spec.records}, or falling from a level to the next"
            raise ParameterError("sizes", what, "numbers of records that never fall from a level to the next")
        if self._neighbours is not None:
            self._neighbours += int(sizes.sum(dtype=np.int64))

    def _in_range(self, kind: str, positions: NDArray[np.int64]) -> None:
        most = getattr(self.spec, kind)
        if len(positions) and not (positions.min() >= 0 and positions.max() < most):
            raise ParameterError(kind, int(positions.max()), f"positions of 0 to {most - 1}, as announced")

    def _add(self, kind: str, count: int, write: Callable[[int, int, int], None]) -> None:
        """Hand over what is not there yet, in pieces: ``write(from, to, offset of from)``."""
        if self._left:
            raise ParameterError("load", "a load that was left", "an open one", "begin it again: it goes on")
        for earlier in KINDS[: KINDS.index(kind)]:
            if self._sent[earlier] != getattr(self.spec, earlier):
                found = f"{self._sent[earlier]} {earlier}, then {kind}"
                raise ParameterError("load", found, f"all {getattr(self.spec, earlier)} {earlier} first")
        base, most = self._sent[kind], getattr(self.spec, kind)
        if base + count > most:
            raise ParameterError(kind, base + count, f"{most}, as announced")
        start = min(max(self._done[kind] - base, 0), count)
        while start < count:
            stop = min(start + self.batch_size, count)
            write(start, stop, base + start)
            start = stop
        self._sent[kind] += count

    def finish(self) -> DatasetInfo:
        """Count what arrived against the spec and make the dataset visible as complete, in one step."""
        spec, store = self.spec, self._store
        for kind in KINDS:
            if self._sent[kind] != getattr(spec, kind):
                raise ParameterError(kind, self._sent[kind], f"{getattr(spec, kind)}, as announced")
        if _loads_token(store, spec.name, self._token):
            self._check_counts()
        properties = {**_announced(spec), "complete": True}
        trash = f"removed {self._token}"

        def change_places(run: Runner) -> bool:
            locked = run("load/lock", token=self._token, at=now())
            if not locked:
                return False
            complete = {**properties, "createdAt": locked[0][0]["createdAt"]}
            run("load/release-broken", released=spec.name)
            run("load/complete", name=spec.name, properties=complete)  # first: another change waits for it
            if self._key == spec.name:
                run("load/close", token=self._token)
            else:
                run("load/rename", key=spec.name, to=trash)
                run("load/rename", key=self._key, to=spec.name)
                cleaning = {"state": "cleaning", "key": trash, "token": trash}
                run("load/count", token=self._token, counters=cleaning)
            return True

        if store.snapshots or self._key == spec.name:
            changed = store.atomically(change_places)
        else:
            changed = self._announced(lambda: store.atomically(change_places))
        if changed and self._key != spec.name:
            _purge(store, trash)
            store.one("load/close", token=trash)
        return self._complete()

    def _announced(self, change: Callable[[], bool]) -> bool:
        """Run ``change`` while the dataset says that it is changing, each of the three a transaction.

        Whoever asks and sees it said, before or after, asks again. A kill in between leaves it said: nobody
        is answered then until the dataset was loaded.
        """
        named = {"name": self.spec.name, "token": self._token}
        self._store.one("load/changing", **named)
        try:
            changed = change()
        except BaseException:
            with contextlib.suppress(RatingPrivError):  # waits for a change that is under way
                self._store.one("load/changed", **named)
            raise
        self._store.one("load/changed", **named)
        return changed

    def _check_counts(self) -> None:
        spec = self.spec
        expected = {kind: getattr(spec, kind) for kind in KINDS} | {"memberships": spec.records}
        names = ("issues", "groups", "records", "memberships", "ratings", "pairs")
        counted = dict(zip(names, self._store.one("load/counted", key=self._key)[0], strict=True))
        wrong = [
            f"{counted[name]} of {expected[name]} {name}" for name in names if counted[name] != expected[name]
        ]
        distinct = self._store.one("load/distinct", key=self._key)[0]
        for what, arrived, announced in zip(
            ("record ids", "record positions", "issue names"),
            distinct,
            (spec.records, spec.records, spec.issues),
            strict=True,
        ):
            if arrived != announced and counted[what.split()[0] + "s"] == announced:
                wrong.append(f"{arrived} of {announced} distinct {what}")
        sized, neighbours = self._store.one("load/sized", key=self._key, levels=len(spec.levels))[0]
        right = sized == spec.records and self._neighbours in (None, neighbours)
        if not right and counted["records"] == spec.records:
            wrong.append(f"the sizes of {sized} of {spec.records} neighbourhoods, {neighbours} in all")
        if wrong and _loads_token(self._store, spec.name, self._token):
            raise LoadFailedError(
                self._store.uri,
                f"dataset {spec.name!r} arrived with {', '.join(wrong)}",
                "it stays marked as not complete; drop it with ratingpriv store drop and ingest it again",
            )

    def _complete(self) -> DatasetInfo:
        """Return the dataset, whichever process has loaded it to its end; LoadFailedError: it is another."""
        there = [
            info_of(self._store, row[0], None) for row in self._store.one("load/dataset", name=self.spec.name)
        ]
        if not there or not there[0].complete or there[0].spec != self.spec:
            raise _displaced(self._store, self.spec)
        return there[0]

    @abstractmethod
    def _issues(self, batch: IssueBatch, start: int, stop: int, offset: int) -> None: ...

    @abstractmethod
    def _groups(self, batch: GroupBatch, start: int, stop: int, offset: int) -> None: ...

    @abstractmethod
    def _records(self, batch: RecordBatch, start: int, stop: int, offset: int) -> None: ...

    @abstractmethod
    def _ratings(self, batch: RatingBatch, start: int, stop: int, offset: int) -> None: ...

    @abstractmethod
    def _pairs(self, batch: PairBatch, start: int, stop: int, offset: int) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the load as it is: what has arrived stays, and an equal load goes on with it."""
        self._left = True


def _displaced(store: LoadableStore, spec: DatasetSpec) -> LoadFailedError:
    """Return the error for a load that another process has stopped."""
    found = f"another process has dropped dataset {spec.name!r} or loads other data under its name"
    return LoadFailedError(store.uri, found, "let it end, then run this again")


def _loads_token(store: LoadableStore, name: str, token: str) -> bool:
    return any(load["token"] == token for load in _loads(store, name))

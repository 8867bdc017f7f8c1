"""How a dataset gets into a store and out again, the same for every store: open, send,
count, change places.

The state is in the store itself, in ``Load`` nodes, so that a load that was killed can go on from
another process. A load's token is a hash of its spec: two processes that load the same data at once
share one load, and a batch that one of them brought the other skips. A load of the same name with
another spec is discarded first.
"""

from __future__ import annotations

import contextlib
import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import (
    LoadFailedError,
    ParameterError,
    QueryFailedError,
    RatingPrivError,
    UnknownDatasetError,
)
from ratingpriv.graph.datasets import KINDS, arrived, check_spec, info_of, properties_of, token_of
from ratingpriv.graph.rows import grown_group_rows, grown_record_rows
from ratingpriv.graph.store import (
    DatasetInfo,
    DatasetSpec,
    GroupBatch,
    GrownGroups,
    GrownRecords,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
    Runner,
    Store,
)

SCHEMA = (
    "schema/dataset-key",
    "schema/load-key",
    "schema/record-position",
    "schema/group-key",
    "schema/issue-position",
    *(
        f"schema/{kind}-dataset"
        for kind in ("record", "group", "issue", "run", "clique", "release", "swap-group")
    ),
    "schema/release-released",
)
_REMOVED_AT_ONCE = 20_000  # nodes or relationships
_DISCARDED = "discarded "


def now() -> str:
    """Return the time, UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def make_schema(store: Store) -> None:
    """Make the constraints and indexes that are not there yet."""
    for query_id in SCHEMA:
        store.one(query_id)
    try:
        store.one("schema/record-key")
    except QueryFailedError:  # a server has no such index where an id is too long for it
        if store.engine != "neo4j":
            raise


def _loads(store: Store, name: str | None = None) -> list[dict[str, Any]]:
    loads = [row[0] for row in store.one("load/loads")]
    return [load for load in loads if name is None or load["name"] == name]


def infos(store: Store) -> list[DatasetInfo]:
    """Every dataset of ``store``, by name."""
    loads = {load["name"]: load for load in _loads(store) if load["state"] == "loading"}
    return [info_of(store, row[0], loads.get(row[0]["name"])) for row in store.one("load/datasets")]


def open_load(
    store: Store, spec: DatasetSpec, base: DatasetSpec | None = None
) -> tuple[str, str, dict[str, int]]:
    """Open a load of ``spec``, or find the one that broke off: token, its nodes' ``dataset``,
    what came.

    What is added to ``base`` goes in place, and the dataset is not complete meanwhile.
    """
    check_spec(spec)
    make_schema(store)
    token = token_of(spec, base)
    # before the loads: what is without one stays so
    present = store.one("load/dataset", name=spec.name)
    for load in _loads(store, spec.name):
        if load["state"] == "loading" and load["token"] == token:
            return token, load["key"], arrived(load)
        _discard(store, load)
    left = present and present[0][0].get("complete") is not True
    if left and store.one("load/dataset", name=spec.name) == present:
        # left by a drop, or by a load that was discarded, and then was killed
        _purge(store, spec.name)
        store.one("load/forget", name=spec.name)

    def announce(run: Runner) -> None:
        described = {name: value for name, value in _announced(spec).items() if value is not None}
        described["createdAt"] = now()
        if base is None:
            complete = run("load/announce", name=spec.name, properties=described)[0][0]
            displaced = not complete and any(
                load["name"] == spec.name and load["token"] != token
                for (load,) in run("load/loads")
            )
        else:
            complete = False
            displaced = not run(
                "load/grow", name=spec.name, token=token, fingerprint=base.fingerprint
            )
        if displaced:
            raise _displaced(store, spec)  # which began at the same moment, in the same place
        key = f"load {token}" if complete else spec.name
        state = {"key": key, "state": "loading", "appends": base is not None}
        done = {f"{kind}Done": 0 if base is None else getattr(base, kind) for kind in KINDS}
        run("load/open", token=token, properties={**described, **state, **done})

    store.atomically(announce)
    for load in _loads(store, spec.name):
        if load["token"] == token:
            return token, load["key"], arrived(load)
    raise _displaced(store, spec)


def _announced(spec: DatasetSpec) -> dict[str, Any]:
    """Return the properties of a Dataset node as the statements take them, levels as texts."""
    properties = properties_of(spec)
    return {
        **properties,
        "levels": properties["levels"] and [repr(level) for level in properties["levels"]],
    }


def _purge(store: Store, key: str) -> None:
    """Remove everything with this ``dataset`` property, in batches,
    the releases made of it first.
    """
    for (released,) in store.one("load/releases-of", key=key):
        with contextlib.suppress(UnknownDatasetError):
            drop(store, released)
    for query_id in store.removal:
        while store.one(query_id, key=key, most=_REMOVED_AT_ONCE)[0][0]:
            pass


def _discard(store: Store, load: Mapping[str, Any]) -> None:
    """Stop a load, whoever runs it, and remove what it brought.

    The token changes first: that waits for a batch under way, and the next one finds no load to
    count for.
    """
    if load["state"] == "loading":
        gone = f"{_DISCARDED}{load['token']}"
        store.one("load/count", token=load["token"], counters={"state": "cleaning", "token": gone})
        load = {**load, "token": gone}
    if load.get("appends") is True:
        _take_back(store, load["name"], load["token"])
        return
    complete = [
        row[0].get("complete") is True for row in store.one("load/dataset", name=load["name"])
    ]
    if load["key"] != load["name"] or not any(complete):
        _purge(store, load["key"])
    store.one("load/close", token=load["token"])


def _take_back(store: Store, name: str, token: str) -> None:
    """Remove what a load has added to a dataset, which then is as it was,
    unless it is being dropped.
    """
    # a server holds a statement in memory
    for query_id in ("load/remove-grown-pairs", "load/remove-grown"):
        while store.one(query_id, name=name, most=_REMOVED_AT_ONCE)[0][0]:
            pass
    store.one("load/grown", name=name, token=token.removeprefix(_DISCARDED))
    store.one("load/close", token=token)


def drop(store: Store, name: str) -> None:
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


class DatasetSink(ABC):
    """Where a loader puts one dataset, in this order: issues, groups, records, ratings,
    pairs, ``finish``.

    Always send everything from the start and in the same order: what an earlier, broken-off load of
    an equal spec has brought already is skipped here (``done`` tells how much that is, by kind, for
    a loader that wants to spare itself the work: call :meth:`skip`). Batches may be of any size;
    they are cut into those of the store. Leaving the ``with`` block without ``finish`` leaves a
    load that can be resumed.

    With a ``base`` only what goes beyond it is sent, issues never, and ``finish`` takes what
    changes of it.
    """

    batch_size = 20_000

    def __init__(self, store: Store, spec: DatasetSpec, base: DatasetSpec | None = None) -> None:
        self.spec = spec
        self._store = store
        self._token, self._key, self._done = open_load(store, spec, base)
        self._sent = {kind: 0 if base is None else getattr(base, kind) for kind in KINDS}
        self._base = base
        self._neighbours: int | None = 0 if base is None else None
        self._left = False

    @property
    def done(self) -> Mapping[str, int]:
        """How much of each kind (issues, groups, records, ratings,
        pairs) an earlier load has brought.
        """
        return self._done

    def add_issues(self, batch: IssueBatch) -> None:
        """Add issues, sensitive and other."""
        self._add("issues", batch, len(batch.names))

    def add_groups(self, batch: GroupBatch) -> None:
        """Add Hamming groups."""
        self._add("groups", batch, len(batch.sizes))

    def add_records(self, batch: RecordBatch) -> None:
        """Add records; the next one gets the next position."""
        self._check_sizes(batch)
        self._add("records", batch, len(batch.ids))

    def add_ratings(self, batch: RatingBatch) -> None:
        """Add ratings of records by their positions."""
        self._in_range("records", batch.records)
        self._in_range("issues", batch.issues)
        self._add("ratings", batch, len(batch.ratings))

    def add_pairs(self, batch: PairBatch) -> None:
        """Add proximate pairs of records by their positions."""
        self._in_range("records", batch.right)
        if len(batch.left) and not (np.all(batch.left >= 0) and np.all(batch.left < batch.right)):
            raise ParameterError(
                "pairs", "left >= right", "every pair once, its smaller position first"
            )
        self._add("pairs", batch, len(batch.left))

    def skip(self, kind: str, count: int) -> None:
        """Count ``count`` items of ``kind`` as sent; they must be among ``done``."""
        if self._sent[kind] + count > self._done[kind]:
            raise ParameterError(
                kind, count, f"at most {self._done[kind] - self._sent[kind]} more to skip"
            )
        if kind == "records" and count:
            self._neighbours = None  # not seen, so not added up
        self._sent[kind] += count

    def _check_sizes(self, batch: RecordBatch) -> None:
        """Refuse sizes that no neighbourhoods can have; add them up, to be counted in the end."""
        spec, sizes = self.spec, batch.sizes
        wanted = (len(batch.ids), len(spec.levels)) if spec.levels else None
        if (None if sizes is None else sizes.shape) != wanted:
            expected = (
                f"one for each of {len(spec.levels)} levels"
                if spec.levels
                else "none without levels"
            )
            raise ParameterError("sizes", None if sizes is None else sizes.shape, expected)
        if sizes is None or not len(sizes):
            return
        if sizes[:, 0].min() < 1 or sizes[:, -1].max() > spec.records or np.any(np.diff(sizes) < 0):
            what = f"found outside 1..{spec.records}, or falling from a level to the next"
            raise ParameterError(
                "sizes", what, "numbers of records that never fall from a level to the next"
            )
        if self._neighbours is not None:
            self._neighbours += int(sizes.sum(dtype=np.int64))

    def _in_range(self, kind: str, positions: NDArray[np.int64]) -> None:
        most = getattr(self.spec, kind)
        if len(positions) and not (positions.min() >= 0 and positions.max() < most):
            raise ParameterError(
                kind, int(positions.max()), f"positions of 0 to {most - 1}, as announced"
            )

    def _add(self, kind: str, batch: Any, count: int) -> None:
        """Hand over what is not there yet of a batch of ``count``, in pieces."""
        if self._left:
            raise ParameterError(
                "load", "a load that was left", "an open one", "begin it again: it goes on"
            )
        for earlier in KINDS[: KINDS.index(kind)]:
            if self._sent[earlier] != getattr(self.spec, earlier):
                actual = f"{self._sent[earlier]} {earlier}, then {kind}"
                raise ParameterError(
                    "load", actual, f"all {getattr(self.spec, earlier)} {earlier} first"
                )
        base, most = self._sent[kind], getattr(self.spec, kind)
        if base + count > most:
            raise ParameterError(kind, base + count, f"{most}, as announced")
        present = min(max(self._done[kind] - base, 0), count)
        for start in range(present, count, self.batch_size):
            self._write(kind, batch, start, min(start + self.batch_size, count), base + start)
        self._sent[kind] += count

    @abstractmethod
    def _write(self, kind: str, batch: Any, start: int, stop: int, offset: int) -> None:
        """Write ``start:stop`` of a batch, the first of which is number ``offset`` of its kind."""

    def finish(
        self, groups: GrownGroups | None = None, records: GrownRecords | None = None
    ) -> DatasetInfo:
        """Count what arrived against the spec and make the dataset visible as complete,
        in one step.

        ``groups``, ``records`` : of the base, those that have more records, or other
        neighbourhoods, now
        """
        spec, store = self.spec, self._store
        for kind in KINDS:
            if self._sent[kind] != getattr(spec, kind):
                raise ParameterError(kind, self._sent[kind], f"{getattr(spec, kind)}, as announced")
        if _loads_token(store, spec.name, self._token):
            self._check_counts()
        if self._base is not None:
            store.atomically(lambda run: self._grow(run, groups, records))
            return self._complete()
        properties = {**_announced(spec), "complete": True}
        trash = f"removed {self._token}"

        def change_places(run: Runner) -> bool:
            locked = run("load/lock", token=self._token, at=now())
            if not locked:
                return False
            complete = {**properties, "createdAt": locked[0][0]["createdAt"]}
            run("load/release-broken", released=spec.name)
            # first: another change waits for it
            run("load/complete", name=spec.name, properties=complete)
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

    def _grow(self, run: Runner, groups: GrownGroups | None, records: GrownRecords | None) -> None:
        """Say everything of the base that changes, and that the dataset is complete,
        in one transaction.
        """
        if not run("load/lock", token=self._token, at=now()):
            return
        most = self.batch_size
        if groups is not None:
            for first in range(0, len(groups.ids), most):
                rows = grown_group_rows(groups, first, first + most)
                run("load/grown-groups", key=self._key, rows=rows)
        if records is not None:
            for first in range(0, len(records.positions), most):
                rows = grown_record_rows(records, first, first + most)
                run("load/grown-records", key=self._key, rows=rows)
        self._check_sized(run)
        run(
            "load/complete",
            name=self.spec.name,
            properties=_announced(self.spec) | {"createdAt": now()},
        )
        run("load/grown", name=self.spec.name, token=self._token)
        run("load/close", token=self._token)

    def _announced(self, change: Callable[[], bool]) -> bool:
        """Run ``change`` while the dataset says that it is changing,
        each of the three a transaction.

        Whoever asks and sees it said, before or after, asks again. A kill in between leaves it
        said: nobody is answered then until the dataset was loaded.
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
        spec, wrong = self.spec, []
        counted = counted_of(self._store, self._key)
        for name, count in counted.items():
            announced = spec.records if name == "memberships" else getattr(spec, name)
            if count != announced:
                wrong.append(f"{count} of {announced} {name}")
        distinct = self._store.one("load/distinct", key=self._key)[0]
        kinds = (
            ("records", "record ids"),
            ("records", "record positions"),
            ("issues", "item names"),
        )
        for (kind, what), count in zip(kinds, distinct, strict=True):
            announced = getattr(spec, kind)
            if count != announced and counted[kind] == announced:
                wrong.append(f"{count} of {announced} distinct {what}")
        if wrong and _loads_token(self._store, spec.name, self._token):
            raise self._wrong(", ".join(wrong))
        if self._base is None and _loads_token(self._store, spec.name, self._token):
            self._check_sized(self._store.one)

    def _check_sized(self, run: Runner) -> None:
        spec = self.spec
        sized, neighbours = run("load/sized", key=self._key, levels=len(spec.levels))[0]
        if sized != spec.records or self._neighbours not in (None, neighbours):
            raise self._wrong(
                f"the sizes of {sized} of {spec.records} neighbourhoods, {neighbours} in all"
            )

    def _wrong(self, what: str) -> LoadFailedError:
        remedy = (
            "it stays marked as not complete; drop it with ratingpriv store drop and ingest "
            "it again"
        )
        return LoadFailedError(
            self._store.uri, f"dataset {self.spec.name!r} arrived with {what}", remedy
        )

    def _complete(self) -> DatasetInfo:
        """Return the dataset, whichever process has loaded it to its end.

        LoadFailedError: it is another.
        """
        others = [
            info_of(self._store, row[0], None)
            for row in self._store.one("load/dataset", name=self.spec.name)
        ]
        if not others or not others[0].complete or others[0].spec != self.spec:
            raise _displaced(self._store, self.spec)
        return others[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the load as it is: what has arrived stays, and an equal load goes on with it."""
        self._left = True


def counted_of(store: Store, key: str) -> dict[str, int]:
    """Count what is under a ``dataset`` property, by kind,
    memberships of Hamming groups among them.
    """
    names = ("issues", "groups", "records", "memberships", "ratings", "pairs")
    return dict(zip(names, store.one("load/counted", key=key)[0], strict=True))


def _displaced(store: Store, spec: DatasetSpec) -> LoadFailedError:
    """Return the error for a load that another process has stopped."""
    actual = f"another process has dropped dataset {spec.name!r} or loads other data under its name"
    return LoadFailedError(store.uri, actual, "let it end, then run this again")


def _loads_token(store: Store, name: str, token: str) -> bool:
    return any(load["token"] == token for load in _loads(store, name))

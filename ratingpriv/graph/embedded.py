"""The embedded store: a property graph in one file, in this process, without a server (engine: grafeo).

What the engine cannot do, and what is done instead: it has no writes from several processes (one writer
excludes everybody, readers share); its composite uniqueness constraints make a load quadratic (the loads
count distinct keys at their end instead); its batch interface has transactions of its own (so a broken-off
load counts what is there, rather than trust its counters).
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import grafeo
import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import (
    NotAStoreError,
    QueryFailedError,
    QueryTimedOutError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from ratingpriv.base.unfinished import finishing, undivided
from ratingpriv.graph import loading, running
from ratingpriv.graph.binding import bind
from ratingpriv.graph.catalogue import Query, query
from ratingpriv.graph.datasets import KINDS
from ratingpriv.graph.rows import (
    GraphNode,
    GraphRelationship,
    as_text,
    duration_text,
    group_rows,
    issue_rows,
    record_rows,
)
from ratingpriv.graph.running import StoredDatasets
from ratingpriv.graph.store import (
    DatasetSpec,
    Engine,
    GroupBatch,
    IssueBatch,
    PairBatch,
    RatingBatch,
    RecordBatch,
    Result,
)
from ratingpriv.graph.texts.contents import leaving_datasets
from ratingpriv.graph.texts.guarding import check_plan, embedded_plan, refuse_command
from ratingpriv.graph.texts.own import OwnQuery


class EmbeddedStore(StoredDatasets):
    """A :class:`ratingpriv.graph.store.GraphStore` in one file, or (None) in memory; see :func:`open_store`.

    Notes
    -----
    A new file is its owner's alone (0600), and so is the folder of its journal beside it (``FILE.wal``, 0700)
    while it is open. The rights of a file that is there are kept, and its journal gets them too.
    """

    engine: Engine = "embedded"
    removal_batch = 20_000
    removal: tuple[str, ...] = ("load/remove-nodes",)
    snapshots = True

    def __init__(
        self, path: Path | None = None, *, mode: Literal["write", "change", "read"] = "write"
    ) -> None:
        self.uri = f"embedded:{path if path is not None else ':memory:'}"
        self.mode: Literal["write", "read"] = "read" if mode == "read" else "write"
        self._db: Any = None
        with self._translated():
            if path is None:
                self._db = grafeo.GrafeoDB()
                return
            if path.is_dir():  # "." among them, which has no name
                raise NotAStoreError(self.uri, "this is a folder", "name a file in it")
            if not path.exists() and _journal(path).exists():
                found = f"the file is gone, and what was not yet written to it is still in {_journal(path)}"
                raise StoreUnavailableError(self.uri, found, "put the file back, or remove that folder too")
            if not path.exists() and (mode != "write" or not path.parent.is_dir()):
                what = f"the folder {path.parent} does not exist" if mode == "write" else "no such file"
                remedy = "make it first" if mode == "write" else "ratingpriv ingest makes a store"
                raise StoreUnavailableError(self.uri, what, f"check the path; {remedy}")
            _refuse_shared(path, self.uri)
            _refuse_older_state(path, self.uri)
            if mode == "read":
                self._db = grafeo.GrafeoDB.open_read_only(str(path))
                return
            if path.exists() and path.stat().st_mode & stat.S_IROTH:
                self.cautions = (
                    f"everybody may read {path}, which holds the data: chmod 600 keeps it yours",
                )
            with _private(path), _whole(path):
                self._db = grafeo.GrafeoDB(str(path))

    def version(self) -> str:
        """Return the engine and its version."""
        return f"grafeo {grafeo.__version__}"

    def run(self, asked: Query | OwnQuery | str, /, *, write: bool = False, **params: Any) -> Result:
        """Run a query of the catalogue, or a text; see :meth:`ratingpriv.graph.store.GraphStore.run`."""
        execute = self._open().execute_cypher
        found = running.resolve(asked, self.engine)
        if isinstance(found, OwnQuery):
            return running.answered_own(self, found, params, self._asking(found, write), write=write)
        return running.answered(
            self, found, params, lambda found, values: self._answer(execute, found, values)[:2]
        )

    def _asking(self, own: OwnQuery, write: bool) -> running.Ask:
        """Return what runs a text of the user's own: after a look at its plan, and in a transaction."""

        def ask(contract: Query, values: dict[str, Any]) -> running.Answer:
            check_plan(embedded_plan(self._plan(own, values)), own.statement, own.id, write=write)
            if self.mode == "read":  # the engine itself refuses to write
                return self._answer(self._open().execute_cypher, contract, values)
            with self._translated(contract), self._open().begin_transaction() as transaction:
                execute = transaction.execute_cypher
                if not write:
                    try:
                        return self._answer(execute, contract, values)
                    finally:
                        transaction.rollback()

                answer = leaving_datasets(
                    self._runner(execute), own.statement, lambda: self._answer(execute, contract, values)
                )
                transaction.commit()
            return answer

        return ask

    def _plan(self, own: OwnQuery, values: dict[str, Any]) -> str:
        try:
            return str(self._open().explain_cypher(own.query.text, values).to_list()[0]["plan"])
        except grafeo.GrafeoError as error:
            said = str(error)
            if "Schema commands" in said:
                raise refuse_command(own.statement, own.id) from error
            place = re.search(r"query:(\d+):(\d+)", said)
            line = "" if place is None else f" (line {place[1]})"
            first = said.splitlines()[0].partition(": ")[2]
            raise running.not_understood(own, f"{first}{line}") from error

    def _answer(self, execute: Callable[..., Any], contract: Query, values: dict[str, Any]) -> running.Answer:
        with self._translated(contract):
            result = execute(contract.text, values)
            columns = list(result.columns)
            rows = [tuple(_plain(row[name]) for name in columns) for row in result.to_list()]
            counted = result.counters
        names = {"edges_created": "relationships_created", "edges_deleted": "relationships_deleted"}
        return columns, rows, {names.get(name, name): int(number) for name, number in counted.items()}

    def explain(self, asked: Query | OwnQuery | str, /, **params: Any) -> str:
        """Return the engine's plan of a query; nothing is run."""
        found = running.contract_of(running.resolve(asked, self.engine))
        with self._translated(found):
            rows = self._open().explain_cypher(found.text, bind(found, params) if params else None)
        return (
            rows
            if isinstance(rows, str)
            else "\n".join(str(v) for row in rows.to_list() for v in row.values())
        )

    def one(self, query_id: str, /, **params: Any) -> list[loading.Row]:
        """Run one statement in a transaction of its own."""
        return self._runner(self._open().execute_cypher)(query_id, **params)

    def atomically[T](self, work: Callable[[loading.Runner], T]) -> T:
        """Run ``work`` in one transaction."""
        with self._translated(), self._open().begin_transaction() as transaction:
            result = work(self._runner(transaction.execute_cypher))
            transaction.commit()
        return result

    def _runner(self, execute: Callable[..., Any]) -> loading.Runner:
        def run(query_id: str, /, **params: Any) -> list[loading.Row]:
            found = query(query_id, self.engine)
            return self._answer(execute, found, bind(found, params))[1]

        return run

    def index_ids(self) -> None:
        """Make the index that finds a record by its id."""
        self.one("schema/record-key")

    def begin_dataset(self, spec: DatasetSpec) -> EmbeddedSink:
        """Start to load a dataset, or resume a broken-off load of an equal spec."""
        return EmbeddedSink(self, spec)

    def batch[T](self, work: Callable[[Any], T]) -> T:
        """Run one call of the engine's batch interface, a transaction of its own."""
        with self._translated():
            return work(self._open())

    def close(self) -> None:
        """Write the file and release it; a second call does nothing."""
        db, self._db = self._db, None
        if db is not None:
            with self._translated():
                db.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            with contextlib.suppress(StoreError):  # the error under way is the one to tell
                self.close()

    def __repr__(self) -> str:
        return f"<EmbeddedStore {self.uri}{'' if self._db is not None else ', closed'}>"

    def _open(self) -> Any:
        if self._db is None:
            raise StoreUnavailableError(self.uri, "this store was closed", "open it again")
        return self._db

    @contextlib.contextmanager
    def _translated(self, contract: Query | None = None) -> Iterator[None]:
        """Turn the engine's errors into ours: what was found, and what to do."""
        try:
            yield
        except (grafeo.GrafeoError, grafeo.DatabaseClosedError, OSError) as error:
            raise self._translate(error, contract) from error
        except BaseException as error:  # what the engine did not expect is none of Python's exceptions
            if type(error).__name__ != "PanicException" or contract is None:
                raise
            what, remedy = f"query {contract.id}: the engine broke down over it", "ask it of a Neo4j server"
            raise QueryFailedError(self.uri, what, f"look for fewer steps at a time, or {remedy}") from error

    def _translate(self, error: Exception, contract: Query | None) -> StoreError:
        text = str(error)
        code = getattr(error, "error_code", "")
        if "os error 28" in text or "os error 27" in text or "os error 122" in text:
            remedy = (
                "free some space or choose another disk, then run this again: it goes on where it stopped"
            )
            return StoreFullError(self.uri, "the disk is full", remedy)
        if any(said in text for said in ("be locked for", "is locked by", "database locked")):
            remedy = "wait until it ends, or close the program that has it open"
            return StoreLockedError(
                self.uri, "another process or another part of this one has the store open", remedy
            )
        if isinstance(error, grafeo.GrafeoCorruptionError):
            return NotAStoreError(self.uri, f"the file is damaged ({text})", _RESTORE)
        if self._db is None and code in ("GRAFEO-X002", "GRAFEO-V001"):
            remedy = "name another file; nothing was changed"
            return NotAStoreError(self.uri, "the file is something else than a ratingpriv store", remedy)
        if self._db is None:
            return StoreUnavailableError(
                self.uri, f"it cannot be opened ({text})", "check the path and its permissions"
            )
        if code == "GRAFEO-T003":
            writing = "this" if contract is None else contract.id
            what = f"{writing} writes, and the store is open for reading only"
            return QueryFailedError(self.uri, what, "open it for writing")
        what = f"query {contract.id}: " if contract is not None else ""
        if code == "GRAFEO-Q003" or text.startswith("GRAFEO-Q003"):  # its limit cannot be set from Python
            slow = f"{what}it took longer than the engine lets a statement run ({text.splitlines()[0]})"
            remedy = "ask with a smaller epsilon, about one record or component, or on a Neo4j server"
            return QueryTimedOutError(self.uri, slow, remedy)
        return QueryFailedError(self.uri, f"{what}the engine refused: {text}", "see the query, or report it")


_journal_lock = threading.Lock()


@contextlib.contextmanager
def _private(path: Path) -> Iterator[None]:
    """Let the engine make its files for the user alone; those of a file that is there are as it is."""
    before = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
    with _journal_lock:
        mask = os.umask(0o077)  # of the whole process, for as long as it takes to open a file
        try:
            yield
        finally:
            os.umask(mask)
    journal = _journal(path)
    with contextlib.suppress(OSError):  # another user's, or a file system without rights
        path.chmod(before)
        if journal.is_dir() and not journal.is_symlink():
            journal.chmod(before & 0o700 | 0o700 | (before & 0o060) | (before & 0o040) >> 2)


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Where the engine fails to make a file, remove what it began, which is the file under another name."""
    begun = path.with_name(f"{path.name}.creating")
    ours = not path.exists() and not begun.exists()

    def remove() -> None:
        with contextlib.suppress(OSError):
            if ours:
                begun.unlink(missing_ok=True)

    with finishing(remove), undivided():
        yield


def _journal(path: Path) -> Path:
    """Return the folder where the engine keeps what it has not yet written to the file."""
    return path.with_name(f"{path.name}.wal")


def _refuse_shared(path: Path, uri: str) -> None:
    """Refuse a file that everybody may change: answers from it would be anybody's."""
    for one in (path, _journal(path)):
        if os.name == "posix" and one.exists() and one.stat().st_mode & stat.S_IWOTH:
            found = f"everybody may write to {one.name}, so that nobody knows what is in it"
            raise StoreUnavailableError(uri, found, "take that right away (chmod o-w) if you trust it")


_FORMAT, _SLOT, _SLOT_SIZE, _SLOT_HEAD = b"GRAF\x03", b"GDBH\x01\0\0\0", 4096, 80


def _refuse_older_state(path: Path, uri: str) -> None:
    """Refuse a file from which the engine would answer as it was some time ago.

    The file says in two places, written by turns, which state it has, and the engine takes the older where
    the newer is damaged. With a journal beside it that is how a run that was killed is brought to its end;
    without one, the file was damaged, and its older state is another dataset.
    """
    if not path.is_file() or _journal(path).exists():
        return
    with path.open("rb") as file:
        if file.read(len(_FORMAT)) != _FORMAT:  # another version of the engine has other places
            return
        file.seek(_SLOT_SIZE)
        slots = [file.read(_SLOT_SIZE)[: _SLOT_HEAD + 4] for _ in range(2)]
    turns = [_turn(slot) for slot in slots]
    if turns != [0, None] and (None in turns or abs(turns[0] - turns[1]) != 1):  # type: ignore[operator]
        raise NotAStoreError(uri, "the file is damaged (its newest state is lost)", _RESTORE)


def _turn(slot: bytes) -> int | None:
    """Return the number of the state that a slot says, 0 in a new file; None: not written yet, or damaged."""
    if not slot.startswith(_SLOT) or zlib.crc32(slot[:_SLOT_HEAD]) != int.from_bytes(
        slot[_SLOT_HEAD:], "little"
    ):
        return None
    return int.from_bytes(slot[len(_SLOT) : len(_SLOT) + 8], "little")


_RESTORE = "restore the file from a backup, or remove it and ingest again"


def _plain(value: Any) -> Any:
    """Turn the engine's nodes and relationships into the plain shapes that every store returns."""
    if isinstance(value, grafeo.Node):
        return GraphNode(value.id, value.labels, _plain(dict(value.properties)))
    if isinstance(value, grafeo.Edge):
        inner = _plain(dict(value.properties))
        return GraphRelationship(value.id, value.source_id, value.target_id, value.edge_type, inner)
    if isinstance(value, dict):
        if "_labels" in value and "_id" in value:
            properties = {key: item for key, item in value.items() if key not in ("_id", "_labels")}
            return GraphNode(value["_id"], value["_labels"], _plain(properties))
        if "_type" in value and "_id" in value:
            inner = {k: v for k, v in value.items() if k not in ("_id", "_type", "_source", "_target")}
            start, end = value.get("_source"), value.get("_target")
            return GraphRelationship(value["_id"], start, end, value["_type"], _plain(inner))
        if value.keys() == {"months", "days", "nanos"}:
            return duration_text(value["months"], value["days"], value["nanos"])
        if value.keys() == {"nodes", "edges"}:  # a path
            return {"nodes": _plain(value["nodes"]), "relationships": _plain(value["edges"])}
        return {key: _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return as_text(value)


class EmbeddedSink(loading.Sink):
    """Loads a dataset through the engine's batch interface, which takes node numbers instead of keys."""

    batch_size = 100_000
    _store: EmbeddedStore

    def __init__(self, store: EmbeddedStore, spec: DatasetSpec) -> None:
        super().__init__(store, spec)
        self._nodes = {
            kind: np.full(getattr(spec, kind), -1, np.int64) for kind in ("issues", "groups", "records")
        }
        names = ("issues", "groups", "records", "memberships", "ratings", "pairs")
        counted = dict(zip(names, store.one("load/counted", key=self._key)[0], strict=True))
        self._done = {kind: counted[kind] for kind in KINDS}
        if any(counted.values()):
            self._find_places(counted["memberships"])

    def _find_places(self, memberships: int) -> None:
        """Learn where a broken-off load has put its nodes, and put its last records into their groups."""
        kinds = {"Issue": "issues", "HammingGroup": "groups", "Record": "records"}
        homeless = []
        for kind, place, node, group in self._store.one("load/places", key=self._key):
            self._nodes[kinds[kind]][place] = node
            if kind == "Record" and place >= memberships:
                homeless.append((node, group))
        if homeless:
            groups = self._nodes["groups"]
            edges = [(node, int(groups[group]), "IN_GROUP") for node, group in homeless]
            self._store.batch(lambda db: db.batch_create_edges(edges))

    def _create(self, kind: str, label: str, rows: list[dict[str, Any]], offset: int) -> NDArray[np.int64]:
        for row in rows:
            row["dataset"] = self._key
        made = self._store.batch(lambda db: db.batch_create_nodes_with_props(label, rows))
        nodes = np.asarray(made, np.int64)
        self._nodes[kind][offset : offset + len(nodes)] = nodes
        return nodes

    def _count(self, kind: str, count: int) -> None:
        counters = {f"{kind}Done": count, "touchedAt": loading.now()}
        if not self._store.one("load/count", token=self._token, counters=counters):
            self._complete()

    def _issues(self, batch: IssueBatch, start: int, stop: int, offset: int) -> None:
        self._create("issues", "Issue", issue_rows(batch, start, stop, offset), offset)
        self._count("issues", offset + stop - start)

    def _groups(self, batch: GroupBatch, start: int, stop: int, offset: int) -> None:
        self._create("groups", "HammingGroup", group_rows(batch, start, stop, offset), offset)
        self._count("groups", offset + stop - start)

    def _records(self, batch: RecordBatch, start: int, stop: int, offset: int) -> None:
        records = self._create("records", "Record", record_rows(batch, start, stop, offset), offset)
        groups = self._nodes["groups"][batch.groups[start:stop]]
        edges = [(a, b, "IN_GROUP") for a, b in zip(records.tolist(), groups.tolist(), strict=True)]
        self._store.batch(lambda db: db.batch_create_edges(edges))
        self._count("records", offset + stop - start)

    def _ratings(self, batch: RatingBatch, start: int, stop: int, offset: int) -> None:
        records = self._nodes["records"][batch.records[start:stop]].tolist()
        issues = self._nodes["issues"][batch.issues[start:stop]].tolist()
        values: list[dict[str, Any]] = [{"rating": rating} for rating in batch.ratings[start:stop].tolist()]
        if batch.timestamps is not None:
            for row, timestamp in zip(values, batch.timestamps[start:stop], strict=True):
                if timestamp is not None:
                    row["timestamp"] = timestamp
        edges = [(a, b, "RATED", row) for a, b, row in zip(records, issues, values, strict=True)]
        self._store.batch(lambda db: db.batch_create_edges(edges))
        self._count("ratings", offset + stop - start)

    def _pairs(self, batch: PairBatch, start: int, stop: int, offset: int) -> None:
        left = self._nodes["records"][batch.left[start:stop]].tolist()
        right = self._nodes["records"][batch.right[start:stop]].tolist()
        distance = batch.distance[start:stop].tolist()
        shared = {value: {"distance": value} for value in set(distance)}  # few distances, many pairs
        edges = [(a, b, "PROXIMATE", shared[d]) for a, b, d in zip(left, right, distance, strict=True)]
        self._store.batch(lambda db: db.batch_create_edges(edges))
        self._count("pairs", offset + stop - start)

"""The embedded store: a property graph in one file, in this process,
without a server (engine: grafeo).

What the engine cannot do, and what is done instead: it has no writes from several processes (one
writer excludes everybody, readers share); its composite uniqueness constraints make a load
quadratic (the loads count distinct keys at their end instead); its batch interface has transactions
of its own (so a broken-off load counts what is there, rather than trust its counters).
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import stat
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import grafeo
import numpy as np

from ratingpriv.base.errors import (
    NotAStoreError,
    QueryFailedError,
    QueryTimedOutError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.datasets import KINDS
from ratingpriv.graph.loading import DatasetSink, counted_of, now
from ratingpriv.graph.rows import (
    ROWS,
    GraphNode,
    GraphRelationship,
    as_text,
    duration_text,
    ratings_said,
)
from ratingpriv.graph.running import Answer, Ask, GraphStore
from ratingpriv.graph.store import DatasetSpec, Engine
from ratingpriv.graph.texts.guarding import Plan, embedded_plan, refuse_command
from ratingpriv.graph.texts.own import OwnQuery


class EmbeddedStore(GraphStore):
    """A store in one file, or (None) in memory; see :func:`ratingpriv.graph.connect.open_store`.

    Notes
    -----
    A new file is its owner's alone (0600), and so is the folder of its journal beside it
    (``FILE.wal``, 0700) while it is open. The rights of a file that is there are kept, and its
    journal gets them too.
    """

    engine: Engine = "embedded"
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
                actual = (
                    f"the file is gone, and what was not yet written to it is still in "
                    f"{_journal(path)}"
                )
                raise StoreUnavailableError(
                    self.uri, actual, "put the file back, or remove that folder too"
                )
            if not path.exists() and (mode != "write" or not path.parent.is_dir()):
                what = (
                    f"the folder {path.parent} does not exist"
                    if mode == "write"
                    else "no such file"
                )
                remedy = "make it first" if mode == "write" else "ratingpriv ingest makes a store"
                raise StoreUnavailableError(self.uri, what, f"check the path; {remedy}")
            _refuse_shared(path, self.uri)
            _refuse_older_state(path, self.uri)
            if mode == "read":
                self._db = grafeo.GrafeoDB.open_read_only(str(path))
                return
            if path.exists() and path.stat().st_mode & stat.S_IROTH:
                self.cautions = (
                    f"every user may read {path}, which holds the data: chmod 600 keeps it yours",
                )
            with _private(path):
                self._db = grafeo.GrafeoDB(str(path))

    def version(self) -> str:
        """Return the engine and its version."""
        return f"grafeo {grafeo.__version__}"

    def _ask(self, contract: Query, values: dict[str, Any]) -> Answer:
        return self._answer(self._open().execute_cypher, contract, values)

    def _transact[T](
        self,
        work: Callable[[Ask], T],
        contract: Query | None,
        *,
        read: bool = False,
        once: bool = False,
    ) -> T:
        if self.mode == "read":  # the engine itself refuses to write
            return work(self._ask)
        with self._translated(contract), self._open().begin_transaction() as transaction:
            try:
                result = work(functools.partial(self._answer, transaction.execute_cypher))
            finally:
                if read:
                    transaction.rollback()
            if not read:
                transaction.commit()
        return result

    def _answer(
        self, execute: Callable[..., Any], contract: Query, values: dict[str, Any]
    ) -> Answer:
        with self._translated(contract):
            result = execute(contract.text, values)
            columns = list(result.columns)
            rows = [tuple(_plain(row[name]) for name in columns) for row in result.to_list()]
            counted = result.counters
        names = {"edges_created": "relationships_created", "edges_deleted": "relationships_deleted"}
        return Answer(columns, rows, {names.get(name, name): int(n) for name, n in counted.items()})

    def _explained(self, contract: Query, values: dict[str, Any] | None) -> tuple[str, Plan]:
        with self._translated(contract):
            text = str(self._open().explain_cypher(contract.text, values).to_list()[0]["plan"])
        return text, embedded_plan(text)

    def _no_plan(self, own: OwnQuery, error: QueryFailedError) -> Exception:
        message = str(error.__cause__)
        if "Schema commands" in message:
            return refuse_command(own.statement, own.id)
        position = re.search(r"query:(\d+):(\d+)", message)
        line = "" if position is None else f" (line {position[1]})"
        error.found = f"{message.splitlines()[0].partition(': ')[2]}{line}"
        return super()._no_plan(own, error)

    def begin_dataset(self, spec: DatasetSpec, base: DatasetSpec | None = None) -> EmbeddedSink:
        """Start to load a dataset, or to add to one,
        or resume a broken-off load of an equal spec.
        """
        return EmbeddedSink(self, spec, base)

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
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except StoreError:
            if kind is None:  # else the error under way is the one to tell
                raise

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
        # what the engine did not expect is none of Python's exceptions
        except BaseException as error:
            if type(error).__name__ != "PanicException" or contract is None:
                raise
            what, remedy = (
                f"query {contract.id}: the engine broke down over it",
                "ask it of a Neo4j server",
            )
            raise QueryFailedError(
                self.uri, what, f"look for fewer steps at a time, or {remedy}"
            ) from error

    def _translate(self, error: Exception, contract: Query | None) -> StoreError:
        text = str(error)
        code = getattr(error, "error_code", "")
        if "os error 28" in text or "os error 27" in text or "os error 122" in text:
            remedy = (
                "free some space or choose another disk, then run this again: it goes on "
                "where it stopped"
            )
            return StoreFullError(self.uri, "the disk is full", remedy)
        if any(phrase in text for phrase in ("be locked for", "is locked by", "database locked")):
            remedy = "wait until it ends, or close the program that has it open"
            return StoreLockedError(
                self.uri, "another process or another part of this one has the store open", remedy
            )
        if isinstance(error, grafeo.GrafeoCorruptionError):
            return NotAStoreError(self.uri, f"the file is damaged ({text})", _RESTORE)
        if self._db is None and code in ("GRAFEO-X002", "GRAFEO-V001"):
            remedy = "name another file; nothing was changed"
            return NotAStoreError(self.uri, "the file is no ratingpriv store", remedy)
        if self._db is None:
            return StoreUnavailableError(
                self.uri, f"it cannot be opened ({text})", "check the path and its permissions"
            )
        if code == "GRAFEO-T003":
            writing = "this command" if contract is None or contract.is_part else contract.id
            what = f"{writing} writes, and the store is open for reading only"
            return QueryFailedError(self.uri, what, "open it for writing")
        what = f"query {contract.id}: " if contract is not None else ""
        # its limit cannot be set from Python
        if code == "GRAFEO-Q003" or text.startswith("GRAFEO-Q003"):
            slow = (
                f"{what}it took longer than the engine lets a statement run "
                f"({text.splitlines()[0]})"
            )
            return QueryTimedOutError(self.uri, slow, _less(contract))
        return QueryFailedError(
            self.uri, f"{what}the engine refused: {text}", "see the query, or report it"
        )


_journal_lock = threading.Lock()


@contextlib.contextmanager
def _private(path: Path) -> Iterator[None]:
    """Let the engine make its files for the user alone.

    Those of a file that is there are as it is.
    """
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


def _journal(path: Path) -> Path:
    """Return the folder where the engine keeps what it has not yet written to the file."""
    return path.with_name(f"{path.name}.wal")


def _refuse_shared(path: Path, uri: str) -> None:
    """Refuse a file that everybody may change: answers from it would be anybody's."""
    for path_shared in (path, _journal(path)):
        if (
            os.name == "posix"
            and path_shared.exists()
            and path_shared.stat().st_mode & stat.S_IWOTH
        ):
            actual = f"every user may write to {path_shared.name}, so its content is not certain"
            raise StoreUnavailableError(
                uri, actual, "take that right away (chmod o-w) if you trust it"
            )


_FORMAT, _SLOT, _SLOT_SIZE, _SLOT_HEAD = b"GRAF\x03", b"GDBH\x01\0\0\0", 4096, 80


def _refuse_older_state(path: Path, uri: str) -> None:
    """Refuse a file from which the engine would answer as it was some time ago.

    The file says in two places, written by turns, which state it has, and the engine takes the
    older where the newer is damaged. With a journal beside it that is how a run that was killed is
    brought to its end; without one, the file was damaged, and its older state is another dataset.
    """
    if not path.is_file() or _journal(path).exists():
        return
    with path.open("rb") as file:
        if file.read(len(_FORMAT)) != _FORMAT:  # another version of the engine has other places
            return
        file.seek(_SLOT_SIZE)
        slots = [file.read(_SLOT_SIZE)[: _SLOT_HEAD + 4] for _ in range(2)]
    turn, other = (_turn(slot) for slot in slots)
    if (turn, other) == (0, None):
        return
    if turn is None or other is None or abs(turn - other) != 1:
        raise NotAStoreError(uri, "the file is damaged (its newest state is lost)", _RESTORE)


def _turn(slot: bytes) -> int | None:
    """Return the number of the state that a slot says, 0 in a new file.

    None: not written yet, or damaged.
    """
    if not slot.startswith(_SLOT) or zlib.crc32(slot[:_SLOT_HEAD]) != int.from_bytes(
        slot[_SLOT_HEAD:], "little"
    ):
        return None
    return int.from_bytes(slot[len(_SLOT) : len(_SLOT) + 8], "little")


def _less(contract: Query | None) -> str:
    """Return how to ask for less, by the parameters that the query has."""
    names = {parameter.name for parameter in contract.params} if contract is not None else set()
    ways = {
        "last": "ask about fewer records (-p last=50)",
        "parts": "ask for one of more parts (-p parts=64 -p part=0)",
        "epsilon": "ask with a smaller epsilon (-p epsilon=0)",
    }
    ways_out = [way for name, way in ways.items() if name in names][:1]
    ways_out += ["ask again when the machine is less busy: the limit is one of wall time"]
    return ", or ".join([*ways_out, "ask a Neo4j server"])


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
            inner = {
                k: v for k, v in value.items() if k not in ("_id", "_type", "_source", "_target")
            }
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


_LABELS = {"issues": "Issue", "groups": "HammingGroup", "records": "Record"}


class EmbeddedSink(DatasetSink):
    """Loads a dataset through the engine's batch interface,
    which takes node numbers instead of keys.
    """

    batch_size = 100_000
    _store: EmbeddedStore

    def __init__(
        self, store: EmbeddedStore, spec: DatasetSpec, base: DatasetSpec | None = None
    ) -> None:
        super().__init__(store, spec, base)
        self._nodes = {kind: np.full(getattr(spec, kind), -1, np.int64) for kind in _LABELS}
        counted = counted_of(store, self._key)
        self._done = {kind: counted[kind] for kind in KINDS}
        if any(counted.values()):
            self._find_places(counted["memberships"])

    def _find_places(self, memberships: int) -> None:
        """Learn where a broken-off load has put its nodes,
        and put its last records into their groups.
        """
        kinds = {label: kind for kind, label in _LABELS.items()}
        homeless = []
        for label, position, node, group in self._store.one("load/places", key=self._key):
            self._nodes[kinds[label]][position] = node
            if label == "Record" and position >= memberships:
                homeless.append((node, group))
        groups = self._nodes["groups"]
        self._connect([(node, int(groups[group]), "IN_GROUP") for node, group in homeless])

    def _write(self, kind: str, batch: Any, start: int, stop: int, offset: int) -> None:
        part = slice(start, stop)
        if kind in _LABELS:
            rows = [{**row, "dataset": self._key} for row in ROWS[kind](batch, start, stop, offset)]
            made = self._store.batch(
                lambda db: db.batch_create_nodes_with_props(_LABELS[kind], rows)
            )
            self._nodes[kind][offset : offset + len(rows)] = made
            if kind == "records":
                groups = self._nodes["groups"][batch.groups[part]].tolist()
                self._connect([(a, b, "IN_GROUP") for a, b in zip(made, groups, strict=True)])
        elif kind == "ratings":
            records = self._nodes["records"][batch.records[part]].tolist()
            issues = self._nodes["issues"][batch.issues[part]].tolist()
            sentences = ratings_said(batch, start, stop)
            self._connect(
                [(a, b, "RATED", row) for a, b, row in zip(records, issues, sentences, strict=True)]
            )
        else:
            left, right = (
                self._nodes["records"][ends[part]].tolist() for ends in (batch.left, batch.right)
            )
            distance = batch.distance[part].tolist()
            # few distances, many pairs
            shared = {value: {"distance": value} for value in set(distance)}
            ends = zip(left, right, distance, strict=True)
            self._connect([(a, b, "PROXIMATE", shared[apart]) for a, b, apart in ends])
        counters = {f"{kind}Done": offset + stop - start, "touchedAt": now()}
        if not self._store.one("load/count", token=self._token, counters=counters):
            self._complete()

    def _connect(self, edges: list[tuple[Any, ...]]) -> None:
        if edges:
            self._store.batch(lambda db: db.batch_create_edges(edges))


def triangles_of(
    records: int, blocks: Iterable[Sequence[tuple[Any, ...]]]
) -> tuple[list[int], list[int]]:
    """Return degree and triangles of each record of a graph, which the engine holds in memory.

    ``blocks`` : pairs, the two positions first in each
    """
    graph = grafeo.GrafeoDB()
    nodes = graph.batch_create_nodes_with_props("Record", [{} for _ in range(records)])
    degrees = [0] * records
    for block in blocks:
        graph.batch_create_edges([(nodes[row[0]], nodes[row[1]], "PROXIMATE") for row in block])
        for row in block:
            degrees[row[0]] += 1
            degrees[row[1]] += 1
    found = graph.algorithms.triangle_count()
    return degrees, [found[node] for node in nodes]

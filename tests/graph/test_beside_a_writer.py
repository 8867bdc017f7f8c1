"""Whoever asks beside a writer is answered about the old dataset or the new one,
never about some of each.
"""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from depth import DEPTH
from golden.tables import build
from neo4j_server.plugin import Address

import ratingpriv
from graph.samples import load, sample, send
from ratingpriv.base.errors import (
    DatasetIncompleteError,
    LoadFailedError,
    QueryFailedError,
    UnknownDatasetError,
)
from ratingpriv.graph import GraphStore, open_store, running
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.store import Result
from ratingpriv_loaders.graph import slices

READERS, LOADS = (50, 20) if DEPTH > 1 else (16, 3)

ASKED = ("audit/degree-check", "audit/neighbourhood-sizes", "audit/dataset-summary")


def ask(store: GraphStore, query_id: str, name: str) -> Result:
    wanted = {"epsilon": 1.0, "k": 3} if query_id == "audit/degree-check" else {"epsilon": 1.0}
    return store.run(
        query_id, dataset=name, **({} if query_id == "audit/dataset-summary" else wanted)
    )


@pytest.mark.deep
def test_readers_beside_a_writer(neo4j_lts: Address) -> None:
    name, stop = f"test {uuid.uuid4().hex[:10]}", threading.Event()
    both, right, found = [sample(name, 60, seed=1), sample(name, 90, seed=2)], [], Counter[str]()

    def read(number: int) -> None:
        with open_store(neo4j_lts.uri, mode="read", environ=neo4j_lts.environ) as store:
            while not stop.is_set():
                try:
                    rows = ask(store, ASKED[number % len(ASKED)], name).rows
                    found["whole" if rows in right else f"a mixture: {rows[:1]}"] += 1
                except DatasetIncompleteError:
                    found["not complete"] += 1

    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as writer:
        try:
            for data in both:
                load(writer, data)
                right += [ask(writer, query_id, name).rows for query_id in ASKED]
            readers = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
            for reader in readers:
                reader.start()
            for turn in range(LOADS):
                load(writer, both[turn % 2])
            stop.set()
            for reader in readers:
                reader.join()
        finally:
            stop.set()
            writer.drop(name)
    assert found["whole"] > READERS
    assert set(found) <= {"whole", "not complete"}


@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("seeds", [(1, 1), (1, 2)])
def test_two_loads_of_one_name_at_once(
    neo4j_lts: Address, seeds: tuple[int, int], replaces: bool
) -> None:
    """Of the same data both end well.

    Of other data one does, and the other says who came between.
    """
    name, ends, together = f"test {uuid.uuid4().hex[:10]}", list[Any](), threading.Barrier(2)

    def bring(seed: int) -> None:
        data = sample(name, 30, seed=seed)
        with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
            together.wait()
            try:
                with store.begin_dataset(data.spec) as sink:
                    sink.batch_size = 20
                    send(sink, data)
                    ends.append(sink.finish().spec)
            except Exception as error:
                ends.append(error)

    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
        if replaces:
            load(store, sample(name, 9, seed=5))
        both = [threading.Thread(target=bring, args=(seed,)) for seed in seeds]
        for one in both:
            one.start()
        for one in both:
            one.join()
        info = store.dataset(name)
        store.drop(name)
    failed = [end for end in ends if isinstance(end, Exception)]
    assert info.complete
    assert info.spec in ends
    assert len(failed) <= (seeds[0] != seeds[1])
    assert {type(end) for end in failed} <= {LoadFailedError}


def test_a_load_that_was_deleted_meanwhile_has_no_row(neo4j_lts: Address) -> None:
    """Whoever waits for its lock is given what is left of the node: nothing of what it said."""
    spec = sample(f"test {uuid.uuid4().hex[:10]}", 9).spec
    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
        loadable: Any = store
        with store.begin_dataset(spec):
            (token,) = [
                load["token"] for (load,) in loadable.one("load/loads") if load["name"] == spec.name
            ]
        rows: list[Any] = []
        waiting = threading.Thread(
            target=lambda: rows.extend(loadable.one("load/lock", token=token, at=""))
        )

        def close(run: Any) -> None:
            run("load/lock", token=token, at="")
            waiting.start()
            time.sleep(0.3)  # so that it waits; if it comes later there is no row either
            run("load/close", token=token)

        loadable.atomically(close)
        waiting.join()
        store.drop(spec.name)
    assert rows == []


@pytest.fixture
def memory() -> Any:
    with open_store("embedded::memory:") as store:
        yield store


def asking(store: Any, asked: str, name: str, meanwhile: Callable[[int], object]) -> Result:
    """Ask, and do something to the store before each time that the engine answers."""
    times = [0]

    def slow(found: Any, values: Any) -> Any:
        times[0] += 1
        meanwhile(times[0])
        return store._answer(store._open().execute_cypher, found, values)

    params = {"dataset": name, "k": 3, "epsilon": 1.0}
    return running.answered(store, query(asked, "embedded"), params, slow)


def test_it_is_asked_again_where_it_was_replaced(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PAUSES", (0, 0, 0))
    load(memory, sample("a", 9))
    new = sample("a", 12, seed=2)
    rows = asking(
        memory, "audit/degree-check", "a", lambda time: load(memory, new) if time == 1 else None
    )
    assert rows.rows[0][1] == 12
    with pytest.raises(DatasetIncompleteError, match="is being replaced"):
        asking(
            memory, "audit/degree-check", "a", lambda time: load(memory, sample("a", 9, seed=time))
        )
    with pytest.raises(UnknownDatasetError):
        asking(
            memory, "audit/degree-check", "a", lambda time: memory.drop("a") if time == 1 else None
        )
    load(memory, new)
    with pytest.raises(QueryFailedError, match="changed while browse/mark wrote"):
        asking(memory, "browse/mark", "a", lambda _: load(memory, sample("a", 9, seed=3)))


def test_nobody_is_answered_between_the_two(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a server's statement might see of both is not looked at: before,
    a reader is told to wait.
    """
    monkeypatch.setattr(running, "PAUSES", (0, 0))
    memory.snapshots = False
    old, new = sample("a", 9), sample("a", 12, seed=2)
    load(memory, old)
    change, seen = memory.atomically, []

    def atomically(work: Any) -> Any:
        if memory.one("load/dataset", name="a")[0][0].get("changing"):
            with pytest.raises(DatasetIncompleteError, match="is not complete"):
                memory.run("audit/degree-check", dataset="a", k=3, epsilon=1.0)
            seen.append(memory.dataset("a").complete)
            if len(seen) == 1:
                raise QueryFailedError(memory.uri, "not now", "none")
        return change(work)

    monkeypatch.setattr(memory, "atomically", atomically)
    with pytest.raises(QueryFailedError, match="not now"):
        load(memory, new)
    assert memory.run("audit/degree-check", dataset="a", k=3, epsilon=1.0).rows[0][1] == 9
    load(memory, new)
    assert seen == [False, False]
    assert memory.run("audit/degree-check", dataset="a", k=3, epsilon=1.0).rows[0][1] == 12


def test_a_kill_between_the_two_is_healed_by_the_next_load(memory: Any) -> None:
    memory.snapshots = False
    load(memory, sample("a", 9))
    memory.one("load/changing", name="a", token="x")  # noqa: S106 -- no password
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "PAUSES", (0,))
        with pytest.raises(DatasetIncompleteError, match="run the same ratingpriv ingest again"):
            memory.run("audit/degree-check", dataset="a", k=3, epsilon=1.0)
    load(memory, sample("a", 9))
    assert memory.run("audit/degree-check", dataset="a", k=3, epsilon=1.0).rows[0][1] == 9


def test_an_audit_is_of_one_dataset(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same records before and after, other sensitive ratings: no number of them would tell."""
    tables = [
        build([(1,), (1,), (5,), (5,)], [column], scale=(1, 5))
        for column in ((1, 5, 1, 5), (3, 3, 3, 3))
    ]

    def put(number: int) -> None:
        slices.load(slices.slices(tables[number], "a", epsilon=1.0), memory)

    put(0)
    ordinary, replaced = memory.run, []

    def run(asked: Any, /, **params: Any) -> Result:
        if asked == "audit/sensitive-levels" and not replaced:
            put(1)
            replaced.append(True)
        found: Result = ordinary(asked, **params)
        return found

    monkeypatch.setattr(memory, "run", run)
    with pytest.raises(QueryFailedError, match="do not fit together"):
        ratingpriv.audit_stored(memory.dataset("a"), k=2, epsilon=1.0, l=1.0)
    assert replaced
    assert ratingpriv.audit_stored(memory.dataset("a"), k=2, epsilon=1.0).satisfied

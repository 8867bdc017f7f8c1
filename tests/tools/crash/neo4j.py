"""``python -m crash.neo4j``: a real server whose connections break at every message, and that is killed.

Each round loads or replaces a dataset through a proxy that breaks once after so many bytes, or breaks and
stays away, at every commit (its answer lost too); fails every statement of every deed of
:mod:`graph.failing`; kills the server (its own process) in the middle of a load and starts it again; and
lets 50 readers ask beside a writer. After each the dataset is whole, or is not answered about; and the next
load gives the right one. One line with counts at the end; 1 if anything was found.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import random
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

from graph.contract import expect_equal
from graph.failing import DEEDS, MODES, after_every_failure, ingest, is_new, is_old_or_new, named, statements
from graph.proxy import Proxy
from graph.samples import load, sample, send
from neo4j_server.server import LTS, Neo4jServer

from ratingpriv.base.errors import RatingPrivError
from ratingpriv.graph import neo4j as neo4j_store
from ratingpriv.graph import open_store, running

tally: Counter[str] = Counter()
findings: list[str] = []


def trial(what: str, work: Callable[..., object], *args: Any) -> None:
    """Count a trial; whatever it raises is a finding."""
    tally[what.split(":")[0]] += 1
    try:
        work(*args)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        findings.append(what)
        print(f"FOUND {what}: {error!r}")
        traceback.print_exc()


def cut(store: Any, server: Neo4jServer, replaces: bool, break_it: Callable[[Proxy], None]) -> None:
    """Load through a proxy that breaks; look at what is there, load again, look again."""
    host, _, port = server.uri.partition("://")[2].partition(":")
    with named(store) as name:
        if replaces:
            load(store, sample(name, 9, seed=5))
        with Proxy(host, int(port)) as proxy:
            try:
                with open_store(proxy.uri, environ={}) as far:
                    break_it(proxy)
                    ingest(far, name)
            except RatingPrivError as error:
                tally[f"ended with {type(error).__name__}"] += 1
                if error.exit_code != 3:
                    raise
            else:
                tally["healed"] += 1
                is_new(store, name)
        deadline = time.monotonic() + 20  # the server notices a connection that broke a little later
        while True:
            try:
                is_old_or_new(store, name)
                break
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
        ingest(store, name)
        is_new(store, name)


def killed(server: Neo4jServer, pieces: int, replaces: bool) -> None:
    """Kill the server after so many pieces of a load, start it again, go on."""
    name = f"killed {pieces} {replaces}"
    data = sample(name, 60, seed=1)
    with open_store(server.uri, environ={}) as store:
        if replaces:
            load(store, sample(name, 10, seed=5))
        try:
            with store.begin_dataset(data.spec) as sink:
                sink.batch_size = 100  # type: ignore[attr-defined]
                send(sink, data, pairs=50 * pieces)
                server.kill()
                send_rest(sink, data, 50 * pieces)
                sink.finish()
            raise AssertionError("a load ended without a server")
        except RatingPrivError as error:
            if error.exit_code != 3:
                raise
    server.start()
    with open_store(server.uri, environ={}) as store:
        if replaces:
            expect_equal(store, sample(name, 10, seed=5))
        else:
            assert not store.dataset(name).complete
        load(store, data)
        expect_equal(store, data)
        store.drop(name)


def send_rest(sink: Any, data: Any, first: int) -> None:
    sink.add_pairs(data.pairs[first:])


def beside_a_writer(server: Neo4jServer, readers: int, loads: int) -> None:
    """Ask by many while two datasets take turns."""
    name, stop, right = "beside a writer", threading.Event(), []
    both = [sample(name, 60, seed=1), sample(name, 90, seed=2)]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("audit/degree-check", {"epsilon": 1.0, "k": 3}),
        ("audit/neighbourhood-sizes", {"epsilon": 1.0}),
        ("audit/dataset-summary", {}),
    ]

    def read(number: int) -> None:
        query_id, params = asked[number % len(asked)]
        with open_store(server.uri, mode="read", environ={}) as store:
            while not stop.is_set():
                try:
                    rows = store.run(query_id, dataset=name, **params).rows
                    tally["answers beside a writer"] += 1
                    if rows not in right:
                        findings.append(f"a mixture: {query_id} {rows[:1]}")
                except RatingPrivError as error:
                    tally[f"beside a writer {type(error).__name__}"] += 1

    with open_store(server.uri, environ={}) as writer:
        for data in both:
            load(writer, data)
            right += [writer.run(query_id, dataset=name, **params).rows for query_id, params in asked]
        threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
        for thread in threads:
            thread.start()
        for turn in range(loads):
            load(writer, both[turn % 2])
        stop.set()
        for thread in threads:
            thread.join()
        writer.drop(name)


def main() -> int:
    """Try everything; return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m crash.neo4j", description=__doc__)
    parser.add_argument("-n", type=int, default=0, help="points of each kind; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the points")
    asked = parser.parse_args()
    draw = random.Random(asked.seed)

    def some(points: list[Any]) -> list[Any]:
        return points if not asked.n or asked.n >= len(points) else sorted(draw.sample(points, asked.n))

    server = Neo4jServer(LTS)
    running.PAUSES = (0.05, 0.2, 0.5)
    try:
        with open_store(server.uri, environ={}) as store:
            everything = statements(store, DEEDS["load"])
            for replaces in (False, True):
                for number in some(list(range(1, everything + 8))):
                    breaks = functools.partial(Proxy.break_at_commit, number=number)
                    trial(f"commit without answer: {number} {replaces}", cut, store, server, replaces, breaks)
                for sent in some(list(range(50, 22_000, 350))):
                    breaks = functools.partial(Proxy.break_after, sent=sent)
                    trial(f"cut once: {sent} {replaces}", cut, store, server, replaces, breaks)
                neo4j_store.RETRY_TIME = 0.5
                for sent in some(list(range(50, 22_000, 700))):
                    breaks = functools.partial(Proxy.break_after, sent=sent, for_good=True)
                    trial(f"cut for good: {sent} {replaces}", cut, store, server, replaces, breaks)
                neo4j_store.RETRY_TIME = 15.0
            for deed, mode in itertools.product(DEEDS, MODES):
                for number in some(list(range(1, statements(store, DEEDS[deed]) + 1))):
                    what = f"failing statement: {deed} {mode} {number}"
                    trial(what, after_every_failure, store, DEEDS[deed], mode, [number])
        trial("readers", beside_a_writer, server, 50, asked.n or 20)
        neo4j_store.RETRY_TIME = 2.0
        for pieces, replaces in some([(1, False), (4, False), (8, False), (1, True), (8, True)]):
            trial(f"killed server: {pieces} {replaces}", killed, server, pieces, replaces)
    finally:
        server.stop()
    print("; ".join(f"{count:,} {what}" for what, count in tally.items()) + f"; {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

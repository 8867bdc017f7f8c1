"""Getting proximate pairs into the graph stores, and asking them,
on a real Neo4j server and in one file.

    python -m benchmarks.graph [--quick] [ROW...]

Rows: ``bolt``, ``ways``, ``embedded``, ``offline``, ``degree``, ``clustering``, ``gds``. A load's
time runs from the table in memory to the complete dataset: finding and counting the pairs, records,
groups and sensitive ratings are in it. The server is started from Maven's artifacts as the tests do
it, in a home of its own that is removed afterwards; ``RATINGPRIV_TEST_NEO4J_URI`` names another for
``bolt`` only (the import makes a database anew, which is not for a server that is not ours). Every
number found in a store is compared with the engine's; a difference ends the run. All rows stand on
one stage of datasets and servers: one idea.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import neo4j
import networkx
import numpy as np

from benchmarks.servers import (
    NotMeasuredError,
    imported_into,
    opened,
    own_server,
    raise_unless_equal,
    say,
)
from benchmarks.timing import HEADER, Row, cpu_of_children, median_time, seconds
from ratingpriv.graph.address import credentials
from ratingpriv.graph.catalogue import Query, read_query
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv.graph.export import to_networkx
from ratingpriv.graph.ingesting import ingest
from ratingpriv.graph.loading import make_schema
from ratingpriv.graph.neo4j import Neo4jStore
from ratingpriv.graph.queries import find_query
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods
from ratingpriv.proximity.pairs import pairs
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.slices import Slices, load, slices
from ratingpriv_loaders.synthetic.generators import likert_survey

if TYPE_CHECKING:
    from neo4j_server.server import Neo4jServer

    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetSpec, Result

MERGE = Path(__file__).with_name("merge-one-pair.cypher")
BY_PAIRS = Path(__file__).with_name("degree-check-by-pairs.cypher")
EPSILON, K, SEED = 1.0, 20, 4
MIDDLING, LARGE = (19_900, 20), (100_000, 27)  # records and items: about 1M and 5M pairs at EPSILON
SMALL, THIN = (2_000, 20), (6_300, 20)  # about 10,000 and 100,000 pairs
SAMPLE = 3_000  # pairs that the peer loads


@dataclass(frozen=True)
class Imported:
    """The large survey in the database of a server that is halted, by way of import files."""

    server: Neo4jServer
    writing: float  # seconds, a median
    importing: float  # seconds
    mebibytes: float  # of files


class Stage:
    """Surveys, folders and servers of one run.

    All of it goes when the block ends, however it ends.
    """

    def __init__(self, folder: Path, left: contextlib.ExitStack, *, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        self._left = left

    @cached_property
    def middling(self) -> RatingTable:
        """The survey of about a million pairs."""
        return self._survey(*MIDDLING, smaller=7)

    @cached_property
    def large(self) -> RatingTable:
        """The survey of about five million pairs."""
        return self._survey(*LARGE, smaller=10)

    def _survey(self, records: int, items: int, smaller: int) -> RatingTable:
        table = likert_survey(records // (smaller if self.quick else 1), items, rng=SEED)
        for _ in pairs(table.take(np.arange(1000)), EPSILON):
            pass  # compilation is not what is compared
        neighbourhoods(table, EPSILON, sensitive=False)
        return table

    @cached_property
    def imported(self) -> Imported:
        """Write the large survey's import files, and have the real admin tool import them."""
        runs, folder = 1 if self.quick else 3, self.folder / "import"

        def write() -> None:
            shutil.rmtree(folder, ignore_errors=True)  # some milliseconds
            write_offline(slices(self.large, "large", epsilon=EPSILON), folder)

        say("writing import files")
        writing = median_time(write, runs)
        shutil.rmtree(folder)
        written = write_offline(slices(self.large, "large", epsilon=EPSILON), folder)
        server = self._left.enter_context(own_server())
        importing = imported_into(server, written)
        mebibytes = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
        shutil.rmtree(folder)
        server.start()
        with opened(server.uri) as store:
            make_schema(store)  # as the schema.cypher beside the files does
            _check_counts(store, slices(self.large, "large", epsilon=EPSILON).spec)
        server.halt()
        return Imported(server, writing, importing, mebibytes)


def bolt(stage: Stage) -> Iterator[Row]:
    """Load a million pairs over Bolt, and a sample of them by one MERGE a pair."""
    named = os.environ.get("RATINGPRIV_TEST_NEO4J_URI")
    environ = dict(os.environ) if named else {}
    name = f"benchmark-{uuid.uuid4().hex[:8]}"
    with contextlib.ExitStack() as left:
        uri = named or left.enter_context(own_server()).uri
        store = left.enter_context(opened(uri, environ))
        if named:
            left.callback(_drop, store, [name, f"{name}-peer", f"{name}-warm"])
        say("loading over Bolt")
        # the peer is warmed up too
        _loaded(stage.middling.take(np.arange(2000)), store, f"{name}-warm")
        prepared, took = _loaded(stage.middling, store, name)
        say("loading by one MERGE a pair")
        # the records; hardly any pair
        load(slices(stage.middling, f"{name}-peer", epsilon=0), store)
        sample = SAMPLE // 10 if stage.quick else SAMPLE
        peer = sample / _merge(prepared, store.uri, environ, f"{name}-peer", sample)
        ours = prepared.spec.pairs / took
        yield Row(
            f"ingest of {_what(prepared.spec)} over Bolt into {store.version()}, counted there",
            f"{ours:,.0f} pairs/s ({seconds(took)})",
            f"one MERGE a pair, records there already: {peer:,.0f} pairs/s (sampled: {sample:,} "
            f"pairs)",
            f"{ours / peer:.0f}×",
            "≥ 50×",
            None if stage.quick else ours >= 50 * peer,
        )


def ways(stage: Stage) -> Iterator[Row]:
    """Seconds of processors that the same pairs cost by four ways into a server."""
    table = stage.middling
    spec = slices(table, "whole", epsilon=EPSILON).spec
    with own_server(brief=False) as server:

        def cpu() -> float:
            return time.process_time() + server.cpu_seconds()

        def timed(work: Callable[[], object]) -> float:
            start = cpu()
            work()
            return cpu() - start

        def grown(records: int, *, append: bool = False) -> None:
            ingest(
                table.take(np.arange(records)),
                server.uri,
                dataset="grown",
                epsilon=EPSILON,
                append=append,
            )

        with opened(server.uri) as store:
            make_schema(store)
            say("warming up")
            _loaded(table.take(np.arange(min(2000, table.n_records))), store, "warm")
            say("loading by Bolt")
            bolt = timed(lambda: _loaded(table, store, "whole"))
            say("loading by UNWIND by hand")
            by_hand = timed(functools.partial(_unwind, server.uri, "by hand", table))
        most = table.n_records * 9 // 10
        grown(most)
        say("appending a tenth of the records")
        appended = timed(functools.partial(grown, table.n_records, append=True))
        folder = stage.folder / "ways"
        say("writing import files")
        start = time.process_time()
        written = write_offline(slices(table, "whole", epsilon=EPSILON), folder)
        files = time.process_time() - start
        server.halt()  # its own seconds are none of the import's
        before = cpu_of_children()
        imported_into(server, written)
        imported = files + cpu_of_children() - before
        shutil.rmtree(folder)
    what = f"{_what(spec)} into Neo4j {server.release.version}, seconds of processors"
    for name, took in (
        ("ingest by Bolt, counted, visible at once", bolt),
        ("UNWIND of 20,000 pairs by hand, nothing counted", by_hand),
        ("ingest --offline and `neo4j-admin` import, an empty database", imported),
        (f"ingest --append of the last {table.n_records - most:,} records", appended),
    ):
        ratio = f"{took / by_hand:.2f}×"
        yield Row(f"{name}: {what}", seconds(took), f"by hand: {seconds(by_hand)}", ratio, "", None)


def _unwind(uri: str, dataset: str, table: RatingTable, size: int = 20_000) -> None:
    """Load records and pairs by the driver alone, ``size`` rows a transaction."""
    records, by_pairs = (
        cast("Any", MERGE.with_name(f"unwind-{name}.cypher").read_text(encoding="utf-8"))
        for name in ("records", "pairs")
    )
    with (
        neo4j.GraphDatabase.driver(uri, telemetry_disabled=True) as driver,
        driver.session() as session,
    ):
        for start in range(0, table.n_records, size):
            rows: list[Any] = list(range(start, min(start + size, table.n_records)))
            session.run(records, rows=rows, dataset=dataset).consume()
        created, total = 0, 0
        for block in slices(table, dataset, epsilon=EPSILON).pairs():
            ends = zip(
                block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True
            )
            for rows in iter(functools.partial(_first, ends, size), []):
                counters = session.run(by_pairs, rows=rows, dataset=dataset).consume().counters
                created, total = created + counters.relationships_created, total + len(rows)
    raise_unless_equal("pairs by hand", total, created)


def _first(rows: Iterator[tuple[Any, ...]], size: int) -> list[list[Any]]:
    return [list(row) for row in itertools.islice(rows, size)]


def embedded(stage: Stage) -> Iterator[Row]:
    """Load the same million pairs into the embedded store's file."""
    say("loading the embedded store")
    path = stage.folder / "middling.grafeo"
    start = time.perf_counter()
    with EmbeddedStore(path) as store:
        prepared, _ = _loaded(stage.middling, store, "middling")
        version = store.version()
    took = time.perf_counter() - start  # the file is written when the store is closed
    yield Row(
        f"ingest of {_what(prepared.spec)} into the embedded store ({version}), file written and "
        f"closed",
        f"{prepared.spec.pairs / took:,.0f} pairs/s ({seconds(took)})",
        "",
        "",
        "",
        None,
    )
    path.unlink()


def offline(stage: Stage) -> Iterator[Row]:
    """Write import files, and have them imported."""
    imported = stage.imported
    spec = slices(stage.large, "large", epsilon=EPSILON).spec
    rate = spec.pairs / imported.writing
    yield Row(
        f"import files of {_what(spec)}, pairs found and {imported.mebibytes:.0f} MiB written",
        f"{rate / 1e6:.2f}M pairs/s ({seconds(imported.writing)})",
        "",
        "",
        "≥ 1M pairs/s",
        None if stage.quick else rate >= 1e6,
    )
    yield Row(
        f"the same imported by `neo4j-admin` {imported.server.release.version}; all counts "
        f"are equal",
        seconds(imported.importing),
        "",
        "",
        "",
        None,
    )


def degree(stage: Stage) -> Iterator[Row]:
    """Ask both stores what sizes answer, and how long counting the
    pairs takes for the first of it.
    """
    table, runs = stage.large, 1 if stage.quick else 3
    expected = neighbourhoods(table, EPSILON, sensitive=False)

    def rows(where: str, store: GraphStore) -> Iterator[Row]:
        by_pairs = read_query(BY_PAIRS, BY_PAIRS.parent)
        say(f"counting pairs on {where}")
        peer = median_time(_degree_check(store, expected, by_pairs), 1)
        for query_id, ask in (
            ("audit/degree-check", _degree_check(store, expected, "audit/degree-check")),
            ("audit/risk-summary", _risk_summary(store, expected)),
            ("audit/degree-violators", _violators(store, expected)),
            ("browse/alone", _alone(store, expected)),
            ("browse/at-risk", _at_risk(store, expected)),
        ):
            took = median_time(ask, runs)
            yield Row(
                f"{query_id} on {where}; {table.n_records:,} records, {expected.pairs:,} "
                f"pairs, k={K}",
                seconds(took),
                f"degree check by counting the pairs: {seconds(peer)}",
                f"{peer / took:.1f}×",
                "≤ 1 s",
                None if stage.quick else took <= 1,
            )

    path = stage.folder / "large.grafeo"
    say("loading the embedded store")
    start = time.perf_counter()
    with EmbeddedStore(path) as store:
        _loaded(table, store, "large")
    loading = time.perf_counter() - start
    start = time.perf_counter()
    with EmbeddedStore(path, mode="read") as store:
        how = f"loaded in {seconds(loading)}, opened in {seconds(time.perf_counter() - start)}"
        yield from rows(f"the embedded store ({store.version()}), {how}", store)
    path.unlink()
    imported = stage.imported
    imported.server.start()
    with opened(imported.server.uri) as neo4j_store:
        yield from rows(
            f"{neo4j_store.version()}, imported offline in {seconds(imported.importing)}",
            neo4j_store,
        )
    imported.server.halt()


def clustering(stage: Stage) -> Iterator[Row]:
    """Average clustering in Cypher on both stores,
    beside NetworkX on a graph that it holds already.
    """
    table, runs = likert_survey(*SMALL, rng=SEED), 3 if stage.quick else 15
    graph = to_networkx(table, EPSILON)
    expected = networkx.average_clustering(graph)
    peer = median_time(lambda: networkx.average_clustering(graph), runs)

    def row(store: GraphStore) -> Row:
        say(f"clustering on {store.version()}")
        load(slices(table, "small", epsilon=EPSILON), store)

        def ask() -> None:
            found = store.run(
                "utility/average-clustering", dataset="small", epsilon=EPSILON
            ).single()
            raise_unless_equal(
                "clustering",
                (len(graph), graph.number_of_edges(), round(expected, 9)),
                (*found[:2], round(found[3], 9)),
            )

        for _ in range(runs):
            ask()  # a server compiles what it runs often
        took = median_time(ask, runs)
        what = f"{graph.number_of_edges():,} pairs of {len(graph):,} records"
        return Row(
            f"average clustering, Cypher on {store.version()}; {what}",
            seconds(took),
            f"networkx: {seconds(peer)}",
            f"{took / peer:.2f}×",
            "≤ 1×",
            None if stage.quick else took <= peer,
        )

    with EmbeddedStore() as store:
        yield row(store)
    with own_server() as server, opened(server.uri) as neo4j_store:
        yield row(neo4j_store)


def gds(stage: Stage) -> Iterator[Row]:
    """Components, cores and clustering by Graph Data Science,
    beside the plain texts on the same server.
    """
    table, runs = (
        likert_survey(THIN[0] // (7 if stage.quick else 1), THIN[1], rng=SEED),
        1 if stage.quick else 3,
    )
    with own_server(gds=True) as server, opened(server.uri) as store:
        prepared = slices(table, "thin", epsilon=EPSILON)
        load(prepared, store)
        if not store.has_gds:
            raise NotMeasuredError("the server does not let us call Graph Data Science")
        for name, more in (
            ("partition/components", {}),
            ("partition/core", {"k": K}),
            ("utility/average-clustering", {}),
            ("utility/local-clustering", {}),
        ):
            params = {"dataset": "thin", "epsilon": EPSILON, **more}
            plain = functools.partial(store.run, name, **params)
            quick = functools.partial(find_query(name, store.engine).run, store, **params)
            say(f"{name} with and without Graph Data Science")
            raise_unless_equal(name, _rounded(plain()), _rounded(quick()))
            took, peer = median_time(quick, runs), median_time(plain, runs)
            yield Row(
                f"{name} by Graph Data Science, projected and dropped; {_what(prepared.spec)}",
                seconds(took),
                f"plain Cypher on the same server: {seconds(peer)}",
                f"{peer / took:.1f}×",
                "> 1×",
                None if stage.quick else took < peer,
            )


def _rounded(result: Result) -> list[tuple[Any, ...]]:
    return [
        tuple(round(one, 9) if isinstance(one, float) else one for one in row) for row in result
    ]


ROWS: dict[str, Callable[[Stage], Iterator[Row]]] = {
    "bolt": bolt,
    "ways": ways,
    "embedded": embedded,
    "offline": offline,
    "degree": degree,
    "clustering": clustering,
    "gds": gds,
}


def _loaded(table: RatingTable, store: GraphStore, name: str) -> tuple[Slices, float]:
    """Load a survey; return what was loaded and the seconds it took, from the table on."""
    start = time.perf_counter()
    prepared = slices(table, name, epsilon=EPSILON)
    load(prepared, store)
    took = time.perf_counter() - start
    _check_counts(store, prepared.spec)
    return prepared, took


def _merge(prepared: Slices, uri: str, environ: dict[str, str], dataset: str, sample: int) -> float:
    """Return the seconds that ``sample`` pairs take by one MERGE each, in one session,
    warmed up.
    """
    blocks = list(prepared.pairs())
    left, right, distance = (
        np.concatenate([getattr(block, name) for block in blocks])
        for name in ("left", "right", "distance")
    )
    warming = sample // 5
    new = np.flatnonzero(distance > 0)  # the records came with the pairs at distance 0
    chosen = np.random.default_rng(SEED).choice(new, sample + warming, replace=False)
    statement = cast("Any", MERGE.read_text(encoding="utf-8"))  # the driver's type wants a literal
    rows = [
        {"dataset": dataset, "left": a, "right": b, "distance": d}
        for a, b, d in zip(
            left[chosen].tolist(), right[chosen].tolist(), distance[chosen].tolist(), strict=True
        )
    ]
    login = credentials(environ)
    auth = (login.user, login.password.reveal()) if login.user and login.password else None
    with (
        neo4j.GraphDatabase.driver(uri, auth=auth, telemetry_disabled=True) as driver,
        driver.session(database=login.database) as session,
    ):
        created, start = 0, 0.0
        for place, row in enumerate(rows):
            if place == warming:
                start = time.perf_counter()
            created += session.run(statement, row).consume().counters.relationships_created
        took = time.perf_counter() - start
    raise_unless_equal("pairs merged", len(rows), created)
    return took


def _degree_check(
    store: GraphStore, expected: Neighbourhoods, query: Query | str
) -> Callable[[], None]:
    """Return the question with its answer checked,
    asked once already (plans and caches are warm).
    """

    def ask() -> None:
        found = store.run(query, dataset="large", k=K, epsilon=EPSILON).dicts()[0]
        answer = found["satisfied"], found["records"], found["violators"], found["min_size"]
        smallest, few = int(expected.sizes.min()), int(np.count_nonzero(expected.sizes < K))
        raise_unless_equal(
            "degree check", (smallest >= K, len(expected.sizes), few, smallest), answer
        )

    ask()
    return ask


def _risk_summary(store: GraphStore, expected: Neighbourhoods) -> Callable[[], None]:
    def ask() -> None:
        found = store.run("audit/risk-summary", dataset="large", k=K, epsilon=EPSILON).dicts()[0]
        below = np.count_nonzero(expected.sizes < K) / len(expected.sizes)
        alone = int(np.count_nonzero(expected.sizes == 1))
        risks = 1 / float(expected.sizes.min()), round(float(np.mean(1 / expected.sizes)), 9)
        said = found["prosecutor_max"], round(found["marketer"], 9)
        raise_unless_equal(
            "risk summary", (alone, below, *risks), (found["alone"], found["share_below_k"], *said)
        )

    ask()
    return ask


def _violators(store: GraphStore, expected: Neighbourhoods) -> Callable[[], None]:
    few = np.flatnonzero(expected.sizes < K)
    wanted = sorted(zip(expected.sizes[few].tolist(), few.tolist(), strict=True))

    def ask() -> None:
        found = store.run("audit/degree-violators", dataset="large", k=K, epsilon=EPSILON)
        rows = list(zip(found.column("size"), found.column("position"), strict=True))
        raise_unless_equal("violators", wanted, rows)

    ask()
    return ask


def _alone(store: GraphStore, expected: Neighbourhoods) -> Callable[[], None]:
    wanted = int(np.count_nonzero(expected.sizes == 1))

    def ask() -> None:
        found = store.run("browse/alone", dataset="large", epsilon=EPSILON)
        raise_unless_equal(
            "records alone",
            (wanted, max(1, min(wanted, 149))),
            (found.column("alone")[0], len(found)),
        )

    ask()
    return ask


def _at_risk(store: GraphStore, expected: Neighbourhoods) -> Callable[[], None]:
    wanted = np.sort(expected.sizes[expected.sizes < K])[:74].tolist()

    def ask() -> None:
        found = store.run("browse/at-risk", dataset="large", k=K, epsilon=EPSILON)
        drawn = {str(row["r"]): row["size"] for row in found.dicts()}
        raise_unless_equal("records at risk", wanted, sorted(drawn.values()))

    ask()
    return ask


def _check_counts(store: GraphStore, spec: DatasetSpec) -> None:
    """Compare what is in the store with what was announced."""
    assert isinstance(store, Neo4jStore | EmbeddedStore)
    counted = store.one("load/counted", key=spec.name)[0]
    expected = (spec.issues, spec.groups, spec.records, spec.records, spec.ratings, spec.pairs)
    raise_unless_equal(f"counts in {store.uri}", expected, tuple(counted))


def _drop(store: GraphStore, names: list[str]) -> None:
    """Leave nothing in a server that is not ours."""
    there = {info.spec.name for info in store.datasets()}
    for name in there.intersection(names):
        store.drop(name)


def _what(spec: DatasetSpec) -> str:
    return f"{spec.pairs:,} pairs of {spec.records:,} records"


def rows(names: list[str], *, quick: bool = False) -> Iterator[Row]:
    """Measure the named rows; ``quick`` takes small surveys, for which the bars are not meant."""
    with contextlib.ExitStack() as left:
        folder = left.enter_context(tempfile.TemporaryDirectory(prefix="ratingpriv-benchmark-"))
        stage = Stage(Path(folder), left, quick=quick)
        for name in names:
            try:
                yield from ROWS[name](stage)
            except NotMeasuredError as error:
                reason = " ".join(str(error).split())
                yield Row(
                    f"{name}: {(ROWS[name].__doc__ or name).strip()}",
                    "not measured",
                    reason,
                    "",
                    "",
                    None,
                )


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help=f"one of {', '.join(ROWS)}; default: all"
    )
    parser.add_argument("--quick", action="store_true", help="small surveys; nothing is judged")
    wanted = parser.parse_args(arguments)
    if unknown := [name for name in wanted.rows if name not in ROWS]:
        parser.error(f"unknown row {unknown[0]!r}; one of {', '.join(ROWS)}")
    found = list(rows(wanted.rows or list(ROWS), quick=wanted.quick))
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()

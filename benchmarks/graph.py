"""Getting proximate pairs into the graph stores, and asking them, on a real Neo4j server and in one file.

    python -m benchmarks.graph [--quick] [ROW...]

Rows: ``bolt``, ``embedded``, ``offline``, ``degree``. A load's time runs from the table in memory to the
complete dataset: finding and counting the pairs, records, groups and sensitive ratings are in it. The server
is started from Maven's artifacts as the tests do it, in a home of its own that is removed afterwards;
``RATINGPRIV_TEST_NEO4J_URI`` names another for ``bolt`` only (the import makes a database anew, which is not
for a server that is not ours). Every number found in a store is compared with the engine's; a difference
ends the run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import neo4j
import numpy as np

from benchmarks.timing import HEADER, Row, median_time, seconds
from ratingpriv.graph.address import credentials
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv.graph.loading import make_schema
from ratingpriv.graph.neo4j import Neo4jStore
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods
from ratingpriv.proximity.pairs import pairs
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.slices import Slices, load, slices
from ratingpriv_loaders.synthetic.generators import likert_survey

if TYPE_CHECKING:
    from neo4j_server.server import Neo4jServer

    from ratingpriv.graph.store import DatasetSpec, GraphStore
    from ratingpriv.table import RatingTable

ROOT = Path(__file__).resolve().parents[1]
MERGE = Path(__file__).with_name("merge-one-pair.cypher")
EPSILON, K, SEED = 1.0, 20, 4
MIDDLING, LARGE = (19_900, 20), (100_000, 27)  # records and items: about 1M and 5M pairs at EPSILON
SAMPLE = 3_000  # pairs that the peer loads


class NotMeasuredError(Exception):
    """Something that a row needs is not to be had here; the text is the reason."""


@dataclass(frozen=True)
class Imported:
    """The large survey in the database of a server that is halted, by way of import files."""

    server: Neo4jServer
    writing: float  # seconds, a median
    importing: float  # seconds
    mebibytes: float  # of files


class Stage:
    """Surveys, folders and servers of one run; all of it goes when the block ends, however it ends."""

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
        """Write the large survey's import files, and have the real admin tool import them.

        The tool gets a file for its report, which it else leaves in the folder that the benchmark is run in.
        """
        runs, folder = 1 if self.quick else 3, self.folder / "import"

        def write() -> None:
            shutil.rmtree(folder, ignore_errors=True)  # some milliseconds
            write_offline(slices(self.large, "large", epsilon=EPSILON), folder)

        _say("writing import files")
        writing = median_time(write, runs)
        shutil.rmtree(folder)
        written = write_offline(slices(self.large, "large", epsilon=EPSILON), folder)
        arguments = [_absolute(argument, folder) for argument in written.command[1:]]
        server = self._left.enter_context(_own_server())
        server.halt()  # the tool wants the database for itself
        _say("importing")
        start = time.perf_counter()
        report = server.admin(*arguments, f"--report-file={self.folder / 'import.report'}").stdout
        importing = time.perf_counter() - start
        reported = re.findall(r"(\d+) (?:nodes|relationships)\b", report)
        _equal("imported", [str(written.nodes), str(written.relationships)], reported)
        mebibytes = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
        shutil.rmtree(folder)
        server.start()
        with _opened(server.uri) as store:
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
        uri = named or left.enter_context(_own_server()).uri
        store = left.enter_context(_opened(uri, environ))
        if named:
            left.callback(_drop, store, [name, f"{name}-peer", f"{name}-warm"])
        _say("loading over Bolt")
        _loaded(stage.middling.take(np.arange(2000)), store, f"{name}-warm")  # the peer is warmed up too
        prepared, took = _loaded(stage.middling, store, name)
        _say("loading by one MERGE a pair")
        load(slices(stage.middling, f"{name}-peer", epsilon=0), store)  # the records; hardly any pair
        sample = SAMPLE // 10 if stage.quick else SAMPLE
        peer = sample / _merge(prepared, store.uri, environ, f"{name}-peer", sample)
        ours = prepared.spec.pairs / took
        yield Row(
            f"ingest of {_what(prepared.spec)} over Bolt into {store.version()}, counted there",
            f"{ours:,.0f} pairs/s ({seconds(took)})",
            f"one MERGE a pair, records there already: {peer:,.0f} pairs/s (sampled: {sample:,} pairs)",
            f"{ours / peer:.0f}×",
            "≥ 50×",
            None if stage.quick else ours >= 50 * peer,
        )


def embedded(stage: Stage) -> Iterator[Row]:
    """Load the same million pairs into the embedded store's file."""
    _say("loading the embedded store")
    path = stage.folder / "middling.grafeo"
    start = time.perf_counter()
    with EmbeddedStore(path) as store:
        prepared, _ = _loaded(stage.middling, store, "middling")
        version = store.version()
    took = time.perf_counter() - start  # the file is written when the store is closed
    yield Row(
        f"ingest of {_what(prepared.spec)} into the embedded store ({version}), file written and closed",
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
        f"the same imported by `neo4j-admin` {imported.server.release.version}; all counts are equal",
        seconds(imported.importing),
        "",
        "",
        "",
        None,
    )


def degree(stage: Stage) -> Iterator[Row]:
    """Ask both stores whether every neighbourhood has k records, and the compiled engine too."""
    table, runs = stage.large, 1 if stage.quick else 3
    expected = neighbourhoods(table, EPSILON, sensitive=False)
    engine = median_time(lambda: neighbourhoods(table, EPSILON, sensitive=False), 7)

    def row(where: str, took: float) -> Row:
        return Row(
            f"degree check, Cypher on {where}; {table.n_records:,} records, {expected.pairs:,} pairs, k={K}",
            seconds(took),
            f"compiled engine, from the ratings: {seconds(engine)}",
            f"{took / engine:.1f}× the time",
            "",
            None,
        )

    path = stage.folder / "large.grafeo"
    _say("loading the embedded store")
    start = time.perf_counter()
    with EmbeddedStore(path) as store:
        _loaded(table, store, "large")
    loading = time.perf_counter() - start
    start = time.perf_counter()
    with EmbeddedStore(path, mode="read") as store:
        opening = time.perf_counter() - start
        _say("degree check on the embedded store")
        took = median_time(_degree_check(store, expected), runs)
        how = f"loaded slice by slice in {seconds(loading)}, opened in {seconds(opening)}"
        yield row(f"the embedded store ({store.version()}), {how}", took)
    path.unlink()
    imported = stage.imported
    imported.server.start()
    with _opened(imported.server.uri) as neo4j_store:
        _say("degree check on Neo4j")
        took = median_time(_degree_check(neo4j_store, expected), runs)
        yield row(f"{neo4j_store.version()}, imported offline in {seconds(imported.importing)}", took)
    imported.server.halt()


ROWS: dict[str, Callable[[Stage], Iterator[Row]]] = {
    "bolt": bolt,
    "embedded": embedded,
    "offline": offline,
    "degree": degree,
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
    """Return the seconds that ``sample`` pairs take by one MERGE each, in one session, warmed up."""
    blocks = list(prepared.pairs())
    left, right, distance = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in ("left", "right", "distance")
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
    _equal("pairs merged", len(rows), created)
    return took


def _degree_check(store: GraphStore, expected: Neighbourhoods) -> Callable[[], None]:
    """Return the question with its answer checked, asked once already (plans and caches are warm)."""

    def ask() -> None:
        found = store.run("audit/degree-check", dataset="large", k=K, epsilon=EPSILON).dicts()[0]
        answer = found["satisfied"], found["records"], found["violators"], found["min_size"]
        smallest, few = int(expected.sizes.min()), int(np.count_nonzero(expected.sizes < K))
        _equal("degree check", (smallest >= K, len(expected.sizes), few, smallest), answer)

    ask()
    return ask


def _check_counts(store: GraphStore, spec: DatasetSpec) -> None:
    """Compare what is in the store with what was announced."""
    assert isinstance(store, Neo4jStore | EmbeddedStore)
    counted = store.one("load/counted", key=spec.name)[0]
    expected = (spec.issues, spec.groups, spec.records, spec.records, spec.ratings, spec.pairs)
    _equal(f"counts in {store.uri}", expected, tuple(counted))


def _equal(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise RuntimeError(f"{what}: expected {expected}, found {found}")


@contextlib.contextmanager
def _own_server() -> Iterator[Neo4jServer]:
    """Run a server of the LTS release, as the tests do."""
    tests = str(ROOT / "tests")
    if tests not in sys.path:
        sys.path.append(tests)
    from neo4j_server.server import LTS, Neo4jServer, NoServerError

    _say(f"starting Neo4j {LTS.version}")
    try:
        server = Neo4jServer(LTS)
    except NoServerError as error:
        raise NotMeasuredError(str(error)) from error
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def _opened(uri: str, environ: dict[str, str] | None = None) -> Iterator[Neo4jStore]:
    """Open a Neo4j server; without ``environ`` one of our own, that asks for no password."""
    with open_store(uri, environ=environ or {}) as store:
        assert isinstance(store, Neo4jStore)
        yield store


def _drop(store: GraphStore, names: list[str]) -> None:
    """Leave nothing in a server that is not ours."""
    there = {info.spec.name for info in store.datasets()}
    for name in there.intersection(names):
        store.drop(name)


def _absolute(argument: str, folder: Path) -> str:
    """Put the folder before every file of an argument; the script has it by changing into the folder."""
    flag, _, files = argument.rpartition("=")
    if not files.endswith(".csv"):
        return argument
    return f"{flag}={','.join(str(folder / name) for name in files.split(','))}"


def _what(spec: DatasetSpec) -> str:
    return f"{spec.pairs:,} pairs of {spec.records:,} records"


def _say(what: str) -> None:
    sys.stderr.write(f"{what} ...\n")


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
                    f"{name}: {(ROWS[name].__doc__ or name).strip()}", "not measured", reason, "", "", None
                )


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(ROWS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="small surveys; nothing is judged")
    wanted = parser.parse_args(arguments)
    if unknown := [name for name in wanted.rows if name not in ROWS]:
        parser.error(f"unknown row {unknown[0]!r}; one of {', '.join(ROWS)}")
    found = list(rows(wanted.rows or list(ROWS), quick=wanted.quick))
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()

"""Import files: what they hold, and that the real neo4j-admin makes
the very same dataset of them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from golden.tables import table1
from naive.quasi_groups import quasi_column
from neo4j_server.plugin import give_up
from neo4j_server.server import LTS, Neo4jServer, NoServerError

from ratingpriv import RatingTable
from ratingpriv.base.errors import OutputError
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv_loaders.graph import offline
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.slices import load, slices

NAMES = [
    'quo"te',
    "it's",
    "back\\slash",
    "new\nline",
    "a\rb",
    "comma,semi;",
    " space ",
    "🙂",
    "x" * 10_000,
]


def table() -> RatingTable:
    rng = np.random.default_rng(4)
    frame = pl.DataFrame(
        {
            "id": [*NAMES, *(f"r{i}" for i in range(60))],
            NAMES[0]: rng.integers(1, 4, 69),
            "b": rng.integers(1, 4, 69),
            NAMES[3]: rng.integers(1, 9, 69) / 4,
        }
    ).with_columns(pl.when(pl.int_range(69) % 7 > 0).then(pl.col(NAMES[0], "b", NAMES[3])))
    own = {NAMES[3]: (0, 2)}
    found = RatingTable.from_wide(
        frame, id="id", sensitive=[NAMES[3]], scale=(1, 5), sensitive_scale=own
    )
    odd = [NAMES[place % 8] if place % 5 else None for place in range(69)]
    ages = [20.0 + place % 9 / 2 if place % 6 else None for place in range(69)]
    codes = np.arange(69, dtype=np.float64) % 3
    illness = SensitiveColumn(
        "illness", codes, np.ones(69, dtype=np.bool_), ('a "cold"; or', "|", "f,lu\n")
    )
    return found.replace(
        sensitive=(*found.sensitive, illness),
        quasi=(
            quasi_column("region", ["n" if place % 2 else "s" for place in range(69)]),
            quasi_column("said:string", odd),
            quasi_column("age", ages, 2.0),
        ),
    )


@pytest.fixture
def stopped_server() -> Iterator[Neo4jServer]:
    try:
        server = Neo4jServer(LTS)
    except NoServerError as error:
        give_up(str(error))
        raise
    server.halt()
    yield server
    server.stop()


@pytest.mark.deep
def test_the_real_import(tmp_path, stopped_server, monkeypatch):
    monkeypatch.setattr(offline, "_PART", 50)  # several parts
    monkeypatch.setattr(offline, "_SLICE", 20)
    prepared = slices(table(), 'the "data", set\n1', epsilon=1.0, ratings=True)
    written = write_offline(prepared, tmp_path / "files")
    assert (tmp_path / "files" / "proximate-2.csv").exists()
    arguments = [absolute(argument, tmp_path / "files") for argument in written.command[1:]]
    report = stopped_server.admin(*arguments).stdout
    assert f"{written.nodes} nodes" in report
    assert f"{written.relationships} relationships" in report
    stopped_server.start()
    name = prepared.spec.name
    with open_store(stopped_server.uri, environ={}) as neo4j, EmbeddedStore() as embedded:
        for statement in (tmp_path / "files" / "schema.cypher").read_text().split(";\n")[:-1]:
            neo4j._driver.execute_query(statement, database_="neo4j")
        load(prepared, embedded)
        assert neo4j.dataset(name).spec == embedded.dataset(name).spec
        assert neo4j.dataset(name).complete
        asked = {
            "audit/neighbourhood-sizes": {"epsilon": 1.0},
            "audit/sensitive-counts": {"epsilon": 1.0, "issue": NAMES[3]},
            "audit/hamming-groups": {},
            "audit/dataset-summary": {},
            "audit/sensitive-levels": {},
            "quasi/class-sizes": {},
            "quasi/at-risk": {"k": 3, "epsilon": 1.0},
        }
        for query_id, params in asked.items():
            found = [store.run(query_id, dataset=name, **params) for store in (neo4j, embedded)]
            assert found[0].rows == found[1].rows
            assert found[0].rows
        drawn = [store.run("browse/overview", dataset=name).dicts() for store in (neo4j, embedded)]
        for rows in drawn:
            for row in rows:
                del row["d"]["properties"]["createdAt"]
        assert drawn[0] == drawn[1]
        assert load(prepared, neo4j).complete  # and it can be replaced over Bolt


def absolute(argument: str, folder: Path) -> str:
    """The argument with the folder before every file,
    as the script has it by changing into the folder.
    """
    flag, _, files = argument.rpartition("=")
    if not files.endswith(".csv"):
        return argument
    return f"{flag}={','.join(str(folder / name) for name in files.split(','))}"


def test_what_stands_in_the_folder(tmp_path: Path) -> None:
    written = write_offline(
        slices(table(), "d", epsilon=1.0, edges="at-risk", k=3), tmp_path / "files"
    )
    assert written.script.stat().st_mode & 0o777 == 0o700
    assert written.folder.stat().st_mode & 0o777 == 0o700  # it names records
    modes = {
        path.stat().st_mode & 0o777 for path in written.folder.iterdir() if path != written.script
    }
    assert modes == {0o600}
    text = written.script.read_text()
    assert f"{written.nodes} nodes and {written.relationships} relationships" in text
    for argument in written.command:
        for name in argument.rpartition("=")[2].split(","):
            if name.endswith(".csv"):
                assert (written.folder / name).is_file()
    header = (written.folder / "record-header.csv").read_text()
    assert header.partition("atRisk:boolean,")[2] == (
        "quasi_age:double,quasiValues:string,quasiCode:long[],quasiLeast:long[],quasiMost:long[]\n"
    )
    assert "--array-delimiter=U+007E" in written.command  # the first that is in no label
    schema = (written.folder / "schema.cypher").read_text()
    assert "(r.dataset, r.id)" not in schema  # one id is too long for its index
    write_offline(slices(table1(), "d", epsilon=1.0), tmp_path / "short")
    assert (
        "REQUIRE (r.dataset, r.id) IS UNIQUE;" in (tmp_path / "short" / "schema.cypher").read_text()
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "short"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    prepared = slices(table(), "d", epsilon=1.0)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("x")
    for folder in (tmp_path / "full", tmp_path / "full" / "precious", tmp_path / "no" / "where"):
        with pytest.raises(OutputError):
            write_offline(prepared, folder)
    (tmp_path / "empty").mkdir()
    assert write_offline(prepared, tmp_path / "empty").script.exists()


def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    def interrupt(what: str, done: int, total: int | None) -> None:
        if what == "writing pairs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_offline(slices(table(), "d", epsilon=1.0), tmp_path / "files", progress=interrupt)
    assert list(tmp_path.iterdir()) == []

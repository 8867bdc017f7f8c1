"""Import files from Spark hold the graph that one machine writes of the same table, row for row."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from neo4j_server.plugin import give_up
from neo4j_server.server import LTS, Neo4jServer, NoServerError
from spark_samples import long_of, survey

from ratingpriv import spark as on_spark
from ratingpriv.errors import OutputError, ParameterError
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv.table import RatingTable
from ratingpriv_loaders.graph.offline import write_offline
from ratingpriv_loaders.graph.slices import Slices, load, slices

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

OWN = ("createdAt:string", "fingerprint:string", "reservations:string")  # the last: not known on Spark


def rows_of(folder: Path) -> dict[str, set[tuple[tuple[str, str], ...]]]:
    """Every row of every label and type as (header, field) pairs; no row is there twice."""
    found: dict[str, set[tuple[tuple[str, str], ...]]] = {}
    for header in folder.glob("*-header.csv"):
        name = header.name.removesuffix("-header.csv")
        parts = [header, *(path for path in folder.glob(f"{name}-*.csv") if path != header)]
        lines = [
            line
            for part in parts
            for line in csv.reader(part.read_text(encoding="utf-8").splitlines(keepends=True))
        ]
        made = [
            tuple((key, field) for key, field in zip(lines[0], line, strict=True) if key not in OWN)
            for line in lines[1:]
        ]
        found[name] = set(made)
        assert len(found[name]) == len(made)
    return found


def both(
    tmp_path: Path, spark: Any, table: pa.Table, *, long: bool = False, ratings: bool = False,
    memory: int | None = None, **more: Any,
) -> tuple[Slices, Any]:  # fmt: skip
    epsilon, k = more.pop("epsilon"), more.pop("k")
    mine = RatingTable.from_wide(table, id="id", **more)
    here = slices(mine, "d", epsilon=epsilon, edges="at-risk", k=k, ratings=ratings, max_edges=None)
    files = write_offline(here, tmp_path / "here")
    given = long_of(table) if long else table
    there = on_spark.offline(
        spark.createDataFrame(given), dataset="d", epsilon=epsilon, k=k, ratings=ratings, memory=memory,
        folder=tmp_path / "there", id="record" if long else "id", **more,
    )  # fmt: skip
    assert rows_of(tmp_path / "there") == rows_of(tmp_path / "here")
    assert (there.files.nodes, there.files.relationships) == (files.nodes, files.relationships)
    assert there.files.command == files.command
    for name in ("import.sh", "schema.cypher"):
        assert (tmp_path / "there" / name).read_text() == (tmp_path / "here" / name).read_text()
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "there").iterdir()}
    assert modes == {0o600, 0o700}
    return here, there


def test_a_survey_with_all_its_ratings(tmp_path: Path, spark: Any) -> None:
    here, _ = both(
        tmp_path, spark, survey(150), epsilon=1, k=6, sensitive=["pay"], scale=(1, 7), ratings=True,
        memory=60_000,
    )  # fmt: skip
    assert here.spec.pairs > 10
    assert here.spec.levels == (0.0, 1.0)


def test_words_and_quoted_ids_of_a_row_a_rating(tmp_path: Path, spark: Any) -> None:
    table = survey(70, 3, missing=0.2)
    ids = sorted([*(f"r{i}" for i in range(65)), 'a "quoted", id', "two\nlines", " blank ", "ü;", "x" * 20])
    table = table.set_column(0, "id", pa.array(ids))
    here, _ = both(tmp_path, spark, table.drop(["pay"]), long=True, epsilon=2, k=4, scale=(1, 5))
    assert here.spec.pairs


def test_everything_is_near_where_epsilon_reaches_the_scale(tmp_path: Path, spark: Any) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({"id": np.arange(40), "a": rng.integers(1, 4, 40), "b": rng.integers(1, 4, 40)})
    here, _ = both(tmp_path, spark, table, epsilon=1, k=30, scale=(1, 3))
    assert here.at_risk is not None
    assert here.at_risk.any()
    (tmp_path / "all").mkdir()
    here, _ = both(tmp_path / "all", spark, table, epsilon=3, k=9, scale=(1, 3))
    assert here.spec.pairs == 0


def test_what_is_refused(tmp_path: Path, spark: Any) -> None:
    frame = spark.createDataFrame(survey(20, 2))
    said: dict[str, Any] = {"dataset": "d", "epsilon": 1, "id": "id", "scale": (1, 7)}
    with pytest.raises(ParameterError, match="quasi"):
        on_spark.offline(frame, k=2, folder=tmp_path / "new", quasi=["pay"], **said)
    with pytest.raises(ParameterError, match="at most 20"):
        on_spark.offline(frame, k=21, folder=tmp_path / "new", **said)
    with pytest.raises(ParameterError, match="records at risk, or more"):
        on_spark.offline(frame, k=19, folder=tmp_path / "new", memory=500, **said)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").write_text("x")
    for folder in (tmp_path / "full", tmp_path / "no" / "where", "s3a://bucket/files"):
        with pytest.raises(OutputError):
            on_spark.offline(frame, k=2, folder=folder, **said)
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


@pytest.mark.server
def test_the_real_import(tmp_path: Path, spark: Any) -> None:
    here, there = both(
        tmp_path, spark, survey(150), epsilon=1, k=6, sensitive=["pay"], scale=(1, 7), ratings=True
    )
    try:
        server = Neo4jServer(LTS)
    except NoServerError as error:
        give_up(str(error))
        raise
    try:
        server.halt()
        arguments = [_absolute(one, tmp_path / "there") for one in there.files.command[1:]]
        report = server.admin(*arguments).stdout
        assert f"{there.files.nodes} nodes" in report
        assert f"{there.files.relationships} relationships" in report
        server.start()
        with open_store(server.uri, environ={}) as neo4j, EmbeddedStore() as embedded:
            for statement in (tmp_path / "there" / "schema.cypher").read_text().split(";\n")[:-1]:
                neo4j._driver.execute_query(statement, database_="neo4j")
            load(here, embedded)
            assert neo4j.dataset("d").complete
            sizes = ("audit/degree-check", "audit/degree-violators")
            for name, k in (*((one, 9) for one in sizes), ("quasi/at-risk", 6)):
                for epsilon in (0, 1):
                    if name.startswith("quasi") and epsilon == 0:
                        continue
                    found = [
                        one.run(name, dataset="d", k=k, epsilon=epsilon).rows for one in (neo4j, embedded)
                    ]
                    assert found[0] == found[1]
                    assert found[0]
            drawn = [one.run("browse/at-risk", dataset="d", k=6, epsilon=1) for one in (neo4j, embedded)]
            assert drawn[0].column("size") == drawn[1].column("size")
            assert drawn[0].column("near") == drawn[1].column("near")
    finally:
        server.stop()


def _absolute(argument: str, folder: Path) -> str:
    flag, _, files = argument.rpartition("=")
    if not files.endswith(".csv"):
        return argument
    return f"{flag}={','.join(str(folder / name) for name in files.split(','))}"

"""An audit on Spark is the audit on one machine, field by field."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from spark_samples import long_of, mixed, said_of, survey, table_of

import ratingpriv
from ratingpriv.base.errors import OutputError, ParameterError, ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.spark import audit, auditing, records
from ratingpriv.spark.work import PREFIX

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def both(spark: Any, table: pa.Table, columns: dict[str, Any], **asked: Any) -> tuple[Any, Any]:
    """Return what both engines say of a row a record; equal records of one id order."""
    here = table_of(table, **columns)
    there = audit(spark.createDataFrame(table).repartition(3), **columns, **asked)
    return said_of(ratingpriv.audit(here, **asked)), said_of(there)


SURVEY, MIXED = survey(300), mixed(200)
DEMANDS = {
    "k": 3,
    "epsilon": 1,
    "l": 1.5,
    "distinct": 3,
    "entropy": 2.5,
    "max_share": 0.5,
    "t_closeness": 0.2,
}
SCALES = {"sensitive_scale": {"pay": (1, 9)}, "scale": (1, 7)}


@pytest.mark.parametrize(
    ("table", "columns", "asked"),
    [
        (SURVEY, {}, DEMANDS),
        # ε >= r
        (SURVEY, SCALES, {"k": 30, "epsilon": 7, "at_most": 0.5, "sensitive_nulls": "ignore"}),
        (MIXED, {"quasi": ["age=4", "region"], "carry": ["q1"]}, {"k": 2, "epsilon": 5, "l": 1}),
    ],
)
def test_wide(spark: Any, table: pa.Table, columns: dict[str, Any], asked: dict[str, Any]) -> None:
    one, other = both(spark, table, {"id": "id", "sensitive": ["pay"], **columns}, **asked)
    assert other == one


def test_words_are_sensitive_values(spark: Any, tmp_path: Path) -> None:
    book = tmp_path / "codebook.toml"
    book.write_text('[columns.region]\nrole = "sensitive"\nkind = "nominal"\n', encoding="utf-8")
    columns = {"id": "id", "codebook": str(book), "drop": ["age"], "sensitive": ["pay"]}
    one, other = both(spark, mixed(200), columns, k=2, epsilon=1, distinct=2)
    assert other == one


def test_long(spark: Any) -> None:
    table = long_of(survey(200, missing=0.3))
    asked: dict[str, Any] = {"k": 2, "epsilon": 1, "l": 1}
    here = ratingpriv.audit(RatingTable.from_long(table, sensitive=["pay"]), **asked)
    there = audit(
        spark.createDataFrame(table).repartition(3), layout="long", sensitive=["pay"], **asked
    )
    assert said_of(there) == said_of(here)


def test_large_groups_meet_in_a_grid(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cells: list[int] = []

    def counted(rows: Any, *arguments: Any) -> Any:
        sent = records.meeting(rows, *arguments)
        cells.append(sent.select("grp", "i", "j").distinct().count())
        return sent

    monkeypatch.setattr(auditing, "meeting", counted)
    table = survey(600, 6, missing=0)
    columns: dict[str, Any] = {"id": "id", "sensitive": ["pay"]}
    here = ratingpriv.audit(table_of(table, **columns), k=2, epsilon=1, l=1)
    there = audit(spark.createDataFrame(table), **columns, k=2, epsilon=1, l=1, memory=200_000)
    assert said_of(there) == said_of(here)
    assert cells[0] > 20


def test_keys_of_one_hash_are_told_apart(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def colliding(*arguments: Any) -> Any:
        keys = records.keyed(*arguments)
        if len(arguments) < 4:
            return keys
        seeds.append(arguments[3])
        return keys.withColumn("grp", keys["grp"] % 3) if arguments[3] == 0 else keys

    monkeypatch.setattr(auditing, "keyed", colliding)
    one, other = both(spark, survey(80), {"id": "id", "sensitive": ["pay"]}, k=2, epsilon=1)
    assert other == one
    assert seeds == [0, 1]


def test_real_numbers(spark: Any) -> None:
    rng = np.random.default_rng(5)
    table = pa.table({
        "id": [f"r{number:03}" for number in range(150)],
        "q1": np.round(rng.random(150) * 10, 3),
        "q2": rng.random(150),
        "s": rng.normal(size=150),
    })  # fmt: skip
    columns = {
        "id": "id",
        "sensitive": ["s"],
        "sensitive_scale": {"s": (-9, 9)},
        "ratings": ["q1", "q2"],
    }
    one, other = both(spark, table, columns, k=2, epsilon=0.7, l=0.1)
    for said in (one, other):  # sums of float64 are those of their order
        del said["k_epsilon_l"]["max_l"]
        for rule in said["k_epsilon_l"]["by_rule"].values():
            del rule["max_l"]
        for violator in said["violators"]:
            del violator["sd"]
    assert other == one


def test_by_record(spark: Any, tmp_path: Path) -> None:
    table, place, work = survey(120), tmp_path / "risk.parquet", tmp_path / "work"
    columns: dict[str, Any] = {"id": "id", "sensitive": ["pay"], "issues": ["q1", "q2"]}
    asked: dict[str, Any] = {"k": 3, "epsilon": 1, "l": 1}
    found = audit(
        spark.createDataFrame(table),
        **columns,
        **asked,
        per_record=str(place),
        work=str(work),
        show=0,
    )
    here = RatingTable.from_wide(table, id="id", sensitive=["pay"]).select_issues(["q1", "q2"])
    expected = ratingpriv.audit(here, **asked)
    rows = pl.read_parquet(str(place / "*.parquet")).with_columns(pl.col("record").cast(pl.Int64))
    assert rows.sort("record").equals(expected.to_frame().sort("record").select(rows.columns))
    assert found.to_dict(0)["k_epsilon"] == expected.to_dict(0)["k_epsilon"]
    assert not work.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["risk.parquet"]
    with pytest.raises(OutputError, match="exists already"):
        audit(spark.createDataFrame(table), **columns, **asked, per_record=str(place))


def test_members_that_are_lost_are_missed(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written = auditing._Run.written
    lost: list[Path] = []

    def forgetful(self: Any, rows: Any, name: str) -> Any:
        """What is written by another machine into a folder of its own
        is not there for the others.
        """
        found = written(self, rows, name)
        if name == "rows-0":
            folder = Path(f"{self.folder}/{name}".removeprefix("file://"))
            parts = [part for part in folder.glob("*.parquet") if pl.read_parquet(part).height]
            lost.append(parts[0])
            parts[0].unlink()
            found = self.spark.read.schema(rows.schema).parquet(f"{self.folder}/{name}")
        return found

    monkeypatch.setattr(auditing._Run, "written", forgetful)
    frame = spark.createDataFrame(survey(60)).drop("pay")
    with pytest.raises(ResourceError, match="records to be found, expected 60: rows were lost"):
        audit(frame, id="id", k=2, epsilon=1)
    assert len(lost) == 1


def test_work_is_left_as_it_was(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(survey(20))
    (tmp_path / "mine.txt").touch()
    with pytest.raises(OutputError, match="other things"):
        audit(frame, id="id", drop=["pay"], k=2, epsilon=1, work=str(tmp_path))
    (tmp_path / "mine.txt").unlink()
    (tmp_path / f"{PREFIX}of-another-run").mkdir()
    # a pair twice is found while records are assembled: after the folder was made
    twice = pa.table({"record": [1, 1, 2], "issue": ["a", "a", "b"], "rating": [1, 2, 3]})
    with pytest.raises(ParameterError, match="a second rating of an item by the same record"):
        audit(spark.createDataFrame(twice), layout="long", k=2, epsilon=1, work=str(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == [f"{PREFIX}of-another-run"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"nulls": "wildcard"}, "strict"),
        ({"nulls": "known"}, "strict"),
        ({"epsilon": 3, "scale": (0, 3)}, "below 3"),
        ({"issues": "top:2"}, "names on Spark"),
        ({"duplicates": "first"}, "rows have no order"),
        ({"l": 1}, "sensitive"),
        ({"attributes": "more.csv"}, "no `attributes`"),
    ],
)
def test_refusals(spark: Any, asked: dict[str, Any], words: str) -> None:
    table = pa.table({"id": [1, 2], "q1": [0, 3], "q2": [None, -1]})
    if "scale" not in asked:
        table = survey(10).drop_columns(["pay"])
    else:
        asked = {**asked, "scale": (-1, 3)}
    with pytest.raises(ParameterError, match=words):
        audit(spark.createDataFrame(table), **{"id": "id", "k": 2, "epsilon": 1, **asked})

"""Suppression, partitions and modification on Spark against one machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from spark_samples import long_of, survey

import ratingpriv
from ratingpriv.anonymize.suppression.suppress import suppress as one_machine
from ratingpriv.errors import OutputError, ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.verifying import verify
from ratingpriv.spark.groups.grouping import modify, partition
from ratingpriv.spark.groups.suppression import suppress
from ratingpriv.table import RatingTable

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def read(place: Path) -> pl.DataFrame:
    return pl.concat([pl.read_parquet(part) for part in sorted(place.glob("*.parquet"))])


def test_the_same_records_are_suppressed(spark: Any, tmp_path: Path) -> None:
    table = survey(100, 4, missing=0.1)
    here = one_machine(RatingTable.from_wide(table, id="id", sensitive=["pay"]), k=3, epsilon=1)
    there = suppress(
        spark.createDataFrame(table), k=3, epsilon=1, id="id", sensitive=["pay"],
        withheld=str(tmp_path / "withheld"), release=str(tmp_path / "release"),
    )  # fmt: skip
    kept = here.table.record_ids.to_list()
    gone = read(tmp_path / "withheld")["record"].to_list()
    assert sorted(map(int, gone)) == sorted(set(range(1, 101)) - set(kept))
    assert there.statement == here.statement
    assert there.rounds is None
    released = read(tmp_path / "release")
    assert released.sort("id").equals(pl.from_arrow(table).filter(pl.col("id").is_in(kept)).sort("id"))
    assert there.release is not None
    assert there.release.records == len(kept)
    again = ratingpriv.audit(RatingTable.from_wide(released, id="id", sensitive=["pay"]), k=3, epsilon=1)
    assert again.satisfied
    assert again.k_epsilon.max_k == there.release.largest_k


def test_groups_that_do_not_fit_are_suppressed_in_rounds(spark: Any, tmp_path: Path) -> None:
    table = survey(100, 4, missing=0.1)
    here = one_machine(RatingTable.from_wide(table, id="id", drop=["pay"]), k=3, epsilon=1)
    there = suppress(
        spark.createDataFrame(table), k=3, epsilon=1, id="id", drop=["pay"], memory=1,
        withheld=str(tmp_path / "withheld"),
    )  # fmt: skip
    gone = set(map(int, read(tmp_path / "withheld")["record"]))
    assert gone == set(range(1, 101)) - set(here.table.record_ids)
    assert there.rounds is not None
    assert there.suppressed == len(gone)


def test_ratings_by_row_are_suppressed_too(spark: Any, tmp_path: Path) -> None:
    table = long_of(survey(80, 3, missing=0.2))
    df = spark.createDataFrame(table)
    there = suppress(df, k=2, epsilon=1, id="record", sensitive=["pay"], release=str(tmp_path / "release"))
    data = RatingTable.from_long(table, sensitive=["pay"])
    here = one_machine(data, k=2, epsilon=1)
    assert there.suppressed == data.n_records - here.table.n_records
    released = RatingTable.from_long(read(tmp_path / "release"), sensitive=["pay"])
    assert sorted(released.record_ids.to_list()) == sorted(here.table.record_ids.to_list())
    assert (released.n_ratings, released.scale) == (here.table.n_ratings, here.table.scale)
    known = int(released.sensitive[0].present.sum())
    assert known == int(here.table.sensitive[0].present.sum())


def test_nobody_can_be_released(spark: Any, tmp_path: Path) -> None:
    df = spark.createDataFrame(survey(30, 3))
    with pytest.raises(TargetNotReachedError, match="nobody can be released, proved"):
        suppress(df, k=31, epsilon=1, id="id", drop=["pay"], withheld=str(tmp_path / "withheld"))
    with pytest.raises(OutputError, match="it exists already"):
        suppress(df, k=2, epsilon=1, id="id", drop=["pay"], release=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_movielens(spark: Any, tmp_path: Path) -> None:
    place = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data")) / "ml-100k"
    if not place.exists():
        pytest.skip("no ml-100k in RATINGPRIV_TEST_DATA")
    table = ratingpriv.read(place).select_issues("top:20")
    wide = table.to_wide("polars")
    here = one_machine(table, k=2, epsilon=1)
    there = suppress(
        spark.createDataFrame(wide.to_arrow()), k=2, epsilon=1, id=wide.columns[0], scale=(1, 5),
        withheld=str(tmp_path / "withheld"),
    )  # fmt: skip
    gone = set(read(tmp_path / "withheld")["record"])
    assert gone == set(map(str, table.record_ids)) - set(map(str, here.table.record_ids))
    assert there.suppressed == len(gone)


def test_groups_are_cliques(spark: Any, tmp_path: Path) -> None:
    table = survey(90, 3, missing=0.1)
    df = spark.createDataFrame(table)
    found = partition(df, k=2, epsilon=1, l=0.5, id="id", sensitive=["pay"], places=str(tmp_path / "groups"))
    data = RatingTable.from_wide(table, id="id", sensitive=["pay"])
    named = dict(read(tmp_path / "groups").iter_rows())
    names = {name: number for number, name in enumerate(sorted({*named.values()} - {None}))}
    groups = Groups.of_labels(np.array([names.get(named[str(one)], -1) for one in data.record_ids]))
    proof = verify(data, groups, 2, 1, 0.5)
    assert proof.cliques.all()
    assert proof.diverse.all()
    assert (found.groups, found.withheld) == (groups.count, len(groups.unplaced))
    assert found.min_sd["pay"] == pytest.approx(proof.min_sd["pay"])
    assert found.proved_impossible
    with pytest.raises(ResourceError, match=r"do not fit a task; the largest has \d+, for which 1 MiB"):
        partition(df, k=2, epsilon=1, id="id", drop=["pay"], memory=1000)
    with pytest.raises(ParameterError, match="the scale's maximum"):
        partition(df, k=2, epsilon=9, id="id", drop=["pay"])


def test_a_modified_release_is_proved(spark: Any, tmp_path: Path) -> None:
    table = survey(90, 3, missing=0.1)
    df = spark.createDataFrame(table)
    said: dict[str, Any] = {"k": 4, "epsilon": 1, "id": "id", "sensitive": ["pay"], "rng": 5}
    with pytest.raises(TargetNotReachedError, match="Hamming groups of fewer than k = 4"):
        modify(df, release=str(tmp_path / "release"), **said)
    made = modify(df, release=str(tmp_path / "release"), small="withhold", **said)
    released = read(tmp_path / "release").sort("id")
    original = pl.from_arrow(table).filter(pl.col("id").is_in(released["id"].implode())).sort("id")
    assert made.withheld == 90 - released.height
    assert released["pay"].equals(original["pay"])
    questions = ["q1", "q2", "q3"]
    assert released.select(questions).null_count().equals(original.select(questions).null_count())
    moved = (released.select(questions) - original.select(questions)).select(pl.all().abs().sum())
    assert sum(moved.row(0)) == made.distortion > 0
    found = ratingpriv.audit(
        RatingTable.from_wide(released, id="id", sensitive=["pay"], scale=(1, 7)), k=4, epsilon=1
    )
    assert found.satisfied
    assert found.k_epsilon.max_k == made.release.largest_k


def test_what_a_release_would_have_finer_is_refused(spark: Any, tmp_path: Path) -> None:
    table = survey(30, 2).append_column("age", pa.array(np.arange(30) % 7 + 20))
    df = spark.createDataFrame(table)
    with pytest.raises(ParameterError, match="on Spark no attribute is changed"):
        modify(df, k=2, epsilon=1, id="id", drop=["pay"], quasi=["age=3"], release=str(tmp_path / "release"))

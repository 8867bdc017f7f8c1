"""A table knows which part of the data it is, however the rest was left out, and has that part's scale."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.data.table import Scale, Selection

FRAME = pl.DataFrame(
    {
        "id": ["x", "y", "z", "w"],
        "a": [1, 2, None, 2],
        "b": [2, None, 1, 1],
        "c": [10, 9, 10, 10],
        "age": [30, 40, 50, 60],
    }
)
TABLE = RatingTable.from_wide(FRAME, id="id", sensitive=["age"])


def said(selection: Selection | None) -> tuple[object, ...] | None:
    """Return the numbers in the order in which people say them."""
    return None if selection is None else dataclasses.astuple(selection)


def files(folder: Path) -> dict[str, str | Path]:
    """Write the same data in each of our layouts."""
    long = FRAME.unpivot(index="id", variable_name="item", value_name="rating").drop_nulls()
    written = {
        "wide.csv": FRAME,
        "wide.parquet": FRAME,
        "long.csv": long,
        "long.parquet": long,
    }
    for name, frame in written.items():
        (frame.write_csv if name.endswith("csv") else frame.write_parquet)(folder / name)
    return {name: folder / name for name in written}


def test_nothing_left_out_is_no_selection():
    assert TABLE.selection is None
    assert TABLE.select_issues("c,b,a").selection is None
    assert TABLE.select_issues("top:3").selection is None
    assert TABLE.sample(4, rng=1).selection is None
    assert TABLE.take(np.array([3, 1, 0, 2])).selection is None


def test_each_way_is_noted_and_they_compose():
    assert said(TABLE.select_issues("a,b").selection) == (2, 3, 4, 4, None, ())
    assert said(TABLE.select_issues("top:1").selection) == (1, 3, 4, 4, None, ())
    assert said(TABLE.select_issues("random:2:7").selection) == (2, 3, 4, 4, 7, ())
    assert said(TABLE.drop(["c"]).selection) == (2, 3, 4, 4, None, ("c",))
    assert said(TABLE.drop(["age"]).selection) == (3, 3, 4, 4, None, ("age",))
    assert said(TABLE.sample(2, rng=5).selection) == (3, 3, 2, 4, 5, ())
    assert said(TABLE.sample(2, rng=np.random.default_rng(5)).selection) == (3, 3, 2, 4, None, ())
    assert said(TABLE.take(np.array([1])).selection) == (3, 3, 1, 4, None, ())
    both = TABLE.drop(["c"]).select_issues("random:1:5").sample(2, rng=5)
    assert said(both.selection) == (1, 3, 2, 4, 5, ("c",))
    assert said(TABLE.select_issues("random:1:5").sample(2, rng=6).selection) == (1, 3, 2, 4, None, ())


@pytest.mark.parametrize("name", ["wide.csv", "wide.parquet", "long.csv", "long.parquet"])
def test_every_loader_says_what_it_left_out(tmp_path: Path, name: str):
    path = files(tmp_path)[name]
    assert ratingpriv.read(path, sensitive=["age"]).selection is None
    for how, expected in (
        ({"drop": ["c"]}, (2, 3, 4, 4, None, ("c",))),
        ({"only": ["b", "a"]}, (2, 3, 4, 4, None, ())),
        ({"only": ["a"], "drop": ["c"]}, (1, 3, 4, 4, None, ("c",))),
        ({"issues": "a,b"}, (2, 3, 4, 4, None, ())),
        ({"drop": ["c"], "issues": "random:1:9", "sample": 2, "rng": 9}, (1, 3, 2, 4, 9, ("c",))),
    ):
        assert said(ratingpriv.read(path, sensitive=["age"], **how).selection) == expected, how
    assert said(ratingpriv.read(path, drop=["age"]).selection) == (3, 4, 4, 4, None, ("age",))


def test_data_frames_say_it_too():
    assert said(RatingTable.from_wide(FRAME, id="id", drop=["c", "age"]).selection) == (
        2, 4, 4, 4, None, ("c", "age"),
    )  # fmt: skip
    long = FRAME.unpivot(index="id", variable_name="issue", value_name="rating").rename({"id": "record"})
    made = RatingTable.from_long(long, sensitive=["age"], drop=["c"])
    assert said(made.selection) == (2, 3, 4, 4, None, ("c",))


@pytest.mark.parametrize("name", ["wide.csv", "wide.parquet", "long.csv", "long.parquet"])
def test_one_part_of_the_data_has_one_verdict_however_it_is_chosen(tmp_path: Path, name: str):
    """Before, ``--items a,b`` kept r = 10 of column c: a null separated, and the verdict was another."""
    path = files(tmp_path)[name]
    told = {"sensitive": ["age"]}
    ways = [
        ratingpriv.read(path, **told, drop=["c"]),
        ratingpriv.read(path, **told, issues="a,b"),
        ratingpriv.read(path, **told, only=["a", "b"]),
        ratingpriv.read(path, **told).select_issues(["a", "b"]),
        ratingpriv.read(path, **told).drop(["c"]),
    ]
    found = [ratingpriv.audit(table, k=2, epsilon=2).to_dict() for table in ways]
    for result, table in zip(found, ways, strict=True):
        assert table.scale == Scale(1, 2, declared=False)
        for key in ("k_epsilon", "neighbourhood_sizes", "cautions"):
            assert result[key] == found[0][key]
    declared = [
        ratingpriv.audit(ratingpriv.read(path, **told, **how, scale=(1, 100)), k=2, epsilon=2).satisfied
        for how in ({"drop": ["c"]}, {"issues": "a,b"}, {"only": ["a", "b"]})
    ]
    assert declared == [False] * 3
    assert found[0]["k_epsilon"]["satisfied"]


def test_a_sample_has_the_levels_of_its_records():
    table = RatingTable.from_wide(pl.DataFrame({"a": [1, 2, 9]}))
    assert table.take(np.array([0, 1])).levels.tolist() == [1, 2, 9]  # parts of a search keep one numbering
    levels = {tuple(table.sample(2, rng=seed).levels.tolist()) for seed in range(20)}
    assert levels == {(1, 2), (1, 9), (2, 9)}
    assert {table.sample(2, rng=seed).scale for seed in range(20)} == {Scale(1, 9, declared=False)}


def test_a_selection_as_json_and_back():
    selection = TABLE.drop(["c"]).sample(2, rng=3).selection
    assert selection is not None
    assert selection.to_dict() == {
        "issues": 2, "of_issues": 3, "records": 2, "of_records": 4, "seed": 3, "dropped": ["c"],
    }  # fmt: skip
    assert Selection.from_dict(selection.to_dict()) == selection

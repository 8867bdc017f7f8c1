"""Parquet: any table is the same as from CSV."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parquet_writing import assert_same, read, written

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.parquet import long as parquet_long

cells = st.one_of(st.none(), st.integers(-2, 5), st.sampled_from([0.5, 2.5, -1.25, 0.1]))


@st.composite
def long_rows(draw: st.DrawFn) -> list[tuple[object, ...]]:
    whole = draw(st.booleans())
    record = st.integers(-3, 30) if whole else st.sampled_from(["u", "v", "w x", "é", "10"])
    issue = st.sampled_from(["a", "b", "c,d", "long name", "5"])
    return draw(
        st.lists(
            st.tuples(record, issue, cells, st.one_of(st.none(), st.integers(-5, 10**9))),
            min_size=1,
            max_size=40,
        )
    )


def outcome(path: Path, **options: Any) -> tuple[RatingTable | None, list[tuple[str, str]]]:
    """Read a file: the table, or what was found and expected where it is refused."""
    try:
        return ratingpriv.read(path, **options), []
    except DataError as error:
        return None, [(problem.found, problem.expected) for problem in error.problems]


@pytest.mark.deep
@pytest.mark.parametrize("duplicates", ["refuse", "first", "last", "mean"])
@given(
    rows=long_rows(),
    sensitive=st.booleans(),
    drop=st.booleans(),
    scale=st.booleans(),
    group=st.integers(1, 50),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40 * DEPTH)
def test_long_as_from_csv(tmp_path, way, duplicates, rows, sensitive, drop, scale, group):
    if duplicates == "refuse":
        rows = list({row[:2]: row for row in rows}.values())
    frame = pl.DataFrame(
        rows, schema=["user", "item", "rating", "time"], orient="row", strict=False
    )
    frame = frame.with_columns(pl.col("rating").cast(pl.Float64), pl.col("time").cast(pl.Int64))
    frame.write_csv(tmp_path / "r.csv")
    written(tmp_path / "r.parquet", frame.to_arrow(), row_group_size=group)
    present = set(frame["item"])
    options: dict[str, Any] = {"duplicates": duplicates, "layout": "long"}
    options |= {"sensitive": ["b"]} if sensitive and "b" in present else {}
    options |= {"drop": ["5"]} if drop and "5" in present else {}
    options |= {"scale": (-2, 5)} if scale else {}
    expected, refused_there = outcome(tmp_path / "r.csv", format="delimited", **options)
    found, refused_here = outcome(tmp_path / "r.parquet", **options)
    assert refused_here == refused_there
    if expected is not None and found is not None:
        assert_same(found, expected, ids_as_text=True)


@pytest.mark.deep
@given(
    rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12),
    options=st.sampled_from(
        [
            {},
            {"sensitive": ["b"]},
            {"drop": ["a"]},
            {"only": ["c"]},
            {"scale": (-2, 5)},
            {"null": ["0", "2.5"]},
        ]
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60 * DEPTH)
def test_wide_as_from_csv(tmp_path: Path, rows: Any, options: dict[str, Any]) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.Float64), orient="row")
    frame = frame.with_columns(pl.Series("id", [f"r{i}" for i in range(len(rows))]))
    frame.write_csv(tmp_path / "w.csv")
    written(tmp_path / "w.parquet", frame.to_arrow(), row_group_size=5)
    said = {*options.get("sensitive", ()), *options.get("drop", ())}
    options = {**options, "ratings": [name for name in "abc" if name not in said]}
    expected = ratingpriv.read(tmp_path / "w.csv", layout="wide", **options)
    assert_same(ratingpriv.read(tmp_path / "w.parquet", layout="wide", **options), expected)


@given(
    rows=st.sets(st.tuples(st.integers(0, 3), st.integers(0, 400)), min_size=1, max_size=600),
    seed=st.integers(0, 99),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25 * DEPTH)
def test_long_rows_of_many_issues(
    tmp_path: Path, way: str, rows: set[tuple[int, int]], seed: int
) -> None:
    """Rows long enough to be sorted by a bitmap, and some that are not."""
    pairs = np.random.default_rng(seed).permutation(sorted(rows))
    ratings = (pairs[:, 1] % 5 + 1).astype(np.int8)
    parquet_long.BATCH = 1 << 10
    table = read(
        tmp_path,
        {"user": pairs[:, 0], "item": pairs[:, 1], "rating": ratings, "time": pairs.sum(axis=1)},
    )
    names = [int(name) for name in table.issues]
    for record in range(table.n_records):
        entries = slice(int(table.indptr[record]), int(table.indptr[record + 1]))
        places = table.indices[entries]
        assert np.all(places[1:] > places[:-1])
        user = table.record_ids[record]
        issues = np.array([names[place] for place in places])
        assert {(user, issue) for issue in issues.tolist()} == {
            pair for pair in rows if pair[0] == user
        }
        assert np.array_equal(table.values[entries], issues % 5 + 1)
        assert table.timestamps is not None
        assert table.timestamps[entries].to_list() == (issues + user).tolist()

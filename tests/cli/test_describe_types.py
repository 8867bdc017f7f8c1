"""Describing files whose cells have types, and those that have no columns of answers."""

from __future__ import annotations

import datetime
import json

import polars as pl
import pytest

from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.describing import describe

DAY = datetime.date(2026, 1, 1)


@pytest.fixture
def typed(tmp_path):
    """A Parquet file with a column of every type."""
    n = 60
    columns = {
        "ResponseId": [f"R{i}" for i in range(n)],
        "q": [1 + i % 5 for i in range(n)],
        "half": [0.5 * (i % 4) for i in range(n)],
        "seen": [i % 2 == 0 for i in range(n)],
        "when": [DAY + datetime.timedelta(days=i) for i in range(n)],
        "region": [("north", "south", "NA")[i % 3] for i in range(n)],
        "empty": pl.Series([None] * n, dtype=pl.Float64),
        "minus": [-1 if i % 5 == 0 else 1 + i % 4 for i in range(n)],
    }
    pl.DataFrame(columns).write_parquet(tmp_path / "data.parquet")
    return tmp_path / "data.parquet"


def test_every_type(typed):
    found = {column.name: column for column in describe(typed, examples=True).columns}
    assert {name: (column.role, column.kind) for name, column in found.items()} == {
        "ResponseId": ("id", "text"), "q": ("rating", "whole numbers"), "half": ("rating", "numbers"),
        "seen": ("quasi", "whole numbers"), "when": ("drop", "dates"), "region": ("quasi", "text"),
        "empty": ("drop", "empty"), "minus": ("rating", "whole numbers"),
    }  # fmt: skip
    assert found["minus"].spec.missing == ("-1",)
    assert (found["region"].answers, found["region"].missing) == (40, 20)
    assert found["half"].examples == ("0", "0.5", "1")
    assert found["when"].examples[0] == "2026-01-01"


def test_a_format_that_is_named(typed, tmp_path):
    assert describe(typed, format="parquet").format == "parquet"
    with pytest.raises(ParameterError, match="format"):
        describe(typed, format="excel")
    (tmp_path / "u.data").write_text("1\t1\t3\t881250949\n", encoding="utf-8")
    with pytest.raises(DataError, match="a row a record"):
        describe(tmp_path / "u.data", format="movielens")


def test_a_column_that_is_not_read_keeps_what_was_said(typed):
    found = {one.name: one for one in describe(typed, options=ReadOptions(drop=("q",))).columns}
    assert (found["q"].role, found["q"].kind, found["q"].distinct) == ("drop", "not read", None)


def test_frictionless_by_suffix(typed, cli, tmp_path):
    done = cli("describe", typed, "-o", tmp_path / "a.json")
    assert done.exit_code == 0, done.stderr
    fields = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["fields"]
    assert [field["name"] for field in fields][:2] == ["ResponseId", "q"]

"""What the audit found about each record, in a file."""

from __future__ import annotations

import csv

import polars as pl
import pytest

from ratingpriv.report.tables import write_per_record

pytestmark = pytest.mark.small


def test_columns_and_order(result):
    frame = result.to_frame()
    assert frame.schema == {
        "record": pl.String, "size": pl.Int64, "satisfied": pl.Boolean, "sd:s": pl.Float64,
        "share:s": pl.Float64, "distinct:s": pl.Int64, "entropy:s": pl.Float64,
    }  # fmt: skip
    assert frame["record"].to_list() == ["t1", "t2", "t3", "t4"]
    assert frame["size"].to_list() == [3, 3, 3, 1]
    assert frame["satisfied"].to_list() == [True, True, True, False]
    assert frame["sd:s"].to_list()[3] is None
    assert frame["share:s"].to_list() == [2 / 3, 2 / 3, 2 / 3, None]
    assert frame["distinct:s"].to_list() == [2, 2, 2, None]
    assert frame["entropy:s"].to_list()[3] is None


def test_csv_leaves_what_cannot_be_learnt_empty(result, tmp_path):
    write_per_record(result, tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    unknown = {"sd:s": "", "share:s": "", "distinct:s": "", "entropy:s": ""}
    assert list(rows[0]) == ["record", "size", "satisfied", *unknown]
    assert rows[3] == {"record": "t4", "size": "1", "satisfied": "false", **unknown}
    assert float(rows[0]["sd:s"]) == result.sd("s")[0]

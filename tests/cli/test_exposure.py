"""``ratingpriv audit --exposure``: the library's numbers, said with what is exact and what is not."""

from __future__ import annotations

import dataclasses
import json

import polars as pl
import pytest

import ratingpriv
from ratingpriv.report.pages import page_of

KEYS = {"error", "expected", "expected_low", "expected_high", "worst", "exact", "certain"}


@pytest.fixture
def ann_and_bob(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("id,film\nann,3\nbob,2\n", encoding="utf-8")
    return path


def asked(*more):
    return ["--id", "id", "--k", 2, "--epsilon", 1, "--exposure", 1, *more]


@pytest.mark.parametrize("scale", [[], ["--scale", "1:5"]])
def test_a_satisfied_verdict_with_a_worst_case_of_one(cli, ann_and_bob, tmp_path, scale):
    ended = cli("audit", ann_and_bob, *asked("--json", "--per-record", tmp_path / "r.csv"), *scale)
    assert ended.exit_code == 1  # "but this protects nothing"
    found = json.loads(ended.stdout)
    exposure = found["exposure"]
    assert set(exposure) >= KEYS
    assert (exposure["error"], exposure["worst"], exposure["certain"], exposure["exact"]) == (1, 1, 2, True)
    assert exposure["scale_declared"] is bool(scale)
    table = ratingpriv.read(str(ann_and_bob), id="id", **({"scale": (1, 5)} if scale else {}))
    assert found == {**ratingpriv.audit(table, k=2, epsilon=1, exposure=1).to_dict(), "tool": found["tool"]}
    rows = pl.read_csv(tmp_path / "r.csv")
    assert rows["exposure_expected"].to_list() == pytest.approx([2 / 3, 2 / 3])
    assert rows["exposure_worst"].to_list() == [1, 1]
    assert rows["exposure_worst_exact"].to_list() == [True, True]


def test_what_is_not_exact_is_not_said_to_be(ann_and_bob):
    """Each number by itself: drawn, found by a search, not all there may be."""
    table = ratingpriv.read(str(ann_and_bob), id="id")
    result = ratingpriv.audit(table, k=2, epsilon=1, exposure=1)
    exposure = result.exposure
    assert exposure is not None
    loose = dataclasses.replace(
        exposure, expected_exact=False, expected_low=0.5, expected_high=0.75, samples=16,
        worst=2, worst_exact=False, certain=0, certain_exact=False, records=1,
    )  # fmt: skip
    said = " ".join(map(str, page_of(loose).sections[0].items))
    assert "(with 95 % confidence between 50 % and 75 %, from 16 draws of knowledge a record)" in said
    assert "a search found knowledge that leaves 2 records, which may not be the fewest" in said
    assert "that proves nothing" in said
    assert "1 of 2 records, drawn at random, were examined" in said
    assert "worst case" not in said
    assert not loose.exact
    more = dataclasses.replace(loose, certain=1)
    assert "For at least 1 record some such knowledge" in " ".join(map(str, page_of(more).sections[0].items))
    assert [s.title for s in page_of(result).sections].count("What inexact knowledge leaves") == 1


def test_the_file_leaves_open_what_was_not_examined(ann_and_bob):
    table = ratingpriv.read(str(ann_and_bob), id="id")
    result = ratingpriv.audit(table, k=2, epsilon=1, exposure=1)
    assert result.exposure is not None
    some = dataclasses.replace(
        result.exposure,
        expected_by_record=result.exposure.expected_by_record * [1.0, float("nan")],
        worst_by_record=result.exposure.worst_by_record * [1, 0],
    )
    frame = dataclasses.replace(result, exposure=some).to_frame()
    assert frame.select("exposure_expected", "exposure_worst", "exposure_worst_exact").row(1) == (None,) * 3

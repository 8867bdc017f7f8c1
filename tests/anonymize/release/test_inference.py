"""A release whose neighbourhoods give a sensitive answer away says so, whatever k and l it meets."""

from __future__ import annotations

import polars as pl

from ratingpriv import RatingTable
from ratingpriv.anonymize.modification.modify import modify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.report.pages import page_of
from ratingpriv.report.text import render


def test_19_of_20_equal_answers_are_said_of_a_release(tmp_path):
    frame = pl.DataFrame({"a": [1, 2] * 10, "b": [3] * 20, "pay": [1] * 19 + [5]})
    table = RatingTable.from_wide(frame, sensitive=["pay"], scale=(1, 5))
    release = write_release(modify(table, k=5, epsilon=1, l=0.8), tmp_path / "r.csv")
    assert release.audit.satisfied
    assert [warning for warning in release.warnings if warning.startswith("inference: in 20 neighbourhoods")]
    text = " ".join(render(page_of(release)).split())
    assert "Inference: in 20 neighbourhoods one value of 'pay' has a share of more than 1 - 1/k" in text

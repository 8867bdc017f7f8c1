"""What is not kept is neither parsed nor judged; and data frames take the words of files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError

TEXT = "q1,q2,phone,name\n" + "".join(f"{n % 5 + 1},{n % 3 + 1},49151{n:07d},person {n}\n" for n in range(60))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "survey.csv"
    made.write_text(TEXT)
    return made


@pytest.mark.parametrize(
    "how",
    [
        {"issues": "q1,q2"},
        {"keep": ["q?"]},
        {"drop": ["phone", "name"]},
        {"only": ["q1", "q2"]},
        {"identifier": ["phone", "name"]},
        {"drop": ["p*"], "identifier": ["name"]},
    ],
)
def test_a_projection_comes_before_the_judgement(path, how):
    with pytest.raises(DataError, match="column phone"):
        ratingpriv.read(path)
    table = ratingpriv.read(path, **how)
    assert table.issues == ("q1", "q2")
    assert (table.scale.minimum, table.scale.maximum) == (1, 5)


def test_issues_by_number_are_judged_first(path):
    with pytest.raises(DataError, match="column phone"):
        ratingpriv.read(path, issues="top:1")
    with pytest.raises((DataError, ParameterError)):
        ratingpriv.read(path, issues="q1,nobody")
    assert ratingpriv.read(path, issues="q2,q1", drop=["phone", "name"]).issues == ("q1", "q2")


def test_frames_take_the_words_of_files(path):
    frame = pl.read_csv(path)
    table = ratingpriv.read(frame, identifier=["phone", "name"], quasi=["q2"])
    assert (table.issues, [one.name for one in table.quasi]) == (("q1",), ["q2"])
    assert table.roles is not None
    with pytest.raises(DataError, match="phone"):
        ratingpriv.read(frame, quasi=["q2"], drop=["name"])

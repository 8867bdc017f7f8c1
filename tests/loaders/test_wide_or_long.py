"""A row a rating in spreadsheets and statistics files: the table that the same rows are as delimited text."""

from __future__ import annotations

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError

pytest.importorskip("xlsxwriter")
pytest.importorskip("python_calamine")

ROWS = {
    "user": ["u1", "u1", "u2", "u2", "u3"],
    "item": ["a", "b", "a", "b", "a"],
    "rating": [1, 5, 2, None, 4],
}


def written(folder, rows=ROWS, suffix=".xlsx"):
    """Write the rows; gives the path."""
    frame, path = pl.DataFrame(rows, strict=False), folder / f"ratings{suffix}"
    if suffix == ".csv":
        frame.write_csv(path)
    elif suffix == ".xlsx":
        frame.write_excel(path)
    else:
        import pyreadstat

        pyreadstat.write_sav(frame.to_pandas(), str(path))
    return path


@pytest.mark.deep
@pytest.mark.parametrize("suffix", [".xlsx", ".sav"])
@pytest.mark.parametrize(
    "options", [{}, {"null": ["5"]}, {"sensitive": ["b"]}, {"drop": ["b"]}, {"only": ["a"]}]
)
def test_it_is_what_the_same_rows_are_as_csv(tmp_path, suffix, options):
    found = ratingpriv.read(written(tmp_path, suffix=suffix), **options)
    text = ratingpriv.read(written(tmp_path, suffix=".csv"), **options)
    assert found.to_long("polars").equals(text.to_long("polars"))
    assert found.scale == text.scale
    assert len(found.origin.sha256) == 64


def test_numbers_as_text_and_texts_that_mean_unanswered(tmp_path):
    rows = ROWS | {"rating": ["1", "5", "2", "NA", "4"]}
    found = ratingpriv.read(written(tmp_path, rows))
    assert found.values.tolist() == [1, 5, 2, 4]


def test_text_is_refused_by_its_address(tmp_path):
    rows = ROWS | {"rating": ["1", "good", "2", "3", "4"]}
    with pytest.raises(DataError, match="C3") as refused:
        ratingpriv.read(written(tmp_path, rows))
    assert "good" not in str(refused.value)


@pytest.mark.parametrize(
    "said", [{"quasi": ["a"]}, {"identifier": ["a"]}, {"carry": ["a"]}, {"keep": ["a*"]}]
)
def test_roles_that_nobody_would_heed_are_refused(tmp_path, said):
    with pytest.raises(ParameterError, match="a row a rating in this format"):
        ratingpriv.read(written(tmp_path), **said)

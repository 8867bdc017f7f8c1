"""Ratings in every format: what says "not answered" is told alike; where a row may be a rating."""

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv_loaders.parquet import long as parquet_long

pyreadstat = pytest.importorskip("pyreadstat")
pytest.importorskip("xlsxwriter")
pytest.importorskip("python_calamine")

ROWS = {"user": ["u1", "u1", "u2", "u2", "u3"], "item": [*"ababa"], "rating": [1, 5, 2, None, 4]}
NAMED = ("-99", "-98")
LONG = ROWS | {"rating": [1, -99, 2, -98, None]}
WIDE = {"id": ["u1", "u2", "u3"], "q1": [1, -99, 2], "q2": [None, 4, -98]}


def written(folder, rows, suffix=".xlsx"):
    frame, path = pl.DataFrame(rows, strict=False), folder / f"data{suffix}"
    if suffix in (".csv", ".parquet", ".xlsx"):
        {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".xlsx": frame.write_excel}[suffix](path)
    else:
        write = pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta
        write(frame.to_pandas(), str(path))
    return path


@pytest.mark.parametrize("suffix", [".xlsx", ".sav", ".dta"])
def test_files_of_a_row_a_record_refuse_a_row_a_rating(tmp_path, suffix):
    path = written(tmp_path, ROWS, suffix)
    with pytest.raises(DataError, match="found a row a rating"):
        ratingpriv.read(path)
    assert ratingpriv.read(path, layout="wide", drop=["user", "item"]).n_records == 5


@pytest.mark.parametrize("option", ["quasi", "identifier", "carry", "keep"])
def test_roles_that_nobody_would_heed_are_refused(tmp_path, option):
    with pytest.raises(ParameterError, match=f"no `{option}` for a row a rating"):
        ratingpriv.read(written(tmp_path, ROWS, ".parquet"), **{option: ["a"]})


def ways(table):
    return () if table.spellings is None else dict(table.spellings.counts)


@pytest.mark.parametrize(
    ("suffix", "rows"),
    [(suffix, WIDE) for suffix in (".csv", ".parquet", ".xlsx", ".sav", ".dta")]
    + [(suffix, LONG) for suffix in (".csv", ".parquet")],
)
def test_of_every_format(tmp_path, suffix, rows):
    path = written(tmp_path, rows, suffix)
    assert ways(ratingpriv.read(path, null=NAMED)) == {"": 1, "-99": 1, "-98": 1}
    assert ways(ratingpriv.read(path, scale=(-99, 5))) == ()


@pytest.mark.parametrize(
    ("suffix", "rows"), [(".csv", LONG), (".csv", WIDE), (".xlsx", WIDE), (".sav", WIDE)]
)
def test_of_texts(tmp_path, suffix, rows):
    texts = {"-99": "NA", "-98": "N/A", "None": ""}
    cells = {name: [texts.get(str(one), str(one)) for one in column] for name, column in rows.items()}
    found = ways(ratingpriv.read(written(tmp_path, cells, suffix)))
    assert found == {"": 1, "NA": 1, "N/A": 1}


def test_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_long, "STREAMED", 0)
    monkeypatch.setattr(parquet_long, "BATCH", 2)
    table = ratingpriv.read(written(tmp_path, LONG, ".parquet"), null=NAMED)
    assert ways(table) == {"": 1, "-99": 1, "-98": 1}


def test_what_spss_declares_missing(tmp_path):
    path = tmp_path / "a.sav"
    ranges = {"q1": [-99], "q2": [{"lo": -98, "hi": -97}]}
    pyreadstat.write_sav(pl.DataFrame(WIDE).to_pandas(), str(path), missing_ranges=ranges)
    assert ways(ratingpriv.read(path)) == {"": 1, "-99": 1, "-98": 1}

"""Ratings in every format: what a row a rating is as CSV,
with what says "not answered" told alike.
"""

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
        {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".xlsx": frame.write_excel}[
            suffix
        ](path)
    else:
        write = pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta
        write(frame.to_pandas(), str(path))
    return path


@pytest.mark.deep
@pytest.mark.parametrize("suffix", [".xlsx", ".sav"])
@pytest.mark.parametrize(
    "options", [{}, {"null": ["5"]}, {"sensitive": ["b"]}, {"drop": ["b"]}, {"only": ["a"]}]
)
def test_it_is_what_the_same_rows_are_as_csv(tmp_path, suffix, options):
    found = ratingpriv.read(written(tmp_path, ROWS, suffix), **options)
    text = ratingpriv.read(written(tmp_path, ROWS, ".csv"), **options)
    assert found.to_long("polars").equals(text.to_long("polars"))
    assert found.scale == text.scale
    assert len(found.origin.sha256) == 64


@pytest.mark.parametrize(
    ("text", "found"),
    [("good", "text"), ("0.30000000000000004", "a number of 17 significant digits")],
)
def test_text_is_refused_by_its_address(tmp_path, text, found):
    rows = ROWS | {"rating": ["1", text, "2", "3", "4"]}
    with pytest.raises(DataError, match=f"C3.*found {found}") as refused:
        ratingpriv.read(written(tmp_path, rows))
    assert text not in str(refused.value)


def test_a_rating_without_a_record_is_refused(tmp_path):
    with pytest.raises(DataError, match="no record id"):
        ratingpriv.read(written(tmp_path, ROWS | {"user": ["u1", "", "u2", "u2", "u3"]}))


@pytest.mark.parametrize(
    "said", [{"quasi": ["a"]}, {"identifier": ["a"]}, {"carry": ["a"]}, {"keep": ["a*"]}]
)
def test_roles_that_nobody_would_heed_are_refused(tmp_path, said):
    with pytest.raises(ParameterError, match="one row per rating in this format"):
        ratingpriv.read(written(tmp_path, ROWS), **said)


def ways(table):
    return () if table.spellings is None else dict(table.spellings.counts)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".sav", ".dta"])
@pytest.mark.parametrize("rows", [LONG, WIDE], ids=["long", "wide"])
def test_of_every_format(tmp_path, suffix, rows):
    path = written(tmp_path, rows, suffix)
    assert ways(ratingpriv.read(path, null=NAMED)) == {"": 1, "-99": 1, "-98": 1}
    assert ways(ratingpriv.read(path, scale=(-99, 5))) == ()


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".sav"])
@pytest.mark.parametrize("rows", [LONG, WIDE], ids=["long", "wide"])
def test_of_texts(tmp_path, suffix, rows):
    texts = {"-99": "NA", "-98": "N/A", "None": ""}
    cells = {
        name: [texts.get(str(one), str(one)) for one in column] for name, column in rows.items()
    }
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

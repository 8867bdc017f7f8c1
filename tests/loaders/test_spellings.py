"""What says "not answered" in more than one way is told by every reader, as of the same cells in CSV."""

from __future__ import annotations

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv_loaders.parquet import long as parquet_long

NAMED = ("-99", "-98")
LONG = {"user": ["u1", "u1", "u2", "u2", "u3"], "item": [*"ababa"], "rating": [1, -99, 2, -98, None]}
WIDE = {"id": ["u1", "u2", "u3"], "q1": [1, -99, 2], "q2": [None, 4, -98]}


def written(folder, rows, suffix):
    frame, path = pl.DataFrame(rows), folder / f"data{suffix}"
    if suffix == ".csv":
        frame.write_csv(path)
    elif suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".xlsx":
        pytest.importorskip("xlsxwriter")
        pytest.importorskip("python_calamine")
        frame.write_excel(path)
    else:
        pyreadstat = pytest.importorskip("pyreadstat")
        write = pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta
        write(frame.to_pandas(), str(path))
    return path


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
    cells = {name: [texts.get(str(one), str(one)) for one in column] for name, column in rows.items()}
    found = ways(ratingpriv.read(written(tmp_path, cells, suffix)))
    assert found == {"": 1, "NA": 1, "N/A": 1}


def test_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet_long, "STREAMED", 0)
    monkeypatch.setattr(parquet_long, "BATCH", 2)
    table = ratingpriv.read(written(tmp_path, LONG, ".parquet"), null=NAMED)
    assert ways(table) == {"": 1, "-99": 1, "-98": 1}


def test_nan_that_is_named(tmp_path):
    rows = LONG | {"rating": [1.0, float("nan"), 2.0, None, 5.0]}
    assert ways(ratingpriv.read(written(tmp_path, rows, ".parquet"), null=("NaN",))) == {"": 1, "NaN": 1}


def test_what_spss_declares_missing(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / "a.sav"
    ranges = {"q1": [-99], "q2": [{"lo": -98, "hi": -97}]}
    pyreadstat.write_sav(pl.DataFrame(WIDE).to_pandas(), str(path), missing_ranges=ranges)
    assert ways(ratingpriv.read(path)) == {"": 1, "-99": 1, "-98": 1}


def repeated_parquet(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table([pa.array([1, 2]), pa.array([3, 4]), pa.array([5, 4])], names=["id", "q1", "q1"])
    pq.write_table(table, path)
    return path


def test_repeated_names_are_refused_by_name(tmp_path):
    import pandas as pd

    with pytest.raises(DataError, match="q1"):
        ratingpriv.read(repeated_parquet(tmp_path / "twice.parquet"))
    for names in (["id", "q1", "q1"], ["id", 1, "1"]):
        frame = pd.DataFrame([[1, 3, 5], [2, 4, 4]], columns=names)
        with pytest.raises(DataError, match=str(names[1])):
            ratingpriv.audit(frame, k=1, epsilon=0)

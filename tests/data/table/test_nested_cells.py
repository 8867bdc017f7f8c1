"""Cells that hold lists or objects are refused in our words, whatever is said of their column."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError

IDS = [1, 2, 3, 4]
CELLS = {
    "lists": [[1, 2], [3], [], [1]],
    "empty lists": [[], [], [], []],
    "lists of lists": [[[1]], [[2]], [[1]], [[2]]],
    "objects": [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}],
    "lists of words": [["red", "blue"], ["red"], ["blue"], []],
}
SAID = ({}, {"quasi": ["q"]}, {"sensitive": ["q"]}, {"carry": ["q"]}, {"id": "q"}, {"ratings": ["q"]})


def frames(cells):
    columns = {"id": IDS, "q": cells, "r": [1, 2, 1, 2]}
    return pl.DataFrame(columns), pd.DataFrame(columns), pa.table(columns)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("said", SAID, ids=str)
def test_in_frames(kind, said):
    for frame in frames(CELLS[kind]):
        with pytest.raises(DataError, match="column q: found cells that hold lists or objects"):
            ratingpriv.read(frame, **said)
        kept = ratingpriv.read(frame, drop=["q"])
        assert kept.n_records == len(IDS)


@pytest.mark.parametrize("kind", CELLS)
def test_in_parquet(kind, tmp_path):
    frames(CELLS[kind])[0].write_parquet(tmp_path / "d.parquet")
    with pytest.raises(DataError, match="column q: found cells that hold lists or objects"):
        ratingpriv.read(tmp_path / "d.parquet")


def test_as_a_rating_of_a_long_frame():
    frame = pl.DataFrame({"record": IDS, "issue": [1, 1, 1, 1], "rating": CELLS["lists"]})
    with pytest.raises(DataError, match="cells that hold lists or objects"):
        ratingpriv.RatingTable.from_long(frame)

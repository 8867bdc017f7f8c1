"""Small Parquet files for tests: written, read, refused."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, Problem
from ratingpriv.data.table import RatingTable

LONG = {"user": [7, 7, 3, 9, 3], "item": ["b", "a", "b", "c", "a"], "rating": [5, 3, 4, 1, 2]}
WIDE = {"id": ["x", "y", "z"], "a": [1, 2, None], "b": [5, None, 4], "age": [20, 30, 40]}


def written(path: Path, columns: Any, **options: Any) -> Path:
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, path, **options)
    return path


def read(folder: Path, columns: Any, **options: Any) -> RatingTable:
    return ratingpriv.read(written(folder / "ratings.parquet", columns), **options)


def refused(folder: Path, columns: Any, **options: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        read(folder, columns, **options)
    assert caught.value.exit_code == 2
    return caught.value


def only(error: DataError) -> Problem:
    assert error.total == 1, str(error)
    assert error.problems[0].file.endswith(".parquet")
    return error.problems[0]


def assert_same(one: RatingTable, other: RatingTable, *, ids_as_text: bool = False) -> None:
    """Both tables hold the same; ids may be numbers in one and texts in the other."""
    assert one.issues == other.issues
    for name in ("indptr", "indices", "codes", "levels"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
        assert getattr(one, name).dtype == getattr(other, name).dtype
    assert one.scale == other.scale
    left, right = one.record_ids, other.record_ids
    assert left.to_list() == right.to_list() or (
        ids_as_text and left.cast(pl.String).to_list() == right.to_list()
    )
    assert (one.timestamps is None) == (other.timestamps is None)
    if one.timestamps is not None and other.timestamps is not None:
        assert one.timestamps.to_list() == other.timestamps.to_list()
    assert [column.name for column in one.sensitive] == [column.name for column in other.sensitive]
    for a, b in zip(one.sensitive, other.sensitive, strict=True):
        assert np.array_equal(a.present, b.present)
        assert np.array_equal(a.values, b.values)
    assert one.origin.order == other.origin.order

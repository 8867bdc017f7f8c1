"""What a RatingTable promises."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import SensitiveColumn

TABLE = RatingTable.from_wide(
    pl.DataFrame({"id": ["a", "b"], "x": [1, None], "y": [0, 2], "s": [5, None]}), id="id", sensitive=["s"]
)


def test_sizes():
    assert (TABLE.n_records, TABLE.n_issues, TABLE.n_ratings) == (2, 2, 3)
    assert TABLE.support(0).tolist() == [0, 1]
    assert TABLE.support(1).tolist() == [1]
    assert "2 records x 2 issues, 3 ratings, 1 sensitive" in repr(TABLE)


def test_arrays_cannot_be_written_to():
    column = TABLE.sensitive_column("s")
    for array in (TABLE.indptr, TABLE.indices, TABLE.codes, TABLE.levels, column.values, column.present):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_attributes_cannot_be_set():
    with pytest.raises(AttributeError):
        TABLE.issues = ()


def test_whole_numbers_are_seen():
    assert TABLE.integral
    assert not RatingTable.from_wide(pl.DataFrame({"x": [1.5, 2]})).integral


def test_a_sensitive_column_that_is_not_there():
    with pytest.raises(
        ParameterError, match=r"found 'x', expected one of the table's sensitive issues \(s\)"
    ):
        TABLE.sensitive_column("x")


@pytest.mark.parametrize(
    "wrong",
    [
        {"indptr": np.array([0, 3])},
        {"codes": np.zeros(2, dtype=np.uint8)},
        {"issues": ("x", "x")},
        {"issues": ("x", "s")},
        {"timestamps": pl.Series([1])},
        {"sensitive": (SensitiveColumn("s", np.zeros(3), np.zeros(3, dtype=bool)),)},
    ],
)
def test_parts_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ParameterError):
        TABLE.replace(**wrong)

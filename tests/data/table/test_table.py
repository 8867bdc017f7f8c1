"""What a RatingTable promises."""

import copy
import dataclasses

import hypothesis.extra.numpy as arrays
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.data.table.parts import EVERY_ISSUE

TABLE = RatingTable.from_wide(
    pl.DataFrame({"id": ["a", "b"], "x": [1, None], "y": [0, 2], "s": [5, None]}),
    id="id",
    sensitive=["s"],
)


def test_sizes():
    assert (TABLE.n_records, TABLE.n_issues, TABLE.n_ratings) == (2, 2, 3)
    assert TABLE.support(0).tolist() == [0, 1]
    assert TABLE.support(1).tolist() == [1]
    assert "2 records x 2 items, 3 ratings, 1 sensitive" in repr(TABLE)


def test_arrays_cannot_be_written_to():
    column = TABLE.sensitive_column("s")
    for array in (
        TABLE.indptr,
        TABLE.indices,
        TABLE.codes,
        TABLE.levels,
        column.values,
        column.present,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


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


# -- tables whose `indices` are not kept, as every record rates every issue


pytestmark = pytest.mark.small

full = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays.arrays(np.int8, shape, elements=st.integers(1, 4))
)


def table_of(ratings):
    names = [f"q{place}" for place in range(ratings.shape[1])]
    table = RatingTable.from_wide(pl.DataFrame(ratings, schema=names))
    assert not kept(table)
    return table


def kept(table):
    return "indices" in vars(table)


def twin_of(table):
    """Return the table with positions that are written down one by one."""
    indices = np.array(
        [issue for _ in range(table.n_records) for issue in range(table.n_issues)], np.int32
    )
    return RatingTable(**{**vars(table), "indices": indices})


def assert_equal(one, other):
    for name in ("indptr", "indices", "codes", "levels"):
        mine, its = getattr(one, name), getattr(other, name)
        assert mine.dtype == its.dtype, name
        assert mine.tolist() == its.tolist(), name
        assert not mine.flags.writeable
    assert (one.issues, one.scale, one.selection) == (other.issues, other.scale, other.selection)
    assert one.record_ids.to_list() == other.record_ids.to_list()


@settings(max_examples=30, deadline=None)
@given(full, st.data())
def test_it_is_the_table_with_positions(ratings, data):
    table = table_of(ratings)
    twin = twin_of(table_of(ratings))
    assert table.n_ratings == twin.n_ratings == ratings.size
    assert not kept(table)
    assert_equal(table, twin)
    positions = np.array(
        data.draw(st.permutations(range(len(ratings))))[: data.draw(st.integers(1, 5))]
    )
    assert_equal(table_of(ratings).take(positions), twin.take(positions))
    some = data.draw(st.lists(st.sampled_from(table.issues), min_size=1, unique=True))
    assert_equal(table_of(ratings).select_issues(some), twin.select_issues(some))
    assert table_of(ratings).to_wide("polars").equals(twin.to_wide("polars"))
    assert table_of(ratings).to_long("polars").equals(twin.to_long("polars"))
    assert table_of(ratings).support(0).tolist() == twin.support(0).tolist()


def test_a_null_anywhere_keeps_them():
    table = RatingTable.from_wide(pl.DataFrame({"x": [1, None], "y": [1, 2]}))
    assert kept(table)
    assert table.indices.tolist() == [0, 1, 1]


def test_only_what_is_replaced_changes():
    table = table_of(np.array([[1, 2], [3, 4]], np.int8))
    renamed = table.replace(record_ids=pl.Series("record", [7, 8]))
    assert not kept(table)
    assert not kept(renamed)
    assert not kept(copy.deepcopy(table))
    one = table.replace(issues=("x", "y"))
    assert one.indices is table.indices
    assert dataclasses.replace(table, roles=None).indices is table.indices  # made already


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"codes": np.zeros(2, np.uint8), "indptr": np.array([0, 1, 2])},
            "indptr of 3 and codes of 4 entries",
        ),
        (
            {"indices": EVERY_ISSUE, "indptr": np.array([0, 1, 4])},
            "not every record rates every item",
        ),
        (
            {"indices": EVERY_ISSUE, "indptr": np.array([1, 2, 4])},
            "not every record rates every item",
        ),
        ({"indices": EVERY_ISSUE, "issues": ("x", "y", "z")}, "entries"),
        ({"indices": np.empty(0, np.int32)}, "entries"),  # an empty array does not mean every issue
    ],
)
def test_positions_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ParameterError, match=message):
        table_of(np.array([[1, 2], [3, 4]], np.int8)).replace(**changes)

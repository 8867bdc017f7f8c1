"""Laws: whatever frame goes in, it comes out again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv import RatingTable

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)


@st.composite
def wide_frames(draw) -> tuple[pl.DataFrame, str, list[str]]:
    """A frame of ids and ratings, the name of the ids, and names of sensitive columns."""
    columns = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    n = draw(st.integers(1, 8))
    ids = draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n, max_size=n, unique=True))
    if draw(st.booleans()):
        ids = [str(number) for number in ids]
    frame = {columns[0]: pl.Series(columns[0], ids)}
    for name in columns[1:]:
        whole = draw(st.booleans())
        cells = st.integers(-(2**53), 2**53) if whole else st.floats(allow_nan=False, allow_infinity=False)
        values = draw(st.lists(st.none() | cells, min_size=n, max_size=n))
        frame[name] = pl.Series(name, values, dtype=pl.Int64 if whole else pl.Float64)
    sensitive = draw(st.lists(st.sampled_from(columns[1:]), unique=True, max_size=len(columns) - 2))
    return pl.DataFrame(frame), columns[0], sensitive


def same(left: pl.DataFrame, right: pl.DataFrame) -> bool:
    """Equal but for the type of whole numbers, which come back as Int64."""
    return left.columns == right.columns and left.rows() == right.rows()


@given(wide_frames(), st.sampled_from(["polars", "pandas", "arrow"]))
def test_wide(drawn, kind):
    frame, record, sensitive = drawn
    table = RatingTable.from_wide(frame, id=record, sensitive=sensitive)
    back = table.to_wide(kind)
    again = RatingTable.from_wide(back, id=record, sensitive=sensitive).to_wide("polars")
    assert same(table.to_wide(), frame)
    assert same(again, frame)


@given(wide_frames(), st.sampled_from(["polars", "pandas", "arrow"]))
def test_long(drawn, kind):
    frame, record, sensitive = drawn
    long = RatingTable.from_wide(frame, id=record, sensitive=sensitive).to_long(kind)
    columns = list(long.column_names if kind == "arrow" else long.columns)
    back = RatingTable.from_long(
        long, record=columns[0], issue=columns[1], rating=columns[2], sensitive=sensitive
    )
    assert same(back.to_wide("polars"), frame)


@given(wide_frames(), st.randoms())
def test_rows_of_a_long_frame_may_come_in_any_order(drawn, random):
    frame, record, sensitive = drawn
    table = RatingTable.from_wide(frame, id=record, sensitive=sensitive)
    long = table.to_long()
    order = list(range(len(long)))
    random.shuffle(order)
    back = RatingTable.from_long(
        long[order],
        record=long.columns[0],
        issue=long.columns[1],
        rating=long.columns[2],
        sensitive=sensitive,
    )
    assert back.to_wide().sort(record).rows() == frame.sort(record).rows()


def test_null_columns_of_every_kind():
    for frame in (
        pl.DataFrame({"x": [1, 2], "n": [None, None]}),
        pd.DataFrame({"x": [1, 2], "n": [np.nan, np.nan]}),
        pd.DataFrame({"x": [1, 2], "n": [None, None]}),
        pa.table({"x": [1, 2], "n": pa.nulls(2)}),
    ):
        table = RatingTable.from_wide(frame)
        assert table.n_ratings == 2
        assert table.issues == ("x", "n")

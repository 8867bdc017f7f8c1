"""Data frames to tables and back."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.table import Scale

WIDE = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "x": [1, 2, None, None],
        "secret": [1.5, None, 2.0, None],
        "y": [0, None, -3, None],
    }
)
KINDS = ["polars", "pandas", "arrow"]


def as_kind(frame: pl.DataFrame, kind: str):
    return {"polars": lambda: frame, "pandas": frame.to_pandas, "arrow": frame.to_arrow}[kind]()


def as_polars(frame) -> pl.DataFrame:
    if isinstance(frame, pd.DataFrame):
        return pl.from_pandas(frame, nan_to_null=True)
    return pl.from_arrow(frame) if isinstance(frame, pa.Table) else frame


def problems_of(call) -> tuple:
    with pytest.raises(DataError) as caught:
        call()
    return caught.value.problems


def test_wide_becomes_rows_with_structural_presence():
    table = RatingTable.from_wide(WIDE, id="id", sensitive=["secret"])
    assert table.issues == ("x", "y")
    assert table.record_ids.to_list() == ["a", "b", "c", "d"]
    assert table.indptr.tolist() == [0, 2, 3, 4, 4]
    assert table.indices.tolist() == [0, 1, 0, 1]
    assert table.values.tolist() == [1, 0, 2, -3]  # 0 and negative numbers are ratings
    assert table.levels.tolist() == [-3, 0, 1, 2]
    assert table.codes.dtype == np.uint8
    assert table.scale == Scale(-3, 2, declared=False)


def test_sensitive_values_keep_their_nulls_and_have_a_scale():
    table = RatingTable.from_wide(WIDE, id="id", sensitive=["secret"], scale=(-5, 2))
    column = table.sensitive_column("secret")
    assert column.present.tolist() == [True, False, True, False]
    assert column.values.tolist() == [1.5, 0, 2, 0]
    aged, said = (
        WIDE.with_columns(secret=99),
        {"id": "id", "sensitive": ["secret"], "scale": (-5, 2)},
    )
    assert RatingTable.from_wide(aged, **said, sensitive_scale={"secret": None}).sensitive
    with pytest.raises(DataError, match=r"number off .*line 1, column secret.* scale -5\.\.2"):
        RatingTable.from_wide(aged, **said)
    assert table.scale == Scale(-5, 2, declared=True)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([Decimal("0.30000000000000004"), Decimal("0.5")]),
        pl.Series([2**53 + 1, 1]),
        pl.Series([2**53 + 1, 1], dtype=pl.UInt64),
        pl.Series([2**70, 1], dtype=pl.Int128),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_that_float64_does_not_keep(column, kind):
    if column.dtype == pl.Int128 and kind != "polars":
        return
    wide = as_kind(pl.DataFrame({"id": [1, 2], "x": column}), kind)
    with pytest.raises(DataError, match="line 1, column x"):
        RatingTable.from_wide(wide, id="id")
    with pytest.raises(DataError, match="line 1, column x"):
        RatingTable.from_wide(wide, sensitive=["x"])
    long = as_kind(pl.DataFrame({"record": [1, 2], "issue": ["a", "a"], "x": column}), kind)
    with pytest.raises(DataError, match="line 1, column x"):
        RatingTable.from_long(long, rating="x")


def test_objects_that_are_numbers_of_pythons():
    good = pd.DataFrame({"x": pd.Series([1, Decimal("2.50")], dtype=object)}).map(Decimal)
    assert RatingTable.from_wide(good).values.tolist() == [1, 2.5]
    for wrong in ([1, 2**53 + 1], [1.5, 2**53 + 1], [1, 10**400], [Decimal(1), Decimal(2**53 + 1)]):
        with pytest.raises(DataError, match="x"):
            RatingTable.from_wide(pd.DataFrame({"x": pd.Series(wrong, dtype=object)}))


def test_scales_of_sensitive_issues_are_of_sensitive_issues():
    frame = pl.DataFrame({"x": [1, 2], "pay": [3, 9]})
    for wrong in (
        {"x": (1, 7)},
        {"nope": (1, 7)},
        {"pay": (7, 1)},
        {"pay": (1, float("nan"))},
        [1],
    ):
        with pytest.raises(ParameterError, match="sensitive_scale"):
            RatingTable.from_wide(frame, sensitive=["pay"], sensitive_scale=wrong)
    with pytest.raises(DataError, match="line 2, column pay"):
        RatingTable.from_wide(frame, sensitive=["pay"], sensitive_scale={"pay": (1, 7)})
    assert (
        RatingTable.from_wide(
            frame, sensitive=["pay"], sensitive_scale={"pay": (1, 9)}
        ).scale.maximum
        == 2
    )


def test_what_columns_come_back_as():
    table = RatingTable.from_wide(WIDE, id="id")
    assert isinstance(table.to_wide("pandas"), pd.DataFrame)
    assert isinstance(table.to_long("arrow"), pa.Table)
    with pytest.raises(
        ParameterError, match="kind: found 'numpy', expected one of polars, pandas, arrow"
    ):
        table.to_wide("numpy")
    frame = pl.DataFrame(
        {"id": pl.Series([1, 2], dtype=pl.UInt8), "x": [1.0, 2.0], "y": [0.5, 1.0]}
    )
    back = RatingTable.from_wide(frame, id="id").to_wide()
    assert back.schema == {"id": pl.Int64, "x": pl.Int64, "y": pl.Float64}
    large = RatingTable.from_wide(pl.DataFrame({"x": [1e300, 2.0]}))  # whole, but beyond Int64
    assert large.to_wide()["x"].to_list() == large.to_long()["rating"].to_list() == [1e300, 2.0]
    mixed = RatingTable.from_wide(pl.DataFrame({"x": [1.0, 2.5]}))
    assert mixed.to_long()["rating"].dtype == pl.Float64
    assert mixed.take(np.array([0])).to_long()["rating"].dtype == pl.Int64
    cents = pl.Series(["1.10", "2.25", None]).cast(pl.Decimal(5, 2))
    table = RatingTable.from_wide(pl.DataFrame({"x": [True, False, None], "y": cents}))
    assert table.to_wide().rows() == [(0, 1, 1.1), (1, 0, 2.25), (2, None, None)]
    tenths = pl.Series([0.1, 0.7, 3.0], dtype=pl.Float32)  # means the decimal that it prints
    table = RatingTable.from_wide(
        pl.DataFrame({"x": tenths, "s": tenths}), sensitive=["s"], scale=(0.1, 3)
    )
    assert table.levels.tolist() == table.sensitive_column("s").values.tolist() == [0.1, 0.7, 3.0]


NAN = {"x": [1.0, np.nan]}
IDS = {"id": ["a", "b", "a", "a"], "x": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("frame", "said", "places", "found"),
    [
        (pl.DataFrame(NAN), {}, [(2, "x")], "NaN"),
        (pa.table(NAN), {}, [(2, "x")], "NaN"),
        (pd.DataFrame({"x": [np.inf, 1]}), {}, [(1, "x")], "inf"),
        (pl.DataFrame({"name": [None, "Ann"], "x": [1, 2]}), {}, [(2, "name")], "text"),
        (
            pd.DataFrame({"x": [1, "two"]}, dtype=object),
            {},
            [(None, "x")],
            "cells of several types",
        ),
        (
            pl.DataFrame({"id": [1, None, 1, 4], "x": [1.0, 2.0, 3.0, np.nan], "y": [9, 1, 1, 1]}),
            {"id": "id", "scale": (1, 5)},
            [(1, "y"), (2, "id"), (4, "x")],
            "a number off the scale",
        ),
        (
            pl.DataFrame(IDS),
            {"id": "id"},
            [(3, "id"), (4, "id")],
            "a record id a second time (first in line 1)",
        ),
        (pl.DataFrame({"id": [1, None], "x": [1, 2]}), {"id": "id"}, [(2, "id")], "no record id"),
        (
            pl.DataFrame({"id": [dt.date(2020, 1, 1)], "x": [1]}),
            {"id": "id"},
            [(None, "id")],
            "Date",
        ),
        (pl.DataFrame({"id": [1.5], "x": [1]}), {"id": "id"}, [(1, "id")], "another record id"),
        (
            pl.DataFrame({"id": pl.Series([2**63], dtype=pl.UInt64), "x": [1]}),
            {"id": "id"},
            [(1, "id")],
            "another record id",
        ),
        (
            WIDE,
            {"id": "id", "sensitive": ["secrets"]},
            [(None, None)],
            "no column 'secrets' to be sensitive",
        ),
        (WIDE, {"id": "nr"}, [(None, None)], "no column 'nr' to be the record ids"),
        (WIDE, {"id": "id", "drop": ["nr"]}, [(None, None)], "no column 'nr' to be dropped"),
        (
            WIDE,
            {"id": "id", "sensitive": ["x", "y", "secret"]},
            [(None, None)],
            "no item beside the 3",
        ),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), {}, [(None, "x")], "two columns called 'x'"),
        (pa.table([[1], [2]], names=["x", "x"]), {}, [(None, "x")], "two columns called 'x'"),
        (pl.DataFrame(), {}, [(None, None)], "no columns"),
        (pl.DataFrame({"x": []}), {}, [(None, None)], "no rows"),
        (pl.DataFrame({"id": [1]}), {"id": "id"}, [(None, None)], "no columns with ratings"),
    ],
)
def test_what_cannot_be_read_is_said_by_line_and_column(frame, said, places, found):
    problems = problems_of(lambda: RatingTable.from_wide(frame, **said, name="survey"))
    assert [(problem.line, problem.column) for problem in problems] == places
    assert found in problems[0].found
    assert {problem.file for problem in problems} == {"survey"}


def test_ids_of_other_types_and_nulls_of_pandas():
    table = RatingTable.from_wide(pl.DataFrame({"id": [3.0, 2.0], "x": [1, 1]}), id="id")
    assert (table.record_ids.to_list(), table.record_ids.dtype) == ([3, 2], pl.Int64)
    category = pl.DataFrame({"id": pl.Series(["b", "a"], dtype=pl.Categorical), "x": [1, 1]})
    assert RatingTable.from_wide(category, id="id").record_ids.dtype == pl.String
    assert RatingTable.from_wide(pd.DataFrame({"x": [1.0, np.nan]})).n_ratings == 1


def test_wrong_arguments():
    for call in (
        lambda: RatingTable.from_wide([[1, 2]]),
        lambda: RatingTable.from_wide(WIDE, id="id", sensitive="secret"),
        lambda: RatingTable.from_wide(WIDE, id="id", sensitive=["id"]),
        lambda: RatingTable.from_wide(WIDE, id="id", sensitive=["x"], drop=["x"]),
        lambda: RatingTable.from_wide(WIDE, id="id", scale=(5, 1)),
        lambda: RatingTable.from_long(WIDE, record="id", issue="id", rating="x"),
        lambda: RatingTable.from_long(LONG, timestamp="timestamp", duplicates="keep"),
    ):
        with pytest.raises(ParameterError):
            call()


LONG = pl.DataFrame(
    {
        "record": ["u2", "u1", "u2", "u1"],
        "issue": ["B", "B", "A", "A"],
        "rating": [5, 4, 3, 2],
        "timestamp": [40, 30, 20, 10],
    }
)


def test_long_keeps_the_order_of_first_rows_and_its_timestamps():
    table = RatingTable.from_long(LONG, timestamp="timestamp")
    assert table.record_ids.to_list() == ["u2", "u1"]
    assert table.issues == ("B", "A")
    assert table.values.tolist() == [5, 3, 4, 2]
    assert table.timestamps.to_list() == [40, 20, 30, 10]
    assert table.to_long().rows() == [
        ("u2", "B", 5, 40),
        ("u2", "A", 3, 20),
        ("u1", "B", 4, 30),
        ("u1", "A", 2, 10),
    ]
    dated = LONG.with_columns(timestamp=pl.col("timestamp").cast(pl.Datetime("us", "UTC")))
    back = RatingTable.from_long(dated, timestamp="timestamp").to_long().sort("rating")
    assert back["timestamp"].to_list() == dated.sort("rating")["timestamp"].to_list()


@pytest.mark.parametrize("kind", KINDS)
def test_categories_carry_the_order_of_issues_and_unrated_ones(kind):
    frame = LONG.with_columns(pl.col("issue").cast(pl.Enum(["A", "never", "B"])))
    table = RatingTable.from_long(as_kind(frame, kind), drop=["timestamp"])
    assert table.issues == ("A", "never", "B")
    assert as_polars(table.to_long("polars"))["issue"].dtype.categories.to_list() == [
        "A",
        "never",
        "B",
    ]
    plain = LONG.drop("timestamp").with_columns(pl.col("issue").cast(pl.Categorical))
    assert RatingTable.from_long(plain).issues == ("B", "A")  # it has no order of its own
    numbered = LONG.drop("timestamp").with_columns(issue=pl.Series([10, 10, 9, 9]))
    assert RatingTable.from_long(numbered).issues == ("10", "9")


def test_sensitive_issue_of_a_long_frame():
    table = RatingTable.from_long(LONG, timestamp="timestamp", sensitive=["B"])
    assert table.issues == ("A",)
    assert table.sensitive_column("B").values.tolist() == [5, 4]
    assert table.timestamps.to_list() == [20, 10]
    assert table.scale == Scale(2, 3, declared=False)
    assert table.to_long()["timestamp"].to_list() == [None, 20, None, 10]


def test_null_ratings_say_that_record_and_issue_exist():
    frame = pl.DataFrame(
        {"record": [7, 8, 9], "issue": ["A", "B", None], "rating": [1, None, None]}
    )
    table = RatingTable.from_long(frame)
    assert table.record_ids.to_list() == [7, 8, 9]
    assert table.issues == ("A", "B")
    assert table.n_ratings == 1
    (problem,) = problems_of(lambda: RatingTable.from_long(frame.with_columns(rating=1)))
    assert (problem.line, problem.found) == (3, "a rating without an item")


TWICE = pl.DataFrame(
    {
        "record": [1, 1, 2, 1, 2],
        "issue": ["A"] * 5,
        "rating": [1, 4, 3, None, 5],
        "t": [1, 2, 3, 4, 5],
    }
)


def test_repeated_pairs_are_refused_with_both_lines():
    problems = problems_of(lambda: RatingTable.from_long(TWICE, timestamp="t"))
    assert [problem.line for problem in problems] == [2, 4, 5]
    assert problems[0].found == "a second rating of item 'A' by the same record (first in line 1)"
    assert "first in line 3" in problems[2].found
    assert problems[2].cell == "item 'A', record 2"
    frame = pl.concat([TWICE, TWICE.with_columns(issue=pl.lit("B"))])
    problems = problems_of(lambda: RatingTable.from_long(frame, timestamp="t", sensitive=["A"]))
    assert [problem.line for problem in problems] == [2, 4, 5, 7, 9, 10]


@pytest.mark.parametrize("sensitive", [(), ("A",)])
@pytest.mark.parametrize(
    ("duplicates", "expected"), [("first", [1, 3]), ("last", [None, 5]), ("mean", [2.5, 4])]
)
def test_repeated_pairs_are_resolved_as_asked(duplicates, expected, sensitive):
    frame = pl.concat(
        [TWICE, pl.DataFrame({"record": [2], "issue": ["B"], "rating": [1], "t": [6]})]
    )
    table = RatingTable.from_long(frame, timestamp="t", duplicates=duplicates, sensitive=sensitive)
    assert table.to_wide()["A"].to_list() == expected
    assert set(table.levels.tolist()) == {1, *(expected if not sensitive else [])} - {None}


@pytest.mark.parametrize("sensitive", [(), ("A",)])
def test_a_mean_of_nothing_is_nothing(sensitive):
    frame = pl.DataFrame({"record": [1, 1, 2], "issue": ["A", "A", "B"], "rating": [None, None, 3]})
    table = RatingTable.from_long(frame, duplicates="mean", sensitive=sensitive)
    assert table.to_wide()["A"].to_list() == [None, None]


def test_the_timestamp_follows_the_rating_that_counts():
    frame = TWICE.filter(pl.col("rating").is_not_null())
    for duplicates, expected in (("first", [1, 3]), ("last", [2, 5]), ("mean", [2, 5])):
        table = RatingTable.from_long(frame, timestamp="t", duplicates=duplicates)
        assert table.timestamps.to_list() == expected


# -- laws: whatever frame goes in, it comes out again


names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4
)


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
        cells = (
            st.integers(-(2**53), 2**53)
            if whole
            else st.floats(allow_nan=False, allow_infinity=False)
        )
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
    if kind == "polars":  # rows may come in any order
        long = long.sample(fraction=1, shuffle=True, seed=1)
    back = RatingTable.from_long(
        long, record=columns[0], issue=columns[1], rating=columns[2], sensitive=sensitive
    )
    assert same(back.to_wide("polars").sort(record), frame.sort(record))

"""Data frames to tables and back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

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
    aged = WIDE.with_columns(secret=99)
    for own in ((0, 120), None):
        assert RatingTable.from_wide(
            aged, id="id", sensitive=["secret"], scale=(-5, 2), sensitive_scale={"secret": own}
        ).sensitive
    with pytest.raises(
        DataError, match=r"line 1, column secret: found a number off the scale, expected .* scale -5\.\.2"
    ):
        RatingTable.from_wide(aged, id="id", sensitive=["secret"], scale=(-5, 2))
    assert table.scale == Scale(-5, 2, declared=True)


@pytest.mark.parametrize("kind", KINDS)
def test_wide_comes_back_as_it_was(kind):
    frame = as_kind(WIDE, kind)
    back = RatingTable.from_wide(frame, id="id", sensitive=["secret"]).to_wide()
    assert type(back) is type(frame)
    assert as_polars(back).equals(WIDE)


@pytest.mark.parametrize("kind", KINDS)
def test_long_comes_back_as_it_was(kind):
    table = RatingTable.from_wide(as_kind(WIDE, kind), id="id", sensitive=["secret"])
    long = table.to_long()
    assert as_polars(long).rows() == [
        ("a", "x", 1),
        ("a", "secret", 1.5),
        ("a", "y", 0),
        ("b", "x", 2),
        ("c", "secret", 2),
        ("c", "y", -3),
        ("d", "x", None),
    ]
    again = RatingTable.from_long(long, record="id", sensitive=["secret"])
    assert as_polars(again.to_wide()).equals(WIDE)
    assert as_polars(again.to_long()).equals(as_polars(long))


def test_asked_for_another_kind():
    table = RatingTable.from_wide(WIDE, id="id")
    assert isinstance(table.to_wide("pandas"), pd.DataFrame)
    assert isinstance(table.to_long("arrow"), pa.Table)
    with pytest.raises(ParameterError, match="kind: found 'numpy', expected one of polars, pandas, arrow"):
        table.to_wide("numpy")


def test_whole_numbers_come_back_as_integers_whatever_they_came_as():
    frame = pl.DataFrame({"id": pl.Series([1, 2], dtype=pl.UInt8), "x": [1.0, 2.0], "y": [0.5, 1.0]})
    back = RatingTable.from_wide(frame, id="id").to_wide()
    assert back.schema == {"id": pl.Int64, "x": pl.Int64, "y": pl.Float64}


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
    """Decimals were rounded: 0.30000000000000004 of a decimal column and 0.3 may become one rating."""
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
        {"pay": 7},
        {"pay": (1, float("nan"))},
        [1],
    ):
        with pytest.raises(ParameterError, match="sensitive_scale"):
            RatingTable.from_wide(frame, sensitive=["pay"], sensitive_scale=wrong)
    with pytest.raises(DataError, match="line 2, column pay"):
        RatingTable.from_wide(frame, sensitive=["pay"], sensitive_scale={"pay": (1, 7)})
    long = frame.with_row_index("record").unpivot(index="record", variable_name="issue", value_name="rating")
    with pytest.raises(DataError, match="line 4, column rating"):
        RatingTable.from_long(long, sensitive=["pay"], sensitive_scale={"pay": (1, 7)})
    assert RatingTable.from_wide(frame, sensitive=["pay"], sensitive_scale={"pay": (1, 9)}).scale.maximum == 2


def test_whole_numbers_beyond_int64_come_back_as_floats():
    frame = pl.DataFrame({"x": [1e300, 2.0]})
    assert RatingTable.from_wide(frame).to_wide()["x"].to_list() == [1e300, 2.0]


def test_float32_means_the_decimal_it_prints():
    frame = pl.DataFrame(
        {"x": pl.Series([0.1, 0.7, 3.0], dtype=pl.Float32), "s": pl.Series([0.1] * 3, dtype=pl.Float32)}
    )
    table = RatingTable.from_wide(frame, sensitive=["s"], scale=(0.1, 3))
    assert table.levels.tolist() == [0.1, 0.7, 3.0]
    assert table.sensitive_column("s").values.tolist() == [0.1] * 3


def test_booleans_and_decimals_are_numbers():
    frame = pl.DataFrame(
        {"x": [True, False, None], "y": pl.Series(["1.10", "2.25", None]).cast(pl.Decimal(5, 2))}
    )
    table = RatingTable.from_wide(frame)
    assert table.to_wide().rows() == [(0, 1, 1.1), (1, 0, 2.25), (2, None, None)]


def test_records_without_ids_are_numbered_and_the_column_gets_a_free_name():
    table = RatingTable.from_wide(pl.DataFrame({"record": [4, 5]}))
    assert table.record_ids.to_list() == [0, 1]
    assert table.to_wide().columns == ["record_2", "record"]


def test_long_names_do_not_collide():
    table = RatingTable.from_wide(pl.DataFrame({"issue": ["a"], "x": [1]}), id="issue")
    assert table.to_long().columns == ["issue", "issue_2", "rating"]


def test_pandas_nan_is_null_but_polars_nan_is_an_error():
    assert RatingTable.from_wide(pd.DataFrame({"x": [1.0, np.nan]})).n_ratings == 1
    for frame in (pl.DataFrame({"x": [1.0, np.nan]}), pa.table({"x": [1.0, np.nan]})):
        (problem,) = problems_of(lambda frame=frame: RatingTable.from_wide(frame, name="survey"))
        assert str(problem).startswith("survey, line 2, column x: found NaN, expected a finite number")


def test_infinity_is_an_error():
    (problem,) = problems_of(lambda: RatingTable.from_wide(pd.DataFrame({"x": [np.inf, 1]})))
    assert (problem.line, problem.column, problem.found) == (1, "x", "inf")


def test_text_is_an_error_that_says_what_helps():
    frame = pl.DataFrame({"name": [None, "Ann"], "x": [1, 2]})
    (problem,) = problems_of(lambda: RatingTable.from_wide(frame))
    assert (problem.line, problem.column, problem.found, problem.cell) == (2, "name", "text", "Ann")
    assert "`drop`" in problem.remedy
    assert "`sensitive`" in problem.remedy
    assert RatingTable.from_wide(frame, drop=["name"]).issues == ("x",)


def test_mixed_cells_of_pandas_are_an_error():
    (problem,) = problems_of(lambda: RatingTable.from_wide(pd.DataFrame({"x": [1, "two"]}, dtype=object)))
    assert problem.column == "x"


def test_off_scale_ratings_are_listed_up_to_a_limit_and_counted():
    frame = pl.DataFrame({"x": list(range(30)), "y": [1] * 29 + [9]})
    with pytest.raises(DataError) as caught:
        RatingTable.from_wide(frame, scale=(1, 5))
    assert caught.value.total == 26  # 0, 6..29 and one 9
    assert len(caught.value.problems) == 20
    assert [problem.line for problem in caught.value.problems] == [1, *range(7, 26)]
    assert "found a number off the scale ('0'), expected a rating on" in caught.value.problems[0].with_cell()


def test_several_kinds_of_problems_come_in_the_order_of_lines():
    frame = pl.DataFrame({"id": [1, None, 1, 4], "x": [1.0, 2.0, 3.0, np.nan], "y": [9, 1, 1, 1]})
    lines = [
        problem.line for problem in problems_of(lambda: RatingTable.from_wide(frame, id="id", scale=(1, 5)))
    ]
    assert lines == [1, 2, 4]


def test_repeated_and_missing_ids():
    frame = pl.DataFrame({"id": ["a", "b", "a", "a"], "x": [1, 2, 3, 4]})
    problems = problems_of(lambda: RatingTable.from_wide(frame, id="id"))
    assert [problem.line for problem in problems] == [3, 4]
    assert (problems[0].found, problems[0].cell) == ("a record id a second time (first in line 1)", "a")
    frame = pl.DataFrame({"id": [1, None], "x": [1, 2]})
    (problem,) = problems_of(lambda: RatingTable.from_wide(frame, id="id"))
    assert (problem.line, problem.found) == (2, "no record id")


def test_ids_of_other_types():
    when = [dt.date(2020, 1, 1)]
    (problem,) = problems_of(lambda: RatingTable.from_wide(pl.DataFrame({"id": when, "x": [1]}), id="id"))
    assert "Date" in problem.found
    (problem,) = problems_of(lambda: RatingTable.from_wide(pl.DataFrame({"id": [1.5], "x": [1]}), id="id"))
    assert (problem.found, problem.cell) == ("another record id", "1.5")
    table = RatingTable.from_wide(pl.DataFrame({"id": [3.0, 2.0], "x": [1, 1]}), id="id")
    assert table.record_ids.to_list() == [3, 2]
    assert table.record_ids.dtype == pl.Int64
    big = pl.DataFrame({"id": pl.Series([2**63], dtype=pl.UInt64), "x": [1]})
    assert problems_of(lambda: RatingTable.from_wide(big, id="id"))
    category = pl.DataFrame({"id": pl.Series(["b", "a"], dtype=pl.Categorical), "x": [1, 1]})
    assert RatingTable.from_wide(category, id="id").record_ids.dtype == pl.String


def test_missing_columns_say_what_there_is():
    (problem,) = problems_of(lambda: RatingTable.from_wide(WIDE, id="id", sensitive=["secrets"]))
    assert problem.found == "no column 'secrets' to be sensitive"
    assert problem.remedy == "did you mean 'secret'?"
    assert problems_of(lambda: RatingTable.from_wide(WIDE, id="nr"))
    assert problems_of(lambda: RatingTable.from_wide(WIDE, id="id", drop=["nr"]))
    assert len(problems_of(lambda: RatingTable.from_long(WIDE))) == 3


def test_two_columns_of_one_name():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    (problem,) = problems_of(lambda: RatingTable.from_wide(frame))
    assert problem.found == "two columns called 'x'"
    arrow = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])
    assert problems_of(lambda: RatingTable.from_wide(arrow))


def test_nothing_to_read():
    for frame in (pl.DataFrame(), pl.DataFrame({"x": []}), pl.DataFrame({"id": [1]})):
        assert problems_of(
            lambda frame=frame: RatingTable.from_wide(frame, id="id" if "id" in frame else None)
        )
    assert problems_of(lambda: RatingTable.from_wide(WIDE, id="id", sensitive=["x", "y", "secret"]))
    assert problems_of(lambda: RatingTable.from_long(WIDE.clear(), record="id", issue="x", rating="y"))


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


@pytest.mark.parametrize("kind", KINDS)
def test_categories_carry_the_order_of_issues_and_unrated_ones(kind):
    frame = LONG.with_columns(pl.col("issue").cast(pl.Enum(["A", "never", "B"])))
    table = RatingTable.from_long(as_kind(frame, kind), drop=["timestamp"])
    assert table.issues == ("A", "never", "B")
    assert as_polars(table.to_long("polars"))["issue"].dtype.categories.to_list() == ["A", "never", "B"]


def test_a_plain_categorical_of_polars_has_no_order_of_its_own():
    pl.Series(["unrelated", "A"], dtype=pl.Categorical)
    plain = LONG.drop("timestamp").with_columns(pl.col("issue").cast(pl.Categorical))
    assert RatingTable.from_long(plain).issues == ("B", "A")


def test_sensitive_issue_of_a_long_frame():
    table = RatingTable.from_long(LONG, timestamp="timestamp", sensitive=["B"])
    assert table.issues == ("A",)
    assert table.sensitive_column("B").values.tolist() == [5, 4]
    assert table.timestamps.to_list() == [20, 10]
    assert table.scale == Scale(2, 3, declared=False)
    assert table.to_long()["timestamp"].to_list() == [None, 20, None, 10]


def test_dates_come_back():
    frame = LONG.with_columns(timestamp=pl.col("timestamp").cast(pl.Datetime("us", "UTC")))
    table = RatingTable.from_long(frame, timestamp="timestamp")
    back = table.to_long().sort("rating")["timestamp"]
    assert back.to_list() == frame.sort("rating")["timestamp"].to_list()


def test_null_ratings_say_that_record_and_issue_exist():
    frame = pl.DataFrame({"record": [7, 8, 9], "issue": ["A", "B", None], "rating": [1, None, None]})
    table = RatingTable.from_long(frame)
    assert table.record_ids.to_list() == [7, 8, 9]
    assert table.issues == ("A", "B")
    assert table.n_ratings == 1
    (problem,) = problems_of(lambda: RatingTable.from_long(frame.with_columns(rating=1)))
    assert (problem.line, problem.found) == (3, "a rating without an issue")


def test_whole_numbers_name_issues():
    numbered = LONG.drop("timestamp").with_columns(issue=pl.Series([10, 10, 9, 9]))
    assert RatingTable.from_long(numbered).issues == ("10", "9")


TWICE = pl.DataFrame(
    {"record": [1, 1, 2, 1, 2], "issue": ["A"] * 5, "rating": [1, 4, 3, None, 5], "t": [1, 2, 3, 4, 5]}
)


def test_repeated_pairs_are_refused_with_both_lines():
    problems = problems_of(lambda: RatingTable.from_long(TWICE, timestamp="t"))
    assert [problem.line for problem in problems] == [2, 4, 5]
    assert problems[0].found == "a second rating of issue 'A' by the same record (first in line 1)"
    assert "first in line 3" in problems[2].found
    assert problems[2].cell == "issue 'A', record 2"


@pytest.mark.parametrize("sensitive", [(), ("A",)])
@pytest.mark.parametrize(
    ("duplicates", "expected"), [("first", [1, 3]), ("last", [None, 5]), ("mean", [2.5, 4])]
)
def test_repeated_pairs_are_resolved_as_asked(duplicates, expected, sensitive):
    frame = pl.concat([TWICE, pl.DataFrame({"record": [2], "issue": ["B"], "rating": [1], "t": [6]})])
    table = RatingTable.from_long(frame, timestamp="t", duplicates=duplicates, sensitive=sensitive)
    assert table.to_wide()["A"].to_list() == expected
    assert set(table.levels.tolist()) == {1, *(expected if not sensitive else [])} - {None}


def test_the_timestamp_follows_the_rating_that_counts():
    frame = TWICE.filter(pl.col("rating").is_not_null())
    for duplicates, expected in (("first", [1, 3]), ("last", [2, 5]), ("mean", [2, 5])):
        table = RatingTable.from_long(frame, timestamp="t", duplicates=duplicates)
        assert table.timestamps.to_list() == expected


def test_problems_of_repeated_sensitive_pairs_are_found_too():
    frame = pl.concat([TWICE, TWICE.with_columns(issue=pl.lit("B"))])
    problems = problems_of(lambda: RatingTable.from_long(frame, timestamp="t", sensitive=["A"]))
    assert [problem.line for problem in problems] == [2, 4, 5, 7, 9, 10]

"""Which column is which, by its name."""

import pytest

from ratingpriv.base.errors import DataError
from ratingpriv.data.formats.column_names import (
    RECORD_NAMES,
    decide_layout,
    long_columns,
    recognise,
    resolve,
)
from ratingpriv.data.formats.reading import ReadOptions

NONE = ReadOptions()


def test_the_likeliest_name_wins_whatever_its_case_and_separators():
    for name in ("userId", "user_id", "User ID", "USER-ID", "user.id"):
        assert recognise(["x", name], RECORD_NAMES) == name
    assert recognise(["x", "y"], RECORD_NAMES) is None
    assert recognise(["id", "user"], RECORD_NAMES) == "user"
    assert recognise(["USER", "user"], RECORD_NAMES) == "USER"


@pytest.mark.parametrize(
    ("columns", "options", "layout"),
    [
        (["userId", "movieId", "rating", "timestamp"], NONE, "long"),
        (["id", "q1", "q2"], NONE, "wide"),
        (["user", "movie", "rating", *"abcdef"], NONE, "wide"),
        (["a", "b", "c"], ReadOptions(rating="c"), "long"),
        (["userId", "movieId", "rating"], ReadOptions(layout="wide"), "wide"),
        (["who", "movie", "rating"], ReadOptions(id="who"), "long"),
    ],
)
def test_layout(columns, options, layout):
    assert decide_layout(columns, options) == layout


def test_long_columns_by_name_and_by_number():
    columns = ["when", "stars", "who", "what", "date"]
    told = ReadOptions(id="3", issue="what", rating="stars", drop=("when",))
    found = long_columns(columns, told, file="f")
    assert (found.record, found.issue, found.rating, found.timestamp) == (
        "who",
        "what",
        "stars",
        "date",
    )


def test_all_columns_that_are_missing_are_said_at_once():
    with pytest.raises(DataError) as caught:
        long_columns(["a", "b"], NONE, file="f.csv")
    assert [problem.found for problem in caught.value.problems] == [
        "no record column",
        "no issue column",
        "no rating column",
    ]
    assert "name it with `issue`" in str(caught.value)


def test_a_name_that_is_a_number_is_a_name_first():
    assert resolve(["2", "x"], "2", parameter="`id`", file="f") == "2"
    assert resolve(["a", "x"], "2", parameter="`id`", file="f") == "x"
    for spec in ("3", "0", "y"):
        with pytest.raises(DataError, match="no column"):
            resolve(["a", "x"], spec, parameter="`id`", file="f")

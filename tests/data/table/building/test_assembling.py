"""What loaders hand over: positions, columns, and problems found on the way."""

import numpy as np
import polars as pl
import pytest

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.table import Origin, RatingTable, Scale, Selection
from ratingpriv.data.table.building.columns import parts_from_columns
from ratingpriv.data.table.building.coordinates import Coordinates, parts_from_coordinates
from ratingpriv.data.table.building.finishing import Handling
from ratingpriv.data.table.building.problems import Place, Problems

ORIGIN = Origin(name="data.txt", format="test", layout="long", rating_name="stars")


def table(records, issues, values, **more):
    place = more.pop("locate", lambda row: Place("data.txt", row + 1, "stars"))
    rated = more.pop("rated", None)
    handling = Handling(**{name: more.pop(name) for name in Handling.__slots__ if name in more})
    records, issues = (np.array(positions, dtype=np.int32) for positions in (records, issues))
    usual = {
        "record_ids": pl.Series(["a", "b", "c"]),
        "issue_names": ["x", "y", "z"],
        "origin": ORIGIN,
    }
    ratings = Coordinates(records, issues, np.asarray(values), place, rated)
    return RatingTable.of(parts_from_coordinates(ratings, handling, **(usual | more)))


def problems_of(call) -> list[str]:
    with pytest.raises(DataError) as caught:
        call()
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.float32, np.float64])
def test_coordinates_of_any_type(dtype):
    made = table([1, 0, 1], [2, 0, 0], np.array([3, 1, 2], dtype=dtype), scale=(1, 5))
    assert made.to_wide().rows() == [
        ("a", 1, None, None),
        ("b", 2, None, 3),
        ("c", None, None, None),
    ]
    assert made.scale == Scale(1, 5, declared=True)
    assert made.origin.order == ("x", "y", "z")


def test_places_are_those_of_the_loader():
    said = problems_of(
        lambda: table(
            [0, 1, 0],
            [0, 1, 0],
            [1, 9, 2],
            scale=(1, 5),
            locate=lambda row: Place("f", 10 * row, "stars"),
        )
    )
    assert said[0].startswith(
        "f, line 10, column stars: found a number off the scale, expected a rating on the "
        "declared scale 1..5"
    )
    assert said[1].startswith(
        "f, line 20, column stars: found a second rating of item 'x' by the same record (first in"
    )


def test_numbers_of_coordinates_survive_the_split_into_sensitive_and_others():
    said = problems_of(
        lambda: table(
            [0, 0, 1, 1], [0, 1, 0, 1], [1, np.nan, np.inf, 9], sensitive=["y"], scale=(1, 5)
        )
    )
    assert [text.split(",")[1] for text in said] == [" line 2", " line 3", " line 4"]


def test_problems_of_the_loader_come_in_the_order_of_lines():
    problems = Problems(limit=2)
    problems.add(Problem("data.txt", "text 'five'", "a number", line=2))
    problems.add(Problem("data.txt", "text 'six'", "a number", line=7))
    with pytest.raises(DataError) as caught:
        table([0, 1, 2], [0, 0, 0], [9, 1, 9], scale=(1, 5), problems=problems)
    assert [problem.line for problem in caught.value.problems] == [1, 2]
    assert caught.value.total == 4


def test_what_cannot_be_a_table():
    assert (
        "no rows"
        in problems_of(lambda: table([], [], [], record_ids=pl.Series([], dtype=pl.Int64)))[0]
    )
    assert (
        "two items called 'x'"
        in problems_of(lambda: table([0], [0], [1], issue_names=["x", "x"]))[0]
    )
    assert "no column 'w' to be dropped" in problems_of(lambda: table([0], [0], [1], drop=["w"]))[0]
    assert "no item" in problems_of(lambda: table([0], [0], [1], drop=["x", "y", "z"]))[0]
    for more in ({"sensitive": ["x"], "drop": ["x"]},):
        with pytest.raises(ParameterError):
            table([0], [0], [1], **more)


def test_columns_that_were_not_read_are_counted():
    columns = [pl.Series("x", [2, 3]), pl.Series("s", [7, 8])]
    made = RatingTable.of(
        parts_from_columns(
            columns,
            Handling(sensitive=["s"], drop=["y"]),
            record_ids=None,
            unread=["y", "z"],
            origin=ORIGIN,
        )
    )
    assert made.scale == Scale(2, 3, declared=False)
    assert made.selection == Selection(
        issues=1, of_issues=3, records=2, of_records=2, dropped=("y",)
    )
    made = RatingTable.of(
        parts_from_columns(
            columns, Handling(scale=(1, 9)), record_ids=None, unread=["s"], origin=ORIGIN
        )
    )
    assert made.scale == Scale(1, 9, declared=True)
    assert made.selection is None

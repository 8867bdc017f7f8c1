"""What MovieLens's and Netflix's files have no place for is refused, and nothing is written."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

from ratingpriv import RatingTable
from ratingpriv.data.formats.writing import UnwritableError, WriteOptions, write_table

DAY = datetime.date(2005, 9, 6)
UNIX = 881_250_949


def log(**columns):
    """Return a table of two ratings, with some columns replaced."""
    whole = {"record": ["7", "8"], "issue": ["1", "2"], "rating": [4.0, 3.0], **columns}
    time = {"timestamp": "time"} if "time" in whole else {}
    return RatingTable.from_long(pl.DataFrame(whole), record="record", issue="issue", rating="rating", **time)


MOVIELENS = [
    (log(), "ratings without a time"),
    (log(time=[UNIX, 7]), "no unix times"),
    (log(time=[UNIX, UNIX], record=["7", "ann"]), "record ids that are no numbers"),
    (log(time=[UNIX, UNIX], issue=["1", "Alien"]), "issues that are no numbers"),
    (log(time=[UNIX, UNIX], rating=[4.0, 3.3]), "ratings that are no multiples"),
]
NETFLIX = [
    (log(), "ratings without a date"),
    (log(time=[DAY, datetime.date(1960, 1, 1)]), "dates of 1970 or later"),
    (log(time=[DAY, DAY], record=["7", "ann"]), "record ids that are no numbers"),
    (log(time=[DAY, DAY], issue=["1", "Alien"]), "issues that are no numbers"),
    (log(time=[DAY, DAY], issue=["1", "01"]), "issues that are no numbers"),
    (log(time=[DAY, DAY], rating=[4.0, 3.5]), "no whole numbers"),
    (log(time=[DAY, DAY], rating=[4.0, 300.0]), "no whole numbers"),
]


@pytest.mark.parametrize(
    ("name", "table", "what"),
    [("movielens", *one) for one in MOVIELENS] + [("netflix", *one) for one in NETFLIX],
)
def test_what_has_no_place(tmp_path, name, table, what):
    with pytest.raises(UnwritableError, match=what):
        write_table(table, tmp_path / "a.txt", format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "time"), [("movielens", UNIX), ("netflix", DAY)])
def test_a_record_without_a_rating(tmp_path, name, time):
    alone = log(time=[time, time]).take([0])  # nobody rated the second movie
    with pytest.raises(UnwritableError, match="records or movies without a rating"):
        write_table(alone, tmp_path / "a.txt", format=name)


@pytest.mark.parametrize("name", ["movielens", "netflix"])
def test_rows_of_records(tmp_path, name):
    with pytest.raises(UnwritableError, match="wide"):
        write_table(
            log(time=[DAY, DAY]), tmp_path / "a.txt", format=name, options=WriteOptions(layout="wide")
        )

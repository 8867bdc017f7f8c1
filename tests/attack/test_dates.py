"""Timestamps of every kind as days since 1970-01-01."""

import datetime

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import dated_table

from ratingpriv.attack.dates import dates_of, days_of, timestamps_of
from ratingpriv.base.errors import DataError, ParameterError

NOON = datetime.datetime(2005, 9, 6, 12)
DAY = 13_032


@pytest.mark.parametrize(
    "stamps",
    [
        pl.Series([DAY * 86_400 + 43_200, None]),
        pl.Series([DAY * 86_400 + 43_200.0, None]),
        *(pl.Series([(DAY * 86_400 + 43_200) * many, None]) for many in (10**3, 10**6, 10**9)),
        pl.Series([(DAY * 86_400 + 43_200) * 1000.0, None]),
        pl.Series([NOON, None]),
        pl.Series([NOON, None]).cast(pl.Datetime("ms")),
        pl.Series([NOON, None]).cast(pl.Datetime("ns")),
        pl.Series([NOON, None]).dt.replace_time_zone("UTC"),
        pl.Series([NOON, None]).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        pl.Series(["2005-09-06T12:00:00", None]),
        pl.Series(["2005-09-06 12:00:00", None]),
        pl.Series(["2005-09-06T14:00:00+02:00", None]),
        pl.Series(["2005-09-06T12:00:00Z", None]),
    ],
    ids=str,
)
def test_an_instant_is_a_fraction_of_a_day(stamps):
    np.testing.assert_array_equal(days_of(stamps), [DAY + 0.5, np.nan])


def test_a_date_is_a_whole_day():
    date = datetime.date(2005, 9, 6)
    np.testing.assert_array_equal(days_of(pl.Series([date, None])), [DAY, np.nan])
    np.testing.assert_array_equal(
        days_of(pl.Series(["2005-09-06", None, "1970-01-01"])), [DAY, np.nan, 0]
    )


def test_what_says_no_date_is_refused():
    for bad in (
        pl.Series(["2005-09-06", "soon"]),
        pl.Series([True]),
        pl.Series([datetime.time(12)]),
    ):
        with pytest.raises(DataError):
            days_of(bad)


def test_a_table_without_dates_is_refused():
    plain = dated_table([{0: (3, None)}], stamps="none")
    for table in (plain, plain.replace(timestamps=pl.Series([None]))):
        for ask in (dates_of, timestamps_of):
            with pytest.raises(ParameterError, match="without timestamps"):
                ask(table)
    assert dates_of(dated_table([{0: (3, 7), 1: (3, None)}])).tolist()[0] == 7


@pytest.mark.parametrize("seconds", [0, 86_400, -86_400 * 9000, 4_000_000_000, 99_999_999_999])
def test_seconds_stay_seconds(seconds):
    assert days_of(pl.Series([seconds])).tolist() == [seconds / 86_400]

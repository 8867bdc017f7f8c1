"""What was read back is compared with what was meant: by ids and names, cell by cell,
in any blocks.
"""

import dataclasses
from datetime import UTC, date, datetime, timedelta
from unittest import mock

import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize.release import rereading
from ratingpriv.anonymize.release.rereading import difference

ISSUES = ("a", "b", "c")
OTHER = "other ratings or timestamps"

cells = st.lists(
    st.lists(st.none() | st.sampled_from([1.0, 2.0, 5.0]), min_size=3, max_size=3),
    min_size=1,
    max_size=6,
)


def table(rows, ids=None, scale=(1, 5), **columns):
    """Records r0, r1, ... that rate a, b and c; further columns as they are said in ``columns``."""
    names = ids if ids is not None else [f"r{number}" for number in range(len(rows))]
    ratings = {name: [row[at] for row in rows] for at, name in enumerate(ISSUES)}
    kinds = dict.fromkeys(ISSUES, pl.Float64)
    beside = {name: column for name, column in columns.items() if name in ("age", "town")}
    said = {name: value for name, value in columns.items() if name not in beside}
    frame = pl.DataFrame({"id": list(names), **ratings, **beside}, schema_overrides=kinds)
    return ratingpriv.read(frame, id="id", scale=scale, **said)


def shuffled(given_, rows, chance):
    order, issues = list(range(len(rows))), list(ISSUES)
    chance.shuffle(order)
    chance.shuffle(issues)
    frame = given_.to_wide("polars").select("id", *issues)[order]
    return RatingTable.from_wide(frame, id="id", scale=(1, 5))


@given(cells, st.data(), st.randoms(use_true_random=False), st.sampled_from([1, 2, 4, 1 << 22]))
@settings(max_examples=20 * DEPTH)
def test_order_does_not_count_and_one_cell_does_in_every_block(rows, data, chance, together):
    record, issue = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 2))
    before = rows[record][issue]
    after = data.draw(st.sampled_from([cell for cell in (None, 1.0, 2.0, 5.0) if cell != before]))
    other = [list(row) for row in rows]
    other[record][issue] = after
    bare = any(not any(cell for row in some for cell in row) for some in (rows, other))
    expected = "other scale" if bare else OTHER  # without a rating a table says no scale
    meant = table(rows)
    with mock.patch.object(rereading, "_ENTRIES", together):
        assert difference(meant, shuffled(meant, rows, chance)) is None
        assert difference(meant, shuffled(table(other), other, chance)) == expected


def test_records_are_matched_by_id_or_by_position():
    meant, other = (
        table([[1, 2, 3], [4, 5, 1]], ["x", "y"]),
        table([[1, 2, 3], [4, 5, 1]], ["x", "z"]),
    )
    turned = table([[4, 5, 1], [1, 2, 3]], ["y", "x"])
    assert difference(meant, other) == "other record ids"
    assert difference(meant, turned) is None
    assert difference(meant, table([[4, 5, 1], [1, 2, 3]], ["x", "y"])) == OTHER
    assert difference(meant, other, by_position=True) is None
    assert difference(meant, turned, by_position=True) == OTHER
    assert difference(table([[1, 2, 3]], [7]), table([[1, 2, 3]], ["7"])) is None
    more = table([[1, 2, 3], [4, 5, 1], [1, 1, 1]], ["x", "y", "z"])
    assert difference(meant, more) == "other records"


def test_issues_and_what_is_sensitive_are_the_same():
    rows = [[1, 2, 3], [2, 2, 1]]
    plain, hidden = table(rows), table(rows, sensitive=["c"])
    renamed = RatingTable.from_wide(
        plain.to_wide("polars").rename({"c": "d"}), id="id", scale=(1, 5)
    )
    for one, other in ((plain, renamed), (plain, hidden), (hidden, plain)):
        assert difference(one, other) == "other issues"
    for last in (2, None):
        assert (
            difference(hidden, table([[1, 2, 3], [2, 2, last]], sensitive=["c"]))
            == "other values of 'c'"
        )
    assert difference(hidden, table([[2, 2, 1], [1, 2, 3]], ["r1", "r0"], sensitive=["c"])) is None
    nulls = [[1, 2, None], [2, 2, None]]
    assert difference(table(nulls, sensitive=["c"]), table(nulls, sensitive=["c"])) is None


def test_the_scale_is_the_same_where_there_is_a_rating():
    rows = [[1, 2, None], [2, 2, 1]]
    assert difference(table(rows), table(rows, scale=(1, 6))) == "other scale"
    assert difference(table(rows), table(rows, scale=(0, 5))) == "other scale"
    empty = [[None, None, None]]
    assert difference(table(empty), table(empty, scale=(1, 6))) is None


def test_columns_beside_the_ratings_are_the_same():
    rows = [[1, 2, 3], [2, 2, 1], [1, 1, 1]]
    ages = {
        "age": [30.0, 41.0, None],
        "town": ["x", None, "y"],
        "quasi": ["age"],
        "carry": ["town"],
    }
    meant = table(rows, **ages)
    turned = {**ages, "age": [None, 41.0, 30.0], "town": ["y", None, "x"]}
    assert difference(meant, table(rows[::-1], ["r2", "r1", "r0"], **turned)) is None
    rules = "other quasi-identifiers"
    for change, said in (
        ({"age": [30.0, 41.0, 30.0]}, "other values of 'age'"),
        ({"age": [30.0, 42.0, None]}, "other values of 'age'"),
        ({"town": ["y", None, "x"]}, "other values of 'town'"),
        ({"town": ["x", "z", "y"]}, "other values of 'town'"),
        ({"quasi": ["age", "town"], "carry": []}, rules),
        ({"carry": [], "drop": ["town"]}, "other carried columns"),
    ):
        assert difference(meant, table(rows, **{**ages, **change})) == said, change
    wider = meant.replace(
        quasi=tuple(dataclasses.replace(column, within=2.0) for column in meant.quasi)
    )
    assert difference(meant, wider) == difference(wider, meant) == rules


@pytest.mark.parametrize(
    ("meant", "found", "same"),
    [
        (["1", "2"], [1, 2], True),  # a text file tells them so
        (["1", "2"], [1.0, 2.0], True),
        ([1.0, 2.0], ["1", "2"], True),
        (["01", "2"], [1, 2], False),
        (["1", "01"], [1, 1], False),
        (["1", "1"], [1, 2], False),
        (["a", "b"], [1.0, 2.0], False),
        (["a", None], [1.0, None], False),
        ([1.0, 2.0], ["a", "b"], False),
        (["1", None], [1, 1], False),
        ([1, 2], [2, 1], False),
        (["a", "b"], ["a", "b"], True),
    ],
)
def test_values_that_change_their_type(meant, found, same):
    assert rereading._same_values(pl.Series(meant), pl.Series(found)) is same


FIRST = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def timed(times, order=(0, 1, 2)):
    frame = pl.DataFrame(
        {"record": ["x", "x", "y"], "issue": ["a", "b", "a"], "rating": [1, 2, 3], "when": times}
    )
    return RatingTable.from_long(frame[list(order)], timestamp="when", scale=(1, 5))


@pytest.mark.parametrize(
    "times",
    [
        [FIRST, FIRST + timedelta(seconds=1), None],
        [date(2026, 1, 1), date(2025, 1, 1), None],
        [0, 7, None],
        [0.5, 0.75, None],
        [2**53, 2**53 + 1, None],
    ],
)
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_timestamps_go_with_their_ratings(times, order):
    series = pl.Series(times)
    with mock.patch.object(rereading, "_ENTRIES", 1):
        assert difference(timed(series), timed(series, order)) is None
        for other in ([1, 0, 2], [0, 1, 1]):
            assert difference(timed(series), timed(series[other], order)) == OTHER


def test_timestamps_are_there_or_not_and_of_any_width():
    series = pl.Series([FIRST, FIRST + timedelta(milliseconds=5), None])
    for unit in ("ms", "us", "ns"):
        assert difference(timed(series), timed(series.dt.cast_time_unit(unit))) is None
    dated = timed(pl.Series([1, 2, 3]))
    assert difference(dated, timed(pl.Series([1, 2, 3], dtype=pl.Int32))) is None
    plain = RatingTable.from_long(dated.to_long("polars").drop("when"), scale=(1, 5))
    assert difference(dated, plain) == difference(plain, dated) == "other timestamps"

"""Identical rows: by what they hold."""

import numpy as np
import polars as pl
import pytest
from golden.tables import build

from ratingpriv import RatingTable
from ratingpriv.proximity import classes

pytestmark = pytest.mark.small


def test_rows_are_one_class_if_and_only_if_they_are_equal():
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 3, (60, 4)).tolist()
    table = build([[*row[:2], None, *row[2:]] for row in rows] + [[None] * 5] * 3, scale=(1, 5))
    order, starts = np.arange(63), np.array([0, 60, 63])
    found = classes.identical_rows(table, order, starts)
    expected = [tuple(row) for row in rows] + [()] * 3
    for one in range(63):
        assert [found.of[one] == other for other in found.of] == [
            expected[one] == other for other in expected
        ]
    assert found.count == len(set(expected))


def test_rows_of_one_digest_are_told_apart(monkeypatch):
    monkeypatch.setattr(
        classes, "hash_rows", lambda indptr, codes, hashes, first, last: hashes.fill(7)
    )
    table = build([[1, 2], [1, 2], [2, 1], [None, None]], scale=(1, 5))
    found = classes.identical_rows(table, np.arange(4), np.array([0, 3, 4]))
    assert found.of.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("items", "levels"), [(1, 1), (3, 2), (21, 5), (22, 5), (64, 2), (65, 2), (7, 70000)]
)
def test_complete_rows_are_numbered_by_first_rows(items, levels):
    """Words are as full as they can be, and one column more.

    The last column decides as well as the first.
    """
    rows = np.random.default_rng(items).integers(0, levels, (40, items))
    rows[20:] = rows[:20]
    rows[30:35, -1], rows[35:, 0] = levels - 1 - rows[30:35, -1], levels - 1 - rows[35:, 0]
    values = np.vstack([rows, np.resize(np.arange(levels), (-(-levels // items), items))])
    table = RatingTable.from_wide(
        pl.DataFrame(values.astype(float), schema=[f"q{i}" for i in range(items)])
    )
    n = table.n_records
    found = classes.identical_rows(table, np.arange(n), np.array([0, n]))
    numbers: dict[tuple[float, ...], int] = {}
    assert found.of.tolist() == [
        numbers.setdefault(tuple(row), len(numbers)) for row in values.tolist()
    ]
    assert found.count == len(numbers)


def test_equal_codes_of_other_issues_are_another_row():
    table = build([[1, 2, None], [1, None, 2], [1, 2, None]], scale=(1, 5))
    found = classes.identical_rows(table, np.array([0, 2, 1]), np.array([0, 2, 3]))
    assert (found.of.tolist(), found.count) == ([0, 1, 0], 2)

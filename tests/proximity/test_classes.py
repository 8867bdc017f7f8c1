"""Identical rows: by what they hold."""

import numpy as np
import pytest
from golden.tables import build

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
    monkeypatch.setattr(classes, "hash_rows", lambda indptr, codes, hashes, first, last: hashes.fill(7))
    table = build([[1, 2], [1, 2], [2, 1]], scale=(1, 5))
    found = classes.identical_rows(table, np.arange(3), np.array([0, 3]))
    assert found.of.tolist() == [0, 0, 1]


def test_equal_codes_of_other_issues_are_another_row():
    table = build([[1, 2, None], [1, None, 2], [1, 2, None]], scale=(1, 5))
    found = classes.identical_rows(table, np.array([0, 2, 1]), np.array([0, 2, 3]))
    assert (found.of.tolist(), found.count) == ([0, 1, 0], 2)

"""Holding ratings out."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.utility.recommender import held_out, leave_out, records_of


def table_of(rng, m, n, density=0.7):
    rated = rng.random((m, n)) < density
    rated[0] = False
    rated[1] = np.arange(n) == 0
    values = rng.integers(1, 6, (m, n))
    return build(
        [
            [float(v) if r else None for v, r in zip(*row, strict=True)]
            for row in zip(values, rated, strict=True)
        ]
    )


def split(table, rng, share=0.1):
    return held_out(
        table, share, rng, by_record=np.arange(table.n_records), by_issue=np.arange(table.n_issues)
    )


@pytest.mark.parametrize("share", [0.1, 0.37, 0.999])
def test_each_record_loses_its_share_and_keeps_one(share):
    rng = np.random.default_rng(0)
    table = table_of(rng, 40, 12)
    counts, total, repeats = np.diff(table.indptr), np.zeros(40), 200
    for _ in range(repeats):
        lost = np.bincount(records_of(table)[split(table, rng, share)], minlength=40)
        assert (lost <= np.maximum(counts - 1, 0)).all()
        assert (np.abs(lost - np.minimum(counts * share, np.maximum(counts - 1, 0))) < 1).all()
        total += lost
    if share < 0.5:
        assert abs(total[2:].sum() / repeats - share * counts[2:].sum()) < 0.5


def test_every_rating_of_a_record_is_as_likely():
    rng = np.random.default_rng(1)
    table = build([(1, 2, 3, 4, 5)])
    drawn = sum(split(table, rng, 0.4).astype(int) for _ in range(2000))
    assert (np.abs(drawn - 800) < 5 * np.sqrt(2000 * 0.4 * 0.6)).all()


def test_what_is_left_is_the_table_without_them():
    rng = np.random.default_rng(2)
    table = table_of(rng, 9, 5)
    gone = split(table, rng, 0.4)
    rest = leave_out(table, gone)
    assert rest.n_ratings == table.n_ratings - gone.sum()
    assert rest.scale == table.scale
    assert np.array_equal(rest.values, table.values[~gone])
    assert np.array_equal(rest.indices, table.indices[~gone])
    assert np.array_equal(np.diff(rest.indptr), np.bincount(records_of(table)[~gone], minlength=9))

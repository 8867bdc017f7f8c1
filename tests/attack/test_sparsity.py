"""Sparsity: planted neighbours, the naive twin, the paper's curve and bound."""

import math
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from attack.planting import long_table
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.sparsity import nearest_similarities
from properties.strategies import tables

from ratingpriv import RatingTable
from ratingpriv.attack import sparsity as module
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.sparsity import similarity_work, sparsity
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError

PLANTED = [
    ("a", "x", 5, 0), ("a", "y", 3, 0), ("a", "z", 1, 0),
    ("b", "x", 4, 3), ("b", "y", 3, 20),
    ("c", "z", 5, 0), ("c", "w", 5, 0),
    ("d", "v", 2, 0),
]  # fmt: skip


@pytest.mark.small
@pytest.mark.parametrize(
    ("tolerances", "similarities"),
    [
        ({}, [2 / 3, 2 / 3, 1 / 4, 0]),
        ({"rating_tolerance": 0}, [1 / 3, 1 / 3, 0, 0]),
        ({"rating_tolerance": 1}, [2 / 3, 2 / 3, 0, 0]),
        ({"date_tolerance": 3}, [1 / 3, 1 / 3, 1 / 4, 0]),
        ({"rating_tolerance": 0, "date_tolerance": 3}, [0, 0, 0, 0]),
        ({"rating_tolerance": 0, "date_tolerance": 20}, [1 / 3, 1 / 3, 0, 0]),
    ],
)
def test_planted_neighbours(tolerances, similarities):
    found = sparsity(long_table(PLANTED), **tolerances)
    assert found.similarity.tolist() == pytest.approx(similarities)
    assert (found.rated, found.sampled) == (4, False)


@pytest.mark.small
def test_a_missing_date_is_like_none():
    table = long_table([("a", "x", 5, 0), ("b", "x", 5, 0)])
    table = table.replace(timestamps=pl.Series([None, table.timestamps[1]]))
    assert sparsity(table, date_tolerance=1000).similarity.tolist() == [0, 0]


def rated_issues(table):
    return [
        {
            int(issue): float(value)
            for issue, value in zip(
                table.support(record),
                table.values[table.indptr[record] : table.indptr[record + 1]],
                strict=True,
            )
        }
        for record in range(table.n_records)
    ]


@given(tables(most_records=10), st.sampled_from([None, 0, 0.1, 0.2, 1, 3]))
@settings(max_examples=60 * DEPTH)
def test_the_naive_twin_agrees(table, tolerance):
    def alike(one, other):
        return tolerance is None or abs(Decimal(repr(one)) - Decimal(repr(other))) <= Decimal(
            repr(tolerance)
        )

    found = sparsity(table, rating_tolerance=tolerance, resources=Resources(1))
    expected = nearest_similarities(rated_issues(table), alike)
    assert found.positions.tolist() == [place for place, _, _ in expected]
    assert found.similarity.tolist() == [float(value) for _, value, _ in expected]


@pytest.mark.small
def test_delta_and_curve():
    found = sparsity(long_table(PLANTED))
    assert found.delta(0.25).rate == 0.5  # above, not at least
    assert found.delta(0.2).rate == 0.75
    assert (found.delta(0.2).low, found.delta(0.2).high) == (0.75, 0.75)
    assert found.curve([0, 0.25, 0.5, 2 / 3, 0.7]) == (
        (0, 1),
        (0.25, 0.75),
        (0.5, 0.5),
        (2 / 3, 0.5),
        (0.7, 0),
    )
    assert len(found.to_dict()["curve"]) == 21
    assert found.to_dict()["quartiles"][1] == pytest.approx((0.25 + 2 / 3) / 2)


@pytest.mark.small
def test_records_without_ratings_are_not_examined():
    table = RatingTable.from_wide(
        pl.DataFrame({"x": [1, None, 1], "y": [2, None, 2]}, strict=False)
    )
    found = sparsity(table)
    assert found.positions.tolist() == [0, 2]
    assert found.similarity.tolist() == [1, 1]


@pytest.mark.small
def test_nobody_to_compare_with():
    alone = sparsity(RatingTable.from_wide(pl.DataFrame({"x": [1]})))
    assert alone.similarity.tolist() == [0]
    empty = sparsity(
        RatingTable.from_wide(pl.DataFrame({"x": [None, None]}, schema={"x": pl.Int64}))
    )
    assert empty.to_dict()["quartiles"] is None
    nothing = empty.delta(0.5)
    assert (nothing.rate, nothing.low, nothing.high) == (None, 0, 1)


def random_table(records, issues, share, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 6, (records, issues)).astype(float)
    values[rng.random((records, issues)) > share] = np.nan
    return RatingTable.from_wide(pl.DataFrame(values, nan_to_null=True))


def test_a_sample_is_exact_for_those_it_examines():
    table = random_table(300, 30, 0.3)
    every, some = sparsity(table), sparsity(table, sample=40, rng=5)
    assert len(some.positions) == 40
    assert some.sampled
    places = np.searchsorted(every.positions, some.positions)
    assert np.array_equal(every.similarity[places], some.similarity)
    assert np.array_equal(some.positions, sparsity(table, sample=40, rng=5).positions)
    assert not np.array_equal(some.positions, sparsity(table, sample=40, rng=6).positions)
    delta = some.delta(float(np.median(every.similarity)))
    assert delta.low < delta.rate < delta.high


def test_large_work_is_sampled_unless_all_are_asked_for(monkeypatch):
    table = random_table(300, 30, 0.3)
    assert not sparsity(table).sampled
    monkeypatch.setattr(module, "MOST_WORK", int(similarity_work(Index.of(table)).sum()) // 2)
    assert len(sparsity(table).positions) == 149
    assert not sparsity(table, sample=None).sampled
    monkeypatch.setattr(module, "MOST_WORK", 1)
    assert len(sparsity(table).positions) == 100


@pytest.mark.small
@pytest.mark.parametrize(
    "bad",
    [
        lambda t: sparsity(t, rating_tolerance=-1),
        lambda t: sparsity(t, date_tolerance=math.nan),
        lambda t: sparsity(t, sample=0),
        lambda t: sparsity(t, sample=5),
        lambda t: sparsity(t, sample="some"),
        lambda t: sparsity(t.replace(timestamps=None), date_tolerance=3),
        lambda t: sparsity(t).delta(-1),
    ],
)
def test_bad_arguments(bad):
    with pytest.raises(ParameterError):
        bad(long_table(PLANTED))

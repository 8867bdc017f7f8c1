"""Membership changing ratio (U2)."""

import dataclasses

import numpy as np
import pytest
from golden.tables import build
from naive import learning as naive
from utility.releases import ONE, drawn
from utility.releases import paired as pair

from ratingpriv.utility.membership import cluster_labels, membership_change, moved, record_vectors
from ratingpriv.utility.pair import Pair


def rows_of(rng, m, n, density=0.8):
    """Ratings with decimals, so that no record lies between two centres."""
    return drawn(rng, m, n, density, rng.random((m, n)).round(6) * 4 + 1)


def measured(given, seed=0, **settings):
    return membership_change(given, rng=np.random.default_rng(seed), resources=ONE, **settings)


def test_the_golden_ratio():
    original = build([(1,), (2,), (3,), (10,), (11,), (12,)])
    release = build([(1,), (2,), (7,), (10,), (11,), (12,)])
    records, issues, ends = np.arange(6), np.array([0]), np.array([0, 5])
    before, after = (
        cluster_labels(record_vectors(table, records, issues, "zero", False), ends)
        for table in (original, release)
    )
    assert before.tolist() == [0, 0, 0, 1, 1, 1]
    assert after.tolist() == [0, 0, 1, 1, 1, 1]
    assert moved(before, after)[0] == pytest.approx(1 / 6)
    other_numbers = np.array([0, 0, 1, 1, 2]), np.array([1, 1, 2, 2, 0])
    assert moved(*other_numbers) == pytest.approx((1.0, 0.0, 1.0))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("nulls", ["zero", "mean"])
@pytest.mark.parametrize("sparse", [False, True])
def test_clusters_are_those_of_the_definition(seed, nulls, sparse):
    rng = np.random.default_rng(seed)
    rows = rows_of(rng, 25, 4)
    means = [np.mean([row[j] for row in rows if row[j] is not None]) for j in range(4)]
    points = [
        [(means[j] if nulls == "mean" else 0.0) if row[j] is None else row[j] for j in range(4)]
        for row in rows
    ]
    seeds = rng.choice(25, 3, replace=False)
    ours = cluster_labels(
        record_vectors(build(rows), np.arange(25), np.arange(4), nulls, sparse), seeds
    )
    assert ours.tolist() == naive.k_means(points, seeds.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_changes_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    before, after = rng.integers(0, 4, 15), rng.integers(0, 4, 15)
    expected = naive.moved(before.tolist(), after.tolist(), 4)
    assert moved(before, after) == pytest.approx([float(value) for value in expected])


def test_a_release_that_is_the_original_moves_nobody():
    table = build(rows_of(np.random.default_rng(1), 20, 3))
    for release in (table, dataclasses.replace(table)):
        found = measured(pair(table, release), clusters=3)
        assert (found.value, found.low, found.high) == (0, 0, 0)
        assert found.details["adjusted_rand"]["mean"] == 1
        assert found.details["records"] == 20


def test_suppressed_records_take_no_part():
    rows = rows_of(np.random.default_rng(3), 12, 3)
    original = build(rows)
    kept = [0, 1, 3, 4, 5, 6, 8, 9, 10, 11]
    pairing = np.full(12, -1)
    pairing[kept] = np.arange(10)
    found = measured(pair(original, original.take(np.array(kept)), pairing), clusters=3)
    assert found.value == 0
    assert found.details["records"] == 10


def test_what_cannot_be_measured_is_not():
    table = build(rows_of(np.random.default_rng(4), 6, 3))
    assert "which" in measured(Pair(table, table)).reason
    assert "clusters" in measured(pair(table, table), clusters=7).reason
    assert measured(pair(table, table, [-1] * 6)).value is None
    empty = build([[None] * 3] * 6)
    assert "release has no ratings" in measured(pair(table, empty)).reason
    assert "original has no ratings" in measured(pair(empty, table)).reason

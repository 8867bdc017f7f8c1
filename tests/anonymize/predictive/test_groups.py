"""Bounded t-means, bins, groups: golden rounds, naive twins, sizes,
and nothing that threads change.
"""

import threading

import naive.predictive as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.anonymize.predictive.groups import (
    assigned,
    bounded_t_means,
    centres_of,
    dissolved,
    groups_of,
    means_of,
)
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError

pytestmark = pytest.mark.small

ONE = Resources(threads=1)


def sets(labels):
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


def grid(seed, count, width=2, most=6):
    """Points on a small grid, so that there are ties."""
    return np.random.default_rng(seed).integers(0, most, (count, width)).astype(float)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(1, 5))
def test_rounds_are_those_of_the_definition(seed, count, clusters):
    clusters = min(clusters, count)
    points = grid(seed, count)
    centres = points[np.random.default_rng(seed).permutation(count)[:clusters]]
    first = bounded_t_means(points, clusters, np.random.default_rng(0), start=centres, rounds=1)
    assert first.tolist() == naive.one_round(points.tolist(), centres.tolist())
    rounds = 4  # means have digits of their own: compared by what they cost
    found = bounded_t_means(
        points, clusters, np.random.default_rng(0), start=centres, rounds=rounds
    )
    twin = naive.bounded_t_means(points.tolist(), centres.tolist(), rounds)
    assert naive.spread(points.tolist(), found.tolist()) == pytest.approx(
        naive.spread(points.tolist(), twin), abs=1e-9
    )
    assert set(np.bincount(found).tolist()) <= {count // clusters, -(-count // clusters)}
    assert len(set(found.tolist())) == clusters


def test_the_best_round_is_kept():
    points = grid(3, 40, most=50)
    start = points[:8]
    costs = [
        naive.spread(
            points.tolist(), bounded_t_means(points, 8, None, start=start, rounds=n).tolist()
        )
        for n in range(1, 11)
    ]
    assert costs == sorted(costs, reverse=True)


def test_too_many_pairs_are_refused_with_the_numbers():
    with pytest.raises(ResourceError, match=r"2,000 records times 500 groups .* `memory`"):
        bounded_t_means(
            np.zeros((2000, 1)), 500, np.random.default_rng(0), Resources(memory=1 << 20)
        )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 7), st.integers(1, 6))
def test_small_bins_are_dissolved_smallest_first(seed, count, bins, k):
    points, k = grid(seed, count), min(k, count)
    centres = grid(seed + 1, bins)
    labels = assigned(points, centres)
    found = dissolved(points, centres, labels, k)
    assert sets(found) == sets(
        np.array(naive.dissolve(points.tolist(), centres.tolist(), labels.tolist(), k))
    )
    assert np.bincount(found).min() >= k
    assert sorted(set(found.tolist())) == list(range(int(found.max()) + 1))


def test_a_real_centre_is_the_member_nearest_to_the_virtual_one():
    points = grid(5, 60, most=1000)
    sample = bounded_t_means(points, 4, np.random.default_rng(1), ONE)
    middle = means_of(points, sample, 4)
    made = [
        centres_of(points, 2, np.random.default_rng(2), ONE, centres=one)
        for one in ("virtual", "real")
    ]
    assert all(tuple(one) in {tuple(point) for point in points} for one in made[1])
    assert not any(tuple(one) in {tuple(point) for point in points} for one in made[0])
    assert middle.shape == (4, 2)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 120),
    st.integers(1, 9),
    st.sampled_from(["virtual", "real"]),
)
def test_groups_have_k_or_little_more(seed, count, k, centres):
    k = min(k, count)
    points = grid(seed, count)
    labels = groups_of(points, k, np.random.default_rng(seed), ONE, centres=centres)
    sizes = np.bincount(labels)
    assert k <= sizes.min() <= sizes.max() < 2 * k
    assert sorted(set(labels.tolist())) == list(range(len(sizes)))


def test_rounds_are_told_about_in_the_thread_that_asks():
    told = []
    resources = Resources(
        threads=2, progress=lambda what, *_: told.append((what, threading.get_ident()))
    )
    points = np.random.default_rng(0).normal(size=(200, 3))
    groups_of(points, 5, np.random.default_rng(1), resources)
    assert {*told} == {("grouping similar records", threading.get_ident())}
    assert len(told) > 5

"""The distance of a pair is the largest difference on an issue,
however the ratings are laid out for it.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import NULLS, tables

from ratingpriv.proximity import pairs as listing
from ratingpriv.proximity.pairs import pairs


@pytest.mark.parametrize("n", [12, pytest.param(400, id="so many that kernels are compiled")])
@pytest.mark.parametrize("issues", [1, 16, 17, 32, 33, 70])
@pytest.mark.parametrize(
    ("highest", "step"), [(1, 1.0), (15, 1.0), (16, 1.0), (7.5, 0.5), (255, 1.0), (256, 1.0)]
)
def test_distances_on_scales_of_any_length(
    highest: float, step: float, issues: int, n: int
) -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(0, round(highest / step) + 1, (n, issues)) * step
    ratings[0], ratings[1] = 0, highest  # the whole scale is used, and both ends meet
    block = np.concatenate([b.distance for b in pairs(build(ratings.tolist()), highest)])
    left, right = np.triu_indices(n, 1)
    assert block.tolist() == np.abs(ratings[left] - ratings[right]).max(axis=1).tolist()


@pytest.mark.small
@given(
    table=tables(most_sensitive=0), nulls=st.sampled_from(NULLS),
    epsilon=st.sampled_from([0, 0.5, 1, 1.5, 2, 3]), collide=st.booleans(),
)  # fmt: skip
@settings(max_examples=200 * DEPTH)
def test_distances_of_an_epsilon_of_a_step_or_so(table, nulls, epsilon, collide):
    with pytest.MonkeyPatch.context() as patch:
        if collide:  # rows of one hash are compared
            patch.setattr(
                listing, "hash_rows", lambda indptr, codes, hashes, first, last: hashes.fill(7)
            )
        found = [
            pair
            for block in pairs(table, epsilon, nulls=nulls)
            for pair in zip(
                block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True
            )
        ]
    assert found == [
        (a, b, float(distance)) for a, b, distance in proximity.pairs(table, epsilon, nulls)
    ]


@pytest.mark.parametrize("collide", [False, True])
@pytest.mark.parametrize(
    ("gap", "epsilon"), [(1, 0), (1, 1), (1, 1.9), (2, 2), (2, 3.5), (0.25, 0.25), (2, 1)]
)
def test_where_epsilon_is_one_step_who_rates_equally_is_at_no_distance(
    monkeypatch, gap, epsilon, collide
):
    if collide:
        monkeypatch.setattr(
            listing, "hash_rows", lambda indptr, codes, hashes, first, last: hashes.fill(7)
        )
    ratings = np.random.default_rng(5).integers(0, 3, (400, 4)) * gap + 1.0
    ratings[:2] = [[1.0] * 4, [1.0 + 2 * gap] * 4]
    block = next(iter(pairs(build(ratings.tolist()), epsilon)))
    left, right = np.triu_indices(400, 1)
    distance = np.abs(ratings[left] - ratings[right]).max(axis=1)
    near = distance <= epsilon
    assert block.left.tolist() == left[near].tolist()
    assert block.distance.tolist() == distance[near].tolist()

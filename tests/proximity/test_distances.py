"""The distance of a pair is the largest difference on an issue, however the ratings are laid out for it."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.proximity.pairs import pairs


@pytest.mark.parametrize("n", [12, pytest.param(400, id="so many that kernels are compiled")])
@pytest.mark.parametrize("issues", [1, 16, 17, 32, 33, 70])
@pytest.mark.parametrize(
    ("highest", "step"), [(1, 1.0), (15, 1.0), (16, 1.0), (7.5, 0.5), (255, 1.0), (256, 1.0)]
)
def test_distances_on_scales_of_any_length(highest: float, step: float, issues: int, n: int) -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(0, round(highest / step) + 1, (n, issues)) * step
    ratings[0], ratings[1] = 0, highest  # the whole scale is used, and both ends meet
    block = np.concatenate([b.distance for b in pairs(build(ratings.tolist()), highest)])
    left, right = np.triu_indices(n, 1)
    assert block.tolist() == np.abs(ratings[left] - ratings[right]).max(axis=1).tolist()

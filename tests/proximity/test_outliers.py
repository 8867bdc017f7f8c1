"""Sensitive values too large for exact sums: other neighbourhoods stay sharp, verdicts stay safe."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from ratingpriv import RatingTable
from ratingpriv.proximity.neighbourhoods import ENGINES, neighbourhoods

JOKE = 999_999_999  # an age that several people give in real surveys
GROUPS = 6


def ages() -> RatingTable:
    """Six groups of equal answers: jokes among ages, equal ages, ages that differ."""
    answers = np.repeat(np.arange(1, GROUPS + 1), 8)
    age = np.array([20, 21, 22, 23, JOKE, JOKE, JOKE, JOKE] * 2 + [30] * 16 + [20, 22] * 8, dtype=float)
    return RatingTable.from_wide(pl.DataFrame({"answer": answers, "age": age}), sensitive=["age"])


@pytest.mark.small
@pytest.mark.parametrize("engine", ENGINES)
def test_outliers_elsewhere_do_not_blur_a_neighbourhood(engine):
    found = neighbourhoods(ages(), 0, engine=engine)
    moments = found.moments[0]
    assert not moments.exact
    sd = moments.sd(found.sizes, "paper").reshape(GROUPS, 8)[:, 0]
    assert sd[2:].tolist() == [0, 0, 1, 1]
    assert sd[:2] == pytest.approx(np.std([20, 21, 22, 23, JOKE, JOKE, JOKE, JOKE]), rel=1e-12)


@pytest.mark.small
@pytest.mark.parametrize("engine", ENGINES)
def test_what_float64_cannot_tell_is_not_satisfied(engine):
    found = neighbourhoods(ages(), 0, engine=engine)
    moments = found.moments[0]
    assert moments.at_least(0, found.sizes, "paper").all()
    tiny = moments.at_least(1e-9, found.sizes, "paper").reshape(GROUPS, 8)[:, 0]
    assert tiny.tolist() == [True, True, False, False, True, True]
    assert moments.largest_l(found.sizes, "paper") == 0
    below = moments.at_least(1 - 1e-9, found.sizes, "paper").reshape(GROUPS, 8)[:, 0]
    assert below.tolist() == [True, True, False, False, True, True]

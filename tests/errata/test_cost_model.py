"""The cost of slicing [SWLZ11, Eq. 12-17]: for independent uniform ratings, and for no others."""

import math

import numpy as np
import pytest
from golden.tables import build

from ratingpriv.partition.papers.candidates import count_candidates


def counted_and_modelled(rows, epsilon, scale):
    return count_candidates(build(rows.tolist(), scale=scale), epsilon).cost()


def test_it_fits_independent_uniform_ratings():
    rows = np.random.default_rng(0).uniform(0, 1, (1000, 6))
    counted, modelled = counted_and_modelled(rows, 0.05, (0, 1))
    assert counted == pytest.approx(modelled, rel=0.1)


def test_it_is_no_promise_where_issues_go_together():
    rows = np.repeat(np.random.default_rng(0).uniform(0, 1, (1000, 1)), 6, axis=1)
    counted, modelled = counted_and_modelled(rows, 0.05, (0, 1))
    assert counted > 2.5 * modelled


def test_eq_15_bounds_nothing_where_ratings_are_whole_numbers():
    # 2ε/h is for a density. At ε = 0 it says nobody; a fifth of five ratings is the same
    rows = np.random.default_rng(0).integers(1, 6, (1000, 2))
    counted, modelled = counted_and_modelled(rows, 0, (1, 5))
    assert modelled == 0
    assert counted == pytest.approx(2 * 1000 / 5, rel=0.1)


def eq_17(epsilon, n=1000):
    """N of the paper's last line, its extent h left out: nε + n/(1 - ε)."""
    return n * epsilon + n / (1 - epsilon)


def test_eq_17_is_negative_between_1_and_the_golden_ratio_only():
    golden = (1 + math.sqrt(5)) / 2
    grid = [step / 1000 for step in range(5001) if step != 1000]
    negative = [epsilon for epsilon in grid if eq_17(epsilon) < 0]
    assert (negative[0], negative[-1]) == (1.001, 1.618)
    assert len(negative) == 618  # one stretch
    assert eq_17(golden) == pytest.approx(0, abs=1e-9)
    assert eq_17(1.5) == -500
    assert eq_17(2) == 1000  # not negative: but no upper bound of Eq. 16 either, see below


def test_eq_17_is_no_limit_of_eq_16():
    # Eq. 16 at h = 4, m = 6 and ε = 1.5 counts candidates; Eq. 17 for the same is -500
    x = 2 * 1.5 / 4
    assert 1000 * (x + sum(x**j for j in range(1, 6))) > 2000 > 0 > eq_17(1.5)

"""Intervals: published values, scipy's, exact coverage,
and what happens where nothing was measured.
"""

import math

import numpy as np
import pytest
from scipy import stats

from ratingpriv.attack.intervals import (
    METHODS,
    clopper_pearson,
    mean_probability,
    paired_chances,
    share,
    wilson,
)

# [Newcombe, Stat. Med. 17 (1998) 857, Table I], methods 3 and 5
PUBLISHED = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]


@pytest.mark.parametrize(("count", "of", "score", "exact"), PUBLISHED)
def test_published_values(count, of, score, exact):
    assert wilson(count, of) == pytest.approx(score, abs=5e-5)
    assert clopper_pearson(count, of) == pytest.approx(exact, abs=5e-5)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("of", [1, 2, 7, 50])
def test_scipys_values(of, confidence):
    for count in range(of + 1):
        test = stats.binomtest(count, of)
        for method, ours in (("wilson", wilson), ("exact", clopper_pearson)):
            theirs = test.proportion_ci(confidence, method=method)
            assert ours(count, of, confidence=confidence) == pytest.approx(
                (theirs.low, theirs.high), abs=1e-9
            )


@pytest.mark.parametrize("method", METHODS)
def test_what_was_not_measured_is_not_safe(method):
    nothing = share(0, 0, method=method)
    assert (nothing.rate, nothing.low, nothing.high) == (None, 0.0, 1.0)
    assert (nothing.count, nothing.of) == (0, 0)


@pytest.mark.parametrize("method", METHODS)
def test_ends_enclose_the_rate_and_stay_within_0_and_1(method):
    for of in (1, 3, 10, 1000):
        for count in range(0, of + 1, max(1, of // 10)):
            found = share(count, of, method=method)
            assert 0 <= found.low <= found.rate <= found.high <= 1
            assert (found.low == 0) == (count == 0)
            assert (found.high == 1) == (count == of)


def test_a_mean_of_zeros_and_ones_is_a_share():
    found = mean_probability(np.array([1.0, 0, 0, 1, 1]))
    assert (found.rate, found.of) == (0.6, 5)
    assert (found.low, found.high) == pytest.approx(wilson(3, 5))
    assert mean_probability(np.array([])).rate is None
    assert mean_probability(np.array([])).high == 1


# [Newcombe, Stat. Med. 17 (1998) 2635], method 10 (there first minus second)
PAIRED = [
    ((36, 12, 2, 0), (-0.3404, -0.0569)),
    ((36, 2, 12, 0), (0.0569, 0.3404)),
    ((54, 0, 0, 0), (-0.0664, 0.0664)),
]


def paired_difference(both, first_only, second_only, neither):
    """The difference of two attacks, from how many people each found."""
    counts = (both, first_only, second_only, neither)
    return paired_chances(np.repeat([1.0, 1, 0, 0], counts), np.repeat([1.0, 0, 1, 0], counts))


@pytest.mark.parametrize(("cells", "ends"), PAIRED)
def test_published_paired_values(cells, ends):
    found = paired_difference(*cells)
    assert (found.low, found.high) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize(("one", "other"), [(0, 0), (0, 6), (12, 2), (5, 5), (40, 60)])
def test_mcnemars_probability_is_the_exact_sign_test(one, other):
    expected = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert paired_difference(10, one, other, 3).p_value == pytest.approx(expected, abs=1e-12)


def by_hand(e, f, g, h, z=1.959963984540054):
    """Newcombe's method 10 as he writes it, for a table whose margins are not empty.

    First minus second.
    """
    n = e + f + g + h

    def limits(count):
        root = z * math.sqrt(z * z + 4 * count * (1 - count / n))
        return (2 * count + z * z - root) / (2 * (n + z * z)), (2 * count + z * z + root) / (
            2 * (n + z * z)
        )

    (l2, u2), (l3, u3) = limits(e + f), limits(e + g)
    dl2, du2 = (e + f) / n - l2, u2 - (e + f) / n
    dl3, du3 = (e + g) / n - l3, u3 - (e + g) / n
    excess = e * h - f * g
    excess = max(excess - n / 2, 0) if excess > 0 else excess
    phi = excess / math.sqrt((e + f) * (g + h) * (e + g) * (f + h))
    theta = (f - g) / n
    return (
        theta - math.sqrt(dl2**2 - 2 * phi * dl2 * du3 + du3**2),
        theta + math.sqrt(du2**2 - 2 * phi * du2 * dl3 + dl3**2),
    )


@pytest.mark.parametrize(
    "cells", [(20, 5, 3, 12), (5, 9, 1, 40), (30, 2, 8, 3), (3, 10, 12, 4), (6, 3, 3, 2)]
)
def test_the_paired_interval_by_hand(cells):
    e, f, g, h = cells
    found = paired_difference(e, g, f, h)  # ours is second minus first
    assert (found.low, found.high) == pytest.approx(by_hand(*cells))


def test_pairs_of_nobody_say_nothing():
    found = paired_difference(0, 0, 0, 0)
    assert (found.rate, found.low, found.high, found.p_value) == (None, -1.0, 1.0, 1.0)


def test_a_coin_is_the_same_in_both():
    """Two twins before, one of whom is told apart afterwards: half a person more,
    not a half each way.
    """
    found = paired_chances(np.array([0.5, 0.5, 0.0]), np.array([0.5, 1.0, 0.0]))
    assert (found.both, found.before_only, found.after_only, found.neither) == (1, 0, 0.5, 1.5)
    assert found.rate == pytest.approx(1 / 6)
    assert found.after_only == 0.5
    assert found.p_value == 1.0
    many = paired_chances(np.full(30, 0.5), np.full(30, 0.9))
    assert many.p_value == pytest.approx(stats.binomtest(0, 30).pvalue)


def test_a_share_of_probabilities_is_wider_than_what_they_can_do():
    found = share(2.5, 5)
    assert (found.count, found.rate) == (2.5, 0.5)
    assert share(2, 5).low < found.low < share(3, 5).low
    assert share(2, 5, method="clopper-pearson").high < share(2.5, 5, method="clopper-pearson").high

"""Who must go for the sake of l, who is chosen, and who comes back: each step by itself."""

import dataclasses
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from golden.tables import build
from remaining_samples import begun

from ratingpriv.anonymize.suppression import suppress as diversifying
from ratingpriv.base.target import Target

pytestmark = pytest.mark.small


def around(table, **asked):
    target = Target(**{"epsilon": 0, **asked})
    return begun(table, target), target


def must_go(table, **asked):
    remaining, target = around(table, **asked)
    (moments,), (column,) = remaining.moments, table.sensitive
    return diversifying._must_go(remaining, moments, moments, column, target).tolist()


def groups_of(*groups):
    """Groups of records that rate equally within and otherwise between,
    and the hidden values of each.
    """
    ratings = [(10 * number,) for number, values in enumerate(groups, start=1) for _ in values]
    return build(ratings, [[value for values in groups for value in values]])


def bound(values, column, k, rule):
    """The largest SD² of a part of ``values`` with k records, as the module's text has it."""
    known = [Fraction(str(value)) for value in values if value is not None]
    every = [Fraction(str(value)) for value in column if value is not None]
    nulls, largest = len(values) - len(known), max(map(abs, every))
    mean = sum(known) / len(known)
    spread = sum((value - mean) ** 2 for value in known)
    ceiling = (max(every) - min(every)) / 2
    if rule == "ignore":
        return min(spread / max(k - nulls, 1), ceiling**2)
    if nulls or len(every) < len(column):
        ceiling = max(ceiling, largest)
    return min((spread + nulls * largest**2) / k, ceiling**2)


@pytest.mark.parametrize("rule", ["paper", "ignore"])
@pytest.mark.parametrize("unit", [1, 0.1, 0.01])
@pytest.mark.parametrize("base", [0, 3, -7])
def test_who_must_go_by_the_bounds(rule, unit, base):
    rng = np.random.default_rng([base + 7, round(1 / unit)])
    for _ in range(6):
        values = [(base + rng.integers(0, 5, rng.integers(1, 6))).astype(object) for _ in range(5)]
        groups = [[round(int(value) * unit, 2) for value in group] for group in values]
        if rng.random() < 0.7:
            for group in groups:
                group[1:] = [None if rng.random() < 0.3 else value for value in group[1:]]
        table, column = groups_of(*groups), [value for group in groups for value in group]
        for k in (1, 2, 4):
            bounds = [bound(group, column, k, rule) for group in groups]
            for l in (0, *(unit * part for part in (0.25, 0.9, 1.1, 1.7, 2.6))):  # noqa: E741
                expected = [
                    value is not None and most < Fraction(str(l)) ** 2
                    for most, group in zip(bounds, groups, strict=True)
                    for value in group
                ]
                assert must_go(table, k=k, l=l, sensitive_nulls=rule) == expected


def test_nobody_must_go_whose_sd_is_exactly_l():
    assert must_go(groups_of((10_000, 10_002), (0, 0)), k=2, l=1) == [False, False, True, True]


def test_sums_that_lost_digits_prove_nothing_where_no_l_is_asked():
    table = groups_of((0.1, 0.2))
    remaining, target = around(table, k=2, l=0)
    lost = dataclasses.replace(
        remaining.moments[0],
        known=np.array([2, 2]),
        sums=np.array([1e-8, 1e-8]),
        squares=np.zeros(2),
    )
    assert not diversifying._must_go(remaining, lost, lost, table.sensitive[0], target).any()


def test_the_doubt_of_float64_is_wide_where_numbers_are_far_from_zero():
    """Squares of 10^16 leave nothing of deviations of a thousandth."""
    near = [math.pi * step / 1000 for step in range(4)]
    table = build(
        [(1,)] * 4 + [(9,)] * 4, [[sign * 1e8 + value for sign in (1, -1) for value in near]]
    )
    assert not any(must_go(table, k=4, epsilon=1, l=0.9 * statistics.pstdev(near)))


def test_the_doubt_of_float64_is_narrow_in_a_crowd():
    table = build([(1,)] * 2000, [[1, 2, 3, 4, 5] * 400])
    for factor, gone in ((1 - 1e-6, False), (1 + 1e-6, True)):
        assert set(must_go(table, k=2000, l=math.sqrt(2) * factor)) == {gone}

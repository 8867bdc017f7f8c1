"""Which ratings are within ε of each other, against fractions of what is written."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.data.table import Scale
from ratingpriv.proximity.levels import (
    decimal_grid,
    null_distance,
    null_separates,
    proximate_codes,
    written_grid,
)


def written(value: float) -> Fraction:
    return Fraction(Decimal(repr(value)))


def ascending(values: list[float]) -> np.ndarray:
    return np.unique(np.array(values, dtype=np.float64) + 0.0)


def placed(digits: int, places: int) -> float:
    return float(Decimal(digits).scaleb(-places))


short = st.builds(placed, st.integers(-(10**6), 10**6), st.integers(0, 9))
of_15 = st.builds(placed, st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 20))
of_17 = st.floats(-1e6, 1e6).map(lambda x: x + math.pi)


@given(st.lists(st.one_of(short, of_15), min_size=1, max_size=8), st.data())
@settings(max_examples=300 * DEPTH)
def test_decimals_are_compared_as_decimals(values, data):
    levels = ascending(values)
    apart = sorted({abs(a - b) for a in levels.tolist() for b in levels.tolist()})
    epsilon = data.draw(st.one_of(st.sampled_from(apart), short.map(abs), of_15.map(abs)))
    low, high = proximate_codes(levels, epsilon)
    assert (low.dtype, high.dtype) == (np.int64, np.int64)
    exact = [written(level) for level in levels.tolist()]
    for code, own in enumerate(exact):
        near = [other for other, its in enumerate(exact) if abs(its - own) <= written(epsilon)]
        assert near == list(range(low[code], high[code] + 1))


@given(st.lists(of_17, min_size=1, max_size=8), st.data())
@settings(max_examples=200 * DEPTH)
def test_real_numbers_are_compared_as_float64(values, data):
    levels = ascending(values)
    if written_grid(levels) is not None:
        return
    apart = [float(a - b) for a in levels for b in levels if a >= b]
    epsilon = data.draw(st.sampled_from(apart))
    for asked in (epsilon, math.nextafter(epsilon, 0), math.nextafter(epsilon, math.inf)):
        low, high = proximate_codes(levels, asked)
        for code, own in enumerate(levels):
            near = np.flatnonzero(np.abs(levels - own) <= asked).tolist()
            assert near == list(range(low[code], high[code] + 1))


def test_real_numbers_too_far_apart_for_float64_are_not_near():
    low, high = proximate_codes(np.array([-1.7e308, 0.1234567890123456, 1.7e308]), 1e308)
    assert (low.tolist(), high.tolist()) == ([0, 1, 2], [0, 1, 2])


@given(st.lists(short, min_size=1, max_size=8))
@settings(max_examples=200 * DEPTH)
def test_a_grid_has_as_few_decimals_as_its_values_need(values):
    grid = decimal_grid(np.array(values))
    if grid is None:
        assert any(abs(written(value)) * 10**9 > 10**15 for value in values)
        return
    unit = 10**grid.decimals
    assert [Fraction(int(number), unit) for number in grid.numbers] == [
        written(value) for value in values
    ]
    places = [
        max(0, -int(Decimal(repr(value)).normalize().as_tuple().exponent)) for value in values
    ]
    assert grid.decimals == max(places)


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ([], 0),
        ([5.0, -3.0], 0),
        ([0.5, 0.25], 2),
        ([0.123456789], 9),
        ([0.1234567891], None),
        ([1e15], 0),
        ([-1e15], 0),
        ([1e15 + 1], None),
        ([1e14, 0.1], 1),
        ([1e14 + 1, 0.1], None),
        ([1e300, 0.5], None),
    ],
)
def test_what_a_grid_of_int64_holds(values, decimals):
    grid = decimal_grid(np.array(values, dtype=np.float64))
    assert (None if grid is None else grid.decimals) == decimals
    assert grid is None or grid.numbers.dtype == np.int64


@pytest.mark.parametrize(
    ("values", "numbers", "decimals"),
    [
        ([-0.001, 1e14], [-1, 10**17], 3),
        ([-2e15, 0.5], [-2 * 10**16, 5], 1),
        ([1e15, 2e15], [10**16, 2 * 10**16], 1),
        ([1e-12, 1.0], [1, 10**12], 12),
        ([1.0, 2.5], [10, 25], 1),
    ],
)
def test_a_written_grid_is_as_long_as_it_takes(values, numbers, decimals):
    grid = written_grid(np.array(values))
    assert grid is not None
    assert ([int(number) for number in grid.numbers], grid.decimals) == (numbers, decimals)


@pytest.mark.parametrize("values", [[1e16], [0.1234567890123456], [0.5, 0.1 + 0.2]])
def test_a_level_that_float64_does_not_keep_is_on_no_grid(values):
    assert written_grid(np.array(values)) is None


@given(short, st.integers(0, 3))
@settings(max_examples=100 * DEPTH)
def test_at_most_is_the_largest_multiple_not_above(number, decimals):
    grid = decimal_grid(np.array([10.0**-decimals]))
    assert grid is not None
    assert grid.at_most(number) == math.floor(written(number) * 10**grid.decimals)


def test_epsilon_beyond_every_level_reaches_them_all():
    for levels in ([0.0, 1.0, 1e15], [0.0, 0.5, 1e15], [-0.1, 1.0]):
        low, high = proximate_codes(np.array(levels), 1e300)
        assert (set(low.tolist()), set(high.tolist())) == ({0}, {len(levels) - 1})


@pytest.mark.parametrize(
    ("scale", "far"),
    [(None, None), ((1, 5), 5.0), ((-5, 0), None), ((-5, -1), None), ((0, 0.5), 0.5)],
)
def test_the_null_is_as_far_as_the_scale_says(scale, far):
    assert null_distance(None if scale is None else Scale(*scale, True)) == far


@pytest.mark.parametrize("nulls", ["strict", "wildcard", "known"])
def test_a_null_separates_below_r_and_where_there_is_no_r(nulls):
    strict = nulls == "strict"
    assert null_separates(Scale(1, 5, True), 4.999, nulls) is strict
    assert null_separates(Scale(1, 5, True), 5, nulls) is False
    assert null_separates(Scale(1, 5, True), 6, nulls) is False
    for scale in (None, Scale(-5, 0, True), Scale(-5, -1, True)):
        assert null_separates(scale, 1e9, nulls) is strict

"""SDs of neighbourhoods and the verdicts on them, against sums of fractions over every value."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import moments as naive

from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.moments import SensitiveMoments


def written(value: float) -> Fraction:
    return Fraction(Decimal(repr(value)))


def above(bound: float) -> float:
    """The next larger l that there is."""
    return math.nextafter(bound, math.inf) if bound else 1e-100


@st.composite
def gridded(draw):
    """Neighbourhoods on a decimal grid: what was summed, and the values themselves."""
    decimals, shift = draw(st.integers(0, 3)), draw(st.integers(-300, 300))
    low = draw(st.sampled_from([0, 0, 0, 30_000_000]))  # then float64 loses what tells some apart
    many = st.lists(st.integers(low, low + draw(st.sampled_from([1, 4, 200]))), max_size=6)
    numbers = draw(st.lists(st.tuples(many, st.integers(0, 3)), min_size=1, max_size=5))
    numbers = [(own, nulls if own else max(nulls, 1)) for own, nulls in numbers]
    sums, squares = ([sum(x**power for x in own) for own, _ in numbers] for power in (1, 2))
    moments = SensitiveMoments(
        "pay",
        np.array([len(own) for own, _ in numbers]),
        np.array(sums),
        np.array(squares),
        shift,
        decimals,
    )
    values = [[Fraction(x + shift, 10**decimals) for x in own] for own, _ in numbers]
    nulls = [nulls for _, nulls in numbers]
    return (
        moments,
        np.array([len(own) + lost for own, lost in zip(values, nulls, strict=True)]),
        values,
        nulls,
    )


rules = st.sampled_from(SENSITIVE_NULLS)


@given(gridded(), rules)
@settings(max_examples=150 * DEPTH)
def test_sds_are_those_of_the_definition(drawn, rule):
    moments, sizes, values, nulls = drawn
    assert moments.exact
    for found, own, lost in zip(moments.sd(sizes, rule).tolist(), values, nulls, strict=True):
        square = naive.variance([*own, *[None] * lost], rule)
        assert found == (
            math.inf if square is None else pytest.approx(math.sqrt(square), rel=1e-12)
        )


@given(gridded(), rules, st.sampled_from([0, 0.5, 1, 1.5, 0.05, 10, 100.0]))
@settings(max_examples=150 * DEPTH)
def test_verdicts_on_a_grid_are_exact(drawn, rule, l):  # noqa: E741
    moments, sizes, values, nulls = drawn
    squares = [
        naive.variance([*own, *[None] * lost], rule)
        for own, lost in zip(values, nulls, strict=True)
    ]
    bounds = [l, *(math.sqrt(square) for square in squares if square is not None)]
    for bound in bounds:
        for asked in (bound, math.nextafter(bound, 0), above(bound)):
            expected = [square is None or square >= written(asked) ** 2 for square in squares]
            assert moments.at_least(asked, sizes, rule).tolist() == expected


@given(gridded(), rules)
@settings(max_examples=150 * DEPTH)
def test_the_largest_l_is_the_largest_float_that_holds(drawn, rule):
    moments, sizes, values, _ = drawn
    largest = moments.largest_l(sizes, rule)
    assert (largest is None) == (not any(values))
    if largest is not None:
        assert moments.at_least(largest, sizes, rule).all()
        assert not moments.at_least(above(largest), sizes, rule).all()


real = st.floats(-1e6, 1e6).map(lambda x: x + math.pi)


@given(st.lists(real, min_size=1, max_size=6), st.integers(0, 3), real, rules)
@settings(max_examples=200 * DEPTH)
def test_sums_in_float64_never_promise_more_than_the_values_hold(values, nulls, shift, rule):
    taken = np.array(values) - shift
    moments = SensitiveMoments(
        "pay", np.array([len(values)]), np.array([taken.sum()]), np.array([(taken**2).sum()]), shift
    )
    sizes = np.array([len(values) + nulls])
    assert not moments.exact
    square = naive.variance([*map(Fraction, values), *[None] * nulls], rule)
    assert square is not None
    sd = math.sqrt(square)
    largest = moments.largest_l(sizes, rule)
    assert largest is not None
    assert written(largest) ** 2 <= square or largest == 0
    assert not moments.at_least(above(sd), sizes, rule).any()
    terms = max(abs(shift), *map(abs, values), *map(abs, taken.tolist()))
    assume(sd > 1e-4 * terms)  # else float64 says nothing, and that is the safe side
    assert largest == pytest.approx(sd, rel=1e-3)
    assert not moments.at_least(sd * 1.001, sizes, rule).any()
    assert moments.at_least(sd * 0.999, sizes, rule).all()


def test_the_least_is_found_where_float64_takes_another_for_it():
    values = [[30_000_000, 30_000_000, 30_000_001], [30_000_000, 30_000_001]]
    sums, squares = ([sum(x**power for x in own) for own in values] for power in (1, 2))
    moments = SensitiveMoments("pay", np.array([3, 2]), np.array(sums), np.array(squares))
    in_float = [
        (s2 - s1 * (s1 / len(own))) / len(own)
        for own, s1, s2 in zip(values, sums, squares, strict=True)
    ]
    assert in_float[0] > in_float[1]
    assert moments.sd(moments.known, "ignore").tolist() == pytest.approx(
        [math.sqrt(2 / 9), 0.5], rel=1e-15
    )
    assert moments.largest_l(moments.known, "ignore") == pytest.approx(math.sqrt(2 / 9), rel=1e-15)


def test_a_null_brings_the_shift_into_what_float64_does_not_know():
    shift = 1e6 + math.pi
    sums = SensitiveMoments("pay", np.array([2]), np.array([1.0]), np.array([1.0]), shift)
    assert sums.largest_l(np.array([2]), "paper") == pytest.approx(0.5, rel=1e-9)
    square = naive.variance([Fraction(shift), Fraction(shift) + 1, None], "paper")
    largest = sums.largest_l(np.array([3]), "paper")
    assert square is not None
    assert largest is not None
    assert 0.05 < square - Fraction(largest) ** 2 < 0.2  # 1e-13 of shift²


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=30), st.sampled_from([1e9, 1e12, 1e150]))
@settings(max_examples=100 * DEPTH)
def test_a_large_shift_hides_nothing_of_what_float64_does_not_know(taken, shift):
    numbers = np.array(taken)
    moments = SensitiveMoments(
        "pay",
        np.array([len(taken)]),
        np.array([numbers.sum()]),
        np.array([(numbers**2).sum()]),
        shift,
    )
    square = naive.variance([*map(Fraction, taken)], "paper")
    largest = moments.largest_l(moments.known, "paper")
    assert largest is not None
    assert square is not None
    assert written(largest) ** 2 <= square or largest == 0


@pytest.mark.parametrize(
    ("size", "largest"), [(1e-101, 0.0), (1e-99, 1e-99), (1e99, 1e99), (1e101, 1e100)]
)
def test_the_largest_l_is_one_that_can_be_asked_for(size, largest):
    moments = SensitiveMoments("pay", np.array([2]), np.array([0.0]), np.array([2 * size**2]))
    found = moments.largest_l(moments.known, "paper")
    assert found == pytest.approx(largest, rel=1e-12, abs=0)
    assert moments.at_least(found, moments.known, "paper").all()


@pytest.mark.parametrize("hundredths", [7, 14, 28, 56])
def test_the_largest_l_is_an_sd_that_float64_rounds_down(hundredths):
    """0.07 is the SD of 0 and 0.14, and the root of 0.0049 is less in float64."""
    assert math.sqrt(Fraction(hundredths, 100) ** 2) < hundredths / 100
    pair = SensitiveMoments(
        "pay",
        np.array([2]),
        np.array([2 * hundredths]),
        np.array([(2 * hundredths) ** 2]),
        decimals=2,
    )
    assert pair.largest_l(pair.known, "paper") == hundredths / 100


def test_the_spread_is_told_where_whole_numbers_do_not_hold_it():
    """Q²·S2 is 1.5·2^64 here, and Q·S2 - S1² is more than 2^63."""
    large = SensitiveMoments("pay", np.array([8]), np.array([3 << 30]), np.array([3 << 60]))
    assert large.sd(large.known, "paper").tolist() == pytest.approx([math.sqrt(15 / 64) * 2**30])


def test_an_sd_that_rounding_takes_below_0_is_0():
    moments = SensitiveMoments("pay", np.array([1]), np.array([3.0]), np.array([8.999999999999998]))
    assert moments.sd(moments.known, "paper").tolist() == [0.0]


@pytest.mark.parametrize("rule", SENSITIVE_NULLS)
@pytest.mark.parametrize("sums", [np.zeros(2, dtype=np.int64), np.zeros(2)])
def test_where_nothing_is_known_any_l_holds_and_there_is_no_largest(sums, rule):
    moments, sizes = (
        SensitiveMoments("pay", np.zeros(2, dtype=np.int64), sums, sums),
        np.array([1, 3]),
    )
    assert moments.at_least(1e9, sizes, rule).all()
    assert moments.largest_l(sizes, rule) is None
    assert moments.sd(sizes, rule).tolist() == [math.inf, math.inf]


def test_an_l_of_zero_holds_even_where_float64_knows_nothing():
    # no such values
    moments = SensitiveMoments("pay", np.array([2]), np.array([0.1]), np.array([0.0]))
    assert moments.at_least(0, np.array([2]), "paper").all()
    assert not moments.at_least(1e-9, np.array([2]), "paper").any()

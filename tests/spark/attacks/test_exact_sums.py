"""Sums without rounding against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.spark.attacks import exact_sums

numbers = st.lists(st.floats(0, 1e300, allow_subnormal=True), max_size=20)


@settings(max_examples=50 * DEPTH)
@given(numbers)
def test_sums_are_those_of_fractions(values):
    array = np.array(values, dtype=np.float64)
    unit = 1 << exact_sums.UNIT
    assert Fraction(exact_sums.total(array), unit) == sum((Fraction(value) for value in values), Fraction())
    squares = sum((Fraction(value) ** 2 for value in values), Fraction())
    assert Fraction(exact_sums.squares(array), unit * unit) == squares
    assert all(exact_sums.as_float(exact_sums.exact(value)) == value for value in values)
    number = exact_sums.squares(array)
    assert exact_sums.of_bytes(exact_sums.as_bytes(number)) == number


def test_long_lists_are_summed_in_pieces():
    values = np.random.default_rng(3).random(200_001)
    parts = [exact_sums.total(part) for part in np.array_split(values, 7)]
    assert exact_sums.total(values) == sum(parts)
    assert exact_sums.squares(values) == sum(exact_sums.squares(part) for part in np.array_split(values, 5))

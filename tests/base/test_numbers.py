"""Numbers as texts and as arguments: what float64 keeps is taken,
the rest refused and never rounded.
"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv.base import checks, numbers
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target

NONE = [
    "", " ", " 1", "1 ", "1\n", "1\0", "1_0", "٥", "１", "१", "inf", "-inf", "nan", "Infinity",
    "0x10",
    "0b1", "+5",
    ".5", "5.", "1,5", "1e", "e1", "1e1.5", "--1", "1.2.3", "½", "9" * 400, "1e-400",
    "1e-999999999999999999999",
    "1e400", "-1e400", "9007199254740993", "1e16", "1234567890.123456", "0.30000000000000004",
    "4e-324",
    "1.23456789e-320",
]  # fmt: skip
"""What is no number, or one that float64 does not keep."""


@pytest.mark.parametrize("text", NONE)
def test_texts_that_are_no_number(text):
    with pytest.raises(ValueError, match=r".*"):
        numbers.decimal_number(text)
    with pytest.raises(ValueError, match=r".*"):
        numbers.whole_number(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0.0), ("-0.0", 0.0), ("007", 7.0), ("0.1", 0.1), ("-2.50", -2.5), ("1e3", 1000.0),
        ("1E-3", 0.001), ("1e+2", 100.0), ("9e15", 9e15),
        ("0.000000000000000000000000000001", 1e-30),
        ("1e-300", 1e-300),
        ("3.50000000000000000000000", 3.5), ("123456789012345", 123456789012345.0),
        ("0e999999999999999999999", 0.0),
    ],
)  # fmt: skip
def test_texts_that_are_numbers(text, number):
    assert numbers.decimal_number(text) == number
    assert str(numbers.decimal_number(text))[0] != "-" or number < 0


@settings(max_examples=100 * DEPTH)
@given(
    digits=st.integers(-(10**18), 10**18),
    exponent=st.integers(-330, 20),
    zeros=st.integers(0, 20),
    point=st.integers(0, 18),
)
def test_a_number_is_taken_exactly_where_it_has_15_digits_and_stays_itself(
    digits, exponent, zeros, point
):
    """The judge is Decimal: which significant digits there are,
    and whether the float64 prints them.
    """
    text = f"{Decimal(digits).scaleb(-point):f}"
    text += ("" if "." in text else ".") + "0" * (zeros + 1) + f"e{exponent}"
    meant = Decimal(text)
    value = float(text)
    kept = (
        len(str(abs(digits)).strip("0")) <= 15
        and abs(meant) <= 2**53
        and Decimal(repr(value)) == meant
    )
    if kept:
        assert numbers.decimal_number(text) == value
    else:
        with pytest.raises(ValueError, match=r".*"):
            numbers.decimal_number(text)
    assert numbers.is_numeral(text)
    assert (numbers.inexact(text) is None) == kept


@pytest.mark.parametrize("number", [0.1 + 0.2, 1234567890.123456, 2.0**53, -0.1])
def test_what_float64_prints_can_be_typed_again(number):
    assert numbers.decimal_number(repr(number), printed=True) == number


@pytest.mark.parametrize(
    "text",
    ["0.30000000000000003", "0.10000000000000000555", "9007199254740993", "1e16", "1e-400", "x"],
)
def test_what_float64_does_not_print_is_refused_still(text):
    with pytest.raises(ValueError, match=r".*"):
        numbers.decimal_number(text, printed=True)


WRONG = [
    True, np.True_, None, "5", np.nan, np.float64("inf"), 10**400, Fraction(1, 3), Decimal(5),
    np.array([5]),
    -1,
]  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_arguments_that_are_no_number(value):
    for check in (
        lambda: checks.whole_number("k", value, 1),
        lambda: checks.non_negative_number("k", value),
        lambda: checks.number_pair("k", (0, value)),
        lambda: Target(k=2, epsilon=value),
    ):
        with pytest.raises(ParameterError, match=r"found|not given"):
            check()


def test_arguments_that_are_numbers():
    assert checks.whole_number("k", np.int64(5), 1) == checks.whole_number("k", 5.0, 1) == 5
    assert checks.non_negative_number("e", np.float32(0.1)) == 0.1  # the decimal that was meant
    assert checks.non_negative_number("e", 2**53) == 2.0**53
    assert checks.number_pair("scale", (-1, 2.5)) == (-1.0, 2.5)
    # a seed may be long
    assert checks.generator(10**400).random() == checks.generator(10**400).random()


def test_whole_numbers_beyond_what_float64_counts():
    for value in (2**53 + 1, 10**18):
        with pytest.raises(ParameterError, match="float64 holds as it is; round it"):
            checks.non_negative_number("epsilon", value)
    with pytest.raises(ParameterError, match="a whole number"):
        checks.whole_number("k", 2.0**53 + 2, 1)


@pytest.mark.parametrize("l", [1e-200, 5e-324, 1e-101])
def test_an_l_whose_square_vanishes_asks_for_nothing_and_is_refused(l):  # noqa: E741
    with pytest.raises(ParameterError, match=r"l: .* expected 0, or a number from 1e-100"):
        Target(k=1, epsilon=0, l=l)
    assert Target(k=1, epsilon=0, l=0).l == 0


@given(st.floats(0, 1e300), st.integers(1, 17))
@settings(max_examples=200 * DEPTH)
def test_what_is_rounded_down_is_as_near_below_as_its_digits_allow(value, digits):
    said = Decimal(numbers.rounded_down(value, digits))
    assert (
        0 <= Decimal(repr(value)) - said <= abs(Decimal(repr(value))) * Decimal(10) ** (1 - digits)
    )
    assert len(said.normalize().as_tuple().digits) <= digits
    above = Decimal(numbers.rounded_up(value, digits))
    assert (
        0 <= above - Decimal(repr(value)) <= abs(Decimal(repr(value))) * Decimal(10) ** (1 - digits)
    )


def test_the_largest_l_is_never_said_to_be_larger():
    assert numbers.largest_l({"pay": 0.816496580927726, "age": None}) == "pay: 0.816496, age: any"
    assert (numbers.rounded_down(2.0), numbers.rounded_down(0.9999999)) == ("2", "0.999999")

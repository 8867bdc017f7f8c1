"""Sensitive values too large for exact sums: other neighbourhoods stay sharp,
verdicts stay safe.
"""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import moments as naive

from ratingpriv import RatingTable
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.proximity.neighbourhoods import ENGINES, neighbourhoods

pytestmark = pytest.mark.small

JOKE = 999_999_999  # an age that several people give in real surveys
GROUPS = 6


def ages() -> RatingTable:
    """Six groups of equal answers: jokes among ages, equal ages, ages that differ."""
    answers = np.repeat(np.arange(1, GROUPS + 1), 8)
    age = np.array(
        [20, 21, 22, 23, JOKE, JOKE, JOKE, JOKE] * 2 + [30] * 16 + [20, 22] * 8, dtype=float
    )
    return RatingTable.from_wide(pl.DataFrame({"answer": answers, "age": age}), sensitive=["age"])


@pytest.mark.parametrize("engine", ENGINES)
def test_outliers_elsewhere_do_not_blur_a_neighbourhood_and_what_blurs_is_not_satisfied(engine):
    found = neighbourhoods(ages(), 0, engine=engine)
    moments = found.moments[0]
    assert not moments.exact
    sd = moments.sd(found.sizes, "paper").reshape(GROUPS, 8)[:, 0]
    assert sd[2:].tolist() == [0, 0, 1, 1]
    assert sd[:2] == pytest.approx(np.std([20, 21, 22, 23, JOKE, JOKE, JOKE, JOKE]), rel=1e-12)
    assert moments.at_least(0, found.sizes, "paper").all()
    for l in (1e-9, 1 - 1e-9):  # noqa: E741
        holds = moments.at_least(l, found.sizes, "paper").reshape(GROUPS, 8)[:, 0]
        assert holds.tolist() == [True, True, False, False, True, True]
    assert moments.largest_l(found.sizes, "paper") == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("issues", [1, 2])
def test_what_many_sums_in_a_row_round_up_is_not_promised(engine, issues):
    """Each square is a bit more than half of what the sum can grow by:
    it adds almost twice itself.
    """
    n = 6_001
    pay = np.zeros(n)
    pay[0], pay[1 : n // 2] = 1, np.sqrt(0.51 * 2.0**-52)
    answers = pl.DataFrame({f"answer {j}": np.arange(n) % (1 + 3 * j) for j in range(issues)})
    table = RatingTable.from_wide(answers.with_columns(pay=pay), sensitive=["pay"])
    found = neighbourhoods(table, 4, engine=engine)
    assert found.sizes.tolist() == [n] * n
    square = naive.variance([Fraction(value) for value in pay.tolist()], "paper")
    largest = found.moments[0].largest_l(found.sizes, "paper")
    assert square is not None
    assert largest is not None
    assert 1 - 1e-11 < Fraction(largest) ** 2 / square <= 1


@pytest.mark.parametrize("engine", ENGINES)
def test_decimals_that_float64_does_not_hold_are_those_decimals(engine):
    """1000000000.1 and .2 have an SD of 0.05, their float64 one of 0.05000001.

    A 0 makes the sums real.
    """
    answers = [1, 1, 9, 9, 9]
    pay = [1_000_000_000.1, 1_000_000_000.2, 1_000_000_000.5, 1_000_000_000.9, 0.0]
    table = RatingTable.from_wide(pl.DataFrame({"answer": answers, "pay": pay}), sensitive=["pay"])
    found = neighbourhoods(table, 0, engine=engine)
    moments = found.moments[0]
    assert not moments.exact
    assert not moments.at_least(0.050000001, found.sizes, "paper")[:2].any()
    assert moments.at_least(0.049999, found.sizes, "paper").all()
    largest = moments.largest_l(found.sizes, "paper")
    assert largest is not None
    assert 0.049999 < largest <= 0.05


def test_the_spread_of_decimals_is_within_its_error():
    pay = [1_000_000_000.1, 1_000_000_000.2, 0.0, 1_000_000_000.9, 1_000_000_000.5]
    table = RatingTable.from_wide(
        pl.DataFrame({"answer": [1, 1, 9, 9, 9], "pay": pay}), sensitive=["pay"]
    )
    moments = neighbourhoods(table, 0).moments[0].part(np.arange(1))
    spread = (moments.squares - moments.sums**2 / moments.known)[0]
    off = abs(Fraction(spread) - Fraction("0.005"))
    assert off > 1e-9 * spread
    assert off <= 1e-9 * spread + moments.spread_error(1e-9)[0]


@given(
    base=st.sampled_from([10**6, 10**9, 10**11]),
    ten_thousandths=st.lists(st.none() | st.integers(0, 3000), min_size=2, max_size=12).filter(any),
    rule=st.sampled_from(SENSITIVE_NULLS),
)
@settings(max_examples=100 * DEPTH)
def test_no_sd_is_promised_that_the_decimals_have_not(base, ten_thousandths, rule):
    texts = [None if one is None else f"{base}.{one:04d}" for one in ten_thousandths]
    answers = [1] * len(texts) + [9, 9]
    pay = [None if text is None else float(text) for text in texts] + [0.0, -4e12]
    table = RatingTable.from_wide(pl.DataFrame({"answer": answers, "pay": pay}), sensitive=["pay"])
    found = neighbourhoods(table, 0)
    largest = found.moments[0].part(np.arange(1)).largest_l(found.sizes[:1], rule)
    square = naive.variance([None if text is None else Fraction(text) for text in texts], rule)
    assert square is not None
    assert not found.moments[0].exact
    assert largest is not None
    assert Fraction(repr(largest)) ** 2 <= square

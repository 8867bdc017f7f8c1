"""Bits that tell who is not near whom, against the definition."""

import naive.near
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from properties.strategies import epsilons, tables

from ratingpriv.partition.near import marks
from ratingpriv.partition.near.answers import Compared


@given(table=tables(most_records=12), epsilon=epsilons, parts=st.sampled_from([1, 2, 3, 16]))
def test_bits_tell_who_is_not_near_whom(table, epsilon, parts):
    answers = Compared.of(table, epsilon, "wildcard", None).answers
    coarse = marks._PARTS
    marks._PARTS = parts
    try:
        held, barred, exact = marks.marks_of(answers.codes, answers.reach)
    finally:
        marks._PARTS = coarse
    for i in range(len(held)):
        for j in range(len(held)):
            is_barred = bool((held[i] & barred[j]).any())
            is_near = naive.near.near(answers, [i, j])
            assert not (is_barred and is_near)
            assert is_barred != is_near or not exact
    assert exact or parts < 16


def test_a_hundred_levels_have_sixteen_bits_that_tell_no_lie():
    codes = np.arange(100, dtype=np.int32)[:, None]
    reach = np.minimum(np.arange(100) + 20, 99).astype(np.int32)
    held, barred, exact = marks.marks_of(codes, reach)
    assert held.shape == (100, 1)
    assert not exact
    apart = np.abs(codes - codes.T) > 20
    said = (held & barred.T) > 0
    assert not (said & ~apart).any()
    assert said[0, 99]
    assert said.sum() > apart.sum() / 2

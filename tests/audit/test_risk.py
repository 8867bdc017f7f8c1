"""Risk terms from sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.audit.risk import record_risk, risk_of
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.tally import Histogram


def test_terms_by_hand():
    risk = risk_of(Histogram.of(np.array([1, 2, 4, 4])), 4)
    assert (risk.prosecutor_max, risk.marketer, risk.share_below_k) == (1.0, 0.5, 0.5)


@given(st.lists(st.integers(1, 50), min_size=1), st.integers(1, 60))
def test_terms_are_ordered_shares(sizes, k):
    risk = risk_of(Histogram.of(np.array(sizes)), k)
    assert 0 < risk.marketer <= risk.prosecutor_max <= 1
    assert 0 <= risk.share_below_k <= 1
    assert (risk.share_below_k == 0) == (min(sizes) >= k)


def test_a_k_below_1_is_refused():
    with pytest.raises(ParameterError, match="k: found 0"):
        risk_of(Histogram.of(np.array([1, 2])), 0)


@pytest.mark.parametrize("sizes", [[], [0, 1]])
def test_sizes_without_the_record_itself_are_refused(sizes):
    with pytest.raises(ParameterError):
        record_risk(np.array(sizes, dtype=np.int64))

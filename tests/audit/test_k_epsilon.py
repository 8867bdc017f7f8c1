"""(k,ε): the largest k is reached, risk terms from sizes,
and the papers' number that bounds nothing.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv import audit
from ratingpriv.audit.k_epsilon import judge_sizes, theorem_4_1_estimate
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.tally import Histogram

pytestmark = pytest.mark.small


def test_terms_by_hand():
    verdict, risk = judge_sizes(Histogram.of(np.array([1, 2, 4, 4])), 4)
    assert (risk.prosecutor_max, risk.marketer, risk.share_below_k) == (1.0, 0.5, 0.5)
    assert (verdict.satisfied, verdict.max_k, verdict.violators) == (False, 1, 2)


@given(st.lists(st.integers(1, 50), min_size=1), st.integers(1, 60))
def test_terms_are_ordered_shares(sizes, k):
    verdict, risk = judge_sizes(Histogram.of(np.array(sizes)), k)
    assert 0 < risk.marketer <= risk.prosecutor_max == 1 / min(sizes) <= 1
    assert 0 <= risk.share_below_k <= 1
    assert (risk.share_below_k == 0) == verdict.satisfied == (min(sizes) >= k)


def test_the_largest_k_is_reached_and_not_passed(golden):
    best = audit(golden(2), k=1, epsilon=2).k_epsilon.max_k
    assert audit(golden(2), k=best, epsilon=2).satisfied
    assert not audit(golden(2), k=best + 1, epsilon=2).satisfied


def test_lemma_4_1_is_false():
    def maxsize(records):
        """Size of the largest neighbourhood at ε = 1."""
        apart = np.abs(np.array(records)[:, None] - np.array(records)).max(axis=2)
        return (apart <= 1).sum(axis=1).max()

    first, second = [(3, 3), (9, 1), (1, 9), (9, 9)], [(2, 2), (4, 4), (2, 4), (4, 2)]
    assert maxsize(first + second) / 8 == 5 / 8
    assert max(maxsize(first) / 4, maxsize(second) / 4) == 1 / 4


def test_theorem_4_1_is_not_a_bound(table_of):
    estimate = theorem_4_1_estimate(maxsize=4, group=1, records=4)
    assert estimate.value == 1
    assert "not a bound" in estimate.warning
    assert audit(table_of([(3, 1)] * 4), k=4, epsilon=0).satisfied
    assert theorem_4_1_estimate(maxsize=2, group=3, records=5).value == 2  # the paper prints floor
    assert theorem_4_1_estimate(1, 1, 1).value == 1


@pytest.mark.parametrize("asked", [(5, 1, 4), (1, 5, 4), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_an_estimate_is_of_somebody_in_the_table(asked):
    with pytest.raises(ParameterError):
        theorem_4_1_estimate(*asked)

"""How often each size occurs, beside collections.Counter and statistics."""

import statistics
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.tally import Histogram, tally


@pytest.mark.parametrize("sizes", [[], [1], [3, 1, 3, 3, 2**40]])
def test_a_tally(sizes):
    assert tally(np.array(sizes, dtype=np.int64)) == tuple(sorted(Counter(sizes).items()))


@given(
    st.lists(st.tuples(st.integers(1, 20) | st.integers(1, 2**40), st.integers(1, 3)), min_size=1)
)
def test_a_histogram_by_weights(weighted):
    sizes, weights = np.array(weighted, dtype=np.int64).T
    every = np.repeat(sizes, weights)
    found = Histogram.of(sizes, weights)
    assert found.entries == tuple(sorted(Counter(every.tolist()).items()))
    assert found == Histogram.of(every)
    assert (found.total, found.sum) == (len(every), sum(every.tolist()))
    assert found.median == statistics.median(every.tolist())
    assert found.mean == float(Fraction(sum(every.tolist()), len(every)))
    inverse = sum((Fraction(times, size) for size, times in found.entries), Fraction()) / len(every)
    assert found.mean_inverse == float(inverse)
    assert found.below(int(sizes[0])) == int(np.count_nonzero(every < sizes[0]))


def test_a_mean_of_equal_inverses_is_theirs():
    for size in (*range(1, 200), 10**9 - 1, 10**10 + 1):
        assert Histogram.of(np.array([size, size, size])).mean_inverse == 1 / size

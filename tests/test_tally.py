"""How often each size occurs, beside collections.Counter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ratingpriv.tally import tally


@pytest.mark.parametrize("sizes", [[], [1], [3, 1, 3, 3, 2**40]])
def test_a_tally(sizes):
    assert tally(np.array(sizes, dtype=np.int64)) == tuple(sorted(Counter(sizes).items()))

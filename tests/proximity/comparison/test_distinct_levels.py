"""The distinct levels of a column, beside np.unique, which sorts it whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.proximity import levels


@given(st.lists(st.sampled_from([-0.0, 0.0, 1 / 3, -2.5, 1e300]) | st.floats(allow_nan=False)), st.data())
def test_levels_are_found_whatever_is_met_first(values, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels, "_BLOCK", data.draw(st.integers(1, 5)))
        patch.setattr(levels, "_MANY", data.draw(st.integers(2, 8)))
        column = np.array(values, dtype=np.float64)
        assert levels.distinct_levels(column).tolist() == np.unique(column).tolist()

"""Sets that ascend: the same as numpy's functions of sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv.base.compute.ascending import among, merged

sets = st.sets(st.integers(-9, 9)).map(lambda some: np.array(sorted(some), dtype=np.int64))


@given(one=sets, other=sets, wanted=st.lists(st.integers(-10, 10)))
def test_as_numpy_has_them(one, other, wanted):
    wanted = np.array(wanted, dtype=np.int64)
    assert among(one, wanted).tolist() == np.isin(wanted, one).tolist()
    assert merged(one, other).tolist() == np.union1d(one, other).tolist()

"""Auxiliary information is consistent."""

import dataclasses

import numpy as np
import pytest
from attack.attack_tables import auxiliary

from ratingpriv.base.errors import ParameterError

KNOWN = [{0: (3, 12_000), 2: (4, None)}, {1: (1, None)}, {2: (5, 12_001), 3: (2, 7), 4: (1, 8)}]


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": np.array([0, 2, 3])},
        {"indptr": np.array([0, 2, 3, 5])},
        {"indptr": np.array([1, 2, 3, 6])},
        {"indptr": np.array([0, 3, 2, 6])},
        {"indptr": np.array([0, 0, 3, 6])},
        {"ratings": np.ones(5)},
        {"dates": np.ones(5)},
        {"ratings": np.array([1, 2, np.nan, 4, 5, 6])},
        {"dates": np.array([1, 2, np.inf, 4, 5, 6])},
        {"issues": np.array([0, 0, 1, 2, 3, 4], dtype=np.int32)},
        {"labels": ("a", "b")},
    ],
    ids=str,
)
def test_inconsistent_ones_are_refused(change):
    with pytest.raises(ParameterError, match="auxiliary"):
        dataclasses.replace(auxiliary(KNOWN, [4, -1, 2]), **change)


def test_issues_that_the_table_lacks_may_be_several():
    aux = auxiliary([{-1: (1, None), 0: (2, None)}], [0])
    twice = dataclasses.replace(aux, issues=np.array([-1, -1], dtype=np.int32))
    assert twice.known.tolist() == [2]

"""The data frame of an audit: null where nothing was examined, and of which part of the data each row is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from golden.tables import build

from ratingpriv import audit

pytestmark = pytest.mark.small


def test_nothing_is_said_of_the_exposure_of_records_that_were_not_examined():
    result = audit(build([(1,), (1,), (5,)]), k=2, epsilon=1, exposure=1)
    exposure = replace(
        result.exposure,
        expected_by_record=np.array([0.5, np.nan, 1.0]),
        worst_by_record=np.array([2, 0, 1]),
        worst_exact_by_record=np.array([False, False, True]),
    )
    frame = replace(result, exposure=exposure).to_frame()
    assert frame["exposure_expected"].to_list() == [0.5, None, 1.0]
    assert frame["exposure_worst"].to_list() == [2, None, 1]
    assert frame["exposure_worst_exact"].to_list() == [False, None, True]


def test_every_row_says_of_which_part_of_the_data_it_is():
    table = build([(1, 2), (1, 2), (5, 5)])
    part = table.select_issues("issue 1").take(np.array([0, 2]))
    frame = audit(part, k=1, epsilon=0).to_frame()
    assert frame["selection"].to_list() == ["1 of 2 issues, 2 of 3 records"] * 2
    assert "selection" not in audit(table, k=1, epsilon=0).to_frame().columns

"""Inverted lists hold the table's ratings, issue by issue."""

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import dated_table

from ratingpriv.attack import Index
from ratingpriv.base.errors import ParameterError


@pytest.mark.small
def test_lists_are_the_ratings_by_issue():
    table = dated_table(
        [{0: (3, 12_000), 1: (4, 12_010)}, {}, {1: (4, None)}, {0: (2, 1), 2: (2, 3)}]
    )
    index = Index.of(table)
    assert (index.indptr.tolist(), index.records.tolist()) == ([0, 2, 4, 5, 5, 5], [0, 3, 0, 2, 3])
    assert table.levels[index.codes].tolist() == [3, 2, 4, 4, 2]
    assert index.when.tolist() == [11_999, 0, 12_009, 12_010, 2]


@pytest.mark.small
def test_whole_days_take_two_bytes():
    index = Index.of(dated_table([{0: (3, 12_000)}, {0: (3, None)}, {0: (3, 12_700)}]))
    assert index.when.dtype == np.uint16
    assert (index.first_day, index.span, index.when.tolist()) == (12_000, 701, [0, 701, 700])
    # spans that two bytes cannot tell from null, or not hold
    assert Index.of(dated_table([{0: (3, 0)}, {0: (3, 65_534)}])).when.dtype == np.uint16
    assert Index.of(dated_table([{0: (3, 0)}, {0: (3, 65_535)}])).when.dtype == np.float64


@pytest.mark.small
def test_dates_only_where_they_are_wanted_and_there():
    plain, dated = dated_table([{0: (3, None)}], stamps="none"), dated_table([{0: (3, 12_000)}])
    assert not Index.of(plain).dated
    assert Index.of(dated).dated
    assert not Index.of(dated, dates=False).dated
    null = dated.replace(timestamps=pl.Series([None], dtype=pl.Date))
    assert not Index.of(null).dated
    for table in (plain, null):
        with pytest.raises(ParameterError, match="timestamps"):
            Index.of(table, dates=True)

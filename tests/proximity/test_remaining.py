"""Neighbourhoods among the records that are left, against counting them anew by the definition."""

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import NULLS, epsilons, tables
from remaining_samples import SORTED, begun

from ratingpriv.base.target import Target
from ratingpriv.proximity.amounts import measure

pytestmark = pytest.mark.small


class Counted:
    """What Remaining keeps, counted anew: every neighbourhood with the record itself."""

    def __init__(self, table, epsilon, nulls):
        self.near = np.zeros((table.n_records, table.n_records), dtype=bool)
        for record, around in enumerate(proximity.neighbourhoods(table, epsilon, nulls)):
            self.near[record, around] = True
        self.columns = [measure(column) for column in table.numeric_sensitive]

    def agrees(self, alive, sizes, moments):
        inside = self.near & alive
        assert sizes[alive].tolist() == inside.sum(axis=1)[alive].tolist()
        assert len(moments) == len(self.columns)
        for found, column in zip(moments, self.columns, strict=True):
            known = inside & column.present
            assert found.known[alive].tolist() == known.sum(axis=1)[alive].tolist()
            for sums, power in ((found.sums, 1), (found.squares, 2)):
                expected = np.where(known, column.numbers**power, 0).sum(axis=1)
                assert sums[alive].tolist() == pytest.approx(expected[alive].tolist(), abs=1e-9)


def whole(table, epsilon, nulls, limits=None):
    return begun(table, Target(k=1, epsilon=epsilon, nulls=nulls), limits=limits)


@pytest.mark.parametrize("limits", [None, SORTED], ids=["direct", "sorted"])
@given(table=tables(), epsilon=epsilons, nulls=st.sampled_from(NULLS), data=st.data())
@settings(max_examples=100 * DEPTH)
def test_suppressed_and_put_back(limits, table, epsilon, nulls, data):
    limits = limits if table.numeric_sensitive else None  # else identical records go together
    counted, remaining = Counted(table, epsilon, nulls), whole(table, epsilon, nulls, limits)
    records = list(range(table.n_records))
    gone = data.draw(st.lists(st.sampled_from(records), unique=True, max_size=len(records) - 1))
    for some in (gone[: len(gone) // 2], gone[len(gone) // 2 :]):
        remaining.suppress(np.isin(records, some))
        counted.agrees(remaining.alive, remaining.sizes, remaining.moments)
    for record in gone:
        near, sizes, moments = remaining.with_back(record)
        alive = remaining.alive.copy()
        alive[record] = True
        assert near.tolist() == (counted.near[record] & alive).tolist()
        counted.agrees(alive, sizes, moments)
        if data.draw(st.booleans()):
            remaining.put_back(record, sizes, moments)
            assert remaining.alive.tolist() == alive.tolist()

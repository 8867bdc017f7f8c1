"""Groups grown by least cost: the compiled loop takes what its plain twin takes,
with the same ties.
"""

import naive.grown
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.partition.distortion.costs import Costs


@pytest.mark.small
@given(
    table=tables(most_records=14), epsilon=epsilons, nulls=st.sampled_from(NULLS),
    fabricate=st.booleans(),
    fill=st.sampled_from(["metric", "median"]), most=st.integers(1, 6), data=st.data(),
)  # fmt: skip
@settings(max_examples=40 * DEPTH)
def test_equals_the_plain_twin(table, epsilon, nulls, fabricate, fill, most, data):
    n = table.n_records
    records = data.draw(st.permutations(range(n)))
    group = records[: data.draw(st.integers(1, n))]
    size = data.draw(st.integers(len(group), n))
    others = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    costs = Costs(table, epsilon, nulls, fabricate, fill)
    twin = naive.grown.grown(
        table, group, others.tolist(), size, most, epsilon, nulls, fabricate, fill
    )
    assert costs.grown(group, others, size, most).tolist() == twin


def test_more_issues_than_the_first_room_holds() -> None:
    rng = np.random.default_rng(0)
    rows = [
        [float(x) if rng.random() < 0.4 else None for x in row]
        for row in rng.integers(1, 6, (30, 40))
    ]
    table = build(rows)
    for epsilon in (0, 1, 5):
        twin = naive.grown.grown(
            table, [3], list(range(30)), 9, 8, epsilon, "strict", True, "metric"
        )
        found = Costs(table, epsilon, "strict", True).grown([3], np.arange(30), 9, 8)
        assert found.tolist() == twin

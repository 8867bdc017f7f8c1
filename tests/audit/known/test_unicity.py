"""Random known ratings: golden examples, all subsets, intervals,
and what does not change the draws.
"""

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from known_samples import CUBE, RING, TABLE_1, TABLE_2, TABLE_3, table_of, tables
from naive import known as naive

from ratingpriv.audit.known import unicity


@pytest.mark.parametrize(
    ("rows", "epsilon", "m", "below", "pick"),
    [
        (TABLE_1, 1, 1, 0.2, 0.5),
        (TABLE_1, 1, 2, 0.2, 0.6),
        (TABLE_1, 4, 2, 0, 0.4667),
        (TABLE_2, 1, 1, 0, 0.3403),
        (TABLE_2, 2, 2, 0, 0.3611),
        (TABLE_3, 0, 1, 0.375, 0.6875),
        (CUBE, 0, 2, 0, 0.5),
        (RING, 1, 2, 0, 0.2667),
    ],
)
def test_golden_examples(rows, epsilon, m, below, pick):
    found = unicity(table_of(rows), m=m, epsilon=epsilon)
    assert found.exact
    assert found.below_k == found.below_k_low == pytest.approx(below)
    assert found.pick == found.pick_high == pytest.approx(pick, abs=5e-5)


@given(
    table=tables(), m=st.integers(1, 3), k=st.integers(1, 3), epsilon=st.sampled_from([0.0, 1.0])
)
@settings(max_examples=20 * DEPTH)
def test_all_subsets_are_gone_through(table, m, k, epsilon):
    left = [list(naive.counts(table, t, m, epsilon).values()) for t in range(table.n_records)]
    left = [counts for counts in left if counts]
    found = unicity(table, m=m, epsilon=epsilon, k=min(k, table.n_records))
    assert found.records == len(left)
    if left:
        below = [np.mean([count < found.k for count in counts]) for counts in left]
        assert found.below_k == pytest.approx(np.mean(below))
        assert found.pick == pytest.approx(
            np.mean([np.mean([1 / count for count in counts]) for counts in left])
        )
    else:
        assert found.below_k is None


def test_lists_are_counted_as_sets_are():
    rows = [[1 + (t * j) % 5 if t % j else None for j in range(1, 8)] for t in range(1, 31)]
    for how in ({}, {"samples": 20}):
        sets, lists = (
            unicity(table_of(rows), m=2, epsilon=1, memory=memory, **how) for memory in (None, 1)
        )
        assert sets == lists


def test_draws_come_near_and_from_the_seed_alone():
    rows = [[1 + (t * j) % 5 for j in range(1, 8)] for t in range(30)]
    exact, drawn = (
        unicity(table_of(rows), m=2, epsilon=0, samples=samples) for samples in (None, 300)
    )
    again = unicity(table_of(rows), m=2, epsilon=0, samples=300, threads=2)
    assert (exact.exact, drawn.exact, drawn.draws, drawn.seed) == (True, False, 300, 0)
    assert drawn.below_k_low <= exact.below_k <= drawn.below_k_high
    assert drawn.pick_low <= exact.pick <= drawn.pick_high
    assert drawn == again
    assert drawn != unicity(table_of(rows), m=2, epsilon=0, samples=300, rng=1)

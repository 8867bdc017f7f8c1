"""Tables too large for one matrix: grouped by Hamming groups,
and what comes out still meets the target.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables

from ratingpriv.anonymize.methods import modify
from ratingpriv.anonymize.modification import grouping
from ratingpriv.anonymize.modification.dense import labels_by_support
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError


def shared(n, p, patterns, width, lonely=0):
    """Records that share a few supports, and some with one of their own."""
    rng = np.random.default_rng(5)
    supports = [np.sort(rng.choice(p, size=width, replace=False)) for _ in range(patterns + lonely)]
    rows = []
    for i in range(n):
        row = [None] * p
        which = i % patterns if i < n - lonely else patterns + i - (n - lonely)
        for j in supports[which]:
            row[j] = float(rng.integers(1, 6))
        rows.append(row)
    return build(rows, scale=(1, 5))


@pytest.mark.small
@given(table=tables(most_records=14), k=st.integers(1, 4), data=st.data())
@settings(max_examples=40 * DEPTH)
def test_everybody_outside_the_core_is_in_a_group_of_k(table, k, data):
    n = table.n_records
    if n < k:
        return
    support = [frozenset(row) for row in proximity.ratings(table)]
    alike = [sum(other == mine for other in support) for mine in support]
    drawn = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    core = np.array(
        [one and count >= k for one, count in zip(drawn, alike, strict=True)], dtype=bool
    )

    def in_order(part, *_):
        assert part.n_records >= k
        assert {i for row in proximity.ratings(part) for i in row} == set(range(part.n_issues))
        count = part.n_records // k
        return np.minimum(np.arange(part.n_records) // k, count - 1)

    labels = labels_by_support(table, k, core, in_order, np.random.default_rng(0), Resources())
    assert bool(((labels >= 0) | core).all())
    assert all(size >= k for size in np.bincount(labels[labels >= 0]) if size)
    few = [t for t in range(n) if alike[t] < k]
    for label in set(labels[labels >= 0].tolist()):
        members = np.flatnonzero(labels == label).tolist()
        # records of several supports only where some are too few
        own = {support[t] for t in members}
        assert len(own) == 1 or any(alike[t] < k for t in members) or (0 < len(few) < k)


@pytest.mark.parametrize(("lonely", "fabricate"), [(0, True), (2, True), (9, False)])
def test_the_release_meets_the_target(lonely, fabricate, monkeypatch):
    table = shared(60, 12, 4, 4, lonely)
    monkeypatch.setattr(grouping, "fits_whole", lambda *_: False)
    made = modify(table, k=3, epsilon=1, fabricate=fabricate, rng=1)
    assert made.audit.k_epsilon.satisfied
    rows = proximity.ratings(made.table)
    for row in rows:
        assert sum(proximity.proximate(made.table, row, other, 1, "strict") for other in rows) >= 3


def test_no_matrix_of_all_records_on_all_issues_is_made():
    table = shared(400, 200, 4, 4)
    room = 400 * 12  # a Hamming group has 100 records on 4 issues; all would take 80,000 bytes
    assert modify(table, k=3, epsilon=1, memory=room, rng=1).audit.k_epsilon.satisfied
    with pytest.raises(ResourceError, match="records on"):
        modify(shared(400, 200, 4, 4, lonely=60), k=3, epsilon=1, memory=room, rng=1)

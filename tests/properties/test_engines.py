"""Random tables: slicing, pairwise and the oracles give the same answer,
whatever path the engine takes.
"""

import naive.proximity
import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.engine_checks import as_triples, check_against_naive
from properties.strategies import AUDIT_NULLS, NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity.join import Limits
from ratingpriv.proximity.levels import null_separates
from ratingpriv.proximity.neighbourhoods import meets_k, neighbourhoods
from ratingpriv.proximity.pairs import count_pairs, pairs

pytestmark = pytest.mark.small

PATHS = {
    "as it is": Limits(),
    "tables, not sorted": Limits(direct=0),
    "tables, fused": Limits(direct=0, fuse=0),
    "sorted and collapsed": Limits(direct=0, fuse=0, sort=1),
    "sorted, split between threads": Limits(direct=0, fuse=0, sort=1, split=0, queries=3, work=0),
    "all issues in one token": Limits(direct=0, fuse=0, sort=1, radix=4096),
    "as large a table as records pay for": Limits(
        direct=0, fuse=0, sort=1, radix=1, share=1, split=0, work=0
    ),
    "an issue a token": Limits(direct=0, fuse=0, sort=1, radix=1, share=10**9),
    "pairs in the records' order": Limits(direct=0, fuse=0, sort=1, dense=1e9),
    "pairs in the records' order, split, binned": Limits(
        direct=0, bins=3, sort=1, split=0, work=0, dense=1e9
    ),
    "pairs put in order": Limits(direct=0, fuse=0, sort=1, dense=0),
    "bundles on threads": Limits(direct=0, work=0),
    "binned": Limits(direct=0, bins=3, sort=1),
    "binned, two bins, split": Limits(direct=0, bins=2, fuse=0, split=0, work=0),
    "sparse rows": Limits(direct=0, table=0),
    "sparse rows, binned": Limits(direct=0, table=0, bins=3),
}
paths = st.sampled_from(list(PATHS))


@given(path=paths, table=tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS))
@settings(max_examples=240 * DEPTH)
def test_slicing_equals_naive_on_every_path(path, table, epsilon, nulls):
    found = neighbourhoods(table, epsilon, nulls=nulls, resources=Resources(2), _limits=PATHS[path])
    check_against_naive(table, found, epsilon, nulls)


@given(
    table=tables(),
    epsilon=epsilons,
    nulls=st.sampled_from(AUDIT_NULLS),
    memory=st.sampled_from([1, 500, 10**6]),
)
@settings(max_examples=40 * DEPTH)
def test_little_memory_changes_nothing(
    table: RatingTable, epsilon: float, nulls: str, memory: int
) -> None:
    for engine in ("slicing", "pairwise"):
        found = neighbourhoods(
            table, epsilon, nulls=nulls, engine=engine, resources=Resources(memory=memory)
        )
        check_against_naive(table, found, epsilon, nulls)


@given(
    path=paths,
    table=tables(most_sensitive=0),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    block=st.integers(1, 7),
    memory=st.sampled_from([1, 100, 10**6]),
)
@settings(max_examples=240 * DEPTH)
def test_pairs_equal_naive_on_every_path(path, table, epsilon, nulls, block, memory):
    blocks = list(
        pairs(
            table,
            epsilon,
            nulls=nulls,
            block=block,
            resources=Resources(2, memory),
            _limits=PATHS[path],
        )
    )
    expected = naive.proximity.pairs(table, epsilon, nulls)
    assert as_triples(blocks) == expected
    assert all(0 < len(part) <= block for part in blocks)
    assert count_pairs(table, epsilon, nulls=nulls) == len(expected)


@given(
    path=paths,
    table=tables(most_sensitive=0),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    data=st.data(),
)
@settings(max_examples=160 * DEPTH)
def test_pairs_of_a_subset_equal_naive(path, table, epsilon, nulls, data):
    n = table.n_records
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    resources = Resources(memory=data.draw(st.sampled_from([1, 100, 10**6])))
    found = pairs(
        table, epsilon, nulls=nulls, subset=chosen, resources=resources, _limits=PATHS[path]
    )
    expected = [
        pair
        for pair in naive.proximity.pairs(table, epsilon, nulls)
        if chosen[pair[0]] or chosen[pair[1]]
    ]
    assert as_triples(list(found)) == expected


@given(
    path=paths,
    table=tables(most_sensitive=0),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    k=st.integers(1, 8),
)
@settings(max_examples=240 * DEPTH)
def test_boolean_audit_equals_naive_on_every_path(path, table, epsilon, nulls, k):
    expected = min(map(len, naive.proximity.neighbourhoods(table, epsilon, nulls))) >= k
    assert meets_k(table, k, epsilon, nulls=nulls, threads=2, _limits=PATHS[path]) is expected


@given(table=tables(most_sensitive=0), first=epsilons, second=epsilons)
def test_rules_and_distances_are_in_their_order(
    table: RatingTable, first: float, second: float
) -> None:
    low, epsilon = sorted((first, second))
    strict, wildcard, known = (
        neighbourhoods(table, epsilon, nulls=nulls).sizes for nulls in AUDIT_NULLS
    )
    assert np.all(wildcard >= strict)
    assert np.all(wildcard >= known)
    assert np.all(known >= neighbourhoods(table, low, nulls="known").sizes)
    if null_separates(table.scale, epsilon, "strict"):
        assert np.all(known >= strict)

"""Ratings within ε beside quasi-identifiers with rules of their own:
the engines hold to the definition.
"""

import naive.quasi_groups
import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.engine_checks import as_triples
from properties.strategies import AUDIT_NULLS, NULLS, epsilons, mixed_tables

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.join import Limits
from ratingpriv.proximity.neighbourhoods import meets_k, neighbourhoods
from ratingpriv.proximity.pairs import count_pairs, pairs

pytestmark = pytest.mark.small

PATHS = {
    "as it is": Limits(),
    "tables, fused": Limits(direct=0, fuse=0),
    "sorted, split between threads": Limits(direct=0, fuse=0, sort=1, split=0, queries=3, work=0),
    "binned": Limits(direct=0, bins=3, sort=1),
    "binned, two bins, split": Limits(direct=0, bins=2, fuse=0, split=0, work=0),
    "sparse rows, binned": Limits(direct=0, table=0, bins=3),
}


def sizes(table: RatingTable, epsilon: float, nulls: str, **more: object) -> list[int]:
    return neighbourhoods(table, epsilon, nulls=nulls, sensitive=False, **more).sizes.tolist()


@pytest.mark.parametrize("path", PATHS)
@given(
    table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS), k=st.integers(1, 5)
)
@settings(max_examples=30 * DEPTH)
def test_slicing_is_pairwise_is_the_definition(path, table, epsilon, nulls, k):
    expected = list(map(len, naive.quasi_groups.neighbourhoods(table, epsilon, nulls)))
    assert sizes(table, epsilon, nulls, _limits=PATHS[path], resources=Resources(2)) == expected
    assert sizes(table, epsilon, nulls, engine="pairwise") == expected
    if nulls != "known":
        met = meets_k(table, k, epsilon, nulls=nulls, _limits=PATHS[path], threads=2)
        assert met is (min(expected) >= k)


@pytest.mark.parametrize("path", ["as it is", "binned", "sparse rows, binned"])
@given(table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(NULLS), data=st.data())
@settings(max_examples=25 * DEPTH)
def test_pairs_are_those_of_the_definition_and_their_distance_is_of_ratings(
    path, table, epsilon, nulls, data
):
    expected = naive.quasi_groups.pairs(table, epsilon, nulls)
    limits, n = PATHS[path], table.n_records
    assert as_triples(list(pairs(table, epsilon, nulls=nulls, block=3, _limits=limits))) == expected
    assert count_pairs(table, epsilon, nulls=nulls) == len(expected)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    found = as_triples(list(pairs(table, epsilon, nulls=nulls, subset=chosen, _limits=limits)))
    assert found == [one for one in expected if chosen[one[0]] or chosen[one[1]]]


@given(table=mixed_tables(most_sensitive=2), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS))
@settings(max_examples=40 * DEPTH)
def test_values_are_counted_over_the_same_neighbourhoods(table, epsilon, nulls):
    expected = naive.quasi_groups.neighbourhoods(table, epsilon, nulls)
    for engine in ("slicing", "pairwise"):
        found = neighbourhoods(table, epsilon, nulls=nulls, counts=True, engine=engine)
        for column, moments, counts in zip(
            table.sensitive, found.moments, found.counts, strict=True
        ):
            known = [[column.values[u] for u in near if column.present[u]] for near in expected]
            assert moments.known.tolist() == counts.known.tolist() == list(map(len, known))
            assert counts.distinct.tolist() == [len(set(values)) for values in known]


@given(table=mixed_tables())
@settings(max_examples=40 * DEPTH)
def test_hamming_groups_agree_on_what_has_to_be_equal(table):
    found = hamming_groups(table)
    groups = [
        found.order[found.starts[g] : found.starts[g + 1]].tolist() for g in range(len(found.sizes))
    ]
    assert groups == naive.quasi_groups.hamming_groups(table)

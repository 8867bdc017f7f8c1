"""Ratings within ε beside quasi-identifiers with rules of their own: the engines hold to the definition."""

from __future__ import annotations

from dataclasses import replace

import naive.quasi_groups
import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.engine_checks import as_triples
from properties.strategies import AUDIT_NULLS, NULLS, epsilons, mixed_tables, quasi_columns, tables

from ratingpriv import RatingTable
from ratingpriv.data.table import QuasiColumn
from ratingpriv.graph.export import to_networkx
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
@given(table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS), k=st.integers(1, 5))
@settings(max_examples=30 * DEPTH)
def test_slicing_is_pairwise_is_the_definition(path, table, epsilon, nulls, k):
    expected = list(map(len, naive.quasi_groups.neighbourhoods(table, epsilon, nulls)))
    assert sizes(table, epsilon, nulls, _limits=PATHS[path], threads=2) == expected
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
        for column, moments, counts in zip(table.sensitive, found.moments, found.counts, strict=True):
            known = [[column.values[u] for u in near if column.present[u]] for near in expected]
            assert moments.known.tolist() == counts.known.tolist() == list(map(len, known))
            assert counts.distinct.tolist() == [len(set(values)) for values in known]


@given(table=mixed_tables())
@settings(max_examples=40 * DEPTH)
def test_hamming_groups_agree_on_what_has_to_be_equal(table):
    found = hamming_groups(table)
    groups = [found.order[found.starts[g] : found.starts[g + 1]].tolist() for g in range(len(found.sizes))]
    assert groups == naive.quasi_groups.hamming_groups(table)


@given(table=mixed_tables(most_records=6), epsilon=epsilons, nulls=st.sampled_from(NULLS))
@settings(max_examples=25 * DEPTH)
def test_the_graph_is_that_of_the_definition(table, epsilon, nulls):
    graph = to_networkx(table, epsilon, nulls=nulls)
    edges = {
        tuple(sorted((graph.nodes[a]["position"], graph.nodes[b]["position"]))): data["distance"]
        for a, b, data in graph.edges(data=True)
    }
    assert edges == {(t, u): far for t, u, far in naive.quasi_groups.pairs(table, epsilon, nulls)}


@given(table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS), data=st.data())
@settings(max_examples=40 * DEPTH)
def test_the_order_of_columns_and_records_changes_nothing(table, epsilon, nulls, data):
    before = sizes(table, epsilon, nulls)
    columns = tuple(data.draw(st.permutations(table.quasi)))
    assert sizes(replace(table, quasi=columns), epsilon, nulls) == before
    order = np.array(data.draw(st.permutations(range(table.n_records))), dtype=np.int64)
    moved = table.take(order)
    assert sizes(moved, epsilon, nulls) == [before[i] for i in order]


@given(data=st.data(), table=tables(8, 3, 0), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS))
@settings(max_examples=40 * DEPTH)
def test_one_more_column_never_makes_a_neighbourhood_larger(data, table, epsilon, nulls):
    before = sizes(table, epsilon, nulls)
    for name in ("q1", "q2"):
        column = data.draw(quasi_columns(table.n_records, name))
        table = replace(table, quasi=(*table.quasi, column))
        after = sizes(table, epsilon, nulls)
        assert all(a <= b for a, b in zip(after, before, strict=True))
        before = after


@given(data=st.data(), table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS))
@settings(max_examples=40 * DEPTH)
def test_a_coarser_recode_never_makes_a_neighbourhood_smaller(data, table, epsilon, nulls):
    last = table.quasi[-1]
    groups = [data.draw(st.integers(0, 1)) for _ in last.values]
    codes = np.array([groups[code] if code >= 0 else -1 for code in last.codes], dtype=np.int32)
    coarser = QuasiColumn(last.name, codes, pl.Series(["few", "many"]))
    finer = replace(table, quasi=(*table.quasi[:-1], replace(last, within=None)))
    after = sizes(replace(table, quasi=(*table.quasi[:-1], coarser)), epsilon, nulls)
    assert all(a <= b for a, b in zip(sizes(finer, epsilon, nulls), after, strict=True))


@given(table=mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(AUDIT_NULLS), more=st.floats(0, 20))
@settings(max_examples=40 * DEPTH)
def test_a_larger_tolerance_never_makes_a_neighbourhood_smaller(table, epsilon, nulls, more):
    wider = tuple(
        replace(column, within=column.within + more) if column.within is not None else column
        for column in table.quasi
    )
    before = sizes(table, epsilon, nulls)
    assert all(
        a <= b for a, b in zip(before, sizes(replace(table, quasi=wider), epsilon, nulls), strict=True)
    )

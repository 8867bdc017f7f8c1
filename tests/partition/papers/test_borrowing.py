"""What components lend, and combined cliques: the paper's examples, and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import exact as naive
from naive.partition import greedy
from naive.slicing import components
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.papers.modification import Combination, combine_cliques, largest_cliques, lendable


def test_table_2_lends_t2_or_t4():
    # {t1, t3, t4} leaves t2, {t1, t2, t3} leaves t4; t2 is cheaper: see test_modification
    assert lendable(table2(), [0, 1, 2, 3], 3, 2).tolist() == [1, 3]


def test_of_t2_and_t4_the_paper_takes_t2_with_nulls_imputed_or_not():
    # t2 into {t5, t6}: erase 5 on issue 2, and 5 + 6 on issue 3; or impute 1, 1 beside 3, and 4 beside 5, 6
    for fabricate, expected in ((True, [8.0, 11.0]), (False, [16.0, 19.0])):
        costs = Costs(table2(), 2, "strict", fabricate)
        assert costs.with_one_more([4, 5], np.array([1, 3])).tolist() == expected


def test_a_lender_that_would_break_lends_nothing():
    assert lendable(table2(), [4, 5], 2, 2).tolist() == []
    assert lendable(table2(), [4, 5], 1, 2).tolist() == [4, 5]


def test_a_component_of_one_may_lend_it():
    assert lendable(build([(1,), (5,), (9,)], scale=(1, 9)), [1], 2, 0).tolist() == [1]


FIG_9 = [(3,), (1,), (5,), (7,)]


def test_fig_9_has_two_ways_to_make_a_3_clique():
    # a path t2 - t1 - t3 - t4; t1 and t3 are in the middle
    table = build(FIG_9, scale=(1, 9))
    assert largest_cliques(table, [0, 1, 2, 3], 2) == ((0, 1), (0, 2), (2, 3))
    found = combine_cliques(table, [0, 1, 2, 3], 3, 2)
    assert [row.union for row in found] == [(0, 1, 2), (0, 2, 3)]
    assert [row.distortion for row in found] == [2.0, 2.0]


def test_fig_9_distortion_decides():
    table = build([(3,), (1,), (4,), (6,)], scale=(1, 9))
    found = combine_cliques(table, [0, 1, 2, 3], 3, 2)
    assert found == (
        Combination(1.0, (0, 1), (0, 2)),
        Combination(1.0, (0, 2), (2, 3)),
    )
    table = build([(3,), (1,), (4.5,), (5,)], scale=(1, 9))
    assert combine_cliques(table, [0, 1, 2], 3, 2) == (Combination(1.5, (0, 1), (0, 2)),)


def test_smaller_cliques_where_there_are_none_of_k_minus_1():
    table = build(FIG_9, scale=(1, 9))
    found = combine_cliques(table, [0, 1, 2, 3], 4, 2)
    # the two ends make 4 together; unions of 3 come after
    assert [row.union for row in found] == [(0, 1, 2, 3), (0, 1, 2), (0, 2, 3)]


def test_a_k_clique_needs_no_combining():
    with pytest.raises(ParameterError, match="without a clique of 3"):
        combine_cliques(table2(), [0, 1, 2, 3], 3, 2)


@pytest.mark.parametrize("records", [[], [0, 0], [6], [-1]])
def test_wrong_records(records):
    with pytest.raises(ParameterError):
        lendable(table2(), records, 2, 1)


@pytest.mark.parametrize("wrong", [{"epsilon": -1}, {"nulls": "none"}])
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        largest_cliques(table2(), [4], **{"epsilon": 1, **wrong})


def test_every_loan_of_table_3_leaves_a_partition():
    table = table3()
    for component in ([0, 1, 2, 3], [6, 7]):
        for lent in lendable(table, component, 2, 2).tolist():
            assert naive.decomposable(table, [i for i in component if i != lent], 2, 2)


@settings(max_examples=25 * DEPTH)
@given(tables(5, 3), st.integers(1, 3), epsilons, st.sampled_from(NULLS))
def test_it_agrees_with_plain_loops(table, k, epsilon, nulls):
    labels = components(table, epsilon, nulls)
    for label in set(labels):
        component = [i for i, other in enumerate(labels) if other == label]
        expected = []
        for u in component:
            rest = [i for i in component if i != u]
            if -1 not in greedy(table.take(np.array(rest, dtype=np.int64)), k, epsilon, nulls=nulls):
                expected.append(u)
        assert lendable(table, component, k, epsilon, nulls=nulls).tolist() == expected

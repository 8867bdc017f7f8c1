"""Borrowing candidates and combined cliques: the paper's examples, and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import build, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import exact as naive
from naive.partition import greedy
from naive.slicing import components
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.distortion.windows import group_cost
from ratingpriv.errors import ParameterError
from ratingpriv.partition.papers.borrowing import (
    Borrow,
    Combination,
    borrow_candidates,
    combine_cliques,
    largest_cliques,
    lendable,
)


def test_table_2_lends_t2_or_t4_and_t2_is_cheaper():
    # {t1, t3, t4} leaves t2, {t1, t2, t3} leaves t4; the paper takes t2
    assert lendable(table2(), [0, 1, 2, 3], 3, 2).tolist() == [1, 3]
    assert borrow_candidates(table2(), [4, 5], 3, 2) == (Borrow(10.0, 1), Borrow(13.0, 3))


def test_without_fabricating_the_choice_is_the_same():
    # t2 into {t5, t6}: erase 5 on issue 2, and 5 + 6 on issue 3
    found = borrow_candidates(table2(), [4, 5], 3, 2, fabricate=False)
    assert found == (Borrow(16.0, 1), Borrow(19.0, 3))


def test_a_lender_that_would_break_lends_nothing():
    assert borrow_candidates(table2(), [0], 2, 2) == ()
    assert [row.record for row in borrow_candidates(table2(), [0, 1, 2, 3], 1, 2)] == [4, 5]


def test_a_component_of_one_may_lend_it():
    table = build([(1,), (5,), (9,)], scale=(1, 9))
    assert borrow_candidates(table, [0], 2, 0) == (Borrow(4.0, 1), Borrow(8.0, 2))


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"receiver": []},
        {"receiver": [0, 0]},
        {"receiver": [6]},
        {"receiver": [-1]},
        {"k": 0},
        {"epsilon": -1},
        {"nulls": "none"},
    ],
)
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        borrow_candidates(table2(), **{"receiver": [4], "k": 2, "epsilon": 1, **wrong})


def test_every_loan_of_table_3_leaves_a_partition():
    table = table3()
    for row in borrow_candidates(table, [4, 5], 2, 2):
        rest = [i for i in range(4) if i != row.record] if row.record < 4 else [6, 7]
        assert naive.decomposable(table, rest, 2, 2)


@settings(max_examples=25)
@given(tables(5, 3), st.integers(1, 3), epsilons, st.sampled_from(NULLS), st.data())
def test_it_agrees_with_plain_loops(table, k, epsilon, nulls, data):
    n = table.n_records
    receiver = data.draw(st.lists(st.sampled_from(range(n)), unique=True, min_size=1, max_size=3))
    labels = components(table, epsilon, nulls)
    expected = []
    for u in range(n):
        rest = [i for i in range(n) if labels[i] == labels[u] and i != u]
        left = greedy(table.take(np.array(rest, dtype=np.int64)), k, epsilon, nulls=nulls)
        if labels[u] not in {labels[i] for i in receiver} and -1 not in left:
            expected.append((group_cost(table, np.array([*receiver, u]), epsilon, nulls=nulls), u))
    found = borrow_candidates(table, receiver, k, epsilon, nulls=nulls)
    assert sorted(row.record for row in found) == [u for _, u in sorted(expected, key=lambda row: row[1])]
    costs = {u: cost for cost, u in expected}
    for row in found:
        assert row.distortion == pytest.approx(costs[row.record], abs=1e-9)
    assert list(found) == sorted(found)

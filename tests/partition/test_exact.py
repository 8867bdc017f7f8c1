"""The exact solver: golden tables, brute force over all set partitions,
and what it says when it gives up.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import exact as naive
from naive.moments import at_least, values
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.partition.exact import solve
from ratingpriv.partition.partitioning import partition


def everybody(table):
    return np.arange(table.n_records)


@pytest.mark.parametrize(
    ("table", "k", "epsilon", "status"),
    [
        (table1(), 2, 4, "impossible"),  # t1 is 4-proximate with t3, but t2 then is alone
        (table1(), 2, 5, "found"),  # the paper's answer
        (table2(), 2, 1, "found"),
        (table2(), 2, 0.5, "impossible"),
        (table2(), 3, 2, "impossible"),
        (table3(), 3, 2, "impossible"),
        (table3(), 2, 2, "found"),
    ],
)
def test_golden(table, k, epsilon, status):
    assert solve(table, everybody(table), k, epsilon).status == status


def test_a_component_of_table_3_by_itself():
    assert solve(table3(), np.array([3, 2, 0]), 3, 2).sets == ((0, 2, 3),)
    assert solve(table3(), np.array([0, 1, 2, 3]), 3, 2).status == "impossible"


def test_a_bigger_clique_is_kept_whole_for_the_sake_of_l():
    # {1, 1} and {9, 9} have an SD of 0; all four together have 4
    table = build([(1,), (1,), (1,), (1,)], [(1, 1, 9, 9)], scale=(1, 5))
    assert solve(table, everybody(table), 2, 0, l=4).status == "found"
    assert solve(table, everybody(table), 2, 0, l=4.001).status == "impossible"
    assert solve(table, everybody(table), 4, 0, l=4).sets == ((0, 1, 2, 3),)


def test_both_rules_for_sensitive_nulls():
    table = build([(1,), (1,), (1,)], [(5, 5, None)], scale=(1, 5))
    assert solve(table, everybody(table), 3, 0, l=2).status == "found"
    assert (
        solve(table, everybody(table), 3, 0, l=2, sensitive_nulls="ignore").status == "impossible"
    )


def test_nulls_that_count_rule_nothing_out():
    # Corollary 4.1 does not hold under the papers' rule: {5, 5, null} has 2.887, the known answers
    # have 0
    table = build([(1,), (1,), (2,), (2,), (3,), (3,)], [(5, 5, None, 5, 5, None)], scale=(1, 5))
    assert solve(table, everybody(table), 3, 1, l=2).sets == ((0, 1, 2), (3, 4, 5))
    assert (
        solve(table, everybody(table), 3, 1, l=2, sensitive_nulls="ignore").status == "impossible"
    )


def test_when_the_steps_are_used_up_it_says_so():
    rows = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    table = build(rows, scale=(0, 9))
    assert solve(table, everybody(table), 5, 1, most_steps=3).status == "unknown"
    assert solve(table, everybody(table), 5, 1, most_steps=3).sets == ()


def test_an_sd_that_float64_cannot_tell_from_l_is_compared_as_decimals():
    # the SD is l to all digits; to verify() float64 is not enough, which is safe, and no proof
    third = 1 / 3
    table = build([(1,), (1,)], [(0, 2 * third)], scale=(1, 5))
    assert solve(table, everybody(table), 2, 0, l=third).status == "found"
    result = partition(table, k=2, epsilon=0, l=third, method="exact")
    assert (result.found, result.proved_impossible) == (False, False)
    assert solve(table, everybody(table), 2, 0, l=0.4).status == "impossible"
    assert solve(table, everybody(table), 2, 0, l=0.3).status == "found"


def test_of_nobody_and_of_too_few():
    assert solve(table2(), np.array([], dtype=np.int64), 3, 1).status == "found"
    assert solve(table2(), np.array([4, 5]), 3, 1).status == "impossible"


def test_very_many_records_are_not_tried():
    table = build([(float(step),) for step in range(600)], scale=(0, 600))
    assert solve(table, everybody(table), 2, 1).status == "unknown"


def check(table, records, k, epsilon, l, nulls, rule):  # noqa: E741
    found = solve(table, np.array(records), k, epsilon, l=l, nulls=nulls, sensitive_nulls=rule)
    expected = naive.decomposable(table, records, k, epsilon, l, nulls, rule)
    assert found.status == ("found" if expected else "impossible")
    if expected:
        assert sorted(member for group in found.sets for member in group) == sorted(records)
        for group in map(list, found.sets):
            assert len(group) >= k
            assert naive.is_clique(table, group, epsilon, nulls)
            if l is not None:
                assert all(at_least(values(column, group), l, rule) for column in table.sensitive)


@settings(max_examples=60 * DEPTH)
@given(tables(5, 3), st.integers(1, 4), epsilons, st.sampled_from([None, 0.5, 1, 2]), st.data())
def test_it_agrees_with_all_set_partitions(table, k, epsilon, l, data):  # noqa: E741
    records = data.draw(
        st.lists(st.sampled_from(range(table.n_records)), unique=True, min_size=1, max_size=8)
    )
    nulls, rule = data.draw(st.sampled_from(NULLS)), data.draw(st.sampled_from(["paper", "ignore"]))
    check(table, records, k, epsilon, l, nulls, rule)


@settings(max_examples=40 * DEPTH)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=6, max_size=9),
    st.lists(st.integers(1, 4), min_size=9, max_size=9),
    st.integers(2, 4),
    st.sampled_from([None, None, 1.0]),
)
def test_it_agrees_with_all_set_partitions_of_nine(rows, answers, k, l):  # noqa: E741
    table = build(rows, [answers[: len(rows)]], scale=(1, 5))
    check(table, list(range(len(rows))), k, 2, l, "strict", "paper")

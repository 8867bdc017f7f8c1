"""Merging candidates: the paper's example, and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import build, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import slicing as naive
from naive.partition import greedy
from naive.proximity import hamming_groups
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.distortion.windows import group_cost
from ratingpriv.errors import ParameterError
from ratingpriv.partition.components import components, not_decomposed
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.merging import Merge, hamming_group_of_components, merge_candidates


def test_table_3_merges_t5_t6_with_t7_t8():
    # issue 1 goes from 1, 2, 6, 5 into [2, 4]: 1 + 2 + 1; issue 3 fits
    assert merge_candidates(table3(), 3, 2) == (Merge(4.0, 4, 6),)


def test_table_2_has_nothing_to_merge():
    assert merge_candidates(table2(), 3, 2) == ()
    assert merge_candidates(table2(), 2, 2) == ()


def test_the_cheapest_comes_first_and_ties_go_by_label():
    table = build([(1,), (9,), (4,), (7,)], scale=(1, 9))
    found = merge_candidates(table, 2, 1)
    assert [(merge.distortion, merge.a, merge.b) for merge in found] == [
        (1.0, 1, 3),
        (2.0, 0, 2),
        (2.0, 2, 3),
        (4.0, 1, 2),
        (5.0, 0, 3),
        (7.0, 0, 1),
    ]


def test_too_many_pairs_are_refused_with_their_number():
    table = build([(1,), (9,), (4,), (7,)], scale=(1, 9))
    with pytest.raises(ParameterError, match="at least the 6 pairs"):
        merge_candidates(table, 2, 1, most_pairs=5)


def test_a_component_of_two_hamming_groups_is_not_merged():
    table = build([(1, None), (1, 5), (9, 5)], scale=(1, 9))
    labels = components(table, 0, nulls="wildcard")
    assert labels.tolist() == [0, 0, 2]
    assert hamming_group_of_components(table, labels).tolist() == [-1, -1, 1]
    assert merge_candidates(table, 3, 0, nulls="wildcard") == ()


def test_what_the_greedy_does_not_fill():
    groups = Groups.of_sets([[0, 2, 3]], 6)
    assert not_decomposed(np.array([0, 0, 0, 0, 4, 4]), groups).tolist() == [0, 4]


@pytest.mark.parametrize("wrong", [{"k": 0}, {"epsilon": -1}, {"nulls": "none"}, {"most_pairs": -1}])
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        merge_candidates(table2(), **{"k": 2, "epsilon": 1, **wrong})


@settings(max_examples=60)
@given(tables(8, 4), st.integers(1, 4), epsilons, st.sampled_from(NULLS), st.booleans())
def test_it_agrees_with_plain_loops(table, k, epsilon, nulls, fabricate):
    labels = naive.components(table, epsilon, nulls)
    placed = greedy(table, k, epsilon, nulls=nulls)
    members = {label: [i for i, other in enumerate(labels) if other == label] for label in labels}
    open_ones = [label for label in sorted(members) if any(placed[i] < 0 for i in members[label])]
    expected = []
    for a in open_ones:
        for b in open_ones:
            both = members[a] + members[b]
            if a < b and any(set(both) <= set(group) for group in hamming_groups(table)):
                cost = group_cost(table, np.array(both), epsilon, nulls=nulls, fabricate=fabricate)
                expected.append((cost, a, b))
    found = merge_candidates(table, k, epsilon, nulls=nulls, fabricate=fabricate)
    assert [(merge.a, merge.b) for merge in sorted(found, key=lambda m: (m.a, m.b))] == [
        (a, b) for _, a, b in sorted(expected, key=lambda row: row[1:])
    ]
    costs = {(a, b): cost for cost, a, b in expected}
    for merge in found:
        assert merge.distortion == pytest.approx(costs[merge.a, merge.b], abs=1e-9)
    assert [merge.distortion for merge in found] == sorted(merge.distortion for merge in found)

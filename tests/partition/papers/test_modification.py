"""Graph modification: the papers' walk-throughs, and that it always ends with everybody in a group of k."""

from __future__ import annotations

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import exact as naive
from naive import slicing
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.components import components, not_decomposed
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.modification import CASES, Loan, Merge, graph_modification


def sets(found):
    return [group.tolist() for group in found.groups.members()]


def test_case_1_is_left_alone():
    found = graph_modification(table2(), 2, 2)
    assert sets(found) == [[0, 1], [2, 3], [4, 5]]
    assert found.cases == {0: "1", 4: "1"}
    assert found.merges == found.borrows == found.log == ()


def test_table_2_borrows_t2():
    found = graph_modification(table2(), 3, 2)
    assert sets(found) == [[0, 2, 3], [1, 4, 5]]
    assert found.borrows == (Loan(8.0, 4, 0, 1),)
    assert found.cases == {0: "2", 4: "3.1"}
    assert found.log == ("Case 3.1: t5, t6 borrowed t2, distortion 8",)


def test_table_3_merges_and_adds_an_edge():
    found = graph_modification(table3(), 3, 2)
    assert sets(found) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert found.merges == (Merge(4.0, 4, 6),)
    assert found.borrows == ()
    assert found.cases == {0: "2", 4: "2", 6: "2"}


def test_a_component_of_two_hamming_groups_is_not_merged():
    table = build([(1, None), (1, 5), (9, 5)], scale=(1, 9))
    assert components(table, 0, nulls="wildcard").tolist() == [0, 0, 2]
    assert graph_modification(table, 3, 0, nulls="wildcard").merges == ()


def test_what_the_greedy_does_not_fill():
    groups = Groups.of_sets([[0, 2, 3]], 6)
    assert not_decomposed(np.array([0, 0, 0, 0, 4, 4]), groups).tolist() == [0, 4]


def test_the_cheapest_is_merged_first():
    table = build([(1,), (9,), (4,), (7,)], scale=(1, 9))
    assert graph_modification(table, 2, 1).merges == (Merge(2.0, 0, 2), Merge(1.0, 1, 3))


def test_fig_9_combines():
    table = build([(3,), (1,), (5,)], scale=(1, 9))
    found = graph_modification(table, 3, 2)
    assert sets(found) == [[0, 1, 2]]
    assert found.cases == {0: "3.2"}


def test_what_the_greedy_misses_is_solved():
    # t2 takes t1 and t3 first; then t4 is alone. The exact solver finds {t1, t2}, {t3, t4}
    table = build([(2,), (1,), (3,), (5,)], scale=(1, 9))
    found = graph_modification(table, 2, 2)
    assert found.cases == {0: "1"}
    assert sets(found) == [[0, 1], [2, 3]]


def test_a_group_of_more_than_k_lends():
    table = build([(1,), (1,), (1,), (9,)], scale=(1, 9))
    found = graph_modification(table, 2, 0)
    assert sorted(map(len, sets(found))) == [2, 2]
    assert found.cases == {0: "1", 3: "3.1"}


def test_where_nobody_lends_the_rest_joins():
    table = build([(1,), (1,), (9,)], scale=(1, 9))
    found = graph_modification(table, 2, 0)
    assert sets(found) == [[0, 1, 2]]
    assert found.cases == {0: "1", 2: "joined"}


def test_everybody_far_from_everybody_in_different_hamming_groups():
    table = build([(1, None), (None, 5)], scale=(1, 9))
    found = graph_modification(table, 2, 0)
    assert sets(found) == [[0, 1]]
    assert found.cases == {0: "joined", 1: "joined"}


def test_too_few_records_are_refused():
    with pytest.raises(ParameterError, match="at most 6"):
        graph_modification(table2(), 7, 1)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"epsilon": -1}, {"nulls": "none"}])
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        graph_modification(table1(), **{"k": 2, "epsilon": 1, **wrong})


def test_progress_is_told():
    told = []
    graph_modification(table3(), 3, 2, progress=lambda *news: told.append(news))
    assert told


@settings(max_examples=60 * DEPTH)
@given(tables(12, 4), st.integers(1, 6), epsilons, st.sampled_from(NULLS), st.booleans())
def test_everybody_ends_in_a_group_of_k(table, k, epsilon, nulls, fabricate):
    if table.n_records < k:
        return
    found = graph_modification(table, k, epsilon, nulls=nulls, fabricate=fabricate)
    assert len(found.groups.unplaced) == 0
    assert int(found.groups.sizes.min()) >= k
    assert found.components.tolist() == slicing.components(table, epsilon, nulls)
    assert set(found.cases) == set(found.components.tolist())
    assert set(found.cases.values()) <= set(CASES)
    # what is decomposed, and lent nothing, is left alone
    lenders = {loan.lender for loan in found.borrows}
    joined = any(case == "joined" for case in found.cases.values())
    for label, case in found.cases.items():
        if case == "1" and label not in lenders and not joined:
            component = set(np.flatnonzero(found.components == label).tolist())
            for group in sets(found):
                assert set(group) <= component or not set(group) & component
                assert not set(group) & component or naive.is_clique(table, group, epsilon, nulls)


@pytest.mark.parametrize("k", [3, 8])
def test_more_records_than_are_compared_one_by_one(k, monkeypatch):
    from ratingpriv.partition.papers import modification

    monkeypatch.setattr(modification, "_WINDOW", 20)
    monkeypatch.setattr(modification, "_LISTED", 6)
    monkeypatch.setattr(modification, "_TRIED", 10)
    rng = np.random.default_rng(0)
    rows = [[None if rng.random() < 0.2 else float(x) for x in row] for row in rng.integers(1, 6, (150, 3))]
    for epsilon in (0, 1, 2):
        found = graph_modification(build(rows, scale=(1, 5)), k, epsilon)
        assert len(found.groups.unplaced) == 0
        assert int(found.groups.sizes.min()) >= k

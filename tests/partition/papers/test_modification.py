"""Graph modification: the papers' walk-throughs, loans,
and that everybody always ends in a group of k.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import exact as naive
from naive import slicing
from naive.partition import greedy
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.partition.components import components
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.papers.modification import (
    CASES,
    combine_cliques,
    graph_modification,
    largest_cliques,
    lendable,
)


def sets(found):
    return [group.tolist() for group in found.groups.members()]


def test_case_1_is_left_alone():
    found = graph_modification(table2(), 2, 2)
    assert sets(found) == [[0, 1], [2, 3], [4, 5]]
    assert found.cases == {0: "1", 4: "1"}
    assert found.log == ()


def test_table_3_merges_and_adds_an_edge():
    found = graph_modification(table3(), 3, 2)
    assert sets(found) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert "Case 2: t5, t6 merged with t7, t8, distortion 4" in found.log
    assert not any("borrowed" in line for line in found.log)
    assert found.cases == {0: "2", 4: "2", 6: "2"}


def test_a_component_of_two_hamming_groups_is_not_merged():
    table = build([(1, None), (1, 5), (9, 5)], scale=(1, 9))
    assert components(table, 0, nulls="wildcard").tolist() == [0, 0, 2]
    assert not any(
        "merged" in line for line in graph_modification(table, 3, 0, nulls="wildcard").log
    )


def test_the_cheapest_is_merged_first():
    table = build([(1,), (9,), (4,), (7,)], scale=(1, 9))
    merged = ("t1 merged with t3, distortion 2", "t2 merged with t4, distortion 1")
    assert graph_modification(table, 2, 1).log == tuple(f"Case 2: {line}" for line in merged)


@pytest.mark.parametrize(
    ("table", "k", "epsilon", "groups", "cases"),
    [
        (build([(3,), (1,), (5,)], scale=(1, 9)), 3, 2, [[0, 1, 2]], {0: "3.2"}),  # Fig. 9
        # t2 takes t1 and t3 first, then t4 is alone: the exact solver finds what GREEDY misses
        (build([(2,), (1,), (3,), (5,)], scale=(1, 9)), 2, 2, [[0, 1], [2, 3]], {0: "1"}),
        (build([(1,), (1,), (1,), (9,)], scale=(1, 9)), 2, 0, [[0, 3], [1, 2]], {0: "1", 3: "3.1"}),
        (build([(1,), (1,), (9,)], scale=(1, 9)), 2, 0, [[0, 1, 2]], {0: "1", 2: "joined"}),
        (build([(1, None), (None, 5)], scale=(1, 9)), 2, 0, [[0, 1]], {0: "joined", 1: "joined"}),
        (table2(), 3, 2, [[0, 2, 3], [1, 4, 5]], {0: "2", 4: "3.1"}),
    ],
)
def test_every_case(table, k, epsilon, groups, cases):
    found = graph_modification(table, k, epsilon)
    assert (sets(found), found.cases) == (groups, cases)


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
    ids = list(map(str, table.record_ids))
    lent = [
        line.split(" borrowed ")[1].split(", ")[0] for line in found.log if " borrowed " in line
    ]
    lenders = {int(found.components[ids.index(record)]) for record in lent}
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
    rows = [
        [None if rng.random() < 0.2 else float(x) for x in row]
        for row in rng.integers(1, 6, (150, 3))
    ]
    rows += [[None] * 3] * 20
    for epsilon in (0, 1, 2):
        found = graph_modification(build(rows, scale=(1, 5)), k, epsilon)
        assert len(found.groups.unplaced) == 0
        assert int(found.groups.sizes.min()) >= k


@pytest.mark.parametrize(
    ("table", "component", "k", "epsilon", "lent"),
    [
        # {t1, t3, t4} leaves t2, {t1, t2, t3} leaves t4; t2 is cheaper, as below
        (table2(), [0, 1, 2, 3], 3, 2, [1, 3]),
        (table2(), [4, 5], 2, 2, []),
        (table2(), [4, 5], 1, 2, [4, 5]),
        (build([(1,), (5,), (9,)], scale=(1, 9)), [1], 2, 0, [1]),
    ],
)
def test_who_may_be_lent(table, component, k, epsilon, lent):
    assert lendable(table, component, k, epsilon).tolist() == lent


def test_of_t2_and_t4_the_paper_takes_t2_with_nulls_imputed_or_not():
    # t2 into {t5, t6}: erase 5 on issue 2, and 5 + 6 on issue 3; or impute 1, 1 beside 3, and 4
    # beside 5, 6
    for fabricate, expected in ((True, [8.0, 11.0]), (False, [16.0, 19.0])):
        costs = Costs(table2(), 2, "strict", fabricate)
        assert costs.of([[4, 5, 1], [4, 5, 3]]).tolist() == expected


FIG_9 = [(3,), (1,), (5,), (7,)]


def test_fig_9_has_two_ways_to_make_a_3_clique():
    # a path t2 - t1 - t3 - t4; t1 and t3 are in the middle
    table = build(FIG_9, scale=(1, 9))
    assert largest_cliques(table, [0, 1, 2, 3], 2) == ((0, 1), (0, 2), (2, 3))
    assert combine_cliques(table, [0, 1, 2, 3], 3, 2) == [(2.0, (0, 1, 2)), (2.0, (0, 2, 3))]


def test_fig_9_distortion_decides():
    table = build([(3,), (1,), (4,), (6,)], scale=(1, 9))
    assert combine_cliques(table, [0, 1, 2, 3], 3, 2) == [(1.0, (0, 1, 2)), (1.0, (0, 2, 3))]
    table = build([(3,), (1,), (4.5,), (5,)], scale=(1, 9))
    assert combine_cliques(table, [0, 1, 2], 3, 2) == [(1.5, (0, 1, 2))]


def test_smaller_cliques_where_there_are_none_of_k_minus_1():
    table = build(FIG_9, scale=(1, 9))
    found = combine_cliques(table, [0, 1, 2, 3], 4, 2)
    # the two ends make 4 together; unions of 3 come after
    assert [union for _, union in found] == [(0, 1, 2, 3), (0, 1, 2), (0, 2, 3)]


@settings(max_examples=25 * DEPTH)
@given(tables(5, 3), st.integers(1, 3), epsilons, st.sampled_from(NULLS))
def test_it_agrees_with_plain_loops(table, k, epsilon, nulls):
    labels = slicing.components(table, epsilon, nulls)
    for label in set(labels):
        component = [i for i, other in enumerate(labels) if other == label]
        expected = []
        for u in component:
            rest = [i for i in component if i != u]
            if -1 not in greedy(
                table.take(np.array(rest, dtype=np.int64)), k, epsilon, nulls=nulls
            ):
                expected.append(u)
        assert lendable(table, component, k, epsilon, nulls=nulls).tolist() == expected

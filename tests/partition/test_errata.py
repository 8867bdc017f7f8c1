"""What the papers say of partitions, graphs and the search for parameters, and the counterexamples.

The table in docs/errata.md has a row for each; tests/errata/test_table.py says which test shows
which row.
"""

import itertools

import numpy as np
from golden.tables import build, table1, table2
from plans import group_cost, group_plan

from ratingpriv import audit
from ratingpriv.partition.components import components
from ratingpriv.partition.exact import solve
from ratingpriv.partition.papers.modification import graph_modification
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing


def everybody(table):
    return np.arange(table.n_records)


def sets(groups):
    return [group.tolist() for group in groups.members()]


def pairs_within(table, epsilon):
    """Which pairs of the first two issues' ratings are proximate; both are rated by everybody."""
    rows = table.to_wide("polars").select("issue 1", "issue 2").rows()
    return {
        (a, b)
        for a, b in itertools.combinations(range(len(rows)), 2)
        if max(abs(x - y) for x, y in zip(rows[a], rows[b], strict=True)) <= epsilon
    }


def test_swlz11_5_2_2_the_smallest_epsilon_depends_on_what_is_asked():
    # Table 1, k = 2: the paper finds 5, by partition. By its own Def. 4.2 it is 4
    assert audit(table1(), k=2, epsilon=4).satisfied
    assert not audit(table1(), k=2, epsilon=3.999).satisfied
    assert solve(table1(), everybody(table1()), 2, 4).status == "impossible"
    assert solve(table1(), everybody(table1()), 2, 5).status == "found"


def test_swlz11_5_2_3_so_does_the_smallest_epsilon_for_an_l():
    # Table 2, l = 2: the paper finds 3, by partition. By Def. 4.3 it is 2
    assert audit(table2(), k=2, epsilon=2, l=2).satisfied
    assert solve(table2(), everybody(table2()), 2, 2, l=2).status == "impossible"
    assert solve(table2(), everybody(table2()), 2, 3, l=2).status == "found"


def test_swlz11_5_2_2_slicing_may_succeed_at_an_epsilon_and_fail_at_a_larger_one():
    # the paper's own two walk-throughs: bisection over slicing alone is unsound
    assert min(map(len, sets(slicing(table2(), 1)))) == 2
    assert min(map(len, sets(slicing(table2(), 2)))) == 1
    # a partition that exists at an epsilon exists at every larger one
    assert solve(table2(), everybody(table2()), 2, 2).status == "found"


def test_swlz11_5_3_case_2_no_solution_found_is_not_no_solution():
    # "There still exist some singleton groups. In this case, we say there is no solution for this
    # given ε"
    table = build([(1,), (1,), (2,), (3,), (4,), (5,)], scale=(1, 5))
    adjusted = prune_and_adjust(table, slicing(table, 1), 2, 1)
    assert sets(adjusted) == [[0, 1, 2], [3, 4], [5]]  # t6 is left: t5's group has nobody to spare
    assert solve(table, everybody(table), 2, 1).sets == ((0, 1), (2, 3), (4, 5))


def test_swlz11_5_3_a_large_group_need_not_have_more_than_three():
    # "large groups (refer to the group having more than three transactions)": the example's lender
    # has three
    sliced = slicing(table2(), 2, order="farthest")
    assert sets(sliced) == [[0, 2, 3], [1], [4, 5]]
    assert sets(prune_and_adjust(table2(), sliced, 2, 2)) == [[0, 1], [2, 3], [4, 5]]
    assert sets(prune_and_adjust(table2(), sliced, 2, 2, lender_min=3)) == sets(sliced)


def test_swlp10_theorem_2_its_instance_costs_12():
    # Fig. 1: a 4-clique's six edges, ratings 2 at both ends and 0 elsewhere; k = 6, ε = 1
    rows = [
        [2.0 if v in edge else 0.0 for v in range(4)]
        for edge in itertools.combinations(range(4), 2)
    ]
    table = build(rows, scale=(0, 2))
    assert group_cost(table, everybody(table), 1) == 12
    # minimum distortion is NP-hard: the exact solver gives up rather than guess
    grid = build([(a, b, c) for a in range(4) for b in range(4) for c in range(4)], scale=(0, 3))
    assert solve(grid, everybody(grid), 5, 1, most_steps=50).status == "unknown"


def test_swlp10_problem_2_cliques_of_whole_components_need_not_be_of_k():
    # "all edges not present in each connected component can be added ... any privacy requirement is
    # satisfied"
    labels = components(table2(), 2)
    assert np.unique(labels, return_counts=True)[1].tolist() == [4, 2]  # {t5, t6} stays two, k is 3
    assert min(graph_modification(table2(), 3, 2).groups.sizes) == 3  # it has to borrow


def test_swlp10_problem_1_borrowing_takes_edges_away():
    # "E' ∩ E = E": but t2, once it is like t5 and t6, is no longer like t1 and t3
    before = pairs_within(table2().take(np.array([0, 1, 2, 3])), 2)
    assert {(0, 1), (1, 2)} <= before
    plans = group_plan(table2(), np.array([1, 4, 5]), 2)
    assert [plan.treatment for plan in plans] == ["window", "fill", "fill"]
    # t2 then rates issues 1, 2 and 3, t1 and t3 rate 1 and 2: with ε below r they cannot be
    # proximate


def test_swlp10_corollary_1_has_no_converse():
    # [Fig. 6]: every record has k neighbours, itself included, and there is no partition
    table = build([(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)], scale=(0, 9))
    assert audit(table, k=3, epsilon=1).satisfied
    assert solve(table, everybody(table), 3, 1).status == "impossible"

"""The papers' bisection: its walk-throughs [SWLZ11, §5.2.2-5.2.3],
and how the exact search differs.
"""

import numpy as np
import pytest
from golden.tables import build, counterexample_bisection, table1, table2

from ratingpriv import frontier
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import Target
from ratingpriv.data.table import Scale
from ratingpriv.studies.papers.bisection import bisect_as_the_paper

pytestmark = pytest.mark.small


def paper(table, k=2, l=None):  # noqa: E741 -- the theory's word
    """The ε that it ends with; of each step the ε and whether it served; and the groups of each."""
    epsilon, steps = bisect_as_the_paper(table, Target(k=k, epsilon=0.0, l=l))
    ids = table.record_ids.to_list()
    groups = [
        tuple(tuple(ids[at] for at in np.sort(one)) for one in step[2].members()) for step in steps
    ]
    return epsilon, [step[:2] for step in steps], groups


def test_k_2_of_table_1():
    epsilon, steps, groups = paper(table1())
    assert steps == [(6, True), (3, False), (4.5, False), (5.25, True)]
    assert groups[-1] == (("t1", "t2", "t3"), ("t4", "t5"))
    assert epsilon == 5  # the whole range of ratings: it protects nothing
    assert frontier(table1(), k=2).smallest_epsilon.neighbourhood == 4  # t1 is 4-proximate with t3


def test_l_2_of_table_2():
    table = table2().replace(scale=Scale(1, 6, True))  # r = 6, with which the paper walks it
    epsilon, steps, groups = paper(table, l=2)
    # the paper prints the last interval as [2.375, 3]; halving [1.5, 3] gives [2.25, 3]
    assert steps == [(6, True), (3, True), (1.5, False), (2.25, False)]
    assert groups[1] == (("t1", "t2", "t3", "t4"), ("t5", "t6"))
    assert epsilon == 3
    assert frontier(table, k=2, l=2).smallest_epsilon.neighbourhood == 2


def test_l_2_of_table_2_from_its_own_r():
    assert paper(table2(), l=2)[:2] == (3, [(7, True), (3.5, True), (1.75, False), (2.625, False)])


def test_l_above_the_whole_tables_sd_ends_at_once():
    assert paper(table2(), l=2.1)[:2] == (None, [(7, False)])


def test_it_says_nothing_of_the_hole_in_what_does():
    assert paper(counterexample_bisection(), l=1)[0] == 1
    exact = frontier(counterexample_bisection(), k=2, l=1).feasible
    assert [(interval.start, interval.below) for interval in exact] == [(1, 3)]


def test_the_answer_is_one_that_was_judged_where_ratings_are_not_whole():
    table = build([(0.1,), (0.4,), (0.9,), (0.9,)], scale=(0, 2))
    assert paper(table)[:2] == (0.5, [(2, True), (1, True), (0.5, True)])


def test_a_scale_without_a_usable_maximum_is_refused():
    with pytest.raises(ParameterError, match="maximum r above 0"):
        paper(build([(-2,), (-1,)], scale=(-5, 0)))


@pytest.mark.parametrize("seed", range(3))
def test_what_it_finds_is_never_below_the_exact_answer_for_k(seed):
    table = build(np.random.default_rng(seed).integers(1, 8, (15, 2)).tolist(), scale=(1, 7))
    epsilon = paper(table, k=3)[0]
    exact = frontier(table, k=3).smallest_epsilon
    assert epsilon is None or epsilon >= (exact.neighbourhood or 0)

"""The papers' bisection: its walk-throughs [SWLZ11, §5.2.2-5.2.3], and how the exact search differs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from golden.tables import build, counterexample_bisection, table1, table2

from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import Scale

pytestmark = pytest.mark.small


def paper(table, **asked):
    return frontier(table, method="paper", **asked)


def steps(found):
    return [(step.epsilon, step.served) for step in found.bisection]


def test_k_2_of_table_1():
    found = paper(table1(), k=2)
    assert steps(found) == [(6, True), (3, False), (4.5, False), (5.25, True)]
    assert found.bisection[-1].groups == (("t1", "t2", "t3"), ("t4", "t5"))
    assert found.smallest_epsilon.partition is None  # the paper's answer is 5, the whole range of ratings
    assert found.smallest_epsilon.reason == (
        "5 does, but from epsilon 5 on any two ratings are indistinguishable: this protects nothing"
    )
    assert not found.satisfied
    assert found.smallest_epsilon.neighbourhood == 4  # t1 is 4-proximate with t3
    assert any(warning.startswith("method paper") for warning in found.warnings)


def test_l_2_of_table_2():
    table = table2().replace(scale=Scale(1, 6, True))  # r = 6, with which the paper walks it
    found = paper(table, k=2, l=2)
    # the paper prints the last interval as [2.375, 3]; halving [1.5, 3] gives [2.25, 3]
    assert steps(found) == [(6, True), (3, True), (1.5, False), (2.25, False)]
    assert found.bisection[1].groups == (("t1", "t2", "t3", "t4"), ("t5", "t6"))
    assert found.smallest_epsilon.partition == 3
    assert found.smallest_epsilon.neighbourhood == 2


def test_l_2_of_table_2_from_its_own_r():
    found = paper(table2(), l=2)
    assert steps(found) == [(7, True), (3.5, True), (1.75, False), (2.625, False)]
    assert found.smallest_epsilon.partition == 3


def test_l_above_the_whole_tables_sd_ends_at_once():
    found = paper(table2(), k=2, l=2.1)
    assert steps(found) == [(7, False)]
    assert found.smallest_epsilon.partition is None
    assert not found.satisfied


def test_it_says_nothing_of_the_hole_in_what_does():
    found = paper(counterexample_bisection(), k=2, l=1)
    assert found.smallest_epsilon.partition == 1
    assert [(one.start, one.below) for one in found.feasible] == [(1, 3)]


def test_the_answer_is_one_that_was_judged_where_ratings_are_not_whole():
    table = build([(0.1,), (0.4,), (0.9,), (0.9,)], scale=(0, 2))
    found = paper(table, k=2)
    assert steps(found) == [(2, True), (1, True), (0.5, True)]
    assert found.smallest_epsilon.partition == 0.5


def test_a_scale_without_a_usable_maximum_is_refused():
    with pytest.raises(ParameterError, match="maximum r above 0"):
        paper(build([(-2,), (-1,)], scale=(-5, 0)), k=2)


def test_json_has_the_steps():
    content = json.loads(json.dumps(paper(table1(), k=2).to_dict()))
    assert content["parameters"]["method"] == "paper"
    assert content["bisection"][0] == {
        "epsilon": 6.0, "served": True, "groups": [["t1", "t2", "t3", "t4", "t5"]],
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_what_it_finds_is_never_below_the_exact_answer_for_k(seed):
    rng = np.random.default_rng(seed)
    found = paper(build(rng.integers(1, 8, (15, 2)).tolist(), scale=(1, 7)), k=3)
    assert found.smallest_epsilon.partition is None or (
        found.smallest_epsilon.partition >= found.smallest_epsilon.neighbourhood
    )

"""Prune and adjust, and components, against the paper's walk-through and against plain loops."""

import numpy as np
import pytest
from golden.tables import build, table2
from hypothesis import given
from hypothesis import strategies as st
from naive import exact as exact_naive
from naive import slicing as naive
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing

pytestmark = pytest.mark.small


def sets(groups):
    return [group.tolist() for group in groups.members()]


def test_who_lacks_least_is_served_first():
    table = build([(1,), (2,), (2,), (2,), (2,), (2,), (3,), (3,)])
    groups = Groups.of_sets([[0], [1, 2, 3, 4, 5], [6, 7]], 8)
    assert sets(prune_and_adjust(table, groups, 3, 1)) == [[0], [1, 6, 7], [2, 3, 4, 5]]


def test_a_receiver_that_stays_too_small_gives_everything_back():
    table = build([(1,), (2,), (3,), (3,), (3,)])
    groups = Groups.of_sets([[0], [1, 2, 3, 4]], 5)
    # t1 could get t2, and then nobody else
    assert sets(prune_and_adjust(table, groups, 3, 1)) == [[0], [1, 2, 3, 4]]
    assert sets(prune_and_adjust(table, groups, 2, 1)) == [[0, 1], [2, 3, 4]]


def test_records_in_no_group_neither_lend_nor_borrow():
    table = build([(1,), (1,), (1,)])
    groups = Groups.of_sets([[0]], 3)
    assert prune_and_adjust(table, groups, 2, 0).labels.tolist() == [0, -1, -1]


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"lender_min": 1}, {"receivers": "all"}, {"groups": Groups.of_sets([[0]], 3)}],
)
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        prune_and_adjust(
            table2(), **{"groups": slicing(table2(), 1), "k": 2, "epsilon": 1, **wrong}
        )


@given(
    tables(),
    epsilons,
    st.integers(1, 5),
    st.integers(0, 2),
    st.sampled_from(["below_k", "singletons"]),
    st.sampled_from(NULLS),
)
def test_it_agrees_with_plain_loops(table, epsilon, k, more, who, nulls):
    sliced = slicing(table, epsilon, nulls=nulls)
    found = prune_and_adjust(
        table, sliced, k, epsilon, lender_min=k + more, receivers=who, nulls=nulls
    )
    assert sets(found) == sorted(
        naive.adjust(table, sets(sliced), k, epsilon, k + more, who, nulls)
    )
    assert np.sum(found.sizes >= k) >= np.sum(sliced.sizes >= k)
    assert len(found.unplaced) == 0
    for group in sets(found):
        assert exact_naive.is_clique(table, group, epsilon, nulls)

"""Slicing against the paper's walk-throughs and against plain loops."""

import numpy as np
import pytest
from golden.tables import build, table1, table2, table3
from hypothesis import given
from hypothesis import strategies as st
from naive import slicing as naive
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.greedy import listing as _listing
from ratingpriv.partition.index import index as _packing
from ratingpriv.partition.papers.slicing import ORDERS, slicing

pytestmark = pytest.mark.small


def sets(groups):
    return [group.tolist() for group in groups.members()]


# The walk-throughs of [SWLZ11, §5.2-5.3]


def test_table_2_at_epsilon_1():
    # {t1, t2, t3} is trimmed to {t1, t2}: t3 is dropped
    assert sets(slicing(table2(), 1)) == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize(
    "how", [{"order": "farthest"}, {"start": 3}, {"order": [0, 2, 3, 1, 4, 5]}]
)
def test_table_2_at_epsilon_2(how):
    # {t1, t2, t3, t4} is trimmed to {t1, t3, t4}: t2 is dropped, and left alone
    assert sets(slicing(table2(), 2, **how)) == [[0, 2, 3], [1], [4, 5]]


def test_table_2_at_epsilon_2_nearest_first_drops_the_other():
    assert sets(slicing(table2(), 2)) == [[0, 1, 2], [3], [4, 5]]


@pytest.mark.parametrize("order", ORDERS)
def test_the_search_for_l_of_table_2(order):
    assert sets(slicing(table2(), 3, order=order)) == [[0, 1, 2, 3], [4, 5]]
    assert [len(group) for group in sets(slicing(table2(), 1.5, order=order))] == [2, 2, 2]


def test_the_search_for_epsilon_of_table_1():
    assert sets(slicing(table1(), 5)) == [[0, 1, 2], [3, 4]]
    assert sets(slicing(table1(), 4.5)) == [[0, 2], [1], [3, 4]]
    assert min(map(len, sets(slicing(table1(), 3)))) == 1


def test_table_3():
    assert sets(slicing(table3(), 2)) == [[0, 1, 2], [3], [4, 5], [6, 7]]


def test_algorithm_1_to_the_letter_drops_both_of_two_records_that_are_apart():
    # Candidate stays as it is while PCan shrinks: at epsilon 2, t2 and t4 both go
    rows = [(3, 6), (2, 5), (4, 7), (5, 6)]
    candidates = [0, 1, 2, 3]
    kept = set(candidates)
    for i in candidates:
        for j in candidates:
            if max(abs(a - b) for a, b in zip(rows[i], rows[j], strict=True)) > 2:
                kept.discard(i)
    assert kept == {0, 2}


# Other things


def test_nobody_and_one():
    assert slicing(table2().take(np.array([], dtype=np.int64)), 1).count == 0
    assert sets(slicing(build([(3,)]), 0)) == [[0]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": -1},
        {"order": "random"},
        {"order": [0, 0, 1, 2, 3, 4]},
        {"start": 6},
        {"nulls": "none"},
    ],
)
def test_wrong_arguments(wrong):
    with pytest.raises(ParameterError):
        slicing(table2(), **{"epsilon": 1, **wrong})


@pytest.mark.parametrize("scanned", [_packing._SCANNED, 0])
@given(tables(), epsilons, st.sampled_from([*ORDERS, "listed"]), st.sampled_from(NULLS), st.data())
def test_it_agrees_with_plain_loops(scanned, table, epsilon, order, nulls, data):
    n = table.n_records
    if order == "listed":
        order = list(data.draw(st.permutations(range(n))))
    start = data.draw(st.none() | st.integers(0, n - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_packing, "_SCANNED", scanned)
        patch.setattr(_listing, "_LARGE", scanned)
        patch.setattr(_listing, "_CHEAP", 1)
        found = slicing(table, epsilon, order=order, start=start, nulls=nulls)
    assert sets(found) == sorted(naive.slices(table, epsilon, order, start, nulls))

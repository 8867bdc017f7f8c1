"""The cheapest treatment of an issue of a group, against every other one."""

from __future__ import annotations

import itertools
from decimal import Decimal

import numpy as np
import pytest
from golden.tables import build, table2, table3
from hypothesis import given
from hypothesis import strategies as st
from naive.anonymize import cheapest, rows_of

from ratingpriv.distortion._windows import plan_issue
from ratingpriv.distortion.windows import TREATMENTS, IssuePlan, group_cost, group_plan, measure
from ratingpriv.errors import ParameterError

pytestmark = pytest.mark.small

ratings = st.lists(st.integers(-4, 6), min_size=1, max_size=7)


def issue_cost(
    values: np.ndarray, n_null: int, epsilon: float, *, separates: bool = True, fabricate: bool = True
) -> IssuePlan:
    """The cheapest treatment of an issue that ``n_null`` of a group do not rate, on the ratings' own grid."""
    by = measure(build([(value,) for value in values]), epsilon)
    numbers = by.numbers[np.searchsorted(np.unique(values), np.sort(values))]
    treatment, *rest = plan_issue(numbers, n_null, by.width, separates, fabricate)
    return IssuePlan(TREATMENTS[treatment], *(float(number / by.unit) for number in rest))


@given(
    ratings, st.integers(0, 4), st.integers(0, 11), st.booleans(), st.booleans(), st.sampled_from([0, 1, 2])
)
def test_no_window_costs_less(
    numbers: list[int], n_null: int, reach: int, separates: bool, fabricate: bool, places: int
) -> None:
    values = [Decimal(number).scaleb(-places) for number in numbers]
    epsilon = float(Decimal(reach).scaleb(-places))
    used = max(0, *(-int(value.normalize().as_tuple().exponent) for value in values))
    found = issue_cost(
        np.array([float(value) for value in values]),
        n_null,
        epsilon,
        separates=separates,
        fabricate=fabricate,
    )
    expected = cheapest(values, n_null, epsilon, used, separates=separates, fabricate=fabricate)
    assert found == IssuePlan(expected[0], *(float(number) for number in expected[1:]))


@given(st.lists(st.sampled_from([None, 1, 2, 3, 4, 5]), min_size=1, max_size=4), st.integers(0, 4))
def test_no_clique_at_all_costs_less(cells: list[int | None], epsilon: int) -> None:
    """Every assignment of ratings of the group's range, and nulls, that makes the group a clique."""
    rated = [cell for cell in cells if cell is not None]
    choices = [None, *range(min(rated), max(rated) + 1)] if rated else [None]
    costs = []
    for after in itertools.product(choices, repeat=len(cells)):
        present = [cell for cell in after if cell is not None]
        if not present or (len(present) == len(after) and max(present) - min(present) <= epsilon):
            costs.append(sum(abs((x or 0) - (y or 0)) for x, y in zip(cells, after, strict=True)))
    table = build([(cell,) for cell in cells], scale=(1, 5))
    assert group_cost(table, np.arange(len(cells)), epsilon) == min(costs)


@given(ratings, st.integers(0, 3), st.integers(0, 10))
def test_a_larger_epsilon_never_costs_more(numbers: list[int], n_null: int, epsilon: int) -> None:
    values = np.array(numbers, dtype=np.float64)
    costs = [issue_cost(values, n_null, epsilon + more).cost for more in (0, 0.5, 1)]
    assert costs == sorted(costs, reverse=True)


def test_a_group_in_a_clique_costs_nothing() -> None:
    assert group_cost(table2(), np.array([0, 2]), 1) == 0
    assert group_cost(table2(), np.array([0, 1, 2, 3]), 3) == 0
    assert group_cost(table2(), np.array([0, 1, 2, 3]), 2) == 1


def test_borrowing_t2_for_t5_and_t6_fills_or_erases() -> None:
    """Issue 2 is t2's alone (5 to erase, 10 to fill); issue 3 is filled for t2 at 5, erased at 5 + 6."""
    plans = group_plan(table2(), np.array([1, 4, 5]), 2)
    assert plans[1] == IssuePlan("erase", 0.0, 0.0, 5.0)
    assert plans[2] == IssuePlan("fill", 5.0, 6.0, 5.0)
    assert plans[2].fill_value == 5
    assert group_cost(table2(), np.array([1, 4, 5]), 2) == 10
    assert group_cost(table2(), np.array([1, 4, 5]), 2, fabricate=False) == 16


def test_a_null_that_separates_nothing_stays() -> None:
    everybody = np.arange(8)
    assert {plan.treatment for plan in group_plan(table3(), everybody, 2, nulls="wildcard")} == {"window"}
    assert {plan.treatment for plan in group_plan(table3(), everybody, 7)} == {"window"}  # ε = r
    assert group_cost(table3(), everybody, 7) == 0


def test_of_equal_windows_the_lowest_and_of_equal_costs_erasing() -> None:
    assert issue_cost(np.array([1.0, 5.0]), 0, 1).low == 1
    assert issue_cost(np.array([3.0]), 1, 0).treatment == "erase"


def test_decimals_keep_their_grid() -> None:
    plan = issue_cost(np.array([0.1, 0.2, 0.9]), 0, 0.25)
    assert (plan.low, plan.high, plan.cost) == (0.1, 0.3, 0.6)
    whole = issue_cost(np.array([1.0, 2.0, 9.0]), 0, 2.5)
    assert (whole.low, whole.high) == (1, 3)


def test_exactly_epsilon_apart_is_near_enough() -> None:
    assert issue_cost(np.array([0.6, 0.8]), 0, 0.2).cost == 0  # 0.8 - 0.6 > 0.2 in float64


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=6), st.floats(0, 50))
def test_real_ratings_end_within_epsilon(values: list[float], epsilon: float) -> None:
    plan = issue_cost(np.array(values), 0, epsilon)
    assert plan.high - plan.low <= epsilon
    assert min(values) <= plan.low <= plan.high <= max(values)


def test_the_whole_tables_grid_counts() -> None:
    table = build([(1,), (3,), (2.5,)], scale=(1, 5))
    assert group_plan(table, np.array([0, 1]), 1.5)[0].high == 2.5
    assert measure(table, 1.57).width == 15


def test_plans_agree_with_the_naive_ones() -> None:
    table = table3()
    rows, members = rows_of(table), [0, 2, 4, 7]
    for fabricate in (True, False):
        plans = group_plan(table, np.array(members), 1, fabricate=fabricate)
        for j, plan in enumerate(plans):
            cells = [rows[i][j] for i in members]
            rated = [cell for cell in cells if cell is not None]
            expected = cheapest(rated, cells.count(None), 1, 0, separates=True, fabricate=fabricate)
            assert plan == IssuePlan(expected[0], *(float(number) for number in expected[1:]))


@pytest.mark.parametrize("positions", [[0, 0], [-1], [6]])
def test_bad_positions_are_refused(positions: list[int]) -> None:
    with pytest.raises(ParameterError):
        group_cost(table2(), np.array(positions), 1)

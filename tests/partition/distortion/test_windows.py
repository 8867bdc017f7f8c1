"""The cheapest treatment of an issue of a group, against every other one."""

import itertools
from decimal import Decimal

import numpy as np
import pytest
from golden.tables import build, table3
from hypothesis import given
from hypothesis import strategies as st
from naive.anonymize import cheapest
from plans import IssuePlan, group_cost, group_plan
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.anonymize.methods import modify
from ratingpriv.anonymize.modification.modify import STRATEGIES
from ratingpriv.audit import audit
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.distortion.windows import FILLS, choose_windows, measure

pytestmark = pytest.mark.small

ratings = st.lists(st.integers(-4, 6), min_size=1, max_size=7)


def issue_cost(
    values: list[float],
    n_null: int,
    epsilon: float,
    *,
    separates: bool = True,
    fabricate: bool = True,
    fill: str = "metric",
    scale: tuple[float, float] = (-200, 200),
) -> IssuePlan:
    """The plan of a table of one issue."""
    table = build([*((value,) for value in values), *[(None,)] * n_null], scale=scale)
    nulls = "strict" if separates else "wildcard"
    return group_plan(
        table, np.arange(table.n_records), epsilon, nulls=nulls, fabricate=fabricate, fill=fill
    )[0]


@given(
    ratings, st.integers(0, 4), st.integers(0, 11), st.booleans(), st.booleans(),
    st.sampled_from([0, 1, 2]),
    st.sampled_from(FILLS), st.integers(-7, -4), st.integers(6, 13),
)  # fmt: skip
def test_no_window_costs_less(
    numbers, n_null, reach, separates, fabricate, places, fill, smallest, largest
):
    values = [Decimal(number).scaleb(-places) for number in numbers]
    epsilon = float(Decimal(reach).scaleb(-places))
    used = max(0, *(-int(value.normalize().as_tuple().exponent) for value in values))
    found = issue_cost(
        [float(value) for value in values],
        n_null,
        epsilon,
        separates=separates,
        fabricate=fabricate,
        fill=fill,
        scale=(smallest, largest),
    )
    separates = separates and epsilon < largest
    expected = cheapest(
        values, n_null, epsilon, used, (smallest, largest), separates=separates,
        fabricate=fabricate,
        median=fill == "median",
    )  # fmt: skip
    assert found == planned(expected)


def planned(expected: tuple[str, Decimal, Decimal, Decimal, Decimal | None]) -> IssuePlan:
    """The naive twin's answer as a plan."""
    *numbers, fill = expected[1:]
    return IssuePlan(
        expected[0],
        *(float(number or 0) for number in numbers),
        None if fill is None else float(fill),
    )


@pytest.mark.parametrize("scale", [(1, 5), (0, 5), (-3, 3)])
@given(data=st.data())
def test_no_clique_at_all_costs_less(scale: tuple[int, int], data: st.DataObject) -> None:
    """Every assignment of ratings of the scale, and nulls, that makes the group a clique."""
    choices = [None, *range(scale[0], scale[1] + 1)]
    cells = data.draw(st.lists(st.sampled_from(choices), min_size=1, max_size=4))
    epsilon = data.draw(st.integers(0, scale[1] - 1))
    costs = []
    for after in itertools.product(choices, repeat=len(cells)):
        present = [cell for cell in after if cell is not None]
        if not present or (len(present) == len(after) and max(present) - min(present) <= epsilon):
            costs.append(sum(abs((x or 0) - (y or 0)) for x, y in zip(cells, after, strict=True)))
    table = build([(cell,) for cell in cells], scale=scale)
    assert group_cost(table, np.arange(len(cells)), epsilon) == min(costs)


def test_a_filled_rating_may_lie_outside_the_groups_own() -> None:
    """3, null, 4 at k = 3, ε = 2: a 2 for the null is within 2 of both.
    3 is the least of the own ones.
    """
    assert issue_cost([3.0, 4.0], 1, 2, scale=(1, 7)) == IssuePlan("fill", 2.0, 4.0, 2.0, 2.0)
    assert issue_cost([3.0, 4.0], 1, 2, scale=(3, 7)) == IssuePlan("fill", 3.0, 5.0, 3.0, 3.0)
    assert issue_cost([3.0, 4.0], 1, 3, scale=(0, 7)).cost == 1
    assert issue_cost([3.0, 4.0], 1, 4, scale=(0, 7)) == IssuePlan("fill", 0.0, 4.0, 0.0, 0.0)


def test_medians_are_imputed_on_demand() -> None:
    """Lower medians, moved into the window that is the least for the ratings.

    Or erased, if that is less.
    """
    assert issue_cost([3.0, 4.0], 1, 2, fill="median") == IssuePlan("fill", 3.0, 4.0, 3.0, 3.0)
    assert issue_cost([1.0, 4.0, 5.0], 1, 1, fill="median") == IssuePlan("fill", 3.0, 4.0, 7.0, 4.0)
    assert issue_cost([1.0, 1.0, 5.0, 5.0], 1, 1, fill="median").fill_value == 1
    assert issue_cost([4.0], 1, 1, fill="median").treatment == "erase"


def test_a_change_that_costs_nothing_is_a_change() -> None:
    """0 beside a null: suppressing the 0 costs 0 in the papers' metric."""
    table = build([(0, 1), (None, 1)], scale=(0, 5))
    by = measure(table, 1)
    windows = choose_windows(table, by, np.arange(2), np.array([0, 2]), fabricate=True)
    assert (windows.group_cost.tolist(), windows.changes.tolist()) == ([0.0], [True])
    assert not audit(table, k=2, epsilon=1).satisfied
    for strategy in STRATEGIES:
        found = modify(table, k=2, epsilon=1, strategy=strategy)
        assert (found.satisfied, found.distortion.total, found.distortion.erased) == (True, 0, 1)


def test_a_null_that_separates_nothing_stays() -> None:
    everybody = np.arange(8)
    assert {plan.treatment for plan in group_plan(table3(), everybody, 2, nulls="wildcard")} == {
        "window"
    }
    assert {plan.treatment for plan in group_plan(table3(), everybody, 7)} == {"window"}  # ε = r
    assert group_cost(table3(), everybody, 7) == 0


def test_the_ends_of_the_scale_are_on_the_grid() -> None:
    """1.1 times 10 is 11.000000000000002 in float64, and 11 on the grid of tenths."""
    plan = issue_cost([1.5, 1.7], 1, 0.6, scale=(1.1, 5))
    assert plan == IssuePlan("fill", 1.1, 1.7, 1.1, 1.1)
    # half a star would not be whole
    assert issue_cost([2.0, 3.0], 1, 2, scale=(0.5, 5)).fill_value == 1


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=6), st.floats(0, 50))
def test_real_ratings_end_within_epsilon(values: list[float], epsilon: float) -> None:
    plan = issue_cost(values, 0, epsilon)
    # of decimals, which a few floats are
    apart = Decimal(repr(plan.high)) - Decimal(repr(plan.low))
    assert plan.high - plan.low <= epsilon or apart <= Decimal(repr(epsilon))
    assert min(values) <= plan.low <= plan.high <= max(values)


@given(tables(8, 4), epsilons, st.sampled_from(NULLS), st.booleans(), st.data())
def test_many_groups_cost_what_each_does(table, epsilon, nulls, fabricate, data):
    records = st.lists(st.sampled_from(range(table.n_records)), min_size=1, unique=True)
    groups = data.draw(st.lists(records, max_size=5))
    costs = Costs(table, epsilon, nulls, fabricate)
    expected = [
        group_cost(table, np.array(g), epsilon, nulls=nulls, fabricate=fabricate) for g in groups
    ]
    assert costs.of(groups).tolist() == pytest.approx(expected, abs=1e-9)

"""Groups of low cost: what the compiled search believes against the definition,
and what it is worth.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import group_cost
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.anonymize.modification._grouping import (
    Room,
    exchange_cost,
    fill_tables,
    issue_total,
)
from ratingpriv.anonymize.modification.dense import dense
from ratingpriv.anonymize.modification.grouping import cheap_groups, costs_of, features, near_blocks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.partition.distortion.windows import FILLS, choose_windows, measure
from ratingpriv.partition.groups import Groups


def histogram(codes, levels):
    found = np.zeros((codes.shape[1], levels + 1), dtype=np.int32)
    for row in codes:
        for j, code in enumerate(row):
            found[j, code] += 1
    return found


@given(
    table=tables(), epsilon=epsilons, nulls=st.sampled_from(NULLS), fabricate=st.booleans(),
    fill=st.sampled_from(FILLS), data=st.data(),
)  # fmt: skip
def test_histograms_cost_what_the_windows_do(table, epsilon, nulls, fabricate, fill, data):
    by = measure(table, epsilon, nulls=nulls, fill=fill)
    if not by.whole:
        return  # real ratings: good enough to choose groups with
    cells = dense(table, by, None)
    costs = costs_of(cells.levels, by, fabricate=fabricate)
    members = data.draw(st.lists(st.integers(0, table.n_records - 1), min_size=1, unique=True))

    def true_cost(some):
        positions = np.array(some, dtype=np.int64)
        cost = group_cost(table, positions, epsilon, nulls=nulls, fabricate=fabricate, fill=fill)
        return round(cost * by.unit)

    h = histogram(cells.codes[members], len(cells.levels))
    width = len(cells.levels) + 1
    room = Room(np.zeros(width), np.zeros(width))
    more, less = (np.zeros((table.n_issues, width), dtype=np.float32) for _ in range(2))
    issues = np.arange(table.n_issues)
    assert sum(issue_total(h[j], costs, room) for j in issues) == true_cost(members)
    assert fill_tables(h, costs, room, more, less) == true_cost(members)
    other = data.draw(st.integers(0, table.n_records - 1))
    if other not in members:
        joined = more[issues, cells.codes[other]].sum()
        assert joined == pytest.approx(true_cost([*members, other]) - true_cost(members))
        swapped = exchange_cost(h, cells.codes[members[0]], cells.codes[other], costs, room)
        assert swapped == true_cost([*members[1:], other]) - true_cost(members)
    if len(members) > 1:
        left = less[issues, cells.codes[members[0]]].sum()
        assert left == pytest.approx(true_cost(members) - true_cost(members[1:]))


def test_the_median_of_a_histogram_is_the_lower_one():
    """1, 1, 5, 5 and a null at ε = 1: into [1, 2] for 6, and a 1 for the null;
    a 5 would become a 2.
    """
    table = build([(1,), (1,), (5,), (5,), (None,)], scale=(1, 5))
    by = measure(table, 1, fill="median")
    cells = dense(table, by, None)
    costs = costs_of(cells.levels, by, fabricate=True)
    room = Room(np.zeros(3), np.zeros(3))
    assert issue_total(histogram(cells.codes, 2)[0], costs, room) == 7
    assert group_cost(table, np.arange(5), 1, fill="median") == 7


@settings(max_examples=40 * DEPTH)
@given(
    table=tables(),
    k=st.integers(1, 4),
    epsilon=epsilons,
    lonely=st.sampled_from([np.inf, 1.0, 0.0]),
)
def test_every_group_has_k_rows(table, k, epsilon, lonely):
    if k > table.n_records:
        return
    by = measure(table, epsilon)
    cells = dense(table, by, None)
    costs = costs_of(cells.levels, by, fabricate=True)
    alone = np.full(table.n_records, lonely)
    labels = cheap_groups(
        cells.codes, k, costs, alone, np.random.default_rng(0), Resources(threads=1)
    )
    groups = Groups.of_labels(labels)
    assert groups.sizes.min(initial=k) >= k
    if lonely == np.inf:
        assert len(groups.unplaced) == 0
    if lonely == 0.0 and by.whole:
        assert choose_windows(table, by, *groups.arranged(), fabricate=True).cost.sum() == 0


def grouped(table, k, epsilon):
    by = measure(table, epsilon)
    cells = dense(table, by, None)
    costs = costs_of(cells.levels, by, fabricate=True)
    alone = np.full(table.n_records, np.inf)
    return cheap_groups(cells.codes, k, costs, alone, np.random.default_rng(0), Resources())


def test_blocks_cover_everything_once_and_are_small():
    rng = np.random.default_rng(0)
    points = features(rng.integers(0, 4, (500, 60)).astype(np.uint8), np.arange(3.0), rng)
    assert points.shape == (500, 48)
    weights = rng.integers(0, 5, 500)
    blocks = near_blocks(points, weights, 40, rng)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(500))
    assert max(int(weights[block].sum()) for block in blocks) <= 40


def test_many_levels_are_rounded_to_choose_groups_only():
    rng = np.random.default_rng(1)
    table = build(np.round(rng.uniform(-10, 10, (80, 2)), 2).tolist(), scale=(-10, 10))
    cells = dense(table, measure(table, 1), None)
    assert len(cells.levels) == 32
    assert not cells.exact
    assert (cells.levels[:-1] < cells.levels[1:]).all()
    labels = grouped(table, 4, 1)
    assert Groups.of_labels(labels).sizes.min() >= 4


def test_a_table_too_large_for_memory_is_refused():
    table = build([(1,) * 50] * 30, scale=(1, 5))
    with pytest.raises(ResourceError, match=r"1500 bytes.*`strategy='paper'`"):
        dense(table, measure(table, 1), 1000)

"""What is left over finds a place: borrowed company, chains of moves; no group is ever lost."""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.partition.greedy.adjusting import join_and_borrow, move_along_chains
from ratingpriv.partition.greedy.greedy import Grouping, sensitive_needs
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index.index import pack_table
from ratingpriv.partition.verifying import verify

pytestmark = pytest.mark.small

TARGET = Target(k=2, epsilon=1)


def grouped(
    table: RatingTable,
    k: int,
    epsilon: float,
    nulls: str = "strict",
    l: float | None = None,  # noqa: E741
) -> Grouping:
    return Grouping(
        pack_table(table, epsilon, nulls, k), table.n_records, k, sensitive_needs(table, l, "paper"),
        Resources(1),
    )  # fmt: skip


def test_a_record_borrows_from_a_group_that_can_spare_one():
    # {1, 1} and the 2 that joins; 3 is near 2 only, and takes it out of the group of three
    grouping = grouped(build([(1,), (1,), (2,), (3,)]), 2, 1)
    seeds = grouping.in_order(None)
    grouping.make(seeds[:1], "")
    grouping.join(seeds[2:3], "")
    assert grouping.labels().tolist() == [0, 0, 0, UNPLACED]
    join_and_borrow(grouping, seeds)
    assert Groups.of_labels(grouping.labels()).labels.tolist() == [0, 0, 1, 1]


def test_members_make_room_along_a_chain():
    # {2, 3} must let 1 in, 3 goes to {4, 5} in the place of 5, and 5 joins {6, 6}
    table = build([(2,), (3,), (4,), (5,), (6,), (6,), (1,)])
    labels = np.array([0, 0, 1, 1, 2, 2, UNPLACED])
    needs = sensitive_needs(table, None, "paper")
    moved = move_along_chains(table, labels, TARGET, needs, Resources())
    assert moved.tolist() == [0, 1, 1, 2, 2, 2, 0]
    assert labels[-1] == UNPLACED  # the labels given are left alone


def test_a_chain_keeps_every_sd() -> None:
    table = build([(2,), (3,), (4,), (4,), (1,)], [(1, 5, 1, 5, 1)])
    labels = np.array([0, 0, 1, 1, UNPLACED])
    needs = sensitive_needs(table, 2, "paper")  # with 1 in the place of 3, group 0 would be {1, 1}
    assert move_along_chains(table, labels, TARGET, needs, Resources()).tolist() == labels.tolist()
    free = sensitive_needs(table, None, "paper")
    assert move_along_chains(table, labels, TARGET, free, Resources()).tolist() == [0, 1, 1, 1, 0]


@given(table=tables(most_records=14), k=st.integers(1, 4), epsilon=epsilons, nulls=st.sampled_from(NULLS),
       l=st.sampled_from([None, 0.5, 2.0]))  # fmt: skip
@settings(max_examples=60 * DEPTH)
def test_groups_stay_groups_and_none_is_lost(table, k, epsilon, nulls, l):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    grouping = grouped(table, k, epsilon, nulls, l)
    seeds = grouping.in_order(None)
    grouping.make(seeds, "")
    before, made = np.count_nonzero(grouping.labels() == UNPLACED), grouping.count
    join_and_borrow(grouping, seeds)
    adjusted = grouping.labels()
    target, needs = Target(k=k, epsilon=epsilon, nulls=nulls), sensitive_needs(table, l, "paper")
    moved = move_along_chains(table, adjusted, target, needs, Resources())
    assert np.count_nonzero(moved == UNPLACED) <= np.count_nonzero(adjusted == UNPLACED) <= before
    groups = Groups.of_labels(moved)
    assert groups.count >= made
    assert verify(table, groups, k, epsilon, l, nulls=nulls).valid

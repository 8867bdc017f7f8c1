"""What is left over finds a place: borrowed company, no group is ever lost."""

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
from ratingpriv.partition.greedy.greedy import Grouping, sensitive_needs
from ratingpriv.partition.greedy.listing import Listing
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.partition.index.index import pack_table
from ratingpriv.partition.verifying import verify

pytestmark = pytest.mark.small


def grouped(
    table: RatingTable,
    k: int,
    epsilon: float,
    nulls: str = "strict",
    l: float | None = None,  # noqa: E741
) -> Grouping:
    target, packed = Target(k=k, epsilon=epsilon, nulls=nulls), pack_table(table, epsilon, nulls, k)
    listing = Listing(table, target, packed, None, Resources(1))
    return Grouping(listing, sensitive_needs(table, l, "paper"))


def test_a_record_borrows_from_a_group_that_can_spare_one():
    # {1, 1} and the 2 that joins; 3 is near 2 only, and takes it out of the group of three
    grouping = grouped(build([(1,), (1,), (2,), (3,)]), 2, 1)
    seeds = grouping.in_order(None)
    grouping.make(seeds[:1], "")
    grouping.join(seeds[2:3], "")
    assert grouping.labels().tolist() == [0, 0, 0, UNPLACED]
    grouping.join_and_borrow(seeds)
    assert Groups.of_labels(grouping.labels()).labels.tolist() == [0, 0, 1, 1]


@given(
    table=tables(most_records=14),
    k=st.integers(1, 4),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    l=st.sampled_from([None, 0.5, 2.0]),
)
@settings(max_examples=60 * DEPTH)
def test_groups_stay_groups_and_none_is_lost(table, k, epsilon, nulls, l):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    grouping = grouped(table, k, epsilon, nulls, l)
    seeds = grouping.in_order(None)
    grouping.make(seeds, "")
    before, made = np.count_nonzero(grouping.labels() == UNPLACED), grouping.count
    grouping.join_and_borrow(seeds)
    adjusted = grouping.labels()
    assert np.count_nonzero(adjusted == UNPLACED) <= before
    groups = Groups.of_labels(adjusted)
    assert groups.count >= made
    assert verify(table, groups, k, epsilon, l, nulls=nulls).valid

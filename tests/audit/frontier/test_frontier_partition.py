"""The frontier by partition: golden answers, what is proved,
and that nothing is searched for in vain.
"""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import tables

from ratingpriv.audit.frontier import search as search_module
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.documents.frontier import RowPartition
from ratingpriv.partition.partitioning import partition
from ratingpriv.partition.verifying import verify


def by_row(found):
    return {
        row.epsilon: "found"
        if row.partition.found
        else "impossible"
        if row.partition.proved_impossible
        else "?"
        for row in found.rows
    }


def test_k_2_of_table_1_is_5_by_partition():
    found = frontier(table1(), partition=True, k=2)
    assert by_row(found) == {
        0: "impossible", 1: "impossible", 3: "impossible", 4: "impossible", 5: "found", 6: "found",
    }  # fmt: skip
    assert (found.smallest_epsilon.neighbourhood, found.smallest_epsilon.partition) == (4, None)
    assert (
        found.smallest_epsilon.partition_proved
    )  # none below 5, where any two ratings are indistinguishable
    assert found.smallest_epsilon.reason.startswith("epsilon 5 reaches it, but from epsilon 5 on")
    at_5 = found.rows[4].partition
    assert (at_5.groups, at_5.min_size, at_5.min_sd) == (2, 2, {"issue 4": 2.0})


@pytest.mark.parametrize("rows", [2, 100])
@pytest.mark.parametrize("k", [None, 2])  # nobody has an SD of 2 alone
def test_l_2_of_table_2_is_3_by_partition(rows, k):
    found = frontier(table2(), partition=True, k=k, l=2, rows=rows)
    assert (found.smallest_epsilon.neighbourhood, found.smallest_epsilon.partition) == (2, 3)
    assert found.smallest_epsilon.partition_proved
    assert by_row(found)[3] == "found"


def test_without_k_groups_of_2_are_looked_for():
    found = frontier(table2(), partition=True)
    assert {row.partition.k for row in found.rows} == {2}
    assert by_row(found)[1] == "found"


def test_no_partition_is_sought_where_a_neighbourhood_is_too_small(monkeypatch):
    tried = []

    def at(self, epsilon):
        tried.append(epsilon)
        return RowPartition(2, epsilon >= 5, False, 2, 2, {}, epsilon)

    monkeypatch.setattr(search_module.Search, "partition", at)
    found = frontier(table1(), partition=True, k=2)
    assert tried == [4, 5]
    assert found.smallest_epsilon.reason.startswith("epsilon 5 reaches it, but")
    assert not found.smallest_epsilon.partition_proved  # at 4 none was found, which proves nothing


def test_none_at_all_is_proved_where_k_is_too_large():
    found = frontier(table2(), partition=True, k=7)
    assert found.smallest_epsilon.partition is None
    assert found.smallest_epsilon.partition_proved


@given(
    table=tables(most_records=6, most_sensitive=1),
    k=st.integers(1, 4),
    rows=st.sampled_from([2, 100]),
)
@settings(max_examples=40 * DEPTH)
def test_both_ways_of_showing_agree_where_it_is_proved(table, k, rows):
    found, everywhere = (
        frontier(table, partition=True, k=k, rows=rows).smallest_epsilon,
        frontier(table, partition=True, k=k).smallest_epsilon,
    )
    assert found.neighbourhood == everywhere.neighbourhood
    if found.partition_proved and everywhere.partition_proved:
        assert found.partition == everywhere.partition
    if found.partition is not None:
        assert found.partition >= found.neighbourhood


def test_real_valued_ratings():
    rng = np.random.default_rng(5)
    table = build(rng.normal(size=(60, 1)).tolist())
    found = frontier(table, partition=True, k=4, rows=5)
    smallest = found.smallest_epsilon
    assert not found.complete
    assert smallest.partition is not None
    assert smallest.partition >= smallest.neighbourhood
    at = next(row for row in found.rows if row.epsilon == smallest.partition)
    assert (at.partition.found, at.partition.epsilon) == (True, smallest.partition)
    verified = verify(
        table, partition(table, k=4, epsilon=smallest.partition).groups, 4, smallest.partition
    )
    assert (verified.valid, verified.unplaced) == (True, 0)

"""Core numbers against peeling by the definition, and against what suppression leaves out."""

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import table1
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import NULLS, epsilons, mixed_tables, tables

from ratingpriv import anonymize
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.proximity.cores import Levels, equal_rows
from ratingpriv.proximity.pairs import pairs

pytestmark = pytest.mark.small


def peeled(near, k):
    """Who is left once nobody with fewer than k neighbours is, by the definition."""
    left = set(range(len(near)))
    while gone := {record for record in left if len(left & set(near[record])) < k}:
        left -= gone
    return left


def neighbours_of(table, epsilon, nulls):
    near = [{record} for record in range(table.n_records)]
    for block in pairs(table, epsilon, nulls=nulls):
        for one, other in zip(block.left.tolist(), block.right.tolist(), strict=True):
            near[one].add(other)
            near[other].add(one)
    return near


def check(found, near, most):
    for k in range(1, most + 1):
        left = peeled(near, k)
        assert set(np.flatnonzero(found.core(k)).tolist()) == left
        assert found.withheld[k] == len(near) - len(left)


@given(table=tables(), epsilon=epsilons, nulls=st.sampled_from(NULLS), most=st.integers(1, 9))
@settings(max_examples=100 * DEPTH)
def test_every_k_is_what_peeling_leaves(table, epsilon, nulls, most):
    found = Levels.at(table, epsilon, nulls=nulls, most=most)
    check(found, proximity.neighbourhoods(table, epsilon, nulls), most)


@given(table=mixed_tables(most_sensitive=1), epsilon=epsilons, nulls=st.sampled_from(NULLS))
@settings(max_examples=60 * DEPTH)
def test_quasi_identifiers_keep_records_apart(table, epsilon, nulls):
    check(Levels.at(table, epsilon, nulls=nulls, most=6), neighbours_of(table, epsilon, nulls), 6)


@given(table=tables(12 if DEPTH > 1 else 8), epsilon=epsilons, nulls=st.sampled_from(NULLS))
@settings(max_examples=25 * DEPTH, deadline=None)
def test_nobody_can_withhold_fewer(table, epsilon, nulls):
    """The largest of all parts in which everybody has k neighbours, by going through every part."""
    near = [
        sum(1 << one for one in some) for some in proximity.neighbourhoods(table, epsilon, nulls)
    ]
    n, found = table.n_records, Levels.at(table, epsilon, nulls=nulls, most=6)
    largest = np.zeros(7, dtype=np.int64)
    for part in range(1, 1 << n):
        members = [one for one in range(n) if part >> one & 1]
        reached = min((near[one] & part).bit_count() for one in members)
        largest[: reached + 1] = np.maximum(largest[: reached + 1], len(members))
    assert found.withheld.tolist() == (n - largest).tolist()


@given(table=tables(20) | mixed_tables(20), epsilon=epsilons, k=st.integers(1, 7))
@settings(max_examples=60 * DEPTH)
def test_suppression_leaves_out_so_many(table, epsilon, k):
    withheld = Levels.at(table, epsilon, most=7).withheld[k]
    try:
        release = anonymize(table, "suppress", k=k, epsilon=epsilon)
    except TargetNotReachedError:
        assert withheld == table.n_records
    else:
        assert withheld == table.n_records - release.table.n_records


@given(
    table=tables() | mixed_tables(),
    distances=st.lists(epsilons, min_size=2, max_size=2).map(sorted),
)
@settings(max_examples=60 * DEPTH)
def test_fewer_are_withheld_for_a_smaller_k_and_a_larger_epsilon(table, distances):
    small, large = (Levels.at(table, epsilon, most=6).withheld for epsilon in distances)
    assert (np.diff(small) >= 0).all()
    assert (large <= small).all()


def key(table, record):
    """All that an adversary may know of a record."""
    mine = slice(*table.indptr[record : record + 2])
    ratings = tuple(zip(table.indices[mine].tolist(), table.codes[mine].tolist(), strict=True))
    return ratings, tuple(int(column.codes[record]) for column in table.quasi)


@given(table=tables(most_sensitive=1) | mixed_tables(most_sensitive=1))
@settings(max_examples=100 * DEPTH)
def test_rows_are_equal_in_ratings_missing_ones_and_quasi_identifiers(table):
    rows = equal_rows(table)
    keys = [key(table, record) for record in range(table.n_records)]
    assert rows.count == len(set(keys))
    for one in range(table.n_records):
        assert [other == keys[one] for other in keys] == (rows.of == rows.of[one]).tolist()


@given(table=tables() | mixed_tables(), epsilon=epsilons, nulls=st.sampled_from(NULLS))
@settings(max_examples=100 * DEPTH)
def test_equal_records_stay_together(table, epsilon, nulls):
    found, rows = Levels.at(table, epsilon, nulls=nulls, most=5), equal_rows(table)
    distinct = found.distinct(rows)
    for k in range(1, 6):
        core = found.core(k)
        assert distinct[k] == len(set(rows.of[core].tolist()))
        assert set(rows.of[core].tolist()).isdisjoint(rows.of[~core].tolist())


def test_what_is_out_of_range():
    for asked in ({"epsilon": -1}, {"epsilon": 1, "most": 0}, {"epsilon": 1, "nulls": "known"}):
        with pytest.raises(ParameterError):
            Levels.at(table1(), **asked)
    with pytest.raises(ValueError, match="up to 3"):
        Levels.at(table1(), 1, most=3).core(4)

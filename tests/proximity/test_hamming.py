"""Hamming groups against a naive twin, with good hashes and bad ones."""

from types import SimpleNamespace
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.proximity import _hamming as kernels
from ratingpriv.proximity import hamming
from ratingpriv.proximity.hamming import hamming_groups

pytestmark = pytest.mark.small


def table_of(supports: list[set[int]], p: int) -> RatingTable:
    rows = [sorted(support) for support in supports]
    indices = np.array([issue for row in rows for issue in row], dtype=np.int32)
    return RatingTable(
        record_ids=pl.int_range(len(rows), eager=True),
        issues=tuple(f"issue {number}" for number in range(p)),
        indptr=np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64),
        indices=indices,
        codes=np.zeros(len(indices), dtype=np.uint8),
        levels=np.array([0.0]),
        scale=None,
    )


def naive(supports: list[set[int]]) -> list[int]:
    number: dict[frozenset[int], int] = {}
    return [number.setdefault(frozenset(support), len(number)) for support in supports]


def check(groups: hamming.HammingGroups, supports: list[set[int]]) -> None:
    expected = naive(supports)
    assert groups.group_of.tolist() == expected
    assert groups.sizes.tolist() == [expected.count(group) for group in range(max(expected) + 1)]
    for group, (start, stop) in enumerate(zip(groups.starts[:-1], groups.starts[1:], strict=True)):
        members = [record for record, other in enumerate(expected) if other == group]
        assert groups.order[start:stop].tolist() == members
        assert groups.support_sizes[group] == len(supports[members[0]])
    for array in (groups.group_of, groups.sizes, groups.support_sizes, groups.order, groups.starts):
        assert array.dtype == np.int64


supports_of_records = st.integers(1, 9).flatmap(
    lambda p: st.tuples(
        st.just(p), st.lists(st.sets(st.integers(0, p - 1)), min_size=1, max_size=30)
    )
)


@given(supports_of_records, st.integers(1, 3))
def test_groups_are_those_of_the_naive_twin(drawn, threads):
    p, supports = drawn
    table = table_of(supports, p)
    groups = hamming_groups(table, threads=threads)
    check(groups, supports)
    assert hamming.hamming_group_sizes(table).tolist() == groups.sizes.tolist()


@given(supports_of_records, st.integers(1, 3))
def test_a_hash_that_says_little_costs_time_only(drawn, values):
    p, supports = drawn
    table = table_of(supports, p)
    weak = np.array([len(support) % values for support in supports], dtype=np.uint64) << np.uint64(
        40
    )
    with mock.patch.object(hamming, "_hashed", return_value=weak):
        check(hamming_groups(table), supports)


def test_records_that_rate_nothing_and_records_that_rate_everything():
    check(hamming_groups(table_of([set()] * 3, 2)), [set()] * 3)
    check(hamming_groups(table_of([{0, 1}] * 3, 2)), [{0, 1}] * 3)
    for supports in ([set()] * 3, [{0, 1}] * 3):
        assert hamming.hamming_group_sizes(table_of(supports, 2)).tolist() == [3]


def test_several_threads_cut_between_rows(monkeypatch):
    monkeypatch.setattr(hamming, "_WORTH_A_THREAD", 4)
    rng = np.random.default_rng(5)
    supports = [
        set(rng.choice(6, size=rng.integers(0, 6), replace=False).tolist()) for _ in range(60)
    ]
    for threads in (1, 2, 3, 50):
        check(hamming_groups(table_of(supports, 6), threads=threads), supports)


def test_the_compiled_hash_is_the_uncompiled_one():
    table = table_of([{0, 3}, set(), {1, 2_000_000_000}], 4)
    hashes, twin = np.empty((2, 3), dtype=np.uint64)
    kernels.hash_rows.run_compiled(table.indptr, table.indices, hashes, 0, 3)
    kernels.hash_rows.run_plain(table.indptr, table.indices, twin, 0, 3)
    assert hashes.tolist() == twin.tolist()


@pytest.mark.parametrize("groups", [1, 5, 70_000])
def test_records_lie_by_group_and_ascend_in_each(groups):
    group_of = np.arange(90_000) * 7919 % groups
    with mock.patch.object(hamming, "_group_of", return_value=(group_of, groups)):
        found = hamming_groups(SimpleNamespace(indptr=np.arange(90_001)))
    assert found.order.tolist() == sorted(range(90_000), key=group_of.tolist().__getitem__)

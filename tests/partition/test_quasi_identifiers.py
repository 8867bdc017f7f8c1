"""Partitions of data with quasi-identifiers: no group has two records that any rule tells apart."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import quasi_groups as naive

from ratingpriv import RatingTable
from ratingpriv.audit.verdict import audit
from ratingpriv.partition.components import components
from ratingpriv.partition.exact import Adjacency, solve
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.slicing import prune_and_adjust, slicing
from ratingpriv.partition.partitioning import partition
from ratingpriv.partition.verifying import verify

RULES = st.tuples(st.sampled_from(["strict", "wildcard"]), st.sampled_from([0.0, 1.0, 2.0, 3.0]))


def _cliques(table: RatingTable, groups: Groups, epsilon: float, nulls: str) -> list[bool]:
    alike = naive.near(table, epsilon, nulls)
    return [
        all(alike[a][b] for a, b in itertools.combinations(members.tolist(), 2))
        for members in groups.members()
    ]


@given(st.integers(0, 10**9), st.integers(1, 12), RULES)
def test_adjacency_and_components_are_those_of_the_definition(seed, n, rule):
    table, (nulls, epsilon) = naive.random_table(np.random.default_rng(seed), n), rule
    alike = np.array(naive.near(table, epsilon, nulls))
    assert np.array_equal(Adjacency(table, epsilon, nulls).matrix(np.arange(n)), alike)
    least = np.arange(n)
    for _ in range(n):
        least = np.array([least[alike[i]].min() for i in range(n)])
    assert np.array_equal(components(table, epsilon, nulls=nulls), least)


@given(st.integers(0, 10**9), st.integers(1, 14), RULES, st.integers(1, 4))
def test_no_group_has_records_that_a_rule_tells_apart(seed, n, rule, k):
    table, (nulls, epsilon) = naive.random_table(np.random.default_rng(seed), n), rule
    for method in ("auto", "greedy", "slicing"):
        found = partition(table, k=k, epsilon=epsilon, nulls=nulls, method=method)
        assert all(_cliques(table, found.groups, epsilon, nulls))
        assert found.groups.count == 0 or found.groups.sizes.min() >= k
        assert not (found.found and found.proved_impossible)
        if found.found:
            assert audit(table, k=k, epsilon=epsilon, nulls=nulls).satisfied
    slices = slicing(table, epsilon, nulls=nulls)
    assert all(_cliques(table, slices, epsilon, nulls))
    assert all(
        _cliques(table, prune_and_adjust(table, slices, k, epsilon, nulls=nulls), epsilon, nulls)
    )
    assert all(
        _cliques(table, greedy(table, k, epsilon, order="fewest", nulls=nulls), epsilon, nulls)
    )


@given(st.integers(0, 10**9), st.integers(2, 7), RULES, st.integers(2, 3))
def test_complete_search_finds_what_there_is_and_proves_the_rest(seed, n, rule, k):
    table, (nulls, epsilon) = naive.random_table(np.random.default_rng(seed), n, nulls=0.1), rule
    alike = naive.near(table, epsilon, nulls)

    def fine(groups):
        return all(
            len(one) >= k and all(alike[a][b] for a, b in itertools.combinations(one, 2))
            for one in groups
        )

    exists = any(fine(groups) for groups in naive.partitions(list(range(n))))
    solution = solve(table, np.arange(n), k, epsilon, nulls=nulls)
    assert solution.status == ("found" if exists else "impossible")
    assert fine([list(one) for one in solution.sets])
    found = partition(table, k=k, epsilon=epsilon, nulls=nulls, method="exact")
    assert (found.found, found.proved_impossible) == (exists, not exists)
    if not exists:
        assert found.reason


@given(
    st.integers(0, 10**9),
    st.integers(2, 7),
    st.sampled_from(["strict", "wildcard"]),
    st.sampled_from([1.0, 4.0]),
)
def test_a_proof_by_uniformity_is_one(seed, n, nulls, epsilon):
    table = naive.random_table(np.random.default_rng(seed), n, nulls=0.1, sensitive=True)
    alike = naive.near(table, epsilon, nulls)
    salary = table.sensitive[0].values

    def fine(groups):
        return all(
            np.std(salary[one]) >= 0.75
            and all(alike[a][b] for a, b in itertools.combinations(one, 2))
            for one in groups
        )

    found = partition(table, k=1, epsilon=epsilon, l=0.75, nulls=nulls)
    exists = any(fine(groups) for groups in naive.partitions(list(range(n))))
    assert not (exists and found.proved_impossible)
    assert not (found.found and not exists)


def test_a_reason_names_what_parts_the_records():
    table = RatingTable.from_wide(
        pl.DataFrame({"q": [1.0] * 4, "salary": [1.0, 1.0, 1.0, 5.0]}),
        sensitive=["salary"],
        scale=(1, 5),
    )
    table = table.replace(
        quasi=(
            naive.quasi_column("region", ["north", "north", "south", "south"]),
            naive.quasi_column("age", [30, 31, 30, 35], 2.0),
        )
    )
    few = partition(table, k=2, epsilon=1)
    assert few.reason is not None
    assert "within 1 that meet its rules on region, age, itself included" in few.reason
    uniform = partition(table, k=1, epsilon=1, l=1.0)
    assert uniform.reason is not None
    assert (
        "rate the same items (and know the same of age) and agree on region as no. 1"
        in uniform.reason
    )


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_many_records_on_few_attributes_are_grouped_by_compiled_kernels(nulls):
    rng = np.random.default_rng(5)
    table = naive.random_table(rng, 3000, issues=3)
    found = partition(table, k=5, epsilon=1.0, nulls=nulls)
    assert verify(table, found.groups, 5, 1.0, nulls=nulls).valid
    for members in found.groups.members()[:50]:
        assert naive.is_clique(table.take(members), list(range(len(members))), 1.0, nulls)

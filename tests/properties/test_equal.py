"""Counted as equal records, and the questions that no distance compares, beside plain loops."""

from decimal import Decimal

import naive.quasi_groups
import pytest
from depth import DEPTH
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import AUDIT_NULLS, epsilons, mixed_tables, tables

from ratingpriv import RatingTable, audit, frontier, partition
from ratingpriv.proximity.neighbourhoods import ENGINES
from ratingpriv.proximity.reservations import idle_questions

pytestmark = pytest.mark.small

both = st.one_of(tables(), mixed_tables(8, 1))


def by_hand(table: RatingTable, k: int | None, nulls: str) -> dict[str, int | None]:
    sizes = [len(near) for near in naive.quasi_groups.neighbourhoods(table, 0, nulls)]
    return {
        "max_k": min(sizes),
        "unique": sizes.count(1),
        "violators": None if k is None else sum(size < k for size in sizes),
    }


@given(both, st.integers(1, 4), epsilons, st.sampled_from(AUDIT_NULLS), st.sampled_from(ENGINES))
@settings(max_examples=60 * DEPTH)
def test_an_audit_counts_equal_records_as_plain_loops_do(table, k, epsilon, nulls, engine):
    found = audit(table, k=k, epsilon=epsilon, nulls=nulls, engine=engine, threads=1).to_dict(0)
    assert found["equal"] == by_hand(table, k, nulls)
    if epsilon == 0:
        assert found["equal"]["max_k"] == found["k_epsilon"]["max_k"]


@given(both, st.integers(1, 4), epsilons, st.sampled_from(["strict", "wildcard"]))
@settings(max_examples=15 * DEPTH)
def test_so_do_a_partition_and_a_frontier(
    table: RatingTable, k: int, epsilon: float, nulls: str
) -> None:
    made = partition(table, k=k, epsilon=epsilon, nulls=nulls, method="greedy", threads=1)
    assert made.to_dict()["equal"] == by_hand(table, k, nulls)
    for asked in (k, None):
        reach = frontier(table, k=asked, epsilon=epsilon, nulls=nulls, partition=False, threads=1)
        assert reach.to_dict()["equal"] == by_hand(table, asked, nulls)


@given(tables(most_records=12), epsilons)
@settings(max_examples=60 * DEPTH)
def test_the_questions_that_a_distance_covers(table: RatingTable, epsilon: float) -> None:
    answers: dict[str, list[float]] = {name: [] for name in table.issues}
    for place, value in zip(table.indices.tolist(), table.values.tolist(), strict=True):
        answers[table.issues[place]].append(value)
    assume(all(len(Decimal(repr(one)).as_tuple().digits) <= 15 for one in table.levels.tolist()))
    idle = []
    for name, values in answers.items():
        different, missing = len(set(values)), len(values) < table.n_records
        if not values or (different == 1 and missing):
            continue  # who answered it is told apart from who did not
        if Decimal(repr(max(values))) - Decimal(repr(min(values))) <= Decimal(repr(float(epsilon))):
            idle.append(name)
    assert idle_questions(table.answer_ranges, epsilon) == idle

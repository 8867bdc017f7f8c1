"""Exposure against enumeration of all knowledge, the theory's counterexamples, and what results say of themselves."""

from __future__ import annotations

import math

import naive.exposure
import naive.proximity
import numpy as np
import pytest
from depth import DEPTH
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from properties.strategies import tables

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.exposure import Exposure, measure

pytestmark = pytest.mark.small

RULES = ("strict", "wildcard", "known")
MOST = 700  # knowledge of a record that a test enumerates


def check_witnesses(table: RatingTable, result: Exposure) -> None:
    """Every witness is off by at most the error, and leaves as many as it is said to."""
    rows = naive.proximity.ratings(table)
    limit = naive.proximity.as_number(table, float(result.error))
    for record, row in enumerate(rows):
        known = {
            table.issues.index(issue): naive.proximity.as_number(table, value)
            for issue, value in result.witness(record).items()
        }
        assert list(known) == list(row)
        if naive.proximity.decimal_levels(table):
            assert all(abs(known[issue] - value) <= limit for issue, value in row.items())
        left = naive.exposure.left(table, known, result.error, result.nulls)
        assert left == result.worst_by_record[record]


def knowledge_of(table: RatingTable, error: float) -> int:
    """How much knowledge there is of the record of which there is most."""
    return max(
        math.prod(len(naive.exposure.knowledge(table, value, error)) for value in row.values())
        for row in naive.proximity.ratings(table)
    )


errors = st.one_of(st.sampled_from([0, 0.1, 0.2, 0.25, 0.5, 1, 1.5, 2, 5, 6]), st.floats(0, 3))


@given(
    table=tables(most_records=7, most_issues=4, most_sensitive=0), error=errors, nulls=st.sampled_from(RULES)
)
@settings(max_examples=150 * DEPTH, deadline=None)
def test_equals_enumeration(table: RatingTable, error: float, nulls: str) -> None:
    assume(knowledge_of(table, error) <= MOST)
    expected, worst = naive.exposure.exposure(table, error, nulls)
    result = ratingpriv.exposure(table, error=error, nulls=nulls, exact=True, threads=1)
    assert result.exact
    assert result.worst_by_record.tolist() == worst
    assert result.expected_by_record == pytest.approx(expected, rel=1e-9)
    assert result.expected == pytest.approx(np.mean(expected), rel=1e-9)
    assert result.expected_low == result.expected == result.expected_high
    assert (result.worst, result.certain) == (min(worst), worst.count(1))
    check_witnesses(table, result)


@given(
    table=tables(most_records=7, most_issues=4, most_sensitive=0), error=errors, nulls=st.sampled_from(RULES)
)
@settings(max_examples=100 * DEPTH, deadline=None)
def test_greedy_never_finds_less_than_there_is(table: RatingTable, error: float, nulls: str) -> None:
    assume(knowledge_of(table, error) <= MOST)
    _, worst = naive.exposure.exposure(table, error, nulls)
    result = ratingpriv.exposure(table, error=error, nulls=nulls, exact=False, samples=3, threads=1)
    assert np.all(result.worst_by_record >= worst)
    exact = result.worst_exact_by_record
    assert result.worst_by_record[exact].tolist() == np.array(worst)[exact].tolist()
    assert not result.worst_exact or result.worst == min(worst)
    assert result.certain <= worst.count(1)
    assert not result.certain_exact or result.certain == worst.count(1)
    check_witnesses(table, result)


@given(
    table=tables(most_records=8, most_issues=5, most_sensitive=0), error=errors, nulls=st.sampled_from(RULES)
)
@settings(max_examples=60 * DEPTH, deadline=None)
def test_search_proves_what_it_says(table: RatingTable, error: float, nulls: str) -> None:
    """Branch and bound, which small tables never reach by themselves: nothing is enumerated."""
    assume(knowledge_of(table, error) <= MOST)
    _, worst = naive.exposure.exposure(table, error, nulls)
    with pytest.MonkeyPatch.context() as patch:
        plan = measure._plan
        patch.setattr(measure, "_plan", lambda *asked: plan(*asked)._replace(enumeration=0, samples=1))
        result = ratingpriv.exposure(table, error=error, nulls=nulls, exact=True, threads=1)
    assert result.worst_by_record.tolist() == worst
    assert result.worst_exact_by_record.all()
    check_witnesses(table, result)


def in_the_way_of_large_tables(table: RatingTable, **asked: object) -> Exposure:
    """Measure as where too many members fit some knowledge to be listed: more than two."""
    with pytest.MonkeyPatch.context() as patch:
        plan = measure._plan
        patch.setattr(measure, "_plan", lambda *some: plan(*some)._replace(most=2))
        return ratingpriv.exposure(table, threads=1, **asked)  # type: ignore[arg-type]


@given(
    table=tables(most_records=8, most_issues=5, most_sensitive=0), error=errors, nulls=st.sampled_from(RULES)
)
@settings(max_examples=100 * DEPTH, deadline=None)
def test_the_way_of_large_tables(table: RatingTable, error: float, nulls: str) -> None:
    assume(knowledge_of(table, error) <= MOST)
    expected, worst = naive.exposure.exposure(table, error, nulls)
    result = in_the_way_of_large_tables(table, error=error, nulls=nulls, samples=200)
    assert np.all(result.worst_by_record >= worst)
    exact = result.worst_exact_by_record
    assert result.worst_by_record[exact].tolist() == np.array(worst)[exact].tolist()
    assert result.expected_low - 1e-9 <= np.mean(expected) <= result.expected_high + 1e-9
    assert result.expected_by_record == pytest.approx(expected, abs=0.25)
    check_witnesses(table, result)

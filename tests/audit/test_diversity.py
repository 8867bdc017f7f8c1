"""Bounds of SDs hold on random data.

Each false claim of the papers is shown false by its counterexample.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratingpriv import audit
from ratingpriv.audit.diversity import sd_ceiling
from ratingpriv.data.table import SensitiveColumn

pytestmark = pytest.mark.small
ratings = st.integers(-5, 10)


def sd_with_nulls(values: list[float | None], rule: str) -> float:
    """[SWLZ11, Eq. 3] in plain loops; the papers' rule counts the squared mean for a null."""
    known = [value for value in values if value is not None]
    if not known:
        return math.inf
    mean = sum(known) / len(known)
    squares = sum((value - mean) ** 2 for value in known)
    if rule == "ignore":
        return math.sqrt(squares / len(known))
    return math.sqrt((squares + (len(values) - len(known)) * mean**2) / len(values))


def column(values: list[float | None]) -> SensitiveColumn:
    present = np.array([value is not None for value in values])
    return SensitiveColumn("s", np.array([value or 0.0 for value in values]), present)


# True bounds


@pytest.mark.parametrize(("value", "rule"), [(ratings, "paper"), (st.none() | ratings, "ignore")])
@given(st.data())
def test_lemma_4_2_holds_for_a_partition_without_nulls_or_where_they_are_ignored(value, rule, data):
    parts = data.draw(st.lists(st.lists(value, min_size=1, max_size=6), min_size=1, max_size=5))
    total = sd_with_nulls([value for part in parts for value in part], rule)
    assert total >= min(sd_with_nulls(part, rule) for part in parts) - 1e-9


@given(st.lists(st.none() | ratings, min_size=1, max_size=12), st.data())
@pytest.mark.parametrize("rule", ["paper", "ignore"])
def test_no_group_passes_the_ceiling(rule, values, data):
    group = data.draw(st.lists(st.sampled_from(range(len(values))), min_size=1, unique=True))
    deviation = sd_with_nulls([values[position] for position in group], rule)
    if math.isfinite(deviation):
        assert deviation <= sd_ceiling(column(values), sensitive_nulls=rule) + 1e-9


def test_the_ceiling_is_popovicius_without_nulls():
    assert sd_ceiling(column([1, 3, 7])) == 3.0
    assert sd_with_nulls([1, 7], "paper") == 3.0


def test_the_ceiling_of_an_issue_without_a_known_rating():
    assert sd_ceiling(column([None, None])) == math.inf


# False ones


def test_theorem_4_2_fails_under_the_papers_null_rule():
    assert sd_with_nulls([5, 5, None], "paper") == pytest.approx(2.8868, abs=1e-4)
    assert sd_ceiling(column([5, 5]), sensitive_nulls="paper") == 0
    assert sd_ceiling(column([5, 5, None]), sensitive_nulls="paper") == 5


@pytest.mark.parametrize(
    "parts",
    [
        [[10, None], [-10, None, None]],
        # a scale from 0 up
        [[0, 10, 0, 10, 0, 10, 0, 10], [6, None, None, None, None, None, None, None]],
    ],
)
def test_lemma_4_2_fails_under_the_papers_null_rule(parts):
    total = sd_with_nulls([value for part in parts for value in part], "paper")
    assert total < min(sd_with_nulls(part, "paper") for part in parts) - 0.1


def test_overlapping_neighbourhoods_may_all_be_more_diverse_than_the_table(table_of):
    # sensitive 0 in the crowd, two extremes that everybody neighbours at epsilon 1
    rows = [(1, 0), (2, 9), (2, -9), (3, 0)]
    crowd = [*rows, (1, 0), (3, 0)]
    result = audit(table_of(crowd), k=1, epsilon=1)
    total = sd_with_nulls([row[1] for row in crowd], "paper")
    neighbours = result.sd("s")
    assert neighbours.min() >= total
    assert neighbours.max() > total

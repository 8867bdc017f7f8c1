"""Groups of records that answered alike: cliques by definition, and refusals."""

import naive.near
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import epsilons, mixed_tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition import check_groups, least_epsilon, near_groups

NULLS = st.sampled_from(["exchange", "fill", "strict"])


@pytest.mark.small
@given(table=mixed_tables(most_records=14), k=st.integers(2, 4), epsilon=epsilons, nulls=NULLS)
@settings(max_examples=100 * DEPTH)
def test_groups_are_cliques_by_definition(table, k, epsilon, nulls):
    if table.n_records < 2 * k:
        with pytest.raises(ParameterError, match="table"):
            near_groups(table, k, epsilon, nulls=nulls)
        return
    found = near_groups(table, k, epsilon, nulls=nulls, withhold_at_most=1)
    labels = found.labels.tolist()
    assert naive.near.faults(table, labels, k, epsilon, nulls) == []
    assert found.left_out == labels.count(-1)
    if not table.quasi:
        assert found.scatter == pytest.approx(naive.near.scatter(table, labels), abs=1e-9)
    if found.groups.count:
        assert check_groups(table, found.labels, k, epsilon, nulls).labels.tolist() == labels


def survey(n: int, p: int, seed: int, missing: float = 0.0):
    rng = np.random.default_rng(seed)
    answers = np.clip((rng.normal(3, 0.8, (n, 1)) + rng.normal(0, 0.7, (n, p))).round(), 1, 5)
    return build([[None if rng.random() < missing else a for a in row] for row in answers.tolist()])


def test_groups_of_other_data_are_refused():
    table = survey(60, 4, 1)
    found = near_groups(table, 5, 2)
    with pytest.raises(ParameterError, match="not 1-proximate"):
        check_groups(table, found.labels, 5, 1)
    with pytest.raises(ParameterError, match="fewer than 30"):
        check_groups(table, found.labels, 30, 2)
    with pytest.raises(ParameterError, match="labels"):
        check_groups(survey(61, 4, 1), found.labels, 5, 2)
    with pytest.raises(ParameterError, match="3 records left out"):
        check_groups(build([(1.0,)] * 9), np.array([0] * 6 + [-1] * 3), 6, 0)


def test_what_cannot_be_made_is_refused():
    table = survey(60, 4, 1)
    with pytest.raises(ParameterError, match="k"):
        near_groups(table, 1, 1)
    with pytest.raises(ParameterError, match="table"):
        near_groups(table, 31, 4)
    with pytest.raises(ParameterError, match="epsilon"):
        near_groups(table, 20, 0)


def test_the_smallest_epsilon_leaves_few_out_and_the_next_smaller_more():
    table = survey(120, 4, 2, 0.02)
    found = least_epsilon(table, 6, 0.05)
    assert found.near.left_out <= 0.05 * 120 < (found.smaller_left_out or 0)
    assert near_groups(table, 6, found.smaller, withhold_at_most=1).left_out == found.smaller_left_out

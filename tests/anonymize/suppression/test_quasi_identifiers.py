"""Suppression of data with quasi-identifiers: the fewest records, by all rules at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import quasi_groups as naive

from ratingpriv.anonymize.suppression.suppress import suppress
from ratingpriv.base.errors import ParameterError, TargetNotReachedError
from ratingpriv.data.table import SensitiveColumn


@given(st.integers(0, 10**9), st.integers(2, 9), st.sampled_from(["strict", "wildcard"]),
       st.sampled_from([0.0, 1.0, 2.0, 4.0]), st.integers(2, 3))  # fmt: skip
@settings(max_examples=60 * DEPTH)
def test_the_largest_part_that_will_do_is_kept_as_it_is(seed, n, nulls, epsilon, k):
    table = naive.random_table(np.random.default_rng(seed), n)
    alike = naive.near(table, epsilon, nulls)

    def fine(part):
        return all(sum(alike[i][j] for j in part) >= k for i in part)

    parts = (part for size in range(n + 1) for part in itertools.combinations(range(n), size))
    most = max(filter(fine, parts), key=len)
    try:
        found = suppress(table, k=k, epsilon=epsilon, nulls=nulls)
    except TargetNotReachedError:
        assert most == ()
        return
    assert found.kept.tolist() == list(most)
    assert found.satisfied
    assert naive.values(found.table) == [naive.values(table)[i] for i in most]
    cost = found.distortion.quasi
    assert (cost.changed, cost.erased, cost.moved) == (0, 0, 0)
    cells = [sum(cell is not None for cell in row) for row in naive.values(table)]
    assert (cost.cells, cost.withheld) == (sum(cells), sum(cells) - sum(cells[i] for i in most))


def test_l_is_about_sensitive_numbers_only():
    table = naive.random_table(np.random.default_rng(3), 8, nulls=0.0, sensitive=True)
    diagnosis = SensitiveColumn("diagnosis", np.zeros(8), np.ones(8, dtype=bool), ("flu", "cold"))
    with_both = table.replace(sensitive=(diagnosis, *table.sensitive), quasi=())
    without = table.replace(quasi=())
    assert suppress(with_both, k=2, epsilon=2, l=0.5).kept.tolist() == suppress(
        without, k=2, epsilon=2, l=0.5
    ).kept.tolist()  # fmt: skip
    with pytest.raises(ParameterError, match="sensitive"):
        suppress(table.replace(sensitive=(diagnosis,)), k=2, epsilon=2, l=0.5)

"""Similarity of records against its naive twin, and on cases worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from attack.attack_tables import ISSUES, dated_table, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv.attack import record_similarity
from ratingpriv.attack.similarity import supports_of, weights_of
from ratingpriv.base.errors import ParameterError


@settings(max_examples=40 * DEPTH)
@given(
    situations(), st.sampled_from([None, 0, 0.2, 1]), st.sampled_from([None, 0, 3, 14]), st.booleans(),
    st.sampled_from(["date", "seconds"]),
)  # fmt: skip
def test_it_is_as_the_naive_twins(situation, rating_tolerance, date_tolerance, weighted, stamps):
    records = situation[0]
    if not any(day is not None for record in records for _, day in record.values()):
        date_tolerance = None
    pairs = list(itertools.product(range(len(records)), repeat=2))
    found = record_similarity(
        dated_table(records, stamps=stamps), *zip(*pairs, strict=True), rating_tolerance=rating_tolerance,
        date_tolerance=date_tolerance, weighted=weighted,
    )  # fmt: skip
    supports = [sum(issue in record for record in records) for issue in range(ISSUES)]
    weights = [naive.weight(support) for support in supports] if weighted else None
    for (a, b), similarity in zip(pairs, found, strict=True):
        expected = naive.record_similarity(records[a], records[b], rating_tolerance, date_tolerance, weights)
        assert similarity == pytest.approx(expected, rel=1e-12)


@pytest.mark.small
def test_the_union_of_supports_divides():
    table = dated_table([{0: (3, 1), 1: (4, 1), 2: (1, 1)}, {1: (4, 5), 2: (2, 1), 3: (5, 1)}, {}])
    assert record_similarity(table, 0, 1, rating_tolerance=None)[0] == 2 / 4
    assert record_similarity(table, 0, 1)[0] == 1 / 4
    assert record_similarity(table, 0, 1, rating_tolerance=1)[0] == 2 / 4
    assert record_similarity(table, 0, 1, rating_tolerance=1, date_tolerance=3)[0] == 1 / 4
    assert record_similarity(table, 0, 1, rating_tolerance=1, date_tolerance=4)[0] == 2 / 4
    weight, lone = 1 / math.log(2), 1 / math.log(2)  # two raters, and one
    expected = weight / (2 * weight + 2 * lone)
    assert record_similarity(table, 0, 1, weighted=True)[0] == pytest.approx(expected)
    assert record_similarity(table, [0, 2, 2], [2, 2, 1]).tolist() == [0, 0, 0]
    assert record_similarity(table, 0, 0)[0] == 1


@pytest.mark.small
def test_supports_and_weights():
    table = dated_table([{0: (3, 1), 1: (4, 1)}, {1: (4, 5)}, {1: (2, 1)}])
    assert supports_of(table).tolist() == [1, 3, 0, 0, 0]
    assert weights_of(np.array([0, 1, 2, 3])).tolist() == [
        1 / math.log(2), 1 / math.log(2), 1 / math.log(2), 1 / math.log(3),
    ]  # fmt: skip


@pytest.mark.small
def test_bad_arguments_are_refused():
    table = dated_table([{0: (3, None)}, {0: (4, None)}], stamps="none")
    for first, second, options in (
        ([0], [2], {}), ([-1], [0], {}), ([0, 1], [0], {}), ([0.5], [0], {}), ([[0]], [[0]], {}),
        ([0], [1], {"rating_tolerance": -1}), ([0], [1], {"date_tolerance": 3}),
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            record_similarity(table, first, second, **options)

"""Scoreboard against its naive twin, which scores every record from the paper's formula."""

import math

import pytest
from attack.attack_tables import assert_same, auxiliary, counts_of, dated_table, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv.attack import Index, scoreboard
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError


@settings(max_examples=60 * DEPTH)
@given(
    situations(),
    st.booleans(),
    st.sampled_from([None, 0, 0.2, 0.5, 1, 3]),
    st.sampled_from([None, 0, 3, 14]),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.9]),
    st.sampled_from(["date", "seconds"]),
    st.data(),
)
def test_it_answers_as_the_naive_twin(
    situation, absent, rating_tolerance, date_tolerance, alpha, stamps, data
):
    records, targets, known = situation
    counts = data.draw(counts_of(targets))
    table = dated_table(records, stamps=stamps, scale=(-1, 9))
    if not all(
        any(day is not None for one in rows for _, day in one.values()) for rows in (records, known)
    ):
        date_tolerance = None
    found = scoreboard(
        table, auxiliary(known, targets, absent=absent, counts=counts), alpha=alpha, top=3,
        rating_tolerance=rating_tolerance, date_tolerance=date_tolerance, resources=Resources(1),
    )  # fmt: skip
    for t, target in enumerate(targets):
        expected = naive.scoreboard(
            records, known[t], None if target < 0 else target, absent=absent, alpha=alpha,
            rating_tolerance=rating_tolerance, date_tolerance=date_tolerance, width=10,
            counts=None if counts is None else counts[t],
        )  # fmt: skip
        assert_same(found, t, expected)


@pytest.mark.small
def test_alpha_is_a_strict_threshold_of_a_graded_similarity():
    records = [{0: (5, None)}, {0: (4, None)}, {0: (2, None)}, {1: (5, None)}]
    table = dated_table(records, scale=(0, 5), stamps="none")
    aux = auxiliary([{0: (5, None)}], [0])
    sizes = [
        scoreboard(table, aux, rating_tolerance=None, alpha=a).matching[0]
        for a in (0, 0.4, 0.79, 0.8)
    ]
    assert sizes == [3, 2, 2, 1]  # 1 - 3/5 is 0.4 and 1 - 1/5 is 0.8: not above
    graded = scoreboard(table, aux, rating_tolerance=None)
    assert graded.best[0] == 0
    assert graded.probabilities[0, :4].tolist() == [1 / 3, 1 / 3, 1 / 3, 0]
    assert graded.entropy_bits[0] == math.log2(3)


@pytest.mark.small
def test_parameters_are_checked_and_kept():
    table = dated_table([{0: (3, 12_000)}, {0: (4, 12_000)}])
    aux = auxiliary([{0: (3, 12_000)}], [0])
    for wrong in (
        {"alpha": 1},
        {"alpha": -0.1},
        {"rating_tolerance": -1},
        {"date_tolerance": math.inf},
    ):
        with pytest.raises(ParameterError):
            scoreboard(table, aux, **wrong)
    found = scoreboard(table, aux, rating_tolerance=1, date_tolerance=3)
    assert found.algorithm == "scoreboard"
    assert found.parameters == {
        "alpha": 0, "rating_tolerance": 1, "date_tolerance": 3, "dates": True, "top": 10,
    }  # fmt: skip


@pytest.mark.small
def test_dates_are_refused_where_there_are_none():
    plain = dated_table([{0: (3, None)}, {0: (4, None)}], stamps="none")
    aux = auxiliary([{0: (3, 12_000)}], [0])
    for data in (plain, Index.of(plain)):
        with pytest.raises(ParameterError, match="date"):
            scoreboard(data, aux, date_tolerance=3)
        assert scoreboard(data, aux).best[0] == 0


@pytest.mark.small
def test_what_is_not_known_is_not_compared():
    table = dated_table([{0: (3, 12_000)}, {0: (3, None)}, {0: (4, 12_000)}])
    known = auxiliary([{0: (3, None)}, {0: (3, 12_001)}], [0, 0])
    assert scoreboard(table, known, date_tolerance=3).matching.tolist() == [2, 1]
    with pytest.raises(ParameterError, match="no date"):
        scoreboard(table, auxiliary([{0: (3, None)}], [0]), date_tolerance=3)

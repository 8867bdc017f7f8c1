"""Scoreboard-RH against its naive twin, which scores every record from the paper's formula."""

from __future__ import annotations

import math

import pytest
from attack.attack_tables import assert_same, auxiliary, counts_of, dated_table, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv.attack import Index, scoreboard_rh
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError


@settings(max_examples=100 * DEPTH)
@given(
    situations(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.5, 3.0]),
    st.sampled_from([(1.5, 30.0), (0.01, 0.02), (1e3, 1e4), (1e-4, 30.0)]),
    st.sampled_from(["date", "seconds", "none"]),
    st.data(),
)
def test_it_answers_as_the_naive_twin(situation, absent, phi, widths, stamps, data):
    records, targets, known = situation
    counts = data.draw(counts_of(targets))
    table = dated_table(records, stamps=stamps)
    rho0, d0 = widths
    aux = auxiliary(known, targets, absent=absent, counts=counts)
    dates = None if stamps != "none" else False
    found = scoreboard_rh(table, aux, rho0=rho0, d0=d0, phi=phi, dates=dates, top=3, resources=Resources(1))
    for t, target in enumerate(targets):
        expected = naive.scoreboard_rh(
            records, known[t], None if target < 0 else target, absent=absent, rho0=rho0, d0=d0, phi=phi,
            dates=stamps != "none", counts=None if counts is None else counts[t],
        )  # fmt: skip
        assert_same(found, t, expected, phi=phi)


@settings(max_examples=30 * DEPTH)
@given(situations())
def test_long_lists_use_tables_of_kernel_values(situation):
    records, targets, known = situation
    many = [
        *records,
        *[{0: (1, 12_000), 1: (1, 12_001)}, {0: (1, 12_002)}] * 40,
    ]  # lists longer than all dates
    many = [{i: (r, None if d is None else 12_000 + d % 50) for i, (r, d) in one.items()} for one in many]
    aux = auxiliary(known, targets)
    found = scoreboard_rh(dated_table(many), aux, resources=Resources(1))
    for t, target in enumerate(targets):
        expected = naive.scoreboard_rh(many, known[t], None if target < 0 else target)
        assert_same(found, t, expected, phi=1.5)


@pytest.mark.small
def test_sums_in_another_order_are_ties():
    # the same four distances, 0 to 3, to what is known of four issues, in two orders
    records = [
        {0: (3, None), 1: (2, None), 2: (1, None), 3: (4, None)},
        {0: (4, None), 1: (3, None), 2: (2, None), 3: (1, None)},
        {4: (1, None)},
    ]
    known = dict.fromkeys(range(4), (1, None))
    found = scoreboard_rh(dated_table(records, stamps="none"), auxiliary([known], [1]), phi=0)
    assert found.scores[0, 0] != found.scores[0, 1]  # in their last digits
    assert found.eccentricity[0] == 0
    assert found.best[0] == -1
    assert (found.better[0], found.tied[0]) == (0, 1)
    assert found.rank_true[0] == 1.5
    assert found.within(1)[0] == 0.5
    assert found.within(2)[0] == 1.0


@pytest.mark.small
def test_parameters_are_checked_and_kept():
    table = dated_table([{0: (3, 12_000)}, {0: (4, 12_000)}])
    aux = auxiliary([{0: (3, 12_000)}], [0])
    for wrong in ({"rho0": 0}, {"d0": -1}, {"phi": -1}, {"top": 0}, {"phi": math.nan}):
        with pytest.raises(ParameterError):
            scoreboard_rh(table, aux, **wrong)
    assert scoreboard_rh(table, aux).parameters == {
        "rho0": 1.5, "d0": 30.0, "phi": 1.5, "dates": True, "top": 10,
    }  # fmt: skip
    assert scoreboard_rh(table, aux, dates=False).parameters["dates"] is False


@pytest.mark.small
def test_dates_are_refused_where_there_are_none():
    plain = dated_table([{0: (3, None)}, {0: (4, None)}], stamps="none")
    aux = auxiliary([{0: (3, 12_000)}], [0])
    with pytest.raises(ParameterError, match="timestamps"):
        scoreboard_rh(plain, aux, dates=True)
    with pytest.raises(ParameterError, match="without dates"):
        scoreboard_rh(Index.of(plain), aux, dates=True)
    undated = auxiliary([{0: (3, None)}], [0])
    with pytest.raises(ParameterError, match="no date"):
        scoreboard_rh(dated_table([{0: (3, 12_000)}, {0: (4, 12_000)}]), undated, dates=True)
    assert scoreboard_rh(plain, aux).parameters["dates"] is False


@pytest.mark.small
def test_auxiliary_information_for_another_table_is_refused():
    table = dated_table([{0: (3, 12_000)}, {0: (4, 12_000)}])
    for aux in (auxiliary([{7: (3, None)}], [0]), auxiliary([{0: (3, None)}], [2])):
        with pytest.raises(ParameterError, match="auxiliary"):
            scoreboard_rh(table, aux)

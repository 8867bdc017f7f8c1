"""Scoreboard-RH against its naive twin, which scores every record from the paper's formula."""

import dataclasses
import math

import numpy as np
import pytest
from attack.attack_tables import assert_same, auxiliary, counts_of, dated_table, draw, situations
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive

from ratingpriv.attack import Index, scoreboard_rh
from ratingpriv.attack.algorithms import driver
from ratingpriv.attack.dates import dates_of
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv_loaders.synthetic.generators import sparse_ratings


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
    found = scoreboard_rh(
        table, aux, rho0=rho0, d0=d0, phi=phi, dates=dates, top=3, resources=Resources(1)
    )
    for t, target in enumerate(targets):
        expected = naive.scoreboard_rh(
            records, known[t], None if target < 0 else target, absent=absent, rho0=rho0, d0=d0,
            phi=phi,
            dates=stamps != "none", counts=None if counts is None else counts[t],
        )  # fmt: skip
        assert_same(found, t, expected, phi=phi)


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


@pytest.mark.parametrize("stamps", ["dates", "instants"])
@pytest.mark.parametrize("absent", [False, True])
def test_numpy_that_scores_everybody_agrees(stamps, absent):
    table = sparse_ratings(1500, 120, 30_000, rng=4)  # lists of 20 to 1,500, 2,192 days
    if stamps == "instants":
        table = table.replace(timestamps=table.timestamps.to_physical().cast(int) * 86_400 + 4_321)
    drawn = draw(table, targets=150, known=6, wrong=2, rating_error=1, date_error=14, rng=2)
    aux = dataclasses.replace(drawn.auxiliary, absent=absent)
    found = scoreboard_rh(Index.of(table), aux)
    n = table.n_records
    owner = np.repeat(np.arange(n), np.diff(table.indptr))
    ratings, days = np.full((2, n, table.n_issues), np.nan)
    ratings[owner, table.indices], days[owner, table.indices] = table.values, dates_of(table)
    for t, target in enumerate(aux.targets.tolist()):
        part = slice(aux.indptr[t], aux.indptr[t + 1])
        issues = aux.issues[part]
        rows = np.delete(np.arange(n), target) if absent else np.arange(n)
        rated = ratings[np.ix_(rows, issues)]
        supports = (~np.isnan(rated)).sum(axis=0)
        terms = np.exp(-np.abs(rated - aux.ratings[part]) / 1.5)
        terms += np.exp(-np.abs(days[np.ix_(rows, issues)] - aux.dates[part]) / 30)
        scores = np.nansum(terms / np.log(np.maximum(supports, 2)), axis=1)
        second, first = np.sort(scores)[-2:]
        eccentricity = (first - second) / scores.std()
        assert found.eccentricity[t] == pytest.approx(eccentricity, rel=1e-9)
        assert found.best[t] == (rows[scores.argmax()] if eccentricity >= 1.5 else -1)
        powers = np.exp((scores - first) / scores.std())
        chances = powers / powers.sum()
        assert found.shannon_bits[t] == pytest.approx(-(chances * np.log2(chances)).sum(), rel=1e-9)
        if not absent:
            assert found.entropy_bits[t] == pytest.approx(
                -np.log2(chances[target]), rel=1e-9, abs=1e-12
            )
            assert found.better[t] == (scores > scores[target] * (1 + 1e-12)).sum()
        top = np.sort(scores)[::-1][:10]
        np.testing.assert_allclose(found.scores[t], top, rtol=1e-12)
    assert (found.best == aux.targets).any() != absent


# ---- in pieces: no kernel call is long, and after Ctrl-C no further one is begun ----


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_the_attack(monkeypatch, threads):
    records = [{0: (3, 12_000), 1: (r % 5 + 1, 12_001)} for r in range(50)]
    aux = auxiliary(records, range(50))
    monkeypatch.setattr(driver, "_PIECE", 1)
    seen = []

    def progress(what, done, total):
        seen.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scoreboard_rh(dated_table(records), aux, resources=Resources(threads, progress=progress))
    assert len(seen) == 1

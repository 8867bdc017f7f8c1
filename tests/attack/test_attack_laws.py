"""Equality with NumPy, which scores everybody, on a table with long and short lists."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from attack.attack_tables import draw

from ratingpriv.attack import Index, scoreboard_rh
from ratingpriv.attack.dates import dates_of
from ratingpriv_loaders.synthetic.generators import sparse_ratings


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
            assert found.entropy_bits[t] == pytest.approx(-np.log2(chances[target]), rel=1e-9, abs=1e-12)
            assert found.better[t] == (scores > scores[target] * (1 + 1e-12)).sum()
        top = np.sort(scores)[::-1][:10]
        np.testing.assert_allclose(found.scores[t], top, rtol=1e-12)
    assert (found.best == aux.targets).any() != absent

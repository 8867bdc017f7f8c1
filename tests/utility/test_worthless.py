"""The worthless release: presence as in the original, ratings from the issue's own, nothing else kept."""

from __future__ import annotations

import numpy as np
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import mixed_tables, tables, without_ratings

from ratingpriv.utility.pair import pair_of
from ratingpriv.utility.tables import worthless
from ratingpriv.utility.utility import utility_of_pair


@settings(max_examples=25)
@given(st.one_of(tables(), mixed_tables(most_sensitive=2)), st.integers(0, 9))
def test_presence_stays_and_ratings_are_the_issues_own(table, seed) -> None:
    found = worthless(table, np.random.default_rng(seed))
    assert np.array_equal(found.indptr, table.indptr)
    assert np.array_equal(found.indices, table.indices)
    for issue in range(table.n_issues):
        assert set(found.codes[found.indices == issue]) <= set(table.codes[table.indices == issue])
    for before, after in zip(table.sensitive, found.sensitive, strict=True):
        assert np.array_equal(before.present, after.present)
        assert set(after.values[after.present]) <= set(before.values[before.present])
    for known, drawn in zip(table.quasi, found.quasi, strict=True):
        assert np.array_equal(known.codes < 0, drawn.codes < 0)
        assert set(drawn.codes) <= set(known.codes)


def test_each_of_an_issues_ratings_is_as_likely() -> None:
    """3 of 4 ratings are 1: 0.75 ± 4 standard errors; drawing among the distinct ones would give 0.5."""
    table = build([(1, 0), (1, None), (1, None), (2, 5)] * 1000, [(0, 0, None, 1) * 1000])
    found = worthless(table, np.random.default_rng(1))
    first = found.values[found.indices == 0]
    assert abs(float(np.mean(first == 1)) - 0.75) < 4 * 0.433 / 4000**0.5
    assert abs(float(np.mean(found.values[found.indices == 1])) - 2.5) < 4 * 2.5 / 2000**0.5
    own = found.sensitive[0].values[found.sensitive[0].present]
    assert abs(float(own.mean()) - 1 / 3) < 4 * 0.471 / 3000**0.5
    assert abs(np.corrcoef(first, table.values[table.indices == 0])[0, 1]) < 0.06


def test_issues_that_only_the_release_has_change_nothing_of_the_references() -> None:
    """They were asked for as well: the worthless release then answered other queries than the release."""
    original = build([(1, 2, 3), (2, 3, 1), (3, 1, 2), (3, 3, 3)] * 5, scale=(1, 3))
    release = build([(1, 2, 3, 1)] * 20, scale=(1, 3))
    found = [
        utility_of_pair(pair_of(original, one), ["query_error", "questions"])
        for one in (release, release.drop(["issue 4"]))
    ]
    for name in ("query_error", "questions"):
        assert found[0][name] == found[1][name]
        assert found[0][name].worthless != 0


def test_nothing_to_draw() -> None:
    table = build([(None,), (None,)], [(None, None)])
    assert worthless(table, np.random.default_rng(0)).n_ratings == 0
    bare = without_ratings(table)
    assert worthless(bare, np.random.default_rng(0)).n_records == 2

"""Query error [SWLP10, §5.3]: the golden query, plain loops, what is drawn and what is not."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from golden.tables import build, table1
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import utility as naive
from properties.strategies import mixed_tables, without_ratings
from utility.releases import ONE, originals_and_releases, reordered

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import QuasiColumn
from ratingpriv.utility import query_error as module
from ratingpriv.utility.pair import Pair, pair_of
from ratingpriv.utility.query_error import columns_of, query_error, values_of
from ratingpriv.utility.tables import levels_of, nearest_level
from ratingpriv.utility.utility import utility_of_pair


def measured(pair, seed=0, **settings):
    return query_error(pair, rng=np.random.default_rng(seed), resources=ONE, **settings)


def matching(table, original, query):
    return module.matching(columns_of(table, original, levels_of(original)), query, table.n_records)


def test_the_golden_query():
    """act = 3 (t1, t2, t3), est = 2."""
    original = table1()
    rows = [(3, 4, None), (2, 5, None), (2, 5, None), (1, None, 5), (2, None, 6)]
    release = build(rows, [(6, 1, 1, 1, 5)], scale=(1, 6))
    asked = {0: (1, 2, 6), 1: (1, 5, 6), 3: (1, 5, 6)}
    query = [(at, np.isin(np.arange(1, 7), wanted)) for at, wanted in asked.items()]
    assert matching(original, original, query) == 3
    assert matching(release, original, query) == 2


@pytest.mark.parametrize(
    ("levels", "selectivity", "width", "b"),
    [(5, 0.1, 1, 2), (5, 0.1, 2, 3), (5, 0.2, 2, 3), (5, 0.05, 2, 2), (5, 0.1, 3, 3),
    (10, 0.1, 2, 5),
     (6, 1 / 8, 2, 3), (1, 0.1, 2, 1), (5, 1e-9, 1, 1), (5, 1, 2, 5)],
)  # fmt: skip
def test_how_many_values_are_wanted(levels, selectivity, width, b):
    assert values_of(levels, selectivity, width + 1) == b


@settings(max_examples=25)
@given(
    originals_and_releases(), st.integers(1, 3), st.sampled_from([0.05, 0.3, 1]), st.integers(0, 5)
)
def test_equal_to_plain_loops(both, width, selectivity, seed):
    table, release = both
    with patch.object(module, "_DRAWS", 20):
        found = measured(
            Pair(table, release), seed, queries=5, issues=width, selectivity=selectivity
        )
    if not table.n_ratings:
        assert found.reason == "the original has no ratings to ask for"
        return
    errors, floored, redrawn = naive.query_errors(table, release, seed, 5, width, selectivity, 20)
    assert (found.details["queries"], found.details["redrawn"]) == (len(errors), redrawn)
    assert found.details["floor"] == pytest.approx(np.mean(floored))
    assert found.value == (pytest.approx(np.mean(errors)) if errors else None)
    if errors:
        assert found.details["median"] == pytest.approx(np.median(errors))
        assert min(errors) - 1e-9 <= found.low <= found.high <= max(errors) + 1e-9


@settings(max_examples=25)
@given(mixed_tables(most_sensitive=1), st.data(), st.integers(1, 3), st.integers(0, 5))
def test_quasi_identifiers_are_asked_for_like_issues(table, data, width, seed):
    """The release: the same columns in another order, some values blanked, some numbers moved."""
    quasi = []
    for column in table.quasi[::-1]:
        blank = np.array(
            data.draw(st.lists(st.booleans(), min_size=table.n_records, max_size=table.n_records))
        )
        values = column.values if column.values.dtype == pl.String else column.values + 0.25
        quasi.append(
            replace(column, codes=np.where(blank, -1, column.codes).astype(np.int32), values=values)
        )
    release = table.replace(quasi=tuple(quasi))
    with patch.object(module, "_DRAWS", 20):
        found = measured(Pair(table, release), seed, queries=5, issues=width)
        same = measured(Pair(table, table), seed, queries=5, issues=width)
    assert same.value in (0.0, None)
    if found.reason != "the original has no ratings to ask for":
        errors, floored, _ = naive.query_errors(table, release, seed, 5, width, 0.1, 20)
        assert found.details["floor"] == pytest.approx(np.mean(floored))
        assert found.value == (pytest.approx(np.mean(errors)) if errors else None)


def quasi_only(*, blanked=False, numbers=False):
    """400 records with a region and an age, and no ratings; region blanked for every second one."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, 400).astype(np.int32)
    regions = pl.Series([1.0, 2, 3, 4]) if numbers else pl.Series(["e", "n", "s", "w"])
    if blanked:
        codes[::2] = -1
    ages = QuasiColumn(
        "age", rng.integers(0, 9, 400).astype(np.int32), pl.Series(np.arange(9.0)), 1.0
    )
    table = without_ratings(build([(1,)] * 400, [tuple(rng.integers(1, 6, 400).tolist())]))
    return table.replace(quasi=(QuasiColumn("region", codes, regions), ages))


def test_blanked_quasi_identifiers_are_an_error():
    """It was 0: a query asked for the sensitive issue alone, and `modify` leaves that as it is."""
    same, blanked = quasi_only(), quasi_only(blanked=True)
    assert measured(pair_of(same, same)).value == 0
    assert 0.3 < measured(pair_of(same, blanked)).value < 0.7
    # the columns are not in the release
    assert measured(pair_of(same, blanked.replace(quasi=()))).value == 1
    found = utility_of_pair(pair_of(same, blanked), ["query_error"])["query_error"]
    assert found.worthless > 0


def test_a_column_that_was_read_as_something_else_is_not_measured():
    found = measured(pair_of(quasi_only(), quasi_only(numbers=True)))
    assert found.value is None
    assert "region" in found.reason


@settings(max_examples=25)
@given(originals_and_releases(), st.integers(0, 9))
def test_no_error_of_the_original_and_no_order_matters(both, seed):
    table, release = both
    same = measured(Pair(table, table), queries=2)
    assert same.value in (0.0, None)
    assert same.details.get("floor", 0) == 0
    pair = pair_of(reordered(table, seed), reordered(release, seed + 1))
    assert measured(pair, queries=2) == measured(Pair(table, release), queries=2)


def test_zero_is_a_rating_and_a_null_matches_nothing():
    table = build([(0,), (None,), (1,)], scale=(0, 1))
    assert matching(table, table, [(0, np.array([True, False]))]) == 1
    assert matching(table, table, [(0, np.array([True, True]))]) == 2


def test_a_rating_that_is_no_level_is_read_as_the_nearest_halves_upwards():
    levels = np.array([1.0, 2, 3, 4, 5])
    assert nearest_level(levels, np.array([0, 1.4, 1.5, 2.49, 4.5, 9])).tolist() == [
        0,
        0,
        1,
        1,
        4,
        4,
    ]
    assert nearest_level(np.array([0.1, 0.2]), np.array([0.15])).tolist() == [1]
    assert nearest_level(np.array([7.0]), np.array([1.0, 9])).tolist() == [0, 0]
    assert levels_of(build([(1, 3)], scale=(1, 5))).tolist() == [1, 2, 3, 4, 5]
    assert levels_of(build([(1, 3)])).tolist() == [1, 3]
    assert levels_of(build([(1, 2.5)], scale=(1, 5))).tolist() == [1, 2.5]
    assert levels_of(build([(1, 3)], scale=(0, 10**9))).tolist() == [1, 3]


def test_labels_of_a_sensitive_issue_are_matched_by_what_they_mean():
    table = build([(1,), (1,), (1,)], [(0, 1, 1)], scale=(1, 2))
    named = replace(table.sensitive[0], labels=("yes", "no"))
    other = replace(named, labels=("no", "yes"), values=np.array([1.0, 0, 0]))
    pair = Pair(table.replace(sensitive=(named,)), table.replace(sensitive=(other,)))
    assert measured(pair, queries=20).value == 0


def test_a_query_that_nobody_meets_is_drawn_again():
    """Half of the pairs of values are nobody's: their error would be 0 / 0;
    the release misses the others.
    """
    original, release = (
        build([(1, 1), (2, 2)], scale=(1, 2)),
        build([(None, 1), (None, 2)], scale=(1, 2)),
    )
    found = measured(Pair(original, release), queries=40, selectivity=0.25)
    assert (found.value, found.details["queries"], found.details["values"]) == (1, 40, 1)
    assert 20 < found.details["redrawn"] < 80
    assert 0 < found.details["floor"] < 1  # 0 / 0.002 where nobody is meant


def test_what_cannot_be_measured():
    bare = without_ratings(table1())
    only_sensitive = measured(Pair(bare, bare), queries=5)
    assert (only_sensitive.value, only_sensitive.details["issues"]) == (0, 0)
    bare = bare.replace(sensitive=())
    assert measured(Pair(bare, bare)).reason == "the original has no ratings to ask for"
    nothing = build([(None,)], scale=(1, 5))
    assert measured(Pair(nothing, nothing)).value is None
    apart = build([(1, None), (None, 1)], scale=(1, 2))  # no record rates both
    found = measured(Pair(apart, apart), queries=2)
    assert found.reason == "none of 2,000 queries matches a record of the original"
    assert found.details["floor"] == 0
    lost = measured(Pair(table1(), table1().replace(sensitive=())), queries=10)
    assert lost.value == 1  # nobody has a sensitive rating any more


def test_every_query_is_told_about():
    table, told = build([(1, 2), (2, 3), (5, 5)], scale=(1, 5)), []
    resources = Resources(progress=lambda what, done, total: told.append((what, done, total)))
    pair = Pair(table, table, np.arange(3), "key")
    found = query_error(pair, rng=np.random.default_rng(0), resources=resources, queries=4)
    assert found.details["queries"] == 4
    assert {*told} == {("counting queries", done, 4) for done in range(4)}

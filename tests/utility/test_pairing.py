"""Original and release side by side, and the worthless release:
presence as in the original, nothing else.
"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.proximity import ratings
from properties.strategies import mixed_tables, tables, without_ratings

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.utility.pair import pair_of
from ratingpriv.utility.tables import worthless
from ratingpriv.utility.utility import utility_of_pair


def by_name(table):
    """Every record's ratings by the issue's name."""
    return [{table.issues[issue]: value for issue, value in row.items()} for row in ratings(table)]


def test_issues_are_matched_by_name_and_what_one_lacks_is_unrated_there():
    original = build([(1, 2, None), (0, None, 5)], scale=(0, 5))
    release = build([(4, None, 3), (1, 0, None)], scale=(0, 5))
    release = replace(release, issues=("issue 3", "new", "issue 1"))
    pair = pair_of(original, release)
    assert pair.original.issues == pair.release.issues == ("issue 1", "issue 2", "issue 3", "new")
    assert (pair.issues_lost, pair.issues_added) == (1, 1)
    assert by_name(pair.original) == by_name(original)
    assert by_name(pair.release) == [{"issue 3": 4, "issue 1": 3}, {"issue 3": 1, "new": 0}]
    assert (pair.pairing, pair.paired_by, pair.withheld) == (None, None, None)


@settings(max_examples=25)
@given(tables(), st.randoms())
def test_no_rating_is_lost_whatever_the_order_of_issues(table, random):
    order = list(range(table.n_issues))
    random.shuffle(order)
    back = np.argsort(order).astype(np.int32)
    rows = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
    at = np.lexsort((back[table.indices], rows))
    other = replace(
        table,
        issues=tuple(table.issues[i] for i in order),
        indices=back[table.indices][at],
        codes=table.codes[at],
    )
    pair = pair_of(table, other)
    assert pair.release.issues == table.issues
    assert np.array_equal(pair.release.indices, table.indices)
    assert np.array_equal(pair.release.codes, table.codes)


def test_timestamps_move_with_their_ratings():
    table = build([(1, 2)], scale=(1, 5)).replace(timestamps=pl.Series([10, 20]))
    other = replace(table, issues=("issue 2", "issue 1"))
    pair = pair_of(table, other)
    assert pair.release.timestamps is not None
    assert pair.release.timestamps.to_list() == [20, 10]


def test_records_are_paired_by_key_or_kept_ids_and_never_by_guess():
    table = table2()
    key = Key(("t1", "t2", "t3", "t4", "t5", "t6"), (7, None, 3, 9, 8, 1))
    release = table.take(np.array([5, 0, 2, 3, 4])).replace(record_ids=pl.Series([1, 7, 3, 9, 8]))
    pair = pair_of(table, release, key)
    assert pair.pairing is not None
    assert (pair.pairing.tolist(), pair.paired_by, pair.withheld) == ([1, -1, 2, 3, 4, 0], "key", 1)
    kept = pair_of(table, table.take(np.array([5, 0, 2])), "ids")
    assert kept.pairing is not None
    assert (kept.pairing.tolist(), kept.paired_by, kept.withheld) == (
        [1, -1, 2, -1, -1, 0],
        "ids",
        3,
    )
    assert pair_of(table, release).pairing is None


def test_what_does_not_belong_together_is_refused():
    table, letters = table2(), list("abcdef")
    ids = tuple(table.record_ids.to_list())
    plain, hidden = (
        build([(1, 2), (2, 3)], scale=(1, 5)),
        build([(1,), (2,)], [(2, 3)], scale=(1, 5)),
    )
    for original, release, more, words in (
        (table, table, {"truth": Key(ids, tuple(letters))}, "released record that is not there"),
        (table, table, {"truth": "position"}, "'ids'"),
        (
            table,
            table.replace(record_ids=pl.Series(letters)),
            {"truth": "ids"},
            "ids that were kept",
        ),
        # the attack takes a sample of the original; here the rest would count as ratings that were
        # added
        (
            table.take(np.arange(3)),
            table,
            {"truth": Key(ids, ids)},
            "3 records that are none of the",
        ),
        (plain, hidden, {}, "issue 2, an item of the original and a sensitive item"),
        (hidden, plain, {}, "issue 2, an item of the release and a sensitive item"),
    ):
        with pytest.raises(ParameterError, match=words):
            pair_of(original, release, **more)


# ---- the worthless release ----


@settings(max_examples=25)
@given(st.one_of(tables(), mixed_tables(most_sensitive=2)), st.integers(0, 9))
def test_presence_stays_and_ratings_are_the_issues_own(table, seed):
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


def test_each_of_an_issues_ratings_is_as_likely():
    """3 of 4 ratings are 1: 0.75 ± 4 standard errors;
    drawing among the distinct ones would give 0.5.
    """
    table = build([(1, 0), (1, None), (1, None), (2, 5)] * 1000, [(0, 0, None, 1) * 1000])
    found = worthless(table, np.random.default_rng(1))
    first = found.values[found.indices == 0]
    assert abs(float(np.mean(first == 1)) - 0.75) < 4 * 0.433 / 4000**0.5
    assert abs(float(np.mean(found.values[found.indices == 1])) - 2.5) < 4 * 2.5 / 2000**0.5
    own = found.sensitive[0].values[found.sensitive[0].present]
    assert abs(float(own.mean()) - 1 / 3) < 4 * 0.471 / 3000**0.5
    assert abs(np.corrcoef(first, table.values[table.indices == 0])[0, 1]) < 0.06


def test_issues_that_only_the_release_has_change_nothing_of_the_references():
    """They were asked for as well: the worthless release then answered
    other queries than the release.
    """
    original = build([(1, 2, 3), (2, 3, 1), (3, 1, 2), (3, 3, 3)] * 5, scale=(1, 3))
    release = build([(1, 2, 3, 1)] * 20, scale=(1, 3))
    found = [
        utility_of_pair(pair_of(original, one), ["query_error", "questions"])
        for one in (release, release.drop(["issue 4"]))
    ]
    for name in ("query_error", "questions"):
        assert found[0][name] == found[1][name]
        assert found[0][name].worthless != 0


def test_nothing_to_draw():
    table = build([(None,), (None,)], [(None, None)])
    assert worthless(table, np.random.default_rng(0)).n_ratings == 0
    bare = without_ratings(table)
    assert worthless(bare, np.random.default_rng(0)).n_records == 2

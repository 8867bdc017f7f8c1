"""Original and release side by side: issues by name, records by key or ids, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.proximity import ratings
from properties.strategies import tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.utility.pair import pair_of


def by_name(table):
    """Every record's ratings by the issue's name."""
    return [{table.issues[issue]: value for issue, value in row.items()} for row in ratings(table)]


def test_issues_are_matched_by_name_and_what_one_lacks_is_unrated_there() -> None:
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
def test_no_rating_is_lost_whatever_the_order_of_issues(table, random) -> None:
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


def test_timestamps_move_with_their_ratings() -> None:
    table = build([(1, 2)], scale=(1, 5)).replace(timestamps=pl.Series([10, 20]))
    other = replace(table, issues=("issue 2", "issue 1"))
    pair = pair_of(table, other)
    assert pair.release.timestamps is not None
    assert pair.release.timestamps.to_list() == [20, 10]


def test_records_are_paired_by_key_or_kept_ids_and_never_by_guess() -> None:
    table = table2()
    key = Key(("t1", "t2", "t3", "t4", "t5", "t6"), (7, None, 3, 9, 8, 1))
    release = table.take(np.array([5, 0, 2, 3, 4])).replace(record_ids=pl.Series([1, 7, 3, 9, 8]))
    pair = pair_of(table, release, key)
    assert pair.pairing is not None
    assert (pair.pairing.tolist(), pair.paired_by, pair.withheld) == ([1, -1, 2, 3, 4, 0], "key", 1)
    kept = pair_of(table, table.take(np.array([5, 0, 2])), "ids")
    assert kept.pairing is not None
    assert (kept.pairing.tolist(), kept.paired_by, kept.withheld) == ([1, -1, 2, -1, -1, 0], "ids", 3)
    assert pair_of(table, release).pairing is None


def test_a_truth_that_does_not_fit_the_release_is_refused() -> None:
    table = table2()
    with pytest.raises(ParameterError, match="released record that is not there"):
        pair_of(table, table, Key(tuple(table.record_ids.to_list()), ("a", "b", "c", "d", "e", "f")))
    with pytest.raises(ParameterError, match="'ids'"):
        pair_of(table, table, "position")
    with pytest.raises(ParameterError, match="ids that were kept"):
        pair_of(table, table.replace(record_ids=pl.Series(["a", "b", "c", "d", "e", "f"])), "ids")


def test_a_release_of_more_records_than_the_original_has_is_refused() -> None:
    """The attack takes a sample of the original; here the rest would count as ratings that were added."""
    table = table2()
    key = Key(tuple(table.record_ids.to_list()), tuple(table.record_ids.to_list()))
    with pytest.raises(ParameterError, match="3 records that are none of the original's"):
        pair_of(table.take(np.array([0, 1, 2])), table, key)


def test_a_name_that_is_an_issue_here_and_sensitive_there_is_refused() -> None:
    one = build([(1, 2), (2, 3)], scale=(1, 5))
    other = build([(1,), (2,)], [(2, 3)], scale=(1, 5))
    for first, second in ((one, other), (other, one)):
        with pytest.raises(ParameterError, match="issue 2, an issue of the"):
            pair_of(first, second)


def test_groups_are_one_a_released_record() -> None:
    table = table2()
    pair = pair_of(table, table, groups=np.array([0, 0, 0, 0, 1, 1]))
    assert pair.groups is not None
    assert pair.groups.dtype == np.int32
    with pytest.raises(ParameterError, match="groups"):
        pair_of(table, table, groups=np.array([0, 1]))

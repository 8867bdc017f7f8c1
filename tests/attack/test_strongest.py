"""The strongest adversary: knows every rating of a person, exactly,
and which ratings are missing.
"""

import dataclasses
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import whole_record as naive

import ratingpriv
from ratingpriv.attack import strongest as module
from ratingpriv.attack import whole_record
from ratingpriv.data.codebook.table_like import as_table

ROLES = {"quasi": ["region", "age=5"], "sensitive": ["pay"], "scale": (1, 5)}
ANSWERS = st.sampled_from((1, 1, 2, 3, None))
REGIONS, AGES = st.sampled_from(("n", "s", None)), st.sampled_from((20, 24, 31, None))
ROWS = st.tuples(ANSWERS, ANSWERS, ANSWERS, REGIONS, AGES)


def table_of(rows):
    names = ("one", "two", "three", "region", "age")
    cells = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    kinds = {"region": pl.String, "age": pl.Float64} | dict.fromkeys(names[:3], pl.Float64)
    frame = pl.DataFrame(
        {"id": range(len(rows)), **cells, "pay": [1.0] * len(rows)}, schema_overrides=kinds
    )
    return as_table(frame, id="id", **ROLES)


@st.composite
def releases(draw):
    """Draw records, what was made of them, and where in the release each one is."""
    rows = draw(st.lists(ROWS, min_size=2, max_size=7))
    kept = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    kept[0] = True
    persons = draw(st.permutations([person for person, stays in enumerate(kept) if stays]))
    changed = [draw(ROWS) if draw(st.booleans()) else rows[person] for person in persons]
    places = np.full(len(rows), -1)
    places[persons] = np.arange(len(persons))
    return table_of(rows), table_of(changed), places


@given(st.lists(ROWS, min_size=1, max_size=8))
def test_in_the_data_as_many_are_found_as_there_are_distinct_rows(rows):
    table = table_of(rows)
    found, expected = whole_record(table), naive.whole_record(table)
    assert (found.success.count, found.distinct) == pytest.approx(expected)
    assert found.success.rate == found.success.low == found.success.high == found.at_most
    assert (found.success.of, found.records, found.algorithm) == (
        len(rows),
        len(rows),
        "equal-rows",
    )


@given(releases())
def test_in_a_release_it_is_as_by_plain_loops(drawn):
    original, release, places = drawn
    found, expected = (
        whole_record(original, release, places),
        naive.whole_record(original, release, places),
    )
    assert (found.success.count, found.distinct) == pytest.approx(expected)
    assert found.success.of == found.records == release.n_records
    # whatever is known, equal records are not told apart
    assert found.success.rate <= found.at_most == found.distinct / release.n_records


@given(releases(), st.randoms(use_true_random=False))
def test_the_order_of_a_release_changes_nothing(drawn, random):
    original, release, places = drawn
    order = list(range(release.n_records))
    random.shuffle(order)
    again = np.where(places < 0, -1, np.argsort(order)[places])
    assert whole_record(original, release.take(np.array(order)), again) == whole_record(*drawn)


@pytest.mark.parametrize("method", ["suppress", "modify"])
def test_it_is_at_least_what_the_suite_finds_of_all_ratings(method):
    random = np.random.default_rng(1)
    rows = [(*random.choice([1, 2, 3, 4, 5], 3), None, None) for _ in range(60)]
    table = table_of(
        [tuple(None if random.random() < 0.1 else cell for cell in row) for row in rows]
    )
    made = ratingpriv.anonymize(table, method, k=3, epsilon=1, rng=0)
    found = ratingpriv.attack(
        table, made.table, truth=made.key_of(table), adversary="everything", false_positives=False
    )
    most = max(pair.of_released.count for pair in found.pairs)
    assert found.whole_record.success.rate >= most / len(made.kept)
    assert found.strongest.rate >= found.paired.of_released.rate
    assert found.whole_record == whole_record(table, made.table, made.pairing)
    if method == "suppress":
        assert found.whole_record.success.rate == found.whole_record.at_most


def test_dates_tell_equal_ratings_apart_where_they_are_released(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("user,item,rating,date\na,x,1,2020-01-01\nb,x,1,2020-01-02\n", encoding="utf-8")
    table = ratingpriv.read(path)
    assert whole_record(table).distinct == 1 + (table.timestamps is not None)
    bare = dataclasses.replace(table, timestamps=None)
    assert whole_record(bare).distinct == whole_record(table, bare, np.arange(2)).distinct == 1


def test_what_is_too_dear_is_between_what_is_proved(monkeypatch):
    rows = [(a, b, c, None, None) for a in (1, 2, 3) for b in (1, 2, 3) for c in (1, 2, 3)]
    table, changed = (
        table_of(rows),
        table_of([(1, 1, 1, None, None), (3, 3, 3, None, None), *rows[2:]]),
    )
    exact = whole_record(table, changed, np.arange(27)).success
    monkeypatch.setattr(module, "_WORK", 0)
    found = whole_record(table, changed, np.arange(27)).success
    assert found.rate is None
    assert found.low <= exact.rate <= found.high < 1


def test_of_many_some_are_searched_and_the_rate_has_an_interval(monkeypatch):
    random = np.random.default_rng(0)
    before, noise = random.integers(1, 5, (400, 3)), random.integers(0, 2, (400, 3))
    table, changed = (
        table_of([(*map(float, row), None, None) for row in cells])
        for cells in (before, before + noise / 2)
    )
    exact = whole_record(table, changed, np.arange(400)).success
    assert exact.low == exact.rate == exact.high
    monkeypatch.setattr(module, "SEARCHED", 20)
    monkeypatch.setattr(module, "_FEWEST", 10)
    drawn = whole_record(table, changed, np.arange(400)).success
    assert drawn.low < drawn.rate < drawn.high
    assert drawn.low <= exact.rate <= drawn.high
    assert drawn.of == 400


def test_the_largest_counts():
    rates = [whole_record(table_of([(1, 1, 1, None, None)] * n)).success for n in (1, 2, 4)]
    for first, second in pairwise(rates):
        assert (
            module.strongest((first, second)).rate
            == module.strongest((second, first)).rate
            == first.rate
        )

"""Distortion [SWLP10, Def. 5-6] and the cells that changed."""

from __future__ import annotations

import statistics

import numpy as np
import polars as pl
import pytest
from golden.tables import build, table2
from hypothesis import given
from hypothesis import strategies as st
from naive.anonymize import difference, rows_of

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion import measure
from ratingpriv.partition.distortion.measure import Distortion, distortion_of, mean_rating

pytestmark = pytest.mark.small

cell = st.one_of(st.none(), st.sampled_from([-1.5, 0, 0.1, 0.3, 2]))
tables_of_3 = st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=6)

TINY = 2.0**-10  # on no decimal grid of 9 places


def people(ages: list[float | None], towns: list[str | None]) -> RatingTable:
    """A table of up to four records with two quasi-identifiers."""
    columns = {"id": ["a", "b", "c", "d"][: len(ages)], "issue 1": [1.0] * len(ages)}
    frame = pl.DataFrame(
        {**columns, "age": ages, "town": towns}, schema_overrides={"age": pl.Float64, "town": pl.String}
    )
    return ratingpriv.read(frame, id="id", scale=(1, 5), quasi=["age", "town"])


def test_the_papers_examples() -> None:
    """(5,6,0) to (5,5,0) is 1; the four records of Def. 6 are 4 apart."""
    before = build([(5, 6, None), (2, 5, None), (4, 7, None), (5, 6, None)], scale=(1, 7))
    after = build([(5, 5, None), (3, 5, None), (3, 7, None), (5, 7, None)], scale=(1, 7))
    found = distortion_of(before, after, np.arange(4))
    assert found == Distortion(4.0, 4, 0, 0, 4, 0, 8, 12, 0, 40 / 8, 40 / 8, None, None)
    alone = [
        distortion_of(before.take(one), after.take(one), np.array([0])).total
        for one in np.arange(4).reshape(4, 1)
    ]
    assert alone == [1, 1, 1, 1]


@given(tables_of_3, st.data())
def test_cell_by_cell(rows: list[tuple[float | None, ...]], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=len(rows), max_size=len(rows)))
    before, after = build(rows), build(other)
    found = distortion_of(before, after, np.arange(len(rows)))
    total, changed, filled, erased = difference(rows_of(before), rows_of(after))
    assert (found.total, found.changed, found.filled, found.erased) == (float(total), changed, filled, erased)
    assert found.cells_touched == changed + filled + erased
    touched = sum(a != b for a, b in zip(rows_of(before), rows_of(after), strict=True))
    assert found.records_touched == touched
    pairs = [pair for both in zip(rows, other, strict=True) for pair in zip(*both, strict=True)]
    for told, expected in (
        (found.mean_before, [x for x, _ in pairs if x is not None]),
        (found.mean_after, [y for _, y in pairs if y is not None]),
        (found.mean_filled, imputed := [y for x, y in pairs if x is None and y is not None]),
    ):
        assert told == (pytest.approx(statistics.fmean(expected)) if expected else None)
    assert found.sd_filled == (pytest.approx(statistics.pstdev(imputed), abs=1e-6) if imputed else None)


def test_shares_are_of_the_ratings_and_not_of_the_cells() -> None:
    """Two ratings in nine cells: one erased is half of them, not an eleventh of the cells."""
    before = build([(4, None, None), (None, None, None), (None, None, 0)], scale=(0, 5))
    after = build([(None, 1, None), (None, 3, None), (None, 2, 0)], scale=(0, 5))
    found = distortion_of(before, after, np.arange(3))
    assert found.shares == {"changed": 0.0, "filled": 1.5, "erased": 0.5, "withheld": 0.0}
    assert (found.mean_before, found.mean_after, found.mean_filled) == (2.0, 1.5, 2.0)
    assert found.to_dict()["shares"] == found.shares
    fewer = distortion_of(before, before.take(np.array([1, 2])), np.array([1, 2]))
    assert (fewer.ratings_withheld, fewer.shares["withheld"]) == (1, 0.5)
    nothing = build([(None,)], scale=(0, 5))
    assert distortion_of(nothing, nothing, np.array([0])).shares["erased"] is None


def test_what_cannot_be_compared_is_refused() -> None:
    table = table2()
    with pytest.raises(ParameterError, match="released"):
        distortion_of(table, table.drop(["issue 1"]), np.arange(6))
    with pytest.raises(ParameterError, match="positions"):
        distortion_of(table, table, np.array([0, 0, 1, 2, 3, 4]))


def test_numbers_of_two_decimal_places() -> None:
    """0.25 and 0.75 are imputed: 0.5 is their mean, and both are 0.25 from it."""
    before, after = build([(None, 1), (None, 2)]), build([(0.25, 1), (0.75, 2)])
    found = distortion_of(before, after, np.arange(2))
    assert found == Distortion(1.0, 0, 2, 0, 2, 0, 2, 4, 0, 1.5, 1.0, 0.5, 0.25)


def test_numbers_on_no_decimal_grid() -> None:
    before, after = build([(TINY, None, 1), (None, None, 0)]), build([(3 * TINY, TINY, 1), (None, None, 0)])
    found = distortion_of(before, after, np.arange(2))
    means = (TINY + 1) / 3, (4 * TINY + 1) / 4
    assert found == Distortion(3 * TINY, 1, 1, 0, 1, 0, 3, 6, 0, *means, TINY, 0.0)


@pytest.mark.parametrize("number", [4, 0.1, 1 / 9])
def test_imputed_ratings_that_are_equal_have_no_spread(number: float) -> None:
    """Of seven times 1/9 too: the mean of their squares is, rounded, below the square of their mean."""
    found = distortion_of(build([[None] * 7]), build([[number] * 7]), np.array([0]))
    assert (found.filled, found.mean_filled) == (7, pytest.approx(number))
    assert found.sd_filled == pytest.approx(0, abs=1e-6)


def test_a_record_ends_where_the_next_one_begins() -> None:
    """Released in the other order: the last cell of the record with one rating is imputed; or is erased."""
    short, long = build([(1, None, None), (1, 2, 3)]), build([(1, 2, 3), (1, None, 2)])
    kept = np.array([1, 0])
    assert distortion_of(short, long, kept) == Distortion(2.0, 0, 1, 0, 1, 0, 4, 6, 0, 7 / 4, 9 / 5, 2.0, 0.0)
    assert distortion_of(long, short, kept) == Distortion(2.0, 0, 0, 1, 1, 0, 5, 6, 0, 9 / 5, 7 / 4)


def test_a_release_may_have_no_record() -> None:
    none = np.array([], dtype=np.int64)
    found = distortion_of(table2(), table2().take(none), none)
    assert found == Distortion(0.0, 0, 0, 0, 0, 6, 12, 18, 12, 52 / 12)


@pytest.mark.parametrize(
    ("rows", "mean"),
    [
        ([(1, 2), (None, 4)], 7 / 3),
        ([(0.25,), (0.75,)], 0.5),
        ([(TINY,), (3 * TINY,)], 2 * TINY),
        ([(None,)], None),
    ],
)
def test_the_mean_rating(rows: list[tuple[float | None, ...]], mean: float | None) -> None:
    assert mean_rating(build(rows)) == mean


def test_more_records_and_ratings_than_are_looked_at_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record by record: one changed by 1, one imputed, one kept, one erased, one changed by 3."""
    monkeypatch.setattr(measure, "_BLOCK", 2)
    monkeypatch.setattr(measure, "_PIECE", 3)
    before, after = build([(1,), (None,), (3,), (4,), (5,)]), build([(2,), (4,), (3,), (None,), (2,)])
    found = distortion_of(before, after, np.arange(5))
    assert found == Distortion(12.0, 2, 1, 1, 4, 0, 4, 5, 0, 13 / 4, 11 / 4, 4.0, 0.0)


@pytest.mark.parametrize("kept", [[0, 2], [-1, 0], [1, 1], [0]])
def test_the_records_that_are_left_are_records(kept: list[int]) -> None:
    before = build([(1,), (2,)])
    with pytest.raises(ParameterError, match=r"positions: .* 2 distinct positions from 0 to 1"):
        distortion_of(before, before, np.array(kept))


def test_quasi_identifiers_cell_by_cell() -> None:
    """The first value of a column is a value like others; only numbers move, by shares of their range."""
    before = people([30.0, 40.0, 50.0, None], ["x", "y", "x", None])
    after = people([30.0, 30.0, None, None], ["x", "x", "y", None])
    told = distortion_of(before, after, np.arange(4)).quasi
    assert told is not None
    assert told.to_dict() == {
        "cells": 6, "changed": 3, "erased": 1, "records_touched": 2, "withheld": 0, "moved": 0.5,
    }  # fmt: skip
    fewer = distortion_of(before, people([30.0, 40.0], ["x", "y"]), np.arange(2)).quasi
    assert fewer is not None
    assert (fewer.withheld, fewer.changed, fewer.erased, fewer.records_touched) == (2, 0, 0, 0)
    for invented in (([30.0] * 4, ["x", "y", "x", None]), ([30.0, 40.0, 50.0, None], ["x", "y", "x", "x"])):
        with pytest.raises(ParameterError, match="stay null"):
            distortion_of(before, people(*invented), np.arange(4))


def test_releases_without_the_quasi_identifiers_are_refused() -> None:
    table = people([30.0, 40.0], ["x", "y"])
    with pytest.raises(ParameterError, match=r"released: found 0, expected .*quasi-identifiers"):
        distortion_of(table, build([(1,), (1,)]), np.arange(2))


def test_numbers_of_a_column_without_a_range_move_by_themselves() -> None:
    told = distortion_of(
        people([30.0, 30.0], ["x", "y"]), people([33.0, 30.0], ["x", "y"]), np.arange(2)
    ).quasi
    assert told is not None
    assert (told.changed, told.moved) == (1, 3.0)

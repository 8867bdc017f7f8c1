"""Distortion [SWLP10, Def. 5-6] and the cells that changed."""

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
        {**columns, "age": ages, "town": towns},
        schema_overrides={"age": pl.Float64, "town": pl.String},
    )
    return ratingpriv.read(frame, id="id", scale=(1, 5), quasi=["age", "town"])


@pytest.mark.parametrize(
    ("before", "after", "kept", "expected"),
    [
        (  # the four records of [SWLP10, Def. 6]
            [(5, 6, None), (2, 5, None), (4, 7, None), (5, 6, None)],
            [(5, 5, None), (3, 5, None), (3, 7, None), (5, 7, None)],
            range(4),
            Distortion(4.0, 4, 0, 0, 4, 0, 8, 12, 0, 40 / 8, 40 / 8),
        ),
        (  # 0.25 and 0.75 are imputed: 0.5 is their mean, and both are 0.25 from it
            [(None, 1), (None, 2)],
            [(0.25, 1), (0.75, 2)],
            range(2),
            Distortion(1.0, 0, 2, 0, 2, 0, 2, 4, 0, 1.5, 1.0, 0.5, 0.25),
        ),
        (  # on no decimal grid
            [(TINY, None, 1), (None, None, 0)],
            [(3 * TINY, TINY, 1), (None, None, 0)],
            range(2),
            Distortion(
                3 * TINY, 1, 1, 0, 1, 0, 3, 6, 0, (TINY + 1) / 3, (4 * TINY + 1) / 4, TINY, 0.0
            ),
        ),
        # a record ends where the next one begins: in the other order its last cell is imputed, or
        # erased
        (
            [(1, None, None), (1, 2, 3)],
            [(1, 2, 3), (1, None, 2)],
            [1, 0],
            Distortion(2.0, 0, 1, 0, 1, 0, 4, 6, 0, 7 / 4, 9 / 5, 2.0, 0.0),
        ),
        (
            [(1, 2, 3), (1, None, 2)],
            [(1, None, None), (1, 2, 3)],
            [1, 0],
            Distortion(2.0, 0, 0, 1, 1, 0, 5, 6, 0, 9 / 5, 7 / 4),
        ),
        (  # one changed by 1, one imputed, one kept, one erased, one changed by 3
            [(1,), (None,), (3,), (4,), (5,)],
            [(2,), (4,), (3,), (None,), (2,)],
            range(5),
            Distortion(12.0, 2, 1, 1, 4, 0, 4, 5, 0, 13 / 4, 11 / 4, 4.0, 0.0),
        ),
        ([(1,), (None,)], [], [], Distortion(0.0, 0, 0, 0, 0, 2, 1, 2, 1, 1.0)),
    ],
)
def test_by_hand(before, after, kept, expected, monkeypatch: pytest.MonkeyPatch) -> None:
    released = build(after) if after else build(before).take(np.empty(0, dtype=np.int64))
    for block, piece in ((measure._BLOCK, measure._PIECE), (2, 3)):  # so much is looked at at once
        monkeypatch.setattr(measure, "_BLOCK", block)
        monkeypatch.setattr(measure, "_PIECE", piece)
        assert distortion_of(build(before), released, np.array(kept, dtype=np.int64)) == expected


@pytest.mark.parametrize(
    ("before", "released", "kept", "message"),
    [
        (table2(), table2().drop(["issue 1"]), range(6), "released"),
        (table2(), table2(), [0, 0, 1, 2, 3, 4], "positions"),
        *(
            (
                build([(1,), (2,)]),
                build([(1,), (2,)]),
                kept,
                r"positions: .* 2 distinct positions from 0 to 1",
            )
            for kept in ([0, 2], [-1, 0], [1, 1], [0])
        ),
        (
            people([30.0, 40.0], ["x", "y"]),
            build([(1,), (1,)]),
            range(2),
            "released: found 0, .*quasi",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(before, released, kept, message) -> None:
    with pytest.raises(ParameterError, match=message):
        distortion_of(before, released, np.array(kept))


@given(tables_of_3, st.data())
def test_cell_by_cell(rows: list[tuple[float | None, ...]], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=len(rows), max_size=len(rows)))
    before, after = build(rows), build(other)
    found = distortion_of(before, after, np.arange(len(rows)))
    total, changed, filled, erased = difference(rows_of(before), rows_of(after))
    assert (found.total, found.changed, found.filled, found.erased) == (
        float(total),
        changed,
        filled,
        erased,
    )
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
    assert found.sd_filled == (
        pytest.approx(statistics.pstdev(imputed), abs=1e-6) if imputed else None
    )


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


def test_quasi_identifiers_cell_by_cell() -> None:
    """The first value of a column is a value like others.

    Only numbers move, by shares of their range.
    """
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
    alone = distortion_of(
        people([30.0, 30.0], ["x", "y"]), people([33.0, 30.0], ["x", "y"]), np.arange(2)
    )
    assert (alone.quasi.changed, alone.quasi.moved) == (1, 3.0)  # of a column without a range
    for invented in (
        ([30.0] * 4, ["x", "y", "x", None]),
        ([30.0, 40.0, 50.0, None], ["x", "y", "x", "x"]),
    ):
        with pytest.raises(ParameterError, match="stay null"):
            distortion_of(before, people(*invented), np.arange(4))

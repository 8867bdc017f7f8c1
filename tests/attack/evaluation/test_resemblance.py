"""Whether ids were kept: twins and equal records are accepted,
ids that were dealt out anew are not.
"""

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import compared, run
from attack.planting import crowd

from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.distortion.pairing import positions_in_release, resemblance


def wide(rows, ids=None):
    frame = pl.DataFrame({f"i{j}": [row[j] for row in rows] for j in range(len(rows[0]))})
    ids = ids or [f"r{at}" for at in range(len(rows))]
    return RatingTable.from_wide(frame.insert_column(0, pl.Series("id", ids)), id="id")


def dealt_out_anew(table, seed):
    rng = np.random.default_rng(seed)
    places = np.arange(table.n_records)
    while np.any(places == np.arange(table.n_records)):
        places = rng.permutation(table.n_records)
    return table.take(places).replace(record_ids=table.record_ids)


def test_a_release_of_equal_records_is_compared():
    table = wide([[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 1, 1]])
    release = wide([[2, 2, 2]] * 4)
    found = compared(run(table, known=2), release, "ids")
    assert [caution.code for caution in found.cautions] == ["pairing-implausible"]
    assert found.after.measures.success.rate == 0
    coin = compared(run(table, known=2, algorithm="best-candidate"), release, "ids")
    assert coin.after.measures.success.rate == pytest.approx(1 / 4)


def test_twins_are_compared_without_a_caution():
    rng = np.random.default_rng(3)
    rows = np.repeat(rng.integers(1, 6, (20, 8)), 2, axis=0).tolist()  # neighbours are twins
    table = wide(rows)
    found = compared(run(table, known=5, algorithm="best-candidate"), table, "ids")
    assert found.cautions == ()
    assert found.after.measures.success.rate == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("seed", range(40))
def test_ids_dealt_out_anew_are_refused(seed):
    table = crowd(30, 20)
    with pytest.raises(ParameterError, match="do not resemble"):
        positions_in_release(table, dealt_out_anew(table, seed), "ids")


def test_a_few_records_that_are_themselves_are_accepted():
    table = wide([[1, 5, 2], [4, 1, 3], [2, 2, 5]])
    assert resemblance(table, table, np.arange(3)) == "own"
    assert resemblance(table, table, np.array([1, 2, 0])) == "others"
    # one record: nothing to compare
    assert resemblance(table, table, np.array([1, -1, -1])) == "own"


def test_hardly_anything_left_is_undecided():
    table = wide([[1, 1], [1, 2], [2, 1]])
    release = wide([[1, 1], [1, 1], [1, 1]])
    assert resemblance(table, release, np.arange(3)) == "undecided"
    two = wide([[1, 1], [1, 1], [2, 1]])  # r0 and r1 are equal: swapping them fits as well
    assert resemblance(two, two, np.arange(3)) == "undecided"
    assert resemblance(two, two, np.array([1, 0, 2])) == "undecided"
    assert resemblance(two, two, np.array([2, 1, 0])) == "others"


def test_what_was_rated_tells_records_apart_where_every_rating_changed():
    rng = np.random.default_rng(1)
    rows = [
        (f"r{i}", f"i{j}", 1.0)
        for i in range(40)
        for j in sorted(rng.choice(30, 8, replace=False).tolist())
    ]
    frame = pl.DataFrame(rows, schema=["record", "issue", "rating"], orient="row")
    table = RatingTable.from_long(frame)
    release = RatingTable.from_long(frame.with_columns(pl.col("rating") + 3))
    assert resemblance(table, release, np.arange(40)) == "own"

"""One person twice in a DataFrame of Spark: what is found is what is
found of the same table elsewhere.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.options import checked_options
from ratingpriv.spark import audit, reading
from ratingpriv.spark.reading import read_frame

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]

WIDE = pa.table({
    "id": ["Ann", "ann", "bob", "cid"],
    "email": ["a@b.org", "A@b.org ", "c@b.org", None],
    "v7": ["+41 79 555 01 01", "0041795550101", "+41 79 555 01 02", "+41 79 555 01 03"],
    "note": ["good", "good", None, "bad"],
    "q1": [1, 1, 5, 5],
    "q2": [2, 2, 4, 4],
})  # fmt: skip
LONG = pa.table({
    "user": ["Ann", "Ann", "ann", "bob"],
    "item": ["x", "y", "x", "x"],
    "rating": [1, 2, 1, 5],
    "email": ["a@b.org", "A@b.org", "a@b.org", "c@b.org"],
})  # fmt: skip


def repeats(spark: Any, table: pa.Table, **said: Any) -> Any:
    return read_frame(
        spark.createDataFrame(table), checked_options(None, said)
    ).sketch.profile.table.repeats


@pytest.mark.parametrize("most", [None, 3])
def test_wide(spark: Any, monkeypatch: pytest.MonkeyPatch, most: int | None) -> None:
    said = {"id": "id", "drop": ["v7", "note"], "identifier": ["email"]}
    if most is not None:  # columns that the driver does not take
        said["quasi"] = ["q1", "q2"]
        frame = reading._Frame.of(spark.createDataFrame(WIDE), "table")
        monkeypatch.setattr(reading, "MOST_CELLS", most)
        judges = {
            "email": reading.repeats,
            "v7": reading.repeats_left_out,
            "note": reading.repeats_left_out,
        }
        found = frame.repeats("id", judges, 4, wide=True)
        # the telephones have one spelling less
        assert sorted(found) == [("email", 2, 3), ("id", 3, 4)]
        return
    assert sorted(repeats(spark, WIDE, **said)) == [("email", 2, 3), ("id", 3, 4), ("v7", 3, 4)]


def test_long(spark: Any) -> None:
    assert repeats(spark, LONG, drop=["email"]) == (("user", 2, 3), ("email", 2, 3))
    found = audit(spark.createDataFrame(LONG), k=1, epsilon=0, drop=["email"])
    assert "identifier-repeats" in found.standing.reserved


def test_others(spark: Any) -> None:
    with pytest.raises(ParameterError, match="others"):
        repeats(spark, LONG, drop=["email"], others="rating")


def test_others_of_a_row_a_record(spark: Any) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({
        "id": range(60),
        **{name: rng.integers(1, 6, 60) for name in ("q1", "q2", "q3", "region")},
    })  # fmt: skip

    def guessed(**said: Any) -> Any:
        frame = spark.createDataFrame(table)
        return read_frame(
            frame, checked_options(None, {"id": "id", **said})
        ).sketch.profile.table.guessed

    assert (guessed(), guessed(others="rating")) == (("region",), ())

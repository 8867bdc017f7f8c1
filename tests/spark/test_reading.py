"""What is read of a DataFrame is what is read of the same table on one machine."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from spark_samples import table_of

from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.options import checked_options
from ratingpriv.spark.reading import read_frame

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def wide(n: int = 60, seed: int = 3) -> pa.Table:
    rng = np.random.default_rng(seed)
    q1 = pa.array(rng.integers(1, 6, n), mask=rng.random(n) < 0.2)
    return pa.table({
        "id": [f"r{i}" for i in range(n)],
        "q1": q1,
        "q2": pa.array((rng.integers(2, 11, n) / 2).astype(np.float32)),
        "q3": [str(one) for one in rng.integers(1, 4, n)],
        "age": pa.array(rng.integers(18, 80, n)),
        "region": [["Bern", "Uri", None][one] for one in rng.integers(0, 3, n)],
        "pay": pa.array(rng.integers(1, 8, n), mask=rng.random(n) < 0.1),
    })  # fmt: skip


def test_a_column_without_a_type_is_one_that_nobody_answered(spark: Any) -> None:
    table = wide().append_column("q4", pa.nulls(60))
    said: dict[str, Any] = {"id": "id", "quasi": ["age=5", "region"], "sensitive": ["pay"]}
    expected = table_of(table, **said)
    profile = read_frame(spark.createDataFrame(table), checked_options(None, said)).sketch.profile
    assert profile.table.issues == expected.issues
    assert profile.ratings == expected.n_ratings


def test_long(spark: Any) -> None:
    table = pa.table({
        "user": [1, 1, 2, 3, 3],
        "item": ["a", "b", "a", "s", None],
        "rating": pa.array([5.0, 3.5, 4.0, 2.0, None]),
        "time": [1, 2, 3, 4, 5],
    })  # fmt: skip
    found = read_frame(
        spark.createDataFrame(table),
        checked_options(None, {"id": "user", "timestamp": "time", "sensitive": ["s"]}),
    )
    profile = found.sketch.profile
    assert (profile.table.issues, profile.records, profile.ratings) == (("a", "b"), 3, 3)
    rows = sorted(tuple(row) for row in found.rows.collect() if row["column"] is not None)
    assert rows == [("1", "a", "5.0"), ("1", "b", "3.5"), ("2", "a", "4.0"), ("3", "s", "2.0")]
    known = {
        (row["column"], row["cell"]): (row["place"], row["code"]) for row in found.known.to_pylist()
    }
    assert known.pop((None, None))[1] is None
    assert known == {
        ("a", "4.0"): (0, 1),
        ("a", "5.0"): (0, 2),
        ("b", "3.5"): (1, 0),
        ("s", "2.0"): (2, 0),
    }


@pytest.mark.parametrize(
    ("change", "said", "words"),
    [
        ({"q1": [1, 2, 3]}, {"scale": (1, 2)}, "a number off the scale"),
        ({"q1": [1.0, float("nan"), 3.0]}, {}, "found NaN"),
        ({"q1": [1.0, float("inf"), 3.0]}, {}, "finite number"),
        ({"q1": [1, 2, (1 << 53) + 1]}, {"ratings": ["q1"], "layout": "wide"}, "2**53"),
        ({"q1": ["1", "2", "1.0000000000000001"]}, {}, "significant digits"),
        ({"q1": ["1", "2", "many"]}, {}, "found text"),
        ({"id": ["a", "b", None]}, {}, "without a record id"),
        ({"id": ["a", "b", "a"]}, {}, "a second time"),
        ({"id": [1.0, 2.0, 2.5]}, {}, "record id"),
        ({"q1": [[1], [2], [3]]}, {}, "a column of type array"),
    ],
)
def test_refusals(spark: Any, change: dict[str, Any], said: dict[str, Any], words: str) -> None:
    table = pa.table({"id": ["a", "b", "c"], "q1": [1, 2, 3], "q2": [1, 2, 3], **change})
    with pytest.raises((DataError, ParameterError)) as refused:
        read_frame(spark.createDataFrame(table), checked_options(None, {"id": "id", **said}))
    assert words in str(refused.value)
    assert "many" not in str(refused.value)
    assert "line" not in str(refused.value)


def test_no_ids(spark: Any) -> None:
    with pytest.raises(DataError, match="a column of record ids"):
        read_frame(
            spark.createDataFrame(pa.table({"q1": [1], "q2": [2]})), checked_options(None, {})
        )

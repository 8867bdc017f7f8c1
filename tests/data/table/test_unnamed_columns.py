"""A column of a long layout that nobody named is refused,
and one that was dropped is said to be.
"""

from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.base.errors import DataError

pytestmark = pytest.mark.small

LONG = pl.DataFrame(
    {
        "user": ["u1", "u1", "u2", "u2"],
        "item": ["a", "b", "a", "zip"],
        "rating": [1, 2, 3, 4],
        "zip": ["x", "y", "x", "y"],
        "timestamp": [1, 2, 3, 4],
    }
)
ROLES = {"record": "user", "issue": "item"}


def readers(tmp_path: Path, frame: pl.DataFrame) -> list:
    """The ways to read a long layout, each a call that takes options."""
    frame.write_csv(tmp_path / "long.csv")
    frame.write_parquet(tmp_path / "long.parquet")
    return [
        lambda **how: ratingpriv.read(tmp_path / "long.csv", **how),
        lambda **how: ratingpriv.read(tmp_path / "long.parquet", **how),
        *(
            lambda kind=kind, **how: RatingTable.from_long(
                kind(frame), **ROLES, timestamp="timestamp", **how
            )
            for kind in (pl.DataFrame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow)
        ),
    ]


@pytest.fixture(params=[None, 1], ids=["gathered", "streamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param is not None:
        monkeypatch.setattr("ratingpriv_loaders.parquet.long.STREAMED", request.param)


def test_a_column_that_nobody_named_is_refused(tmp_path: Path, way: None) -> None:
    for call in readers(tmp_path, LONG):
        with pytest.raises(
            DataError, match="the column 'zip', which nothing accounts for"
        ) as caught:
            call()
        assert "`drop=['zip']`" in str(caught.value)
        assert "'x'" not in str(caught.value)  # no cell
    for call in readers(tmp_path, LONG.with_columns(age=1)):
        with pytest.raises(DataError, match="the columns 'zip', 'age', which nothing accounts for"):
            call()


def test_a_dropped_column_is_said_in_the_result(tmp_path: Path, way: None) -> None:
    frame = LONG.with_columns(item=pl.lit("a") + pl.int_range(4).cast(pl.String))
    for call in readers(tmp_path, frame):
        table = call(drop=["zip"])
        assert table.n_ratings == 4
        assert table.selection.dropped == ("zip",)
        assert ratingpriv.audit(table, k=1, epsilon=0).to_dict()["selection"]["dropped"] == ["zip"]


def test_a_name_that_is_a_column_and_an_issue_is_dropped_as_both(tmp_path: Path, way: None) -> None:
    for call in readers(tmp_path, LONG):
        table = call(drop=["zip"])
        assert table.issues == ("a", "b")
        assert (table.selection.issues, table.selection.of_issues) == (2, 3)


def test_the_index_that_pandas_writes_has_to_be_dropped_too(tmp_path: Path) -> None:
    path = tmp_path / "pandas.csv"
    path.write_text(",user,item,rating\n0,u1,a,1\n1,u1,b,2\n")
    with pytest.raises(DataError, match="the column '', which"):
        ratingpriv.read(path)
    assert ratingpriv.read(path, drop=[""]).n_ratings == 2


# -- cells that hold lists or objects are refused, whatever is said of their column


IDS = [1, 2, 3, 4]
CELLS = {
    "lists": [[1, 2], [3], [], [1]],
    "empty lists": [[], [], [], []],
    "lists of lists": [[[1]], [[2]], [[1]], [[2]]],
    "objects": [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}],
    "lists of words": [["red", "blue"], ["red"], ["blue"], []],
}
SAID = (
    {},
    {"quasi": ["q"]},
    {"sensitive": ["q"]},
    {"carry": ["q"]},
    {"id": "q"},
    {"ratings": ["q"]},
)


def frames(cells):
    columns = {"id": IDS, "q": cells, "r": [1, 2, 1, 2]}
    return pl.DataFrame(columns), pd.DataFrame(columns), pa.table(columns)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("said", SAID, ids=str)
def test_in_frames(kind, said):
    for frame in frames(CELLS[kind]):
        with pytest.raises(DataError, match="column q: found cells that hold lists or objects"):
            ratingpriv.read(frame, **said)
        kept = ratingpriv.read(frame, drop=["q"])
        assert kept.n_records == len(IDS)

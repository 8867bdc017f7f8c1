"""Parquet: the same table as from CSV, whichever way it is read."""

import datetime
import decimal
import hashlib
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquet_writing import LONG, WIDE, assert_same, read, written

import ratingpriv
from ratingpriv import ParameterError
from ratingpriv.data.formats.reading import ReadOptions, Source, detect
from ratingpriv_loaders import numbering
from ratingpriv_loaders.numbering import Numbering
from ratingpriv_loaders.parquet.loader import ParquetLoader


@pytest.mark.small
def test_long(tmp_path: Path, way: str) -> None:
    table = read(tmp_path, LONG)
    assert table.record_ids.to_list() == [7, 3, 9]
    assert table.issues == ("b", "a", "c")
    assert [table.support(i).tolist() for i in range(3)] == [[0, 1], [0, 1], [2]]
    assert table.values.tolist() == [5, 3, 4, 2, 1]
    assert (table.origin.format, table.origin.layout, table.origin.record_name) == (
        "parquet",
        "long",
        "user",
    )
    assert (
        table.origin.sha256
        == hashlib.sha256((tmp_path / "ratings.parquet").read_bytes()).hexdigest()
    )


@pytest.mark.small
def test_wide(tmp_path: Path) -> None:
    table = read(tmp_path, WIDE, sensitive=["age"])
    assert table.issues == ("a", "b")
    assert table.record_ids.to_list() == ["x", "y", "z"]
    assert table.to_wide().equals(pl.DataFrame(WIDE))
    assert table.sensitive_column("age").values.tolist() == [20, 30, 40]
    assert table.origin.layout == "wide"


@pytest.mark.parametrize(
    "ratings",
    [
        pa.array([1, 2, 3, 4, 5], pa.int8()),
        pa.array([1, 2, 3, 4, 5], pa.uint16()),
        pa.array([1, 2, 3, 4, 5], pa.int64()),
        pa.array([1, 2, 3, 4, 5], pa.uint64()),
        pa.array([1, 2, 3, 4, 5], pa.float32()),
        pa.array([1, 2, 3, 4, 5], pa.float64()),
        pa.array([decimal.Decimal(n) for n in range(1, 6)], pa.decimal128(5, 2)),
        pa.array(["1", "2", "3", "4", "5"]).cast(pa.int32()).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
def test_types_of_ratings(tmp_path: Path, way: str, ratings: pa.Array) -> None:
    table = read(tmp_path, {**LONG, "rating": ratings})
    assert table.levels.tolist() == [1, 2, 3, 4, 5]
    wide = read(tmp_path, {"id": [1, 2, 3, 4, 5], "a": ratings})
    assert wide.values.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.small
def test_fractions_are_the_decimals_they_print_as(tmp_path: Path, way: str) -> None:
    exact = [0.1, 0.2, 0.3, 2.675, 1e-7]
    for kind in (pa.float32(), pa.float64()):
        assert (
            sorted(exact)
            == read(tmp_path, {**LONG, "rating": pa.array(exact, kind)}).levels.tolist()
        )
    decimals = pa.array([decimal.Decimal(str(number)) for number in exact], pa.decimal128(20, 9))
    assert sorted(exact) == read(tmp_path, {**LONG, "rating": decimals}).levels.tolist()
    wide = {"id": [1, 2, 3, 4, 5], "a": decimals, "b": pa.array(exact, pa.float32())}
    assert sorted(exact) == read(tmp_path, wide).levels.tolist()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array([7, 7, 3, 9, 3], pa.int16()), [7, 3, 9]),
        (pa.array([7, 7, 3, 9, 3], pa.uint64()), [7, 3, 9]),
        (pa.array([-7, -7, 3, 1 << 60, 3], pa.int64()), [-7, 3, 1 << 60]),
        (pa.array([7.0, 7, 3, 9, 3], pa.float64()), [7, 3, 9]),
        (pa.array(["u7", "u7", "", "é", ""], pa.large_string()), ["u7", "", "é"]),
        (pa.array(["x", "x", "b", "a", "b"]).dictionary_encode(), ["x", "b", "a"]),
        (
            pa.DictionaryArray.from_arrays([2, 2, 1, 3, 1], ["unused", "b", "x", "a"]),
            ["x", "b", "a"],
        ),
        (pa.array([7, 7, 3, 9, 3]).dictionary_encode(), [7, 3, 9]),
    ],
    ids=str,
)
def test_types_of_record_ids(
    tmp_path: Path, way: str, ids: pa.Array, expected: list[object]
) -> None:
    table = read(tmp_path, {**LONG, "user": ids})
    assert table.record_ids.to_list() == expected
    assert table.values.tolist() == [5, 3, 4, 2, 1]


def test_types_of_issues(tmp_path: Path, way: str) -> None:
    assert read(tmp_path, {**LONG, "item": [20, 10, 20, 30, 10]}).issues == ("20", "10", "30")
    days = [datetime.date(2020, 1, day) for day in (2, 1, 2, 3, 1)]
    assert read(tmp_path, {**LONG, "item": days}).issues == (
        "2020-01-02",
        "2020-01-01",
        "2020-01-03",
    )
    views = pa.array(list("babca"), pa.string_view())
    assert read(tmp_path, {**LONG, "item": views}).issues == ("b", "a", "c")


def test_an_order_of_categories_is_kept(tmp_path: Path, way: str) -> None:
    order = ["z", "c", "a", "b"]
    frame = pl.DataFrame(LONG).with_columns(pl.col("item").cast(pl.Enum(order)))
    frame.write_parquet(tmp_path / "enum.parquet")
    assert ratingpriv.read(tmp_path / "enum.parquet").issues == tuple(order)
    pandas = pd.DataFrame(LONG)
    pandas["item"] = pd.Categorical(pandas["item"], categories=order)
    pandas.to_parquet(tmp_path / "pandas.parquet")
    assert ratingpriv.read(tmp_path / "pandas.parquet").issues == tuple(order)
    pl.DataFrame(LONG).with_columns(pl.col("item").cast(pl.Categorical)).write_parquet(
        tmp_path / "c.parquet"
    )
    assert ratingpriv.read(tmp_path / "c.parquet").issues == ("b", "a", "c")


@pytest.mark.parametrize(
    ("times", "kind"),
    [
        (pa.array([5, 4, None, 2, 1], pa.int64()), pl.Int64),
        (pa.array([5, 4, 3, 2, 1], pa.int32()), pl.Int32),
        (pa.array([5, 4, 3, 2, 1], pa.uint32()), pl.Int64),
        (pa.array([0.5, None, 3, 2, -1], pa.float64()), pl.Float64),
        (pa.array([5, 4, None, 2, 1], pa.date32()), pl.Date),
        (pa.array([5, 4, 3, None, 1], pa.timestamp("ms")), pl.Datetime("ms")),
        (pa.array([5, 4, 3, 2, 1], pa.timestamp("us", "UTC")), pl.Datetime("us", "UTC")),
    ],
    ids=str,
)
def test_timestamps(tmp_path: Path, way: str, times: pa.Array, kind: pl.DataType) -> None:
    table = read(tmp_path, {**LONG, "date": times})
    assert table.timestamps is not None
    assert table.timestamps.dtype == kind
    as_given = pl.Series(times)
    assert table.timestamps.to_list() == as_given.gather([0, 1, 2, 4, 3]).to_list()
    assert table.origin.timestamp_name == "date"


def test_tokens_for_not_rated(tmp_path: Path, way: str) -> None:
    table = read(tmp_path, {**LONG, "rating": [5, 0, 4, -99, 2]}, null=["0", "-99"])
    assert (table.n_records, table.n_issues) == (3, 3)
    assert table.values.tolist() == [5, 4, 2]
    nan = {**LONG, "rating": [5.0, float("nan"), 4, None, 2]}
    assert read(tmp_path, nan, null=["NaN"]).values.tolist() == [5, 4, 2]
    wide = read(tmp_path, {"id": [1, 2], "a": [1.0, float("nan")], "b": [0, 4]}, null=["nan", "0"])
    assert wide.values.tolist() == [1, 4]


def test_nulls_keep_record_and_issue(tmp_path: Path, way: str) -> None:
    columns = {"user": [1, 2, 3, 4], "item": ["a", "b", None, "a"], "rating": [1, None, None, 3]}
    table = read(tmp_path, columns)
    assert (table.record_ids.to_list(), table.issues) == ([1, 2, 3, 4], ("a", "b"))
    assert np.diff(table.indptr).tolist() == [1, 0, 0, 1]


def test_a_folder_of_parts(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "ratings"
    folder.mkdir()
    rows = pa.table(LONG)
    kinds = pa.schema([("user", pa.int32()), ("item", pa.string()), ("rating", pa.float32())])
    written(folder / "part-2.parquet", rows.slice(3).cast(kinds))
    written(folder / "part-1.parquet", rows.slice(0, 3))
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-0.parquet.crc").write_text("x")
    table = ratingpriv.read(folder)
    assert_same(table, read(tmp_path, LONG))
    first = table.origin.sha256
    written(folder / "part-2.parquet", rows.slice(3).set_column(2, "rating", [[9, 9]]))
    assert ratingpriv.read(folder).origin.sha256 != first
    wide = tmp_path / "wide.parquet"  # as Spark writes it
    wide.mkdir()
    written(wide / "a.parquet", {"id": ["x"], "a": [1], "b": pa.array([5], pa.int8())})
    written(wide / "b.parquet", {"b": [None, 400], "id": ["y", "z"], "a": [2.5, 0.1]})
    assert ratingpriv.read(wide).to_wide().to_dict(as_series=False) == {
        "id": ["x", "y", "z"],
        "a": [1, 2.5, 0.1],
        "b": [5, None, 400],
    }


def test_standard_input(tmp_path: Path) -> None:
    data = written(tmp_path / "x.parquet", LONG).read_bytes()
    source = Source("-", io.BytesIO(data))
    loader, claim = detect(source)
    assert loader.name == "parquet"
    assert "long" in claim.reason
    assert loader.load(source, ReadOptions()).n_ratings == 5


def test_detection(tmp_path: Path) -> None:
    assert "wide layout" in detect(Source(written(tmp_path / "a", WIDE)))[1].reason
    (tmp_path / "text.parquet").write_text("id,a\n1,2\n")
    assert detect(Source(tmp_path / "text.parquet"))[0].name == "parquet"
    assert ratingpriv.read(tmp_path / "text.parquet", format="delimited").n_ratings == 1
    (tmp_path / "b.csv").write_text("id,a\n1,2\n")
    assert ParquetLoader().detect(Source(tmp_path / "b.csv"), ReadOptions()) is None
    (tmp_path / "none").mkdir()
    assert ParquetLoader().detect(Source(tmp_path / "none"), ReadOptions()) is None


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.parquet"
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ParameterError, match=r"ratingpriv\[parquet\]"):
        ratingpriv.read(path)


def test_pandas_row_names_are_ids(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1, 2]}, index=["x", "y"]).to_parquet(tmp_path / "p.parquet")
    table = ratingpriv.read(tmp_path / "p.parquet")
    assert (table.record_ids.to_list(), table.issues) == (["x", "y"], ("a",))


@pytest.mark.small
def test_numbering_in_a_table_and_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "_WIDEST", 64)
    batches = [[5, 9, 5], [-3, 9], [40, 5], [1 << 40, 9, 7], [7, -3]]
    numbers = Numbering(text=False, compiled=True)
    positions = [numbers.positions(pl.Series(batch, dtype=pl.Int64)).tolist() for batch in batches]
    assert positions == [[0, 1, 0], [2, 1], [3, 0], [4, 1, 5], [5, 2]]
    assert numbers.ids().to_list() == [5, 9, -3, 40, 1 << 40, 7]
    assert Numbering(text=True).positions(pl.Series(["b", None, "a", "b"])).tolist() == [
        0,
        -1,
        1,
        0,
    ]


def test_text_and_categories_of_a_wide_file(tmp_path: Path) -> None:
    words = ["no", "maybe", "yes"]
    columns = {
        "id": [1, 2, 3],
        "q": pl.Series(["yes", None, "no"], dtype=pl.Enum(words)),
        "stars": pl.Series(["5", "4", "5"], dtype=pl.Enum(["4", "5"])),
        "region": ["n", "s", None],
        "phone": ["0711", "0712", "0713"],
        "age": [31, 32, 33],
    }
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame(columns)
    for order in (None, 1):  # as polars writes an Enum, and as an ordered dictionary of arrow
        arrow = frame.to_arrow()
        if order:
            place = arrow.schema.get_field_index("q")
            codes = pa.array([2, None, 0], pa.int8())
            ordered = pa.DictionaryArray.from_arrays(codes, pa.array(words), ordered=True)
            arrow = arrow.set_column(place, "q", ordered)
        pq.write_table(arrow, path)
        said = {
            "quasi": ["region", "age=1"],
            "identifier": ["phone"],
            "drop": ["stars"],
            "ratings": ["q"],
        }
        table = ratingpriv.read(path, **said)
        assert table.to_wide("polars")["q"].to_list() == [3, None, 1]
        assert [(one.name, one.within) for one in table.quasi] == [("region", None), ("age", 1.0)]
        assert table.to_wide("polars")["region"].to_list() == ["n", "s", None]
        assert table.issues == ("q",)
        assert "0711" not in repr(table.to_wide("polars").rows())

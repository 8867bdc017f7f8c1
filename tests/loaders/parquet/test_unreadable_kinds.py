"""Columns that pyarrow reads and polars cannot take (it panics on some), and bytes that are no text."""

from __future__ import annotations

import datetime
import decimal
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError

NO_TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"a\xff"], pa.binary()).buffers())
NOON = datetime.datetime(2005, 9, 6, 12)
ODD = {
    "list": pa.array([[1], [2]]),
    "struct": pa.array([{"a": 1}] * 2),
    "map": pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64())),
    "no text": NO_TEXT,
    "zone": pa.array([NOON] * 2, pa.timestamp("us", "Mars/Olympus")),
}


def read(names, arrays, tmp_path, **options):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.Table.from_arrays(arrays, names=names), path)
    return ratingpriv.read(path, **options)


@pytest.mark.parametrize("kind", sorted(ODD))
@pytest.mark.parametrize("role", ["id", "rating"])
def test_wide(tmp_path, kind, role):
    arrays = [pa.array([1, 2]), pa.array([1, 2]), pa.array([3, 4])]
    arrays[0 if role == "id" else 2] = ODD[kind]
    with pytest.raises(DataError) as refused:
        read(["id", "q1", "q2"], arrays, tmp_path)
    assert "d.parquet" in str(refused.value)
    assert ("id" if role == "id" else "q2") in str(refused.value)


@pytest.mark.parametrize("kind", sorted(ODD))
@pytest.mark.parametrize("role", ["user", "item", "rating", "date"])
def test_long(tmp_path, kind, role):
    columns = {"user": pa.array(["a", "b"]), "item": pa.array(["x", "y"]), "rating": pa.array([1, 2])}
    columns |= {"date": pa.array([1, 2])}
    columns[role] = ODD[kind]
    with pytest.raises(DataError, match=role):
        read(list(columns), list(columns.values()), tmp_path)


def test_a_column_that_is_not_read_may_be_anything(tmp_path):
    table = read(["id", "q1", "q2"], [pa.array([1, 2]), pa.array([1, 2]), ODD["list"]], tmp_path, drop=["q2"])
    assert table.issues == ("q1",)


@pytest.mark.parametrize("role", ["id", "rating"])
def test_decimals_of_256_bits(tmp_path, role):
    wide = pa.array([decimal.Decimal(4), decimal.Decimal(5)], pa.decimal256(70, 2))
    if role == "rating":
        assert read(["id", "q1"], [pa.array([1, 2]), wide], tmp_path).levels.tolist() == [4, 5]
    else:
        with pytest.raises(DataError, match="column id: found record ids of type decimal256"):
            read(["id", "q1"], [wide, pa.array([1, 2])], tmp_path)


def test_durations_name_no_issue(tmp_path):
    arrays = [pa.array(["a", "b"]), pa.array([1, 2], pa.duration("s")), pa.array([1, 2])]
    with pytest.raises(DataError, match="column item: found issues of type duration"):
        read(["user", "item", "rating"], arrays, tmp_path)


def test_a_name_that_is_no_text(tmp_path):
    file = io.BytesIO()
    pq.write_table(pa.table({"id": [1, 2], "qqqq": [1, 2]}), file, store_schema=False)
    path = tmp_path / "d.parquet"
    path.write_bytes(file.getvalue().replace(b"qqqq", b"q\xff\xfeq"))
    with pytest.raises(DataError, match="cut short or damaged"):
        ratingpriv.read(path)


def test_rows_that_do_not_add_up(tmp_path):
    file = io.BytesIO()
    pq.write_table(
        pa.table({"id": range(77), "q1": range(77)}), file, store_schema=False, write_statistics=False
    )
    size = int.from_bytes(file.getvalue()[-8:-4], "little")
    data, footer = file.getvalue()[: -8 - size], bytearray(file.getvalue()[-8 - size : -8])
    at = footer.index(bytes([0x16, 154, 1]))  # the rows of the file: a varint, before its groups of rows
    footer[at + 1] -= 2
    path = tmp_path / "d.parquet"
    path.write_bytes(data + bytes(footer) + file.getvalue()[-8:])
    assert pq.ParquetFile(path).metadata.num_rows == 76
    with pytest.raises(DataError, match="cut short or damaged"):
        ratingpriv.read(path)

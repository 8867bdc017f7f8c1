"""Bad Parquet: what is wrong is said by file, row (as line) and column."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from parquet_writing import LONG, WIDE, only, read, refused, written

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError, Problem


def test_no_parquet_for_all_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    for content, found in (
        (b"id,a\n1,2\n", "no Parquet"),
        (b"", "empty file"),
        (b"PARE" + bytes(99), "encrypted"),
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=found) as caught:
            ratingpriv.read(path)
        assert only(caught.value).remedy


@pytest.mark.parametrize("cut", [5, 0.3, 0.7, -1])
def test_truncated(tmp_path: Path, cut: float) -> None:
    path = written(tmp_path / "ratings.parquet", LONG)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(cut * len(whole)) if 0 < cut < 1 else int(cut)])
    with pytest.raises(DataError, match="cut short or damaged") as caught:
        ratingpriv.read(path)
    assert only(caught.value).expected == "a whole Parquet file"


def test_damaged_inside(tmp_path: Path, way: str) -> None:
    path = written(tmp_path / "ratings.parquet", LONG, compression="gzip")
    broken = bytearray(path.read_bytes())
    broken[4:200] = b"\xff" * 196
    path.write_bytes(broken)
    with pytest.raises(DataError, match="cut short or damaged"):
        ratingpriv.read(path)


def test_no_rows(tmp_path: Path) -> None:
    assert "no rows" in only(refused(tmp_path, pa.table(LONG).slice(0, 0))).found
    assert "no rows" in only(refused(tmp_path, pa.table(WIDE).slice(0, 0))).found


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    problem = only(refused(tmp_path, pa.table([[1], [2], [3]], names=["id", "a", "a"])))
    assert (problem.column, problem.found) == (3, "the name 'a' a second time (first in column 2)")


def test_missing_columns(tmp_path: Path, way: str) -> None:
    assert "'age'" in only(refused(tmp_path, LONG, sensitive=["age"])).found
    assert "'income'" in only(refused(tmp_path, WIDE, sensitive=["income"])).found
    assert "`id`" in only(refused(tmp_path, WIDE, id="respondent")).remedy
    assert "no column 'r'" in only(refused(tmp_path, LONG, rating="r")).found
    assert (
        "no record column"
        in only(refused(tmp_path, {"x": [1], "item": [1], "rating": [1]}, layout="long")).found
    )
    with pytest.raises(ParameterError, match="record ids"):
        read(tmp_path, WIDE, id="id", drop=["id"])


def test_ratings_that_are_no_numbers(tmp_path: Path, way: str) -> None:
    problem = only(refused(tmp_path, {**LONG, "rating": ["good", "bad", "good", None, "4"]}))
    assert (problem.found, problem.cell) == ("text", "good, bad, 4")
    assert (problem.column, problem.expected) == ("rating", "ratings")
    assert "date32" in only(refused(tmp_path, {**LONG, "rating": pa.array([1] * 5, pa.date32())})).found
    wide = {**WIDE, "name": ["o", "p", "q"], "day": pa.array([1, 2, 3], pa.date32())}
    error = refused(tmp_path, wide, sensitive=["age"])
    assert [(p.column, p.line) for p in error.problems] == [("name", 1), ("day", 1)]
    assert "`drop=['name']`" in error.problems[0].remedy
    assert read(tmp_path, {**WIDE, "name": pa.array([None] * 3, pa.string())}, drop=["age"]).n_issues == 3


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity(tmp_path: Path, way: str, bad: float) -> None:
    problem = only(refused(tmp_path, {**LONG, "rating": [5, 3, 4, bad, 2]}))
    assert (problem.line, problem.column) == (4, "rating")
    assert "`null=" in problem.remedy
    problem = only(refused(tmp_path, {"id": [1, 2], "a": [1.0, bad]}))
    assert (problem.line, problem.column) == (2, "a")


def test_off_the_scale(tmp_path: Path, way: str) -> None:
    error = refused(tmp_path, {**LONG, "rating": [5, 3, 9, 1, 0]}, scale=(1, 5))
    assert [(p.line, p.cell) for p in error.problems] == [(3, "9"), (5, "0")]
    error = refused(tmp_path, WIDE, scale=(2, 4), sensitive=["age"])
    found = [(p.line, p.column, p.cell) for p in error.problems]
    assert found[:3] == [(1, "a", "1"), (1, "b", "5"), (1, "age", "20")]
    rows = {"user": [1, 2, 2], "item": ["a", "age", "a"], "rating": [5, 40, 1]}
    problem = only(refused(tmp_path, rows, scale=(1, 5), sensitive=["age"]))
    assert (problem.line, problem.cell) == (2, "40")
    problem = only(refused(tmp_path, rows, sensitive=["age"], sensitive_scale={"age": (0, 39)}))
    assert (problem.line, problem.cell) == (2, "40")


@pytest.mark.parametrize("number", ["0.3000000000000000004", "9007199254740993", "-12345678901234.567"])
def test_decimals_that_float64_does_not_keep(tmp_path: Path, way: str, number: str) -> None:
    cells = pa.array([Decimal("1.500"), Decimal(number), None], pa.decimal128(38, 19))
    sure = {"ratings": ["a"], "layout": "wide"}
    problem = only(refused(tmp_path, {"id": [1, 2, 3], "a": cells}, **sure))
    assert (problem.line, problem.column) == (2, "a")
    assert "more than 15 significant digits" in problem.found
    problem = only(refused(tmp_path, {"user": [1, 2, 3], "item": list("aba"), "rating": cells}))
    assert (problem.line, problem.column) == (2, "rating")
    kept = pa.array([Decimal("1.500"), Decimal("123456789012345"), None], pa.decimal128(38, 19))
    table = read(tmp_path, {"id": [1, 2, 3], "a": kept}, **sure)
    assert table.values.tolist() == [1.5, 123456789012345]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_whole_numbers_that_float64_does_not_keep(tmp_path: Path, way: str, kind: pa.DataType) -> None:
    cells = pa.array([2**53, 2**53 + 1, 1], kind)
    assert only(refused(tmp_path, {"id": [1, 2, 3], "a": cells})).line == 2
    assert only(refused(tmp_path, {"user": [1, 2, 3], "item": list("aba"), "rating": cells})).line == 2
    big = pa.array([2**63 - 1, 2**63 - 2, 2**53 + 1], kind)  # as ids they stay what they are
    assert read(tmp_path, {"id": big, "a": [1, 2, 3]}).record_ids.to_list() == big.to_pylist()
    table = read(tmp_path, {"user": [1, 2, 3], "item": big, "rating": [1, 2, 3]})
    assert table.issues == tuple(map(str, big.to_pylist()))
    if kind == pa.uint64():
        names = pa.array([2**64 - 1, 2**63, 1], kind)
        table = read(tmp_path, {"user": [1, 2, 3], "item": names, "rating": [1, 2, 3]})
        assert table.issues == ("18446744073709551615", "9223372036854775808", "1")


def test_a_pair_twice(tmp_path: Path, way: str) -> None:
    columns = {"user": [1, 2, 1, 1, 2], "item": list("abcaa"), "rating": [1, 2, 3, None, 5]}
    problem = only(refused(tmp_path, columns))
    assert problem.line == 4
    assert problem.found == "a second rating of issue 'a' by the same record (first in line 1)"
    assert problem.cell == "issue 'a', record 1"
    columns["item"] = ["s", "b", "a", "s", "b"]
    assert refused(tmp_path, columns, sensitive=["s"]).total == 2
    many = {"user": [1] * 50, "item": ["a"] * 50, "rating": [1] * 50}
    error = refused(tmp_path, many, max_problems=3)
    assert (len(error.problems), error.total) == (3, 49)


def test_nothing_where_an_id_should_be(tmp_path: Path, way: str) -> None:
    error = refused(tmp_path, {**LONG, "user": [7, None, 3, 9, None], "item": ["b", "a", None, "c", "a"]})
    assert [(p.line, p.column) for p in error.problems] == [(2, "user"), (3, "item"), (5, "user")]
    problem = only(refused(tmp_path, {**WIDE, "id": ["x", None, "z"]}, drop=["age"]))
    assert (problem.line, problem.found) == (2, "no record id")
    assert only(refused(tmp_path, {**LONG, "user": [7, 7.5, 3, 9, 3]})).cell == "7.5"


def test_a_record_twice_in_wide(tmp_path: Path) -> None:
    problem = only(refused(tmp_path, {**WIDE, "id": [4, 5, 4]}, drop=["age"]))
    assert (problem.line, problem.column) == (3, "id")
    assert "first in line 1" in problem.found


def test_ids_and_timestamps_of_other_types(tmp_path: Path, way: str) -> None:
    days = pa.array([1] * 5, pa.date32())
    assert only(refused(tmp_path, {**LONG, "user": days})).found == "record ids of type date32[day]"
    problem = only(refused(tmp_path, {**LONG, "item": [[1]] * 5}))
    assert problem.column == "item"
    problem = only(refused(tmp_path, {**LONG, "date": ["x"] * 5}))
    assert (problem.column, problem.found) == ("date", "timestamps of type String")
    assert read(tmp_path, {**LONG, "date": ["x"] * 5}, timestamps=False).n_ratings == 5


def test_parts_that_do_not_agree(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    written(folder / "1.parquet", LONG)

    def refusal() -> Problem:
        with pytest.raises(DataError) as caught:
            ratingpriv.read(folder)
        return only(caught.value)

    written(folder / "2.parquet", {"user": [1], "item": ["a"]})
    assert refusal().found == "no column 'rating'"
    written(folder / "2.parquet", {**LONG, "user": list("abcde")})
    assert refusal().found == "record ids of type string"
    written(folder / "2.parquet", {"user": [1, 7], "item": ["a", "a"], "rating": [1, 1]})
    problem = refusal()
    assert (problem.file, problem.line) == (str(folder / "2.parquet"), 2)
    assert problem.found.startswith("a second rating of issue 'a' by the same record")
    (folder / "2.parquet").write_bytes(b"PAR1")
    assert refusal().file == str(folder / "2.parquet")


def test_options_that_parquet_has_no_use_for(tmp_path: Path) -> None:
    for option in ({"delimiter": ";"}, {"header": True}, {"encoding": "utf-8"}):
        with pytest.raises(ParameterError, match="Parquet has no such thing"):
            read(tmp_path, LONG, **option)


@pytest.mark.parametrize("unit", ["ms", "us"])
@pytest.mark.parametrize("column", ["id", "x"])
def test_a_year_of_no_calendar_beside_text(tmp_path: Path, unit: str, column: str) -> None:
    """Polars panics where it has to write such a time down."""
    folder = tmp_path / "parts"
    folder.mkdir()
    times = pa.array([2**60, -(2**60), 0], pa.int64()).cast(pa.timestamp(unit))
    other = {"id": "x", "x": "id"}[column]
    for name, cells in (("a", times), ("b", pa.array([7, 8, 9]))):
        table = pa.table({column: cells, other: [ord(name) + n for n in range(3)], "q": [1, 2, 3]})
        written(folder / f"{name}.parquet", table)
    with pytest.raises(DataError) as caught:
        ratingpriv.read(folder, id="id", layout="wide")
    if column == "x":
        problem = caught.value.problems[0]
        assert problem.found == "a time outside of the years 1 to 9999"
        assert problem.column == "x"

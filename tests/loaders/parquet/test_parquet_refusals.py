"""Bad Parquet: what is wrong is said by file, row (as line) and column,
where polars panics as well.
"""

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from parquet_writing import LONG, WIDE, only, read, refused, written

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError

SLICED = {"user": [1, 2, 2], "item": ["a", "age", "a"], "rating": [5, 40, 1]}
AGE: dict[str, Any] = {"sensitive": ["age"]}
TWICE = {"user": [1, 2, 1, 1, 2], "item": [*"abcaa"], "rating": [1, 2, 3, None, 5]}
NAMELESS = {**LONG, "user": [7, None, 3, 9, None], "item": ["b", "a", None, "c", "a"]}
DAYS = pa.array([1] * 5, pa.date32())
NAMED = {**WIDE, "name": ["o", "p", "q"], "day": pa.array([1, 2, 3], pa.date32())}
NO_TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"a\xff"], pa.binary()).buffers())
MARS = pa.array([datetime.datetime(2005, 9, 6, 12)] * 2, pa.timestamp("us", "Mars/Olympus"))
LISTS = pa.array([[1], [2]])
MAPS = pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64()))
ODD = {
    "list": LISTS,
    "struct": pa.array([{"a": 1}] * 2),
    "map": MAPS,
    "no text": NO_TEXT,
    "zone": MARS,
}

REFUSED: list[tuple[Any, dict[str, Any], list[tuple[int | None, object]], str]] = [
    (pa.table(LONG).slice(0, 0), {}, [(None, None)], "no rows"),
    (pa.table(WIDE).slice(0, 0), {}, [(None, None)], "no rows"),
    (
        pa.table([[1], [2], [3]], names=["id", "a", "a"]),
        {},
        [(None, 3)],
        "the name 'a' a second time",
    ),
    (LONG, AGE, [(None, None)], "'age'"),
    (WIDE, {"sensitive": ["income"]}, [(None, None)], "'income'"),
    (WIDE, {"id": "respondent"}, [(None, None)], "`id`"),
    (LONG, {"rating": "r"}, [(None, None)], "no column 'r'"),
    ({"x": [1], "item": [1], "rating": [1]}, {"layout": "long"}, [(1, None)], "no record column"),
    (
        {**LONG, "rating": ["good", "bad", "good", None, "4"]},
        {},
        [(None, "rating")],
        "found text, expected ratings",
    ),
    ({**LONG, "rating": DAYS}, {}, [(None, "rating")], "date32"),
    (NAMED, AGE, [(1, "name"), (1, "day")], "`drop=['name']`"),
    ({**LONG, "rating": [5, 3, 9, 1, 0]}, {"scale": (1, 5)}, [(3, "rating"), (5, "rating")], "'9'"),
    (SLICED, {"scale": (1, 5), **AGE}, [(2, "rating")], "'40'"),
    (SLICED, {"sensitive_scale": {"age": (0, 39)}, **AGE}, [(2, "rating")], "'40'"),
    (
        TWICE,
        {},
        [(4, "rating")],
        "a second rating of item 'a' by the same record (first in line 1)",
    ),
    (
        TWICE | {"item": [*"sbasb"]},
        {"sensitive": ["s"]},
        [(4, "rating"), (5, "rating")],
        "a second rating",
    ),
    (NAMELESS, {}, [(2, "user"), (3, "item"), (5, "user")], "a rating without an item"),
    ({**WIDE, "id": ["x", None, "z"]}, {"drop": ["age"]}, [(2, "id")], "no record id"),
    ({**LONG, "user": [7, 7.5, 3, 9, 3]}, {}, [(2, "user")], "'7.5'"),
    ({**WIDE, "id": [4, 5, 4]}, {"drop": ["age"]}, [(3, "id")], "first in line 1"),
    ({**LONG, "user": DAYS}, {}, [(None, "user")], "record ids of type date32[day]"),
    ({**LONG, "item": [[1]] * 5}, {}, [(None, "item")], "lists"),
    ({**LONG, "date": ["x"] * 5}, {}, [(None, "date")], "timestamps of type String"),
    (
        {**LONG, "item": pa.array([1] * 5, pa.duration("s"))},
        {},
        [(None, "item")],
        "issues of type duration",
    ),
]


@pytest.mark.parametrize(
    ("columns", "options", "places", "words"), REFUSED, ids=[case[3] for case in REFUSED]
)
def test_refused(tmp_path, way, columns, options, places, words):
    error = refused(tmp_path, columns, **options)
    assert [(problem.line, problem.column) for problem in error.problems] == places
    assert words in error.with_cells()


@pytest.mark.parametrize("kind", sorted(ODD))
@pytest.mark.parametrize("role", ["id", "q2", "user", "item", "rating", "date"])
def test_odd_types(tmp_path, kind, role):
    whole = {"id": pa.array([1, 2]), "q1": pa.array([1, 2]), "q2": pa.array([3, 4])}
    if role not in whole:
        whole = {
            "user": pa.array(["a", "b"]),
            "item": pa.array(["x", "y"]),
            "rating": [1, 2],
            "date": [1, 2],
        }
    message = str(refused(tmp_path, {**whole, role: ODD[kind]}))
    assert "ratings.parquet" in message
    assert role in message


def test_what_is_not_read_may_be_anything(tmp_path, way):
    assert read(tmp_path, {"id": [1, 2], "q1": [1, 2], "q2": LISTS}, drop=["q2"]).issues == ("q1",)
    assert read(tmp_path, {**LONG, "date": ["x"] * 5}, timestamps=False).n_ratings == 5
    assert (
        read(tmp_path, {**WIDE, "name": pa.array([None] * 3, pa.string())}, drop=["age"]).n_issues
        == 3
    )


@pytest.mark.parametrize(
    ("content", "found"),
    [(b"id,a\n1,2\n", "no Parquet"), (b"", "empty file"), (b"PARE" + bytes(99), "encr")],
)
def test_no_parquet_for_all_its_name(tmp_path, content, found):
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    with pytest.raises(DataError, match=found) as caught:
        ratingpriv.read(path)
    assert only(caught.value).remedy


@pytest.mark.parametrize("cut", [5, 0.3, 0.7, -1])
def test_truncated(tmp_path, cut):
    path = written(tmp_path / "ratings.parquet", LONG)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(cut * len(whole)) if 0 < cut < 1 else int(cut)])
    with pytest.raises(DataError, match="cut short or damaged") as caught:
        ratingpriv.read(path)
    assert only(caught.value).expected == "a whole Parquet file"


def test_damaged_inside(tmp_path, way):
    path = written(tmp_path / "ratings.parquet", LONG, compression="gzip")
    broken = bytearray(path.read_bytes())
    broken[4:200] = b"\xff" * 196
    path.write_bytes(broken)
    with pytest.raises(DataError, match="cut short or damaged"):
        ratingpriv.read(path)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity(tmp_path, way, bad):
    problem = only(refused(tmp_path, {**LONG, "rating": [5, 3, 4, bad, 2]}))
    assert (problem.line, problem.column) == (4, "rating")
    assert "`null=" in problem.remedy
    problem = only(refused(tmp_path, {"id": [1, 2], "a": [1.0, bad]}))
    assert (problem.line, problem.column) == (2, "a")


@pytest.mark.parametrize(
    "number", ["0.3000000000000000004", "9007199254740993", "-12345678901234.567"]
)
def test_decimals_that_float64_does_not_keep(tmp_path, way, number):
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


def test_decimals_of_256_bits(tmp_path):
    wide = pa.array([Decimal(4), Decimal(5)], pa.decimal256(70, 2))
    assert read(tmp_path, {"id": [1, 2], "q1": wide}).levels.tolist() == [4, 5]
    assert "record ids of type decimal256" in str(refused(tmp_path, {"id": wide, "q1": [1, 2]}))


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_whole_numbers_that_float64_does_not_keep(tmp_path, way, kind):
    cells = pa.array([2**53, 2**53 + 1, 1], kind)
    assert only(refused(tmp_path, {"id": [1, 2, 3], "a": cells})).line == 2
    assert (
        only(refused(tmp_path, {"user": [1, 2, 3], "item": list("aba"), "rating": cells})).line == 2
    )
    big = pa.array([2**63 - 1, 2**63 - 2, 2**53 + 1], kind)  # as ids they stay what they are
    assert read(tmp_path, {"id": big, "a": [1, 2, 3]}).record_ids.to_list() == big.to_pylist()
    table = read(tmp_path, {"user": [1, 2, 3], "item": big, "rating": [1, 2, 3]})
    assert table.issues == tuple(map(str, big.to_pylist()))
    if kind == pa.uint64():
        names = pa.array([2**64 - 1, 2**63, 1], kind)
        table = read(tmp_path, {"user": [1, 2, 3], "item": names, "rating": [1, 2, 3]})
        assert table.issues == ("18446744073709551615", "9223372036854775808", "1")


def test_more_pairs_twice_than_are_listed(tmp_path, way):
    error = refused(
        tmp_path, {"user": [1] * 50, "item": ["a"] * 50, "rating": [1] * 50}, max_problems=3
    )
    assert (len(error.problems), error.total) == (3, 49)


PARTS: list[tuple[dict[str, Any], str, int | None]] = [
    ({"user": [1], "item": ["a"]}, "no column 'rating'", None),
    ({**LONG, "user": [*"abcde"]}, "record ids of type string", None),
    (
        {"user": [1, 7], "item": ["a", "a"], "rating": [1, 1]},
        "a second rating of item 'a' by the same record",
        2,
    ),
]


@pytest.mark.parametrize(("second", "found", "line"), PARTS)
def test_parts_that_do_not_agree(tmp_path, way, second, found, line):
    folder = tmp_path / "parts"
    folder.mkdir()
    written(folder / "1.parquet", LONG)
    written(folder / "2.parquet", second)
    with pytest.raises(DataError) as caught:
        ratingpriv.read(folder)
    problem = only(caught.value)
    assert problem.found.startswith(found)
    assert (problem.file, problem.line) == (str(folder / "2.parquet"), line)
    (folder / "2.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"2\.parquet"):
        ratingpriv.read(folder)


def test_options_that_parquet_has_no_use_for(tmp_path):
    for option in ({"delimiter": ";"}, {"header": True}, {"encoding": "utf-8"}):
        with pytest.raises(ParameterError, match="Parquet has no such thing"):
            read(tmp_path, LONG, **option)
    with pytest.raises(ParameterError, match="record ids"):
        read(tmp_path, WIDE, id="id", drop=["id"])


@pytest.mark.parametrize("unit", ["ms", "us"])
@pytest.mark.parametrize("column", ["id", "x"])
def test_a_year_of_no_calendar_beside_text(tmp_path, unit, column):
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
        assert (problem.found, problem.column) == ("a time outside of the years 1 to 9999", "x")


def test_a_name_that_is_no_text(tmp_path):
    path = written(tmp_path / "d.parquet", {"id": [1, 2], "qqqq": [1, 2]}, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"qqqq", b"q\xff\xfeq"))
    with pytest.raises(DataError, match="cut short or damaged"):
        ratingpriv.read(path)

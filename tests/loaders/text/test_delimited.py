"""Delimited text: layouts, dialects, compression, ids, timestamps, options."""

import datetime
import gzip
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from loaders.files import write

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.formats.reading import ReadOptions, Source, detect
from ratingpriv.data.formats.writing import write_table
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.text.loader import open_text

WIDE = "id,a,b,c\nx,1,,3\ny,2,5,\nz,,,\n"
LAID_OUT: dict[str, object] = {"layout": "long", "id": "2", "issue": "1", "rating": "3"}
LONG = "user,item,rating,date\nx,a,1,2005-09-06\nx,c,3,2005-09-07\ny,a,2,2004-02-29\n"


def cells(table: RatingTable) -> list[tuple[object, ...]]:
    """Every non-sensitive rating as (record, issue, rating, ...)."""
    return table.to_long("polars").rows()  # type: ignore[no-any-return]


UNUSUAL = 'id,"a,1","b ""x""","c\nd"\n"u\n1","1",2,"3"\n"say ""hi""",4,"",5\n'
XY, RC = ["x", "y"], ["r1", "r2"]

TABLES: list[tuple[str | bytes, dict[str, object], list[object], tuple[str, ...], list[float]]] = [
    (WIDE, {}, ["x", "y", "z"], ("a", "b", "c"), [1, 3, 2, 5]),
    (LONG, {}, XY, ("a", "c"), [1, 3, 2]),
    ("8,57,1.0\n8,21,3.0\n9,57,2.5\n", LAID_OUT, ["57", "21"], ("8", "9"), [1, 2.5, 3]),
    ("user,item,rating\nx,a,1\ny,b,\n", {}, XY, ("a", "b"), [1]),
    *(
        (
            WIDE.replace(",", one),
            {"format": "delimited"},
            ["x", "y", "z"],
            ("a", "b", "c"),
            [1, 3, 2, 5],
        )
        for one in (",", ";", "\t", "|", "::", "^")
    ),
    *(
        (
            f"id{one}q1{one}q2\nx{one}1{one}2\ny{one}3{one}\n",
            {"delimiter": one},
            XY,
            ("q1", "q2"),
            [1, 2, 3],
        )
        for one in (" ", "<>", "\N{SECTION SIGN}", "ab")
    ),
    # ids stay as written
    ("userId,a\n007,1\n7, 2\n 7,3\n", {}, ["007", "7", " 7"], ("a",), [1, 2, 3]),
    ("a,b\n1,2\n3,4\n", {}, [0, 1], ("a", "b"), [1, 2, 3, 4]),
    (",a,b\nr1,1,2\nr2,3,4\n", {}, RC, ("a", "b"), [1, 2, 3, 4]),  # row names
    ("1,2,3\n4,5,1\n", {}, [0, 1], ("1", "2", "3"), [1, 2, 3, 4, 5, 1]),
    ("id,1,2\nx,5,1\n", {}, ["x"], ("1", "2"), [5, 1]),
    ("NA,2,3\n4,5,1\n", {}, [0, 1], ("1", "2", "3"), [2, 3, 4, 5, 1]),
    ("1,2,3\n4,5,1\n", {"header": True}, [0], ("1", "2", "3"), [4, 5, 1]),
    ("x,2,3\ny,5,1\n", {"header": False, "id": "1"}, XY, ("2", "3"), [2, 3, 5, 1]),
    (UNUSUAL, {}, ["u\n1", 'say "hi"'], ("a,1", 'b "x"', "c\nd"), [1, 2, 3, 4, 5]),
    (
        b"\xef\xbb\xbf" + WIDE.strip().replace("\n", "\r\n").encode(),
        {},
        ["x", "y", "z"],
        ("a", "b", "c"),
        [1, 3, 2, 5],
    ),
    ("id,a\n\nx,1\n\n\ny,2\n\n", {}, XY, ("a",), [1, 2]),  # empty lines are no records
    ("a\n1\n\n3\n", {}, [0, 1, 2], ("a",), [1, 3]),  # but an empty cell in one column is
    ("id,a,b\nx,NA,∅\ny, ,3\nz,0,None\n", {}, ["x", "y", "z"], ("a", "b"), [3, 0]),
    ("id,a,b\nx,0,0.0\ny,,-0\nz,-9,3\n", {"null": ["0", "-9"]}, ["x", "y", "z"], ("a", "b"), [3]),
    (
        "id,a,b\nx,0,0.0\ny,,-0\nz,-9,3\n",
        {"scale": (-9, 3)},
        ["x", "y", "z"],
        ("a", "b"),
        [0, 0, 0, -9, 3],
    ),
    ("id,a,b,c\nx,0,-1.5,+2\ny,1e1,.5,3.\n", {}, XY, ("a", "b", "c"), [0, -1.5, 2, 10, 0.5, 3]),
    (
        "user,item,rating\nx,a,0.1\nx,b,0.300000000000004\ny,a,1234567.1\n",
        {},
        XY,
        ("a", "b"),
        [0.1, 0.300000000000004, 1234567.1],
    ),
    ("id,a\nx,0.1\ny,3.7\n", {}, XY, ("a",), [0.1, 3.7]),
]


@pytest.mark.parametrize(("text", "options", "ids", "issues", "values"), TABLES)
def test_tables(tmp_path, text, options, ids, issues, values):
    table = ratingpriv.read(write(tmp_path, text), **options)
    assert (table.record_ids.to_list(), table.issues, table.values.tolist()) == (
        ids,
        issues,
        values,
    )


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["881250949", "-1"], [881250949, -1]),
        (["881250949", ""], [881250949, None]),
        (["881250949.0", "5"], [881250949, 5]),
        (["2005-09-06", ""], [datetime.date(2005, 9, 6), None]),
        (
            ["2005-09-06", "2005-09-06T12:00:01"],
            [datetime.datetime(2005, 9, 6), datetime.datetime(2005, 9, 6, 12, 0, 1)],
        ),
        (["2005-09-06 12:00:00+02:00", "NA"], [datetime.datetime(2005, 9, 6, 10), None]),
    ],
)
def test_timestamps(tmp_path: Path, texts: list[str], expected: list[object]) -> None:
    rows = "".join(f"u{number},a,1,{text}\n" for number, text in enumerate(texts))
    table = ratingpriv.read(write(tmp_path, "user,item,rating,timestamp\n" + rows))
    assert table.timestamps is not None
    assert table.timestamps.to_list() == expected


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("delimiter", one) for one in ("", "\n", '"', "a\rb")),
        ("encoding", "utf-99"),
        ("encoding", "rot13"),
    ],
)
def test_impossible_delimiters_and_encodings(tmp_path: Path, option: str, value: str) -> None:
    with pytest.raises(ParameterError, match=option):
        ratingpriv.read(write(tmp_path, WIDE), **{option: value})


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-16-le", "shift_jis"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    # in Shift JIS these hold bytes that look like | and \
    name = "é" if encoding == "cp1252" else "ソ|表"
    text = f'id,"{name}"\nx,1\n'
    table = ratingpriv.read(write(tmp_path, text.encode(encoding)), encoding=encoding)
    assert table.issues == (name,)


def test_compressed(tmp_path: Path) -> None:
    data = WIDE.encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._ratings.csv", b"junk")
        archive.writestr("deep/ratings.csv", data)
    plain = cells(ratingpriv.read(write(tmp_path, WIDE)))
    for name, content in {
        "a.csv.gz": gzip.compress(data[:9]) + gzip.compress(data[9:]),
        "a.csv.zst": pa.compress(data, codec="zstd", asbytes=True),
        "a.zip": packed.getvalue(),
        "named-without-suffix": gzip.compress(data),
    }.items():
        assert cells(ratingpriv.read(write(tmp_path, content, name))) == plain, name


@pytest.mark.parametrize("timestamps", [True, False])
@pytest.mark.parametrize(
    ("times", "first", "last"),
    [
        (("3", "1", "2"), 2.0, 1.0),
        (("2005-09-07", "2005-09-05", "2005-09-06"), 2.0, 1.0),
        (("2005-09-06T10:00:00", "2005-09-06T09:00:00", "2005-09-06T11:00:00"), 2.0, 4.0),
        (("2", "", "1"), 2.0, 1.0),
        (("7", "7", "7"), 1.0, 4.0),
        (("1", "3", "2"), 1.0, 2.0),
    ],
)
@pytest.mark.parametrize("sensitive", [(), ("a",)])
def test_which_is_first_and_last_goes_by_time(tmp_path, times, first, last, timestamps, sensitive):
    rows = "".join(f"x,a,{rating},{time}\n" for rating, time in zip((1, 2, 4), times, strict=True))
    path = write(tmp_path, f"user,item,rating,timestamp\n{rows}x,b,3,{times[0]}\n")
    for rule, expected in (("first", first), ("last", last)):
        table = ratingpriv.read(path, duplicates=rule, timestamps=timestamps, sensitive=sensitive)
        found = table.sensitive[0].values[0] if sensitive else cells(table)[0][2]
        assert found == expected


def test_wide_rather_than_long_has_to_be_said_where_columns_look_long(tmp_path: Path) -> None:
    path = write(tmp_path, "".join(f"{n},{n * 7 % 1009},{n % 5 + 1}\n" for n in range(500)))
    with pytest.raises(DataError, match="as row numbers are"):
        ratingpriv.read(path)
    assert ratingpriv.read(path, layout="wide", ratings=["1", "2"]).n_records == 500


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("id,q,q", ["q", "q (2)"]),
        ("id,q,q,q,q", ["q", "q (2)", "q (3)", "q (4)"]),
        ("id,q,p,q", ["q", "p", "q (2)"]),
        ('id,q,"q (2)",q', ["q", "q (2)", "q (3)"]),
        ("id,q, q ,p,p", ["q", "q (2)", "p", "p (2)"]),
    ],
)
def test_repeated_names_are_numbered_and_said(
    tmp_path: Path, header: str, names: list[str]
) -> None:
    width = header.count(",")
    rows = "".join(
        f"{at},{','.join(str((at + one) % 5 + 1) for one in range(width))}\n" for at in range(9)
    )
    path = write(tmp_path, f"{header}\n{rows}")
    table = ratingpriv.read(path)
    assert list(table.issues) == names
    assert table.n_ratings == 9 * width
    _, claim = detect(Source(path))
    assert "repeated names numbered" in claim.reason
    written = write_table(table, tmp_path / "copy.csv")
    assert list(written.read(tmp_path / "copy.csv").issues) == names


@pytest.mark.parametrize("rows", ["good,bad,good\nbad,good,bad\n", "a,a,b\nb,b,a\na,b,b\n"])
def test_answers_are_no_names(tmp_path: Path, rows: str) -> None:
    with pytest.raises(DataError, match="duplicated name"):
        ratingpriv.read(write(tmp_path, rows))


@pytest.mark.parametrize(
    "text", ["x,1,2\nx,1,2\n", "good,bad\ngood,bad\nbad,good\n", "a,b,c\na,b,c\na,c,c\n"]
)
def test_two_rows_of_the_same_answers_are_records(tmp_path: Path, text: str) -> None:
    opening = open_text(Source(write(tmp_path, text)), ReadOptions(header=True))
    assert opening.below == 0


@pytest.mark.parametrize("again", ["id,q1,q2,q3", ",q1,q2,q3", "id,q1,,q3"])
@pytest.mark.parametrize("title", ["", "A survey of 2024\n"])
def test_a_second_row_of_the_same_names_is_left_out(tmp_path: Path, again: str, title: str) -> None:
    rows = "".join(f"r{at},good,{at % 4 + 1},bad\n" for at in range(9))
    path = write(tmp_path, f"{title}id,q1,q2,q3\n{again}\n{rows}")
    table = ratingpriv.read(path, quasi=("q1", "q3"))
    assert (table.n_records, table.issues) == (9, ("q2",))
    assert "a second row of names not read" in detect(Source(path))[1].reason

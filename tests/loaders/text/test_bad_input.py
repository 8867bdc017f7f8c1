"""Bad text input: one message a problem, with file, line, column, found, expected, remedy;
all count.
"""

import gzip
import io
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from loaders.files import write

import ratingpriv
from ratingpriv.base.errors import DataError
from ratingpriv.data.table.building.delimited import UNCLOSED
from ratingpriv_loaders.text import scan as scanning

Refused = Callable[..., DataError]
Places = list[tuple[int | None, object]]


@pytest.fixture(params=["plain", "arrow"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test once with each scanner: what is wrong must be said the same way,
    whichever reads.
    """
    if request.param == "arrow":
        monkeypatch.setattr(scanning, "SMALL", 0)
    return str(request.param)


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    def read(text: str | bytes, name: str = "ratings.csv", **options: object) -> DataError:
        path = write(tmp_path, text, name)
        with pytest.raises(DataError) as caught:
            ratingpriv.read(path, **options)
        for problem in caught.value.problems:
            assert problem.file == str(path)
            assert problem.found
            assert problem.expected
        return caught.value

    return read


def places(error: DataError) -> Places:
    return [(problem.line, problem.column) for problem in error.problems]


MANY = "".join(
    f"{number % 5 + 1},c{number % 3},{'x' if number == 7 else 2}\n" for number in range(100)
)
NAMED = "".join(f"c{number},{number % 5 + 1}\n" for number in range(50))
CODES = "".join(f"{number % 5 + 1},c{number % 3}\n" for number in range(50))

SCALE: dict[str, object] = {"scale": (1, 5)}
OWN: dict[str, object] = {
    "scale": (1, 5),
    "sensitive": ["age"],
    "sensitive_scale": {"age": (0, 120)},
}
HAPPY = "id,happiness,income\nx,1,2\n"
LOG, DATED = "user,item,rating\n", "user,item,rating,date\n"

LINES: list[tuple[str, dict[str, object], Places, list[str]]] = [  # the same, whoever cuts them
    ("id,a,b\n", {}, [(1, None)], ["nothing below it"]),
    ("id,a,b", {}, [(1, None)], ["nothing below it"]),
    (f"{LOG}\n", {}, [(1, None)], ["nothing below it"]),
    (
        "id,a,b\nx,1,2\ny,1\nz,1,2,3\nv\n",
        {},
        [(3, None), (4, None), (5, None)],
        ["in 3 lines", "line 4", "`delimiter`"],
    ),
    (
        "user,a,b\nx,1,2,3\ny,1,2,3\nz,4,5,1\n",
        {},
        [(2, None)],
        ["4 cells in every line, one more", "row names"],
    ),
    (
        "user,a,b\nx,1,2,3,4\ny,1,2,3,4\nz,4,5,1,4\n",
        {},
        [(2, None)],
        ["found 5 cells in every line, e"],
    ),
    ("id,a,b\nx,1,2\ny,four,5\nz,1,3\n", {}, [(3, "a")], ["found text ('four')", "`null`"]),
    (f"{LOG}x,a,1\ny,b,2\nz,b,?\n", {}, [(4, "rating")], []),
    ('id,"a\nb",c\r\n\r\n"x\ny",1,2\nz,1,two\nw,1,3\n', {}, [(6, "c")], []),
    (
        "id,a,age\nx,1,40\ny,6,121\n",
        OWN,
        [(3, "a"), (3, "age")],
        ["'6'", "1..5", "'121'", "0..120"],
    ),
    (
        "id,a,age\nx,1,40\n",
        SCALE | {"sensitive": ["age"]},
        [(2, "age")],
        ["'40'", "`sensitive_scale`"],
    ),
    (f"{LOG}x,a,9\ny,a,1\n", SCALE, [(2, "rating")], ["1..5"]),
    (f"{LOG}x,a,1\ny,a,2\nx,a,1\n", {}, [(4, "rating")], ["first in line 2", "`duplicates="]),
    ("id,a\nx,1\ny,2\n\nx,3\n", {}, [(5, "id")], ["first in line 2", "'x'"]),
    ("id,a\nx,1\n,2\n", {}, [(3, "id")], []),
    (f"{LOG}x,a,1\n,a,2\n", {}, [(3, "user")], []),
    (f"{LOG}x,a,1\ny,,2\n", {}, [(3, "item")], []),
    (
        f"a,country,b\n{MANY}",
        {},
        [(2, "country"), (9, "b")],
        ["text in 100 of 100 cells", "`drop=['country']`"],
    ),
    ('id,a\nx,"1" 2\ny,1\nz,"3\nw,4\n', {}, [(2, 2), (4, 2)], []),
    (
        f"{DATED}x,a,1,2005-02-29\ny,a,2,2005-03-01\nz,a,2,soon\n",
        {},
        [(2, "date"), (4, "date")],
        ["unix seconds"],
    ),
    (
        f"{DATED}x,a,1,2005-02-28\ny,a,2,881250949\nz,a,2,2005-02-28\n",
        {},
        [(3, "date")],
        ["1 numbers and 2 dates"],
    ),
    ("id,a,b\nx,1,2\ny,x,9\nx,1\nx,3,4\n", SCALE, [(3, "a"), (3, "b"), (4, None), (5, "id")], []),
    *(
        (f"id,a,b\nx,1,2\ny,{text},5\nz,1,3\n", {}, [(3, "a")], [f"`null=[{text!r}]`"])
        for text in ("NaN", "nan", "inf", "-Infinity", "+inf")
    ),
    *(  # no number is guessed
        (f'id,a,b\nx,1,2\ny,"{text}",5\nz,1,3\n', {}, [(3, "a")], [])
        for text in ("1_0", "0x1", "1e999", "1,5", "1.2.3", "٣", "1 2", "--1", "5\r6")
    ),
]

OPENINGS: list[tuple[str | bytes, dict[str, object], Places, list[str]]] = [
    *((text, {}, [(None, None)], ["empty"]) for text in ("", "\n\n", "\r\n", b"\xef\xbb\xbf")),
    ("id,a,b,a,\nx,1,2,3,4\n", {}, [(1, 5)], []),
    *(
        (HAPPY, {o: ["hapiness"]}, [(None, None)], ["'happiness'"])
        for o in ("sensitive", "drop", "only")
    ),
    ("person,a\nx,1\ny,2\n", {"id": "persn"}, [(None, None)], ["'person'"]),
    ("person,a\nx,1\n", {"id": "9"}, [(None, None)], ["no column"]),
    ("1,x,3\n4,5,1\n2,2,2\n", {}, [(1, None)], ["`header=False`"]),
    ("id,a\nx,1\nJosé,2\n".encode("latin-1"), {}, [(3, None)], ["0xe9 at offset 12", "José,2"]),
    ("id,a\nx,1\ny,2\n\nzé".encode("latin-1"), {}, [(5, None)], []),
    ("id,a\nxé,1\n".encode(), {"encoding": "ascii"}, [(2, None)], []),
    ("id,a\nx,1\n".encode("utf-16"), {}, [(1, None)], ["`encoding='utf-16'`"]),
    (b"id,a\nx,1\ny,\0\n", {}, [(3, None)], ["NUL"]),
    (b"PAR1 rest", {"format": "delimited"}, [(None, None)], ["Parquet"]),
    (b"%PDF-1.7 rest", {"format": "delimited"}, [(None, None)], ["PDF"]),
    (b"BZh9 rest", {"format": "delimited"}, [(None, None)], ["bzip2"]),
    (b"\xd0\xcf\x11\xe0 rest", {"format": "delimited"}, [(None, None)], ["Office"]),
    (f"code,b\n{NAMED}", {}, [(2, "code")], ["`id='code'`"]),
    (
        f"b,country\n{CODES}",
        {"sensitive": ["country"]},
        [(2, "country")],
        ["else code its ratings as numbers"],
    ),
    ("id,a\rx,1\ry,2\r", {}, [(1, None)], ["CR only"]),
    ('"id","a"\r"x","1"\r"y","2"\r', {}, [(1, None)], ["CR only"]),
    ('id,a,"b\n\n\nc"\r1,3,4\r2,5,1\r', {}, [(1, None)], ["CR only"]),
]


@pytest.mark.parametrize(("text", "options", "where", "words"), LINES)
def test_lines(refused, scanner, text, options, where, words):
    error = refused(text, **options)
    assert places(error) == where
    assert error.total == len(where)
    assert all(word in error.with_cells() for word in words), error.with_cells()


@pytest.mark.parametrize(("text", "options", "where", "words"), OPENINGS)
def test_openings(refused, text, options, where, words):
    error = refused(text, **options)
    assert places(error) == where
    assert all(word in error.with_cells() for word in words), error.with_cells()


@pytest.mark.parametrize(
    "number", ["9007199254740993", "0.30000000000000004", "1e16", "1e999", "1e-400", "-1e300"]
)
def test_numbers_that_float64_does_not_keep(refused: Refused, scanner: str, number: str) -> None:
    for text in (
        f"id,a,age\nx,1,{number}\ny, {number} ,1\n",
        f"user,item,rating\nx,a,1\ny,age,{number}\n",
    ):
        for sensitive in ((), ("age",)):
            error = refused(text, sensitive=sensitive)
            assert {problem.column for problem in error.problems} <= {"a", "age", "rating"}
            assert (
                error.problems[0].expected
                == "at most 15 significant digits, and up to 2**53 in magnitude"
            )
            assert "round the column" in error.problems[0].remedy
            assert number not in str(error)
        assert error.problems[-1].line == 3
    assert refused(f"1,{number}\n2,{number}\n", header=False).total == 2
    assert refused(f"{number},1\n{number},2\n", layout="wide").total == 2  # numbers are no header


def test_numbers_with_many_zeros_are_kept(tmp_path: Path, scanner: str) -> None:
    text = "id,a\nx,3.50000000000000000\ny,00000000000000000002\nz,0.00000000000000000001\n"
    assert ratingpriv.read(write(tmp_path, text)).values.tolist() == [3.5, 2, 1e-20]


def test_ids_are_no_numbers(tmp_path: Path, scanner: str) -> None:
    ids = [
        "9007199254740992",
        "9007199254740993",
        "12345678901234567890",
        "12345678901234567891",
        "007",
        "7",
        "7.0",
    ]
    for text in (
        "id,a\n" + "".join(f"{one},1\n" for one in ids),
        "user,item,rating\n" + "".join(f"{one},9007199254740993,1\n" for one in ids),
    ):
        assert ratingpriv.read(write(tmp_path, text)).record_ids.to_list() == ids


def test_truncated_gz_zst_zip(refused: Refused) -> None:
    source = random.Random(7)  # noqa: S311 -- only so that it does not compress to nothing
    data = "id,a\n" + "".join(f"u{source.random()},{source.randint(1, 5)}\n" for _ in range(20_000))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ratings.csv", data)
    for kind, whole in {
        "gz": gzip.compress(data.encode()),
        "zst": pa.compress(data.encode(), codec="zstd", asbytes=True),
        "zip": packed.getvalue(),
    }.items():
        error = refused(whole[: len(whole) * 2 // 3], f"ratings.csv.{kind}")
        assert f"a {kind} file that is cut short" in str(error)
    broken = bytearray(gzip.compress(data.encode()))
    broken[len(broken) // 2] ^= 255
    assert "damaged" in str(refused(bytes(broken), "b.csv.gz"))
    followed = refused(gzip.compress(data.encode()) + b"garbage", "c.csv.gz").problems[0]
    assert followed.found.endswith("bytes of text (what follows is no gz file)")  # not (b'ga')


@pytest.mark.parametrize(
    ("names", "file", "found"),
    [
        (["one.csv", "two.csv"], "a.zip", "one.csv, two.csv"),
        (["[Content_Types].xml"], "a.xlsx", "without sheets"),
    ],
)
def test_zips_of_other_things(refused: Refused, names: list[str], file: str, found: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "id,a\nx,1\n")
    assert found in str(refused(packed.getvalue(), file))


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(
        DataError, match=r"a directory that no loader recognises \(in it: notes.md\)"
    ):
        ratingpriv.read(tmp_path)
    with pytest.raises(DataError, match="found a directory, expected a file"):
        ratingpriv.read(tmp_path, format="delimited")


def test_row_that_never_ends(scanner: str) -> None:
    pieces = [b"a,b\n1,2\n", b'3,"4\n'] + [b"5,6\n" * 100] * 50
    scan = scanning.scan_text(iter(pieces), ",", [1, 1], skip=1, longest_row=4096)
    assert (scan.rows, scan.total_faults) == (1, 1)
    assert (scan.faults[0].kind, scan.faults[0].line) == (UNCLOSED, 3)


def test_limit_and_true_total(refused: Refused, scanner: str) -> None:
    text = "id,a,b\n" + "".join(f"u{n},1,{'x' if n % 3 == 0 else n % 5}\n" for n in range(3000))
    error = refused(text)
    assert (len(error.problems), error.total) == (20, 1000)
    assert (len(error.kinds), error.kinds[0].count) == (1, 1000)
    assert str(error).count("\n") == 0
    assert "1,000 cells of 1 column (first: line 2, column b;" in str(error)
    assert [problem.line for problem in error.problems[:3]] == [2, 5, 8]
    error = refused(text, max_problems=3)
    assert (len(error.problems), error.total) == (3, 1000)
    error = refused("id,a,b\nx,1,2\n" + "y,1\n" * 5000)
    assert (len(error.problems), error.total) == (20, 5000)

"""Bad text input: one message a problem, with file, line, column, found, expected, remedy; all count."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.formats.reading import Source
from ratingpriv_loaders.text import scan as scanning

Refused = Callable[..., DataError]


@pytest.fixture(params=["plain", "arrow"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test once with each scanner: what is wrong must be said the same way, whichever reads."""
    if request.param == "arrow":
        monkeypatch.setattr(scanning, "SMALL", 0)
    return str(request.param)


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Write a file, read it, and return the DataError."""

    def read(text: str | bytes, name: str = "ratings.csv", **options: object) -> DataError:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        with pytest.raises(DataError) as caught:
            ratingpriv.read(path, **options)
        for problem in caught.value.problems:
            assert problem.file == str(path)
            assert problem.found
            assert problem.expected
        return caught.value

    return read


def only(error: DataError) -> Problem:
    assert error.total == 1, str(error)
    return error.problems[0]


def test_missing_file_and_near_name(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("id,a\nx,1\n")
    with pytest.raises(DataError, match=r"no such file.*did you mean .*ratings\.csv") as caught:
        ratingpriv.read(tmp_path / "rating.csv")
    assert caught.value.exit_code == 2
    with pytest.raises(DataError, match="no such file"):
        ratingpriv.read(tmp_path / "ratings.csv" / "inside")


@pytest.mark.parametrize("text", ["", "\n\n", "\r\n", b"\xef\xbb\xbf"])
def test_empty_file(refused: Refused, text: str | bytes) -> None:
    assert "empty" in only(refused(text)).found


@pytest.mark.parametrize("text", ["id,a,b\n", "id,a,b", "user,item,rating\n\n"])
def test_header_only(refused: Refused, text: str, scanner: str) -> None:
    problem = only(refused(text))
    assert problem.line == 1
    assert "nothing below" in problem.found


def test_ragged_lines_all_listed(refused: Refused, scanner: str) -> None:
    error = refused("id,a,b\nx,1,2\ny,1\nz,1,2,3\nw,4,5\nv\n")
    assert [(problem.line, problem.found) for problem in error.problems] == [
        (3, "2 cells"),
        (5 - 1, "4 cells"),
        (6, "1 cell"),
    ]
    assert "`delimiter`" in error.problems[0].remedy


def test_header_shorter_than_every_line_is_one_problem(refused: Refused, scanner: str) -> None:
    problem = only(refused("user,a,b\nx,1,2,3\ny,1,2,3\nz,4,5,1\n"))
    assert problem.found.startswith("4 cells in every line, one more")
    assert "row names" in problem.found
    problem = only(refused("user,a,b\nx,1,2,3,4\ny,1,2,3,4\nz,4,5,1,4\n"))
    assert problem.found == "5 cells in every line"


def test_text_in_a_rating(refused: Refused, scanner: str) -> None:
    problem = only(refused("id,a,b\nx,1,2\ny,four,5\nz,1,3\n"))
    assert (problem.line, problem.column, problem.found, problem.cell) == (3, "a", "text", "four")
    assert "`null`" in problem.remedy
    problem = only(refused("user,item,rating\nx,a,1\ny,b,2\nz,b,?\n"))
    assert (problem.line, problem.column) == (4, "rating")


def test_line_numbers_count_lines_inside_quotes_and_empty_lines(refused: Refused, scanner: str) -> None:
    problem = only(refused('id,"a\nb",c\r\n\r\n"x\ny",1,2\nz,1,two\nw,1,3\n'))
    assert problem.line == 6


@pytest.mark.parametrize("text", ["NaN", "nan", "inf", "-Infinity", "+inf"])
def test_nan_and_inf_text(refused: Refused, text: str, scanner: str) -> None:
    problem = only(refused(f"id,a,b\nx,1,2\ny,{text},5\nz,1,3\n"))
    assert (problem.line, problem.column) == (3, "a")
    assert f"`null=[{text!r}]`" in problem.remedy


@pytest.mark.parametrize("text", ["1_0", "0x1", "1e999", "1,5", "1.2.3", "٣", "1 2", "--1", "5\r6"])
def test_no_number_is_guessed(refused: Refused, text: str, scanner: str) -> None:
    problem = only(refused(f'id,a,b\nx,1,2\ny,"{text}",5\nz,1,3\n'))
    assert (problem.line, problem.column) == (3, "a")


def test_off_the_declared_scale(refused: Refused, scanner: str) -> None:
    error = refused("id,a,age\nx,1,40\ny,6,50\nz,0,20\n", scale=(1, 5), sensitive=["age"])
    assert [(problem.line, problem.column, problem.cell) for problem in error.problems] == [
        (2, "age", "40"),
        (3, "a", "6"),
        (3, "age", "50"),
        (4, "a", "0"),
        (4, "age", "20"),
    ]
    problem = only(
        refused(
            "id,a,age\nx,1,40\ny,5,121\n", scale=(1, 5), sensitive=["age"], sensitive_scale={"age": (0, 120)}
        )
    )
    assert (problem.line, problem.column, problem.cell) == (3, "age", "121")
    assert "1..5" in error.problems[0].expected
    assert only(refused("user,item,rating\nx,a,9\ny,a,1\n", scale=(1, 5))).line == 2


@pytest.mark.parametrize(
    "number", ["9007199254740993", "0.30000000000000004", "1e16", "1e999", "1e-400", "-1e300"]
)
def test_numbers_that_float64_does_not_keep(refused: Refused, scanner: str, number: str) -> None:
    """They were rounded: 9007199254740993 and 9007199254740992 became one rating."""
    for text in (f"id,a,age\nx,1,{number}\ny, {number} ,1\n", f"user,item,rating\nx,a,1\ny,age,{number}\n"):
        for sensitive in ((), ("age",)):
            error = refused(text, sensitive=sensitive)
            assert {problem.column for problem in error.problems} <= {"a", "age", "rating"}
            assert error.problems[0].expected == "at most 15 significant digits, and up to 2**53 in magnitude"
            assert "round the column" in error.problems[0].remedy
            assert number not in str(error)
        assert error.problems[-1].line == 3
    assert refused(f"1,{number}\n2,{number}\n", header=False).total == 2
    assert refused(f"{number},1\n{number},2\n", layout="wide").total == 2  # numbers are no header


def test_numbers_with_many_zeros_are_kept(tmp_path: Path, scanner: str) -> None:
    (tmp_path / "r.csv").write_text(
        "id,a\nx,3.50000000000000000\ny,00000000000000000002\nz,0.00000000000000000001\n"
    )
    assert ratingpriv.read(tmp_path / "r.csv").values.tolist() == [3.5, 2, 1e-20]


def test_ids_are_no_numbers(tmp_path: Path, scanner: str) -> None:
    """Ids of any length stay what they are, and two are never one."""
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
        (tmp_path / "r.csv").write_text(text)
        assert ratingpriv.read(tmp_path / "r.csv").record_ids.to_list() == ids


def test_duplicate_pair_names_both_lines(refused: Refused, scanner: str) -> None:
    problem = only(refused("user,item,rating\nx,a,1\ny,a,2\nx,a,1\n"))
    assert problem.line == 4
    assert "line 2" in problem.found
    assert "`duplicates=" in problem.remedy


def test_duplicate_record_id_names_both_lines(refused: Refused, scanner: str) -> None:
    problem = only(refused("id,a\nx,1\ny,2\n\nx,3\n"))
    assert problem.line == 5
    assert problem.cell == "x"
    assert "line 2" in problem.found


def test_empty_ids(refused: Refused, scanner: str) -> None:
    assert only(refused("id,a\nx,1\n,2\n")).line == 3
    assert only(refused("user,item,rating\nx,a,1\n,a,2\n")).column == "user"
    assert only(refused("user,item,rating\nx,a,1\ny,,2\n")).column == "item"


def test_a_column_without_a_name(refused: Refused) -> None:
    error = refused("id,a,b,a,\nx,1,2,3,4\n")
    assert [(problem.column, problem.line) for problem in error.problems] == [(5, 1)]


@pytest.mark.parametrize("option", ["sensitive", "drop", "only"])
def test_missing_column_lists_near_names(refused: Refused, option: str) -> None:
    problem = only(refused("id,happiness,income\nx,1,2\n", **{option: ["hapiness"]}))
    assert "hapiness" in problem.found
    assert "'happiness'" in problem.remedy


def test_missing_id_column(refused: Refused) -> None:
    assert "'person'" in only(refused("person,a\nx,1\ny,2\n", id="persn")).remedy
    assert "no column" in only(refused("person,a\nx,1\n", id="9")).found


def test_id_column_cannot_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,a\nx,1\n")
    with pytest.raises(ParameterError, match="drop"):
        ratingpriv.read(path, id="id", drop=["id"])


def test_numbers_beside_text_in_the_first_line(refused: Refused) -> None:
    problem = only(refused("1,x,3\n4,5,1\n2,2,2\n"))
    assert problem.line == 1
    assert "`header=False`" in problem.remedy


def test_wrong_encoding_names_byte_and_line(refused: Refused) -> None:
    problem = only(refused("id,a\nx,1\nJosé,2\n".encode("latin-1")))
    assert problem.line == 3
    assert "0xe9 at offset 12" in problem.found
    assert problem.cell == "José,2"
    assert only(refused("id,a\nx,1\ny,2\n\nzé".encode("latin-1"))).line == 5
    assert only(refused("id,a\nxé,1\n".encode(), encoding="ascii")).line == 2


def test_utf16_is_recognised_by_its_mark(refused: Refused) -> None:
    assert "`encoding='utf-16'`" in only(refused("id,a\nx,1\n".encode("utf-16"))).remedy


def test_nul_bytes(refused: Refused) -> None:
    problem = only(refused(b"id,a\nx,1\ny,\0\n"))
    assert problem.line == 3
    assert "NUL" in problem.found


@pytest.mark.parametrize(
    ("start", "what"),
    [(b"PAR1", "Parquet"), (b"%PDF-1.7", "PDF"), (b"BZh9", "bzip2"), (b"\xd0\xcf\x11\xe0", "Office")],
)
def test_other_kinds_of_file(refused: Refused, start: bytes, what: str) -> None:
    assert what in only(refused(start + b"rest of it", format="delimited")).found


def test_truncated_gz_zst_zip(refused: Refused) -> None:
    import random

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
        problem = only(refused(whole[: len(whole) * 2 // 3], f"ratings.csv.{kind}"))
        assert f"a {kind} file that is cut short" in problem.found
    broken = bytearray(gzip.compress(data.encode()))
    broken[len(broken) // 2] ^= 255
    assert "damaged" in only(refused(bytes(broken), "b.csv.gz")).found
    followed = only(refused(gzip.compress(data.encode()) + b"garbage", "c.csv.gz"))
    assert followed.found.endswith("bytes of text (what follows is no gz file)")  # not (b'ga')


def test_zip_of_several(refused: Refused) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("one.csv", "id,a\nx,1\n")
        archive.writestr("two.csv", "id,a\nx,1\n")
    assert "one.csv, two.csv" in only(refused(packed.getvalue(), "a.zip")).found


def test_excel_workbook(refused: Refused) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    assert "without sheets" in only(refused(packed.getvalue(), "a.xlsx")).found


def test_directory(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    with pytest.raises(DataError, match=r"a directory that no loader recognises \(in it: notes.md\)"):
        ratingpriv.read(tmp_path)
    with pytest.raises(DataError, match="found a directory, expected a file"):
        ratingpriv.read(tmp_path, format="delimited")


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("id,a\nx,1\n")
    source = Source(path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="may not read"):
        source.open()


def test_column_of_text_is_one_problem(refused: Refused, scanner: str) -> None:
    rows = "".join(f"{number % 5 + 1},c{number % 3},{'x' if number == 7 else 2}\n" for number in range(100))
    error = refused("a,country,b\n" + rows)
    assert [(problem.column, problem.line) for problem in error.problems] == [("country", 2), ("b", 9)]
    assert "100 of 100 cells" in error.problems[0].found
    assert "`drop=['country']`" in error.problems[0].remedy
    assert "`id=" not in error.problems[0].remedy


def test_column_of_distinct_text_may_be_ids(refused: Refused) -> None:
    rows = "".join(f"c{number},{number % 5 + 1}\n" for number in range(50))
    assert "`id='code'`" in only(refused("code,b\n" + rows)).remedy


def test_sensitive_text_has_to_be_coded(refused: Refused) -> None:
    rows = "".join(f"{number % 5 + 1},c{number % 3}\n" for number in range(50))
    problem = only(refused("b,country\n" + rows, sensitive=["country"]))
    assert problem.remedy.endswith("else code its answers as numbers")


def test_quotes_gone_wrong(refused: Refused, scanner: str) -> None:
    error = refused('id,a\nx,"1" 2\ny,1\nz,"3\nw,4\n')
    assert [(problem.line, problem.column) for problem in error.problems] == [(2, 2), (4, 2)]


def test_row_that_never_ends(scanner: str) -> None:
    from ratingpriv.data.table.building.delimited import UNCLOSED

    pieces = [b"a,b\n1,2\n", b'3,"4\n'] + [b"5,6\n" * 100] * 50
    scan = scanning.scan_text(iter(pieces), ",", [1, 1], skip=1, longest_row=4096)
    assert (scan.rows, scan.total_faults) == (1, 1)
    assert (scan.faults[0].kind, scan.faults[0].line) == (UNCLOSED, 3)


def test_timestamps_gone_wrong(refused: Refused, scanner: str) -> None:
    error = refused("user,item,rating,date\nx,a,1,2005-02-29\ny,a,2,2005-03-01\nz,a,2,soon\n")
    assert [problem.line for problem in error.problems] == [2, 4]
    assert "unix seconds" in error.problems[0].expected
    error = refused("user,item,rating,date\nx,a,1,2005-02-28\ny,a,2,881250949\nz,a,2,2005-02-28\n")
    assert "1 numbers and 2 dates" in only(error).found
    assert only(error).line == 3


def test_limit_and_true_total(refused: Refused, scanner: str) -> None:
    text = "id,a,b\n" + "".join(f"u{n},1,{'x' if n % 3 == 0 else n % 5}\n" for n in range(3000))
    error = refused(text)
    assert (len(error.problems), error.total) == (20, 1000)
    assert "... and 980 more" in str(error)
    assert [problem.line for problem in error.problems[:3]] == [2, 5, 8]
    error = refused(text, max_problems=3)
    assert (len(error.problems), error.total) == (3, 1000)
    ragged = "id,a,b\nx,1,2\n" + "y,1\n" * 5000
    error = refused(ragged)
    assert (len(error.problems), error.total) == (20, 5000)


def test_several_kinds_of_problems_in_the_order_of_lines(refused: Refused, scanner: str) -> None:
    error = refused("id,a,b\nx,1,2\ny,x,9\nx,1\nx,3,4\nv,2,1\nw,1,1\n", scale=(1, 5))
    assert [problem.line for problem in error.problems] == [3, 3, 4, 5]
    assert error.total == 4


@pytest.mark.parametrize(
    "text", ["id,a\rx,1\ry,2\r", '"id","a"\r"x","1"\r"y","2"\r', 'id,a,"b\n\n\nc"\r1,3,4\r2,5,1\r']
)
def test_cr_only_line_ends(refused: Refused, text: str) -> None:
    assert "CR alone" in only(refused(text)).found


def test_messages_read_well(refused: Refused) -> None:
    error = refused("id,a,b\nx,1,2\ny,four,5\nz,1,3\n")
    assert str(error).endswith(
        "ratings.csv, line 3, column a: found text, expected a number; "
        "correct it; if it means not rated, name it with `null`"
    )
    assert "found text ('four'), expected a number" in error.with_cells()

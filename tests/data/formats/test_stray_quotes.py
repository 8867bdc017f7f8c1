"""A quoted cell over lines that look like records is refused by line.

A comment over lines is counted.
"""

import gzip
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ratingpriv
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.attack import read_auxiliary
from ratingpriv.base.errors import DataError
from ratingpriv.cli import app
from ratingpriv.data.codebook.recoding import read_hierarchy
from ratingpriv.data.formats.describing import describe
from ratingpriv.data.formats.reading import Source
from ratingpriv_loaders.text import scan as scanning

DELIMITERS = [",", ";", "\t", "|", "::"]


def table_of(delimiter: str, end: str, cells: dict[tuple[int, int], str]) -> bytes:
    """Return a table of 60 records, in which some cells (line, column) are others."""
    rows = [["id", "q1", "q2", "comment"]]
    rows += [[str(row), str(row % 5 + 1), str(row % 3 + 1), "so"] for row in range(60)]
    for (line, column), text in cells.items():
        rows[line - 1][column] = text
    return (end.join(map(delimiter.join, rows)) + end).encode()


@pytest.fixture(params=["plain", "arrow"])
def scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "arrow":
        monkeypatch.setattr(scanning, "SMALL", 0)


def lines_of(error: pytest.ExceptionInfo[DataError]) -> list[int | None]:
    return [problem.line for problem in error.value.problems]


STRAYS = {
    "last column": ({(9, 3): '"so', (42, 3): 'so"'}, 9),
    "first column": ({(9, 0): '"7', (12, 0): '10"'}, 9),
    "middle": ({(9, 1): '"3', (10, 1): '4"'}, 9),
    "to the next line": ({(9, 3): '"so', (10, 3): 'so"'}, 9),
    "doubled quotes within": ({(9, 3): '"a ""so', (20, 3): 'so"'}, 9),
    "behind a quoted cell": ({(9, 0): '"7"', (9, 3): '"so', (20, 3): 'so"'}, 9),
    "in a header": ({(1, 3): '"comment', (4, 3): 'so"'}, 1),
    "never closed": ({(9, 3): '"so'}, 9),
    "in the last line": ({(61, 3): '"so'}, 61),
}


@pytest.mark.usefixtures("scanner")
@pytest.mark.parametrize("kind", STRAYS)
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_stray_quote_is_refused_by_line(kind: str, delimiter: str, tmp_path: Path) -> None:
    cells, line = STRAYS[kind]
    for end in ("\n", "\r\n"):
        (tmp_path / "a.csv").write_bytes(table_of(delimiter, end, cells))
        with pytest.raises(DataError) as caught:
            ratingpriv.read(tmp_path / "a.csv", drop=["comment"] if line > 1 else [])
        assert lines_of(caught) == [line]
        assert "0" not in str(caught.value).partition("expected")[2]  # nothing of the lines below


def test_streams_packed_files_and_descriptions_refuse_it_too(tmp_path: Path) -> None:
    content = table_of(",", "\n", STRAYS["last column"][0])
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "a.csv").write_bytes(content)
    for data in (Source("-", io.BytesIO(content)), tmp_path / "a.csv.gz", tmp_path / "a.csv"):
        with pytest.raises(DataError) as caught:
            describe(data)
        assert lines_of(caught) == [9]


@pytest.mark.usefixtures("scanner")
def test_long_data_refuse_it_in_every_column(tmp_path: Path) -> None:
    rows = [f"{user},{item},{(user + item) % 5 + 1}" for user in range(9) for item in range(4)]
    for column in range(3):
        lines = [line.split(",") for line in rows]
        lines[5][column] = '"' + lines[5][column]
        lines[8][column] += '"'
        (tmp_path / "a.csv").write_text("user,item,rating\n" + "\n".join(map(",".join, lines)))
        with pytest.raises(DataError) as caught:
            ratingpriv.read(tmp_path / "a.csv")
        assert lines_of(caught) == [7]


def test_hierarchies_and_what_an_adversary_knows_refuse_it(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text('value,group\nBern,"CH\nBasel,CH\nWien,AT"\nGraz,AT\n')
    with pytest.raises(DataError) as caught:
        read_hierarchy(path)
    assert lines_of(caught) == [2]
    path.write_text('target,issue,rating\n1,"a,3\n2,a,4\n3,a",5\n')
    (tmp_path / "t.csv").write_text("id,a\n1,3\n2,4\n3,5\n")
    table = ratingpriv.read(tmp_path / "t.csv")
    with pytest.raises(DataError) as caught:
        read_auxiliary(path, table)
    assert 2 in lines_of(caught)


COMMENTS = {
    "no delimiter": 'good\nvery good\nbest"',
    "one a line": 'good\nvery, good\nall, good"',
    "as many in few of its lines": 'good\nfast, warm, clean, dry\nnice\nfine\nbest"',
    "too many": 'good\na, b, c, d, e\nf, g, h, i, j, k"',
}


@pytest.mark.usefixtures("scanner")
@pytest.mark.parametrize("kind", COMMENTS)
def test_a_comment_over_lines_is_read_and_counted(kind: str, tmp_path: Path) -> None:
    text = COMMENTS[kind]
    path = tmp_path / "a.csv"
    path.write_bytes(table_of(",", "\n", {(9, 3): '"' + text, (20, 3): '"short\none"'}))
    table = ratingpriv.read(path, drop=["comment"])
    assert (table.n_records, table.multiline) == (60, (2, text.count("\n") + 1))


def test_a_comment_over_lines_in_front(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('comment,q1,q2\nso,1,2\n"so\nso",2,1\nso,2,2\n')
    assert ratingpriv.read(path, drop=["comment"]).n_records == 3


def test_whoever_means_such_cells_says_so_and_their_release_can_be_read_again(
    tmp_path: Path,
) -> None:
    path, release = tmp_path / "a.csv", tmp_path / "r.csv"
    path.write_text(
        "id,q1,q2,q3,comment\n"
        + "".join(f'{n},{n % 2 + 1},1,2,"{n}\n{n}, b, c, d, e"\n' for n in range(8))
    )
    said = {"id": "id", "carry": ["comment"], "multiline": True}
    table = ratingpriv.read(path, **said)
    assert (table.n_records, table.multiline) == (8, (8, 2))
    write_release(
        ratingpriv.anonymize(table, k=2, epsilon=1, method="modify"), release, original=table
    )
    assert verify(release).valid
    with pytest.raises(DataError):
        ratingpriv.read(path, id="id", carry=["comment"])


def test_pages_and_documents_say_how_many_cells_span_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(table_of(",", "\n", {(9, 3): '"so\nso\nso"'}))
    for command in (
        ("describe", path),
        ("audit", path, "--drop", "comment", "--k", "2", "--epsilon", "4"),
    ):
        found = CliRunner().invoke(app, [*map(str, command), "--json"]).stdout
        assert json.loads(found)["dataset"]["multiline"] == {"cells": 1, "longest": 3}
        page = CliRunner().invoke(app, [*map(str, command)]).stdout
        assert "1 cell over several lines, the longest over 3" in " ".join(page.split())


def test_cells_over_lines_of_attributes_count_too(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("user,item,rating\n1,a,3\n1,b,4\n2,a,3\n2,b,4\n")
    (tmp_path / "u.csv").write_text('user,age,city\n1,20,"Bern\n(CH)"\n2,30,Wien\n')
    table = ratingpriv.read(tmp_path / "r.csv", attributes=tmp_path / "u.csv", quasi=["age"])
    assert table.multiline == (1, 2)

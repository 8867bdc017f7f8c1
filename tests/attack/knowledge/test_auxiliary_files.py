"""Reading real auxiliary information, and every problem such a file can have."""

import math
import os

import pytest
from attack.attack_tables import dated_table

from ratingpriv.attack import read_auxiliary, scoreboard_rh
from ratingpriv.base.errors import DataError

pytestmark = pytest.mark.small


@pytest.fixture
def table():
    return dated_table(
        [{0: (3, 12_000), 1: (4, 12_010)}, {1: (1, 12_500)}, {2: (5, 12_001)}], scale=(1, 5)
    )


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "aux.csv"
        path.write_text(text, encoding=encoding)
        return path

    return write


def test_targets_issues_ratings_and_dates(table, write):
    path = write(
        "target,issue,rating,date\n"
        "t1,i1,1,2004-03-23\n"
        "Ann,i0,3,\n"
        "t1,i0,2.5,2004-03-23T12:00:00+00:00\n"
        '"Bob, jr.",i2,5,1036800\n'
        "\n"
        "Ann,i1,4,2002-11-19\n"
    )
    aux = read_auxiliary(path, table)
    assert aux.labels == ("t1", "Ann", "Bob, jr.")
    assert aux.targets.tolist() == [1, -1, -1]
    assert aux.indptr.tolist() == [0, 2, 4, 5]
    assert aux.issues.tolist() == [0, 1, 0, 1, 2]
    assert aux.ratings.tolist() == [2.5, 1, 3, 4, 5]
    assert aux.dates.tolist()[:2] == [12_500.5, 12_500]
    assert math.isnan(aux.dates[2])
    assert aux.dates.tolist()[3:] == [12_010, 12]
    found = scoreboard_rh(table, aux, phi=0)
    assert found.best_candidate[1] == 0


def test_columns_in_any_order_and_without_dates(table, write):
    aux = read_auxiliary(write("Rating, target ,issue\n4,Ann,i1\n", "utf-8-sig"), table)
    assert (aux.issues.tolist(), aux.ratings.tolist()) == ([1], [4])
    assert not aux.dated


def test_ids_that_are_numbers(table, write):
    numbered = table.replace(record_ids=table.record_ids.str.slice(1).cast(int))
    aux = read_auxiliary(write("target,issue,rating\n2,i1,4\n7,i1,4\n"), numbered)
    assert aux.targets.tolist() == [2, -1]


@pytest.mark.parametrize(
    ("lines", "line", "column", "words"),
    [
        ("Ann,i00,3,", 2, "issue", ["'i00'", "did you mean 'i0'"]),
        ("Ann,nonsense,3,", 2, "issue", ["'nonsense'", "no record can agree"]),
        ("Ann,i0,,", 2, "rating", ["no rating"]),
        ("Ann,i0,good,", 2, "rating", ["'good'"]),
        ("Ann,i0,nan,", 2, "rating", ["'nan'"]),
        ("Ann,i0,6,", 2, "rating", ["'6'", "1..5"]),
        ("Ann,i0,0.5,", 2, "rating", ["'0.5'"]),
        ("Ann,i0,3,yesterday", 2, "date", ["'yesterday'", "ISO"]),
        (",i0,3,", 2, "target", ["no target"]),
        ("Ann,i0,3,\nAnn,i0,4,", 3, "issue", ["'Ann, i0'", "line 2"]),
        ("Ann,i0", 2, None, ["2 cells", "4 cells"]),
    ],
)
def test_every_problem_is_named_with_its_line(table, write, lines, line, column, words):
    with pytest.raises(DataError) as caught:
        read_auxiliary(write(f"target,issue,rating,date\n{lines}\nBob,i1,3,\n"), table)
    problem = caught.value.problems[0]
    assert (problem.file, problem.line, problem.column) == ("aux.csv", line, column)
    assert all(word in problem.with_cell() for word in words)
    assert problem.cell is None or problem.cell not in str(problem)


def test_all_problems_are_counted(table, write):
    rows = "".join(f"Ann,x{i},9,never\n" for i in range(30))
    with pytest.raises(DataError) as caught:
        read_auxiliary(write(f"target,issue,rating,date\n{rows}"), table, max_problems=5)
    assert caught.value.total == 90
    assert len(caught.value.problems) == 5


def test_a_sensitive_issue_is_named_as_such(write):
    from golden.tables import table1

    with pytest.raises(DataError, match="read as sensitive"):
        read_auxiliary(write("target,issue,rating\nAnn,issue 4,6\n"), table1())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column 'target'"),
        ("target,issue,rating\n", "no known rating"),
        ("target,issue\nAnn,i0\n", "no column 'rating'"),
        ("target,issue,rating,when\nAnn,i0,3,\n", "column 4"),
        ("target,issue,rating,rating\nAnn,i0,3,4\n", "column 3"),
        (
            'target,issue,rating\n"Ann,i0,3\n',
            "line 2, column 1: found a quoted cell that is never closed",
        ),
        (
            'target,issue,rating\n"Ann"x,i0,3\n',
            "line 2, column 1: found text behind a closing quote",
        ),
        (
            "target,issue,rating\nAnn,i0,3,5\n",
            "line 2: found 4 cells, expected 3 cells, as line 1 has",
        ),
    ],
)
def test_files_that_are_no_such_tables(table, write, text, words):
    with pytest.raises(DataError, match=words):
        read_auxiliary(write(text), table)


def test_files_that_cannot_be_read(table, tmp_path):
    with pytest.raises(DataError, match="No such file"):
        read_auxiliary(tmp_path / "none.csv", table)
    (tmp_path / "aux.csv").write_bytes(b"target,issue,rating\nAnn,i0\xff,3\n")
    with pytest.raises(DataError, match="line 2: found bytes that are no UTF-8"):
        read_auxiliary(tmp_path / "aux.csv", table)


def test_every_line_that_cannot_be_read_is_told(table, write):
    text = 'target,issue,rating\nAnn,i0,3\nAnn,i1,3,5\nBob,i0\n"Bob"?,i1,4\nBob,nonsense,1\n'
    with pytest.raises(DataError) as caught:
        read_auxiliary(write(text), table)
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6]


@pytest.mark.skipif(os.name != "posix", reason="devices with a path")
def test_a_device_is_refused(table):
    with pytest.raises(DataError, match="null: found a device, expected a CSV file"):
        read_auxiliary("/dev/null", table)

"""Hierarchies: files of groups, level by level."""

from __future__ import annotations

import polars as pl
import pytest

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.recoding import read_hierarchy, recoded
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.table.building.problems import Problems


@pytest.fixture
def written(tmp_path):
    def write(text, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("text", "levels", "of"),
    [
        ("value,group\nBern,West\nGraz,East\n", 1, ("West",)),
        ("Bern,West\nGraz,East\n", 1, ("West",)),
        ("Bern;West;Europe\nGraz;East;Europe\n", 2, ("West", "Europe")),
        ("value;level1;level2\r\nBern;West;*\r\n", 2, ("West", "*")),
        ('"Bern","a, b"\n', 1, ("a, b",)),
        ("\ufeffBern\tWest\n\n", 1, ("West",)),
    ],
)
def test_files(written, text, levels, of):
    found = read_hierarchy(written(text))
    assert (found.levels, found.groups["Bern"]) == (levels, of)
    assert "value" not in found.groups


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no values"),
        ("value,group\n", "no values"),
        ("a\nb\n", "line 1: found 1 cell"),
        ("a,b\nc,d,e\n", "line 2: found 3 cells, expected 2"),
        ("a,b\na,c\n", "line 2, column 1: found a value a second time (first in line 1)"),
        ("1,b\n1.0,c\n", "line 2, column 1: found a value a second time"),
        ("a,\n", "line 1, column 2: found an empty cell"),
        ("a,NA\n", "line 1, column 2: found a group whose name means unanswered"),
        ("a;x;p\nb;x;q\n", "lies in two groups of level 2"),
        ('a,"b', "line 1, column 2: found a quoted cell that is never closed"),
        ('a,b\n"c"d,e\n', "line 2, column 1: found text behind a closing quote"),
        (b"a,b\n\xff\xfe,c", "line 2: found bytes that are no UTF-8"),
    ],
)
def test_bad_files(written, text, message):
    with pytest.raises(DataError) as caught:
        read_hierarchy(written(text))
    assert message in str(caught.value)


def test_every_bad_line_is_told(written):
    """A value whose line could not be read would be suppressed, or refused as one that the map lacks."""
    with pytest.raises(DataError) as caught:
        read_hierarchy(written('value,group\na,x\nb,x,y\n"c"d,x\ne,\na,z\nf\ng,NA\n'))
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6, 7, 8]


def test_cells_are_shown_only_when_asked(written):
    with pytest.raises(DataError) as caught:
        read_hierarchy(written("ann@example.org,b\nann@example.org,c\n"))
    assert "example" not in str(caught.value)
    assert "example" in caught.value.with_cells()


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="check the path of map"):
        read_hierarchy(tmp_path / "no.csv")


def mapped(values, place, **said):
    problems = Problems()
    made = recoded(values, ColumnSpec(role="quasi", **said), place=place, problems=problems)
    problems.raise_if_any()
    return made.to_list()


def test_levels(written, tmp_path):
    written("Bern;West;Europe\nGraz;East;Europe\nRiad;Asia;Asia\n")
    book = tmp_path / "survey.toml"
    cities = pl.Series("city", ["Graz", None, "Riad"])
    assert mapped(cities, book, map="h.csv", level=0) == ["Graz", None, "Riad"]
    assert mapped(cities, book, map="h.csv", level=1) == ["East", None, "Asia"]
    assert mapped(cities, book, map="h.csv", level=2) == ["Europe", None, "Asia"]
    with pytest.raises(DataError, match="found 2 levels, expected level 3"):
        mapped(cities, book, map="h.csv", level=3)
    with pytest.raises(DataError, match="expected a stated level"):
        mapped(cities, book, map="h.csv")


def test_a_value_that_is_not_in_the_file_is_refused(written, tmp_path):
    path = written("Bern,West\n")
    with pytest.raises(DataError, match="no line for a value of the column") as caught:
        mapped(pl.Series("city", ["Graz", "Bern", "Graz"]), None, map=str(path))
    assert "Graz" not in str(caught.value)
    with pytest.raises(DataError, match="no line for 2 values"):
        mapped(pl.Series("city", ["Graz", "Wien", "Graz"]), None, map=str(path))


def test_numbers_are_found_however_they_are_written(written):
    path = written("01,low\n2.0,low\n3e0,high\n")
    numbers = pl.Series("x", [1.0, 2.0, 3.0, None])
    assert mapped(numbers, None, map=str(path)) == ["low", "low", "high", None]
    assert mapped(pl.Series("x", [1.0, 9.0]), None, map=str(path), top=3) == ["low", "high"]

"""Roles in the long layout: by options, patterns and a codebook, of columns and of issues."""

from pathlib import Path

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec

LONG = "user,item,rating,zip\na,q1,1,10\na,q2,2,10\nb,q1,99,20\nb,age,40,20\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "long.csv"
    file.write_text(LONG)
    return file


def book(**columns: ColumnSpec) -> Codebook:
    return Codebook(columns=columns)


def test_columns_that_are_no_ratings(path: Path) -> None:
    table = ratingpriv.read(path, identifier=["zip"])
    assert table.roles is not None
    assert dict(table.roles.columns) == {"user": "id", "rating": "rating", "zip": "identifier"}
    by_book = ratingpriv.read(path, codebook=book(zip=ColumnSpec(role="identifier")))
    assert by_book.issues == table.issues == ("q1", "q2", "age")
    with pytest.raises(DataError, match="'zip'"):
        ratingpriv.read(path)


def test_issues_by_option_and_pattern(path: Path) -> None:
    assert ratingpriv.read(path, drop=["zip", "q*"]).issues == ("age",)
    assert ratingpriv.read(path, drop=["zip"], keep=["q*"]).issues == ("q1", "q2")
    with pytest.raises(DataError, match="nothing"):
        ratingpriv.read(path, drop=["zip", "nothing*"])
    with pytest.raises(DataError, match="nothing"):
        ratingpriv.read(path, drop=["zip"], keep=["nothing*"])


def test_issues_by_codebook(path: Path) -> None:
    said = book(
        zip=ColumnSpec(role="drop"), age=ColumnSpec(role="sensitive"), q2=ColumnSpec(role="drop")
    )
    table = ratingpriv.read(path, codebook=said)
    assert (table.issues, [column.name for column in table.sensitive]) == (("q1",), ["age"])
    for spec in (
        ColumnSpec(role="quasi"),
        ColumnSpec(role="carry"),
        ColumnSpec(role="rating", scale=(1, 5)),
    ):
        with pytest.raises(DataError, match="of the item"):
            ratingpriv.read(path, codebook=book(zip=ColumnSpec(role="drop"), age=spec))
    with pytest.raises(DataError, match="q9"):
        ratingpriv.read(
            path, codebook=book(zip=ColumnSpec(role="drop"), q9=ColumnSpec(role="drop"))
        )


def test_the_ratings_missing_texts_and_words(path: Path, tmp_path: Path) -> None:
    said = book(zip=ColumnSpec(role="drop"), rating=ColumnSpec(role="rating", missing=("99",)))
    assert ratingpriv.read(path, codebook=said).n_ratings == 3
    words = tmp_path / "words.csv"
    words.write_text("user,item,rating\na,q,bad\nb,q,Good\nc,q,\n")
    said = book(rating=ColumnSpec(role="rating", labels=("bad", "good")))
    assert ratingpriv.read(words, codebook=said).values.tolist() == [1.0, 2.0]
    words.write_text("user,item,rating\na,q,bad\nb,q,fine\n")
    with pytest.raises(DataError, match="text"):
        ratingpriv.read(words, codebook=said)


@pytest.mark.parametrize("option", ["quasi", "carry"])
def test_what_only_a_record_has_is_refused(path: Path, option: str) -> None:
    for name in ("zip", "age"):
        with pytest.raises(ParameterError, match="attributes"):
            ratingpriv.read(path, drop=[] if name == "zip" else ["zip"], **{option: [name]})
        role = "quasi" if option == "quasi" else "carry"
        with pytest.raises(DataError):
            ratingpriv.read(path, codebook=book(**{name: ColumnSpec(role=role)}))


def test_decimal_commas(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("user;item;rating\na;x;3,5\nb;x;2,5\n")
    assert ratingpriv.read(file).values.tolist() == [3.5, 2.5]
    file.write_text("user;item;rating\na;x;3,5\nb;x;2.5\n")
    with pytest.raises(DataError, match="comma"):
        ratingpriv.read(file, decimal_comma=True)

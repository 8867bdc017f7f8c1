"""What is said of columns and issues of a row a rating: heeded or refused, never passed over."""

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


def test_columns_and_issues_are_left_out_by_name(path: Path) -> None:
    table = ratingpriv.read(path, drop=["zip", "q2"], codebook=Codebook(missing=("99",)))
    assert (table.issues, table.n_ratings) == (("q1", "age"), 2)
    assert table.roles is not None
    assert dict(table.roles.columns) == {"user": "id", "rating": "rating", "zip": "drop"}
    for drop in ([], ["zip", "nothing"], ["zip", "q*"]):
        with pytest.raises(DataError, match=r"'(zip|nothing|q\*)'"):
            ratingpriv.read(path, drop=drop)


@pytest.mark.parametrize("option", ["quasi", "carry", "identifier", "keep"])
def test_what_nobody_would_heed_is_refused(path: Path, option: str) -> None:
    for name in ("zip", "age"):
        with pytest.raises(ParameterError, match="attributes"):
            ratingpriv.read(path, drop=["zip"] if name == "age" else [], **{option: [name]})
    with pytest.raises(ParameterError, match="codebook"):
        ratingpriv.read(path, drop=["zip"], codebook=Codebook(columns={"age": ColumnSpec(role="drop")}))


def test_decimal_commas(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    file.write_text("user;item;rating\na;x;3,5\nb;x;2,5\n")
    assert ratingpriv.read(file).values.tolist() == [3.5, 2.5]
    file.write_text("user;item;rating\na;x;3,5\nb;x;2.5\n")
    with pytest.raises(DataError, match="comma"):
        ratingpriv.read(file, decimal_comma=True)

"""Tables whose columns a codebook recodes: released values are the recoded ones."""

from __future__ import annotations

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError

DATA = (
    "id,q1,age,city,pay,ill\na,1,31,Bern,900,flu\nb,1,38,Graz,1600,cold\nc,2,,Bern,,flu\nd,3,91,Riad,2400,\n"
)
BOOK = """\
[columns.age]
role = "quasi"
band = 10
top = 80
[columns.city]
role = "quasi"
map = "h.csv"
level = 1
[columns.pay]
role = "sensitive"
round = 1000
[columns.ill]
role = "sensitive"
kind = "nominal"
map = "ill.csv"
"""


@pytest.fixture
def survey(tmp_path):
    """A survey with its codebook and hierarchies; gives a function that reads it."""
    (tmp_path / "survey.csv").write_text(DATA)
    (tmp_path / "h.csv").write_text("Graz;East;*\nBern;West;*\nRiad;Asia;*\n")
    (tmp_path / "ill.csv").write_text("flu,breath\ncold,breath\n")

    def read(book=BOOK, **more):
        (tmp_path / "survey.toml").write_text(book)
        return ratingpriv.read(tmp_path / "survey.csv", codebook=tmp_path / "survey.toml", **more)

    return read


def cells(column):
    return [None if code < 0 else column.values[int(code)] for code in column.codes]


def test_values_are_the_recoded_ones(survey):
    table = survey()
    age, city = table.quasi
    assert (cells(age), age.recoded) == (["30-39", "30-39", None, "80+"], "top=80, band=10")
    assert age.values.to_list() == ["30-39", "80+"]
    assert (cells(city), city.recoded) == (["West", "East", "West", "Asia"], "map=h.csv, level=1")
    pay, ill = table.sensitive
    assert pay.values.tolist() == [1000, 2000, 0, 2000]
    assert (ill.labels, ill.present.tolist()) == (("breath",), [True, True, True, False])
    assert table.roles.codebook is not None


def test_a_value_that_a_hierarchy_lacks_is_refused(survey):
    with pytest.raises(DataError, match=r"ill\.csv, column city: found no line for 3 values") as caught:
        survey(BOOK.replace('map = "h.csv"\nlevel = 1', 'map = "ill.csv"'))
    assert "city" in str(caught.value)
    assert "Bern" not in str(caught.value)


def test_columns_that_are_not_there_are_refused(survey):
    for name in ('"Q2_*"', "aeg"):
        with pytest.raises(DataError, match="no column"):
            survey(f"[columns.{name}]\nrole = 'quasi'\n")


def test_two_patterns_for_one_column_are_refused(survey):
    with pytest.raises(ValueError, match="by two patterns"):
        survey('[columns."a*"]\nrole = "quasi"\n[columns."*e"]\nrole = "drop"\n')
    with pytest.raises(ValueError, match="band of a column without a role"):
        survey("[columns.age]\nband = 10\n")


def test_text_is_not_banded(survey):
    with pytest.raises(DataError, match="column city: found text, expected numbers, as they are recoded"):
        survey('[columns.city]\nrole = "quasi"\nband = 10\n[columns.ill]\nrole = "drop"\n')

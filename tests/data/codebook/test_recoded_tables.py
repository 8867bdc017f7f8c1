"""Tables whose columns a codebook recodes: released values are the recoded ones."""

import pytest

import ratingpriv
from ratingpriv.anonymize import suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import ColumnSpec

DATA = (
    "id,q1,age,city,pay,ill\na,1,31,Bern,900,flu\nb,1,38,Graz,1600,cold\n"
    "c,2,,Bern,,flu\nd,3,91,Riad,2400,\n"
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
    with pytest.raises(
        DataError, match=r"ill\.csv, column city: found no line for 3 values"
    ) as caught:
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


# -- digits behind a 0 are codes: regions 01 and 1 are two, whatever numbers they spell


def regions_of(folder, regions, **spec):
    rows = "".join(f"r{number},3,{region}\n" for number, region in enumerate(regions))
    (folder / "a.csv").write_text(f"id,q1,region\n{rows}")
    codebook = Codebook(columns={"region": ColumnSpec(role="quasi", **spec)})
    return ratingpriv.read(folder / "a.csv", id="id", codebook=codebook)


def test_regions_that_spell_one_number_are_two(tmp_path):
    table = regions_of(tmp_path, ["1", "01", "2", "2"])
    assert not ratingpriv.audit(table, k=2, epsilon=1).satisfied
    assert ratingpriv.audit(regions_of(tmp_path, ["1", "1.0", "2", "2"]), k=2, epsilon=1).satisfied


def test_a_code_is_released_as_it_is(tmp_path):
    table = regions_of(tmp_path, ["01234", "01234", "1234", "1234"])
    release = write_release(suppress(table, k=2, epsilon=1), tmp_path / "r.csv", ids="keep")
    cells = [line.rpartition(",")[2] for line in release.path.read_text().splitlines()[1:]]
    assert cells == ["01234", "01234", "1234", "1234"]
    assert verify(release.path).valid


def test_a_rule_for_numbers_makes_them_numbers(tmp_path):
    assert regions_of(tmp_path, ["05", "5", "7"], within=1.0).quasi[0].values.to_list() == [
        5.0,
        7.0,
    ]
    assert regions_of(tmp_path, ["05", "5", "17"], band=10.0).quasi[0].values.to_list() == [
        "0-9",
        "10-19",
    ]
    assert regions_of(tmp_path, ["05", "5", "17"], bands=(10.0,)).quasi[0].values.to_list() == [
        5.0,
        17.0,
    ]

"""From raw columns to a table: every column by the role that was said of it."""

from pathlib import Path

import pytest
from data.codebook.raw_columns import raw_text

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.building import table_of
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.deciding import wanted
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.roles import ColumnSpec

SURVEY = """id,name,q1,q2,age,region,diagnosis,note
a,Ann,1,5,23,north,flu,x
b,Bob,2,,31,south,flu,y
c,Cid,3,4,NA,north,,z
"""
NAMES = SURVEY.splitlines()[0].split(",")
SAID = {"identifier": ("name",), "quasi": ("age=5", "region"), "drop": ("note", "diagnosis")}


def test_every_role_in_its_place():
    table = table_of(raw_text(SURVEY), ReadOptions(**SAID))
    assert table.issues == ("q1", "q2")
    assert table.record_ids.to_list() == ["a", "b", "c"]
    age, region = table.quasi
    assert (age.name, age.within) == ("age", 5)
    assert (age.values.to_list(), age.codes.tolist()) == ([23, 31], [0, 1, -1])
    assert (region.within, region.values.to_list()) == (None, ["north", "south"])
    assert region.codes.tolist() == [0, 1, 0]
    assert table.roles is not None
    assert table.roles.to_dict()["columns"] == {
        "id": ["id"], "identifier": ["name"], "rating": ["q1", "q2"], "quasi": ["age", "region"],
        "drop": ["diagnosis", "note"],
    }  # fmt: skip
    assert table.origin.order == ("q1", "q2", "age", "region")
    assert table.selection is not None
    assert table.selection.dropped == ("diagnosis", "note")


def test_a_codebook_says_the_rest_and_options_beat_it():
    codebook = Codebook(
        columns={
            "id": ColumnSpec(role="id"), "name": ColumnSpec(role="identifier"),
            "q1": ColumnSpec(role="rating", scale=(1, 5)),
            "q2": ColumnSpec(role="rating", missing=("5",)),
            "age": ColumnSpec(role="drop"), "region": ColumnSpec(role="carry"),
            "diagnosis": ColumnSpec(role="sensitive", kind="nominal"),
            "note": ColumnSpec(role="identifier"),
        },
        sha256="0" * 64,
    )  # fmt: skip
    table = table_of(raw_text(SURVEY), ReadOptions(codebook=codebook, quasi=("age",)))
    assert [one.name for one in table.quasi] == ["age"]
    assert [one.to_list() for one in table.carried] == [["north", "south", "north"]]
    (diagnosis,) = table.sensitive
    assert (diagnosis.labels, diagnosis.present.tolist()) == (("flu",), [True, True, False])
    assert table.n_ratings == 4  # q2's 5 is a missing code
    assert table.roles is not None
    assert table.roles.codebook == "0" * 64


def test_a_table_of_quasi_identifiers_only():
    table = table_of(
        raw_text(SURVEY),
        ReadOptions(
            identifier=("name",), quasi=("age", "region"), drop=("q?", "diagnosis", "note")
        ),
    )
    assert (table.n_issues, table.n_records, table.n_ratings, table.scale) == (0, 3, 0, None)


def test_wanted_tells_what_need_not_be_parsed():
    assert wanted(NAMES, ReadOptions(**SAID)) == {
        "id": "id", "name": "identifier", "q1": None, "q2": None, "age": "quasi", "region": "quasi",
        "diagnosis": "drop", "note": "drop",
    }  # fmt: skip
    kept = wanted(NAMES, ReadOptions(keep=("q*",), quasi=("age",)))
    assert [name for name, role in kept.items() if role == "drop"] == [
        "name",
        "region",
        "diagnosis",
        "note",
    ]
    assert (
        wanted(list("abc"), ReadOptions(drop=("*",), quasi=("b",), ratings=("c",)))["b"] == "quasi"
    )
    assert wanted(["phone", *NAMES], ReadOptions(id="1"))["phone"] == "id"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"quasi": ("nobody",)}, "no column 'nobody' to be a quasi-identifier"),
        ({"drop": ("x*",)}, r"no column 'x\*' to be dropped"),
        ({"keep": ("x*",)}, r"no column 'x\*' to be kept"),
        (
            {"codebook": Codebook(columns={"zz": ColumnSpec(role="quasi")})},
            "no column 'zz' to be of role quasi",
        ),
    ],
)
def test_a_column_that_is_not_there(said, message):
    with pytest.raises(DataError, match=message):
        wanted(NAMES, ReadOptions(**said))


@pytest.mark.parametrize(
    "said",
    [
        {"quasi": ("age",), "drop": ("age",)},
        {"sensitive": ("age",), "identifier": ("age",)},
        {"quasi": ("age=-1",)},
        {"quasi": ("id",), "id": "id"},
    ],
)
def test_two_roles_for_one_column_are_refused(said):
    with pytest.raises(ParameterError):
        wanted(NAMES, ReadOptions(**said))


def test_a_missing_code_of_one_column_is_text_in_the_next():
    """Columns share their texts, so what is missing in some of them is
    to be looked at column by column.
    """
    rows = raw_text("a,b,c,d,e,f,g,h\n" + "x,x,x,x,x,x,x,x\n" + "1,2,3,4,5,4,3,2\n" * 3)
    specs = {
        name: ColumnSpec(role="rating", missing=("x",) if name < "g" else ("9",))
        for name in "abcdefgh"
    }
    with pytest.raises(DataError) as caught:
        table_of(rows, ReadOptions(codebook=Codebook(columns=specs)))
    assert [problem.column for problem in caught.value.problems] == ["g", "h"]


# -- what is not kept is neither parsed nor judged


TEXT = "q1,q2,phone,name\n" + "".join(
    f"{n % 5 + 1},{n % 3 + 1},49151{n:07d},person {n}\n" for n in range(60)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "survey.csv"
    made.write_text(TEXT)
    return made


@pytest.mark.parametrize(
    "how",
    [
        {"issues": "q1,q2"},
        {"keep": ["q?"]},
        {"drop": ["phone", "name"]},
        {"only": ["q1", "q2"]},
        {"identifier": ["phone", "name"]},
        {"drop": ["p*"], "identifier": ["name"]},
    ],
)
def test_a_projection_comes_before_the_judgement(path, how):
    with pytest.raises(DataError, match="column phone"):
        ratingpriv.read(path)
    table = ratingpriv.read(path, **how)
    assert table.issues == ("q1", "q2")
    assert (table.scale.minimum, table.scale.maximum) == (1, 5)


def test_issues_by_number_are_judged_first(path):
    with pytest.raises(DataError, match="column phone"):
        ratingpriv.read(path, issues="top:1")
    with pytest.raises((DataError, ParameterError)):
        ratingpriv.read(path, issues="q1,nobody")
    assert ratingpriv.read(path, issues="q2,q1", drop=["phone", "name"]).issues == ("q1", "q2")

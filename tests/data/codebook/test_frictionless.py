"""Frictionless schemas as codebooks, both ways."""

import json

import pytest

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.frictionless import Field, frictionless_text, parse_frictionless
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.roles import ColumnSpec

FIELDS = [
    {"name": "who", "type": "string"},
    {"name": "mood", "type": "string", "categories": ["low", "mid", "high"],
    "categoriesOrdered": True},
    {"name": "q1", "type": "integer",
    "constraints": {"minimum": 1, "maximum": 5, "required": True}},
    {"name": "q2", "type": "integer", "categoriesOrdered": True, "missingValues": ["", "99"],
     "categories": [{"value": 1, "label": "no"}, {"value": 7, "label": "yes"}]},
    {"name": "region", "type": "string", "categories": ["N", "S"], "ratingpriv:role": "quasi"},
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120},
     "ratingpriv:role": "quasi", "ratingpriv:band": 10, "ratingpriv:top": 80.5},
    {"name": "born", "type": "date",
    "constraints": {"minimum": "1900-01-01", "maximum": "2010-01-01"}},
    {"name": "email", "type": "string", "format": "email", "ratingpriv:role": "identifier"},
]  # fmt: skip
SCHEMA = {
    "fields": FIELDS,
    "missingValues": ["", "-", {"value": "NR", "label": "no reply"}],
    "primaryKey": "who",
}


def parse(content):
    return parse_frictionless(json.dumps(content), "folder/datapackage.json")


def test_a_schema():
    book = parse(SCHEMA)
    assert book.columns == {
        "who": ColumnSpec(role="id"),
        "mood": ColumnSpec(labels=("low", "mid", "high")),
        "q1": ColumnSpec(scale=(1, 5)),
        "q2": ColumnSpec(scale=(1, 7), missing=("99",)),
        "region": ColumnSpec(role="quasi"),
        "age": ColumnSpec(role="quasi", band=10, top=80.5),
        "born": ColumnSpec(),
        "email": ColumnSpec(role="identifier"),
    }
    assert (book.missing, dict(book.data)) == (("-", "NR"), {})


@pytest.mark.parametrize("place", ["survey.csv", ["survey.csv"]])
def test_a_data_package(tmp_path, place):
    table = {"name": "s", "path": place, "schema": SCHEMA}
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps({"resources": [{"name": "readme", "path": "x.md"}, table]}))
    book = read_codebook(path)
    assert (book.columns, dict(book.data)) == (parse(SCHEMA).columns, {"path": "survey.csv"})
    assert book.sha256 is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: found no JSON"),
        ('{"fields": [], "fields": []}', "a key is there twice"),
        ("{}", "no list of fields"),
        ('{"fields": [{"type": "string"}]}', "no list of fields"),
        ('{"fields": [{"name": "a"}, {"name": "a"}]}', "the field 'a' a second time"),
        ('{"fields": [{"name": "a", "ratingpriv:rol": "id"}]}', "did you mean ratingpriv:role?"),
        ('{"fields": [{"name": "a", "ratingpriv:role": "x"}]}', "expected one of id, identifier"),
        ('{"fields": [{"name": "a", "ratingpriv:band": "1"}]}', "expected a number above 0"),
        ('{"fields": [{"name": "a", "ratingpriv:role": "id", "ratingpriv:band": 1}]}',
        "band of a column"),
        ('{"resources": [{"schema": {}}, {"schema": {}}]}',
        "found 2 tables with a schema, expected one"),
        ('{"resources": []}', "found 0 tables"),
        ('{"a": ' + "1" * 5000 + "}", "no JSON (a whole number of more than 4,300 digits)"),
        ('{"resources": 1}', "found resources that are no list"),
        ('{"path": "../../etc/passwd", "schema": {"fields": []}}', "leaves the package's folder"),
        ('{"path": "https://example.org/x.csv", "schema": {"fields": []}}',
        "leaves the package's folder"),
        ('{"schema": "x.json"}', "no list of fields"),
        ('{"fields": [{"name": "a"}], "missingValues": [1]}', "missingValues that are no texts"),
        ('{"a":' + "[" * 99999, "nested too deeply"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path, text, message):
    path = tmp_path / "schema.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_codebook(path)
    assert message in str(caught.value)


BOOK = Codebook(
    columns={
        "q*": ColumnSpec(role="rating", scale=(0.5, 5)),
        "mood": ColumnSpec(role="rating", labels=("low", "high"), missing=("99",)),
        "age": ColumnSpec(role="quasi", band=10, top=80.5),
        "ill": ColumnSpec(role="sensitive", kind="nominal"),
        "name": ColumnSpec(role="identifier"),
        "note": ColumnSpec(),
    },
    missing=("N/A",),
)
WRITTEN = [
    Field(name="q1", type="number", description="How was it?"), Field(name="mood", type="string"),
    Field(name="age", type="integer"), Field(name="ill"), Field(name="name"), Field(name="note"),
]  # fmt: skip


def test_what_is_written_is_read_to_the_same():
    read = parse_frictionless(frictionless_text(BOOK, WRITTEN), "x.json")
    assert read.columns == {field.name: BOOK.spec_of(field.name) for field in WRITTEN}
    assert read.missing == BOOK.missing


def test_the_library_of_the_standard_takes_it():
    library = pytest.importorskip(
        "frictionless", reason="the library frictionless is not installed"
    )
    schema = library.Schema.from_descriptor(json.loads(frictionless_text(BOOK, WRITTEN)))
    assert [field.name for field in schema.fields] == [field.name for field in WRITTEN]
    assert schema.get_field("q1").constraints == {"minimum": 0.5, "maximum": 5}
    assert library.Schema.from_descriptor({"fields": FIELDS}).to_descriptor()

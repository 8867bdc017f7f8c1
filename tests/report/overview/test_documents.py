"""Saved documents: recognised, held to their schema and to their data;
an independent validator agrees.
"""

import copy
import json

import pytest

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.report.overview.documents import read_documents

SHA, OTHER, RELEASED = "a" * 64, "b" * 64, "c" * 64


@pytest.fixture
def files(documents, tmp_path):
    """Documents as files, with hashes as those of files."""
    made = copy.deepcopy(documents)
    for part in ("audit", "frontier", "attack"):
        made[part]["dataset"]["sha256"] = SHA
    made["utility"]["original"]["sha256"] = SHA
    attacked = made["attack"]["release"]["dataset"]
    for place in (made["audit_release"]["dataset"], attacked, made["utility"]["release"]):
        place["sha256"] = RELEASED

    def write(part, change=None):
        document = copy.deepcopy(made[part])
        if change is not None:
            change(document)
        path = tmp_path / f"{part}-{len(list(tmp_path.iterdir()))}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return str(path)

    return made, write


def test_each_is_recognised_by_its_schema(files):
    made, write = files
    assert read_documents([write(part) for part in made]) == made


def setting(value, *path):
    """Return a change of a document that puts ``value`` in one place."""

    def change(document):
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("part", "change", "why"),
    [
        ("frontier", setting(OTHER, "dataset", "sha256"), "another file"),
        ("frontier", setting(None, "dataset", "sha256"), "SHA-256"),
        ("frontier", setting(1, "dataset", "issues"), "another part of the data"),
        ("audit", None, "one document of the kind audit"),
        ("audit", setting(OTHER, "dataset", "sha256"), "one document of the kind audit"),
        ("attack", setting(OTHER, "release", "dataset", "sha256"), "another file"),
        ("audit_release", setting(9, "parameters", "k"), "different parameters"),
    ],
)
def test_documents_of_other_data_are_refused(files, part, change, why):
    _, write = files
    with pytest.raises(ParameterError, match=why):
        read_documents([write("audit"), write("utility"), write(part, change)])


def test_documents_of_another_file_than_is_given_or_of_an_older_version_are_refused(
    files, tmp_path
):
    _, write = files
    data = tmp_path / "data.csv"
    data.write_text("id,q0\na,1\nb,2\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"audit of another file.*one of the data given"):
        read_documents([write("audit")], data=ratingpriv.read(data))
    with pytest.raises(DataError, match=r"run the command again .*-o FILE\.json"):
        read_documents([write("audit", lambda document: document.pop("equal"))])
    with pytest.raises(DataError, match="no file to be read"):
        read_documents([str(tmp_path / "none.json")])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[1, 2]", "no document of this version"),
        ('{"schema": "ratingpriv.audit/9"}', "no document of this version"),
        ('{"schema": ["ratingpriv.audit/1"]}', "no document of this version"),
        ('{"schema": "ratingpriv.audit/1"}', "document ratingpriv.audit/1 that is damaged"),
        ('{"schema": NaN}', "no JSON"),
        ('{"schema": 1e999}', "no JSON"),
        ('{"schema": "ratingpriv.audit/1", "satisfied": false, "satisfied": true}', "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("\xff", "no JSON"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, text, why):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(DataError, match=why):
        read_documents([str(path)])

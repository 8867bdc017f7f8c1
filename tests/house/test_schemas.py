"""The JSON contracts: each has a schema that finds what is missing or too much,
and explains every key.
"""

import json
import re
import subprocess
import sys

import jsonschema
import pytest
from house.checkout import PACKAGES, ROOT
from json_contracts import Watch

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents import schemas
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Document
from ratingpriv.documents.keys import every_key, meaning
from ratingpriv.documents.making import document_of


def test_every_contract_has_a_schema():
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in PACKAGES.values()
        for path in folder.rglob("*.py")
    )
    assert set(re.findall(r'"(ratingpriv\.[a-z-]+/[0-9]+)"', text)) == set(schemas())


def objects(part):
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for value in part.values():
            yield from objects(value)
    elif isinstance(part, list):
        for value in part:
            yield from objects(value)


@pytest.mark.parametrize("name", schemas())
def test_a_schema_is_whole(name):
    found = ratingpriv.schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["$id"] == f"urn:{name.replace('.', ':').replace('/', ':')}"
    refers = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(found)))
    assert refers == found["$defs"].keys()  # nothing is missing, nothing is too much
    for one in objects(found):
        if "required" in one and "type" in one:
            assert one["additionalProperties"] is False
            assert set(one["required"]) <= one["properties"].keys()
    tool = name.partition("/")[0] not in {
        f"ratingpriv.{one}" for one in ("manifest", "key", "certificate")
    }
    assert ("Tool" in found["$defs"]) is tool


@pytest.mark.parametrize("name", schemas())
def test_every_key_says_what_it_means(name):
    """Its own description, or that of its type:
    `ratingpriv schema NAME --keys` and the site print it.
    """
    types = ratingpriv.schema(name)["$defs"]
    silent = [
        key
        for one in objects(ratingpriv.schema(name))
        for key, part in one["properties"].items()
        if not meaning(part, types)
    ]
    assert silent == []


@pytest.mark.parametrize("name", schemas())
def test_every_key_stands_in_the_list_of_keys(name):
    whole = ratingpriv.schema(name)
    listed = {(one.path.rpartition(".")[2], json.dumps(one.part)) for one in every_key(whole)}
    properties = [item for one in objects(whole) for item in one["properties"].items()]
    assert listed == {(key, json.dumps(part)) for key, part in properties}


def test_a_class_is_one_and_says_what_it_is():
    classes = list(subclasses(Document))
    assert len({cls.__name__ for cls in classes}) == len(classes)
    assert [cls.__name__ for cls in classes if not vars(cls).get("__doc__")] == []


def test_meanings_are_values():
    """They are the same where Python drops docstrings, and no source is at hand."""
    program = (
        "import json, ratingpriv.documents as of; print(json.dumps([*map(of.schema, "
        "of.schemas())]))"
    )
    bare = subprocess.run(
        [sys.executable, "-OO", "-c", program], check=True, capture_output=True, text=True
    )
    described = [ratingpriv.schema(name) for name in schemas()]
    assert json.loads(bare.stdout) == described
    assert "The largest k for which that holds." in json.dumps(described)


def subclasses(cls):
    for below in cls.__subclasses__():
        yield below
        yield from subclasses(below)


def test_names():
    whole = ratingpriv.schema("ratingpriv.audit/1")
    assert ratingpriv.schema("audit") == ratingpriv.schema("audit/1") == whole
    hints = {"adit": "audit/1", "attack/1": "attack/2", "shared": "audit, certificate-check"}
    for wrong in (*hints, "", "../errors", "audit/", "audit/1/1", "audit.json"):
        with pytest.raises(ParameterError, match=hints.get(wrong)):
            ratingpriv.schema(wrong)


@pytest.fixture(scope="module")
def golden_result():
    table = ratingpriv.read(ROOT / "examples" / "table2.csv", sensitive=["issue 4"], scale=(1, 7))
    return ratingpriv.audit(
        table,
        k=3,
        epsilon=1,
        l=1.5,
        exposure=1,
        max_share=0.5,
        distinct=2,
        entropy=1,
        t_closeness=1,
    )


def test_what_ratingpriv_writes_is_looked_at(golden_result, tmp_path, monkeypatch):
    from ratingpriv.report import as_json

    content = golden_result.to_dict()
    as_json.write_json(content, tmp_path / "a.json")
    assert Watch.found == []
    del content["risk"]["marketer"]
    as_json.json_text(content)
    assert Watch.found == ["ratingpriv.audit/1 at $.risk: 'marketer' is a required property"]
    Watch.found.clear()
    json.dumps(content)  # a test's own document is not
    assert Watch.found == []


def test_a_key_that_a_mapping_inside_has_and_its_type_has_not_is_refused():
    said = {"measure": "exposed", "operator": "<=", "limit": 1.0, "value": 0.5, "met": True}
    assert document_of(Gate, None, required=[said], passed=True) == {
        "required": [said],
        "passed": True,
    }
    with pytest.raises(TypeError, match="Requirement has no key for nonsense"):
        document_of(Gate, None, required=[{**said, "nonsense": 1}], passed=True)

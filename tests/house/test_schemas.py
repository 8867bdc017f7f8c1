"""The JSON contracts: each has a schema that finds what is missing or too much, and is documented."""

import inspect
import json
import re
import sys

import jsonschema
import msgspec
import pytest
from house.checkout import PACKAGES, ROOT
from json_contracts import Watch

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents import schemas
from ratingpriv.documents.demands import Gate
from ratingpriv.documents.form import Document, meanings_in
from ratingpriv.documents.making import document_of

DOCS = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")


def test_every_contract_has_a_schema():
    text = "\n".join(
        path.read_text(encoding="utf-8") for folder in PACKAGES.values() for path in folder.rglob("*.py")
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
    tool = name.partition("/")[0] not in {f"ratingpriv.{one}" for one in ("manifest", "key", "certificate")}
    assert ("Tool" in found["$defs"]) is tool


@pytest.mark.parametrize("name", schemas())
def test_the_docs_name_every_key(name):
    prose = re.sub(r"^```.*?^```$", "", DOCS, flags=re.MULTILINE | re.DOTALL)
    quoted = set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`\n]+)`", prose))))
    said = quoted | set(re.findall(r'"([a-z_0-9]+)": ', DOCS))
    keys = {key for one in objects(ratingpriv.schema(name)) for key in one["properties"]}
    assert sorted(keys - said) == []


def test_a_class_is_one_and_what_is_said_of_keys_is_in_its_schema():
    classes = list(subclasses(Document))
    assert len({cls.__name__ for cls in classes}) == len(classes)
    for cls in classes:
        keys = {field.name for field in msgspec.structs.fields(cls)}
        assert meanings_in(cls.__module__)[cls.__name__].keys() <= keys, cls
    described = json.dumps([ratingpriv.schema(name) for name in schemas()], ensure_ascii=False)
    for module in {cls.__module__ for cls in classes}:
        said = [text for keys in meanings_in(module).values() for text in keys.values()]
        comments = re.findall(r"#: (.*)", inspect.getsource(sys.modules[module]))
        assert " ".join(said) == " ".join(comments), module
        assert [text for text in said if json.dumps(text, ensure_ascii=False) not in described] == []


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
    return ratingpriv.audit(table, k=3, epsilon=1, l=1.5, exposure=1, max_share=0.5, distinct=2, entropy=1)


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
    assert document_of(Gate, None, required=[said], passed=True) == {"required": [said], "passed": True}
    with pytest.raises(TypeError, match="Requirement has no key for nonsense"):
        document_of(Gate, None, required=[{**said, "nonsense": 1}], passed=True)

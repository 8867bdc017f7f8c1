"""The small validator of documents says what jsonschema says, of every rule that our schemas use."""

from __future__ import annotations

import jsonschema
import pytest

from ratingpriv.schemas import validating

VALUES = [
    None,
    True,
    0,
    1,
    7.5,
    "",
    "abc",
    [],
    [1],
    [1, "a", 3],
    {},
    {"a": 1},
    {"a": "x", "b": [2]},
    {"c d": 1},
]
RULES = [
    {"type": "integer"},
    {"type": ["number", "null"]},
    {"const": 1},
    {"enum": ["abc", None, True]},
    {"minimum": 1, "maximum": 7},
    {"pattern": "^b|c$"},
    {"minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"type": "integer"}},
    {"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]},
    {"if": {"type": "object"}, "then": {"required": ["a"]}, "else": {"type": "string"}},
    {"properties": {"a": {"type": "integer"}}, "additionalProperties": False},
    {"additionalProperties": {"type": "integer"}},
    {"propertyNames": {"pattern": "^[a-z]$"}},
    {"$ref": "#/$defs/one"},
    {"items": {"$ref": "#/$defs/one"}},
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: " ".join(rule))
def test_it_agrees_with_jsonschema(monkeypatch, rule):
    whole = {"properties": {"value": rule}, "required": ["value"], "$defs": {"one": {"const": 1}}}
    monkeypatch.setattr(validating, "schema", lambda name: whole)
    judge = jsonschema.Draft202012Validator(whole)
    verdicts = set()
    for value in VALUES:
        document = {"schema": "made", "value": value}
        found = validating.fault(document)
        assert (found is None) == judge.is_valid(document), (rule, value, found)
        assert found is None or found.startswith("the document.value")
        verdicts.add(found is None)
    assert verdicts == {True, False}
    assert validating.fault({"schema": "made"}) == "the document.value"


def test_a_rule_it_does_not_know_is_no_rule_kept(monkeypatch):
    monkeypatch.setattr(validating, "schema", lambda name: {"dependentRequired": {}})
    with pytest.raises(NotImplementedError, match="dependentRequired"):
        validating.fault({"schema": "made"})

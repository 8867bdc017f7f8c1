"""Holding a document that was saved to its schema: as much of JSON Schema as our schemas use.

A validator of the whole standard is no dependency of the library; the tests hold this one to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.schemas.contracts import schema

__all__ = ["fault"]

_TYPES: Mapping[str, Any] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: _is_number(value),
    "integer": lambda value: _is_number(value) and value == int(value),
}
_SAID = frozenset(
    (
        *("$schema", "$id", "$defs", "title", "description", "format", "type", "properties", "required"),
        *("additionalProperties", "propertyNames", "items", "anyOf", "enum", "const", "minimum", "maximum"),
        *("pattern", "minItems", "maxItems", "$ref", "if", "then", "else", "examples", "default"),
    )
)


def fault(document: Mapping[str, Any]) -> str | None:
    """Return where a document first breaks the schema that it names; None where it keeps it.

    The place is one of keys and positions, such as ``suite[0].success``, without what stands there.

    Raises
    ------
    ParameterError
        It names no schema of this version.
    """
    whole = schema(str(document.get("schema")))
    return next(_faults(document, whole, whole, "the document"), None)


def _faults(value: Any, rule: Mapping[str, Any], whole: Mapping[str, Any], place: str) -> Iterator[str]:
    unknown = rule.keys() - _SAID
    if unknown:
        raise NotImplementedError(f"a schema says {', '.join(sorted(unknown))}")
    if "$ref" in rule:
        yield from _faults(value, _referred(rule["$ref"], whole), whole, place)
    if not _keeps_own(value, rule):
        yield place
        return
    if "anyOf" in rule and not any(_keeps(value, one, whole) for one in rule["anyOf"]):
        yield place
    if "if" in rule:
        branch = "then" if _keeps(value, rule["if"], whole) else "else"
        yield from _faults(value, rule.get(branch, {}), whole, place)
    if isinstance(value, dict):
        yield from _of_object(value, rule, whole, place)
    elif isinstance(value, list) and "items" in rule:
        for position, one in enumerate(value):
            yield from _faults(one, rule["items"], whole, f"{place}[{position}]")


def _referred(reference: str, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of the schema that ``#/a/b`` refers to."""
    found = whole
    for key in filter(None, reference.removeprefix("#").split("/")):
        found = found[key]
    return found


def _keeps(value: Any, rule: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    return next(_faults(value, rule, whole, ""), None) is None


def _keeps_own(value: Any, rule: Mapping[str, Any]) -> bool:
    """Return whether a value keeps what is said of itself, not of its parts."""
    kinds = rule.get("type")
    if kinds is not None and not any(
        _TYPES[one](value) for one in ([kinds] if isinstance(kinds, str) else kinds)
    ):
        return False
    if "const" in rule and not _same(value, rule["const"]):
        return False
    if "enum" in rule and not any(_same(value, one) for one in rule["enum"]):
        return False
    if _is_number(value) and not rule.get("minimum", value) <= value <= rule.get("maximum", value):
        return False
    if isinstance(value, list) and not rule.get("minItems", 0) <= len(value) <= rule.get(
        "maxItems", len(value)
    ):
        return False
    return not (isinstance(value, str) and "pattern" in rule and re.search(rule["pattern"], value) is None)


def _of_object(
    value: dict[str, Any], rule: Mapping[str, Any], whole: Mapping[str, Any], place: str
) -> Iterator[str]:
    known, more = rule.get("properties", {}), rule.get("additionalProperties", True)
    for key in rule.get("required", ()):
        if key not in value:
            yield f"{place}.{key}"
    for key, one in value.items():
        if "propertyNames" in rule and not _keeps(key, rule["propertyNames"], whole):
            yield f"{place}, a key"
        if key in known:
            yield from _faults(one, known[key], whole, f"{place}.{key}")
        elif more is False:
            yield f"{place}, a key that is too much"
        elif isinstance(more, dict):
            yield from _faults(one, more, whole, f"{place}, a key")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)

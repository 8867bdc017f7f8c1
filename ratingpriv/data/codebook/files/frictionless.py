"""Frictionless Table Schema, the exchange format of data packages, read and written as a codebook.

A schema says types, categories, ends of a scale and texts for missing values; roles and recodes
stand in it as properties ``ratingpriv:role``, ``ratingpriv:band``, ... of a field. Without them a
column has no role here, and is judged as if nobody had named it. [Frictionless Standards: Table
Schema v1 and v2]
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from ratingpriv.base.errors import DataError, Problem, meant
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.numbers import parser_said
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import COLUMN_KEYS, ColumnSpec, Numeral, clash

TYPES = ("string", "integer", "number", "boolean", "date", "datetime", "any")
"""Types of fields that are written."""

_PREFIX = "ratingpriv:"
_NUMERIC = ("integer", "number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of the data as a schema describes it: its type, one of TYPES, and what was asked."""

    name: str
    type: str = "any"
    description: str = ""


def parse_frictionless(text: str, name: str, sha256: str | None = None) -> Codebook:
    """Return the codebook that a Table Schema, a data package or a resource of one is.

    Else DataError.

    Against ``name``, the file's, its paths are taken.
    """
    content = _json(text, name)
    if not isinstance(content, dict):
        raise _refused(name, "no object", "a Table Schema, or a data package with one")
    resource, resources = content, content.get("resources")
    if resources is not None:  # of a data package; a resource and a schema stand for themselves
        if not isinstance(resources, list):
            raise _refused(name, "resources that are no list", "a list of resources")
        tables = [one for one in resources if isinstance(one, dict) and "schema" in one]
        if len(tables) != 1:
            remedy = "give the schema of the one that is meant as a file of its own"
            raise _refused(name, f"{len(tables)} tables with a schema", "one", remedy)
        resource = tables[0]
    schema = resource.get("schema", resource)
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not all(
        isinstance(field, dict) and isinstance(field.get("name"), str) and field["name"]
        for field in fields
    ):
        raise _refused(name, "no list of fields", "a Table Schema, or a data package with one")
    columns: dict[str, ColumnSpec] = {}
    key = schema.get("primaryKey")
    for field in fields:
        if field["name"] in columns:
            raise _refused(
                name, f"the field {shown_name(field['name'])} a second time", "every field once"
            )
        columns[field["name"]] = _spec(field, name, is_key=key in (field["name"], [field["name"]]))
    return Codebook(
        columns=MappingProxyType(columns),
        missing=_missing(schema, name),
        data=MappingProxyType(_path(resource, name)),
        place=Path(name),
        sha256=sha256,
    )


def frictionless_text(codebook: Codebook, fields: Sequence[Field]) -> str:
    """Return a Table Schema (v2) of the columns,
    whose roles and recodes stand in ``ratingpriv:`` properties.

    Patterns of the codebook are resolved: each field has all that is said of it.
    """
    schema: dict[str, Any] = {
        "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
        "fields": [_field(field, codebook.spec_of(field.name)) for field in fields],
    }
    if codebook.missing:
        schema["missingValues"] = list(dict.fromkeys(("", *codebook.missing)))
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_float=Numeral, object_pairs_hook=_once)
    except RecursionError:
        raise _refused(name, "values nested too deeply", "a Frictionless schema in JSON") from None
    except json.JSONDecodeError as error:
        problem = Problem(
            name, f"no JSON ({error.msg})", "a Frictionless schema in JSON", "", error.lineno
        )
        raise DataError(problem) from error
    except ValueError as error:  # a key twice, a number of thousands of digits
        raise _refused(
            name, f"no JSON ({parser_said(error)})", "a Frictionless schema in JSON"
        ) from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key is there twice in one object")
    return content


def _refused(name: str, found: str, expected: str, remedy: str = "") -> DataError:
    return DataError(Problem(name, found, expected, remedy))


def _path(resource: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return the path of the data, which stays in the package's folder, as the standard demands."""
    path = resource.get("path")
    if isinstance(path, list) and len(path) == 1:
        path = path[0]
    if path is None:
        return {}
    pure = PurePosixPath(path) if isinstance(path, str) else None
    if (
        pure is None
        or not path
        or pure.is_absolute()
        or ".." in pure.parts
        or "\0" in path
        or ":" in path
    ):
        actual = "a path that leaves the package's folder"
        raise _refused(name, actual, "a file beside it", "name DATA yourself")
    return {"path": str(path)}


def _missing(said: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return ``missingValues`` but the empty text, which is one anyway;
    v2 may give each a label.
    """
    values = said.get("missingValues", [])
    if not isinstance(values, list):
        raise _refused(name, "missingValues that are no list", "a list of texts")
    texts: list[Any] = [
        entry.get("value") if isinstance(entry, dict) else entry for entry in values
    ]
    if not all(isinstance(text, str) for text in texts):
        raise _refused(name, "missingValues that are no texts", "a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _own(field: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what a field says by properties of ours."""
    properties: dict[str, Any] = {}
    for key, value in field.items():
        if not key.startswith(_PREFIX):
            continue
        property_of = COLUMN_KEYS.get(key.removeprefix(_PREFIX))
        where = f"(field {shown_name(field['name'])})"
        if property_of is None:
            remedy = meant(key.removeprefix(_PREFIX), COLUMN_KEYS, _PREFIX)
            raise _refused(
                name, f"an unknown property {key!r} {where}", "a key of codebooks", remedy
            )
        try:
            properties[key.removeprefix(_PREFIX)] = property_of.read(value)
        except ValueError:
            raise _refused(
                name, f"a value of {key} that is none {where}", property_of.expected
            ) from None
    return properties


def _ordered(field: Mapping[str, Any]) -> list[Any]:
    """Return the categories of a field that says that they are ordered."""
    categories = field.get("categories")
    if field.get("categoriesOrdered") is not True or not isinstance(categories, list):
        return []
    return [
        category.get("value") if isinstance(category, dict) else category for category in categories
    ]


def _are_labels(categories: Sequence[Any]) -> bool:
    """Whether categories are several different words."""
    words = all(isinstance(word, str) and word.strip() for word in categories)
    return len(categories) > 1 and words and len(set(categories)) == len(categories)


def _scale(field: Mapping[str, Any], categories: Sequence[Any]) -> tuple[float, float] | None:
    """Return both constraints, else the ends of the ordered categories.

    Dates and texts are no scale.
    """
    constraints = field.get("constraints")
    own_ends = constraints if isinstance(constraints, dict) else {}
    ends = [own_ends.get("minimum"), own_ends.get("maximum")]
    try:
        numbers = [COLUMN_KEYS["top"].read(end) for end in (categories if None in ends else ends)]
    except ValueError:
        return None
    return (min(numbers), max(numbers)) if len(set(numbers)) > 1 else None


def _spec(field: Mapping[str, Any], name: str, *, is_key: bool) -> ColumnSpec:
    """Return what a field says of its column: its own properties first,
    then what follows from its type.
    """
    spec_words = _own(field, name)
    follows: dict[str, Any] = {"missing": _missing(field, name)}
    if is_key:
        follows["role"] = "id"
    categories = _ordered(field)
    role = spec_words.get("role", follows.get("role"))
    numeric = role in (None, "rating") or (role, spec_words.get("kind")) == ("sensitive", "numeric")
    labelled = role in (None, "rating", "quasi", "sensitive") and "map" not in spec_words
    if labelled and _are_labels(categories):
        follows["labels"] = tuple(word.strip() for word in categories)
    elif (
        numeric
        and field.get("type") in _NUMERIC
        and (scale := _scale(field, categories)) is not None
    ):
        follows["scale"] = scale
    spec = ColumnSpec(**{**follows, **spec_words})
    if (wrong := clash(spec)) is not None:
        raise _refused(name, f"{wrong[1]} (field {shown_name(field['name'])})", wrong[2])
    return spec


def _field(field: Field, spec: ColumnSpec) -> dict[str, Any]:
    made: dict[str, Any] = {"name": field.name, "type": "string" if spec.labels else field.type}
    if field.description:
        made["description"] = field.description
    if spec.labels:
        made |= {"categories": list(spec.labels), "categoriesOrdered": True}
    if spec.scale is not None and field.type in _NUMERIC:
        made["constraints"] = {"minimum": _plain(spec.scale[0]), "maximum": _plain(spec.scale[1])}
    if spec.missing:
        made["missingValues"] = list(dict.fromkeys(("", *spec.missing)))
    for key, value in spec.said():
        if key == "scale":
            made[_PREFIX + key] = ":".join(str(_plain(end)) for end in value)
        elif key not in ("labels", "missing"):
            made[_PREFIX + key] = _plain(value)
    return made


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value == int(value) else value

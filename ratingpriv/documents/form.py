"""What every JSON document is made of, and a document type as JSON Schema (draft 2020-12).

A key's type, limits and meaning are its annotation. A type's own meaning is its ``__doc__``,
assigned as a value: ``PYTHONOPTIMIZE=2`` drops docstrings.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
AtLeastOne = Annotated[float, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Difference = Annotated[float, Meta(ge=-1, le=1)]
Number = Annotated[str, Meta(pattern="^[0-9]+$")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


def meaning(text: str) -> Meta:
    """Return what an annotation says of its key: for the schema and the documentation."""
    return Meta(description=text)


_FROZEN = {"frozen": True}  # as a word of its own mypy wants it again of each type


class Document(msgspec.Struct, forbid_unknown_fields=True, **_FROZEN):
    """A JSON object: each key is there unless it may be ``UNSET``, and no other is."""


def json_schema(*documents: type[Document]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of what is one of ``documents``, and the definitions that it refers to,
    by name.
    """
    _, components = msgspec.json.schema_components(documents, ref_template="#/$defs/{name}")
    classes = {cls.__name__: cls for cls in _classes(Document)}
    definitions = {
        name: _described(classes[name], part) for name, part in sorted(components.items())
    }
    names = [cls.__name__ for cls in documents]
    if len(names) > 1:
        description = ", or: ".join(
            definitions[name]["description"].removesuffix(".") for name in names
        )
        choices = [{"$ref": f"#/$defs/{name}"} for name in names]
        return {"description": f"{description}.", "anyOf": choices}, definitions
    text = json.dumps([definitions.pop(names[0]), definitions]).replace(
        f'"#/$defs/{names[0]}"', '"#"'
    )
    document, definitions = json.loads(text)
    return document, definitions


def _classes(base: type[Document]) -> Iterator[type[Document]]:
    for cls in base.__subclasses__():
        yield cls
        yield from _classes(cls)


def _described(cls: type[Document], part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one class with its own meaning, and that of its tag."""
    properties = dict(part["properties"])
    if "schema" in properties:  # the tag of a contract
        properties["schema"] = {
            "description": "Name and version of this form.",
            **properties["schema"],
        }
    return {
        "description": " ".join(inspect.cleandoc(cls.__doc__ or "").split()),
        "type": "object",
        "properties": properties,
        "required": part.get("required", []),
        "additionalProperties": False,
    }

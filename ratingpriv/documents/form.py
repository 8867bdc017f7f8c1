"""What every JSON document is made of, and a document type as JSON Schema (draft 2020-12).

A key's meaning is said once, under ``Attributes`` of its class; its type and limits by its annotation.
"""

from __future__ import annotations

import inspect
import json
import re
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


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """A JSON object: each key is there unless it may be ``UNSET``, and no other is."""


def json_schema(*documents: type[Document]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of what is one of ``documents``, and the definitions that it refers to, by name."""
    _, components = msgspec.json.schema_components(documents, ref_template="#/$defs/{name}")
    classes = {cls.__name__: cls for cls in _classes(Document)}
    definitions = {name: _described(classes[name], part) for name, part in sorted(components.items())}
    names = [cls.__name__ for cls in documents]
    if len(names) > 1:
        description = ", or: ".join(definitions[name]["description"].removesuffix(".") for name in names)
        choices = [{"$ref": f"#/$defs/{name}"} for name in names]
        return {"description": f"{description}.", "anyOf": choices}, definitions
    text = json.dumps([definitions.pop(names[0]), definitions]).replace(f'"#/$defs/{names[0]}"', '"#"')
    document, definitions = json.loads(text)
    return document, definitions


def _classes(base: type[Document]) -> Iterator[type[Document]]:
    for cls in base.__subclasses__():
        yield cls
        yield from _classes(cls)


def _described(cls: type[Document], part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one class with what its docstring says of it and of its keys."""
    meanings = {key: text for base in reversed(cls.__mro__) for key, text in _meanings(base).items()}
    properties = {
        key: {"description": meanings[key], **value} if key in meanings else value
        for key, value in part["properties"].items()
    }
    required = part.get("required", [])
    return {
        "description": " ".join(_docstring(cls)[0].split()),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _meanings(cls: type) -> dict[str, str]:
    """Return what a docstring says of each attribute: ``key : meaning``, which may go on below, indented."""
    entries = re.findall(r"^(\w+) : (.*(?:\n +.*)*)", _docstring(cls)[1], flags=re.MULTILINE)
    return {key: " ".join(text.split()) for key, text in entries}


def _docstring(cls: type) -> tuple[str, str]:
    """Return what a docstring says of the whole, and of the attributes."""
    whole, _, attributes = inspect.cleandoc(cls.__doc__ or "").partition("Attributes\n----------\n")
    return whole, attributes

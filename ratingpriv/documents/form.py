"""What every JSON document is made of, and a document type as JSON Schema (draft 2020-12).

A key's type and limits are its annotation, its meaning the ``#:`` comment beside it or, if long, above it.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
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


_FROZEN = {"frozen": True}  # as a word of its own mypy wants it again of each type


class Document(msgspec.Struct, forbid_unknown_fields=True, **_FROZEN):
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
    """Return the schema of one class with what its source says of it and of its keys."""
    meanings: dict[str, str] = {}
    for base in reversed(cls.__mro__[: cls.__mro__.index(Document)]):
        meanings |= meanings_in(base.__module__)[base.__name__]
    properties = dict(part["properties"])
    if "schema" in properties:  # the tag of a contract
        properties["schema"] = {"description": "Name and version of this form.", **properties["schema"]}
    for field in msgspec.structs.fields(cls):
        if field.name in meanings:
            form = properties[field.encode_name]
            properties[field.encode_name] = {"description": meanings[field.name], **form}
    return {
        "description": " ".join(inspect.cleandoc(cls.__doc__ or "").split()),
        "type": "object",
        "properties": properties,
        "required": part.get("required", []),
        "additionalProperties": False,
    }


@functools.cache
def meanings_in(module: str) -> dict[str, dict[str, str]]:
    """Return what a module's source says of the keys of each of its classes."""
    source = re.split(r"^class (\w+)", inspect.getsource(sys.modules[module]), flags=re.MULTILINE)
    said = {}
    for name, body in zip(source[1::2], source[2::2], strict=True):
        keys = re.findall(r"^((?: {4}#: .*\n)*) {4}(\w+): .*?(?:  #: (.*))?$", body, flags=re.MULTILINE)
        told = {key: " ".join(f"{above} {beside}".replace("#:", "").split()) for above, key, beside in keys}
        said[name] = {key: meaning for key, meaning in told.items() if meaning}
    return said

"""The keys of a JSON contract, as its schema has them: where each stands, what it holds,
what it means.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

type _Part = Mapping[str, Any]


class Key(NamedTuple):
    """A key: its path, such as ``cells[].found.low`` (NAME stands for any name),
    and its part of the schema.

    ``optional``: whether it may be left out.
    """

    path: str
    part: _Part
    optional: bool


def keys(part: _Part, path: str = "") -> Iterator[Key]:
    """Yield every key below a part of a schema, without those of the types that it refers to."""
    return _below(part, path, {})


def every_key(schema: _Part) -> Iterator[Key]:
    """Yield every key of a whole schema.

    Those of a type follow where the type is first referred to.
    """
    return _below(schema, "", dict(schema.get("$defs", {})))


def meaning(part: _Part, types: Mapping[str, _Part]) -> str:
    """Return what a key means: by its own description, or else by that of its type;
    empty without both.
    """
    if description := part.get("description"):
        return str(description)
    if "$ref" in part:
        return str(types.get(_type(part["$ref"]), {}).get("description", ""))
    parts = [
        *part.get("anyOf", ()),
        *part.get("oneOf", ()),
        part.get("items"),
        part.get("additionalProperties"),
    ]
    meanings = (meaning(one, types) for one in parts if isinstance(one, dict))
    return next(filter(None, meanings), "")


def kind(part: _Part, named: Callable[[str], str] = str, value: Callable[[str], str] = str) -> str:
    """Return what values a part allows, in words; ``named`` shows a type, ``value`` a constant."""
    if "$ref" in part:
        name = _type(part["$ref"])
        return named(name) if name else "this contract"
    if "const" in part:
        return value(json.dumps(part["const"], ensure_ascii=False))
    if "enum" in part:
        return ", ".join(value(json.dumps(one, ensure_ascii=False)) for one in part["enum"])
    for choices in ("anyOf", "oneOf"):
        if choices in part:
            return " or ".join(dict.fromkeys(kind(one, named, value) for one in part[choices]))
    kinds = part.get("type", "anything")
    words = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if "prefixItems" in part:
        inside = ", ".join(kind(one, named, value) for one in part["prefixItems"])
        return f"array of {len(part['prefixItems'])}: {inside}"
    inner = part.get({"array": "items", "object": "additionalProperties"}.get(words, ""))
    return f"{words} of {kind(inner, named, value)}" if inner and isinstance(inner, dict) else words


def _below(part: _Part, path: str, types: dict[str, _Part]) -> Iterator[Key]:
    """Yield the keys; a type is taken out of ``types`` where they are followed into it."""
    if "$ref" in part:
        followed = types.pop(_type(part["$ref"]), None)
        if followed is not None:
            yield from _below(followed, path, types)
    for choice in (*part.get("anyOf", ()), *part.get("oneOf", ()), *part.get("allOf", ())):
        yield from _below(choice, path, types)
    required = set(part.get("required", ()))
    for name, inner in part.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        yield Key(here, inner, name not in required)
        yield from _below(inner, here, types)
    if isinstance(part.get("additionalProperties"), dict):
        yield from _below(part["additionalProperties"], f"{path}.NAME" if path else "NAME", types)
    if isinstance(part.get("items"), dict):
        yield from _below(part["items"], f"{path}[]", types)


def _type(reference: str) -> str:
    """Return the name of the type that is referred to; empty for the contract itself."""
    return reference.removeprefix("#").rpartition("/")[2]

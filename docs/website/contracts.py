"""The reference of the JSON contracts, from their schemas: a page a contract, a row a key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ratingpriv
from ratingpriv.documents.contracts import schemas
from website.markdown import escaped, fenced, table

__all__ = ["keys", "pages"]

_INTRODUCTION = """What `--json` prints, what `-o FILE.json` writes, and the JSON files that commands read:
each is held to one of these schemas (draft 2020-12). `ratingpriv schema NAME` prints one whole. How they are
used, with examples, is in [the JSON contracts](../../json.md).
"""


def pages() -> dict[str, str]:
    """Return the pages by their names: an index with its table, and a page a contract."""
    found = {_file(name): _page(name) for name in schemas()}
    rows = [[f"[`{name}`]({_file(name)})", escaped(said)] for name, said in schemas().items()]
    found["index.md"] = "\n".join(
        ["# JSON Schemas\n", _INTRODUCTION, table(["contract", "what it is"], rows)]
    )
    return found


def keys(part: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield every key below a part of a schema: its path, its schema, and whether it is always there."""
    for choice in (part, *part.get("anyOf", ()), *part.get("oneOf", ()), *part.get("allOf", ())):
        if choice is not part:
            yield from keys(choice, path)
            continue
        required = set(part.get("required", ()))
        for name, inner in part.get("properties", {}).items():
            here = f"{path}.{name}" if path else name
            yield here, inner, name in required
            yield from keys(inner, here)
        if isinstance(part.get("additionalProperties"), dict):
            here = f"{path}.NAME" if path else "NAME"
            yield here, part["additionalProperties"], False
            yield from keys(part["additionalProperties"], here)
        if isinstance(part.get("items"), dict):
            yield from keys(part["items"], f"{path}[]")


def _file(name: str) -> str:
    return name.removeprefix("ratingpriv.").replace("/", "-") + ".md"


def _page(name: str) -> str:
    whole = ratingpriv.schema(name)
    lines = [f"# {name}\n", f"{escaped(whole['description'])}\n"]
    lines += ["```{index} single: JSON; " + name + "\n```\n", "## Keys\n", _rows(whole)]
    used = whole.get("$defs", {})
    if used:
        lines += ["## Definitions\n"]
        for definition, content in used.items():
            lines += [f"### {definition}\n", f"{escaped(content.get('description', ''))}\n"]
            lines += [_rows(content) if list(keys(content)) else f"{_kind(content)}\n"]
    lines += ["## The schema\n", fenced(json.dumps(whole, indent=2, ensure_ascii=False), "json")]
    return "\n".join(lines)


def _rows(part: dict[str, Any]) -> str:
    rows = [
        [
            f"`{path}`",
            _kind(inner),
            escaped(inner.get("description", "")) + ("" if always else " *Optional.*"),
        ]
        for path, inner, always in keys(part)
    ]
    return table(["key", "type", "meaning"], rows)


def _kind(part: dict[str, Any]) -> str:
    """Return what values a part allows, in words."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name == "#":
            return "this contract"
        return f"[{name}](#{name.lower()})"
    if "const" in part:
        return f"`{json.dumps(part['const'], ensure_ascii=False)}`"
    if "enum" in part:
        return ", ".join(f"`{json.dumps(one, ensure_ascii=False)}`" for one in part["enum"])
    for choices in ("anyOf", "oneOf"):
        if choices in part:
            return " or ".join(dict.fromkeys(_kind(one) for one in part[choices]))
    kinds = part.get("type", "anything")
    said = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if said == "array" and isinstance(part.get("items"), dict):
        return f"array of {_kind(part['items'])}"
    if "prefixItems" in part:
        return f"array of {len(part['prefixItems'])}: {', '.join(map(_kind, part['prefixItems']))}"
    return said

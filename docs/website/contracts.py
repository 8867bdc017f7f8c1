"""The reference of the JSON contracts, from their schemas: a page a contract, a row a key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import ratingpriv
from ratingpriv.documents.contracts import schemas
from ratingpriv.documents.keys import keys, kind, meaning
from website.markdown import escaped, fenced, table

__all__ = ["pages"]

_INTRODUCTION = """What `--json` prints, what `-o FILE.json` writes, and the JSON files that
commands read: each is held to one of these schemas (draft 2020-12). `ratingpriv schema NAME` prints
one whole. How they are used, with examples, is in [the JSON contracts](../../json.md).
"""


def pages() -> dict[str, str]:
    """Return the pages by their names: an index with its table, and a page a contract."""
    found = {_file(name): _page(name) for name in schemas()}
    rows = [[f"[`{name}`]({_file(name)})", escaped(said)] for name, said in schemas().items()]
    found["index.md"] = "\n".join(
        ["# JSON Schemas\n", _INTRODUCTION, table(["contract", "what it is"], rows)]
    )
    return found


def _file(name: str) -> str:
    return name.removeprefix("ratingpriv.").replace("/", "-") + ".md"


def _page(name: str) -> str:
    whole = ratingpriv.schema(name)
    used = whole.get("$defs", {})
    lines = [f"# {name}\n", f"{escaped(whole['description'])}\n"]
    lines += ["```{index} single: JSON; " + name + "\n```\n", "## Keys\n", _rows(whole, used)]
    if used:
        lines += ["## Definitions\n"]
        for definition, content in used.items():
            lines += [f"### {definition}\n", f"{escaped(content.get('description', ''))}\n"]
            lines += [_rows(content, used) if list(keys(content)) else f"{_kind(content)}\n"]
    lines += ["## The schema\n", fenced(json.dumps(whole, indent=2, ensure_ascii=False), "json")]
    return "\n".join(lines)


def _rows(part: dict[str, Any], types: dict[str, Any]) -> str:
    rows = [
        [
            f"`{one.path}`",
            _kind(one.part),
            _said(one.part, types) + (" *Optional.*" if one.optional else ""),
        ]
        for one in keys(part)
    ]
    return table(["key", "type", "meaning"], rows)


def _said(part: Mapping[str, Any], types: dict[str, Any]) -> str:
    return escaped(meaning(part, types))


def _kind(part: Mapping[str, Any]) -> str:
    """Return what values a part allows, in words that lead to its type."""
    return kind(part, lambda name: f"[{name}](#{name.lower()})", lambda value: f"`{value}`")

"""Reading the schemas: what they are, and each by its name.

What :func:`schema` gives is whole: the definitions of ``shared.json`` that it needs are in it.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from ratingpriv import checks
from ratingpriv.errors import ParameterError

__all__ = ["schema", "schemas"]

_FOLDER = importlib.resources.files("ratingpriv.schemas")
_SHARED = "shared"


def schemas() -> dict[str, str]:
    """Return the contracts by name, such as ``ratingpriv.audit/1``, and what each is, in a sentence."""
    read = [_read(short) for short in _short_names()]
    return {one["title"]: one["description"] for one in read}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a contract.

    Parameters
    ----------
    name : as the documents say it under ``schema``: ``ratingpriv.audit/1``, or shorter ``audit/1``, ``audit``

    Raises
    ------
    ParameterError
        There is none of this name and number.
    """
    short, slash, number = checks.text("schema", name).removeprefix("ratingpriv.").partition("/")
    known = _short_names()
    content = _read(short) if short in known else None
    if content is None or f"{short}{slash}{number}" not in (
        short,
        content["title"].removeprefix("ratingpriv."),
    ):
        close = [short] if content is not None else get_close_matches(short, known, n=1)
        hint = f"did you mean {_read(close[0])['title']}?" if close else ", ".join(known)
        raise ParameterError("schema", name, "a JSON contract of this version of ratingpriv", hint)
    own, shared = content.pop("$defs", {}), _read(_SHARED)["$defs"]
    while missing := set(_referred_to({**content, "$defs": own})) - own.keys():
        own.update({one: shared[one] for one in missing})
    return {**content, "$defs": dict(sorted(own.items()))}


def _short_names() -> list[str]:
    files = (file.name for file in _FOLDER.iterdir())
    return sorted(
        file.removesuffix(".json") for file in files if file.endswith(".json") and file != f"{_SHARED}.json"
    )


def _read(short: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(_FOLDER.joinpath(f"{short}.json").read_text(encoding="utf-8"))
    return content


def _referred_to(part: Any) -> Iterator[str]:
    """Yield the names of definitions that a part of a schema refers to."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref" and value.startswith("#/$defs/"):
                yield value.rpartition("/")[2]
            else:
                yield from _referred_to(value)
    elif isinstance(part, list):
        for item in part:
            yield from _referred_to(item)

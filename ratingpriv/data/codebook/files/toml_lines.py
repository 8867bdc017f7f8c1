"""In which line of a TOML file a key stands, for messages: tomllib does not say."""

from __future__ import annotations

import tomllib
from typing import Any


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """Return the line, from 1, in which a key is given, or the header of its table; None: not found.

    Parameters
    ----------
    text : TOML that tomllib reads
    path : the keys from the outermost on: ``("columns", "age", "role")``
    """
    if '"""' in text or "'''" in text:  # a text of many lines may look like keys
        return None
    table: tuple[str, ...] = ()
    nearest: tuple[int, int] | None = None  # how many keys of the path, and the line
    for number, line in enumerate(text.split("\n"), start=1):
        found = _keys(line)
        if found is None:
            continue
        is_header, keys = found
        table = keys if is_header else table
        here = table if is_header else (*table, *keys)
        if here[: len(path)] == path:
            return number
        if here == path[: len(here)] and (nearest is None or len(here) > nearest[0]):
            nearest = len(here), number
    return None if nearest is None else nearest[1]


def _keys(line: str) -> tuple[bool, tuple[str, ...]] | None:
    """Return (whether it is a header, its keys) of a line that begins a table or gives a key."""
    stripped = line.strip()
    if not stripped or stripped.startswith("#"):
        return None
    if stripped.startswith("["):
        return None if (keys := _path(stripped)) is None else (True, keys)
    for place, sign in enumerate(stripped):
        if sign == "=" and (keys := _path(stripped[:place] + "= 0")) is not None:
            return False, keys
    return None


def _path(line: str) -> tuple[str, ...] | None:
    try:
        content: Any = tomllib.loads(line)
    except ValueError:
        return None
    keys: list[str] = []
    while isinstance(content, dict) and content:
        key, content = next(iter(content.items()))
        keys.append(key)
        if isinstance(content, list):
            return None
    return tuple(keys) or None

"""JSON from strangers: one meaning only, numbers that a float64 holds, and an error for everything else."""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["MOST_BYTES", "strict_json"]

MOST_BYTES = 64 << 20
"""A text of more bytes is not looked at."""

_DEEPEST = 40


def strict_json(text: bytes) -> Any:
    """Return what a JSON text in UTF-8 says.

    Stricter than :func:`json.loads`: a key occurs once in an object, nothing nests deeper than 40 levels,
    there is no NaN or Infinity, and no number that a float64 would round away (1e400, 400 digits).

    Raises
    ------
    ValueError
        It is not such a text; the message says why, without quoting it.
    """
    if len(text) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 20} MiB")
    if _depth(text) > _DEEPEST:
        raise ValueError(f"nested deeper than {_DEEPEST} levels")
    return json.loads(
        text.decode("utf-8"),
        object_pairs_hook=_once,
        parse_constant=_no_constant,
        parse_int=_whole,
        parse_float=_real,
    )


def _depth(text: bytes) -> int:
    """Return how deep brackets nest, those in strings not counted."""
    deepest = depth = 0
    for mark in re.findall(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', text, re.DOTALL):
        if mark in (b"[", b"{"):
            depth += 1
            deepest = max(deepest, depth)
        elif mark in (b"]", b"}"):
            depth -= 1
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key that occurs twice in one object")
    return content


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text}, which is no number")


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > 16 or abs(int(text)) > 1 << 53:
        raise ValueError("a whole number beyond 2^53")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number beyond a float64")
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", text)[0]):
        raise ValueError("a number too small for a float64")
    return value

"""JSON from strangers: one meaning only, numbers that a float64 holds, and an error for everything else."""

from __future__ import annotations

import functools
import json
import math
import re
from decimal import Decimal
from typing import Any

from ratingpriv.base.numbers import LARGEST

_DEEPEST = 40
_IN_FLOAT64 = range(-LARGEST, LARGEST + 1)


def strict_json(text: bytes, *, whole: range = _IN_FLOAT64, exact: bool = False) -> Any:
    """Return what a JSON text in UTF-8 says; a ValueError says why it is none, without quoting it.

    Stricter than :func:`json.loads`: a key occurs once in an object, nothing nests deeper than 40 levels,
    there is no NaN or Infinity, and no number that a float64 would round away (1e400, 400 digits). ``whole``
    is what whole numbers may be; ``exact`` refuses every other number that float64 does not keep digit by
    digit, too (0.10000000000000001).
    """
    depth = 0  # of brackets, those in strings not counted
    for found in re.finditer(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', text, re.DOTALL):
        depth += 1 if found[0] in (b"[", b"{") else -1 if found[0] in (b"]", b"}") else 0
        if depth > _DEEPEST:
            raise ValueError(f"lists in lists, too deep: more than {_DEEPEST} levels")
    return json.loads(
        text.decode("utf-8"),
        object_pairs_hook=_once,
        parse_constant=_no_constant,
        parse_int=functools.partial(_whole, whole),
        parse_float=_exact if exact else _real,
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("an object with a key a second time")
    return content


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text}, which is no number")


def _whole(allowed: range, text: str) -> int:
    if len(text) > len(str(allowed.start)) or int(text) not in allowed:
        raise ValueError(f"a whole number of {len(text)} characters, which is too large")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number beyond a float64")
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", text)[0]):
        raise ValueError("a number too small for a float64")
    return value


def _exact(text: str) -> float:
    value = float(text)
    try:
        kept = len(text) < 400 and math.isfinite(value) and Decimal(repr(value)) == Decimal(text)
    except ArithmeticError:  # an exponent of twenty digits
        kept = False
    if not kept:
        raise ValueError("a number that float64 does not keep")
    return value

"""What users type, as values: numbers, sizes, scales; a mistake is a ParameterError that names its option."""

from __future__ import annotations

import math
import re

from ratingpriv.errors import ParameterError

__all__ = ["amount", "bytes_of", "delimiter", "real", "scale", "whole"]

_UNITS = {
    "": 1, "b": 1,
    "k": 2**10, "kib": 2**10, "kb": 10**3,
    "m": 2**20, "mib": 2**20, "mb": 10**6,
    "g": 2**30, "gib": 2**30, "gb": 10**9,
    "t": 2**40, "tib": 2**40, "tb": 10**12,
}  # fmt: skip


def whole(option: str, text: str, minimum: int) -> int:
    """Return a whole number of at least ``minimum``."""
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text.strip()) or int(text) < minimum:
        raise ParameterError(option, text, f"a whole number >= {minimum}")
    return int(text)


def real(option: str, text: str) -> float:
    """Return a finite number >= 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise ParameterError(option, text, "a finite number >= 0")
    return value + 0.0


def amount(option: str, text: str) -> float:
    """Return a number of records (whole) or a fraction of them."""
    value = real(option, text)
    return int(value) if value == int(value) else value


def scale(option: str, text: str) -> tuple[float, float]:
    """Return MIN:MAX as two finite numbers, MIN below MAX."""
    low, colon, high = text.partition(":")
    try:
        ends = (float(low), float(high))
    except ValueError:
        ends = (math.nan, math.nan)
    if not colon or not all(math.isfinite(end) for end in ends) or not ends[0] < ends[1]:
        raise ParameterError(option, text, "MIN:MAX, two numbers with MIN below MAX, such as 1:5")
    return ends


def bytes_of(option: str, text: str) -> int:
    """Return a number of bytes from 4GiB, 500MB, 1.5G, 1000000; K, M, G and T alone are binary."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)", text.strip().lower())
    if match is None or match[2] not in _UNITS or (size := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise ParameterError(option, text, "a size such as 4GiB, 500MB or 1000000")
    return size


def delimiter(text: str) -> str:
    r"""Return a delimiter; ``\t`` and ``tab`` are a tab."""
    return "\t" if text in (r"\t", "tab") else text

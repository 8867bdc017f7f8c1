"""How values are read: what a parser takes, and what it says is expected where it takes no text.

A parser raises ValueError; the command line makes that ``memory: found 'lots', expected a size ...``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, Self

from ratingpriv.errors import ParameterError
from ratingpriv.numbers import WRITTEN, decimal_number, whole_number

__all__ = [
    "Parser",
    "Place",
    "amount",
    "days",
    "delimiter",
    "input_file",
    "items",
    "key_value",
    "named_path",
    "named_scale",
    "number",
    "one_of",
    "output_file",
    "query_name",
    "scale",
    "share",
    "size",
    "store_uri",
    "text",
    "whole",
    "whole_or",
    "whole_pair",
    "yes_or_no",
]

Place = Literal["input", "output", "store"]
"""What a value names that is a file or folder which is read or written, or a graph store."""

_UNITS = {
    "": 1, "b": 1,
    "k": 2**10, "kib": 2**10, "kb": 10**3,
    "m": 2**20, "mib": 2**20, "mb": 10**6,
    "g": 2**30, "gib": 2**30, "gb": 10**9,
    "t": 2**40, "tib": 2**40, "tb": 10**12,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parser:
    """Reads one kind of value.

    Attributes
    ----------
    read : makes the value of a text, or raises ValueError
    expected : what the text was to be
    place : what the value names
    """

    read: Callable[[str], Any]
    expected: str = "a text"
    place: Place | None = None

    def __call__(self, text: str) -> Any:
        """Return the value."""
        return self.read(text)

    def of(self, name: str, text: str) -> Any:
        """Return the value of the parameter ``name``; a mistake is a ParameterError."""
        try:
            return self.read(text)
        except ValueError:
            raise ParameterError(name, text, self.expected) from None


def _parser(expected: str) -> Callable[[Callable[[str], Any]], Parser]:
    return lambda read: Parser(read, expected)


def _named(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


_A_FILE = "the name of a file or folder"
text = Parser(str)
input_file = Parser(_named, _A_FILE, "input")
output_file = Parser(_named, _A_FILE, "output")
store_uri = Parser(str, place="store")
items = Parser(str, place="input")  # of @FILE
query_name = Parser(str, place="input")  # of FILE.cypher


def whole(minimum: int) -> Parser:
    """Return what reads a whole number: no underscores, exponents or other scripts' digits."""

    def read(text: str) -> int:
        if (found := whole_number(text)) < minimum:
            raise ValueError(text)
        return found

    return Parser(read, f"a whole number >= {minimum}")


def whole_or(word: str, meaning: Any, minimum: int = 1) -> Parser:
    """Return what reads a whole number, or a word, which means something else."""
    number = whole(minimum)
    return Parser(
        lambda text: meaning if text.strip().lower() == word else number(text),
        f"{number.expected}, or {word}",
    )


def number(maximum: float | None = None, *, none: Any = ...) -> Parser:
    """Return what reads a finite number >= 0; -0.0 is 0.0. ``none``: what that word means."""

    def read(text: str) -> Any:
        if none is not ... and text.strip().lower() == "none":
            return none
        found = decimal_number(text, printed=True)
        if found < 0 or (maximum is not None and found > maximum):
            raise ValueError(text)
        return found

    rate = "a rate from 0 to 1, such as 0.05"
    return Parser(read, f"a finite number >= 0, {WRITTEN}" if maximum is None else rate)


def one_of(*words: str, more: tuple[str, ...] = ()) -> Parser:
    """Return what reads one of some words; ``more`` go to the library, which says why not."""

    def read(text: str) -> str:
        if text not in (*words, *more):
            raise ValueError(text)
        return text

    return Parser(read, "one of " + ", ".join(words))


days = number(none=None)


def _yes_or_no(text: str) -> bool:
    if text not in ("yes", "no", "true", "false"):
        raise ValueError(text)
    return text in ("yes", "true")


yes_or_no = Parser(_yes_or_no, "yes or no")


@_parser("a share from 0 to below 1: 1 % is 1% or 0.01")
def share(text: str) -> float:
    """Return a share, written as 0.01 or 1%, as the decimal that it is."""
    written = text.removesuffix("%")
    value = decimal_number(written)
    if text != written:
        value = decimal_number(format(Decimal(written).scaleb(-2), "f"))
    if not 0 <= value < 1:
        raise ValueError(text)
    return value


@_parser(number().expected)
def amount(text: str) -> float:
    """Return a number of records (int), or a fraction of them (float)."""
    value: float = number().read(text)
    return int(value) if value == int(value) else value


@_parser("B:L, two whole numbers >= 1, such as 1:3")
def whole_pair(text: str) -> tuple[int, int]:
    """Return two whole numbers."""
    first, colon, second = text.partition(":")
    pair = (whole_number(first), whole_number(second)) if colon else (0, 0)
    if min(pair) < 1:
        raise ValueError(text)
    return pair


@_parser("MIN:MAX, two numbers with MIN below MAX, such as 1:5")
def scale(text: str) -> tuple[float, float]:
    """Return the two ends of a scale."""
    low, _, high = text.partition(":")
    ends = (decimal_number(low), decimal_number(high))
    if not ends[0] < ends[1]:
        raise ValueError(text)
    return ends


@_parser("NAME=MIN:MAX, two numbers with MIN below MAX, such as pay=1:7")
def named_scale(text: str) -> tuple[str, tuple[float, float]]:
    """Return an item's name and its scale, which is what stands behind the last ``=``."""
    item, equals, ends = text.rpartition("=")
    if not equals or not item:
        raise ValueError(text)
    return item, scale.read(ends)


class _NamedPath(str):
    """A path, with the name that was given to it."""

    name: str

    def __new__(cls, path: str, name: str) -> Self:
        place = super().__new__(cls, path)
        place.name = name
        return place


def _path(text: str) -> _NamedPath:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise ValueError(text)
    return _NamedPath(path, name)


named_path = Parser(_path, "NAME=PATH, such as ml-100k=u.data", "input")


@_parser("K=V, such as spark.executor.memory=4g")
def key_value(text: str) -> str:
    """Return a setting and its value, as they were written."""
    key, equals, _ = text.partition("=")
    if not equals or not key.strip():
        raise ValueError(text)
    return text


@_parser("a size such as 4GiB, 500MB or 1000000")
def size(text: str) -> int:
    """Return bytes; K, M, G and T alone are binary."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", text.lower()) if text.isascii() else None
    if match is None or match[2] not in _UNITS:
        raise ValueError(text)
    found = int(decimal_number(match[1]) * _UNITS[match[2]])
    if not 1 <= found < 1 << 63:
        raise ValueError(text)
    return found


@_parser("a text")
def delimiter(text: str) -> str:
    r"""Return what stands between columns; ``\t`` and ``tab`` are a tab."""
    return "\t" if text in (r"\t", "tab") else text

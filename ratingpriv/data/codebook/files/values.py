"""Values of a codebook's keys: what each key takes, and how it is read from TOML or JSON."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from ratingpriv.base.numbers import decimal_number
from ratingpriv.data.codebook.roles import KINDS, ROLES
from ratingpriv.data.table.building.finishing import DUPLICATES

_OF_DATA = ("describe", "audit", "frontier", "partition", "recommend")
_OF_RELEASES = ("anonymize", "verify", "attack", "utility", "report")
STEPS = (*_OF_DATA, *_OF_RELEASES)
"""Commands that a run may have as its steps."""

_MOST = 10_000


class Numeral(str):
    """A number with a fraction or exponent as the file has it: what `parse_float` makes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Value:
    """What a key takes: ``read`` returns it, or raises ValueError; ``expected`` says it in words."""

    expected: str
    read: Callable[[Any], Any]
    words: tuple[str, ...] = ()


def text_of(value: Any) -> str:
    """Return a text, or the digits of a number; ValueError for anything else."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**40:
        return str(value)
    raise ValueError


def value_in_words(value: Any) -> str:
    """Return what a value of TOML or JSON is; words of a codebook are no cells, so short ones are shown."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "an empty list" if not value else "a list"
    if isinstance(value, Numeral):
        return str(value)[:40]
    if isinstance(value, datetime.date | datetime.time):
        return f"the date or time {value.isoformat()}"
    try:
        return repr(value) if len(str(value)) <= 60 else "a long text"
    except ValueError:  # Python prints no number of thousands of digits
        return "a number of too many digits"


def _text(value: Any) -> str:
    if not isinstance(value, str) or isinstance(value, Numeral) or not value or "\0" in value:
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or len(value) > _MOST:
        raise ValueError
    texts = tuple(text_of(one).strip() for one in value)
    if len(set(texts)) < len(texts):
        raise ValueError
    return texts


def _names(value: Any) -> tuple[str, ...]:
    names = _texts([value] if isinstance(value, str) else value)
    if not all(names):
        raise ValueError
    return names


def _labels(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(one, str) for one in value):
        raise ValueError
    return _names(value)


def _number(value: Any) -> float:
    if isinstance(value, Numeral):
        return decimal_number(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 10**40:
        raise ValueError
    return decimal_number(str(value))


def _checked(value: Any, read: Callable[[Any], Any], fits: Callable[[Any], bool]) -> Any:
    if not fits(made := read(value)):
        raise ValueError
    return made


def _widths(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or not value or len(value) > 100:
        raise ValueError
    widths = tuple(map(_WIDTH.read, value))
    for fine, coarse in itertools.pairwise(widths):
        times = Fraction(Decimal(repr(coarse))) / Fraction(Decimal(repr(fine)))
        if times <= 1 or times.denominator != 1:
            raise ValueError
    return widths


def _whole(value: Any, below: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise ValueError
    return value


def _scale(value: Any) -> tuple[float, float]:
    low, _, high = _text(value).partition(":")
    ends = decimal_number(low), decimal_number(high)
    if not ends[0] < ends[1]:
        raise ValueError
    return ends


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _one_of(*words: str) -> Value:
    def read(value: Any) -> str:
        if value not in words or not isinstance(value, str):
            raise ValueError
        return value

    return Value("one of " + ", ".join(words), read, words)


_A_TEXT = Value("a text", _text)
_SOME_NAMES = Value("a list of different names or patterns", _names)
_SOME_TEXTS = Value("a list of different texts or numbers", _texts)
_A_SCALE = Value('"MIN:MAX", such as "1:7"', _scale)
_A_NUMBER = Value("a number of at most 15 digits", _number)
_WIDTH = Value("a number above 0", partial(_checked, read=_number, fits=lambda number: number > 0))
_A_FLAG = Value("true or false", _flag)

COLUMN_KEYS: Mapping[str, Value] = {
    "role": _one_of(*ROLES),
    "kind": _one_of(*KINDS),
    "scale": _A_SCALE,
    "labels": Value("a list of two or more different words, in their order", _labels),
    "missing": _SOME_TEXTS,
    "within": Value("a number >= 0", partial(_checked, read=_number, fits=lambda number: number >= 0)),
    "bottom": _A_NUMBER,
    "top": _A_NUMBER,
    "round": _WIDTH,
    "band": _WIDTH,
    "bands": Value("a list of numbers above 0, each a multiple of the one before", _widths),
    "map": Value("the name of a file", _text),
    "level": Value("a whole number >= 0", partial(_whole, below=1000)),
}
"""What may be said of a column, as :class:`ratingpriv.data.codebook.roles.ColumnSpec` has it."""

DATA_KEYS: Mapping[str, Value] = {
    "path": _A_TEXT,
    "format": _A_TEXT,
    "missing": _SOME_TEXTS,
    "only-null": _SOME_TEXTS,
    "scale": _A_SCALE,
    "keep": _SOME_NAMES,
    "drop": _SOME_NAMES,
    "layout": _one_of("long", "wide"),
    "id": _A_TEXT,
    "issue": _A_TEXT,
    "rating": _A_TEXT,
    "timestamp": _A_TEXT,
    "duplicates": _one_of(*DUPLICATES),
    "sheet": _A_TEXT,
    "attributes": Value("the name of a file", _text),
    "delimiter": _A_TEXT,
    "decimal-comma": _A_FLAG,
    "encoding": _A_TEXT,
    "header": _A_FLAG,
}
"""What may be said of the data as a whole: options of reading by their names, ``path`` and ``missing``."""

_SOME_STEPS = Value(
    "a list of different steps, of " + ", ".join(STEPS),
    partial(_checked, read=_names, fits=set(STEPS).issuperset),
    STEPS,
)

RUN_KEYS: Mapping[str, Value] = {
    "data": _A_TEXT,
    "output": _A_TEXT,
    "steps": _SOME_STEPS,
    "gates": _SOME_STEPS,
    "seed": Value("a whole number >= 0", partial(_whole, below=2**63)),
}
"""What ``ratingpriv run`` is told: the data, the folder of the results, which commands, in which order."""

"""Values of a codebook's keys: what each key takes, and how it is read from TOML or JSON."""

from __future__ import annotations

import datetime
import difflib
import itertools
from collections.abc import Callable, Iterable, Mapping
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


def meant(word: str, known: Iterable[str], before: str = "") -> str:
    """Return the remedy that asks for the word of ``known`` that is nearly this one; empty: none is."""
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {before}{close[0]}?" if close else ""


def _required(fits: bool, value: Any) -> Any:
    """Return the value; ValueError where it does not fit."""
    if not fits:
        raise ValueError
    return value


def _text(value: Any) -> str:
    return str(_required(type(value) is str and value != "" and "\0" not in value, value))


def _texts(value: Any) -> tuple[str, ...]:
    """Return a list of different texts; of numbers the digits."""
    _required(isinstance(value, list) and 0 < len(value) <= _MOST, value)
    small = (isinstance(one, str) or (type(one) is int and abs(one) < 10**40) for one in value)
    texts = tuple(str(one).strip() for one in _required(all(small), value))
    return tuple(_required(len(set(texts)) == len(texts), texts))


def _names(value: Any) -> tuple[str, ...]:
    names = _texts([value] if isinstance(value, str) else value)
    return tuple(_required(all(names), names))


def _labels(value: Any) -> tuple[str, ...]:
    _required(
        isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value), value
    )
    return _names(value)


def _number(value: Any) -> float:
    whole = type(value) is int and abs(value) < 10**40
    return decimal_number(str(_required(whole or isinstance(value, Numeral), value)))


def _checked(value: Any, read: Callable[[Any], Any], fits: Callable[[Any], bool]) -> Any:
    made = read(value)
    return _required(fits(made), made)


def _widths(value: Any) -> tuple[float, ...]:
    _required(isinstance(value, list) and 0 < len(value) <= 100, value)
    widths = tuple(map(_WIDTH.read, value))
    exact = [Fraction(Decimal(repr(width))) for width in widths]
    times = [coarse / fine for fine, coarse in itertools.pairwise(exact)]
    return tuple(_required(all(one > 1 and one.denominator == 1 for one in times), widths))


def _whole(value: Any, below: int) -> int:
    return int(_required(type(value) is int and 0 <= value < below, value))


def _scale(value: Any) -> tuple[float, float]:
    low, _, high = _text(value).partition(":")
    ends = decimal_number(low), decimal_number(high)
    return (_required(ends[0] < ends[1], ends[0]), ends[1])


def _flag(value: Any) -> bool:
    return bool(_required(isinstance(value, bool), value))


def _one_of(*words: str) -> Value:
    def read(value: Any) -> str:
        return str(_required(isinstance(value, str) and value in words, value))

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

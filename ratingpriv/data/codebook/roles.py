"""The roles a column can have, what may be said of columns and data,
and how TOML or JSON says it.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ratingpriv.base.numbers import decimal_number, in_full
from ratingpriv.data.table.building.finishing import DUPLICATES

ROLES = ("id", "identifier", "rating", "quasi", "sensitive", "carry", "drop")
"""id: names the record. identifier: a direct identifier, never released. rating: an answer on an
ordered numeric scale, within ε. quasi: a quasi-identifier, audited by its own rule. sensitive: what
must not be learnt. carry: released though nobody audits it. drop: left out.
"""

AUDITED = ("rating", "quasi", "sensitive")
"""The roles of columns that a verdict is about."""

OTHERS = ("rating",)
"""The roles that may be said of all columns of which nothing else is said."""

KINDS = ("numeric", "nominal")
"""Kinds of sensitive columns: numbers, of which an SD says something, or codes of categories."""

NULL_TOKENS = ("", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "null", "NULL", "None", "∅")
"""Texts that mean "not rated" unless ``only_null`` names others. NaN is not among them: name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """What a codebook or an option says of a column; None or empty is "not said".

    Attributes
    ----------
    role, kind : one of ROLES, and of a sensitive column one of KINDS
    scale : (minimum, maximum) of a rating or a numeric sensitive column
    labels : ordered words of a scale, which count as 1, 2, ...; written back as words
    missing : texts that mean unanswered in this column, beside those of the whole data
    within : of a quasi column of numbers, the most by which two records may differ; None: they must
        be equal
    band : width of the bands that numbers are put into (10: 20-29, 30-39, ...)
    round : numbers are rounded to multiples of it, halves up
    top, bottom : numbers above ``top`` become ``top``, those below ``bottom`` become ``bottom``
    bands : widths of bands that a search for recodes tries, each a multiple of the one before
    map : a file of ``value,group`` lines, or an ARX hierarchy ``value;level1;level2``
    level : which level of the hierarchy, from 1; 0: as it is
    """

    role: str | None = None
    kind: str | None = None
    scale: tuple[float, float] | None = None
    labels: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    within: float | None = None
    band: float | None = None
    bands: tuple[float, ...] = ()
    round: float | None = None
    top: float | None = None
    bottom: float | None = None
    map: str | None = None
    level: int | None = None

    @property
    def recodes(self) -> bool:
        """Whether values are changed on reading."""
        return any(
            recode is not None
            for recode in (self.band, self.round, self.top, self.bottom, self.map)
        )

    def said(self) -> Iterator[tuple[str, Any]]:
        """Yield what is said, by name."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value not in (None, ()):
                yield field.name, value


RECODES = ("band", "round", "top", "bottom", "map", "level")
"""What changes values on reading."""

_MAY_SAY = {
    "id": (),
    "identifier": (),
    "drop": (),
    "carry": (),
    "rating": ("scale", "labels"),
    "quasi": ("labels", "within", "bands", *RECODES),
    "sensitive": ("kind", "scale", "labels", *RECODES),
}
_NEVER_BOTH = (
    ("band", "map", "one of the two"),
    ("within", "band", "numbers for within: bands are equal or not"),
    ("bands", "map", "one of the two"),
    ("within", "bands", "numbers for within: bands are equal or not"),
    ("within", "map", "numbers for within: groups are equal or not"),
    *(("labels", key, f"{key} of numbers, or labels of words") for key in ("bands", *RECODES[:4])),
    ("labels", "scale", "no scale: labels are 1, 2, ... to their number"),
)


def clash(spec: ColumnSpec) -> tuple[str, str, str] | None:
    """Return what of a spec does not fit together, as (key, found, expected); None: all does.

    A role has its own keys, two recodes may exclude each other; without a role (a pattern may have
    it) only the latter is looked at.
    """
    keys = [key for key, _ in spec.said() if key not in ("role", "missing")]
    allowed = keys if spec.role is None else _MAY_SAY[spec.role]
    odd = next((key for key in keys if key not in allowed), None)
    if odd is not None:
        return (
            odd,
            f"{odd} of a column of role {spec.role}",
            f"only {', '.join((*allowed, 'missing'))}",
        )
    both = next((never for never in _NEVER_BOTH if {*never[:2]} <= {*keys}), None)
    if both is not None:
        return both[1], f"{both[1]} together with {both[0]}", both[2]
    return _clash_of_recodes(spec) or _clash_of_kind(spec)


def _clash_of_recodes(spec: ColumnSpec) -> tuple[str, str, str] | None:
    """Return which recode lacks another key, or leaves no value."""
    if spec.level is not None and spec.map is None:
        return "level", "level without map", "the file of the hierarchy in map"
    if spec.bottom is not None and spec.top is not None and spec.bottom >= spec.top:
        return (
            "top",
            f"top {in_full(spec.top)} and bottom {in_full(spec.bottom)}",
            "bottom below top",
        )
    return None


def _clash_of_kind(spec: ColumnSpec) -> tuple[str, str, str] | None:
    """Return what a sensitive column of numbers, or of categories, cannot have."""
    recoded = "band" if spec.band is not None else "map" if spec.map is not None else None
    if spec.role == "sensitive" and spec.kind != "nominal" and recoded is not None:
        expected = 'kind = "nominal", whose values are categories'
        return recoded, f"{recoded} of a numeric sensitive column", expected
    if spec.kind == "nominal" and spec.scale is not None:
        return "scale", "scale of a nominal column", "no scale: its values are categories"
    return None


# ---- what each key of a codebook takes

STEPS = (
    "describe", "audit", "frontier", "partition", "recommend", "anonymize", "verify", "attack",
    "utility",
    "report",
)  # fmt: skip
"""Commands that a run may have as its steps."""

_MOST = 10_000


class Numeral(str):
    """A number with a fraction or exponent as the file has it: what `parse_float` makes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Value:
    """What a key takes: ``read`` returns it, or raises ValueError;
    ``expected`` says it in words.
    """

    expected: str
    read: Callable[[Any], Any]
    words: tuple[str, ...] = ()


def value_in_words(value: Any) -> str:
    """Return what a value of TOML or JSON is.

    Words of a codebook are no cells, so short ones are shown.
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, Numeral):
        return str(value)[:40]
    if isinstance(value, datetime.date | datetime.time):
        return f"the date or time {value.isoformat()}"
    try:
        return repr(value) if len(str(value)) <= 60 else "a long text"
    except ValueError:  # Python prints no number of thousands of digits
        return "a number of too many digits"


def _required(fits: bool, value: Any) -> Any:
    """Return the value; ValueError where it does not fit."""
    if not fits:
        raise ValueError
    return value


def _text(value: Any) -> Any:
    return _required(type(value) is str and value != "" and "\0" not in value, value)


def _texts(value: Any) -> Any:
    """Return a list of different texts; of numbers the digits."""
    _required(isinstance(value, list) and 0 < len(value) <= _MOST, value)
    small = (isinstance(text, str) or (type(text) is int and abs(text) < 10**40) for text in value)
    texts = tuple(str(text).strip() for text in _required(all(small), value))
    return _required(len(set(texts)) == len(texts), texts)


def _names(value: Any) -> Any:
    names = _texts([value] if isinstance(value, str) else value)
    return _required(all(names), names)


def _labels(value: Any) -> Any:
    several = (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(label, str) for label in value)
    )
    return _names(_required(several, value))


def _number(value: Any) -> Any:
    integral = type(value) is int and abs(value) < 10**40
    return decimal_number(str(_required(integral or isinstance(value, Numeral), value)))


def _widths(value: Any) -> Any:
    _required(isinstance(value, list) and 0 < len(value) <= 100, value)
    widths = tuple(map(_WIDTH.read, value))
    exact = [Fraction(Decimal(repr(width))) for width in widths]
    times = [coarse / fine for fine, coarse in itertools.pairwise(exact)]
    return _required(all(one > 1 and one.denominator == 1 for one in times), widths)


def _scale(value: Any) -> Any:
    low, _, high = _text(value).partition(":")
    ends = decimal_number(low), decimal_number(high)
    return _required(ends[0] < ends[1], ends)


def _that(read: Callable[[Any], Any], fits: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Return how to read a value that has to fit once it is read."""

    def checked(value: Any) -> Any:
        made = read(value)
        return _required(fits(made), made)

    return checked


def _whole(below: int) -> Callable[[Any], Any]:
    return lambda value: _required(type(value) is int and 0 <= value < below, value)


def _one_of(*words: str) -> Value:
    expected = "one of " + ", ".join(words)
    return Value(
        expected, lambda value: _required(isinstance(value, str) and value in words, value), words
    )


_A_TEXT = Value("a text", _text)
_SOME_NAMES = Value("a list of different names or patterns", _names)
_SOME_TEXTS = Value("a list of different texts or numbers", _texts)
_A_SCALE = Value('"MIN:MAX", such as "1:7"', _scale)
_A_NUMBER = Value("a number of at most 15 digits", _number)
_WIDTH = Value("a number above 0", _that(_number, lambda number: number > 0))
_A_FLAG = Value("true or false", lambda value: _required(isinstance(value, bool), value))
_A_FILE = Value("the name of a file", _text)

COLUMN_KEYS: Mapping[str, Value] = {
    "role": _one_of(*ROLES),
    "kind": _one_of(*KINDS),
    "scale": _A_SCALE,
    "labels": Value("a list of two or more different words, in their order", _labels),
    "missing": _SOME_TEXTS,
    "within": Value("a number >= 0", _that(_number, lambda number: number >= 0)),
    "bottom": _A_NUMBER,
    "top": _A_NUMBER,
    "round": _WIDTH,
    "band": _WIDTH,
    "bands": Value("a list of numbers above 0, each a multiple of the one before", _widths),
    "map": _A_FILE,
    "level": Value("a whole number >= 0", _whole(1000)),
}
"""What may be said of a column, as :class:`ColumnSpec` has it."""

DATA_KEYS: Mapping[str, Value] = {
    **dict.fromkeys(("path", "format"), _A_TEXT),
    **dict.fromkeys(("missing", "only-null"), _SOME_TEXTS),
    "scale": _A_SCALE,
    **dict.fromkeys(("keep", "drop"), _SOME_NAMES),
    "layout": _one_of("long", "wide"),
    **dict.fromkeys(("id", "issue", "rating", "timestamp"), _A_TEXT),
    "duplicates": _one_of(*DUPLICATES),
    "sheet": _A_TEXT,
    "attributes": _A_FILE,
    "others": _one_of(*OTHERS),
    "delimiter": _A_TEXT,
    **dict.fromkeys(("decimal-comma", "multiline"), _A_FLAG),
    "encoding": _A_TEXT,
    "header": _A_FLAG,
}
"""What may be said of the data as a whole: options of reading by their names, ``path`` and
``missing``.
"""

_SOME_STEPS = Value(
    "a list of different steps, of " + ", ".join(STEPS), _that(_names, set(STEPS).issuperset), STEPS
)

RUN_KEYS: Mapping[str, Value] = {
    **dict.fromkeys(("data", "output"), _A_TEXT),
    **dict.fromkeys(("steps", "gates"), _SOME_STEPS),
    "seed": Value("a whole number >= 0", _whole(2**63)),
}
"""What ``ratingpriv run`` is told: the data, the folder of the results, which commands, in which
order.
"""

"""Parameters are checked against a query's header before an engine sees them.

An engine may answer a forgotten, null or mistyped parameter with an empty result, which in an audit
reads as "nobody is at risk". So everything is refused here that the header does not promise: a
parameter that is missing, one the query does not know, null, or of another type. Texts are never
turned into numbers silently; the command line, which has only texts, says so by calling
:func:`parse_text`.
"""

from __future__ import annotations

import contextlib
import json
import math
import numbers
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ratingpriv.base.errors import ParameterError, meant
from ratingpriv.base.numbers import decimal_number, whole_number
from ratingpriv.graph.catalogue import Query

_LEAST, _MOST = -(2**63), 2**63 - 1
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_KEEPS: Mapping[str, Callable[[Any, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
}
_EXPECTED = {
    "INTEGER": "a whole number of 64 bits",
    "FLOAT": "a finite number",
    "STRING": "a text",
    "BOOLEAN": "true or false",
    "MAP": "a map with texts as keys",
    "ANY": "a text, a number, true or false, or a list or map of these",
}


_KINDS: tuple[tuple[str, Any], ...] = (
    ("STRING", str),
    ("BOOLEAN", bool),
    ("INTEGER", int),
    ("FLOAT", float),
    ("LIST", (list, tuple)),
    ("MAP", Mapping),
)
"""What an ANY may be, by its class."""


def bind(query: Query, params: Mapping[str, object], *, partial: bool = False) -> dict[str, Any]:
    """Return ``params`` as an engine takes them: plain Python values,
    exactly those that the header declares.

    Whole numbers are accepted for FLOAT, NumPy scalars and one-dimensional arrays like their Python
    counterparts. With ``partial`` parameters may be missing; defaults are left to the call that
    binds all.

    Raises
    ------
    ParameterError
        A parameter is missing, unknown, null, of the wrong type, NaN or infinite, outside the
        limits of the header, or a text with a NUL.
    """
    declared = {parameter.name: parameter for parameter in query.params}
    for name, value in params.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            expected = f"a parameter of {query.id} ({known})"
            raise ParameterError(name, value, expected, meant(name, declared))
    defaults = {name: one.default for name, one in declared.items() if one.default is not None}
    values = dict(params) if partial else {**defaults, **params}
    missing = [parameter for name, parameter in declared.items() if name not in values]
    if missing and not partial:
        first = f"{_describe(missing[0].type)}: {missing[0].meaning}"
        names = ", ".join(parameter.name for parameter in missing)
        raise ParameterError(missing[0].name, None, first, f"{query.id} needs {names}")
    bound = {}
    for name, parameter in declared.items():
        if name in values:
            bound[name] = _checked(name, values[name], parameter.type)
            if not all(_KEEPS[sign](bound[name], limit) for sign, limit in parameter.limits):
                limits = " and ".join(f"{sign} {limit:g}" for sign, limit in parameter.limits)
                expected = f"{_EXPECTED[parameter.type]} {limits}: {parameter.meaning}"
                raise ParameterError(name, bound[name], expected)
    return bound


def parse_text(query: Query, params: Mapping[str, str]) -> dict[str, Any]:
    """Read parameters given as text (``{"k": "5"}``) by the types in the header;
    :func:`bind` does the rest.

    LIST and MAP are read as JSON (``["a", "b"]``), and so is an ANY that is such a list; an ANY
    that is a whole number in its usual spelling becomes one, and ``"7"``, in JSON quotes, stays a
    text. Names that the header does not know are left as they are.

    Raises
    ------
    ParameterError
        A text does not spell a value of its parameter's type.
    """
    types = {parameter.name: parameter.type for parameter in query.params}
    return {
        name: _parsed(name, text, types[name]) if name in types else text
        for name, text in params.items()
    }


def _parsed(name: str, text: str, type_: str) -> Any:
    if type_ == "STRING":
        return text
    error = ParameterError(name, text, _describe(type_))
    try:
        if type_ in ("INTEGER", "FLOAT"):
            if type_ == "FLOAT":
                return _decimal(text)
            return int(text) if _WHOLE.fullmatch(text) else whole_number(text)
        if type_ == "BOOLEAN":
            return {"true": True, "false": False}[text.strip().lower()]
        if type_ == "ANY":
            # an id; a longer one is a text
            if _WHOLE.fullmatch(text) and _LEAST <= int(text) <= _MOST:
                return int(text)
            if text[:1] + text[-1:] == "[]":
                with contextlib.suppress(ValueError):  # an id in brackets
                    return json.loads(text)
            quoted = len(text) > 1 and text[0] == text[-1] == '"'
            return json.loads(text) if quoted else text
        return json.loads(text, parse_float=_decimal)
    except (ValueError, KeyError, RecursionError):
        raise error from None


def _decimal(text: str) -> float:
    return decimal_number(text, printed=True)


def _checked(name: str, value: Any, type_: str) -> Any:
    """Return a value as an engine takes it; ParameterError where it is none of this type."""
    if isinstance(value, np.floating):
        value = float(str(value))  # 0.1 as float32 is the decimal 0.1
    elif isinstance(value, np.generic | np.ndarray) and value.ndim < 2:
        value = value.tolist()
    if type_.startswith("LIST<") and isinstance(value, list | tuple):
        inner = type_[5:-1]
        return [_checked(f"{name}[{number}]", item, inner) for number, item in enumerate(value)]
    match (
        type_
        if type_ != "ANY"
        else next((kind for kind, of in _KINDS if isinstance(value, of)), "")
    ):
        case "INTEGER" if _is_number(value, int) and _LEAST <= value <= _MOST:
            return int(value)
        case "FLOAT" if _is_number(value, numbers.Real) and _finite(value):
            return float(value)
        case "STRING" if isinstance(value, str):
            return _text(name, value)
        case "BOOLEAN" if isinstance(value, bool):
            return value
        case "MAP" if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return {_text(name, key): _inside(f"{name}.{key}", item) for key, item in value.items()}
        case "LIST" if (
            {*map(type, value)} == {int} and min(value) >= _LEAST and max(value) <= _MOST
        ):
            return list(value)  # what is loaded are lists of codes and positions, millions of them
        case "LIST":
            return [_inside(f"{name}[{number}]", item) for number, item in enumerate(value)]
    raise ParameterError(name, value, _describe(type_))


def _inside(name: str, item: object) -> Any:
    """Return what stands in a map or a list: anything, and null."""
    return None if item is None else _checked(name, item, "ANY")


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _text(name: str, value: str) -> str:
    if "\0" in value:
        raise ParameterError(name, value, "a text without NUL")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ParameterError(name, value, "a text without unpaired surrogates") from None
    return value


def _finite(value: numbers.Real) -> bool:
    """Whether a float64 holds it: a whole number beyond 2**53 may lie between two of them."""
    try:
        return math.isfinite(value) and (
            not isinstance(value, numbers.Integral) or float(value) == value
        )
    except OverflowError:  # a whole number that no float holds
        return False


def _describe(type_: str) -> str:
    if type_.startswith("LIST<"):
        return f"a list, each item {_describe(type_[5:-1])}"
    return _EXPECTED.get(type_, type_)

"""What a written file may state of how it is read, so that a forger cannot state more.

Whoever receives a file reads it as its manifest says. So nothing may be said there that takes a rating for
something else: a number never means "not rated", a digit never separates columns, bytes that are ASCII are
read as ASCII, and a line of numbers is no header. Writers keep to that, by the same functions, and
``ratingpriv.formats.writing.Rereading.from_dict`` refuses the rest.
"""

from __future__ import annotations

import codecs
import string
from collections.abc import Iterable, Mapping
from typing import Any

from ratingpriv import checks
from ratingpriv.errors import ParameterError
from ratingpriv.numbers import LARGEST

__all__ = ["check_stated", "may_encode", "may_mean_null", "may_separate", "names_columns"]

_IN_NUMBERS = frozenset(string.digits + string.ascii_letters + "+-._\"'\r\n\0")
_WIDE_CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig")
_PROBE = bytes(range(92)) + bytes(range(93, 128)) + b"\\u0031 +ADE- ~{0!~} =31"  # escapes of some codecs
_TEXTS = ("layout", "id", "issue", "rating", "timestamp", "delimiter", "encoding")
_LONG_ONLY = ("issue", "rating", "timestamp")


def may_mean_null(text: str) -> bool:
    """Whether a text can mean "not rated" in a file for strangers: nothing that anybody reads as a number."""
    is_nan = text.strip().lower() == "nan"
    return is_nan or not (any(character.isnumeric() for character in text) or _is_number(text))


def may_separate(delimiter: str) -> bool:
    """Whether a text can stand between columns: no character of a number or of a name."""
    return bool(delimiter) and not any(one in _IN_NUMBERS or one.isalnum() for one in delimiter)


def may_encode(encoding: str) -> bool:
    """Whether a codec reads ASCII as ASCII, or is one of the UTF that cannot be taken for it."""
    try:
        name = codecs.lookup(encoding).name
        return name in _WIDE_CODECS or _PROBE.decode(name) == _PROBE.decode("ascii")
    except (LookupError, UnicodeError, ValueError):
        return False


def names_columns(names: Iterable[str], nulls: Iterable[str]) -> bool:
    """Whether a first line can only be a header: a cell of it is neither a number nor one of ``nulls``."""
    return any(name not in nulls and not _is_number(name) for name in names)


def check_stated(given: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return the reading options ``given`` by a stranger, lists as tuples.

    Parameters
    ----------
    known : the options that the format's writer may state

    Raises
    ------
    ParameterError
        One is not among them, is not of its type, or would take a rating for something else.
    """
    checked: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            expected = "an option that this format's writer states: " + ", ".join(sorted(known))
            raise ParameterError("read", _shown(name), expected)
        if name in ("sensitive", "only", "null"):
            checked[name] = _names(name, value)
        elif name == "scale":
            checked[name] = _scale(value)
        elif name == "sensitive_scale":
            checked[name] = checks.sensitive_scales(value, given.get("sensitive", ()))
        elif name in ("header", "timestamps"):
            if not isinstance(value, bool):
                raise ParameterError(f"read.{name}", _shown(value), "true or false")
            checked[name] = value
        else:
            checked[name] = _text(name, value)
    _check_together(checked, known)
    return checked


def _check_together(checked: Mapping[str, Any], known: frozenset[str]) -> None:
    layout = checked.get("layout")
    if "layout" in known and layout not in ("long", "wide"):
        raise ParameterError("read.layout", _shown(layout), "long or wide")
    for name in _LONG_ONLY:
        if layout == "wide" and name in checked:
            raise ParameterError(f"read.{name}", _shown(checked[name]), "nothing in a wide layout")
    if layout == "long" and "only" in checked:
        raise ParameterError("read.only", "a list", "nothing in a long layout")
    tokens = checked.get("null", ())
    if len(tokens) > 1 or not all(map(may_mean_null, tokens)):
        raise ParameterError(
            "read.null",
            f"{len(tokens)} texts" if len(tokens) > 1 else _shown(tokens[0]),
            "at most one text for unanswered, and no number",
            "a release that says otherwise is written by an older version, or forged: have it made anew",
        )
    if "delimiter" in checked and not may_separate(checked["delimiter"]):
        expected = "a delimiter that is no part of a number or a name"
        raise ParameterError("read.delimiter", _shown(checked["delimiter"]), expected)
    if "encoding" in checked and not may_encode(checked["encoding"]):
        expected = "an encoding that reads ASCII as ASCII, or a UTF"
        raise ParameterError("read.encoding", _shown(checked["encoding"]), expected)


def _text(name: str, value: object) -> str:
    if name not in _TEXTS or not isinstance(value, str) or not _is_clean(value):
        raise ParameterError(f"read.{name}", _shown(value), "a text")
    return value


def _names(name: str, value: object) -> tuple[str, ...]:
    whole = isinstance(value, list) and all(isinstance(one, str) and _is_clean(one) for one in value)
    if not whole or not isinstance(value, list) or len(set(value)) < len(value) or not value:
        raise ParameterError(f"read.{name}", _shown(value), "a list of different texts")
    return tuple(value)


def _scale(value: object) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2:
        ends = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
        if len(ends) == 2 and ends[0] < ends[1] and max(map(abs, ends)) <= LARGEST:
            return ends[0], ends[1]
    raise ParameterError("read.scale", _shown(value), "two numbers, the lower first")


def _is_clean(text: str) -> bool:
    """Whether a text can be a name: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= one <= "\udfff" for one in text)


def _is_number(text: str) -> bool:
    """Whether anybody might read a text as a number: decimal commas and all that Python takes."""
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _shown(value: object) -> object:
    """Return what a message may show of a stranger's value: a short text, or of what kind it is."""
    if isinstance(value, str):
        return ascii(value)[1:-1][:40]
    if isinstance(value, bool | int | float) or value is None:
        return value
    return f"a {type(value).__name__}"

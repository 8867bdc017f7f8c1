"""What a written file may state of how it is read, so that a forger cannot state more.

Whoever receives a file reads it as its manifest says. So nothing may be said there that takes a rating for
something else: a number never means "not rated", a digit never separates columns, bytes that are ASCII are
read as ASCII, a line of numbers is no header, and no word of a scale is a number. What a column is (a
quasi-identifier, and by which rule) is a claim, to be counted by and shown. Writers keep to that, by the same
functions, and ``ratingpriv.data.formats.writing.Rereading.from_dict`` refuses the rest.
"""

from __future__ import annotations

import codecs
import string
from collections.abc import Iterable, Mapping
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.options import NULL_TOKENS
from ratingpriv.data.codebook.roles import ColumnSpec

__all__ = ["check_stated", "may_be_word", "may_encode", "may_mean_null", "may_separate", "names_columns"]

_IN_NUMBERS = frozenset(string.digits + string.ascii_letters + "+-._\"'\r\n\0")
_WIDE_CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig")
_PROBE = bytes(range(92)) + bytes(range(93, 128)) + b"\\u0031 +ADE- ~{0!~} =31"  # escapes of some codecs
_TEXTS = ("layout", "id", "issue", "rating", "timestamp", "delimiter", "encoding")
_LONG_ONLY = ("issue", "rating", "timestamp")
_STATED = {"rating": {"labels"}, "quasi": {"within"}, "sensitive": {"kind", "labels"}, "carry": set()}
"""What may be said of a column, by its role; there are no others in a release."""


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


def may_be_word(text: str) -> bool:
    """Whether a text can be a word of a scale: nothing that anybody reads as a number or as unanswered."""
    blank = text.strip() != text or not text
    return not blank and _is_clean(text) and text not in NULL_TOKENS and not _is_number(text)


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
        elif name == "columns":
            checked["codebook"] = _columns(value, given.get("sensitive", ()))
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
    for name in ("only", "codebook"):
        if layout == "long" and name in checked:
            shown = "columns" if name == "codebook" else name
            raise ParameterError(f"read.{shown}", "a list", "nothing in a long layout")
    if "codebook" in checked and "null" in checked:  # of texts nobody can tell a value from such a word
        raise ParameterError("read.null", "a text", "nothing where columns hold texts: an empty cell alone")
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


def _columns(value: object, sensitive: object) -> Codebook:
    """Return what is said of columns, each by its name, as a codebook."""
    expected = "names of columns, with the role of each and what belongs to it"
    if not isinstance(value, dict) or not value:
        raise ParameterError("read.columns", _shown(value), expected)
    columns: dict[str, ColumnSpec] = {}
    for name, said in value.items():
        role = said.get("role") if isinstance(said, dict) else None
        if not isinstance(said, dict) or not isinstance(role, str) or role not in _STATED:
            raise ParameterError("read.columns", _shown(role), "a role, one of " + ", ".join(_STATED))
        if not name or not _is_clean(name) or set(said) - {"role"} - _STATED[role]:
            raise ParameterError("read.columns", _shown(name), expected)
        if (role == "sensitive") != (isinstance(sensitive, list) and name in sensitive):
            both = "the same sensitive columns as in read.sensitive"
            raise ParameterError("read.columns", _shown(name), both)
        columns[name] = ColumnSpec(
            role=role,
            kind=_kind(said["kind"]) if "kind" in said else None,
            within=_within(said["within"]) if "within" in said else None,
            labels=_labels(said["labels"]) if "labels" in said else (),
        )
    return Codebook(columns=columns)


def _kind(value: object) -> str:
    if value != "nominal":
        raise ParameterError("read.columns", _shown(value), "nominal, as the kind of a sensitive column")
    return "nominal"


def _within(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
        raise ParameterError("read.columns", _shown(value), "a number from 0 to 2^53 for the rule within")
    return float(value)


def _labels(value: object) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else []
    if len(texts) < 2 or not all(isinstance(one, str) and may_be_word(one) for one in texts):
        raise ParameterError("read.columns", _shown(value), "words of a scale, none of them a number")
    if len(set(texts)) < len(texts):
        raise ParameterError("read.columns", "a word a second time", "each word of a scale once")
    return tuple(texts)


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

"""What a written file may state of how it is read, so that a forger cannot state more.

Whoever receives a file reads it as its manifest says. So nothing may be said there that takes a rating for
something else: a number never means "not rated", a digit never separates columns, bytes that are ASCII are
read as ASCII, a line of numbers is no header, and no word of a scale is a number. What a column is (a
quasi-identifier, and by which rule) is a claim, to be counted by and shown. Writers keep to that, by the same
functions, and ``ratingpriv.data.formats.writing.Rereading.from_dict`` refuses the rest.
"""

from __future__ import annotations

import codecs
import re
import string
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UnsetType

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.roles import NULL_TOKENS, ColumnSpec
from ratingpriv.documents import data as documents

_IN_NUMBERS = frozenset(string.digits + string.ascii_letters + "+-._\"'\r\n\0")
_WIDE_CODECS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig")
_PROBE = bytes(range(92)) + bytes(range(93, 128)) + b"\\u0031 +ADE- ~{0!~} =31"  # escapes of some codecs
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
    """Return the reading options ``given`` by a stranger, lists as tuples; they have to be ``known``.

    Those are the options that the format's writer may state.
    """
    for name in given:
        if name not in known:
            expected = "an option that this format's writer states: " + ", ".join(sorted(known))
            raise ParameterError("read", _shown(name), expected)
    try:
        options = msgspec.convert({"format": "", **given}, documents.ReadOptions)
    except msgspec.ValidationError as error:  # it may quote the value
        option = re.search(r"\$\.(\w+)", str(error))
        named = "read" if option is None else f"read.{option[1]}"
        raise ParameterError(named, "another value", "what the contract of manifests has there") from error
    if not all(map(_is_clean, _texts(given))):
        raise ParameterError("read", "a text with NUL or half a surrogate pair", "texts that can be names")
    checked = dict(given)
    for name in ("sensitive", "only", "null"):
        if name in checked:
            checked[name] = tuple(given[name])
            if not given[name] or len(set(given[name])) < len(given[name]):
                raise ParameterError(f"read.{name}", "a list", "a list of different texts")
    if not isinstance(options.scale, UnsetType):
        low, high = checked["scale"] = options.scale
        if not -LARGEST <= low < high <= LARGEST:
            raise ParameterError("read.scale", "a list", "two numbers, the lower first")
    if "sensitive_scale" in checked:
        scales = checks.sensitive_scales(given["sensitive_scale"], checked.get("sensitive", ()))
        checked["sensitive_scale"] = scales
    if not isinstance(options.columns, UnsetType):
        del checked["columns"]
        checked["codebook"] = _codebook(options.columns, checked.get("sensitive", ()))
    _check_together(checked, known)
    return checked


def _check_together(checked: Mapping[str, Any], known: frozenset[str]) -> None:
    """Refuse options that do not fit together, and what would take a rating for something else."""
    layout = checked.get("layout")
    if "layout" in known and layout is None:
        raise ParameterError("read.layout", None, "long or wide")
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


def _codebook(columns: Mapping[str, documents.ReadColumn], sensitive: Collection[str]) -> Codebook:
    """Return what is said of columns, each by its name, as a codebook."""
    specs: dict[str, ColumnSpec] = {}
    for name, column in columns.items():
        own = {key: value for key, value in msgspec.to_builtins(column).items() if key != "role"}
        labels, within = tuple(own.get("labels", ())), own.get("within")
        expected, shown = "", _shown(name)
        if not name or set(own) - _STATED[column.role]:
            expected = f"of a column of role {column.role} no more than that"
        elif (column.role == "sensitive") != (name in sensitive):
            expected = "the same sensitive columns as in read.sensitive"
        elif len(set(labels)) < len(labels) or not all(map(may_be_word, labels)):
            expected = "words of a scale, each once, none a number"
        elif within is not None and within > LARGEST:
            expected, shown = "a number from 0 to 2^53 for the rule within", within
        if expected:
            raise ParameterError("read.columns", shown, expected)
        specs[name] = ColumnSpec(role=column.role, kind=own.get("kind"), within=within, labels=labels)
    if not specs:
        raise ParameterError("read.columns", "an empty list", "names of columns, with the role of each")
    return Codebook(columns=specs)


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a value of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in (*value, *value.values()) if isinstance(value, Mapping) else value:
            yield from _texts(part)


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

"""A document from the object that it tells of: each key is the attribute of the same name.

A result writes no dict by hand: what a key is called, and in which order, stands in its document
type alone. What the type calls otherwise, or what only the maker knows, is given by name.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, UnsetType

from ratingpriv.base.provenance import tool
from ratingpriv.documents.form import Document

type _Plain = Callable[[Any], Any]


def document_of(document: type[Document], source: object, **given: object) -> dict[str, Any]:
    """Return what ``source`` is as the JSON object ``document``.

    Parameters
    ----------
    document : its type; ``schema`` and ``tool`` are known from it
    source : has the keys as attributes. Of those, objects become objects, tuples lists (or objects,
        by the order of their keys), mappings dicts; what has a ``to_dict`` says for itself what it
        is. A key that may be left out is, where the attribute is None or missing
    given : keys that no attribute has, or not in this form

    Raises
    ------
    AttributeError
        A key is neither given nor an attribute.
    TypeError
        What is given, or a mapping inside of it, has what is no key: it would be lost in silence.
    """
    _refuse_unknown(document, given)
    content: dict[str, Any] = {}
    if document.__struct_config__.tag is not None:
        content["schema"] = document.__struct_config__.tag
    for key, optional, plain in _keys(document):
        if key in given:
            value = given[key]
        elif key == "tool":
            value = tool()
        elif optional:
            value = getattr(source, key, None)
            value = UNSET if value is None else value
        else:
            value = getattr(source, key)
        if value is not UNSET:
            content[key] = plain(value)
    return content


def _refuse_unknown(document: type[Document], given: Iterable[str]) -> None:
    """Refuse keys that a document does not have."""
    if unknown := sorted(set(given).difference(key for key, *_ in _keys(document))):
        raise TypeError(
            f"{document.__name__} has no key for {', '.join(unknown)}: write it into its type"
        )


@cache
def _keys(document: type[Document]) -> list[tuple[str, bool, _Plain]]:
    """Return each key, whether it may be left out, and what makes its values plain."""
    fields = msgspec.structs.fields(document)
    return [(field.encode_name, field.default is UNSET, _plain(field.type)) for field in fields]


def _plain(form: Any) -> _Plain:
    """Return what makes values of a type plain: dicts, lists, texts and numbers."""
    if isinstance(form, TypeAliasType):
        return _plain(form.__value__)
    origin, parts = get_origin(form), get_args(form)
    if isinstance(form, type) and issubclass(form, Document):
        return partial(_object, form)
    if origin in (Union, types.UnionType):
        plains = [_plain(part) for part in parts if part not in (type(None), UnsetType)]
        plain = next((candidate for candidate in plains if candidate is not _itself), _itself)
        return plain if plain is _itself else partial(_unless_null, plain)
    if origin is list:
        return partial(_list, _plain(parts[0]))
    if origin is tuple:
        return list
    if origin is dict:
        return partial(_dict, _plain(parts[1]))
    if origin is not None and parts and origin is not Literal:  # Annotated
        return _plain(parts[0])
    return _itself


def _object(form: type[Document], value: Any) -> Any:
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        value = dict(zip((key for key, *_ in _keys(form)), value, strict=True))
    if isinstance(value, Mapping):
        _refuse_unknown(form, value)
        return {key: plain(value[key]) for key, _, plain in _keys(form) if key in value}
    return value.to_dict() if hasattr(value, "to_dict") else document_of(form, value)


def _unless_null(plain: _Plain, value: Any) -> Any:
    return None if value is None else plain(value)


def _list(plain: _Plain, values: Any) -> list[Any]:
    return [plain(value) for value in values]


def _dict(plain: _Plain, values: Any) -> dict[str, Any]:
    return {key: plain(value) for key, value in values.items()}


def _itself(value: Any) -> Any:
    return value

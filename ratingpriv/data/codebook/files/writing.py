"""Codebooks written as TOML, with a comment of reasons a column."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ratingpriv.base.escaping import printable
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.files.values import COLUMN_KEYS, DATA_KEYS, RUN_KEYS, Numeral

if TYPE_CHECKING:
    from tomlkit.items import Table

    from ratingpriv.data.codebook.options import ReadOptions

_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?", re.ASCII)
_NO_COMMENTS: Mapping[str, Sequence[str]] = MappingProxyType({})


def toml_text(
    codebook: Codebook,
    comments: Mapping[str, Sequence[str]] = _NO_COMMENTS,
    *,
    opening: Sequence[str] = (),
    closing: Sequence[str] = (),
) -> str:
    """Return a codebook as TOML, which :mod:`ratingpriv.data.codebook.files.toml_file` reads to the same.

    ``comments`` are lines for columns, by name or pattern, which stand under the column's header; a column
    that has nothing else is written too. ``opening`` and ``closing`` are comments at the ends of the file.
    """
    import tomlkit

    document = tomlkit.document()
    for line in opening:
        document.add(tomlkit.comment(printable(line)))
    said = {**codebook.data, **({"missing": codebook.missing} if codebook.missing else {})}
    if said:
        document.add("data", _table({key: _value(said[key]) for key in DATA_KEYS if key in said}))
    names = list(dict.fromkeys((*codebook.columns, *comments)))
    if names:
        columns = tomlkit.table(is_super_table=True)
        for name in names:
            spec = codebook.columns.get(name)
            given = {} if spec is None else dict(spec.said())
            values = {key: _value(given[key]) for key in COLUMN_KEYS if key in given}
            columns.append(tomlkit.key(name), _table(values, comments.get(name, ())))
        document.add("columns", columns)
    if codebook.run is not None:
        run = {key: _value(codebook.run[key]) for key in RUN_KEYS if key in codebook.run}
        document.add("run", _table(run))
    for command, options in codebook.commands.items():
        document.add(command, _table({key: _value(value) for key, value in options.items()}))
    text = tomlkit.dumps(document).strip("\n") + "\n"
    if closing:
        text += "\n" + "".join(f"# {printable(line)}".rstrip() + "\n" for line in closing)
    codes = {sign: ord(sign) for sign in set(text) if not (sign.isprintable() or sign in "\n\t")}
    escaped = {code: f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}" for code in codes.values()}
    return text.translate(escaped)


def text_in_force(
    codebook: Codebook | None,
    options: ReadOptions,
    data: Mapping[str, str | None],
    commands: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return a codebook, with what options say over it, as TOML.

    ``data`` : its ``path``, from the current folder, and ``format``, where they are known. ``commands`` :
    their options by their long names, as texts.
    """
    book = (codebook or Codebook()).effective(options)
    fields = {name: value for name, value in data.items() if value is not None}
    if "path" in fields and book.place is not None:
        fields["path"] = os.path.relpath(fields["path"], book.place.parent)
    own = {
        command: {name: _number_or_text(value) for name, value in given.items()}
        for command, given in commands.items()
        if given
    }
    commands = {**book.commands, **own}
    return toml_text(dataclasses.replace(book, data={**book.data, **fields}, commands=commands))


def _number_or_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_number_or_text(one) for one in value]
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    return int(value) if value.isdecimal() else Numeral(value)


def _table(values: Mapping[str, Any], comments: Sequence[str] = ()) -> Table:
    import tomlkit

    table = tomlkit.table()
    for line in comments:
        table.add(tomlkit.comment(printable(line)))
    for key, value in values.items():
        table.add(key, value)
    table.add(tomlkit.nl())
    return table


def _value(value: Any) -> Any:
    """Return a value as tomlkit takes it: whole numbers as such, scales as texts."""
    import tomlkit

    if isinstance(value, Numeral):
        return tomlkit.value(value)
    if isinstance(value, float):
        return int(value) if value == int(value) else value
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], float):
        return ":".join(str(_value(end)) for end in value)
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        array.extend([_value(one) for one in value])
        return array.multiline(len(array) > 8)
    return value

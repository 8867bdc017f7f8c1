"""A codebook with what a user says over it: the options of reading, and those of commands."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ratingpriv.data.codebook.codebook import Codebook, matches
from ratingpriv.data.codebook.files.toml_file import toml_text
from ratingpriv.data.codebook.options import ReadOptions, roles_said
from ratingpriv.data.codebook.roles import DATA_KEYS, ColumnSpec, Numeral

_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?", re.ASCII)


def effective(codebook: Codebook, options: ReadOptions) -> Codebook:
    """Return the codebook with what options say of columns, which beats the file.

    A role of an option sets aside what the file says of a column of another role, but for its
    labels and missing texts. `drop` stands under ``[data]``, and beats every role.
    """
    columns = dict(codebook.columns)
    for name, spec in roles_said(options).items():
        for covered in [
            candidate for candidate in columns if candidate != name and matches(candidate, name)
        ]:
            columns[covered] = _over(spec, columns[covered])
        columns[name] = _over(spec, columns.get(name, ColumnSpec()))
    data = {**codebook.data, **dict(_of_data(options, codebook))}
    missing = tuple(dict.fromkeys((*codebook.missing, *options.null)))
    return dataclasses.replace(codebook, columns=columns, missing=missing, data=data)


def _over(option: ColumnSpec, spec: ColumnSpec) -> ColumnSpec:
    """Return what is said of a column, an option's word first."""
    if spec.role not in (None, option.role):
        spec = ColumnSpec(labels=spec.labels, missing=spec.missing)
    if option.role == "quasi":
        spec = dataclasses.replace(spec, within=None)  # no tolerance is said: records must be equal
    return dataclasses.replace(spec, **dict(option.said()))


def _of_data(options: ReadOptions, book: Codebook) -> Iterator[tuple[str, Any]]:
    """Yield what options say of the data as a whole, by the keys of ``[data]``."""
    usual = {"duplicates": "refuse"}
    for key in DATA_KEYS:
        value = getattr(options, key.replace("-", "_"), None)
        if value in (None, (), usual.get(key, ())):
            continue
        if key == "drop":
            value = tuple(dict.fromkeys((*book.data.get("drop", ()), *value)))
        if key == "attributes" and book.place is not None:
            value = os.path.relpath(str(value), str(book.place.parent))
        yield key, value


def text_in_force(
    codebook: Codebook | None,
    options: ReadOptions,
    data: Mapping[str, str | None],
    commands: Mapping[str, Mapping[str, Any]],
) -> str:
    """Return a codebook, with what options say over it, as TOML.

    ``data`` : its ``path``, from the current folder, and ``format``, where they are known.
    ``commands`` : their options by their long names, as texts.
    """
    book = effective(codebook or Codebook(), options)
    fields = {name: value for name, value in data.items() if value is not None}
    if "path" in fields and book.place is not None:
        fields["path"] = os.path.relpath(fields["path"], book.place.parent)
    options_in_force = {
        command: {name: _number_or_text(value) for name, value in given.items()}
        for command, given in commands.items()
        if given
    }
    commands = {**book.commands, **options_in_force}
    return toml_text(dataclasses.replace(book, data={**book.data, **fields}, commands=commands))


def _number_or_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_number_or_text(element) for element in value]
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    return int(value) if value.isdecimal() else Numeral(value)

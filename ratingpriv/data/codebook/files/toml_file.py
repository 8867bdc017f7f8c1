"""A codebook as a TOML file, read and written: ``[data]``, ``[columns.NAME]``, ``[run]``,
and options.
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, Problem, meant
from ratingpriv.base.escaping import printable, shown_name
from ratingpriv.base.inputs import small_bytes
from ratingpriv.base.numbers import parser_said
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.recoding import map_path, read_hierarchy
from ratingpriv.data.codebook.roles import (
    COLUMN_KEYS,
    DATA_KEYS,
    RUN_KEYS,
    STEPS,
    ColumnSpec,
    Numeral,
    Value,
    clash,
    value_in_words,
)

if TYPE_CHECKING:
    from tomlkit.items import Table

COMMANDS = (
    "audit", "frontier", "partition", "anonymize", "attack", "utility", "recommend", "report",
    "ingest",
    "describe", "explain",
)  # fmt: skip
"""Commands that read data, whose options a codebook may have; further ones are the steps of a
run.
"""


def read_codebook(path: str | Path, *, anywhere: bool = False) -> Codebook:
    """Return the codebook in a file: TOML, or a Frictionless schema or data package in JSON.

    Files that it names are in its folder, or below, unless ``anywhere``: it may be another's, and
    messages quote what stands in them. DataError, with file, line, key, what was found and what was
    expected, where it says something unknown, of a wrong type, or contradictory, or a hierarchy
    that it names is none.
    """
    checks.path("codebook", path)
    name = os.fspath(path)
    try:
        content = small_bytes(path)
        text = content.decode("utf-8-sig")
    except OSError as error:
        actual = f"no file to be read ({error.strerror})"
        raise DataError(
            Problem(name, actual, "a codebook", "check the path of `codebook`")
        ) from error
    except ValueError as error:  # no UTF-8, or a NUL in the path
        raise DataError(
            Problem(name, "no text in UTF-8", "a codebook", "save it as UTF-8")
        ) from error
    sha256 = hashlib.sha256(content).hexdigest()
    if text.lstrip()[:1] == "{":
        from ratingpriv.data.codebook.files.frictionless import parse_frictionless

        return parse_frictionless(text, name, sha256)
    return parse_toml(text, name, sha256, anywhere=anywhere)


def parse_toml(
    text: str, name: str, sha256: str | None = None, *, anywhere: bool = False
) -> Codebook:
    """Return the codebook in a text; ``name`` is the file's, against which its paths are taken."""
    try:
        content = tomllib.loads(text, parse_float=Numeral)
    except RecursionError:
        raise DataError(Problem(name, "values nested too deeply", "a codebook in TOML")) from None
    except ValueError as error:  # also a number of thousands of digits
        message, remedy = parser_said(error), "correct the codebook"
        if "']'" in message:
            remedy = (
                "names with other signs than letters, digits, - and _ stand in quotes: "
                '[columns."Q 2"]'
            )
        match = re.search(r" \(at line (\d+), column \d+\)", message)
        actual = f"no TOML ({message if match is None else message.replace(match[0], '')})"
        line = None if match is None else int(match[1])
        raise DataError(Problem(name, actual, "a codebook in TOML", remedy, line)) from error
    return _Reading(text, name, anywhere=anywhere).codebook(content, sha256)


class _Reading:
    def __init__(self, text: str, name: str, *, anywhere: bool) -> None:
        self._text, self._name, self._anywhere = text, name, anywhere

    def codebook(self, content: dict[str, Any], sha256: str | None) -> Codebook:
        tables_known = ("data", "columns", "run", *dict.fromkeys((*COMMANDS, *STEPS)))
        for key, value in content.items():
            if key not in tables_known:
                self._unknown((key,), "table", tables_known)
            self._table((key,), value)
        data = self._values(("data",), content.pop("data", {}), DATA_KEYS)
        columns = {
            name: self._spec(("columns", name), table)
            for name, table in content.pop("columns", {}).items()
        }
        run = self._values(("run",), content.pop("run"), RUN_KEYS) if "run" in content else None
        for path, table in (
            (("data", "path"), data),
            (("data", "attributes"), data),
            (("run", "data"), run),
        ):
            self._keep_inside(path, (table or {}).get(path[1]))
        return Codebook(
            columns=MappingProxyType(columns),
            missing=data.pop("missing", ()),
            data=MappingProxyType(data),
            commands=MappingProxyType(
                {key: MappingProxyType(options) for key, options in content.items()}
            ),
            run=None if run is None else MappingProxyType(run),
            place=Path(self._name),
            sha256=sha256,
        )

    def _spec(self, path: tuple[str, str], said: Any) -> ColumnSpec:
        spec = ColumnSpec(**self._values(path, self._table(path, said), COLUMN_KEYS))
        if (wrong := clash(spec)) is not None:
            self._refuse((*path, wrong[0]), wrong[1], wrong[2])
        if spec.map is not None:
            self._keep_inside((*path, "map"), spec.map)
            levels = read_hierarchy(map_path(spec, Path(self._name))).levels
            if spec.level is None and levels > 1:
                self._refuse(
                    (*path, "map"), f"a hierarchy of {levels} levels", "level, which of them"
                )
            if spec.level is not None and spec.level > levels:
                actual = f"level {spec.level} of a hierarchy of {levels}"
                self._refuse((*path, "level"), actual, f"a level from 0 to {levels}")
        return spec

    def _keep_inside(self, path: tuple[str, ...], file: str | None) -> None:
        """Refuse a file outside of the codebook's folder, be it by a link."""
        if file is None or self._anywhere:
            return
        folder = os.path.realpath(Path(self._name).parent)
        try:
            inside = Path(os.path.realpath(Path(folder, file))).is_relative_to(folder)
        except (OSError, ValueError):  # a NUL in it, or links in a circle: whoever opens it says so
            return
        if not inside:
            actual = f"{path[-1]}: a file outside of the folder of the codebook"
            remedy = "if you trust the codebook, say `anywhere=True`"
            self._refuse(path, actual, "a file in that folder or below", remedy)

    def _values(
        self, path: tuple[str, ...], table: Mapping[str, Any], keys: Mapping[str, Value]
    ) -> dict[str, Any]:
        made = {}
        for key, value in table.items():
            if key not in keys and isinstance(value, dict) and len(path) == 2:
                remedy = f'a name with a dot stands in quotes: [columns."{path[1]}.{key}"]'
                self._refuse((*path, key), "a table in a column's", "keys of the column", remedy)
            if key not in keys:
                self._unknown((*path, key), "key", keys)
            try:
                made[key] = keys[key].read(value)
            except ValueError:
                text = value if isinstance(value, str) else ""
                remedy = meant(text, keys[key].words)
                self._refuse((*path, key), value_in_words(value), keys[key].expected, remedy)
        return made

    def _table(self, path: tuple[str, ...], value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            expected = f"a table: [{path[0]}{'.NAME' if path[1:] else ''}]"
            self._refuse(path, value_in_words(value), expected)
        return value

    def _unknown(self, path: tuple[str, ...], what: str, known: Iterable[str]) -> NoReturn:
        remedy = meant(path[-1].replace("_", "-"), known)
        self._refuse(path, f"an unknown {what}", f"one of the {what}s {', '.join(known)}", remedy)

    def _refuse(
        self, path: tuple[str, ...], found: str, expected: str, remedy: str = ""
    ) -> NoReturn:
        # The keys as the file has them: [columns.age] role
        table = path[:2] if path[0] == "columns" else path[:1]
        header = ".".join([table[0], *(shown_name(name)[1:-1] for name in table[1:])])
        where = " ".join([f"[{header}]", *path[len(table) :]])
        line, remedy = line_of(self._text, path), remedy or "correct the codebook"
        raise DataError(Problem(self._name, f"{found} ({where})", expected, remedy, line))


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """Return the line, from 1, of a key of TOML, or else of the table nearest to it.

    None: there is neither.

    It is the line with which the text, read so far, first has the key. ``path`` : the keys from the
    outermost on: ``("columns", "age", "role")``
    """
    lines = text.replace("\r\n", "\n").split("\n")

    def has(count: int) -> bool:
        """Whether so many lines, and those that end what they begin, have the key."""
        content: Any = {}
        for end in range(count, len(lines) + 1):
            with contextlib.suppress(ValueError):
                content = tomllib.loads("\n".join(lines[:end]))
                break
        for key in path:
            content = content.get(key) if isinstance(content, dict) else None
        return content is not None

    while path and not has(len(lines)):
        path = path[:-1]
    return bisect.bisect_left(range(len(lines)), True, key=has) if path else None


_NO_COMMENTS: Mapping[str, Sequence[str]] = MappingProxyType({})


def toml_text(
    codebook: Codebook,
    comments: Mapping[str, Sequence[str]] = _NO_COMMENTS,
    *,
    opening: Sequence[str] = (),
    closing: Sequence[str] = (),
) -> str:
    """Return a codebook as TOML, which :mod:`ratingpriv.data.codebook.files.toml_file`
    reads to the same.

    ``comments`` are lines for columns, by name or pattern, which stand under the column's header; a
    column that has nothing else is written too. ``opening`` and ``closing`` are comments at the
    ends of the file.
    """
    import tomlkit

    document = tomlkit.document()
    for line in opening:
        document.add(tomlkit.comment(printable(line)))
    content = {**codebook.data, **({"missing": codebook.missing} if codebook.missing else {})}
    if content:
        document.add(
            "data", _table({key: _value(content[key]) for key in DATA_KEYS if key in content})
        )
    names = list(dict.fromkeys((*codebook.columns, *comments)))
    if names:
        document.add("columns", _columns(codebook, names, comments))
    if codebook.run is not None:
        run = {key: _value(codebook.run[key]) for key in RUN_KEYS if key in codebook.run}
        document.add("run", _table(run))
    for command, options in codebook.commands.items():
        document.add(command, _table({key: _value(value) for key, value in options.items()}))
    text = tomlkit.dumps(document).strip("\n") + "\n"
    if closing:
        text += "\n" + "".join(f"# {printable(line)}".rstrip() + "\n" for line in closing)
    return _escaped(text)


def _columns(
    codebook: Codebook, names: Iterable[str], comments: Mapping[str, Sequence[str]]
) -> Table:
    """Return a table of the columns' own tables."""
    import tomlkit

    columns = tomlkit.table(is_super_table=True)
    for name in names:
        spec = codebook.columns.get(name)
        given = {} if spec is None else dict(spec.said())
        values = {key: _value(given[key]) for key in COLUMN_KEYS if key in given}
        columns.append(tomlkit.key(name), _table(values, comments.get(name, ())))
    return columns


def _escaped(text: str) -> str:
    """Return a text whose signs that cannot be printed are written as TOML escapes them."""
    codes = {sign: ord(sign) for sign in set(text) if not (sign.isprintable() or sign in "\n\t")}
    escaped = {
        code: f"\\u{code:04X}" if code < 1 << 16 else f"\\U{code:08X}" for code in codes.values()
    }
    return text.translate(escaped)


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
        array.extend([_value(element) for element in value])
        return array.multiline(len(array) > 8)
    return value

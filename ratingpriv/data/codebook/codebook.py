"""A codebook: roles, scales, rules and recodes of columns by name or pattern,
and options of commands.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import decimal_number
from ratingpriv.data.codebook.roles import RECODES, ColumnSpec, clash


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """What is said of the columns of a data set.

    Attributes
    ----------
    columns : what is said, by a column's name or a pattern (``Q2_*``), in the file's order
    missing : texts that mean unanswered in every column, beside the usual ones
    data : further words of ``[data]`` (``path``, ``format``, ``layout``, ``sheet``, ``attributes``,
        ...)
    commands : options of commands, by the command's name: ``{"audit": {"k": 5}}``
    run : what ``[run]`` says of the steps of a run; None: there is no such table
    place : the file that was read, against which its paths (``path``, ``map``) are taken
    sha256 : of the file's bytes, hexadecimal
    """

    columns: Mapping[str, ColumnSpec] = field(default_factory=lambda: MappingProxyType({}))
    missing: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    run: Mapping[str, Any] | None = None
    place: Path | None = None
    sha256: str | None = None

    def spec_of(self, name: str) -> ColumnSpec:
        """Return all that is said of a column; ParameterError where it does not fit together.

        Its exact name beats a pattern: what it does not say is the patterns', unless they give
        another role and so are not about it.
        """
        if not self.columns:  # many issues may be asked for
            return ColumnSpec()
        exact = self.columns.get(name, ColumnSpec())
        merged, by = exact, ""
        for pattern, spec in self.columns.items():
            if pattern == name or not matches(name, pattern):
                continue
            if exact.role is not None and spec.role not in (None, exact.role):
                continue
            for key, value in spec.said():
                found = getattr(merged, key)
                if found in (None, ()):
                    merged = dataclasses.replace(merged, **{key: value})
                elif getattr(exact, key) in (None, ()) and found != value:
                    raise ParameterError(
                        "codebook",
                        f"{key} of column {name!r} by two patterns, {by!r} and {pattern!r}",
                        "one that says it",
                        f"give column {name!r} lines of its own",
                    )
            by = by or pattern
        wrong = clash(merged)
        if wrong is None and merged.role is None:
            keys = [key for key, _ in merged.said() if key not in ("missing", "labels", "scale")]
            if keys:
                wrong = (
                    keys[0],
                    f"{keys[0]} of a column without a role",
                    'a role, such as role = "quasi"',
                )
        if wrong is not None:
            raise ParameterError("codebook", f"{wrong[1]}, {name!r}", wrong[2])
        return merged

    def files(self) -> list[Path]:
        """Return the further files that are read with it: hierarchies and attributes of records."""
        named = [spec.map for spec in self.columns.values() if spec.map is not None]
        named += [self.data["attributes"]] if "attributes" in self.data else []
        return [self.beside(name) for name in named]

    def beside(self, name: str) -> Path:
        """Return the path of a file that it names: a relative one is taken from its own folder."""
        return Path(name) if self.place is None else self.place.parent / name

    def of_release(self) -> Codebook:
        """Return what is said of a release's columns: identifiers are gone,
        and recodes have taken place.
        """
        none: dict[str, Any] = {**dict.fromkeys(RECODES), "bands": ()}
        columns = {
            name: dataclasses.replace(spec, **none)
            for name, spec in self.columns.items()
            if spec.role not in ("identifier", "drop")
        }
        gone = ("path", "format", "keep", "drop", "sheet", "attributes")
        data = {key: value for key, value in self.data.items() if key not in gone}
        return dataclasses.replace(self, columns=columns, data=data)


def is_pattern(name: str) -> bool:
    """Whether a name is one of many columns: it has ``*``, ``?`` or ``[``."""
    return any(sign in name for sign in "*?[")


def matches(name: str, pattern: str) -> bool:
    """Whether a column's name is that of a pattern, or fits it; upper and lower case count."""
    return name == pattern or (is_pattern(pattern) and fnmatch.fnmatchcase(name, pattern))


def quasi_rule(text: str) -> tuple[str, float | None]:
    """Return the column and its tolerance of ``NAME`` or ``NAME=WITHIN``.

    None: records must be equal.
    """
    name, equals, written = text.rpartition("=")
    if not equals or not name:
        return text, None
    try:
        within = decimal_number(written)
    except ValueError:
        return text, None
    if within < 0:
        raise ParameterError("quasi", text, "NAME, or NAME=WITHIN with a number >= 0")
    return name, within

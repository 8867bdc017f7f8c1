"""Which column has which role, by what was said of it: by an option, a codebook, the format, or its name."""

from __future__ import annotations

import dataclasses
import difflib
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ratingpriv.codebook.codebook import Codebook
from ratingpriv.codebook.roles import ColumnSpec
from ratingpriv.errors import DataError, ParameterError, Problem
from ratingpriv.escaping import shown_name
from ratingpriv.numbers import decimal_number
from ratingpriv.table.building.finishing import issue_roles
from ratingpriv.table.building.problems import Problems, listed_names, missing_column

__all__ = ["RECORD_NAMES", "Decided", "decided", "recognise", "resolve"]

# Compared without regard to case, spaces, dots, dashes and underscores: "userId" and "User_ID" are one name.
RECORD_NAMES = (
    "record", "recordid", "respondent", "respondentid", "participant", "participantid", "subject",
    "subjectid", "user", "userid", "customer", "customerid", "person", "personid", "reviewer", "reviewerid",
    "rater", "raterid", "caseid", "uid", "id",
)  # fmt: skip
"""Names of a column of record ids, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What was said of the columns of a wide table.

    Attributes
    ----------
    id : the column of record ids; None: rows are numbered
    specs : what is said of every column, by its name, in the data's order; its role is None where nothing is
    unwanted : columns that a projection leaves out, which are no issues that somebody dropped by name
    sensitive : names of the sensitive columns, in the order in which they were named
    """

    id: str | None
    specs: Mapping[str, ColumnSpec]
    unwanted: frozenset[str]
    sensitive: tuple[str, ...]

    def role(self, name: str) -> str | None:
        """Return the role that was said of a column."""
        return "id" if name == self.id else "drop" if name in self.unwanted else self.specs[name].role


def recognise(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column that goes by one of ``names`` (the earliest of them that occurs), or None."""
    known = {_plain(column): column for column in reversed(columns)}
    return next((known[name] for name in names if name in known), None)


def resolve(columns: Sequence[str], spec: str, *, parameter: str, file: str) -> str:
    """Return the column that ``spec`` means: a name as it stands in the data, else a 1-based number.

    Raises
    ------
    DataError
        There is no such column; the message lists the columns and names ``parameter`` (e.g. `` `id` ``).
    """
    if spec in columns:
        return spec
    number = spec.isascii() and spec.isdecimal() and len(spec) < 10  # other scripts' digits are names
    if number and 1 <= int(spec) <= len(columns):
        return columns[int(spec) - 1]
    near = difflib.get_close_matches(spec, columns, n=1)
    raise DataError(
        Problem(
            file,
            f"no column {spec!r}",
            f"one of the columns {listed_names(columns)}" + (" or its number" if number else ""),
            f"did you mean {shown_name(near[0])}?" if near else f"check {parameter}",
        )
    )


def decided(
    names: Sequence[str],
    options: Any,
    *,
    file: str,
    known: Mapping[str, str] = MappingProxyType({}),
    unnamed_ids: bool = True,
) -> Decided:
    """Return what was said of each column of a wide table: options beat the codebook, and that the format.

    Parameters
    ----------
    names : all columns, in the data's order
    options : the ReadOptions
    file : how messages call the data
    known : roles that the format is sure of, by name
    unnamed_ids : whether an unnamed first column holds the names of the rows, as pandas and R write them

    Raises
    ------
    DataError
        A column is named that is not there, a pattern matches none, or a name is there twice.
    ParameterError
        Two options give a column two roles.
    """
    flags = _flags(names, options, file)
    codebook = getattr(options, "codebook", None) or Codebook()
    said = {name: _spec(codebook, name) for name in names}
    _refuse_unknown(codebook, names, file)
    specs = {}
    for name in names:
        spec = said[name]
        if name in flags:
            spec = dataclasses.replace(spec, **flags[name])
        elif spec.role is None and name in known:
            spec = dataclasses.replace(spec, role=known[name])
        specs[name] = spec
    by_id = _id_column(names, options, specs, known, file, unnamed_ids=unnamed_ids)
    if options.id is not None and by_id in flags:
        role = str(flags[by_id]["role"])
        expected = "a column other than the one of record ids (`id`)"
        raise ParameterError("ratings" if role == "rating" else role, by_id, expected)
    issues = [name for name in names if name != by_id]
    problems = Problems()
    only = tuple(options.only)
    for name in only:
        if name not in issues:
            problems.add(missing_column(name, "kept", issues, file))
    keep = _matched(tuple(getattr(options, "keep", ())), names, "kept", file, problems)
    problems.raise_if_any()
    unwanted = set()
    if only or keep:
        stay = {*only, *keep, *(name for name in flags if flags[name]["role"] != "rating")}
        beside = ("sensitive", "quasi", "carry", "identifier", "drop", "id")
        unwanted = {name for name in issues if name not in stay and specs[name].role not in beside}
    sensitive = [name for name in options.sensitive if specs[name].role == "sensitive"]
    sensitive += [name for name in issues if specs[name].role == "sensitive" and name not in sensitive]
    roles = {name: "drop" if name in unwanted else specs[name].role for name in issues}
    others = [name for name in issues if roles[name] not in (None, "rating", "sensitive")]
    bare = "quasi" in roles.values()
    issue_roles(issues, [n for n in sensitive if roles[n] == "sensitive"], others, file, bare=bare)
    return Decided(by_id, specs, frozenset(unwanted), tuple(dict.fromkeys(sensitive)))


def _flags(names: Sequence[str], options: Any, file: str) -> dict[str, dict[str, Any]]:
    """Return what options say of columns: the role, and the tolerance of a quasi-identifier."""
    problems = Problems()
    there = set(names)
    exact: dict[str, dict[str, Any]] = {}
    by_option: dict[str, str] = {}

    def say(option: str, name: str, role: str, **more: Any) -> None:
        if name in exact and exact[name]["role"] != role:
            other = "an issue that is not dropped" if option == "drop" else f"a column without `{option}`"
            raise ParameterError(by_option[name], name, other, "name it in one of the two")
        exact[name] = {"role": role, **more}
        by_option[name] = option

    lists = (
        ("sensitive", "sensitive"),
        ("identifier", "identifier"),
        ("carry", "carry"),
        ("ratings", "rating"),
    )
    words = {"ratings": "a rating", "carry": "carried", "identifier": "an identifier"}
    for option, role in lists:
        for name in getattr(options, option, ()):
            if name in there:
                say(option, name, role)
            else:
                problems.add(missing_column(name, words.get(option, option), names, file))
    for entry in getattr(options, "quasi", ()):
        name, more = _quasi(entry, there)
        if name in there:
            say("quasi", name, "quasi", **more)
        else:
            problems.add(missing_column(name, "a quasi-identifier", names, file))
    flags: dict[str, dict[str, Any]] = {}
    for pattern in options.drop:
        if pattern in there:
            say("drop", pattern, "drop")
            continue
        matched = [name for name in names if fnmatch.fnmatchcase(name, pattern)]
        if not matched:
            problems.add(missing_column(pattern, "dropped", names, file))
        flags.update({name: {"role": "drop"} for name in matched})
    problems.raise_if_any()
    return {**flags, **exact}


def _quasi(entry: str, names: set[str]) -> tuple[str, dict[str, Any]]:
    """Return (name, its tolerance) of ``NAME`` or ``NAME=WITHIN``; a name that is there may hold a ``=``."""
    if entry in names or "=" not in entry:
        return entry, {}
    name, _, within = entry.rpartition("=")
    expected = "NAME, or NAME=WITHIN with a number of at least 0"
    try:
        number = decimal_number(within)
    except ValueError:
        raise ParameterError("quasi", entry, expected) from None
    if number < 0:
        raise ParameterError("quasi", entry, expected)
    return name, {"within": number}


def _matched(
    patterns: Sequence[str], names: Sequence[str], role: str, file: str, problems: Problems
) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        matched = [pattern] if pattern in names else [n for n in names if fnmatch.fnmatchcase(n, pattern)]
        if not matched:
            problems.add(missing_column(pattern, role, names, file))
        found.update(matched)
    return found


def _spec(codebook: Codebook, name: str) -> ColumnSpec:
    return codebook.columns.get(name) or ColumnSpec()


def _refuse_unknown(codebook: Codebook, names: Sequence[str], file: str) -> None:
    """Refuse names and patterns of a codebook that no column goes by."""
    there, problems = set(names), Problems()
    for entry, spec in codebook.columns.items():
        if entry not in there and not any(fnmatch.fnmatchcase(name, entry) for name in names):
            role = f"of role {spec.role}" if spec.role else "in the codebook"
            problems.add(missing_column(entry, role, names, file))
    problems.raise_if_any()


def _id_column(
    names: Sequence[str],
    options: Any,
    specs: Mapping[str, ColumnSpec],
    known: Mapping[str, str],
    file: str,
    *,
    unnamed_ids: bool,
) -> str | None:
    if options.id is not None:
        return resolve(names, options.id, parameter="`id`", file=file)
    said = [name for name in names if specs[name].role == "id"]
    if len(said) > 1:
        found = f"two columns of record ids: {shown_name(said[0])} and {shown_name(said[1])}"
        raise DataError(Problem(file, found, "one column of role id", "name one with `id`"))
    if said:
        return said[0]
    taken = set(options.only)
    free = [name for name in names if specs[name].role is None and name not in taken]
    if unnamed_ids and free and not names[0] and free[0] == "":
        return recognise(free[1:], ("id", *RECORD_NAMES)) or ""
    return recognise(free, ("id", *RECORD_NAMES))


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character not in " ._-\t")

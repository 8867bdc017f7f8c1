"""Which column has which role, by what was said of it: by an option, a codebook, the format, or its name."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.codebook import Codebook, matches, quasi_rule
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.recognition.identifiers import COLUMNS
from ratingpriv.data.codebook.roles import ROLES, ColumnSpec
from ratingpriv.data.table.building.finishing import issue_roles
from ratingpriv.data.table.building.problems import Problems, listed_names, missing_column

RECORD_NAMES = COLUMNS["record"]
"""Names of a column of record ids, the likeliest first."""

_OPTIONS = {role: "ratings" if role == "rating" else role for role in ROLES}


@dataclass(frozen=True, slots=True)
class Decided:
    """What was said of the columns of a wide table.

    Attributes
    ----------
    id : the column of record ids; None: rows are numbered
    specs : by a column's name, in the data's order; its role is None where nothing is said
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

    def with_role(self, role: str, names: Iterable[str]) -> Decided:
        """Return it with a role for columns of which none was said."""
        more = {name: dataclasses.replace(self.specs[name], role=role) for name in names}
        return dataclasses.replace(self, specs={**self.specs, **more})


def recognise(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column that goes by one of ``names`` (the earliest of them that occurs), or None."""
    known = {re.sub(r"[ ._\-\t]", "", column.lower()): column for column in reversed(columns)}
    return next((known[name] for name in names if name in known), None)


def resolve(columns: Sequence[str], spec: str, *, parameter: str, file: str) -> str:
    """Return the column that ``spec`` means: a name as it stands in the data, else a 1-based number.

    DataError where there is none, which names ``parameter`` (e.g. `` `id` ``).
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
    options: ReadOptions,
    *,
    file: str,
    known: Mapping[str, str] = MappingProxyType({}),
    unnamed_ids: bool = True,
    bare: bool = False,
) -> Decided:
    """Return what was said of each column of a wide table: options beat the codebook, and that the format.

    ``known`` are the roles that the format is sure of. ``unnamed_ids`` : whether an unnamed first column
    holds the names of the rows, as pandas and R write them. ``bare`` : columns of which none can be an issue
    will do.
    """
    flags = _flags(names, options, file)
    codebook, problems = (options.codebook or Codebook()).effective(options), Problems()
    columns = dict.fromkeys(names)
    for entry, spec in codebook.columns.items():
        if not _matching(entry, columns):
            called = f"of role {spec.role}" if spec.role else "in the codebook"
            problems.add(missing_column(entry, called, names, file))
    problems.raise_if_any()
    specs = {}
    for name in names:
        spec = codebook.spec_of(name)
        role = flags.get(name, spec.role or known.get(name))
        specs[name] = spec if role == spec.role else dataclasses.replace(spec, role=role)
    by_id = _id_column(names, options, specs, file, unnamed_ids=unnamed_ids)
    if options.id is not None and by_id in flags:
        role = flags[by_id]
        expected = "a column other than the one of record ids (`id`)"
        raise ParameterError(_OPTIONS[role], by_id, expected)
    issues = [name for name in names if name != by_id]
    for name in options.only:
        if name not in issues:
            problems.add(missing_column(name, "kept", issues, file))
    keep = {pattern: _matching(pattern, columns) for pattern in options.keep}
    for pattern, matched in keep.items():
        if not matched:
            problems.add(missing_column(pattern, "kept", names, file))
    problems.raise_if_any()
    unwanted = set()
    if options.only or keep:
        stay = {*options.only, *(name for matched in keep.values() for name in matched)}
        stay |= {name for name, role in flags.items() if role != "rating"}
        beside = ("sensitive", "quasi", "carry", "identifier", "drop", "id")
        unwanted = {name for name in issues if name not in stay and specs[name].role not in beside}
    sensitive = [name for name in options.sensitive if specs[name].role == "sensitive"]
    sensitive += [name for name in issues if specs[name].role == "sensitive" and name not in sensitive]
    roles = {name: "drop" if name in unwanted else specs[name].role for name in issues}
    others = [name for name in issues if roles[name] not in (None, "rating", "sensitive")]
    bare = bare or "quasi" in roles.values()
    issue_roles(issues, [n for n in sensitive if roles[n] == "sensitive"], others, file, bare=bare)
    return Decided(by_id, specs, frozenset(unwanted), tuple(dict.fromkeys(sensitive)))


def wanted(names: Sequence[str], options: ReadOptions, *, file: str = "table") -> dict[str, str | None]:
    """Return the role of each column as far as names alone say it; None: it has to be looked at.

    Columns of the roles "identifier" and "drop" (those that a projection leaves out are dropped) need not be
    parsed: a loader leaves them out of ``RawData.read`` and names them in ``RawData.unread``.
    """
    said = decided(names, options, file=file)
    return {name: said.role(name) for name in names}


def _flags(names: Sequence[str], options: ReadOptions, file: str) -> dict[str, str]:
    problems = Problems()
    columns = dict.fromkeys(names)
    exact: dict[str, str] = {}
    by_pattern: dict[str, str] = {}
    lists = (
        ("sensitive", "sensitive", options.sensitive),
        ("identifier", "an identifier", options.identifier),
        ("carry", "carried", options.carry),
        ("rating", "a rating", options.ratings),
        ("quasi", "a quasi-identifier", [quasi_rule(text)[0] for text in options.quasi]),
    )
    for role, called, listed in lists:
        for name in listed:
            if name not in columns:
                problems.add(missing_column(name, called, names, file))
            exact[name] = role
    for pattern in dict.fromkeys(options.drop):
        if pattern in exact and pattern in columns:
            expected = "an issue that is not dropped"
            raise ParameterError(_OPTIONS[exact[pattern]], pattern, expected, "name it in one of the two")
        if not (matched := _matching(pattern, columns)):
            problems.add(missing_column(pattern, "dropped", names, file))
        (exact if pattern in columns else by_pattern).update(dict.fromkeys(matched, "drop"))
    problems.raise_if_any()
    return {**by_pattern, **exact}


def _matching(entry: str, names: Mapping[str, None]) -> list[str]:
    """Return the columns that a name or a pattern means; a column called as the pattern is it alone."""
    return [entry] if entry in names else [name for name in names if matches(name, entry)]


def _id_column(
    names: Sequence[str],
    options: ReadOptions,
    specs: Mapping[str, ColumnSpec],
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
    free = [name for name in names if specs[name].role is None and name not in set(options.only)]
    unnamed = unnamed_ids and bool(free) and names[0] == free[0] == ""
    return recognise(free[unnamed:], ("id", *RECORD_NAMES)) or ("" if unnamed else None)

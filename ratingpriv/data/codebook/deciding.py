"""Which column has which role, by what was said of it: by an option, a codebook, the format,
or its name.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.codebook import Codebook, matches
from ratingpriv.data.codebook.merging import effective
from ratingpriv.data.codebook.options import ReadOptions, roles_said
from ratingpriv.data.codebook.recognition.identifiers import COLUMNS
from ratingpriv.data.codebook.recognition.one_person import may_be_of_one_person
from ratingpriv.data.codebook.roles import ROLES, ColumnSpec
from ratingpriv.data.table.building.finishing import issue_roles
from ratingpriv.data.table.building.problems import Problems, listed_names, missing_column

RECORD_NAMES = COLUMNS["record"]
"""Names of a column of record ids, the likeliest first."""

_OPTIONS = {role: "ratings" if role == "rating" else role for role in ROLES}
_CALLED = {
    "sensitive": "sensitive",
    "identifier": "an identifier",
    "carry": "carried",
    "rating": "a rating",
    "quasi": "a quasi-identifier",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What was said of the columns of a wide table.

    Attributes
    ----------
    id : the column of record ids; None: rows are numbered
    specs : by a column's name, in the data's order; its role is None where nothing is said
    unwanted : columns that a projection leaves out, which are no issues that somebody dropped by
        name
    sensitive : names of the sensitive columns, in the order in which they were named
    """

    id: str | None
    specs: Mapping[str, ColumnSpec]
    unwanted: frozenset[str]
    sensitive: tuple[str, ...]

    def role(self, name: str) -> str | None:
        """Return the role that was said of a column."""
        return (
            "id" if name == self.id else "drop" if name in self.unwanted else self.specs[name].role
        )

    def with_role(self, role: str, names: Iterable[str]) -> Decided:
        """Return it with a role for columns of which none was said."""
        more = {name: dataclasses.replace(self.specs[name], role=role) for name in names}
        return dataclasses.replace(self, specs={**self.specs, **more})


def recognise(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the column that goes by one of ``names`` (the earliest of them that occurs),
    or None.
    """
    by_plain_name = {
        re.sub(r"[ ._\-\t]", "", column.lower()): column for column in reversed(columns)
    }
    return next((by_plain_name[name] for name in names if name in by_plain_name), None)


def resolve(columns: Sequence[str], spec: str, *, parameter: str, file: str) -> str:
    """Return the column that ``spec`` means: a name as it stands in the data,
    else a 1-based number.

    DataError where there is none, which names ``parameter`` (e.g. `` `id` ``).
    """
    if spec in columns:
        return spec
    # other scripts' digits are names
    number = spec.isascii() and spec.isdecimal() and len(spec) < 10
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
    bare: bool = False,
) -> Decided:
    """Return what was said of each column of a wide table: options beat the codebook,
    and that the format.

    ``known`` are the roles that the format is sure of. ``bare`` : columns of which none can be an
    issue will do.
    """
    meant = _Meant(names, file)
    flags = _flags(meant, options)
    specs = _specs(meant, options, flags, known)
    by_id = _id_column(names, options, specs, file)
    if options.id is not None and by_id in flags:
        expected = "a column other than the one of record ids (`id`)"
        raise ParameterError(_OPTIONS[flags[by_id]], by_id, expected)
    issues = [name for name in names if name != by_id]
    stay = _kept(meant, options, issues)
    unwanted = frozenset(
        n for n in issues if stay and n not in stay and specs[n].role in (None, "rating")
    )
    roles = {name: "drop" if name in unwanted else specs[name].role for name in issues}
    sensitive = dict.fromkeys((*options.sensitive, *issues))
    secret = [name for name in sensitive if roles.get(name) == "sensitive"]
    others = [name for name in issues if roles[name] not in (None, "rating", "sensitive")]
    issue_roles(issues, secret, others, file, bare=bare or "quasi" in roles.values())
    return Decided(by_id, specs, unwanted, tuple(secret))


class _Meant:
    """What names and patterns of options and codebook mean.

    A problem for each that means no column.
    """

    def __init__(self, names: Sequence[str], file: str) -> None:
        self.names, self.columns, self._file = names, frozenset(names), file
        self.problems = Problems()

    def by(self, entry: str, role: str) -> list[str]:
        """Return the columns that a name or a pattern means.

        One called as the pattern is it alone.
        """
        is_name = entry in self.columns
        matched = [entry] if is_name else [name for name in self.names if matches(name, entry)]
        if not matched:
            self.missing(entry, role, self.names)
        return matched

    def missing(self, entry: str, role: str, among: Sequence[str]) -> None:
        """Note that a name is that of no column."""
        self.problems.add(missing_column(entry, role, among, self._file))


def _flags(meant: _Meant, options: ReadOptions) -> dict[str, str]:
    """Return the roles that options say of columns; ParameterError where they say two of one."""
    flags = {name: str(spec.role) for name, spec in roles_said(options).items()}
    for name in flags:
        if name not in meant.columns:
            meant.missing(name, _CALLED[flags[name]], meant.names)
    for pattern in dict.fromkeys(options.drop):
        if pattern in meant.columns and flags.get(pattern, "drop") != "drop":
            expected = "an item that is not dropped"
            raise ParameterError(
                _OPTIONS[flags[pattern]], pattern, expected, "name it in one of the two"
            )
        dropped = meant.by(pattern, "dropped")
        flags = dict.fromkeys(dropped, "drop") | flags  # one of them may have another role
    meant.problems.raise_if_any()
    return flags


def _specs(
    meant: _Meant, options: ReadOptions, flags: Mapping[str, str], known: Mapping[str, str]
) -> dict[str, ColumnSpec]:
    """Return what options, the codebook and the format say of each column."""
    codebook = effective(options.codebook or Codebook(), options)
    for entry, spec in codebook.columns.items():
        meant.by(entry, f"of role {spec.role}" if spec.role else "in the codebook")
    meant.problems.raise_if_any()
    specs = {name: codebook.spec_of(name) for name in meant.names}
    for name, spec in specs.items():
        role = flags.get(name, spec.role or known.get(name))
        specs[name] = spec if role == spec.role else dataclasses.replace(spec, role=role)
    return specs


def _kept(meant: _Meant, options: ReadOptions, issues: Sequence[str]) -> set[str]:
    """Return the columns that options keep; none: all."""
    for name in options.only:
        if name not in issues:
            meant.missing(name, "kept", issues)
    names_kept = {
        *options.only,
        *(name for pattern in options.keep for name in meant.by(pattern, "kept")),
    }
    meant.problems.raise_if_any()
    return names_kept


def wanted(
    names: Sequence[str], options: ReadOptions, *, file: str = "table", look: bool = False
) -> dict[str, str | None]:
    """Return the role of each column as far as names alone say it; None: it has to be looked at.

    Columns of the roles "identifier" and "drop" (those that a projection leaves out are dropped)
    need not be parsed: a loader leaves them out of ``RawData.read`` and names them in
    ``RawData.unread``. What somebody has dropped and is called like an identifier of persons counts
    as one here: whether records share it is looked at all the same. So does all that somebody has
    dropped, if the loader can ``look`` at it.
    """
    specs = decided(names, options, file=file)
    roles = {name: specs.role(name) for name in names}
    dropped = (
        name for name in names if specs.specs[name].role == "drop" and name not in specs.unwanted
    )
    return roles | {name: "identifier" for name in dropped if look or may_be_of_one_person(name)}


def _id_column(
    names: Sequence[str],
    options: ReadOptions,
    specs: Mapping[str, ColumnSpec],
    file: str,
) -> str | None:
    if options.id is not None:
        return resolve(names, options.id, parameter="`id`", file=file)
    id_names = [name for name in names if specs[name].role == "id"]
    if len(id_names) > 1:
        actual = (
            f"two columns of record ids: {shown_name(id_names[0])} and {shown_name(id_names[1])}"
        )
        raise DataError(Problem(file, actual, "one column of role id", "name one with `id`"))
    if id_names:
        return id_names[0]
    free = [name for name in names if specs[name].role is None and name not in set(options.only)]
    # the names of rows, as pandas and R write them
    unnamed = bool(free) and names[0] == free[0] == ""
    return recognise(free[unnamed:], ("id", *RECORD_NAMES)) or ("" if unnamed else None)

"""What a codebook and options say of the columns and issues of a long layout (a row a rating)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.codebook.codebook import Codebook, matches
from ratingpriv.data.codebook.roles import ColumnSpec
from ratingpriv.data.formats import column_names
from ratingpriv.data.formats.column_names import LongColumns
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table.building.problems import missing_column
from ratingpriv.data.table.parts import Roles

_OF_RECORDS = ("quasi", "carry")


@dataclass(frozen=True, slots=True)
class LongRoles:
    """What is said of a long layout, before its issues are known.

    ``columns`` : which column is which. ``rating`` : what the codebook says of the column of ratings: labels,
    missing texts, scale. ``options`` : with what the codebook says of columns.
    """

    columns: LongColumns
    rating: ColumnSpec
    options: ReadOptions
    names: tuple[str, ...]
    file: str

    @property
    def roles(self) -> Roles | None:
        """The roles of the columns; None where nobody was asked what they are."""
        options, codebook = self.options, self.options.codebook
        if codebook is None and not options.identifier:
            return None
        own = {self.columns.record: "id", self.columns.rating: "rating"}
        said = [
            (name, own.get(name) or ("identifier" if _identifier(name, options) else "drop"))
            for name in self.names
            if name in own or name in self.columns.dropped
        ]
        return Roles(tuple(said), None if codebook is None else codebook.sha256)

    def issues(self, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...] | None]:
        """Return the issues that are sensitive, those that are dropped, and those that are kept (None: all).

        DataError where an option or the codebook names issues, or a pattern of them, that are not there; a
        role that only an attribute of a record can have; labels, recodes or a scale of one issue.
        """
        options, problems, every = self.options, [], [*self.names, *names]
        issues, unwanted = set(names), (*options.drop, *options.identifier)
        sensitive, drop = dict.fromkeys(options.sensitive), dict.fromkeys(options.drop)
        for pattern in unwanted:
            if pattern not in issues:
                drop.update(dict.fromkeys(name for name in names if matches(name, pattern)))
        drop.update(dict.fromkeys(name for name in options.identifier if name in issues))
        codebook = options.codebook or Codebook()
        of_nothing = [
            entry
            for entry in codebook.columns
            if not (entry in issues or entry in self.names or any(matches(name, entry) for name in names))
        ]
        problems += [missing_column(entry, "in the codebook", every, self.file) for entry in of_nothing]
        for name in names:
            spec = codebook.spec_of(name)
            if name in sensitive or name in drop or spec == ColumnSpec():
                continue
            if spec.role in ("drop", "identifier"):
                drop[name] = None
            elif spec.role == "sensitive" and spec.kind != "nominal":
                sensitive[name] = None
            said = {"labels": spec.labels, "missing": spec.missing, "scale": spec.scale}
            odd = [key for key, value in said.items() if value not in (None, ())]
            if spec.role in ("id", *_OF_RECORDS) or spec.kind == "nominal" or spec.recodes or odd:
                what = odd[0] if odd else "a recode" if spec.recodes else f"the role {spec.kind or spec.role}"
                found = f"{what} of the issue {shown_name(name)} in a codebook"
                remedy = "say it of the column of ratings, or write the data wide"
                expected = "of an issue of a long layout, the role rating, sensitive, identifier or drop"
                problems.append(Problem(self.file, found, expected, remedy))
        selection = None
        if options.keep:
            matched = {one: [name for name in names if matches(name, one)] for one in options.keep}
            problems += [missing_column(one, "kept", names, self.file) for one in matched if not matched[one]]
            wanted = set().union(*matched.values()).difference(sensitive)
            selection = tuple(name for name in names if name in wanted)
        for pattern in unwanted:
            if pattern not in issues and not any(matches(name, pattern) for name in every):
                problems.append(missing_column(pattern, "dropped", every, self.file))
        if problems:
            raise DataError(problems)
        of_issues = (name for name in drop if name in issues or name in self.columns.dropped)
        return tuple(sensitive), tuple(of_issues), selection


def long_roles(names: Sequence[str], options: ReadOptions, *, file: str) -> LongRoles:
    """Say which column of a long layout is which, by options, else by a codebook, else by name.

    ParameterError or DataError where one has a role that only an attribute of a record can have.
    """
    for option in _OF_RECORDS:
        named = getattr(options, option)
        if named:
            remedy = "name a file of the records' attributes with `attributes`"
            raise ParameterError(option, ", ".join(named), f"no `{option}` among rows of ratings", remedy)
    codebook = options.codebook or Codebook()
    more: dict[str, Any] = {}
    dropped = [name for name in names if any(matches(name, pattern) for pattern in options.drop)]
    dropped += [name for name in names if _identifier(name, options)]
    for name in names:
        spec = codebook.columns.get(name) or ColumnSpec()
        if spec.role in ("drop", "identifier") and name not in dropped:
            dropped.append(name)
        elif spec.role == "id" and options.id is None:
            more["id"] = name
        elif spec.role == "rating" and options.rating is None and not options.ratings:
            more["rating"] = name
        elif spec.role in ("sensitive", *_OF_RECORDS):
            remedy = "put it into a file of the records' attributes, and name that with `attributes`"
            expected = "of a column beside rows of ratings, the role id, rating, identifier or drop"
            found = f"role {spec.role} of the column {shown_name(name)}"
            raise DataError(Problem(file, found, expected, remedy))
    drop = tuple(dict.fromkeys((*options.drop, *dropped)))
    options = dataclasses.replace(options, **more)
    columns = column_names.long_columns(names, dataclasses.replace(options, drop=drop), file=file)
    rating = codebook.columns.get(columns.rating, ColumnSpec())
    return LongRoles(columns, rating, dataclasses.replace(options, drop=drop), tuple(names), file)


def _identifier(name: str, options: ReadOptions) -> bool:
    if any(matches(name, pattern) for pattern in options.identifier):
        return True
    codebook = options.codebook
    return codebook is not None and (codebook.columns.get(name) or ColumnSpec()).role == "identifier"

"""What a codebook and options say of the columns and issues of a long layout (a row a rating)."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterator, Sequence
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

    ``columns`` : which column is which. ``rating`` : what the codebook says of the column of
    ratings: labels, missing texts, scale. ``options`` : with what the codebook says of columns.
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

    def issues(
        self, names: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...] | None]:
        """Return the issues that are sensitive, those that are dropped,
        and those that are kept (None: all).

        DataError where an option or the codebook names issues, or a pattern of them, that are not
        there; a role that only an attribute of a record can have; labels, recodes or a scale of one
        issue.
        """
        sensitive, drop = dict.fromkeys(self.options.sensitive), self._dropped(names)
        problems = self._without_issue(names)
        for name, spec in self._specs(names):
            if name in sensitive or name in drop:
                continue
            if spec.role in ("drop", "identifier"):
                drop[name] = None
            elif spec.role == "sensitive" and spec.kind != "nominal":
                sensitive[name] = None
            problems += self._refused(name, spec)
        selection, missing = self._kept(names, sensitive)
        problems += missing + self._dropping_nothing(names)
        if problems:
            raise DataError(problems)
        issues = set(names)
        of_issues = (name for name in drop if name in issues or name in self.columns.dropped)
        return tuple(sensitive), tuple(of_issues), selection

    def _dropped(self, names: Sequence[str]) -> dict[str, None]:
        """Return the issues and columns that options drop, in the order of the options."""
        options, issues = self.options, set(names)
        drop = dict.fromkeys(options.drop)
        for pattern in (*options.drop, *options.identifier):
            if pattern not in issues:
                drop.update(dict.fromkeys(name for name in names if matches(name, pattern)))
        drop.update(dict.fromkeys(name for name in options.identifier if name in issues))
        return drop

    def _specs(self, names: Sequence[str]) -> Iterator[tuple[str, ColumnSpec]]:
        """Yield the issues of which the codebook says something, and that."""
        codebook = self.options.codebook or Codebook()
        specs = ((name, codebook.spec_of(name)) for name in names)
        return ((name, spec) for name, spec in specs if spec != ColumnSpec())

    def _without_issue(self, names: Sequence[str]) -> list[Problem]:
        """Return a problem for each entry of the codebook that is neither a column nor an issue."""
        known = {*names, *self.names}
        entries = (self.options.codebook or Codebook()).columns
        missing = [
            e for e in entries if e not in known and not any(matches(name, e) for name in names)
        ]
        return [
            missing_column(entry, "in the codebook", [*self.names, *names], self.file)
            for entry in missing
        ]

    def _refused(self, name: str, spec: ColumnSpec) -> list[Problem]:
        """Return the problem of an issue of which the codebook says what holds for columns only."""
        said = {"labels": spec.labels, "missing": spec.missing, "scale": spec.scale}
        odd = [key for key, value in said.items() if value not in (None, ())]
        role = spec.role in ("id", *_OF_RECORDS) or spec.kind == "nominal"
        if not (role or spec.recodes or odd):
            return []
        what = (
            odd[0] if odd else "a recode" if spec.recodes else f"the role {spec.kind or spec.role}"
        )
        found = f"{what} of the item {shown_name(name)} in a codebook"
        remedy = "say it of the column of ratings, or write the data wide"
        expected = "of an item of a long layout, the role rating, sensitive, identifier or drop"
        return [Problem(self.file, found, expected, remedy)]

    def _kept(
        self, names: Sequence[str], sensitive: Container[str]
    ) -> tuple[tuple[str, ...] | None, list[Problem]]:
        """Return the issues that options keep (None: all),
        and a problem for each pattern that keeps none.
        """
        if not self.options.keep:
            return None, []
        matched = {one: [name for name in names if matches(name, one)] for one in self.options.keep}
        missing = [
            missing_column(one, "kept", names, self.file) for one in matched if not matched[one]
        ]
        wanted = set().union(*matched.values())
        return tuple(name for name in names if name in wanted and name not in sensitive), missing

    def _dropping_nothing(self, names: Sequence[str]) -> list[Problem]:
        """Return a problem for each pattern of an option that drops nothing."""
        every = [*self.names, *names]
        patterns = (*self.options.drop, *self.options.identifier)
        nothing = [
            p for p in patterns if p not in names and not any(matches(name, p) for name in every)
        ]
        return [missing_column(pattern, "dropped", every, self.file) for pattern in nothing]


def long_roles(names: Sequence[str], options: ReadOptions, *, file: str) -> LongRoles:
    """Say which column of a long layout is which, by options, else by a codebook, else by name.

    ParameterError or DataError where one has a role that only an attribute of a record can have.
    """
    for option in _OF_RECORDS:
        named = getattr(options, option)
        if named:
            remedy = "name a file of the records' attributes with `attributes`"
            raise ParameterError(
                option, ", ".join(named), f"no `{option}` among rows of ratings", remedy
            )
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
            remedy = (
                "put it into a file of the records' attributes, and name that with `attributes`"
            )
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
    return (
        codebook is not None and (codebook.columns.get(name) or ColumnSpec()).role == "identifier"
    )

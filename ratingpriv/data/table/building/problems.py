"""What can be wrong with ratings, in words for the user, and the list in which it is collected."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, Problem, ProblemKind
from ratingpriv.base.escaping import looks_like_data, shown_name
from ratingpriv.base.numbers import EXACT, LARGEST, inexact_decimal


class Place(NamedTuple):
    """Where something stands: a line from 1, a column by its name or number; None:
    it has no meaning.
    """

    file: str
    line: int | None = None
    column: str | int | None = None


type _Place = tuple[str, int | None, str | int | None]

Locate = Callable[[int], _Place]
"""Says where the coordinate (or row) with this number, counted from 0, stands in the data: a
Place.
"""


class Problems:
    """Collects what is wrong with a file: counts all by kind,
    and lists the first ``limit`` by line.
    """

    def __init__(self, limit: int = 20) -> None:
        self.limit = limit
        self.total = 0
        self._noted: list[Problem] = []
        self._kinds: dict[tuple[str, ...], ProblemKind] = {}

    def add(self, problem: Problem, times: int = 1) -> None:
        """Note one problem, which stands for so many ``times`` the like of it in its column."""
        self.total += times
        self._noted.append(problem)
        kind = problem.kind
        if kind in self._kinds or len(self._kinds) < self.limit:
            self._kinds.setdefault(kind, ProblemKind([])).add(problem, times)
        if len(self._noted) > 50 * self.limit:  # a file may have millions of them
            self._noted = self._first()

    def at(self, rows: NDArray[np.int64], problem_of: Callable[[int], Problem]) -> None:
        """Note a problem for each of ``rows`` (ascending);
        ``problem_of`` is asked for the first only.
        """
        first = rows[: self.limit].tolist()
        for row in first:
            self.add(problem_of(row), 1 + (row == first[-1]) * (len(rows) - len(first)))

    def __bool__(self) -> bool:
        return self.total > 0

    def error(self) -> DataError:
        """Return the DataError that says all this."""
        kinds = sorted(self._kinds.values(), key=lambda kind: _line_of(kind.in_order()[0]))
        listed = self._first()
        shown = {problem.kind for problem in listed}
        listed += [kind.in_order()[0] for kind in kinds if kind.first[0].kind not in shown]
        return DataError(listed, self.total, kinds)

    def raise_if_any(self) -> None:
        """Raise DataError if any problem was noted."""
        if self:
            raise self.error()

    def _first(self) -> list[Problem]:
        return sorted(self._noted, key=_line_of)[: self.limit]


def _line_of(problem: Problem) -> float:
    return math.inf if problem.line is None else problem.line


def number_text(value: Any) -> str:
    """Return a number as people write it: 7, not 7.0; float32 as the shortest decimal."""
    return str(value).removesuffix(".0")


def missing_column(name: str, role: str, names: Sequence[str], file: str) -> Problem:
    """Return the Problem of a column (or issue) that the user named and that is not there."""
    near = difflib.get_close_matches(name, names, n=1)
    remedy = f"did you mean {shown_name(near[0])}?" if near else "check the spelling"
    shown = listed_names(names) or "no columns"
    return Problem(file, f"no column {name!r} to be {role}", f"one of {shown}", remedy)


def listed_names(names: Sequence[str]) -> str:
    """Return the first names of columns as a message lists them (:func:`.shown_name`)."""
    first = names if len(names) <= 12 else names[:6]
    shown = ", ".join(shown_name(name, number) for number, name in enumerate(first, start=1))
    return shown + (f" ... ({len(names)} in all)" if len(names) > 12 else "")


def nested_cells(file: str, column: str) -> Problem:
    """Return the Problem of a column whose cells are lists, records or other objects."""
    remedy = (
        "make a column of each choice (a row of each, in a long layout), or drop it with `drop`"
    )
    return Problem(
        file, "cells that hold lists or objects", "one value a cell", remedy, column=column
    )


def unaccounted(
    columns: Sequence[str], file: str, line: int | None = None, *, record: str = "id"
) -> Problem:
    """Return the Problem of columns of a long layout that nobody named:
    what they hold would be lost.

    ``record`` is the parameter that names the column of records.
    """
    shown = listed_names(columns)
    drop = "`drop`" if any(map(looks_like_data, columns)) else f"`drop={list(columns[:12])!r}`"
    plural, them = ("", "it") if len(columns) == 1 else ("s", "them")
    actual = f"the column{plural} {shown}, which nothing accounts for"
    remedy = f"drop {them} with {drop}, or name a column with `{record}`, `issue`, `rating` or "
    remedy += "`timestamp`; sensitive ratings are rows like the others here"
    return Problem(file, actual, "columns of records, items, ratings and timestamps", remedy, line)


def no_rows(file: str) -> Problem:
    """Return the Problem of data that may have names but has no rows."""
    return Problem(file, "no rows", "at least one record", "check that the right file was given")


def exact(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is a finite number that float64 holds exactly."""
    if values.dtype.kind == "f":
        return np.isfinite(values)
    fits: NDArray[np.bool_] = values <= LARGEST
    return fits & (values >= -LARGEST) if values.dtype.kind == "i" else fits


def unreal(value: Any, place: _Place) -> Problem:
    """Return the Problem of a rating that is NaN, infinite or too large a whole number."""
    file, line, column = place
    if isinstance(value, np.integer):
        actual, expected = "a larger whole number", "whole numbers up to 2**53"
        return Problem(file, actual, expected, "is this a column of ids?", line, column, str(value))
    actual = "NaN" if np.isnan(value) else number_text(value)  # or inf, which is nobody's
    return Problem(
        file, actual, "a finite number", "leave it empty (null) where missing", line, column
    )


def inexact_problem(value: Any, place: _Place) -> Problem:
    """Return the Problem of a Decimal or whole number that float64 does not keep."""
    file, line, column = place
    actual = inexact_decimal(Decimal(value)) or "a number that is not kept"
    remedy = "round the column, or cast it to float64 if its last digits say nothing"
    return Problem(file, actual, EXACT, remedy, line, column)


def off_scale(values: NDArray[Any], scale: tuple[float, float]) -> NDArray[np.bool_]:
    """Whether each value is below or above ``scale``.

    False for NaN and infinity, a problem of their own.
    """
    low, high = scale
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        # 0.1 as float32 is the decimal 0.1, not a number above it
        low, high = values.dtype.type(low), values.dtype.type(high)
    wrong: NDArray[np.bool_] = (values < low) | (values > high)
    return wrong & np.isfinite(values)


def off_scale_problem(
    value: Any, scale: tuple[float, float], place: _Place, *, sensitive: bool = False
) -> Problem:
    """Return the Problem of a rating that is off the declared scale."""
    remedy = "correct the rating or `scale`"
    if sensitive:
        remedy = "correct the rating, or declare a scale of its own for the sensitive item "
        remedy += "(`sensitive_scale`)"
    remedy += "; a code that means missing can be named with `null`"
    expected = f"a rating on the declared scale {number_text(scale[0])}..{number_text(scale[1])}"
    file, line, column = place
    return Problem(
        file, "a number off the scale", expected, remedy, line, column, number_text(value)
    )


def repeated_pair(record: object, issue: str, first_line: int | None, place: _Place) -> Problem:
    """Return the Problem of a duplicated (record, issue) pair."""
    file, line, column = place
    before = "" if first_line is None else f" (first in line {first_line})"
    actual = f"a second rating of item {shown_name(issue)} by the same record{before}"
    ways = "`duplicates='first'`, `duplicates='last'` or `duplicates='mean'`"
    expected, remedy = (
        "one rating for each record and item",
        f"remove one, or say which counts: {ways}",
    )
    return Problem(
        file, actual, expected, remedy, line, column, f"item {issue!r}, record {record!r}"
    )

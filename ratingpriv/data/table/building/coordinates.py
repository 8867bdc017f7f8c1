"""Ratings as coordinates (record, issue, value): chosen, checked,
and made into the parts of a table.

Duplicated (record, issue) pairs are refused by name, or reduced to one rating as the user says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import Problem
from ratingpriv.data.table.building import coding
from ratingpriv.data.table.building.finishing import Handling, dropped_issues, finished, issue_roles
from ratingpriv.data.table.building.problems import (
    Locate,
    Problems,
    exact,
    no_rows,
    off_scale,
    off_scale_problem,
    repeated_pair,
    unreal,
)
from ratingpriv.data.table.parts import Origin, Parts, SensitiveColumn

_BLOCK = 1 << 22  # coordinates processed together: bounds the temporary arrays


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Some or all rows of a long layout.

    Attributes
    ----------
    records, issues : integer (n_rows,); positions. int32 is leanest, for very many ratings
    values : any integer or floating type (n_rows,); uint8 and int8 are the leanest and quickest
    rated : false where record and issue exist but are not rated (``values`` there is anything);
        None: all
    numbers : of each among the rows of the data; None: 0..n_rows-1
    times : of each a timestamp, where they come with the rows
    """

    records: NDArray[Any]
    issues: NDArray[Any]
    values: NDArray[Any]
    locate: Locate
    rated: NDArray[np.bool_] | None = None
    numbers: NDArray[np.int64] | None = None
    times: pl.Series | None = None

    def place(self, row: int) -> tuple[str, int | None, str | int | None]:
        """Say where row ``row`` of these stands."""
        return self.locate(row if self.numbers is None else int(self.numbers[row]))

    def of_issues(self, positions: list[int], n_issues: int) -> Coordinates:
        """Keep the rows of the issues at ``positions``, which become issues 0, 1, ..."""
        renumbered = np.full(n_issues, -1, dtype=np.int32)
        renumbered[positions] = np.arange(len(positions), dtype=np.int32)
        issues = renumbered[self.issues]
        return self.taken(np.flatnonzero(issues >= 0), issues)

    def taken(self, rows: NDArray[np.int64], issues: NDArray[Any]) -> Coordinates:
        """Keep some rows, in this order, with the positions of ``issues`` that all of them have."""
        return Coordinates(
            self.records[rows],
            issues[rows],
            self.values[rows],
            self.locate,
            None if self.rated is None else self.rated[rows],
            rows if self.numbers is None else self.numbers[rows],
            None if self.times is None else self.times.gather(rows),
        )

    def refuse_unreal(self, problems: Problems) -> None:
        """Note NaN, infinity and whole numbers too large to be exact."""
        if self.values.dtype.kind == "f" or self.values.dtype.itemsize == 8:
            for rows in self._rated_where(lambda values: ~exact(values)):
                problems.at(rows, lambda row: unreal(self.values[row], self.place(row)))

    def refuse_off_scale(
        self, scale: tuple[float, float], problems: Problems, *, sensitive: bool = False
    ) -> None:
        """Note ratings below or above ``scale``."""

        def problem(row: int) -> Problem:
            return off_scale_problem(self.values[row], scale, self.place(row), sensitive=sensitive)

        for rows in self._rated_where(lambda values: off_scale(values, scale)):
            problems.at(rows, problem)

    def _rated_where(
        self, wrong: Callable[[NDArray[Any]], NDArray[np.bool_]]
    ) -> Iterator[NDArray[np.int64]]:
        """Yield the rows of ratings that are wrong, block by block."""
        for first in range(0, len(self.values), _BLOCK):
            wrong_rows = wrong(self.values[first : first + _BLOCK])
            if self.rated is not None:
                wrong_rows &= self.rated[first : first + _BLOCK]
            yield np.flatnonzero(wrong_rows) + first

    def refuse_repeated(self, record_ids: pl.Series, names: list[str], problems: Problems) -> None:
        """Note duplicated (record, issue) pairs."""
        codes = np.zeros(len(self.records), dtype=np.uint8)
        rows = coding.rows_from_coordinates(self.records, self.issues, codes, len(record_ids))
        if not len(again := coding.repeats(rows)):
            return
        pairs = RepeatedPairs(rows, again, record_ids, names)
        for start in range(0, len(self.records), _BLOCK):
            block = np.arange(start, min(start + _BLOCK, len(self.records)))
            if pairs.note(self.taken(block, self.issues), problems):
                break

    def sensitive_column(self, name: str, n_records: int, duplicates: str) -> SensitiveColumn:
        """Make a column of these, all of one issue; repeats are reduced as ``duplicates`` says."""
        known = np.ones(len(self.values), dtype=bool) if self.rated is None else self.rated
        levels, codes = coding.encode_with_nulls(self.values, known)
        rows = coding.rows_from_coordinates(self.records, self.issues, codes, n_records)
        if len(again := coding.repeats(rows)):
            rows, levels = resolve_repeated(rows, again, levels, duplicates)
        owners = np.flatnonzero(np.diff(rows.indptr))
        values, present = np.zeros(n_records), np.zeros(n_records, dtype=bool)
        values[owners] = np.append(levels, 0.0)[rows.codes]
        present[owners] = rows.codes < len(levels)
        return SensitiveColumn(name, values, present)


def _gathered(series: pl.Series, places: NDArray[np.int64] | None) -> pl.Series:
    """Return the values at places; None: all, as they stand."""
    return series if places is None else series.gather(places)


def _by_time(ratings: Coordinates, timestamps: pl.Series) -> Coordinates:
    """Return the ratings in the order of their timestamps, those without one first."""
    times = _gathered(timestamps, ratings.numbers)
    by_time = pl.arg_sort_by("time", nulls_last=False, maintain_order=True)
    order = times.to_frame("time").select(by_time).to_series().to_numpy().astype(np.int64)
    return ratings.taken(order, ratings.issues)


def _rows(
    ratings: Coordinates, records: int, *, ordered: bool
) -> tuple[coding.Rows, NDArray[np.float64], NDArray[np.int64]]:
    """Return the ratings as rows, a null among them as one more level, the levels,
    and which are repeated.
    """
    if ratings.rated is None:
        levels, codes = coding.encode_levels(ratings.values)
    else:
        levels, codes = coding.encode_with_nulls(ratings.values, ratings.rated)
    rows = coding.rows_from_coordinates(
        ratings.records, ratings.issues, codes, records, ordered=ordered
    )
    return rows, levels, coding.repeats(rows)


def parts_from_coordinates(
    ratings: Coordinates,
    handling: Handling,
    *,
    record_ids: pl.Series,
    issue_names: Sequence[str],
    origin: Origin,
    dropped_columns: Sequence[str] = (),
    timestamps: pl.Series | None = None,
    problems: Problems | None = None,
) -> Parts:
    """Make the parts of a table of one row a rating, given as positions; in any order.

    Parameters
    ----------
    ratings : their positions are those in ``record_ids`` and ``issue_names``
    record_ids : (n_records,), as :func:`.normal_ids` gives them, unique; who rates nothing stays in
        the table
    issue_names : of all issues of the data, sensitive and dropped ones included, in the order of
        the data
    dropped_columns : the columns that the user left out (``handling.drop``), which need be no
        issues
    timestamps : by ``ratings.numbers``, of any type, kept as given
    problems : what the loader has found wrong already (ratings that are text, say; such rows may be
        passed with ``rated`` false). It is reported together with what is found here
    """
    duplicates = handling.duplicates
    problems = Problems() if problems is None else problems
    if timestamps is not None and duplicates in ("first", "last"):
        ratings = _by_time(ratings, timestamps)
    unwanted = dropped_issues(handling.drop, dropped_columns, issue_names)
    roles = issue_roles(issue_names, handling.sensitive, unwanted, origin.name)
    if len(record_ids) == 0:
        if not problems:
            problems.add(no_rows(origin.name))
        raise problems.error()
    count = len(issue_names)
    subset = ratings if len(roles.kept) == count else ratings.of_issues(roles.kept, count)
    names = [issue_names[index] for index in roles.kept]
    secret = {issue_names[index]: ratings.of_issues([index], count) for index in roles.sensitive}
    for part in (subset, *secret.values()):
        part.refuse_unreal(problems)
    if handling.scale is not None:
        subset.refuse_off_scale(handling.scale, problems)
    refuse_secret(secret, handling, record_ids, problems)
    if duplicates == "refuse" and problems:  # report repeated pairs in the same breath
        subset.refuse_repeated(record_ids, names, problems)
    problems.raise_if_any()

    ordered = timestamps is not None
    rows, levels, again = _rows(subset, len(record_ids), ordered=ordered)
    if len(again) and duplicates == "refuse":
        subset.refuse_repeated(record_ids, names, problems)
        problems.raise_if_any()
    if len(again):
        rows, levels = resolve_repeated(rows, again, levels, duplicates, ordered=ordered)
    if subset.rated is not None:
        rows = coding.without(rows, rows.codes == len(levels), ordered=ordered)
    if timestamps is not None:
        timestamps = _gathered(_gathered(timestamps, subset.numbers), rows.order).alias(
            origin.timestamp_name
        )
    parts = finished(
        rows,
        levels,
        handling,
        record_ids=record_ids,
        issues=names,
        sensitive=tuple(
            part.sensitive_column(name, len(record_ids), duplicates)
            for name, part in secret.items()
        ),
        origin=origin,
        names=issue_names,
    )
    return parts.replace(timestamps=timestamps)


def refuse_secret(
    secret: Mapping[str, Coordinates], handling: Handling, record_ids: pl.Series, problems: Problems
) -> None:
    """Note what is off the scale, or there twice, among the ratings of sensitive issues,
    by their names.
    """
    for name, part in secret.items():
        if (ends := handling.bounds(name, sensitive=True)) is not None:
            part.refuse_off_scale(ends, problems, sensitive=True)
    if handling.duplicates == "refuse":
        for name, part in secret.items():
            part.refuse_repeated(record_ids, [name], problems)


def resolve_repeated(
    rows: coding.Rows,
    again: NDArray[np.int64],
    levels: NDArray[np.float64],
    duplicates: str,
    *,
    ordered: bool = False,
) -> tuple[coding.Rows, NDArray[np.float64]]:
    """Reduce each run of repeats to its first, last or mean; return the rows and their levels.

    ``again`` are the entries that repeat the one before (:func:`.repeats`). A code one past the
    levels means "not rated", before and after: a null that comes first or last counts as such; a
    mean is over the ratings. ``Rows.order`` is filled in if ``ordered``.
    """
    gone = np.zeros(len(rows.indices), dtype=bool)
    # otherwise only the last of a run stays
    gone[again if duplicates == "first" else again - 1] = True
    smaller = coding.without(rows, gone, ordered=ordered)
    if duplicates != "mean":
        return coding.relevelled(smaller, levels)
    starts = np.setdiff1d(np.arange(len(rows.codes)), again, assume_unique=True)
    totals = np.add.reduceat(np.append(levels, 0.0)[rows.codes], starts)
    counts = np.add.reduceat((rows.codes < len(levels)).astype(np.int64), starts)
    means, level_of = np.unique(totals / np.maximum(counts, 1), return_inverse=True)
    # to 15 significant digits: more of them could not be read back from text
    rounded = np.array([float(f"{mean:.15g}") for mean in means.tolist()])[level_of.ravel()]
    new_levels, codes = coding.encode_with_nulls(rounded, counts > 0)
    return dataclasses.replace(smaller, codes=codes), new_levels


class RepeatedPairs:
    """The repeated (record, issue) pairs of ``rows``, noted as they come in the data.

    ``again`` are the repeats among the entries of ``rows``.
    """

    def __init__(
        self,
        rows: coding.Rows,
        again: NDArray[np.int64],
        record_ids: pl.Series,
        names: Sequence[str],
    ) -> None:
        owners = np.searchsorted(rows.indptr, again, side="right") - 1
        self._keys = np.unique(owners * len(names) + rows.indices[again])
        self._record_ids, self._names = record_ids, names
        self._first: dict[int, tuple[str, int | None, str | int | None]] = {}
        self._listed, self._total = 0, len(again)

    def note(self, part: Coordinates, problems: Problems) -> bool:
        """Note those among some rows of the data, with the line of the first rating.

        Whether all are listed.

        The first ``problems.limit`` are listed, the rest is counted.
        """
        pairs = part.records.astype(np.int64) * len(self._names) + part.issues
        for row in np.flatnonzero(np.isin(pairs, self._keys)).tolist():
            pair, place_of_row = int(pairs[row]), part.place(row)
            if (before := self._first.setdefault(pair, place_of_row)) is place_of_row:
                continue
            line = before[1] if before[0] == place_of_row[0] else None
            record, issue = divmod(pair, len(self._names))
            self._listed += 1
            last = self._listed == min(problems.limit, self._total)
            problem = repeated_pair(
                self._record_ids[record], self._names[issue], line, place_of_row
            )
            problems.add(problem, 1 + last * (self._total - self._listed))
            if last:
                return True
        return False

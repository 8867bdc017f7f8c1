"""Changes to the cells of a table: what the window strategy and moves make of them,
and the new table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.compute.ascending import among
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.coding import encode_levels
from ratingpriv.partition.distortion._windows import ERASE, FILL, WINDOW
from ratingpriv.partition.distortion.windows import OwnMeasure, Windows
from ratingpriv.proximity.fixed_rules import with_own_issues


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What becomes of every rating, as a number of the Measure, and which nulls become ratings."""

    # (n_ratings,); each rating as it shall be, NaN where it becomes null
    numbers: NDArray[np.float64]
    imputed: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = field(
        default_factory=list
    )  # (records, issues, numbers) of nulls that get a rating, each once

    def impute(
        self, records: NDArray[np.int64], issues: NDArray[np.int64], numbers: NDArray[np.float64]
    ) -> None:
        """Add nulls that get a rating."""
        if len(records):
            self.imputed.append((records, issues, numbers))


def no_changes(table: RatingTable, numbers: NDArray[np.float64]) -> Changes:
    """Return changes that change nothing; ``numbers`` float64 (n_levels,)
    are the table's levels.
    """
    return Changes(numbers[table.codes])


def clamp(table: RatingTable, windows: Windows, changes: Changes) -> None:
    """Change the ratings of all groups as their windows say, in place.

    Who is in no group stays as it is.

    Replaces [SWLP10, §4.5]; :mod:`ratingpriv.partition.distortion.windows` says what is least, and
    why.
    """
    p, starts = table.n_issues, windows.starts
    for first, last in windows.pieces():
        members = windows.members[windows.bounds[first] : windows.bounds[last]]
        group = np.repeat(np.arange(last - first), np.diff(windows.bounds[first : last + 1]))
        rows = slice(int(starts[first]), int(starts[last]))
        # a row of the piece is an issue of a group; they ascend by both
        of_row = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        keys = of_row * p + windows.issue[rows]
        rated = np.diff(table.indptr)[members]
        entries = np.repeat(table.indptr[members] - np.cumsum(rated) + rated, rated) + np.arange(
            rated.sum()
        )
        row = np.searchsorted(keys, np.repeat(group, rated) * p + table.indices[entries])
        treatment = windows.treatment[rows]
        changes.numbers[entries[treatment[row] == ERASE]] = np.nan
        moved = np.isin(treatment[row], (WINDOW, FILL))
        low, high = windows.low[rows][row[moved]], windows.high[rows][row[moved]]
        changes.numbers[entries[moved]] = np.clip(changes.numbers[entries[moved]], low, high)
        fills = np.flatnonzero(treatment == FILL)
        if len(fills):  # every member of the group that did not rate the issue gets a rating
            size = np.bincount(group, minlength=last - first)[of_row[fills]]
            begins = np.searchsorted(group, of_row[fills])
            filled = np.repeat(fills, size)
            member = np.repeat(begins - np.cumsum(size) + size, size) + np.arange(size.sum())
            has = np.repeat(np.arange(len(members)), rated) * len(keys) + row
            new = ~among(has, member * len(keys) + filled)
            filled = filled[new]
            changes.impute(
                members[member[new]], windows.issue[rows][filled], windows.fill[rows][filled]
            )


def move_to_places(
    table: RatingTable, records: NDArray[np.int64], rows: NDArray[np.float64], changes: Changes
) -> None:
    """Make the ``records`` int64 (m,), ascending, what ``rows`` float64 (m, p) says;
    NaN is null.
    """
    number = np.full(table.n_records, -1, dtype=np.int64)
    number[records] = np.arange(len(records))
    of_entry = np.repeat(number, np.diff(table.indptr))
    entries = np.flatnonzero(of_entry >= 0)
    changes.numbers[entries] = rows[of_entry[entries], table.indices[entries]]
    new = ~np.isnan(rows)
    new[of_entry[entries], table.indices[entries]] = False
    row, issue = np.nonzero(new)
    changes.impute(records[row], issue.astype(np.int64), rows[row, issue])


def changed_table(
    table: RatingTable, changes: Changes, unit: float, own: Sequence[OwnMeasure] = ()
) -> RatingTable:
    """Return ``table`` with the ``changes``; a rating is a number / ``unit``.

    Everything else stays. A kept rating keeps its timestamp, whatever its new value; an imputed one
    has none. ``own`` is of the quasi-identifiers that may differ, which are the last issues of the
    ``changes`` (:func:`ratingpriv.proximity.fixed_rules.with_own_issues`).
    """
    if own:
        table, changes = _with_own_changed(table, changes, own)
    kept = ~np.isnan(changes.numbers)
    if kept.all() and not changes.imputed:
        levels, codes = encode_levels(changes.numbers / unit)
        return table.replace(codes=codes, levels=levels)
    entries = np.flatnonzero(kept)
    rated_by = np.repeat(np.arange(table.n_records), np.diff(table.indptr))[entries]
    cells = (rated_by, table.indices[entries].astype(np.int64), changes.numbers[entries])
    record, issue, number = map(np.concatenate, zip(cells, *changes.imputed, strict=True))
    order = np.argsort(record * table.n_issues + issue, kind="stable")
    levels, codes = encode_levels(number[order] / unit)
    indptr = np.zeros(table.n_records + 1, dtype=np.int64)
    np.cumsum(np.bincount(record, minlength=table.n_records), out=indptr[1:])
    timestamps = table.timestamps
    if timestamps is not None:
        source = pl.Series(
            np.concatenate((entries, np.full(len(record) - len(entries), -1)))[order]
        )
        timestamps = timestamps.gather(source.set(source < 0, None))
    indices = issue[order].astype(np.int32)
    return table.replace(
        indptr=indptr, indices=indices, codes=codes, levels=levels, timestamps=timestamps
    )


def _with_own_changed(
    table: RatingTable, changes: Changes, own: Sequence[OwnMeasure]
) -> tuple[RatingTable, Changes]:
    """Return (``table`` with its quasi-identifiers changed, the changes of its ratings)."""
    if any(bool((issues >= table.n_issues).any()) for _, issues, _ in changes.imputed):
        raise ValueError("a value of a quasi-identifier would be invented")
    flat = with_own_issues(table)
    record = np.repeat(np.arange(flat.n_records), np.diff(flat.indptr))
    quasi, measures, issue = [], iter(own), table.n_issues
    for column in table.quasi:
        if column.within is not None:
            left = np.flatnonzero((flat.indices == issue) & ~np.isnan(changes.numbers))
            values = np.full(table.n_records, np.nan)
            values[record[left]] = changes.numbers[left] / next(measures).unit
            known = ~np.isnan(values)
            distinct, place = np.unique(values[known], return_inverse=True)
            codes = np.full(len(values), -1, dtype=np.int32)
            codes[known] = place
            series = pl.Series(column.values.name, distinct, dtype=pl.Float64)
            column, issue = dataclasses.replace(column, codes=codes, values=series), issue + 1
        quasi.append(column)
    ratings = flat.indices < table.n_issues
    return table.replace(quasi=tuple(quasi)), Changes(changes.numbers[ratings], changes.imputed)

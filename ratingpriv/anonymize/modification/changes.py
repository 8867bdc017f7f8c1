"""Changes to the cells of a table, and the table they make."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table import QuasiColumn, RatingTable
from ratingpriv.data.table.building.coding import encode_levels
from ratingpriv.partition.distortion.windows import OwnMeasure
from ratingpriv.proximity.fixed_rules import with_own_issues


@dataclass(slots=True, eq=False)
class Changes:
    """What becomes of every rating, and which nulls become ratings.

    Attributes
    ----------
    numbers : float64 (n_ratings,); each rating as it shall be, as a number of the Measure
    suppressed : bool (n_ratings,); whether the rating becomes null
    imputed_record, imputed_issue : int64 (n_imputed,); nulls that get a rating, each once
    imputed_number : float64 (n_imputed,); the rating that they get
    """

    numbers: NDArray[np.float64]
    suppressed: NDArray[np.bool_]
    imputed_record: NDArray[np.int64]
    imputed_issue: NDArray[np.int64]
    imputed_number: NDArray[np.float64]

    def impute(
        self, records: NDArray[np.int64], issues: NDArray[np.int64], numbers: NDArray[np.float64]
    ) -> None:
        """Add nulls that get a rating."""
        self.imputed_record = np.concatenate((self.imputed_record, records))
        self.imputed_issue = np.concatenate((self.imputed_issue, issues))
        self.imputed_number = np.concatenate((self.imputed_number, numbers))


def no_changes(table: RatingTable, numbers: NDArray[np.float64]) -> Changes:
    """Return changes that change nothing; ``numbers`` float64 (n_levels,) are the table's levels."""
    nothing = np.empty(0, dtype=np.int64)
    return Changes(numbers[table.codes], np.zeros(table.n_ratings, dtype=bool), nothing, nothing, np.empty(0))


def changed_table(
    table: RatingTable, changes: Changes, unit: float, own: Sequence[OwnMeasure] = ()
) -> RatingTable:
    """Return ``table`` with the ``changes``; a rating is a number / ``unit``.

    Everything else stays: records and their order, issues, the scale, sensitive columns. A kept rating keeps
    its timestamp, whatever its new value; a suppressed one takes its along; an imputed one has none.

    ``own`` is of the quasi-identifiers that may differ: their values are changed as those of the issues of
    :func:`ratingpriv.proximity.fixed_rules.with_own_issues`.
    """
    if own:
        table, changes = _with_own_changed(table, changes, own)
    if not changes.suppressed.any() and len(changes.imputed_record) == 0:
        levels, codes = encode_levels(changes.numbers / unit)
        return table.replace(codes=codes, levels=levels)
    kept = np.flatnonzero(~changes.suppressed)
    rated_by = np.repeat(np.arange(table.n_records), np.diff(table.indptr))[kept]
    record: NDArray[np.int64] = np.concatenate((rated_by, changes.imputed_record))
    issue: NDArray[np.int64] = np.concatenate((table.indices[kept].astype(np.int64), changes.imputed_issue))
    number = np.concatenate((changes.numbers[kept], changes.imputed_number))
    order = np.argsort(record * table.n_issues + issue, kind="stable")
    levels, codes = encode_levels(number[order] / unit)
    indptr = np.zeros(table.n_records + 1, dtype=np.int64)
    np.cumsum(np.bincount(record, minlength=table.n_records), out=indptr[1:])
    timestamps = table.timestamps
    if timestamps is not None:
        source = pl.Series(np.concatenate((kept, np.full(len(changes.imputed_record), -1)))[order])
        timestamps = timestamps.gather(source.set(source < 0, None))
    return table.replace(
        indptr=indptr,
        indices=issue[order].astype(np.int32),
        codes=codes,
        levels=levels,
        timestamps=timestamps,
    )


def _with_own_changed(
    table: RatingTable, changes: Changes, own: Sequence[OwnMeasure]
) -> tuple[RatingTable, Changes]:
    """Return (``table`` with its quasi-identifiers changed, the changes of its ratings)."""
    if bool((changes.imputed_issue >= table.n_issues).any()):
        raise ValueError("a value of a quasi-identifier would be invented")
    flat = with_own_issues(table)
    record = np.repeat(np.arange(flat.n_records), np.diff(flat.indptr))
    quasi, measures, issue = [], iter(own), table.n_issues
    for column in table.quasi:
        if column.within is not None:
            mine = np.flatnonzero(flat.indices == issue)
            left = mine[~changes.suppressed[mine]]
            values = np.full(table.n_records, np.nan)
            values[record[left]] = changes.numbers[left] / next(measures).unit
            column, issue = _of_values(column, values), issue + 1
        quasi.append(column)
    ratings = flat.indices < table.n_issues
    return table.replace(quasi=tuple(quasi)), dataclasses.replace(
        changes, numbers=changes.numbers[ratings], suppressed=changes.suppressed[ratings]
    )


def _of_values(column: QuasiColumn, values: NDArray[np.float64]) -> QuasiColumn:
    """Return the column with other ``values``, float64 (n_records,), NaN where null."""
    known = ~np.isnan(values)
    there, place = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int32)
    codes[known] = place
    return dataclasses.replace(
        column, codes=codes, values=pl.Series(column.values.name, there, dtype=pl.Float64)
    )

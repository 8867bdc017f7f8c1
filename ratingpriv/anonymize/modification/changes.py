"""Changes to the cells of a table, and the table they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.table import RatingTable
from ratingpriv.table.building.coding import encode_levels

__all__ = ["Changes", "changed_table", "no_changes"]


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


def changed_table(table: RatingTable, changes: Changes, unit: float) -> RatingTable:
    """Return ``table`` with the ``changes``; a rating is a number / ``unit``.

    Everything else stays: records and their order, issues, the scale, sensitive columns. A kept rating keeps
    its timestamp, whatever its new value; a suppressed one takes its along; an imputed one has none.
    """
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

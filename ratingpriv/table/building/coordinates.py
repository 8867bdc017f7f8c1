"""Ratings as coordinates (record, issue, value) on their way into a table: choosing and checking them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.table import SensitiveColumn
from ratingpriv.table.building.coding import as_float
from ratingpriv.table.building.csr import repeats, rows_from_coordinates
from ratingpriv.table.building.duplicates import reduce_runs, refuse_repeated
from ratingpriv.table.building.problems import Locate, Problems, exact, off_scale, off_scale_problem, unreal

__all__ = ["Coordinates"]

_BLOCK = 1 << 22  # coordinates looked at together: bounds the temporary arrays


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Some or all rows of a long layout.

    Attributes
    ----------
    records, issues : integer (n_rows,); positions
    values : any integer or floating type (n_rows,)
    rated : bool (n_rows,), false where a row has no rating; None: all true
    numbers : int64 (n_rows,), the number of each among the rows of the data; None: 0..n_rows-1
    locate : says where the row with a number stands
    """

    records: NDArray[Any]
    issues: NDArray[Any]
    values: NDArray[Any]
    rated: NDArray[np.bool_] | None
    numbers: NDArray[np.int64] | None
    locate: Locate

    def place(self, row: int) -> tuple[str, int | None, str | int | None]:
        """Say where row ``row`` of these stands."""
        return self.locate(row if self.numbers is None else int(self.numbers[row]))

    def of_issues(self, positions: list[int], n_issues: int) -> Coordinates:
        """Keep the rows of the issues at ``positions``, which become issues 0, 1, ..."""
        renumbered = np.full(n_issues, -1, dtype=np.int32)
        renumbered[positions] = np.arange(len(positions), dtype=np.int32)
        issues = renumbered[self.issues]
        kept = np.flatnonzero(issues >= 0)
        return Coordinates(
            self.records[kept],
            issues[kept],
            self.values[kept],
            None if self.rated is None else self.rated[kept],
            kept if self.numbers is None else self.numbers[kept],
            self.locate,
        )

    def refuse_unreal(self, problems: Problems) -> None:
        """Note NaN, infinity and whole numbers too large to be exact."""
        if self.values.dtype.kind != "f" and self.values.dtype.itemsize < 8:
            return
        for at in range(0, len(self.values), _BLOCK):
            wrong = ~exact(self.values[at : at + _BLOCK])
            if self.rated is not None:
                wrong &= self.rated[at : at + _BLOCK]
            rows = np.flatnonzero(wrong) + at
            problems.at(rows, lambda row: unreal(self.values[row], self.place(row)))

    def refuse_off_scale(self, scale: tuple[float, float], problems: Problems) -> None:
        """Note ratings below or above ``scale``."""
        for at in range(0, len(self.values), _BLOCK):
            wrong = off_scale(self.values[at : at + _BLOCK], scale)
            if self.rated is not None:
                wrong &= self.rated[at : at + _BLOCK]
            rows = np.flatnonzero(wrong) + at
            problems.at(rows, lambda row: off_scale_problem(self.values[row], scale, self.place(row)))

    def refuse_repeated(self, record_ids: pl.Series, names: list[str], problems: Problems) -> None:
        """Note (record, issue) pairs that stand twice."""
        codes = np.zeros(len(self.records), dtype=np.uint8)
        rows = rows_from_coordinates(self.records, self.issues, codes, len(record_ids))
        again = repeats(rows)
        if len(again):
            refuse_repeated(rows, again, self.records, self.issues, record_ids, names, problems, self.place)

    def sensitive_column(self, name: str, n_records: int, duplicates: str) -> SensitiveColumn:
        """Make a column of these, all of one issue; repeats are reduced as ``duplicates`` says."""
        codes = np.zeros(len(self.records), dtype=np.uint8)
        rows = rows_from_coordinates(self.records, self.issues, codes, n_records, ordered=True)
        order = np.arange(len(self.records)) if rows.order is None else rows.order
        known = np.ones(len(order), dtype=bool) if self.rated is None else self.rated[order]
        ratings, known, firsts = reduce_runs(as_float(self.values[order]), known, repeats(rows), duplicates)
        owners = np.searchsorted(rows.indptr, firsts, side="right") - 1
        values, present = np.zeros(n_records), np.zeros(n_records, dtype=bool)
        values[owners] = np.where(known, ratings, 0.0)
        present[owners] = known
        return SensitiveColumn(name, values, present)

"""The inverted lists of a table: for every issue, who rated it, with which level, and when.

Only records that share an issue with what is known can score, so that an attack reads a few of
these lists and never the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.dates import days_of, has_dates, timestamps_of
from ratingpriv.data.table import RatingTable


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Inverted lists, made once and used by any number of attacks on the same table.

    Memory: 4 bytes a rating for the record, 1 to 4 for the level, and with dates 2 (whole days) or
    8.

    Attributes
    ----------
    table : the table
    indptr : int64 (n_issues + 1,); who rated issue i is at ``indptr[i]:indptr[i + 1]``
    records : int32 (n_ratings,); positions, ascending within an issue
    codes : as the table's, (n_ratings,)
    when : dates, or an empty array: uint16 (n_ratings,) days after ``first_day``, or float64
        (n_ratings,) days since 1970-01-01, NaN where null
    first_day : float
    span : with uint16: days first_day .. first_day + span - 1 occur, and ``span`` stands for null;
        else 0
    """

    table: RatingTable
    indptr: NDArray[np.int64]
    records: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]
    first_day: float
    span: int

    @classmethod
    def of(cls, table: RatingTable, *, dates: bool | None = None) -> Index:
        """Invert a table, with dates if they are wanted; None: if it has any."""
        from scipy.sparse import csr_array

        def by_issue(values: NDArray[Any]) -> Any:
            shape = (table.n_records, table.n_issues)
            return csr_array((values, table.indices, table.indptr), shape=shape).tocsc()

        if dates is None:
            dates = has_dates(table)
        when, first_day, span = _when(table) if dates else (np.empty(0, dtype=np.uint16), 0.0, 0)
        lists = by_issue(table.codes)
        indptr, records = lists.indptr.astype(np.int64), lists.indices.astype(np.int32, copy=False)
        arrays = (indptr, records, lists.data, by_issue(when).data if len(when) else when)
        for array in arrays:
            array.flags.writeable = False
        return cls(table, *arrays, first_day, span)

    @property
    def dated(self) -> bool:
        """Whether there are dates."""
        return len(self.when) > 0

    @property
    def supports(self) -> NDArray[np.int64]:
        """How many records rate each issue, |supp(i)|, int64 (n_issues,)."""
        return np.diff(self.indptr)

    def __repr__(self) -> str:
        return f"<Index of {self.table.origin.name!r}{', dated' if self.dated else ''}>"


def _when(table: RatingTable) -> tuple[NDArray[Any], float, int]:
    """Return the dates in the table's order: whole days in two bytes where they are dates."""
    stamps = timestamps_of(table)
    if stamps.dtype == pl.Date:
        numbers = stamps.to_physical()
        low, high = numbers.min(), numbers.max()
        assert isinstance(low, int)  # noqa: S101 -- for mypy: not all are null
        assert isinstance(high, int)  # noqa: S101
        span = high - low + 1
        if span < 1 << 16:
            offsets = (numbers - low).fill_null(span).cast(pl.UInt16).to_numpy()
            return offsets, float(low), span
    return days_of(stamps, table.origin.name), 0.0, 0

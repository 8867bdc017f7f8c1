"""The inverted lists of a table: for every issue, who rated it, with which level, and when.

Only records that share an issue with what is known can score, so that an attack reads a few of these lists
and never the whole table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.attack.dates import days_of, has_dates, timestamps_of
from ratingpriv.base.compute.compiling import compiled
from ratingpriv.base.compute.parallel import portions
from ratingpriv.data.table import RatingTable

_CHUNK = 1 << 24  # ratings between two looks at Ctrl-C


class _Rows(NamedTuple):
    """The ratings by record; ``when`` as in an Index."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]


class _Lists(NamedTuple):
    """The ratings by issue."""

    records: NDArray[np.int32]
    codes: NDArray[Any]
    when: NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Inverted lists, made once and used by any number of attacks on the same table.

    Memory: 4 bytes a rating for the record, 1 to 4 for the level, and with dates 2 (whole days) or 8.

    Attributes
    ----------
    table : the table
    indptr : int64 (n_issues + 1,); who rated issue i is at ``indptr[i]:indptr[i + 1]``
    records : int32 (n_ratings,); positions, ascending within an issue
    codes : as the table's, (n_ratings,)
    when : dates, or an empty array: uint16 (n_ratings,) days after ``first_day``, or float64 (n_ratings,)
        days since 1970-01-01, NaN where null
    first_day : float
    span : with uint16: days first_day .. first_day + span - 1 occur, and ``span`` stands for null; else 0
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
        if dates is None:
            dates = has_dates(table)
        when, first_day, span = _when(table) if dates else (np.empty(0, dtype=np.uint16), 0.0, 0)
        indptr = np.zeros(table.n_issues + 1, dtype=np.int64)
        for first in range(0, table.n_ratings, _CHUNK):
            indptr[1:] += np.bincount(table.indices[first : first + _CHUNK], minlength=table.n_issues)
        np.cumsum(indptr, out=indptr)
        rows = _Rows(table.indptr, table.indices, table.codes, when)
        records = np.empty(table.n_ratings, dtype=np.int32)
        lists = _Lists(records, np.empty_like(table.codes), np.empty_like(when))
        cursor = indptr[:-1].copy()
        for first, last in portions(table.indptr[1:], _CHUNK):
            _invert(rows, first, last, cursor, lists)
        for array in (indptr, *lists):
            array.flags.writeable = False
        return cls(table, indptr, *lists, first_day, span)

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


@compiled(error_model="numpy")
def _invert(rows: Any, first: int, last: int, cursor: Any, lists: Any) -> None:
    """Put the ratings of records first..last-1 where ``cursor`` points, by issue, and move it on."""
    dated = len(rows.when) > 0
    for record in range(first, last):
        for entry in range(rows.indptr[record], rows.indptr[record + 1]):
            issue = rows.indices[entry]
            free = cursor[issue]
            cursor[issue] = free + 1
            lists.records[free] = record
            lists.codes[free] = rows.codes[entry]
            if dated:
                lists.when[free] = rows.when[entry]

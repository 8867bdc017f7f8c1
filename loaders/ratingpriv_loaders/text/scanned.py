"""What scanning delimited text yields, not judged yet: texts, a code a cell, line numbers, faults."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.building.delimited import Fault

__all__ = ["ISSUE", "RATING", "RECORD", "ROLES", "SKIP", "TIME", "Lines", "Scan"]

SKIP, RECORD, RATING, ISSUE, TIME = -1, 0, 1, 2, 3
"""Roles of a column; the cells of each role (SKIP aside) have their own distinct texts."""
ROLES = 4


class Lines:
    """The physical line at which each row starts, kept as the few places where lines and rows part."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._offsets: list[int] = []

    def append(self, first_row: int, lines: NDArray[np.int64]) -> None:
        """Note the lines of the rows from ``first_row`` on."""
        offsets = lines - np.arange(first_row, first_row + len(lines))
        last = self._offsets[-1] if self._offsets else -1
        changes = np.flatnonzero(np.diff(offsets, prepend=last))
        self._rows.extend((changes + first_row).tolist())
        self._offsets.extend(offsets[changes].tolist())

    def of(self, row: int) -> int:
        """Return the 1-based line at which the row at position ``row`` starts."""
        at = int(np.searchsorted(np.array(self._rows), row, side="right")) - 1
        return row + self._offsets[at]


@dataclass
class Scan:
    """What was found.

    Attributes
    ----------
    rows : number of rows without a fault
    records, issues : int32 (rows,), positions in ``texts[RECORD]`` and ``texts[ISSUE]``; empty without such
        a column
    ratings : uint8, uint16 or uint32 (rows * rating columns,), row by row, positions in ``texts[RATING]``
    times, kinds : int64 and uint8 (rows,); a kind of timestamp and its value (OTHER: position in
        ``texts[TIME]``)
    texts : a String series of distinct texts a role; those of records, issues and timestamps in the order of
        their first appearance
    lines : the line of each row
    faults : the first faults
    total_faults : how many there are
    widths : how many faulty lines have how many cells
    cut : whether the rest was not read, as there was no rating so far
    """

    rows: int
    records: NDArray[np.int32]
    issues: NDArray[np.int32]
    ratings: NDArray[np.unsignedinteger]
    times: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    texts: tuple[pl.Series, ...]
    lines: Lines
    faults: list[Fault] = field(default_factory=list)
    total_faults: int = 0
    widths: dict[int, int] = field(default_factory=dict)
    cut: bool = False

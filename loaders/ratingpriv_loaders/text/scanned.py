"""What scanning delimited text yields, not yet judged: distinct texts, a code a cell, line numbers, faults.

No cell becomes a number here. Every cell that matters is replaced by the position of its *text* among the
distinct texts of its role, so that each text is judged once, by the same function, whichever scanner read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = [
    "AFTER_QUOTE", "DATE", "ISSUE", "NO_TIME", "OTHER", "RAGGED", "RATING", "RECORD", "ROLES", "SECONDS",
    "SKIP", "TIME", "UNCLOSED", "Fault", "Growing", "Lines", "Plan", "Scan",
]  # fmt: skip

SKIP, RECORD, RATING, ISSUE, TIME = -1, 0, 1, 2, 3
"""Roles of a column; the cells of each role (SKIP aside) have their own distinct texts."""
ROLES = 4

RAGGED, AFTER_QUOTE, UNCLOSED = 0, 1, 2
"""Faults of a line: not as many cells as columns; text after a closing quote; a quote never closed."""

NO_TIME, SECONDS, DATE, OTHER = 0, 1, 2, 3
"""Kinds of timestamps: an empty cell; a whole number; days since 1970-01-01; a text still to be judged."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to keep of each column.

    Attributes
    ----------
    roles : a role a column
    slots : for RATING columns the position among them (others: 0), a number a column
    ratings : number of RATING columns
    """

    roles: tuple[int, ...]
    slots: tuple[int, ...]
    ratings: int

    @classmethod
    def of(cls, roles: Sequence[int]) -> Plan:
        """Make the plan for columns of these roles."""
        slots, ratings = [], 0
        for role in roles:
            slots.append(ratings if role == RATING else 0)
            ratings += role == RATING
        return cls(tuple(roles), tuple(slots), ratings)


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be cut into its cells.

    ``kind`` is RAGGED (``detail``: how many cells it has), AFTER_QUOTE (``detail``: which cell, from 1) or
    UNCLOSED (``line``: where the quote opens).
    """

    kind: int
    line: int
    detail: int


class Growing:
    """A one-dimensional array that grows at its end; ``array`` is what was appended so far."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._room: NDArray[np.generic] = np.empty(1024, dtype=dtype)
        self._size = 0

    def append(self, more: NDArray[np.generic]) -> None:
        """Append an array; a wider unsigned type than before widens the whole."""
        if more.dtype.itemsize > self._room.dtype.itemsize:
            self._room = self._room.astype(more.dtype)
        need = self._size + len(more)
        if need > len(self._room):  # realloc moves pages instead of copying them where arrays are large
            self._room.resize(max(need, len(self._room) * 2), refcheck=False)
        self._room[self._size : need] = more
        self._size = need

    def __len__(self) -> int:
        return self._size

    def finish(self) -> NDArray[np.generic]:
        """Return the array, cut to its size; nothing may be appended afterwards."""
        self._room.resize(self._size, refcheck=False)
        return self._room


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
    """What a scanner found.

    Attributes
    ----------
    rows : number of rows without a fault
    records, issues : int32 (rows,), positions in ``texts[RECORD]`` and ``texts[ISSUE]``; empty without such
        a column
    ratings : uint8, uint16 or uint32 (rows * plan.ratings,), row by row, positions in ``texts[RATING]``
    times, kinds : int64 and uint8 (rows,); a kind of timestamp and its value (OTHER: position in
        ``texts[TIME]``)
    texts : a String series of distinct texts a role, in the order of their first appearance (where there are
        faults, texts of faulty lines may be among them)
    lines : the line of each row
    faults : the first faults
    total_faults : how many there are
    widths : how many faulty lines have how many cells
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

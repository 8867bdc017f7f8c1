"""Data as a file has them, before anybody has said what its columns are:
what loaders of surveys give.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.building.coding import factorised
from ratingpriv.data.table.building.columns import LocateCell
from ratingpriv.data.table.building.problems import Problems
from ratingpriv.data.table.parts import Origin


@dataclass(frozen=True, eq=False)  # without slots: what is used is counted once
class TextCells:
    """Cells of text, each distinct text once; columns may share ``texts``, the same object.

    ``texts`` are distinct, without nulls and white space around them; ``codes`` are positions in
    them.
    """

    texts: pl.Series
    codes: NDArray[np.integer]

    @classmethod
    def of(cls, cells: pl.Series) -> TextCells:
        """Return a column of text, null where empty, as such cells."""
        codes, texts = factorised(cells.cast(pl.String).fill_null("").str.strip_chars())
        return cls(texts, codes)

    @functools.cached_property
    def used(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The positions of the texts that there are, ascending, and how many cells have each."""
        if len(self.texts) <= max(1 << 16, len(self.codes)):
            times = np.bincount(self.codes, minlength=len(self.texts))
            used = np.flatnonzero(times)
            return used, times[used]
        used, counts = np.unique(self.codes, return_counts=True)
        return used.astype(np.int64), counts


@dataclass(frozen=True, slots=True, eq=False)
class RawColumn:
    """One column.

    Attributes
    ----------
    cells : text as it stands in a file; or, where the data have types, a polars Series of numbers,
        booleans, dates or String, null where empty
    question : what was asked, as the format tells it (the second header row of an export, a
        variable label)
    labels : the format's own words for values, ordered: pairs (value, word), as SPSS and Stata keep
        them, or (1.0, first category) ... of an ordered categorical; empty: none. Cells hold the
        values
    ordered : whether the format says that the labels are in an order
    missing : values that the format declares missing, null in ``cells`` already: how many cells had
        each
    known_role : the role that the format is sure of (an IP address of Qualtrics: "identifier")
    why : the reason of ``known_role``, in words
    """

    name: str
    cells: TextCells | pl.Series
    question: str | None = None
    labels: tuple[tuple[float, str], ...] = ()
    ordered: bool = False
    missing: Mapping[str, int] = field(default_factory=dict)
    known_role: str | None = None
    why: str = ""

    @property
    def distinct(self) -> int:
        """How many different cells there are, empty ones included."""
        cells = self.cells
        return cells.n_unique() if isinstance(cells, pl.Series) else len(cells.used[0])


@dataclass(frozen=True, slots=True, eq=False)
class RawData:
    """All columns of a wide file, a row a record.

    Lines that could not be read are in no column. So nobody gets the columns (:attr:`columns`)
    while there are problems: whoever wants to report more of them in the same breath asks for
    :meth:`taken`.

    Attributes
    ----------
    read : in the file's order; columns that need not be read (dropped, identifiers, not kept) are
        missing
    unread : names of those, with the role they were left out by
    origin : where they are from; ``details`` is what a writer needs to write the like
    names : all columns of the file, in its order; empty: those of ``read``, then those of
        ``unread``
    called : whether columns have names of their own, so that a role can be said of one; a matrix's
        have none
    problems : what is wrong with the file's lines
    """

    read: tuple[RawColumn, ...]
    records: int
    origin: Origin
    locate: LocateCell
    unread: tuple[tuple[str, str], ...] = field(default=())
    names: tuple[str, ...] = ()
    called: bool = True
    problems: Problems = field(default_factory=Problems)

    @property
    def columns(self) -> tuple[RawColumn, ...]:
        """The columns; DataError where lines of the file are in none of them."""
        self.problems.raise_if_any()
        return self.read

    def taken(self, limit: int) -> tuple[RawData, Problems]:
        """Return the data, and the problems that the caller reports with its own,
        the first ``limit``.
        """
        problems = self.problems if self.problems else Problems(limit)
        return dataclasses.replace(self, problems=Problems()), problems

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of all columns, those that are not read included."""
        return self.names or (
            *(column.name for column in self.read),
            *(name for name, _ in self.unread),
        )

    @property
    def known_roles(self) -> dict[str, str]:
        """The roles that are certain before anything is judged, by name: the format's,
        and identifiers.
        """
        roles_of = {name: role for name, role in self.unread if role == "identifier"}
        return roles_of | {
            column.name: column.known_role for column in self.read if column.known_role is not None
        }

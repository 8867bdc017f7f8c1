"""A table as rows, one a rating: what every long layout is written from, block by block."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.data.table.parts import Parts

_BLOCK = 1 << 21  # ratings whose rows are in memory together


class LongRows:
    """The rows of a table. Nothing is lost in them.

    A record that rates nothing, and an issue that nobody rates, each have a row without a rating, for else
    nobody would know of them; the issue has none where issues are ``listed``. Sensitive ratings are rows like
    the others, without timestamps.

    Attributes
    ----------
    names : the issues, sensitive ones included, in the order in which a record has them
    levels : float64; every rating there is
    gaps : whether some row has no rating
    """

    def __init__(self, table: Parts, names: list[str], *, listed: bool = False) -> None:
        self._table, self.names = table, names
        place = {name: number for number, name in enumerate(self.names)}
        self._place = np.array([place[name] for name in table.issues], dtype=np.int64)
        self._sensitive: list[tuple[int, NDArray[np.int64], NDArray[np.int64]]] = []
        parts, seen = [table.levels], len(table.levels)
        rates = np.diff(table.indptr) > 0
        rated = np.full(len(self.names), listed)
        answered = np.zeros(table.n_issues, dtype=bool)
        answered[table.indices] = True
        rated[self._place[answered]] = True
        for column in table.sensitive:
            rows = np.flatnonzero(column.present)
            distinct, codes = np.unique(column.values[rows], return_inverse=True)
            self._sensitive.append((place[column.name], rows, codes.astype(np.int64) + seen))
            parts.append(distinct)
            seen += len(distinct)
            rates |= column.present
            rated[place[column.name]] |= len(rows) > 0
        self.levels = np.concatenate(parts)
        self._unrated = np.flatnonzero(~rated)
        self._silent = np.flatnonzero(~rates)
        if len(self._unrated) and len(self._silent) and self._silent[0] == 0:
            self._silent = self._silent[1:]  # the first record has rows already: those of the unrated issues
        self.gaps = bool(len(self._unrated) or len(self._silent))

    def columns(
        self, ids: pl.Series, issues: pl.Series, ratings: pl.Series
    ) -> Iterator[tuple[int, list[pl.Series]]]:
        """Give the rows, block by block: how many records they reach to, and their columns.

        In the order of records and, within a record, of issues. ``ids`` are those of the records, ``issues``
        of ``names``, ``ratings`` of ``levels`` and, as the last, of what is not rated; the timestamps stand
        behind them, if there are any.
        """
        table, first = self._table, 0
        times = table.timestamps
        if times is not None:
            times = pl.concat([times, pl.Series([None], dtype=times.dtype)])
        while first < table.n_records:
            last = int(np.searchsorted(table.indptr, table.indptr[first] + _BLOCK, side="right")) - 1
            last = min(max(last, first + 1), first + _BLOCK, table.n_records)
            records, names, codes, entries = self._rows(first, last)
            block = [ids.gather(records), issues.gather(names), ratings.gather(codes % len(ratings))]
            if times is not None:
                block.append(times.gather(entries % len(times)))
            yield last, block
            first = last

    def _rows(self, first: int, last: int) -> list[NDArray[np.int64]]:
        """Return positions of records, of ``names``, of ``levels`` and of timestamps; -1 is none."""
        table = self._table
        entries = np.arange(table.indptr[first], table.indptr[last])
        owners = np.repeat(np.arange(first, last), np.diff(table.indptr[first : last + 1]))
        parts = [
            (owners, self._place[table.indices[entries]], table.codes[entries].astype(np.int64), entries)
        ]
        for place, rows, codes in self._sensitive:
            here = slice(*np.searchsorted(rows, (first, last)).tolist())
            parts.append(_without_entries(rows[here], place, codes[here]))
        silent = self._silent[slice(*np.searchsorted(self._silent, (first, last)).tolist())]
        parts.append(_without_entries(silent, 0, np.full(len(silent), -1)))
        if first == 0 and len(self._unrated):
            nobody = np.full(len(self._unrated), -1)
            parts.append((np.zeros_like(self._unrated), self._unrated, nobody, nobody))
        records, issues, codes, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
        keys = records * len(self.names) + issues
        if bool(np.all(keys[1:] >= keys[:-1])):
            return [records, issues, codes, entries]
        order = np.argsort(keys, kind="stable")
        return [records[order], issues[order], codes[order], entries[order]]


def _without_entries(
    rows: NDArray[np.int64], place: int, codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    return rows, np.full(len(rows), place), codes, np.full(len(rows), -1)

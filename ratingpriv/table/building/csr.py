"""From coordinates (record, issue, code) to compressed sparse rows, in time linear in the ratings.

Counting sort by record, then every row by itself; input that is in order already is taken as it is. The
compiled kernels are loaded for large input only: small tables should not wait for a compiler.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.table.building.coding import Codes, smallest_code_type

__all__ = [
    "RowBuilder",
    "Rows",
    "available_processors",
    "in_order",
    "narrowed",
    "repeats",
    "rows_from_coordinates",
    "without",
]

_SMALL = 1 << 18  # below this many coordinates NumPy's sort is as quick as loading compiled code
_BLOCK = 1 << 22  # coordinates looked at together: bounds the temporary arrays


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows; a (record, issue) pair that stood twice stands twice here, in data order.

    Attributes
    ----------
    indptr : int64 (n_records + 1,)
    indices : int32 (n_ratings,); ascending within a record
    codes : uint8, uint16 or uint32 (n_ratings,), aligned with ``indices``
    order : int64 (n_ratings,); entry e was coordinate ``order[e]``. None: they were in order, or it was not
        asked for
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: Codes
    order: NDArray[np.int64] | None


def rows_from_coordinates(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, *, ordered: bool = False
) -> Rows:
    """Sort coordinates into rows; stable.

    Parameters
    ----------
    records, issues : integer (n_ratings,); positions. int32 is the leanest: it is not copied
    codes : uint8, uint16 or uint32 (n_ratings,)
    n_records : number of records; those without a coordinate get an empty row
    ordered : whether ``Rows.order`` is needed
    """
    if in_order(records, issues):
        indptr = np.searchsorted(records, np.arange(n_records + 1, dtype=records.dtype)).astype(np.int64)
        return Rows(indptr, np.ascontiguousarray(issues, dtype=np.int32), codes, None)
    if len(records) < _SMALL:
        return _rows_by_lexsort(records, issues, codes, n_records, ordered)
    return _rows_by_counting(records, issues, codes, n_records, ordered)


def in_order(records: NDArray[Any], issues: NDArray[Any]) -> bool:
    """Whether the coordinates ascend by record, then issue (equal pairs allowed)."""
    for at in range(0, len(records) - 1, _BLOCK):
        record, issue = records[at : at + _BLOCK + 1], issues[at : at + _BLOCK + 1]
        later = record[1:] > record[:-1]
        if not bool(np.all(later | ((record[1:] == record[:-1]) & (issue[1:] >= issue[:-1])))):
            return False
    return True


def repeats(rows: Rows) -> NDArray[np.int64]:
    """Entries of ``rows`` that have the record and issue of the entry before; ascending int64."""
    found = []
    for at in range(0, len(rows.indices) - 1, _BLOCK):
        block = rows.indices[at : at + _BLOCK + 1]
        found.append(np.flatnonzero(block[1:] == block[:-1]) + (at + 1))
    entries = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    first_of_row = rows.indptr[np.searchsorted(rows.indptr, entries, side="right") - 1] == entries
    again: NDArray[np.int64] = entries[~first_of_row]
    return again


class RowBuilder:
    """Rows of known lengths, filled chunk by chunk: the coordinates need never stand in memory together.

    Parameters
    ----------
    lengths : integer (n_records,); how many coordinates each record will get
    ordered : whether ``Rows.order`` is needed
    """

    def __init__(self, lengths: NDArray[Any], *, ordered: bool = False) -> None:
        self._indptr = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=self._indptr[1:])
        self._next = self._indptr[:-1].copy()
        total = int(self._indptr[-1])
        self._indices = np.empty(total, dtype=np.int32)
        self._codes: Codes = np.empty(total, dtype=np.uint8)
        self._order = np.empty(total if ordered else 0, dtype=np.int64)
        self._added = 0

    def add(self, records: NDArray[np.int32], issues: NDArray[np.int32], codes: Codes) -> None:
        """Add the next coordinates, in data order; wider codes than before widen all."""
        from ratingpriv.table.building import _csr as kernels

        widest: np.dtype[Any] = np.promote_types(codes.dtype, self._codes.dtype)
        self._codes = self._codes.astype(widest, copy=False)
        codes = codes.astype(widest, copy=False)
        kernels.scatter(
            records, issues, codes, self._next, self._indices, self._codes, self._order, self._added
        )
        self._added += len(records)

    def finish(self, threads: int | None = None) -> Rows:
        """Sort every row by issue and return the rows; the builder is spent."""
        from ratingpriv.table.building import _csr as kernels

        workers = threads or available_processors()
        n = len(self._indptr) - 1
        # pieces of equal numbers of ratings, a few for each worker so that nobody waits long for the last
        cuts = np.searchsorted(self._indptr, np.linspace(0, self._indptr[-1], 4 * workers + 1)[1:-1])
        pieces = np.unique(np.concatenate(([0], cuts, [n])))
        with ThreadPoolExecutor(workers) as pool:
            jobs = [
                pool.submit(
                    kernels.sort_rows, self._indptr, self._indices, self._codes, self._order, first, last
                )
                for first, last in zip(pieces[:-1].tolist(), pieces[1:].tolist(), strict=True)
            ]
            for job in jobs:
                job.result()
        return Rows(self._indptr, self._indices, self._codes, self._order if len(self._order) else None)


def _rows_by_lexsort(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, ordered: bool
) -> Rows:
    order = np.lexsort((issues, records))
    indptr = np.zeros(n_records + 1, dtype=np.int64)
    np.cumsum(np.bincount(records, minlength=n_records), out=indptr[1:])
    return Rows(indptr, issues[order].astype(np.int32), codes[order], order if ordered else None)


def _rows_by_counting(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, ordered: bool
) -> Rows:
    lengths = np.zeros(n_records, dtype=np.int64)
    for at in range(0, len(records), _BLOCK):
        lengths += np.bincount(records[at : at + _BLOCK], minlength=n_records)
    builder = RowBuilder(lengths, ordered=ordered)
    for at in range(0, len(records), _BLOCK):
        block = slice(at, at + _BLOCK)
        builder.add(
            np.ascontiguousarray(records[block], dtype=np.int32),
            np.ascontiguousarray(issues[block], dtype=np.int32),
            codes[block],
        )
    return builder.finish()


def without(rows: Rows, gone: NDArray[np.bool_], *, ordered: bool = False) -> Rows:
    """Leave out entries where ``gone`` (bool, n_ratings) is true; ``order`` is filled in if ``ordered``."""
    total = len(gone) - int(np.count_nonzero(gone))
    indptr = np.zeros_like(rows.indptr)
    indices = np.empty(total, dtype=np.int32)
    codes: Codes = np.empty(total, dtype=rows.codes.dtype)
    order = np.empty(total if ordered else 0, dtype=np.int64)
    done = 0
    for first in range(0, len(gone), _BLOCK):
        last = min(first + _BLOCK, len(gone))
        kept = np.flatnonzero(~gone[first:last])
        ends = slice(*np.searchsorted(rows.indptr, [first, last + 1]))  # records that end in this block
        indptr[ends] = done + np.searchsorted(kept, rows.indptr[ends] - first)
        here = slice(done, done + len(kept))
        indices[here] = rows.indices[first:last][kept]
        codes[here] = rows.codes[first:last][kept]
        if ordered:
            order[here] = kept + first if rows.order is None else rows.order[first:last][kept]
        done += len(kept)
    return Rows(indptr, indices, codes, order if ordered else None)


def narrowed(codes: Codes, n_levels: int) -> Codes:
    """Return ``codes`` in the smallest type for ``n_levels`` levels; as they are if they have it."""
    narrow: Codes = codes.astype(smallest_code_type(n_levels), copy=False)
    return narrow


def available_processors() -> int:
    """Return how many processors this process may use."""
    count = getattr(os, "process_cpu_count", os.cpu_count)  # the former is new in Python 3.13
    return int(count() or 1)

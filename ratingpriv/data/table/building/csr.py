"""From coordinates (record, issue, code) to compressed sparse rows.

Input that is in order already is taken as it is, few coordinates are sorted by NumPy, many by SciPy, which
is loaded for them only.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table.building.coding import Codes, smallest_code_type

_SMALL = 1 << 18  # below this many coordinates NumPy's sort is as quick as loading SciPy
_BLOCK = 1 << 22  # coordinates processed together: bounds the temporary arrays


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed sparse rows; a duplicated (record, issue) pair is duplicated here, in data order.

    Attributes
    ----------
    indptr : int64 (n_records + 1,)
    indices : int32 (n_ratings,); ascending within a record. ``EVERY_ISSUE`` only on the way to a table
    codes : uint8, uint16 or uint32 (n_ratings,), aligned with ``indices``
    order : int64 (n_ratings,); entry e was coordinate ``order[e]``. None: they were in order, or nobody asked
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: Codes
    order: NDArray[np.int64] | None


def rows_from_coordinates(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, *, ordered: bool = False
) -> Rows:
    """Sort coordinates, positions of which int32 is the leanest, into rows; stable.

    ``ordered`` : whether ``Rows.order`` is needed
    """
    if in_order(records, issues):
        indptr = np.searchsorted(records, np.arange(n_records + 1, dtype=records.dtype)).astype(np.int64)
        return Rows(indptr, np.ascontiguousarray(issues, dtype=np.int32), codes, None)
    if len(records) < _SMALL:
        return _rows_by_lexsort(records, issues, codes, n_records, ordered)
    return _rows_by_scipy(records, issues, codes, n_records, ordered)


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


def _rows_by_lexsort(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, ordered: bool
) -> Rows:
    order = np.lexsort((issues, records))
    indptr = np.zeros(n_records + 1, dtype=np.int64)
    np.cumsum(np.bincount(records, minlength=n_records), out=indptr[1:])
    return Rows(indptr, issues[order].astype(np.int32), codes[order], order if ordered else None)


def _rows_by_scipy(
    records: NDArray[Any], issues: NDArray[Any], codes: Codes, n_records: int, ordered: bool
) -> Rows:
    from scipy import sparse

    count = len(records)
    numbers = np.arange(count, dtype=np.int32 if count < 1 << 31 else np.int64)
    shape = (n_records, int(issues.max(initial=0)) + 1)
    rows = sparse.coo_array((numbers, (records, issues)), shape=shape).tocsr()
    if rows.nnz < count:  # SciPy adds up the numbers of a duplicated pair: sort without adding
        return _rows_by_lexsort(records, issues, codes, n_records, ordered)
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False)
    return Rows(indptr, indices, codes[rows.data], rows.data.astype(np.int64) if ordered else None)


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


def relevelled(rows: Rows, levels: NDArray[np.float64]) -> tuple[Rows, NDArray[np.float64]]:
    """Leave out levels that no rating has any more; a code one past the levels stays one past them."""
    rated = np.zeros(len(levels) + 1, dtype=bool)
    for first in range(0, len(rows.codes), _BLOCK):
        rated[rows.codes[first : first + _BLOCK]] = True
    used = rated[:-1]
    if used.all():
        return rows, levels
    renumbered = np.append(np.cumsum(used) - 1, np.count_nonzero(used))
    codes: Codes = renumbered.astype(smallest_code_type(len(levels) + 1))[rows.codes]
    return dataclasses.replace(rows, codes=codes), levels[used]


def narrowed(codes: Codes, n_levels: int) -> Codes:
    """Return ``codes`` in the smallest type for ``n_levels`` levels; as they are if they have it."""
    narrow: Codes = codes.astype(smallest_code_type(n_levels), copy=False)
    return narrow

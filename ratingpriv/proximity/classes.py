"""Tables whose neighbourhoods are classes: identical rows (ε parts any two levels), or all of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.hashing import hash_codes
from ratingpriv.data.table import RatingTable

_RATINGS = 1 << 22  # compared at a time


@dataclass(frozen=True, slots=True)
class Classes:
    """A partition of the records in which every record's neighbourhood is its class, 0..count-1."""

    of: NDArray[np.int64]
    count: int


def identical_rows(table: RatingTable, order: NDArray[np.int64], starts: NDArray[np.int64]) -> Classes:
    """Partition the records of each group by equal codes."""
    n = table.n_records
    sizes = np.diff(starts)
    group_of = np.empty(n, dtype=np.int64)
    group_of[order] = np.repeat(np.arange(len(sizes)), sizes)
    digest = np.empty(n, dtype=np.uint64)
    hash_codes(table.indptr, table.codes, digest)
    by = np.lexsort((digest, group_of))
    new = np.ones(n, dtype=bool)
    same = (group_of[by[1:]] == group_of[by[:-1]]) & (digest[by[1:]] == digest[by[:-1]])
    new[1:] = ~same
    # equal digests are compared rating by rating: within a group rows are aligned
    later = np.flatnonzero(same) + 1
    # two different rows of one digest are sorted out by their bytes
    if _any_differs(table, by[later], by[later - 1]):
        number: dict[tuple[int, bytes], int] = {}
        keys = (
            (int(group_of[i]), table.codes[table.indptr[i] : table.indptr[i + 1]].tobytes()) for i in range(n)
        )
        return Classes(
            np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64), len(number)
        )
    of = np.empty(n, dtype=np.int64)
    of[by] = np.cumsum(new) - 1
    return Classes(of, int(np.count_nonzero(new)))


def _any_differs(table: RatingTable, records: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether the codes of a record of ``records`` and of its counterpart, as long, in ``other`` differ."""
    widths = np.diff(table.indptr)[records]
    for first, last in _blocks(widths):
        width = widths[first:last]
        entry = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
        own, its = (np.repeat(table.indptr[of[first:last]], width) + entry for of in (records, other))
        if bool((table.codes[own] != table.codes[its]).any()):
            return True
    return False


def _blocks(widths: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of records that cover all, of so many ratings together: what is made of them is large."""
    ends, first = np.cumsum(widths), 0
    while first < len(widths):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _RATINGS, side="right")))
        yield first, last
        first = last

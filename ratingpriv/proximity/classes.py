"""Tables whose neighbourhoods are classes: identical rows (ε parts any two levels), or all of a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.hashing import hash_codes
from ratingpriv.base.compute.parallel import portions
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
    widths = np.diff(table.indptr)[by[later]]
    for first, last in portions(np.cumsum(widths), _RATINGS):
        width = widths[first:last]
        entry = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
        own, its = (np.repeat(table.indptr[by[of[first:last]]], width) + entry for of in (later, later - 1))
        if not bool((table.codes[own] != table.codes[its]).any()):
            continue
        # two different rows of one digest are sorted out by their bytes
        rows = (table.codes[table.indptr[i] : table.indptr[i + 1]].tobytes() for i in range(n))
        number: dict[tuple[int, bytes], int] = {}
        keys = zip(group_of.tolist(), rows, strict=True)
        return Classes(np.array([number.setdefault(key, len(number)) for key in keys]), len(number))
    of = np.empty(n, dtype=np.int64)
    of[by] = np.cumsum(new) - 1
    return Classes(of, int(np.count_nonzero(new)))

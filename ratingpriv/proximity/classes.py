"""Tables whose neighbourhoods are classes: identical rows (ε parts any two levels), or all of a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.proximity._hamming import hash_rows
from ratingpriv.proximity.fixed_rules import numbered_by_first
from ratingpriv.proximity.hamming import number_rows


@dataclass(frozen=True, slots=True)
class Classes:
    """A partition of the records in which every record's neighbourhood is its class, 0..count-1."""

    of: NDArray[np.int64]
    count: int


def identical_rows(table: RatingTable, order: NDArray[np.int64], starts: NDArray[np.int64]) -> Classes:
    """Partition the records of each group, ``order[starts[g]:starts[g + 1]]``, by equal codes."""
    digest = np.empty(table.n_records, dtype=np.uint64)
    hash_rows(table.indptr, table.codes, digest, 0, table.n_records)
    of, count = number_rows(table.indptr, table.codes, digest)
    if len(starts) > 2:
        group_of = np.empty_like(of)
        group_of[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        of, count = numbered_by_first(group_of * count + of)
    return Classes(of, count)

"""Tables whose neighbourhoods are classes: identical rows (ε parts any two levels),
or all of a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.proximity._hamming import hash_rows
from ratingpriv.proximity.fixed_rules import numbered_by_first
from ratingpriv.proximity.hamming import number_rows

_WORDS = 1 << 21  # of 64 bits


@dataclass(frozen=True, slots=True)
class Classes:
    """A partition of the records in which every record's neighbourhood is its class, 0..count-1."""

    of: NDArray[np.int64]
    count: int


def identical_rows(
    table: RatingTable, order: NDArray[np.int64], starts: NDArray[np.int64]
) -> Classes:
    """Partition the records of each group, ``order[starts[g]:starts[g + 1]]``, by equal codes."""
    n, p = table.n_records, table.n_issues
    words = -(-p // (64 // max(1, (len(table.levels) - 1).bit_length())))
    if table.n_ratings == n * p and 0 < n * words <= _WORDS:  # it takes longer to load the kernels
        of, count = _of_complete(table.codes.reshape(n, p), words)
    else:
        digest = np.empty(n, dtype=np.uint64)
        hash_rows(table.indptr, table.codes, digest, 0, n)
        of, count = number_rows(table.indptr, table.codes, digest)
    if len(starts) > 2:
        group_of = np.empty_like(of)
        group_of[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        of, count = numbered_by_first(group_of * count + of)
    return Classes(of, count)


def _of_complete(
    codes: NDArray[np.unsignedinteger[Any]], words: int
) -> tuple[NDArray[np.int64], int]:
    """Return numbers of the rows of ``codes``, (n, p), by first rows, and how many of them.

    The codes of a row stand side by side in ``words`` words of 64 bits: of 21 columns, each has
    three bits.
    """
    of, count = np.zeros(len(codes), dtype=np.int64), 1
    for some in np.array_split(codes, words, axis=1):
        word = np.zeros(len(codes), dtype=np.uint64)
        for column in some.T:
            word = (word << np.uint64(64 // some.shape[1])) | column
        places, distinct = numbered_by_first(word.view(np.int64))
        of, count = (places, distinct) if count == 1 else numbered_by_first(of * distinct + places)
    return of, count

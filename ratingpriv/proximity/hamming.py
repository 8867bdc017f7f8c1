"""Hamming groups: records that rate the same issues,
and how far apart they are [SWLZ11, Def. 5.2-5.3].

Records that differ on a quasi-identifier that has to be equal are of different groups, too [ours].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import share_out
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity import _hamming as kernels
from ratingpriv.proximity.fixed_rules import equal_classes, numbered_by_first

_WORTH_A_THREAD = 1 << 22  # ratings that one thread hashes in a few milliseconds


@dataclass(frozen=True, slots=True)
class HammingGroups:
    """The maximal Hamming groups of a table, numbered by their first record.

    ``support_sizes`` are how many issues a group's records rate; group g is
    ``order[starts[g]:starts[g + 1]]``, ascending. All int64.
    """

    group_of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    support_sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]


def hamming_groups(table: RatingTable, *, threads: int | None = None) -> HammingGroups:
    """Group the records of ``table`` by equal support,
    and by the quasi-identifiers that have to be equal.

    Implements [SWLZ11, Def. 5.2-5.3]. Exact; records that rate nothing form one group. One pass
    over the ratings to hash the supports, a second one only over records whose hash has been met
    before.
    """
    group_of, n_groups = _group_of(table, threads)
    sizes = np.bincount(group_of, minlength=n_groups)
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    order = np.arange(len(group_of))
    if n_groups not in (1, len(group_of)):  # else numbering by first record leaves all in place
        # numbers of 16 bits are sorted by their digits, which is linear
        order = np.lexsort((group_of.astype(np.uint16), (group_of >> 16).astype(np.uint16)))
    first = order[starts[:-1]]
    support_sizes = table.indptr[first + 1] - table.indptr[first]
    return HammingGroups(group_of, sizes, support_sizes, order, starts)


def hamming_group_sizes(table: RatingTable, *, threads: int | None = None) -> NDArray[np.int64]:
    """Return how many records each of the :func:`hamming_groups` has, int64 (n_groups,)."""
    group_of, n_groups = _group_of(table, threads)
    return np.bincount(group_of, minlength=n_groups)


def _group_of(table: RatingTable, threads: int | None) -> tuple[NDArray[np.int64], int]:
    """Return the group of each record, numbered by first records, and how many groups there are."""
    n = table.n_records
    if table.n_ratings in (0, n * table.n_issues):  # all rate nothing, or everything
        group_of, n_groups = np.zeros(n, dtype=np.int64), min(n, 1)
    else:
        hashes = _hashed(table.indptr, table.indices, threads)
        group_of, n_groups = number_rows(table.indptr, table.indices, hashes)
    classes = equal_classes(table.quasi)
    if classes is not None and n:
        group_of, n_groups = numbered_by_first(group_of * (int(classes.max()) + 1) + classes)
    return group_of, n_groups


def number_rows(
    indptr: NDArray[np.int64], content: NDArray[Any], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], int]:
    """Return numbers of the rows of ``content``, equal where rows are, by first rows; and how many.

    ``hashes`` are equal where rows are, as a rule only there.
    """
    group_of, leaders = np.empty((2, len(hashes)), dtype=np.int64)
    slots = np.full(1 << (2 * len(hashes)).bit_length(), -1, dtype=np.int32)
    return group_of, int(kernels.number_rows(indptr, content, hashes, slots, group_of, leaders))


def _hashed(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], threads: int | None
) -> NDArray[np.uint64]:
    """Return a hash of each row, uint64 (n_records,)."""
    hashes = np.empty(len(indptr) - 1, dtype=np.uint64)

    def rows(first: int, last: int) -> None:
        kernels.hash_rows(indptr, indices, hashes, first, last)

    if len(indices) < 2 * _WORTH_A_THREAD:
        rows(0, len(hashes))
    else:
        share_out(rows, np.diff(indptr), threads, None, "hashing")
    return hashes

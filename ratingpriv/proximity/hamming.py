"""Hamming groups: records that rate the same issues [SWLZ11, Def. 5.2-5.3]."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.parallel import Run
from ratingpriv.compute.resources import Resources
from ratingpriv.table import RatingTable

__all__ = ["HammingGroups", "hamming_groups"]

_WORTH_A_THREAD = 1 << 22  # ratings that one thread hashes in a few milliseconds


@dataclass(frozen=True, slots=True)
class HammingGroups:
    """The maximal Hamming groups of a table, numbered by their first record.

    Attributes
    ----------
    group_of : int64 (n_records,); the group of each record
    sizes : int64 (n_groups,); records in each group
    support_sizes : int64 (n_groups,); issues that the group's records rate
    order : int64 (n_records,); record positions, grouped, ascending within a group
    starts : int64 (n_groups + 1,); group g is ``order[starts[g]:starts[g + 1]]``
    """

    group_of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    support_sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]


def hamming_groups(table: RatingTable, *, threads: int | None = None) -> HammingGroups:
    """Group the records of ``table`` by equal support.

    Implements [SWLZ11, Def. 5.2-5.3]. Exact; records that rate nothing form one group. One pass over the
    ratings to hash the supports, a second one only over records whose hash has been met before.

    Parameters
    ----------
    table : the RatingTable
    threads : how many may work at once; None is one for each processor
    """
    n = table.n_records
    if table.n_ratings in (0, n * table.n_issues):  # all rate nothing, or everything
        return _grouped(np.zeros(n, dtype=np.int64), min(n, 1), table.indptr)
    hashes = _hashed(table.indptr, table.indices, threads)
    group_of, n_groups = _numbered(table.indptr, table.indices, hashes)
    return _grouped(group_of, n_groups, table.indptr)


def _hashed(indptr: NDArray[np.int64], indices: NDArray[np.int32], threads: int | None) -> NDArray[np.uint64]:
    """Return a hash of each row, uint64 (n_records,)."""
    from ratingpriv.proximity import _hamming as kernels

    n = len(indptr) - 1
    hashes = np.empty(n, dtype=np.uint64)
    pieces = max(1, min(Resources(threads=threads).thread_count, len(indices) // _WORTH_A_THREAD))
    cuts = np.searchsorted(indptr, np.linspace(0, len(indices), pieces + 1)[1:-1])
    bounds = [0, *cuts.tolist(), n]

    def piece(first: int, last: int) -> Callable[[int], None]:
        return lambda _: kernels.hash_rows(indptr, indices, hashes, first, last)

    Run(pieces, None, "hashing")(
        [(last - first, piece(first, last)) for first, last in itertools.pairwise(bounds)]
    )
    return hashes


def _numbered(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], int]:
    """Return (group of each row, how many groups); right for any ``hashes`` that are equal where rows are."""
    from ratingpriv.proximity import _hamming as kernels

    n = len(hashes)
    table = np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
    group_of = np.empty(n, dtype=np.int64)
    leaders = np.empty(n, dtype=np.int64)
    n_groups = kernels.number_rows(indptr, indices, hashes, table, group_of, leaders)
    return group_of, int(n_groups)


def _grouped(group_of: NDArray[np.int64], n_groups: int, indptr: NDArray[np.int64]) -> HammingGroups:
    """Collect the members of the groups."""
    n = len(group_of)
    sizes = np.bincount(group_of, minlength=n_groups)
    alone = n_groups in (1, n)  # then numbering by first record leaves all in place
    order = np.arange(n) if alone else np.argsort(group_of, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)))
    support_sizes = np.diff(indptr)[order[starts[:-1]]]
    return HammingGroups(group_of, sizes, support_sizes, order, starts)

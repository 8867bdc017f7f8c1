"""Hamming groups: records that rate the same issues, and how far apart they are [SWLZ11, Def. 5.2-5.3].

Records that differ on a quasi-identifier that has to be equal are of different groups, too [ours].
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.fixed_rules import equal_classes, numbered_by_first

_WORTH_A_THREAD = 1 << 22  # ratings that one thread hashes in a few milliseconds


@dataclass(frozen=True, slots=True)
class HammingGroups:
    """The maximal Hamming groups of a table, numbered by their first record.

    ``support_sizes`` are how many issues a group's records rate; group g is ``order[starts[g]:starts[g +
    1]]``, ascending. All int64.
    """

    group_of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    support_sizes: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]


def hamming_groups(table: RatingTable, *, threads: int | None = None) -> HammingGroups:
    """Group the records of ``table`` by equal support, and by the quasi-identifiers that have to be equal.

    Implements [SWLZ11, Def. 5.2-5.3]. Exact; records that rate nothing form one group. One pass over the
    ratings to hash the supports, a second one only over records whose hash has been met before.
    """
    group_of, n_groups = _group_of(table, threads)
    return _grouped(group_of, n_groups, table.indptr)


def hamming_group_sizes(table: RatingTable, *, threads: int | None = None) -> NDArray[np.int64]:
    """Return how many records each of the :func:`hamming_groups` has, int64 (n_groups,)."""
    if _all_alike(table) and equal_classes(table.quasi) is None:
        return np.full(min(table.n_records, 1), table.n_records, dtype=np.int64)
    group_of, n_groups = _group_of(table, threads)
    return np.bincount(group_of, minlength=n_groups)


def _all_alike(table: RatingTable) -> bool:
    """Return whether all rate nothing, or everything."""
    return table.n_ratings in (0, table.n_records * table.n_issues)


def _group_of(table: RatingTable, threads: int | None) -> tuple[NDArray[np.int64], int]:
    """Return the group of each record, numbered by first records, and how many groups there are."""
    n = table.n_records
    if _all_alike(table):
        group_of, n_groups = np.zeros(n, dtype=np.int64), min(n, 1)
    else:
        hashes = _hashed(table.indptr, table.indices, threads)
        group_of, n_groups = _numbered(table.indptr, table.indices, hashes)
    classes = equal_classes(table.quasi)
    if classes is not None and n:
        group_of, n_groups = numbered_by_first(group_of * (int(classes.max()) + 1) + classes)
    return group_of, n_groups


@dataclass(frozen=True, slots=True)
class NearestGroup:
    """A Hamming group as seen from a record of another one.

    ``distance`` counts the issues that the record or the group rates, but not both: that many cells would
    have to be imputed or suppressed in each record that is lent.
    """

    group: int
    distance: int
    size: int
    first_record: int


def hamming_distances(table: RatingTable, record: int) -> NDArray[np.int64]:
    """Return the Hamming distance between a record's row of the flag matrix F and every row.

    Implements [SWLZ11, Def. 5.2]: how many issues one of the two rates and the other does not; 0 for its
    whole Hamming group.
    """
    record = _position(table, record)
    mine = np.zeros(table.n_issues, dtype=np.int64)
    mine[table.indices[table.indptr[record] : table.indptr[record + 1]]] = 1
    before = np.concatenate(([0], np.cumsum(mine[table.indices])))
    common = before[table.indptr[1:]] - before[table.indptr[:-1]]
    rated: NDArray[np.int64] = np.diff(table.indptr)
    return np.asarray(rated + rated[record] - 2 * common)


def nearest_hamming_groups(table: RatingTable, record: int, n: int) -> tuple[NearestGroup, ...]:
    """Return the ``n`` Hamming groups nearest to a record's own, without that: who could lend to it.

    The order is that in which [SWLP10, §4.4, Case 3] looks for lenders; at equal distance the group with the
    first record comes first. Groups with other values of the quasi-identifiers that have to be equal are left
    out too: those cannot be changed.
    """
    n = checks.whole_number("n", n, 1)
    distances = hamming_distances(table, record)
    groups = hamming_groups(table)
    first = groups.order[groups.starts[:-1]]
    by_distance = np.argsort(distances[first], kind="stable")  # groups are numbered by their first records
    classes = equal_classes(table.quasi)
    if classes is not None:
        by_distance = by_distance[classes[first[by_distance]] == classes[record]]
    others = by_distance[by_distance != groups.group_of[record]][:n]
    return tuple(
        NearestGroup(int(g), int(distances[first[g]]), int(groups.sizes[g]), int(first[g])) for g in others
    )


def _position(table: RatingTable, record: int) -> int:
    """Return ``record``, which must be the position of a record."""
    record = checks.whole_number("record", record, 0)
    if record >= table.n_records:
        raise ParameterError("record", record, f"a position below {table.n_records}, the number of records")
    return record


def _hashed(indptr: NDArray[np.int64], indices: NDArray[np.int32], threads: int | None) -> NDArray[np.uint64]:
    """Return a hash of each row, uint64 (n_records,)."""
    from ratingpriv.proximity import _hamming as kernels

    n = len(indptr) - 1
    hashes = np.empty(n, dtype=np.uint64)
    pieces = min(Resources(threads=threads).thread_count, len(indices) // _WORTH_A_THREAD)
    if pieces <= 1:
        kernels.hash_rows(indptr, indices, hashes, 0, n)
        return hashes
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
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    order = np.arange(n)
    if n_groups not in (1, n):  # else numbering by first record leaves all in place
        from ratingpriv.proximity import _hamming as kernels

        kernels.order_rows(group_of, starts[:-1].copy(), order)
    first = order[starts[:-1]]
    support_sizes = indptr[first + 1] - indptr[first]
    return HammingGroups(group_of, sizes, support_sizes, order, starts)

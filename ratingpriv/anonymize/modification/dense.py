"""A table as a dense matrix of small codes, which is what groups are sought in.

Or as several of them.

A matrix of Netflix's size, 480,189 x 17,770, takes 8.5 GB, nearly all of it nulls. Where a null
separates, records of different Hamming groups are never proximate [SWLZ11, Eq. 1], so that records
that rate the same can be seen to by themselves: rows of their Hamming group, columns of its own
issues. Left are the records of Hamming groups of fewer than k: they are laid out together, on the
issues that any of them rates. [ours]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import share_out
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Measure
from ratingpriv.proximity.fixed_rules import with_own_issues
from ratingpriv.proximity.hamming import hamming_groups

_ROOM = 4 << 30
_COARSE = 32  # levels that a group's cost is worked out with
_GAP = 1e6  # between the levels of one column and the next: nothing is moved across
_MOST = 255  # levels that uint8 codes tell apart, beside null


@dataclass(frozen=True, slots=True)
class Band:
    """The levels of one quasi-identifier that may differ, behind those of the ratings."""

    first: int  # which levels
    stop: int
    width: float  # the widest that a window may be, and the ends of the range, as levels are
    smallest: float
    largest: float


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """Codes of every cell.

    The levels of a quasi-identifier count its ``weight`` times, and are moved up behind those of
    the ratings. Where they are not ``exact``, the table's own, ratings are rounded to them, which
    is good enough to choose groups with, and for nothing else.
    """

    codes: NDArray[np.uint8]  # (n, p); positions in ``levels``, ``len(levels)`` where null
    levels: NDArray[np.float64]  # (n_levels,), ascending
    exact: bool
    numbers: NDArray[np.float64]  # (n_levels,); the numbers of the Measure
    bands: tuple[Band, ...] = ()


def dense(table: RatingTable, by: Measure, memory: int | None, most: int = _COARSE) -> Dense:
    """Return the ratings of ``table`` as codes of at most ``most`` <= 255 levels.

    ResourceError where the matrix would take more than ``memory`` bytes (None: 4 GiB).
    """
    table = with_own_issues(table)
    n, p = table.n_records, table.n_issues
    room = _ROOM if memory is None else memory
    if not fits_whole(n, p, memory):
        raise ResourceError(
            f"memory: found {n} records on {p} items, {n * p} bytes to look for groups in, "
            f"expected at most {room}; select fewer items (`issues='top:100'`), raise `memory`, "
            "or use `strategy='paper'`"
        )
    used = np.bincount(table.codes, minlength=len(by.every_number))
    levels, of_code = _rounded(used[: len(by.numbers)], by.numbers, min(most, _MOST))
    exact, numbers, bands, first = len(levels) == len(by.numbers), levels, [], len(by.numbers)
    for number, column in enumerate(by.own):
        share = max(1, min(most, (_MOST - len(levels)) // (len(by.own) - number)))
        stop = first + len(column.numbers)
        own, of_own = _rounded(used[first:stop], column.numbers, share)
        exact, first = exact and len(own) == len(column.numbers), stop
        behind = (
            (float(levels[-1]) if len(levels) else 0.0) + _GAP - column.smallest * column.weight
        )
        low, high = (
            column.smallest * column.weight + behind,
            column.largest * column.weight + behind,
        )
        start = len(levels)
        bands.append(Band(start, start + len(own), column.width * column.weight, low, high))
        of_code = np.concatenate((of_code, of_own + np.uint8(start))).astype(np.uint8)
        levels = np.concatenate((levels, own * column.weight + behind))
        numbers = np.concatenate((numbers, own))
    codes = np.full((n, p), len(levels), dtype=np.uint8)
    records = np.repeat(np.arange(n), np.diff(table.indptr))
    codes[records, table.indices] = of_code[table.codes]
    return Dense(codes, levels, exact, numbers, tuple(bands))


def fits_whole(records: int, issues: int, memory: int | None) -> bool:
    """Return whether one matrix of them all takes at most ``memory`` bytes (None: 4 GiB)."""
    return records * issues <= (_ROOM if memory is None else memory)


def labels_by_support(
    table: RatingTable,
    k: int,
    core: NDArray[np.bool_],
    group_rows: Callable[[RatingTable, np.random.Generator, Resources], NDArray[np.int64]],
    rng: np.random.Generator,
    resources: Resources,
) -> NDArray[np.int64]:
    """Return groups of at least ``k``, int64 (n,),
    -1 for those of the ``core`` who stay as they are.

    A Hamming group with fewer than k records outside the core is grouped as a whole. Where fewer
    than k are in Hamming groups that are too small, they are grouped with the smallest that is not.
    A null separates; ``group_rows`` gives labels >= 0 of groups of at least k for all records of a
    table. Every Hamming group draws from a generator of its own: threads change nothing.
    """
    hamming = hamming_groups(table)
    labels = np.full(table.n_records, -1, dtype=np.int64)
    large = np.flatnonzero(hamming.sizes >= k)
    parts = []
    small = np.flatnonzero((hamming.sizes < k)[hamming.group_of])
    taken = -1
    if 0 < len(small) < k:
        taken = int(large[np.argmin(hamming.sizes[large])])
        small = np.union1d(small, np.flatnonzero(hamming.group_of == taken))
    for number in large[large != taken].tolist():
        members = np.sort(hamming.order[hamming.starts[number] : hamming.starts[number + 1]])
        outside = members[~core[members]]
        parts.append(outside if len(outside) >= k else members[: len(members) * bool(len(outside))])
    parts = sorted((records for records in (*parts, small) if len(records)), key=len, reverse=True)
    seeds = rng.integers(0, 1 << 63, len(parts)).tolist()
    own = replace(resources, threads=1, progress=None) if len(parts) > 1 else resources
    of_parts = [labels] * len(parts)

    def group(first: int, last: int) -> None:
        for i in range(first, last):
            part = table.take(parts[i])  # on the issues that any of them rates
            rated = np.unique(part.indices)
            column = np.zeros(table.n_issues, dtype=np.int32)
            column[rated] = np.arange(len(rated))
            issues = tuple(table.issues[issue] for issue in rated.tolist())
            part = part.replace(issues=issues, indices=column[part.indices])
            of_parts[i] = group_rows(part, np.random.default_rng(seeds[i]), own)

    sizes = np.array([len(records) for records in parts])
    share_out(
        group, sizes, resources.threads, resources.progress, "grouping records that rate the same"
    )
    fresh = 0
    for records, of_part in zip(parts, of_parts, strict=True):
        labels[records] = fresh + of_part
        fresh += int(of_part.max()) + 1
    return labels


def _rounded(
    used: NDArray[np.int64], numbers: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return (levels, the level of each code); ``used`` : how often each code is there."""
    if len(numbers) <= most:
        return numbers, np.arange(len(numbers), dtype=np.uint8)
    reached = np.cumsum(used)
    used, new = np.unique(
        np.minimum(reached * most // (reached[-1] + 1), most - 1), return_inverse=True
    )
    middle = np.bincount(new, weights=numbers) / np.bincount(new)
    return middle[: len(used)], new.astype(np.uint8)

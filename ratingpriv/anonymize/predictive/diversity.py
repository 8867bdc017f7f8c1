"""(b,l)-diversity: whoever knows b ratings of somebody finds them in
at least l groups [CTWY10, Def. 6].

Implements [CTWY10, Def. 6]: every ``b`` issues that some record of the original rates together lie
in N(C), the issues that the members of C are released with, of at least ``l`` groups C. For b = 2
that says nothing of an issue whose only raters rate nothing else. What is added to a group is added
to all its members.

How a shortage is made good is ours, the paper has no way: the sets that lie in too few groups are
gone through in ascending order of how many those are, then by position, and each gets the groups
that lack the fewest of its issues, ties at random. An addition only ever helps other sets, so one
pass is enough. For b >= 3 that is done level by level, single issues, pairs, and so on: N(C) holds
no set without its subsets.

Costs: for b = 2, O(groups * issues^2) multiply-adds and O(sum of squared ratings per record), and
about ``5 * groups * issues + 28 * short pairs`` bytes, of which there are issues^2 / 2 at most: 475
MB for 5,000 issues and 5,000 groups. For b >= 3 the sets are looked at one by one; beyond BUDGET of
them it is not decided.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError, TargetNotReachedError
from ratingpriv.data.table import RatingTable

BUDGET = 10_000_000
"""Sets of issues that are looked at for each b >= 3 before the answer is "not decided"."""

_MEMORY = 4 << 30  # bytes, where no limit is given
_BLOCK = 256  # issues whose pairs are looked at together
_ROWS = 1 << 16  # sets that are Python's at a time


def coverage_of(labels: NDArray[np.int32], table: RatingTable) -> NDArray[np.bool_]:
    """Return N(C) of every group, bool (groups, issues): what at least one of its members rates.

    ``labels`` int32 (n_records,) are the groups, 0..groups-1.
    """
    coverage = np.zeros((int(labels.max()) + 1, table.n_issues), dtype=np.bool_)
    coverage[np.repeat(labels, np.diff(table.indptr)), table.indices] = True
    return coverage


def refuse_beyond_groups(l: int, groups: int) -> None:  # noqa: E741 -- the theory's word
    """Raise TargetNotReachedError for an ``l`` of more than all groups,
    which no addition can reach.
    """
    if l > groups:
        raise TargetNotReachedError(
            f"l = {l} of (b,l)-diversity is out of reach, proved: with this k there are {groups} "
            f"groups, and no set of items occurs in more; ask for an l of at most {groups}, or for "
            f"a smaller k"
        )


def diversified(
    labels: NDArray[np.int32],
    table: RatingTable,
    diversity: tuple[int, int],
    rng: np.random.Generator,
    *,
    original: RatingTable | None = None,
    resources: Resources = Resources(),
) -> NDArray[np.int32]:
    """Return what groups need so that every b issues rated together
    lie in l of them [CTWY10, Def. 6].

    int32 (a, 2): (group, issue) ascending. ``diversity`` is (b, l); ``labels`` as for
    :func:`coverage_of`, of the records of ``table``; ``original`` (None: ``table``) has the records
    whose ratings somebody may know, with those that are not released.

    Raises
    ------
    TargetNotReachedError
        There are fewer than l groups, or too many sets of issues to look at.
    ResourceError
        The pairs of issues need more than ``memory``.
    """
    (b, l), original = diversity, original or table  # noqa: E741 -- the theory's word
    coverage, added = coverage_of(labels, table), list[tuple[int, int]]()
    refuse_beyond_groups(l, len(coverage))
    rated = _rated(original, b)
    for size in range(1, b + 1) if b > 2 else (b,):
        short = _short_sets(rated, coverage, size, l, resources)
        added += [] if short is None else _widen(coverage, short, l, rng)
    if check_diversity(coverage, original, b, l, resources=resources) is not True:
        raise TargetNotReachedError(
            f"({b}, {l})-diversity: not decided: the sets of {b} items that are rated together "
            f"are too many to look at (more than {BUDGET:,}); nothing is released without it: ask "
            "for a smaller b or l"
        )
    return np.array(sorted(added), dtype=np.int32).reshape(-1, 2)


def check_diversity(
    coverage: NDArray[np.bool_],
    table: RatingTable,
    b: int,
    l: int,  # noqa: E741 -- the theory's word
    *,
    resources: Resources = Resources(),
) -> bool | None:
    """Return whether every ``b`` issues that a record of ``table``
    rates together lie in ``l`` groups.

    ``coverage`` is of the issues of ``table``, the original. None is "not decided", as there are
    more than BUDGET sets; never taken for True.
    """
    rated = _rated(table, b)
    # a set that is short makes every larger one short: the smaller sizes may answer, cheaply
    for size in range(1, b + 1):
        short = _short_sets(rated, coverage, size, l, resources)
        if short is None or len(short):
            return None if short is None else False
    return True


def _rated(table: RatingTable, b: int) -> Any:
    """Return the ratings of records that have ``b``, scipy CSR int32 (records, issues) of ones."""
    from scipy import sparse

    counts = np.diff(table.indptr)
    keep = counts >= b
    indices = table.indices[np.repeat(keep, counts)]
    indptr = np.concatenate(([0], np.cumsum(counts[keep])))
    ones = np.ones(len(indices), dtype=np.int32)
    return sparse.csr_array((ones, indices, indptr), shape=(int(keep.sum()), table.n_issues))


def _short_sets(
    rated: Any, coverage: NDArray[np.bool_], size: int, least: int, resources: Resources
) -> NDArray[np.int32] | None:
    """Return the sets of ``size`` issues rated together that lie in fewer than ``least`` groups.

    int32 (s, size), in ascending order of how many groups those are, then of positions. None: not
    decided.
    """
    if size == 1:
        counts, issues = coverage.sum(axis=0), np.unique(rated.indices)
        issues = issues[counts[issues] < least]
        sets, groups = issues[:, None], counts[issues]
    elif size == 2:
        sets, groups = _short_pairs(rated, coverage, least, resources)
    else:
        listed = _listed(rated, coverage, size, least, resources)
        if listed is None:
            return None
        sets, groups = listed
    order = np.argsort(groups, kind="stable")
    return np.ascontiguousarray(sets[order], dtype=np.int32)


def _short_pairs(
    rated: Any, coverage: NDArray[np.bool_], least: int, resources: Resources
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the short pairs, int32 (s, 2), ascending, and in how many groups each lies,
    int32 (s,).
    """
    n, limit = coverage.shape[1], resources.memory or _MEMORY
    exact = coverage.astype(np.float32)  # by BLAS, which counts exactly below 2**24 groups
    sets, groups, total = [np.empty((0, 2), np.int32)], [np.empty(0, np.int32)], 0
    for first in range(0, n, _BLOCK):
        stop = min(first + _BLOCK, n)
        together = (rated[:, first:stop].T @ rated)[:, first:].toarray() > 0
        # S = covᵀ cov, these rows of it
        counts: NDArray[Any] = exact[:, first:stop].T @ exact[:, first:]
        i, j = np.nonzero(np.triu(together & (counts < least), 1))
        sets.append(np.stack([i + first, j + first], axis=1).astype(np.int32))
        groups.append(counts[i, j].astype(np.int32))
        total += len(i)
        needed = 5 * coverage.size + 28 * total
        if needed > limit:
            raise ResourceError(
                f"pairs of {n:,} items in {len(coverage):,} groups: {needed >> 20:,} MiB are "
                f"needed, and {limit >> 20:,} MiB allowed; raise `memory`, take fewer items, or "
                "ask for b = 1"
            )
        resources.report("pairs of items", stop, n)
    return np.concatenate(sets), np.concatenate(groups)


def _listed(
    rated: Any, coverage: NDArray[np.bool_], size: int, least: int, resources: Resources
) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """Return the short sets, int32 (s, size), ascending, and in how many groups each lies,
    int64 (s,).

    None: there are more than BUDGET sets, the smaller ones on the way to them included.
    """
    raters = rated.tocsc()
    sets, groups, looked = [np.empty((0, size), np.int32)], [np.empty(0, np.int64)], 0

    def larger(
        prefix: tuple[int, ...], records: NDArray[Any], covering: NDArray[np.int64]
    ) -> Iterator[tuple[tuple[int, ...], NDArray[Any], NDArray[np.int64]]]:
        """Yield (all but the last issue of a set, every last issue,
        the groups that hold the first ones).
        """
        nonlocal looked
        last = np.unique(rated[records].indices)
        last = last[last > prefix[-1]] if prefix else last
        looked += len(last)
        if len(prefix) == size - 1:
            yield prefix, last, covering
            return
        for issue in last.tolist():
            if looked > BUDGET:
                return
            also = raters.indices[raters.indptr[issue] : raters.indptr[issue + 1]]
            both = np.intersect1d(records, also, assume_unique=True)
            yield from larger((*prefix, issue), both, covering[coverage[covering, issue]])

    for prefix, last, covering in larger((), np.arange(rated.shape[0]), np.arange(len(coverage))):
        if looked > BUDGET:
            return None
        counts = coverage[np.ix_(covering, last)].sum(axis=0)
        short = counts < least
        first = np.tile(np.array(prefix, dtype=np.int32), (int(short.sum()), 1))
        sets.append(np.hstack([first, last[short, None]]).astype(np.int32))
        groups.append(counts[short])
        resources.report(f"sets of {size} items", looked, None)
    return None if looked > BUDGET else (np.concatenate(sets), np.concatenate(groups))


def _widen(
    coverage: NDArray[np.bool_], short: NDArray[np.int32], least: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Add to ``coverage``, in place, what the short sets lack.

    Return what was added, as (group, issue).
    """
    added: list[tuple[int, int]] = []
    # the groups that hold an issue, as one whole number: most sets are seen to be helped already by
    # `&`
    packed = np.packbits(coverage, axis=0, bitorder="little")
    holders = [
        int.from_bytes(packed[:, issue].tobytes(), "little") for issue in range(coverage.shape[1])
    ]
    for start in range(0, len(short), _ROWS):
        for issues in short[start : start + _ROWS].tolist():
            common = holders[issues[0]]
            for issue in issues[1:]:
                common &= holders[issue]
            have = common.bit_count()
            if have >= least:
                continue
            # 0 for those that hold it already
            lacking = len(issues) - coverage[:, issues].sum(axis=1)
            chosen = np.argsort(lacking + rng.random(len(lacking)))[have:least].tolist()
            for group, issue in itertools.product(chosen, issues):
                if not coverage[group, issue]:
                    coverage[group, issue] = True
                    holders[issue] |= 1 << group
                    added.append((group, issue))
    return added

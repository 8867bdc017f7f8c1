"""Running a prepared join: on all cores, in pieces small enough to report progress and to be interrupted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.parallel import Run
from ratingpriv.proximity import _bitset_join as _kernels
from ratingpriv.proximity.arrays import BY_PAIR, CHUNK, HITS, WORDS, Amounts, Queries, Rows, Space
from ratingpriv.proximity.join import Join

__all__ = ["Tally", "add_up", "list_later", "no_amounts"]

_FAR = 1 << 62
_PIECE = 4_000_000  # queries x chunks between two looks at the clock and at Ctrl-C: some tens of milliseconds
_EVERY_CHUNK = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a join adds up, by query slot: sizes (n,), exact (n, 3 * n_families), real (n, 2 * n_reals)."""

    sizes: NDArray[np.int64]
    exact: NDArray[np.int64]
    real: NDArray[np.float64]

    @classmethod
    def zeros(cls, n: int, amounts: Amounts) -> Tally:
        """Return an empty tally of ``n`` slots for ``amounts``."""
        return cls(
            np.zeros(n, dtype=np.int64),
            np.zeros((n, amounts.exact.shape[1]), dtype=np.int64),
            np.zeros((n, amounts.real.shape[1]), dtype=np.float64),
        )

    def add(self, other: Tally, first: int) -> None:
        """Add ``other``, whose slot 0 is slot ``first`` here."""
        for mine, more in ((self.sizes, other.sizes), (self.exact, other.exact), (self.real, other.real)):
            mine[first : first + len(more)] += more


def no_amounts() -> Amounts:
    """Amounts for a join that only counts."""
    return Amounts(
        np.zeros((0, 0), dtype=np.uint64), np.zeros(1, dtype=np.int64), np.zeros((0, 3), dtype=np.int64),
        np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.float64),
    )  # fmt: skip


def _units(join: Join, queries: Queries, members: Queries) -> NDArray[np.int64]:
    """Estimate the work of each group, in visits of a query to a chunk."""
    q, m = queries.stop - queries.first, members.stop - members.first
    return np.where(join.layout.fuse > 0, q * (-(-m // CHUNK)) + 100, q * m // 8 + 1)


def _bundles(
    groups: NDArray[np.int64], units: NDArray[np.int64], pieces: int
) -> list[tuple[int, NDArray[np.int64]]]:
    """Cut a list of groups into about ``pieces`` lists of equal work; return (units, groups) of each."""
    total = np.cumsum(units[groups])
    if len(groups) == 0:
        return []
    pieces = max(pieces, int(total[-1]) // _PIECE)
    if pieces == 1:
        return [(int(total[-1]), groups)]
    cuts = np.unique(np.searchsorted(total, np.arange(1, pieces) * (total[-1] / pieces)))
    return [(int(units[part].sum()), part) for part in np.split(groups, cuts) if len(part)]


def _space(join: Join, groups: NDArray[np.int64], amounts: Amounts) -> Space:
    """Allocate the working memory for joining ``groups``."""
    width, fuse, bins = join.layout.width[groups], join.layout.fuse[groups], join.ranges.bins
    some = fuse > 0
    table = (1 + -(-width[some] // fuse[some]) * bins ** fuse[some]).max(initial=1)
    sets = (width * bins)[fuse != BY_PAIR].max(initial=1)
    planes = 64 * amounts.marks.shape[1]
    table_, sets_, planes_, scratch, near = map(_aligned, (int(table), int(sets), planes, 1 + bins, HITS + 1))
    who, held = np.empty(HITS + 1, dtype=np.int64), np.empty(HITS * WORDS + 1, dtype=np.int64)
    return Space(table_, sets_, planes_, scratch, near, who, held)


class _Spaces:
    """Working memory for joining ``groups``: each worker's own, made when it first asks and used again."""

    def __init__(self, join: Join, groups: NDArray[np.int64], amounts: Amounts) -> None:
        self._made: dict[int, Space] = {}
        self._of = join, groups, amounts

    def __getitem__(self, worker: int) -> Space:
        if worker not in self._made:
            self._made[worker] = _space(*self._of)
        return self._made[worker]


def _check(join: Join) -> Rows | None:
    """Return the rows if any hit has to be verified: decided once a table, as it decides what is compiled."""
    needed = not join.ranges.exact or bool(np.any(join.layout.fuse[join.groups] == BY_PAIR))
    return join.rows if needed else None


def _aligned(rows: int) -> NDArray[np.uint64]:
    """Return uint64 (rows, WORDS), each row on one cache line: a row across two costs twice as much."""
    words = np.empty(rows * WORDS + WORDS, dtype=np.uint64)
    first = -(words.ctypes.data // 8) % WORDS
    return words[first : first + rows * WORDS].reshape(rows, WORDS)


def add_up(
    join: Join, amounts: Amounts, run: Run, *, queries: Queries | None = None, members: Queries | None = None,
    chunks: NDArray[np.int64] | None = None,
) -> Tally:  # fmt: skip
    """Count the neighbours of every query slot and add up their ``amounts``.

    Parameters
    ----------
    queries, members : default: all records
    chunks : with a single group to join: only these chunks of its members
    """
    queries = join.records if queries is None else queries
    members = join.records if members is None else members
    units = _units(join, queries, members)
    nonempty = (queries.stop > queries.first) & (members.stop > members.first)
    groups = join.groups[nonempty[join.groups]]
    tally = Tally.zeros(len(queries.record), amounts)
    split = (units[groups] >= join.limits.split) & (join.layout.fuse[groups] > 0)
    small = groups[~split]
    if run.total is None:
        run.total = int(units[groups].sum())

    check, spaces = _check(join), _Spaces(join, groups, amounts)

    def call(
        part: NDArray[np.int64], which: NDArray[np.int64], start: int, stop: int, base: int, out: Tally,
        worker: int,
    ) -> None:  # fmt: skip
        _kernels.join(
            part, which, start, stop, spaces[worker], join.rows, join.ranges, join.layout,
            queries, members, amounts, base, out.sizes, out.exact, out.real, check, None, None, False,
            False,
        )  # fmt: skip

    def whole(part: NDArray[np.int64]) -> Callable[[int], None]:
        which = _EVERY_CHUNK if chunks is None else chunks
        return lambda worker: call(part, which, 0, _FAR, 0, tally, worker)

    pieces = 4 * run.threads if int(units[small].sum()) >= join.limits.work and run.threads > 1 else 1
    run([(work, whole(part)) for work, part in _bundles(small, units, pieces)])
    for g in groups[split]:
        group = np.array([g])
        which = chunks
        if which is None:
            which = np.arange(-(-(int(members.stop[g]) - int(members.first[g])) // CHUNK))
        together = max(1, join.limits.queries // (1 + tally.exact.shape[1] + tally.real.shape[1]))
        for start in range(int(queries.first[g]), int(queries.stop[g]), together):
            stop = min(start + together, int(queries.stop[g]))
            private = [tally] + [Tally.zeros(stop - start, amounts) for _ in range(1, run.threads)]
            batch = max(1, min(-(-len(which) // (4 * run.threads)), _PIECE // (stop - start)))

            def visit(
                part: NDArray[np.int64],
                group: Any = group,
                start: int = start,
                stop: int = stop,
                private: Any = private,
            ) -> Callable[[int], None]:
                return lambda worker: call(
                    group, part, start, stop, start if worker else 0, private[worker], worker
                )

            run(
                [
                    (len(part) * (stop - start), visit(part))
                    for part in (which[at : at + batch] for at in range(0, len(which), batch))
                ]
            )
            for more in private[1:]:
                tally.add(more, start)
    return tally


def list_later(
    join: Join,
    run: Run,
    queries: Queries,
    members: Queries,
    cursor: NDArray[np.int64],
    found: NDArray[np.int32],
    *,
    everybody: bool = False,
    ordered: bool = False,
) -> None:
    """Write later neighbours to ``found``, from each list's ``cursor`` on, which is moved behind the last.

    A list holds those members that are records after its query's own, in the order of their slots;
    ``everybody``: all members that are neighbours, the query itself too. ``ordered`` says that ``queries``
    and ``members`` are in the order of their records (``in_order``); then a list is a member's, and holds the
    queries after it, in their order: half the work. Not for ``everybody``.
    """
    amounts, units = no_amounts(), _units(join, queries, members)
    nonempty = (queries.stop > queries.first) & (members.stop > members.first)
    groups = join.groups[nonempty[join.groups]]
    out = [Tally.zeros(len(queries.record), amounts) for _ in range(run.threads)]  # not asked for
    split = (units[groups] >= join.limits.split) & (join.layout.fuse[groups] > 0)
    small = groups[~split]

    check, spaces = _check(join), _Spaces(join, groups, amounts)

    def task(
        part: NDArray[np.int64],
        chunks: NDArray[np.int64] = _EVERY_CHUNK,
        start: int = 0,
        stop: int = _FAR,
    ) -> Callable[[int], None]:
        return lambda worker: _kernels.join(
            part, chunks, start, stop, spaces[worker], join.rows, join.ranges, join.layout,
            queries, members, amounts, 0, out[worker].sizes, out[worker].exact, out[worker].real, check,
            cursor, found, everybody, ordered,
        )  # fmt: skip

    pieces = 4 * run.threads if int(units[small].sum()) >= join.limits.work and run.threads > 1 else 1
    tasks = [(work, task(part)) for work, part in _bundles(small, units, pieces)]
    for g in groups[split]:
        group, first, stop = np.array([g]), int(queries.first[g]), int(queries.stop[g])
        if ordered:  # lists of other members are other lists
            chunks = np.arange(-(-(int(members.stop[g]) - int(members.first[g])) // CHUNK))
            batch = max(1, min(len(chunks) // (8 * run.threads), _PIECE // (stop - first)))
            tasks += [
                (min(batch, len(chunks) - at) * (stop - first), task(group, chunks[at : at + batch]))
                for at in range(0, len(chunks), batch)
            ]
            continue
        share = np.linspace(0, 1, 2 * run.threads + 1 if run.threads > 1 else 2)
        cuts = np.unique((first + share * (stop - first)).astype(np.int64))
        tasks += [
            (int(units[g]) * int(b - a) // (stop - first), task(group, _EVERY_CHUNK, int(a), int(b)))
            for a, b in itertools.pairwise(cuts)
        ]
    run(tasks)

"""Running a prepared join: on all cores, in pieces small enough to report progress and to be interrupted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.parallel import Run
from ratingpriv.proximity import _bitset_join as _kernels
from ratingpriv.proximity._word_join import join_small
from ratingpriv.proximity.arrays import BY_WORD, CHUNK, HITS, WORDS, Amounts, Queries, Space
from ratingpriv.proximity.join import Join

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
    sets = (width[some] * bins).max(initial=1)
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


def _join_small(
    join: Join, groups: NDArray[np.int64], queries: Queries, members: Queries, amounts: Amounts,
    tally: Tally, cursor: NDArray[np.int64] | None = None, neighbours: NDArray[np.int32] | None = None,
    everybody: bool = False, by_member: bool = False,
) -> None:  # fmt: skip
    """Join small groups; what memory they take is little enough to be made anew each time."""
    words = join.layout.width[groups][join.layout.fuse[groups] == BY_WORD]
    sets = np.empty((2, int(words.max(initial=0)) * join.ranges.bins), dtype=np.uint64)
    join_small(
        groups, sets, join.rows, join.ranges, join.layout, queries, members, amounts, tally.sizes,
        tally.exact, tally.real, cursor, neighbours, everybody, by_member,
    )  # fmt: skip


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

    ``queries`` and ``members`` are all records if not given; ``chunks``: with a single group to join, only
    these of its members.
    """
    queries = join.records if queries is None else queries
    members = join.records if members is None else members
    units = _units(join, queries, members)
    nonempty = (queries.stop > queries.first) & (members.stop > members.first)
    groups = join.groups[nonempty[join.groups]]
    tally = Tally.zeros(len(queries.record), amounts)
    total = int(units[groups].sum())
    fuse = join.layout.fuse
    split = (units[groups] >= join.limits.split) & (fuse[groups] > 0) & (total >= join.limits.work)
    if run.total is None:
        run.total = total

    check, spaces = None if join.ranges.exact else join.rows, _Spaces(join, groups[fuse[groups] > 0], amounts)

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
        small, large = part[fuse[part] <= 0], part[fuse[part] > 0]

        def task(worker: int) -> None:
            if len(small):
                _join_small(join, small, queries, members, amounts, tally)
            if len(large):
                call(large, which, 0, _FAR, 0, tally, worker)

        return task

    # most groups are one thread's work as they are, several small ones in a bundle
    alone = groups[~split]
    pieces = 4 * run.threads if int(units[alone].sum()) >= join.limits.work and run.threads > 1 else 1
    tasks = [(work, whole(part)) for work, part in _bundles(alone, units, pieces)]
    run(tasks)
    # the chunks of a large one are shared out; every thread but the first adds up on its own, summed below
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
    neighbours: NDArray[np.int32],
    *,
    everybody: bool = False,
    ordered: bool = False,
) -> None:
    """Write who comes later to ``neighbours``, from each list's ``cursor`` on, which moves behind the last.

    A list holds those members that are records after its query's own, in the order of their slots;
    ``everybody``: all members that are neighbours, the query itself too. ``ordered`` says that ``queries``
    and ``members`` are in the order of their records (``in_order``); then a list is a member's, and holds the
    queries after it, in their order: half the work. Not for ``everybody``.
    """
    amounts, units = no_amounts(), _units(join, queries, members)
    nonempty = (queries.stop > queries.first) & (members.stop > members.first)
    groups = join.groups[nonempty[join.groups]]
    out = [Tally.zeros(len(queries.record), amounts) for _ in range(run.threads)]  # not asked for
    fuse = join.layout.fuse
    split = (units[groups] >= join.limits.split) & (fuse[groups] > 0)
    check, spaces = None if join.ranges.exact else join.rows, _Spaces(join, groups[fuse[groups] > 0], amounts)

    def call(
        part: NDArray[np.int64], chunks: NDArray[np.int64], start: int, stop: int
    ) -> Callable[[int], None]:
        return lambda worker: _kernels.join(
            part, chunks, start, stop, spaces[worker], join.rows, join.ranges, join.layout,
            queries, members, amounts, 0, out[worker].sizes, out[worker].exact, out[worker].real, check,
            cursor, neighbours, everybody, ordered,
        )  # fmt: skip

    def bundle(part: NDArray[np.int64]) -> Callable[[int], None]:
        small, large = part[fuse[part] <= 0], part[fuse[part] > 0]

        def task(worker: int) -> None:
            if len(small):
                own = out[worker]
                _join_small(
                    join, small, queries, members, amounts, own, cursor, neighbours, everybody, ordered
                )
            if len(large):
                call(large, _EVERY_CHUNK, 0, _FAR)(worker)

        return task

    alone = groups[~split]
    pieces = 4 * run.threads if int(units[alone].sum()) >= join.limits.work and run.threads > 1 else 1
    tasks = [(work, bundle(part)) for work, part in _bundles(alone, units, pieces)]
    for g in groups[split]:
        group, first, stop = np.array([g]), int(queries.first[g]), int(queries.stop[g])
        if ordered:  # lists of other members are other lists
            chunks = np.arange(-(-(int(members.stop[g]) - int(members.first[g])) // CHUNK))
            batch = max(1, min(len(chunks) // (8 * run.threads), _PIECE // (stop - first)))
            tasks += [
                (
                    min(batch, len(chunks) - begin) * (stop - first),
                    call(group, chunks[begin : begin + batch], 0, _FAR),
                )
                for begin in range(0, len(chunks), batch)
            ]
            continue
        share = np.linspace(0, 1, 2 * run.threads + 1 if run.threads > 1 else 2)
        cuts = np.unique((first + share * (stop - first)).astype(np.int64))
        tasks += [
            (int(units[g]) * int(b - a) // (stop - first), call(group, _EVERY_CHUNK, int(a), int(b)))
            for a, b in itertools.pairwise(cuts)
        ]
    run(tasks)

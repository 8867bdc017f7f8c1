"""Running a prepared join: on all cores, in pieces small enough to
report progress and to be interrupted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import short
from ratingpriv.base.compute.parallel import Run
from ratingpriv.proximity import _bitset_join as _kernels
from ratingpriv.proximity import short_join
from ratingpriv.proximity._word_join import join_small
from ratingpriv.proximity.arrays import (
    BY_WORD,
    CHUNK,
    HITS,
    WORDS,
    Amounts,
    Ints,
    Lists,
    Queries,
    Sides,
    Space,
    Tally,
)
from ratingpriv.proximity.join import Join

_FAR = 1 << 62
# queries x chunks between two looks at the clock and at Ctrl-C: some tens of milliseconds
_PIECE = 4_000_000
_EVERY_CHUNK = np.empty(0, dtype=np.int64)


def no_amounts() -> Amounts:
    """Amounts for a join that only counts."""
    return Amounts(
        np.zeros((0, 0), dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
        np.zeros((0, 3), dtype=np.int64),
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0), dtype=np.float64),
    )


class _Joining:
    """A join of queries with members: the work of each group, in visits of a query to a chunk;
    its tasks.
    """

    def __init__(
        self,
        join: Join,
        run: Run,
        queries: Queries,
        members: Queries,
        amounts: Amounts,
        lists: Lists | None,
    ) -> None:
        self._join, self._run, self._amounts, self._lists = join, run, amounts, lists
        self._sides = Sides(join.rows, join.ranges, join.layout, queries, members)
        q, m = queries.stop - queries.first, members.stop - members.first
        self.units = np.where(join.layout.fuse > 0, q * (-(-m // CHUNK)) + 100, q * m // 8 + 1)
        self.groups = join.groups[((q > 0) & (m > 0))[join.groups]]
        self.large = (self.units[self.groups] >= join.limits.split) & (
            join.layout.fuse[self.groups] > 0
        )
        self._check = None if join.ranges.exact else join.rows
        # lists are as long as memory: what is listed counts, too
        listed = 0 if lists is None else len(lists.neighbours)
        work = self._work() + listed
        simple = join.rows.aligned and join.ranges.exact and amounts.real.shape[1] == 0
        self._short = simple and short(work, join.limits.short)
        self._spaces: dict[int, Space] = {}

    def visit(
        self, part: Ints, chunks: Ints, span: tuple[int, int, int], out: Tally, worker: int
    ) -> None:
        """Join groups that have tokens: these chunks, or all where there are none;
        ``span`` as in `join`.
        """
        if self._short:
            short_join.join(part, chunks, span, self._sides, self._amounts, out, self._lists)
            return
        # each worker has its own working memory, made when it first asks
        if worker not in self._spaces:
            self._spaces[worker] = self._space()
        space, amounts = self._spaces[worker], self._amounts
        _kernels.join(
            part, chunks, span, self._sides, amounts, space, out, self._check, self._lists
        )

    def _work(self) -> float:
        """Return how many rows are ANDed if no intersection is empty, and how many tables have."""
        queries, members, layout = self._sides.queries, self._sides.members, self._join.layout
        groups = self.groups[layout.fuse[self.groups] > 0]
        chunks = -(-(members.stop - members.first)[groups] // CHUNK)
        tokens = queries.ptr[queries.stop[groups]] - queries.ptr[queries.first[groups]]
        amounts = len(self._amounts.weight) * (queries.stop - queries.first)[groups]
        tables = -(-layout.width[groups] // layout.fuse[groups]) * (
            float(self._join.ranges.bins) ** layout.fuse[groups]
        )
        return float(np.sum(chunks * (tokens + amounts + tables + 1000)))

    def _space(self) -> Space:
        groups, join = self.groups[self._join.layout.fuse[self.groups] > 0], self._join
        width, fuse, bins = join.layout.width[groups], join.layout.fuse[groups], join.ranges.bins
        table = int((1 + -(-width // fuse) * bins**fuse).max(initial=1))
        sets, planes = int((width * bins).max(initial=1)), 64 * self._amounts.marks.shape[1]
        return Space(
            _aligned(table),
            _aligned(sets),
            _aligned(planes),
            _aligned(1 + bins),
            _aligned(HITS + 1),
            np.empty(HITS + 1, dtype=np.int64),
            np.empty(HITS * WORDS + 1, dtype=np.int64),
        )

    def bundles(
        self, groups: Ints, chunks: Ints, outs: Sequence[Tally]
    ) -> list[tuple[int, Callable[[int], None]]]:
        """Return tasks of about equal work for groups that are one thread's work,
        several small ones each.
        """
        if len(groups) == 0:
            return []
        total = np.cumsum(self.units[groups])
        several = int(total[-1]) >= self._join.limits.work and self._run.threads > 1
        pieces = max(4 * self._run.threads if several else 1, int(total[-1]) // _PIECE)
        cuts = np.unique(np.searchsorted(total, np.arange(1, pieces) * (total[-1] / pieces)))

        def task(part: Ints, worker: int) -> None:
            join, out = self._join, outs[worker]
            small, large = part[join.layout.fuse[part] <= 0], part[join.layout.fuse[part] > 0]
            if len(small):
                words = join.layout.width[small][join.layout.fuse[small] == BY_WORD]
                sets = np.empty((2, int(words.max(initial=0)) * join.ranges.bins), dtype=np.uint64)
                join_small(small, sets, self._sides, self._amounts, out, self._lists)
            if len(large):
                self.visit(large, chunks, (0, _FAR, 0), out, worker)

        parts = [part for part in np.split(groups, cuts) if len(part)]
        return [(int(self.units[part].sum()), partial(task, part)) for part in parts]


def _aligned(rows: int) -> NDArray[np.uint64]:
    """Return uint64 (rows, WORDS), each row on one cache line:
    a row across two costs twice as much.
    """
    words = np.empty(rows * WORDS + WORDS, dtype=np.uint64)
    first = -(words.ctypes.data // 8) % WORDS
    return words[first : first + rows * WORDS].reshape(rows, WORDS)


def add_up(
    join: Join,
    amounts: Amounts,
    run: Run,
    *,
    queries: Queries | None = None,
    members: Queries | None = None,
    chunks: Ints | None = None,
) -> Tally:
    """Count the neighbours of every query slot and add up their ``amounts``.

    ``queries`` and ``members`` are all records if not given; ``chunks``: with a single group to
    join, only these of its members.
    """
    queries = join.records if queries is None else queries
    members = join.records if members is None else members
    joining = _Joining(join, run, queries, members, amounts, None)
    groups, tally = joining.groups, Tally.zeros(len(queries.record), amounts)
    total = int(joining.units[groups].sum())
    split = joining.large & (total >= join.limits.work)
    if run.total is None:
        run.total = total
    every = _EVERY_CHUNK if chunks is None else chunks
    run(joining.bundles(groups[~split], every, [tally] * run.threads))
    # the chunks of a large one are shared out; every thread but the first adds up on its own,
    # summed below
    for g in groups[split]:
        first, last = int(queries.first[g]), int(queries.stop[g])
        which = chunks
        if which is None:
            which = np.arange(-(-(int(members.stop[g]) - int(members.first[g])) // CHUNK))
        together = max(1, join.limits.queries // (1 + tally.exact.shape[1] + tally.real.shape[1]))
        for start in range(first, last, together):
            stop = min(start + together, last)
            private = [tally] + [Tally.zeros(stop - start, amounts) for _ in range(1, run.threads)]
            batch = max(1, min(-(-len(which) // (4 * run.threads)), _PIECE // (stop - start)))

            def visit(
                ends: tuple[int, int], outs: Sequence[Tally], part: Ints, group: Any, worker: int
            ) -> None:
                joining.visit(group, part, (*ends, ends[0] if worker else 0), outs[worker], worker)

            parts = [which[at : at + batch] for at in range(0, len(which), batch)]
            task = partial(visit, (start, stop), private)
            run(
                [(len(part) * (stop - start), partial(task, part, np.array([g]))) for part in parts]
            )
            for more in private[1:]:
                tally.add(more, start)
    return tally


def list_later(join: Join, run: Run, queries: Queries, members: Queries, lists: Lists) -> None:
    """Write who comes later to the ``lists``, from each one's cursor on,
    which moves behind the last.

    A list holds those members that are records after its query's own, in the order of their slots;
    with ``everybody`` all members that are neighbours, the query itself too. ``ordered`` says that
    ``queries`` and ``members`` are in the order of their records (``in_order``); then a list is a
    member's, and holds the queries after it, in their order: half the work. Not for ``everybody``.
    """
    amounts = no_amounts()
    joining = _Joining(join, run, queries, members, amounts, lists)
    groups, units, split = joining.groups, joining.units, joining.large
    out = [Tally.zeros(len(queries.record), amounts) for _ in range(run.threads)]  # not asked for

    def visit(group: Ints, chunks: Ints, start: int, stop: int, worker: int) -> None:
        joining.visit(group, chunks, (start, stop, 0), out[worker], worker)

    tasks = joining.bundles(groups[~split], _EVERY_CHUNK, out)
    for g in groups[split]:
        group, first, stop = np.array([g]), int(queries.first[g]), int(queries.stop[g])
        if lists.ordered:  # lists of other members are other lists
            chunks = np.arange(-(-(int(members.stop[g]) - int(members.first[g])) // CHUNK))
            batch = max(1, min(len(chunks) // (8 * run.threads), _PIECE // (stop - first)))
            parts = [chunks[begin : begin + batch] for begin in range(0, len(chunks), batch)]
            tasks += [
                (len(part) * (stop - first), partial(visit, group, part, 0, _FAR)) for part in parts
            ]
            continue
        share = np.linspace(0, 1, 2 * run.threads + 1 if run.threads > 1 else 2)
        cuts = np.unique((first + share * (stop - first)).astype(np.int64)).tolist()
        tasks += [
            (int(units[g]) * (b - a) // (stop - first), partial(visit, group, _EVERY_CHUNK, a, b))
            for a, b in itertools.pairwise(cuts)
        ]
    run(tasks)

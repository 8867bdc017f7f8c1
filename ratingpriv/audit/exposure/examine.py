"""Records examined pool by pool, the work shared out among threads.

A *pool* are records that may be mistaken for each other: sorted, with bitsets by issue and level.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure import _examine as kernels
from ratingpriv.audit.exposure._pool import fill_bitsets
from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space
from ratingpriv.base.compute.compiling import suited
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.hamming import HammingGroups

_BINS = 32  # more levels than that share bins
_SORTED = 1 << 25  # ratings of a pool whose members are sorted
_KEYS = 8  # issues that they are sorted by
_SMALL = 4 * BLOCK  # records; groups of no more are worked on many to a task
_TASK = 128  # targets of a task
_LONG = 1 << 30  # words that one target may take some seconds for
# words in all that the targets of a task are first tried with: a second of plain Python
_TRIAL = 1 << 20
_FEW = 100  # targets in all that plain Python examines sooner than numba is loaded


def nothing_found(multiples: NDArray[np.int64]) -> Findings:
    """Return findings of which nothing is known but how many records are identical, int64 (n,)."""
    records = len(multiples)
    return Findings(
        expected=np.full(records, np.nan),
        spread=np.zeros(records),
        worst=np.zeros(records, dtype=np.int64),
        least=multiples.copy(),
        work=np.zeros(records, dtype=np.int64),
    )


class Examiner:
    """Examines records of one table for one kind of knowledge.

    ``groups``: Hamming groups, where a null keeps records apart; None: all records are one pool.
    ``matches``: whether a null fits any knowledge; ``memory``: bytes for working arrays, about.
    """

    def __init__(
        self,
        table: RatingTable,
        positions: Positions,
        groups: HammingGroups | None,
        matches: bool,
        memory: int,
        run: Run,
    ) -> None:
        small = table.codes.dtype == np.uint8
        self._indptr, self._indices = table.indptr, table.indices
        self._codes = np.asarray(table.codes if small else table.codes.astype(np.uint32))
        self._widths, self._issues = np.diff(table.indptr), table.n_issues
        self._positions, self._groups, self._matches = positions, groups, matches
        self._memory, self.run = memory, run
        levels = len(table.levels)
        self._bins = max(1, min(levels, _BINS))
        self._bin = np.arange(levels, dtype=np.int64) * self._bins // max(levels, 1)
        self._spaces: dict[int, Space] = {}
        self._targets = 0  # so far

    def __call__(self, targets: NDArray[np.int64], plan: Plan, out: Findings) -> None:
        """Examine the records ``targets``, int64 positions, ascending or not.

        Progress counts them.
        """
        self._targets += len(targets)
        parts: list[tuple[int | None, NDArray[np.int64]]] = [(None, targets)]
        if self._groups is not None:
            of = self._groups.group_of[targets]
            alone = self._groups.sizes[of] == 1
            single, rest, of = targets[alone], targets[~alone], of[~alone]
            out.expected[single], out.worst[single], out.least[single], out.work[single] = (
                1.0,
                1,
                1,
                1,
            )
            self.run.report(len(single))
            by = np.argsort(of, kind="stable")
            cuts = np.flatnonzero(np.diff(of[by])) + 1
            parts = [(int(of[some[0]]), rest[some]) for some in np.split(by, cuts) if len(some)]
        size = _TASK if plan.enumeration < _LONG else 1  # a task cannot be interrupted
        tasks: list[tuple[int, Callable[[int], None]]] = []
        # groups of a task, until they are enough
        small: list[tuple[int | None, NDArray[np.int64]]] = []
        for group, some in parts:
            if group is None or (self._groups is not None and self._groups.sizes[group] > _SMALL):
                work = partial(self._work, self._pool(group), plan, out)
                cuts = np.arange(size, len(some), size)
                self.run([(len(few), partial(work, few)) for few in np.split(some, cuts)])
                continue
            small.append((group, some))
            if (units := sum(len(few) for _, few in small)) >= size:
                tasks.append((units, partial(self._task, small, plan, out)))
                small = []
        tasks.append((sum(len(few) for _, few in small), partial(self._task, small, plan, out)))
        self.run(tasks)

    def witness(self, target: int, plan: Plan, multiples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the knowledge, in steps, that was found to leave the fewest.

        By rating of the record.
        """
        pool = self._pool(None if self._groups is None else int(self._groups.group_of[target]))
        self._work(pool, plan, nothing_found(multiples), np.array([target]), 0)
        return self._spaces[0].known[: self._widths[target]].copy()

    def _pool(self, group: int | None) -> Pool:
        """Return a group, or everybody, as a pool, bitsets filled."""
        members, width = np.arange(len(self._widths), dtype=np.int64), self._issues
        if self._groups is not None and group is not None:
            here = slice(*self._groups.starts[group : group + 2].tolist())
            members = self._groups.order[here].astype(np.int64)
            width = int(self._widths[members[0]])
        aligned = group is not None
        blocks, rows = -(-len(members) // BLOCK), 2 * self._bins
        columns = max(0, min(width, self._memory // 4 // (blocks * rows * WORDS * 8)))
        order, members = self._sorted(members, width, aligned)
        column = np.full(width, -1, dtype=np.int64)
        column[order[:columns]] = np.arange(columns)
        everybody = np.packbits(np.arange(blocks * BLOCK) < len(members), bitorder="little").view(
            "<u8"
        )
        pool = Pool(
            indptr=self._indptr, indices=self._indices, codes=self._codes, aligned=aligned,
            matches=self._matches, record=members, column=column, columns=columns,
            bin=self._bin, bins=self._bins, everybody=everybody.reshape(blocks, WORDS),
            bits=np.zeros((blocks * columns * rows, WORDS), dtype=np.uint64),
            held=np.zeros(columns * rows, dtype=np.int64),
            verify=columns < width or self._bins < len(self._bin),
        )  # fmt: skip
        fill_bitsets(pool)
        return pool

    def _sorted(
        self, members: NDArray[np.int64], width: int, aligned: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the issues, those that tell most records apart first,
        and the members sorted by these.

        Blocks of sorted members agree on the first issues, so that most are ruled out by one of
        them.
        """
        order = np.arange(width)
        if not aligned:
            order = np.argsort(-np.bincount(self._indices, minlength=width), kind="stable")
        if len(members) <= BLOCK:
            return order, members
        keys = np.full((min(width, _KEYS), len(members)), -1, dtype=np.int64)
        for key, issue in zip(keys, order, strict=False):
            if aligned:
                key[:] = self._codes[self._indptr[members] + issue]
            else:
                entries = np.flatnonzero(self._indices == issue)
                key[np.searchsorted(self._indptr, entries, side="right") - 1] = self._codes[entries]
        return order, members[np.lexsort(keys[::-1])] if len(keys) else members

    def _task(
        self,
        parts: list[tuple[int | None, NDArray[np.int64]]],
        plan: Plan,
        out: Findings,
        worker: int,
    ) -> None:
        for group, targets in parts:
            self._work(self._pool(group), plan, out, targets, worker)

    def _work(
        self, pool: Pool, plan: Plan, out: Findings, targets: NDArray[np.int64], worker: int
    ) -> None:
        if len(pool.record) <= _SMALL and self._targets <= _FEW:
            # How long an enumeration takes does not show in the size of its arrays: a hundred
            # records are gone through billions of times. What is not decided soon is done again, by
            # compiled
            # code.
            least, short = out.least[targets], _TRIAL // max(len(targets), 1)
            trial = plan._replace(samples=1, enumeration=min(plan.enumeration, short))
            self._through(kernels.examine, pool, trial, out, targets, worker)
            open_ = out.spread[targets] > 0
            targets = targets[open_]
            out.least[targets] = least[open_]
        if len(targets):
            examine = suited(kernels.examine, long=True)
            self._through(examine, pool, plan, out, targets, worker)

    def _through(
        self,
        examine: Callable[..., int],
        pool: Pool,
        plan: Plan,
        out: Findings,
        targets: NDArray[np.int64],
        worker: int,
    ) -> None:
        """Examine all targets in the worker's own space,
        made anew where the pool is a larger one.
        """
        space, members = self._spaces.get(worker), len(pool.record)
        limit = self._memory // self.run.threads
        if space is None or len(space.member) < members:
            space = self._spaces[worker] = self._fresh(members, min(members, plan.most), limit // 8)
        if examine(targets, pool, self._positions, plan, space, out) < len(targets):
            raise ResourceError(
                f"memory: one record needs more than the {limit:,} bytes of working arrays that "
                f"are allowed "
                "for each thread; allow more with `memory`, or use fewer `threads`"
            )

    def _fresh(self, members: int, listed: int, most: int) -> Space:
        """Return space for any record of a pool, of at most ``most`` numbers.

        Pages are taken when used.
        """
        width, level = int(self._widths.max(initial=0)) + 2, len(self._positions.number)
        levels = int((self._positions.last - self._positions.first).max(initial=0)) + 1
        options = min(width * (2 * levels + 1), most // 5)
        levels = min(levels, listed)  # among the members that are listed
        rows = width * (2 * levels + 1) + levels + width + 4
        words = min(rows * -(-listed // 64), most - 5 * options)
        sizes: dict[str, Any] = dict.fromkeys(("member", "cursor", "value"), members)
        sizes |= dict.fromkeys(("at", "weight", "total", "low", "high"), options)
        sizes |= {"rank": level, "level": level, "words": words, "block": (1, WORDS)}
        reals = ("level", "at", "weight", "total", "pin", "score", "mass", "rest", "known")
        kinds: dict[str, type] = {
            **dict.fromkeys(reals, np.float64),
            "words": np.uint64,
            "block": np.uint64,
        }
        return Space._make(
            np.zeros(sizes.get(name, width), dtype=kinds.get(name, np.int64))
            for name in Space._fields
        )

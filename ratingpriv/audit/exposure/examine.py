"""Records examined pool by pool, the work shared out among threads, memory for it where it is wanted.

A *pool* are records that may be mistaken for each other: sorted, with bitsets by issue and level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure import _examine as kernels
from ratingpriv.audit.exposure._pool import fill_bitsets
from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space
from ratingpriv.base.compute.compiling import Kernel
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
_TRIAL = 1 << 20  # words in all that the targets of a task are first tried with: a second of plain Python


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

    ``groups``: Hamming groups, where a null keeps records apart; None: all records are one pool. ``matches``:
    whether a null fits any knowledge; ``memory``: bytes for working arrays, about.
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
        levels, number = len(table.levels), positions.number
        self._bins = max(1, min(levels, _BINS))
        self._bin = np.arange(levels, dtype=np.int64) * self._bins // max(levels, 1)
        self._first = np.searchsorted(number, number - positions.reach, side="left")
        self._last = np.searchsorted(number, number + positions.reach, side="right") - 1
        self._spaces: dict[int, Space] = {}

    def __call__(self, targets: NDArray[np.int64], plan: Plan, out: Findings) -> None:
        """Examine the records ``targets``, int64 positions, ascending or not; progress counts them."""
        if self._groups is None:
            self._large(None, targets, plan, out)
            return
        groups = self._groups
        of = groups.group_of[targets]
        alone = groups.sizes[of] == 1
        single = targets[alone]
        out.expected[single], out.worst[single], out.least[single], out.work[single] = 1.0, 1, 1, 1
        self.run.report(len(single))
        rest = targets[~alone]
        by = np.argsort(of[~alone], kind="stable")
        rest, of = rest[by], of[~alone][by]
        # small groups are put together to tasks of enough targets
        tasks: list[tuple[int, Callable[[int], None]]] = []
        some: list[tuple[int, NDArray[np.int64]]] = []
        units, enough = 0, _TASK if plan.search < _LONG else 1
        for part in np.split(rest, np.flatnonzero(np.diff(of)) + 1) if len(rest) else []:
            group = int(groups.group_of[part[0]])
            if groups.sizes[group] > _SMALL:
                self._large(group, part, plan, out)
                continue
            some.append((group, part))
            units += len(part)
            if units >= enough:
                tasks.append((units, self._task(some, plan, out)))
                some, units = [], 0
        if some:
            tasks.append((units, self._task(some, plan, out)))
        self.run(tasks)

    def witness(self, target: int, plan: Plan, multiples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the knowledge, in steps, that was found to leave the fewest; by rating of the record."""
        pool, places = self._pool(None if self._groups is None else int(self._groups.group_of[target]))
        self._work(np.array([target]), pool, places, plan, nothing_found(multiples), 0)
        return self._spaces[0].known[: self._widths[target]].copy()

    def _pool(self, group: int | None) -> tuple[Pool, int]:
        """Return a group, or everybody, as a pool, bitsets filled, and how many issues have some."""
        members, width = np.arange(len(self._widths), dtype=np.int64), self._issues
        if self._groups is not None and group is not None:
            here = slice(*self._groups.starts[group : group + 2].tolist())
            members = self._groups.order[here].astype(np.int64)
            width = int(self._widths[members[0]])
        aligned = group is not None
        blocks, rows = -(-len(members) // BLOCK), self._bins + 1
        places = max(0, min(width, self._memory // 4 // (blocks * rows * WORDS * 8)))
        order, members = self._sorted(members, width, aligned)
        column = np.full(width, -1, dtype=np.int64)
        column[order[:places]] = np.arange(places)
        pool = Pool(
            indptr=self._indptr, indices=self._indices, codes=self._codes, aligned=aligned,
            matches=self._matches, record=members, column=column, bin=self._bin, bins=self._bins,
            upto=np.zeros((blocks * places * rows, WORDS), dtype=np.uint64),
            held=np.zeros(places * rows, dtype=np.int64),
            verify=places < width or self._bins < len(self._bin),
        )  # fmt: skip
        fill_bitsets(pool, places)
        return pool, places

    def _sorted(
        self, members: NDArray[np.int64], width: int, aligned: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the issues, those that tell most records apart first, and the members sorted by these.

        Blocks of sorted members agree on the first issues, so that most are ruled out by one of them.
        """
        count, widths, levels = len(members), self._widths[members], len(self._bin)
        ratings = int(widths.sum())
        if count <= BLOCK or max(ratings, width * levels) > _SORTED:
            if aligned:
                return np.arange(width), members
            rated = np.bincount(self._indices, minlength=width)
            return np.argsort(-rated, kind="stable"), members
        member = np.repeat(np.arange(count), widths)
        place = np.arange(ratings) - np.repeat(np.cumsum(widths) - widths, widths)
        entry = self._indptr[members][member] + place
        issue, code = place if aligned else self._indices[entry], self._codes[entry]
        held = np.bincount(issue * np.int64(levels) + code, minlength=width * levels).reshape(width, levels)
        upto = np.concatenate((np.zeros((width, 1), dtype=np.int64), np.cumsum(held, axis=1)), axis=1)
        rated = upto[:, -1]
        together = np.sum(held * (upto[:, self._last + 1] - upto[:, self._first]), axis=1, dtype=np.float64)
        if self._matches:
            together += float(count) ** 2 - rated.astype(np.float64) ** 2
        order = np.argsort(together, kind="stable")
        rank = np.empty(width, dtype=np.int64)
        rank[order] = np.arange(width)
        keys = np.full((min(width, _KEYS), count), -1, dtype=np.int64)
        of_key = rank[issue] < len(keys)
        keys[rank[issue[of_key]], member[of_key]] = code[of_key]
        return order, members[np.lexsort(keys[::-1])] if len(keys) else members

    def _large(self, group: int | None, targets: NDArray[np.int64], plan: Plan, out: Findings) -> None:
        pool, places = self._pool(group)

        def task(some: NDArray[np.int64]) -> Callable[[int], None]:
            return lambda worker: self._work(some, pool, places, plan, out, worker)

        size = _TASK if plan.search < _LONG else 1  # a task cannot be interrupted
        parts = [targets[first : first + size] for first in range(0, len(targets), size)]
        self.run([(len(some), task(some)) for some in parts])

    def _task(
        self, parts: list[tuple[int, NDArray[np.int64]]], plan: Plan, out: Findings
    ) -> Callable[[int], None]:
        def work(worker: int) -> None:
            for group, targets in parts:
                pool, places = self._pool(group)
                self._work(targets, pool, places, plan, out, worker)

        return work

    def _work(
        self, targets: NDArray[np.int64], pool: Pool, places: int, plan: Plan, out: Findings, worker: int
    ) -> None:
        if len(pool.record) > _SMALL:
            self._through(kernels.examine, targets, pool, places, plan, out, worker)
            return
        # How long a search takes does not show in the size of its arrays: a hundred records are gone through
        # billions of times. What is not decided soon is done again, by compiled code.
        least, short = out.least[targets], _TRIAL // max(len(targets), 1)
        trial = plan._replace(
            samples=1, enumeration=min(plan.enumeration, short), search=min(plan.search, short)
        )
        self._through(kernels.examine, targets, pool, places, trial, out, worker)
        left = (out.spread[targets] > 0) | (out.worst[targets] > out.least[targets])
        if np.any(left):
            out.least[targets[left]] = least[left]
            at_length = cast("Kernel", kernels.examine).at_length
            self._through(at_length, targets[left], pool, places, plan, out, worker)

    def _through(
        self, examine: Callable[..., int], targets: NDArray[np.int64], pool: Pool, places: int, plan: Plan,
        out: Findings, worker: int,
    ) -> None:  # fmt: skip
        """Examine all targets, with more memory where the last one wants it."""
        space, done, members = self._spaces.get(worker), 0, len(pool.record)
        if space is None or len(space.member) < members:
            room = (len(space.at), len(space.words)) if space is not None else (64, 1 << 10)
            space = self._spaces[worker] = self._fresh(members, *room)
        while True:
            done = examine(targets, done, pool, self._positions, places, plan, space, out)
            if done == len(targets):
                return
            options, words = (int(number) for number in space.need)
            options = 2 * options if options > len(space.at) else len(space.at)
            words = 3 * words // 2 if words > len(space.words) else len(space.words)
            limit = self._memory // self.run.threads
            if 8 * (5 * options + words) > limit:
                raise ResourceError(
                    f"memory: one record needs {8 * (5 * options + words):,} bytes of working arrays, "
                    f"{limit:,} are allowed for each thread; allow more with `memory`, or use fewer `threads`"
                )
            space = self._spaces[worker] = self._fresh(len(space.member), options, words)

    def _fresh(self, members: int, options: int, words: int) -> Space:
        width, level = int(self._widths.max(initial=0)) + 2, len(self._positions.number)
        sizes = {"member": members, "cursor": members, "value": members, "rank": level, "level": level}
        sizes |= dict.fromkeys(("at", "weight", "total", "low", "high"), options)
        sizes |= {"words": words, "block": WORDS, "need": 2}
        reals = ("level", "at", "weight", "total", "pin", "score", "mass", "rest", "known")
        kinds: dict[str, type] = {**dict.fromkeys(reals, np.float64), "words": np.uint64, "block": np.uint64}
        return Space._make(
            np.zeros(sizes.get(name, width), dtype=kinds.get(name, np.int64)) for name in Space._fields
        )

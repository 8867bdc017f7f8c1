"""Pools of records that may be mistaken for each other, and the work on them shared out among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.compute.parallel import Run
from ratingpriv.errors import ResourceError
from ratingpriv.exposure import _examine as kernels
from ratingpriv.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space
from ratingpriv.proximity.hamming import HammingGroups
from ratingpriv.table import RatingTable

__all__ = ["Examiner", "nothing_found"]

_BINS = 32  # of the bitsets: more levels than that share bins
_SMALL = 4 * BLOCK  # records; groups of no more are worked on many to a task
_SORTED = 1 << 25  # ratings of a pool whose members are sorted
_KEYS = 8  # issues that they are sorted by
_TASK = 128  # targets of a task


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


class _Rows(NamedTuple):
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    codes: NDArray[Any]


class Examiner:
    """Examines records of one table for one kind of knowledge.

    Parameters
    ----------
    table : the ratings
    positions : what may be known of them
    groups : Hamming groups, where a null keeps records apart; otherwise None: all records are one pool
    matches : whether a null fits any knowledge
    memory : bytes for working arrays, about
    run : the workers
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
        number = positions.number
        self._first = np.searchsorted(number, number - positions.reach, side="left")
        self._last = np.searchsorted(number, number + positions.reach, side="right") - 1
        small = table.codes.dtype == np.uint8
        codes = np.asarray(table.codes if small else table.codes.astype(np.uint32))
        self._rows = _Rows(table.indptr, table.indices, codes)
        self._positions, self._groups, self._matches = positions, groups, matches
        self._widths = np.diff(table.indptr)
        self._issues = table.n_issues
        self._memory, self._run = memory, run
        self._spaces: dict[int, Space] = {}
        levels = len(table.levels)
        self._bins = max(1, min(levels, _BINS))
        self._bin = np.arange(levels, dtype=np.int64) * self._bins // max(levels, 1)

    def __call__(self, targets: NDArray[np.int64], plan: Plan, out: Findings) -> None:
        """Examine the records ``targets``, int64 positions, ascending or not; progress counts them."""
        if self._groups is None:
            everybody = np.arange(len(self._widths), dtype=np.int64)
            self._large(everybody, False, targets, plan, out)
            return
        groups = self._groups
        of = groups.group_of[targets]
        alone = groups.sizes[of] == 1
        single = targets[alone]
        out.expected[single], out.worst[single], out.least[single], out.work[single] = 1.0, 1, 1, 1
        self._run.report(len(single))
        rest = targets[~alone]
        by = np.argsort(of[~alone], kind="stable")
        rest, of = rest[by], of[~alone][by]
        cuts = np.flatnonzero(np.diff(of)) + 1
        small: list[tuple[int, NDArray[np.int64]]] = []
        for part in np.split(rest, cuts) if len(rest) else []:
            group = int(groups.group_of[part[0]])
            if groups.sizes[group] > _SMALL:
                self._large(self._members(group), True, part, plan, out)
            else:
                small.append((group, part))
        self._run([(units, self._task(some, plan, out)) for units, some in _bundles(small)])

    def witness(self, target: int, plan: Plan, multiples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the knowledge, in steps, that was found to leave the fewest; by rating of the record."""
        one = np.array([target], dtype=np.int64)
        if self._groups is not None:
            group = int(self._groups.group_of[target])
            pool, places = self._pool(self._members(group), aligned=True)
        else:
            pool, places = self._pool(np.arange(len(self._widths), dtype=np.int64), aligned=False)
        self._work(one, pool, places, plan, nothing_found(multiples), 0)
        return self._spaces[0].known[: self._widths[target]].copy()

    def _members(self, group: int) -> NDArray[np.int64]:
        assert self._groups is not None  # noqa: S101 -- for the type checker
        starts = self._groups.starts
        return self._groups.order[starts[group] : starts[group + 1]].astype(np.int64)

    def _large(
        self, members: NDArray[np.int64], aligned: bool, targets: NDArray[np.int64], plan: Plan, out: Findings
    ) -> None:
        pool, places = self._pool(members, aligned)

        def task(some: NDArray[np.int64]) -> Callable[[int], None]:
            return lambda worker: self._work(some, pool, places, plan, out, worker)

        parts = [targets[first : first + _TASK] for first in range(0, len(targets), _TASK)]
        self._run([(len(some), task(some)) for some in parts])

    def _task(
        self, parts: list[tuple[int, NDArray[np.int64]]], plan: Plan, out: Findings
    ) -> Callable[[int], None]:
        def work(worker: int) -> None:
            for group, targets in parts:
                pool, places = self._pool(self._members(group), aligned=True)
                self._work(targets, pool, places, plan, out, worker)

        return work

    def _pool(self, members: NDArray[np.int64], aligned: bool) -> tuple[Pool, int]:
        """Return the pool of these records, bitsets filled, and how many issues have some."""
        width = int(self._widths[members[0]]) if aligned else self._issues
        blocks, rows = -(-len(members) // BLOCK), self._bins + 1
        places = max(0, min(width, self._memory // 4 // (blocks * rows * WORDS * 8)))
        order, members = self._sorted(members, width, aligned)
        column = np.full(width, -1, dtype=np.int64)
        column[order[:places]] = np.arange(places)
        pool = Pool(
            indptr=self._rows.indptr,
            indices=self._rows.indices,
            codes=self._rows.codes,
            aligned=aligned,
            matches=self._matches,
            record=members,
            column=column,
            bin=self._bin,
            bins=self._bins,
            upto=np.zeros((blocks * places * rows, WORDS), dtype=np.uint64),
            held=np.zeros(places * rows, dtype=np.int64),
            verify=places < width or self._bins < len(self._bin),
        )
        kernels.fill_bitsets(pool, places)
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
            rated = np.bincount(self._rows.indices, minlength=width)
            return np.argsort(-rated, kind="stable"), members
        member = np.repeat(np.arange(count), widths)
        place = np.arange(ratings) - np.repeat(np.cumsum(widths) - widths, widths)
        entry = self._rows.indptr[members][member] + place
        issue, code = place if aligned else self._rows.indices[entry], self._rows.codes[entry]
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

    def _work(
        self,
        targets: NDArray[np.int64],
        pool: Pool,
        places: int,
        plan: Plan,
        out: Findings,
        worker: int,
    ) -> None:
        space = self._space(worker, len(pool.record))
        done = 0
        while True:
            done = kernels.examine(targets, done, pool, self._positions, places, plan, space, out)
            if done == len(targets):
                return
            space = self._grown(worker)

    def _space(self, worker: int, members: int) -> Space:
        space = self._spaces.get(worker)
        if space is None or len(space.member) < members:
            old = (len(space.at), len(space.words)) if space is not None else (64, 1 << 10)
            space = self._spaces[worker] = self._fresh(members, *old)
        return space

    def _grown(self, worker: int) -> Space:
        space = self._spaces[worker]
        options, words = (int(number) for number in space.need)
        options = max(2 * options, len(space.at)) if options > len(space.at) else len(space.at)
        words = max(3 * words // 2, len(space.words)) if words > len(space.words) else len(space.words)
        limit = self._memory // self._run.threads
        if 8 * (5 * options + words) > limit:
            raise ResourceError(
                f"memory: one record needs {8 * (5 * options + words):,} bytes of working arrays, {limit:,} "
                "are allowed for each thread; allow more with `memory`, or use fewer `threads`"
            )
        grown = self._spaces[worker] = self._fresh(len(space.member), options, words)
        return grown

    def _fresh(self, members: int, options: int, words: int) -> Space:
        most = int(self._widths.max(initial=0)) + 2
        levels = len(self._bin)

        def whole(size: int) -> NDArray[np.int64]:
            return np.zeros(size, dtype=np.int64)

        return Space(
            member=whole(members), cursor=whole(members), value=whole(members),
            rank=whole(levels), level=np.zeros(levels),
            fits_from=whole(most), fits_to=whole(most), pin=np.zeros(most), entry=whole(most),
            column=whole(most), row_low=whole(most), row_high=whole(most),
            block=np.zeros(WORDS, dtype=np.uint64),
            words=np.zeros(words, dtype=np.uint64),
            at=np.zeros(options), weight=np.zeros(options), total=np.zeros(options),
            low=whole(options), high=whole(options),
            place=whole(most), first=whole(most), stop=whole(most), order=whole(most), score=np.zeros(most),
            next=whole(most), tally=whole(most), path=whole(most), stay=whole(most),
            mass=np.zeros(most), rest=np.zeros(most),
            choice=whole(most), known=np.zeros(most), need=whole(2),
        )  # fmt: skip


def _bundles(
    parts: list[tuple[int, NDArray[np.int64]]],
) -> Iterator[tuple[int, list[tuple[int, NDArray[np.int64]]]]]:
    """Put small groups together to tasks of enough targets."""
    some: list[tuple[int, NDArray[np.int64]]] = []
    units = 0
    for group, targets in parts:
        some.append((group, targets))
        units += len(targets)
        if units >= _TASK:
            yield units, some
            some, units = [], 0
    if some:
        yield units, some

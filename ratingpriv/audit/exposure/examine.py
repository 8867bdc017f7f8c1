"""Records examined pool by pool, the work shared out among threads, memory for it where it is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.exposure import _examine as kernels
from ratingpriv.audit.exposure.arrays import BLOCK, WORDS, Findings, Plan, Pool, Positions, Space
from ratingpriv.audit.exposure.pool import Pools
from ratingpriv.base.compute.compiling import Kernel
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.hamming import HammingGroups

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
        self._pools = Pools(table, positions, matches, memory // 4)
        self._positions, self._groups = positions, groups
        self._widths = np.diff(table.indptr)
        self._memory, self._run = memory, run
        self._spaces: dict[int, Space] = {}

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
        bundles = _bundles(small, _TASK if plan.search < _LONG else 1)
        self._run([(units, self._task(some, plan, out)) for units, some in bundles])

    def witness(self, target: int, plan: Plan, multiples: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the knowledge, in steps, that was found to leave the fewest; by rating of the record."""
        targets = np.array([target], dtype=np.int64)
        if self._groups is not None:
            group = int(self._groups.group_of[target])
            pool, places = self._pools.of(self._members(group), aligned=True)
        else:
            pool, places = self._pools.of(np.arange(len(self._widths), dtype=np.int64), aligned=False)
        self._work(targets, pool, places, plan, nothing_found(multiples), 0)
        return self._spaces[0].known[: self._widths[target]].copy()

    def _members(self, group: int) -> NDArray[np.int64]:
        assert self._groups is not None  # noqa: S101 -- for the type checker
        starts = self._groups.starts
        return self._groups.order[starts[group] : starts[group + 1]].astype(np.int64)

    def _large(
        self, members: NDArray[np.int64], aligned: bool, targets: NDArray[np.int64], plan: Plan, out: Findings
    ) -> None:
        pool, places = self._pools.of(members, aligned)

        def task(some: NDArray[np.int64]) -> Callable[[int], None]:
            return lambda worker: self._work(some, pool, places, plan, out, worker)

        size = _TASK if plan.search < _LONG else 1  # a task cannot be interrupted
        parts = [targets[first : first + size] for first in range(0, len(targets), size)]
        self._run([(len(some), task(some)) for some in parts])

    def _task(
        self, parts: list[tuple[int, NDArray[np.int64]]], plan: Plan, out: Findings
    ) -> Callable[[int], None]:
        def work(worker: int) -> None:
            for group, targets in parts:
                pool, places = self._pools.of(self._members(group), aligned=True)
                self._work(targets, pool, places, plan, out, worker)

        return work

    def _work(
        self,
        targets: NDArray[np.int64],
        pool: Pool,
        places: int,
        plan: Plan,
        out: Findings,
        worker: int,
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
        self,
        examine: Callable[..., int],
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
            done = examine(targets, done, pool, self._positions, places, plan, space, out)
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
        levels = len(self._positions.number)

        def integers(size: int) -> NDArray[np.int64]:
            return np.zeros(size, dtype=np.int64)

        return Space(
            member=integers(members), cursor=integers(members), value=integers(members),
            rank=integers(levels), level=np.zeros(levels),
            fits_from=integers(most), fits_to=integers(most), pin=np.zeros(most), entry=integers(most),
            column=integers(most), row_low=integers(most), row_high=integers(most),
            block=np.zeros(WORDS, dtype=np.uint64),
            words=np.zeros(words, dtype=np.uint64),
            at=np.zeros(options), weight=np.zeros(options), total=np.zeros(options),
            low=integers(options), high=integers(options),
            place=integers(most), first=integers(most), stop=integers(most), order=integers(most),
            score=np.zeros(most), next=integers(most), tally=integers(most), path=integers(most),
            stay=integers(most), mass=np.zeros(most), rest=np.zeros(most),
            choice=integers(most), known=np.zeros(most), need=integers(2),
        )  # fmt: skip


def _bundles(
    parts: list[tuple[int, NDArray[np.int64]]], enough: int
) -> Iterator[tuple[int, list[tuple[int, NDArray[np.int64]]]]]:
    """Put small groups together to tasks of enough targets."""
    some: list[tuple[int, NDArray[np.int64]]] = []
    units = 0
    for group, targets in parts:
        some.append((group, targets))
        units += len(targets)
        if units >= enough:
            yield units, some
            some, units = [], 0
    if some:
        yield units, some

"""Depth by depth, the cheaper kernel, in parts that threads share; what is found does not depend on them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known._search import by_cell, by_list, by_record, shrink
from ratingpriv.audit.known.literals import MEMORY, WORDS, Literals, Ratings, Windows
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.errors import ResourceError

BUDGET = 10**12
"""Words that a search may AND: about five minutes of one core."""

_ROUNDS, _PARTS = 16, 4  # parts of a round start from the same state, and are merged after it
_AFFORDABLE = 10**10  # words of the dearer kernel: some seconds
_CELL = 50  # words that a cell costs beside those that are ANDed


class _State(NamedTuple):
    """Of each record: whether fewer are looked for, the fewest found (k: none yet), by which literals."""

    active: NDArray[np.bool_]
    fewest: NDArray[np.int64]
    witness: NDArray[np.int64]

    def copy(self) -> _State:
        return _State(self.active.copy(), self.fewest.copy(), self.witness.copy())


class _Space(NamedTuple):
    """Working arrays of :func:`by_record`, a row a depth."""

    stack: NDArray[np.uint64]
    literal: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    record: NDArray[np.int32]
    entry: NDArray[np.int64]
    owners: NDArray[np.int64]
    place: NDArray[np.int64]
    seen: NDArray[np.int64]
    left: NDArray[np.int64]
    path: NDArray[np.int64]
    child: NDArray[np.int64]
    children: NDArray[np.int64]
    stamp: NDArray[np.int64]


class _Cells(NamedTuple):
    """Working arrays of :func:`by_cell`."""

    stack: NDArray[np.uint64]
    owners: NDArray[np.uint64]
    following: NDArray[np.int64]
    path: NDArray[np.int64]


class _Chain(NamedTuple):
    """A list of records a depth, and where the rest of their rows begins."""

    record: NDArray[np.int32]
    entry: NDArray[np.int64]
    length: NDArray[np.int64]
    levels: int


class _Lists(NamedTuple):
    """Working arrays of :func:`by_list`."""

    fit: _Chain
    own: _Chain
    fit_first: NDArray[np.int64]
    fit_last: NDArray[np.int64]
    own_low: NDArray[np.int64]
    own_high: NDArray[np.int64]
    literal: NDArray[np.int64]
    seen: NDArray[np.int64]
    left: NDArray[np.int64]
    path: NDArray[np.int64]
    child: NDArray[np.int64]
    children: NDArray[np.int64]
    stamp: NDArray[np.int64]


@dataclass(slots=True)
class _Part:
    """The conjunctions whose first literal is in a range: what they leave, and the words that took."""

    first: int
    stop: int
    state: _State
    words: int = 0


class Search:
    """The smallest numbers of ratings that narrow records down to fewer than k, found depth by depth.

    A depth of more than ``large`` words, or whose lists are larger than ``memory``, is cut into parts.

    Attributes
    ----------
    smallest : int32 (n,), the number of a record; 0: none up to ``proved``
    fewest : int64 (n,), how many records those leave; 0 where there are none
    witness : int64 (n, most), the literals, -1 beyond ``smallest``
    proved : up to how many ratings all were looked at
    """

    def __init__(
        self,
        ratings: Ratings,
        windows: Windows,
        literals: Literals,
        k: int,
        most: int,
        run: Run,
        *,
        large: int = 1 << 26,
        memory: int = MEMORY,
    ) -> None:
        self._ratings, self._windows, self._literals = ratings, windows, literals
        self._k, self._most, self._run, self._large = k, most, run, large
        sets = {id(rows): rows.nbytes for rows in (literals.fits, literals.owners)}
        self._memory = max(memory - sum(sets.values()), 0)
        records = len(ratings.indptr) - 1
        self._widths = np.diff(ratings.indptr)
        rated = literals.key[ratings.issue * len(windows.low) + windows.own_first[ratings.code]]
        counts = np.bincount(rated, minlength=len(literals.issue))
        self._owned = np.concatenate(([0], np.cumsum(counts)))  # of exact ratings, literal by literal
        self.smallest = np.zeros(records, dtype=np.int32)
        self.fewest = np.zeros(records, dtype=np.int64)
        self.witness = np.full((records, most), -1, dtype=np.int64)
        self.proved = 0

    def go_through(self, budget: int, kernel: str | None = None) -> None:
        """Look at all conjunctions of 1, 2, … literals until all is found or ``budget`` words were ANDed.

        ``kernel`` : "record" or "cell"; None takes the cheaper one by the counts of what they go through,
        "other" the dearer one where that takes some seconds at most. Without sets it is "list"
        """
        for size in range(1, self._most + 1):
            active = self.smallest == 0
            if not (self._widths[active] >= size).any():
                break
            costs = {"record": self._cost_by_record(active, size), "cell": self._cost_by_cell(size)}
            cheaper, dearer = sorted(costs, key=costs.__getitem__)
            other = dearer if costs[dearer] <= _AFFORDABLE else cheaper
            chosen = other if kernel == "other" else kernel or cheaper
            if self._literals.lists():
                chosen, costs["list"] = "list", costs["record"]
            state = _State(active.copy(), np.where(active, self._k, 0), np.full_like(self.witness, -1))
            used = self._depth(size, state, chosen, budget, large=costs[chosen] > self._large)
            new = active & (state.fewest < self._k)
            self.smallest[new] = size
            self.fewest[new], self.witness[new] = state.fewest[new], state.witness[new]
            if used < 0:
                return
            budget -= used
            self.proved = size
        self.proved = self._most

    def _depth(self, size: int, state: _State, kernel: str, budget: int, *, large: bool) -> int:
        """Look at all conjunctions of ``size`` literals; return the words used, -1 beyond the budget."""
        count = len(self._literals.issue)
        whole = _Part(0, count, state)
        if not large and self._bytes(size, kernel, whole) <= self._memory:
            self._go(size, kernel, budget, whole, 0)
            return whole.words
        edges = np.unique(np.linspace(0, count, _ROUNDS * _PARTS + 1).astype(np.int64)).tolist()
        self._run.total, spent = None, 0
        waiting = list(itertools.pairwise(edges))
        while waiting:
            parts = [_Part(first, stop, state.copy()) for first, stop in waiting[:_PARTS]]
            needs = np.cumsum([self._bytes(size, kernel, part) for part in parts])
            together = int(np.searchsorted(needs, self._memory, side="right"))
            if together == 0:
                raise ResourceError(
                    f"memory: {size} known ratings take lists of {int(needs[0]):,} bytes, and "
                    f"{self._memory:,} are left; allow more with `memory`, or look at fewer issues (`issues`)"
                )
            parts, waiting = parts[:together], waiting[together:]
            self._run([(1, partial(self._go, size, kernel, budget - spent, part)) for part in parts])
            for part in parts:  # ascending: of equally few the literals that come first stay
                better = part.state.fewest < state.fewest
                state.fewest[better], state.witness[better] = (
                    part.state.fewest[better],
                    part.state.witness[better],
                )
                state.active[:] &= part.state.active
            spent += sum(part.words for part in parts)
            if min(part.words for part in parts) < 0 or spent > budget:
                return -1
        return spent

    def _go(self, size: int, kernel: str, budget: int, part: _Part, _worker: int) -> None:
        """Look at the conjunctions of a part; its words are -1 beyond the budget."""
        blocks, count = len(self._literals.everybody), len(self._literals.issue)
        reach = (size, self._k, part.first, part.stop, budget)
        data = (self._ratings, self._windows, self._literals, part.state)
        if kernel == "list":
            part.words = int(by_list(*reach, *data, self._lists(size)))
            return
        stack = np.zeros(((size + 1) * blocks, WORDS), dtype=np.uint64)
        if kernel == "cell":
            cells = _Cells(
                stack, np.zeros_like(stack), np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
            )
            part.words = int(by_cell(*reach, self._literals, part.state, cells))
            return
        entries = self._entries(size, part)
        space = _Space(
            stack=stack,
            literal=np.zeros((size, count), dtype=np.int64),
            begin=np.zeros((size, count), dtype=np.int64),
            end=np.zeros((size, count), dtype=np.int64),
            record=np.zeros((size - 1, entries), dtype=np.int32),
            entry=np.zeros((size - 1, entries), dtype=np.int64),
            owners=np.zeros(count, dtype=np.int64),
            place=np.zeros(count, dtype=np.int64),
            seen=np.zeros(count, dtype=np.int64),
            left=np.zeros(count, dtype=np.int64),
            path=np.zeros(size, dtype=np.int64),
            child=np.zeros(size, dtype=np.int64),
            children=np.zeros(size, dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
        )
        part.words = int(by_record(*reach, *data, space))

    def _lists(self, size: int) -> _Lists:
        """Return working arrays of :func:`by_list`; above the first literal everybody is in both lists."""
        windows, count = self._windows, len(self._literals.issue)
        codes = np.arange(len(windows.low))
        first, last = windows.fitted()
        return _Lists(
            fit=self._chain(size),
            own=self._chain(size),
            fit_first=first,
            fit_last=last,
            own_low=np.searchsorted(windows.own_last, codes, side="left").astype(np.int64),
            own_high=np.searchsorted(windows.own_first, codes, side="right").astype(np.int64) - 1,
            literal=np.zeros((size, count if size > 2 else 0), dtype=np.int64),
            seen=np.zeros(count, dtype=np.int64),
            left=np.zeros(count, dtype=np.int64),
            path=np.zeros(size, dtype=np.int64),
            child=np.zeros(size, dtype=np.int64),
            children=np.zeros(size, dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
        )

    def _chain(self, size: int) -> _Chain:
        records = len(self._widths)
        record, entry = np.zeros((size, records), dtype=np.int32), np.zeros((size, records), dtype=np.int64)
        record[0], entry[0] = np.arange(records), self._ratings.indptr[:-1]
        length = np.zeros(size, dtype=np.int64)
        length[0] = records
        return _Chain(record, entry, length, len(self._windows.own_first))

    def _bytes(self, size: int, kernel: str, part: _Part) -> int:
        """Return what the working arrays of a part take, its copy of the state included."""
        blocks, count, records = len(self._literals.everybody), len(self._literals.issue), len(self._widths)
        need = part.state.active.nbytes + part.state.fewest.nbytes + part.state.witness.nbytes
        if kernel == "list":
            return need + 24 * size * records + 8 * count * (2 + size)
        need += 2 * 8 * WORDS * (size + 1) * blocks
        return (
            need
            if kernel == "cell"
            else need + 8 * count * (4 + 3 * size) + 12 * (size - 1) * self._entries(size, part)
        )

    def _entries(self, size: int, part: _Part) -> int:
        """Return how long a list of :func:`by_record` can be: a record stands there as often as it rates."""
        if size == 1:
            return 0
        own = int((self._windows.own_last - self._windows.own_first + 1).max(initial=1))
        entries = int(self._widths[part.state.active].sum()) * own
        if size > 2 or own > 1 or part.stop - part.first == len(self._literals.issue):
            return entries
        return int(self._owned[part.stop] - self._owned[part.first])

    def _cost_by_record(self, active: NDArray[np.bool_], size: int) -> float:
        own = int((self._windows.own_last - self._windows.own_first + 1).max(initial=1))
        widths, times = np.unique(self._widths[active], return_counts=True)
        return float(
            sum(n * comb(width, size) for width, n in zip(widths.tolist(), times.tolist(), strict=True))
        ) * (_CELL * float(own) ** size)

    def _cost_by_cell(self, size: int) -> float:
        issues = len(np.unique(self._literals.issue))
        per_issue = len(self._literals.issue) / max(issues, 1)
        words = WORDS * len(self._literals.everybody) / 2
        return comb(issues, size) * per_issue**size * _CELL + (
            comb(issues, size - 1) * per_issue ** (size - 1) * words
        )


def bounds(
    ratings: Ratings, windows: Windows, literals: Literals, k: int, records: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return how many ratings a greedy choice needs to narrow each of ``records`` down; 0: none does."""
    stack = np.zeros((2 * len(literals.everybody), WORDS), dtype=np.uint64)
    at_most = np.zeros(len(records), dtype=np.int32)
    shrink(k, records, ratings, windows, literals, stack, at_most)
    return at_most

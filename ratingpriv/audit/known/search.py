"""Depth by depth, the cheaper kernel, in parts that threads share; what is found does not depend on them."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known._search import by_cell, by_record, shrink
from ratingpriv.audit.known.literals import WORDS, Literals, Ratings, Windows
from ratingpriv.base.compute.parallel import Run

__all__ = ["BUDGET", "Search", "bounds"]

BUDGET = 10**12
"""Words that a search may AND: about five minutes of one core."""

_ROUNDS, _PARTS = 16, 4  # parts of a round start from the same state, and are merged after it
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


class Search:
    """The smallest numbers of ratings that narrow records down to fewer than k, found depth by depth.

    A depth of more than ``large`` words is cut into parts.

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
    ) -> None:
        self._ratings, self._windows, self._literals = ratings, windows, literals
        self._k, self._most, self._run, self._large = k, most, run, large
        records = len(ratings.indptr) - 1
        self._widths = np.diff(ratings.indptr)
        self.smallest = np.zeros(records, dtype=np.int32)
        self.fewest = np.zeros(records, dtype=np.int64)
        self.witness = np.full((records, most), -1, dtype=np.int64)
        self.proved = 0

    def go_through(self, budget: int, kernel: str | None = None) -> None:
        """Look at all conjunctions of 1, 2, … literals until all is found or ``budget`` words were ANDed.

        ``kernel`` : "record" or "cell"; None takes the cheaper one by the counts of what they go through
        """
        for size in range(1, self._most + 1):
            active = self.smallest == 0
            if not (self._widths[active] >= size).any():
                break
            costs = {"record": self._cost_by_record(active, size), "cell": self._cost_by_cell(size)}
            chosen = kernel or min(costs, key=costs.__getitem__)
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
        if not large:
            return self._part(size, kernel, budget, state, 0, count)
        edges = np.unique(np.linspace(0, count, _ROUNDS * _PARTS + 1).astype(np.int64))
        self._run.total, spent = None, 0
        for start in range(0, len(edges) - 1, _PARTS):
            stops = edges[start + 1 : start + _PARTS + 1]
            firsts = edges[start : start + len(stops)]
            states = [state.copy() for _ in stops]
            words = [0] * len(stops)
            ranges = list(zip(firsts, stops, states, strict=True))

            def task(
                number: int, words: list[int] = words, ranges: list[Any] = ranges, left: int = budget - spent
            ) -> Callable[[int], None]:
                first, stop, part = ranges[number]

                def work(_: int) -> None:
                    words[number] = self._part(size, kernel, left, part, int(first), int(stop))

                return work

            self._run([(1, task(number)) for number in range(len(stops))])
            for part in states:  # ascending: of equally few the literals that come first stay
                better = part.fewest < state.fewest
                state.fewest[better], state.witness[better] = part.fewest[better], part.witness[better]
                state.active[:] &= part.active
            if min(words) < 0 or (spent := spent + sum(words)) > budget:
                return -1
        return spent

    def _part(self, size: int, kernel: str, budget: int, state: _State, first: int, stop: int) -> int:
        blocks, count = len(self._literals.everybody), len(self._literals.issue)
        stack = np.zeros(((size + 1) * blocks, WORDS), dtype=np.uint64)
        if kernel == "cell":
            cells = _Cells(
                stack, np.zeros_like(stack), np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
            )
            return int(by_cell(size, self._k, first, stop, budget, self._literals, state, cells))
        own = self._windows.own_last - self._windows.own_first + 1
        entries = int(self._widths[state.active].sum()) * int(own.max(initial=1))
        space = _Space(
            stack=stack,
            literal=np.zeros((size, count), dtype=np.int64),
            begin=np.zeros((size, count), dtype=np.int64),
            end=np.zeros((size, count), dtype=np.int64),
            record=np.zeros((size, entries if size > 1 else 0), dtype=np.int32),
            entry=np.zeros((size, entries if size > 1 else 0), dtype=np.int64),
            owners=np.zeros(count, dtype=np.int64),
            place=np.zeros(count, dtype=np.int64),
            seen=np.zeros(count, dtype=np.int64),
            left=np.zeros(count, dtype=np.int64),
            path=np.zeros(size, dtype=np.int64),
            child=np.zeros(size, dtype=np.int64),
            children=np.zeros(size, dtype=np.int64),
            stamp=np.zeros(1, dtype=np.int64),
        )
        data = (self._ratings, self._windows, self._literals)
        return int(by_record(size, self._k, first, stop, budget, *data, state, space))

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

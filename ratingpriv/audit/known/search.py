"""Depth by depth, the cheaper kernel, in parts that threads share.

What is found does not depend on them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial
from math import comb

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.known._search import Cells, Space, State, by_cell, by_record
from ratingpriv.audit.known.arrays import WORDS, Literals, Ratings, Windows
from ratingpriv.audit.known.literals import MEMORY
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.errors import ResourceError

BUDGET = 10**12
"""Words that a search may AND: about five minutes of one core."""

_ROUNDS, _PARTS = 16, 4  # parts of a round start from the same state, and are merged after it
_AFFORDABLE = 10**10  # words of the dearer kernel: some seconds
_CELL = 50  # words that a cell costs beside those that are ANDed


@dataclass(slots=True)
class _Part:
    """The conjunctions whose first literal is in a range: what they leave,
    and the words that took.
    """

    first: int
    stop: int
    state: State
    words: int = 0


class Search:
    """The smallest numbers of ratings that narrow records down to fewer than k,
    found depth by depth.

    A depth of more than ``large`` words, or whose lists are larger than ``memory``, is cut into
    parts.
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
        self._widths = np.diff(ratings.indptr)
        self._own = int((windows.own_last - windows.own_first + 1).max(initial=1))
        # of each literal: its owners, and the ratings that these have, for which a list has to have
        # room
        levels, codes = len(windows.own_first), np.arange(len(windows.low))
        lowest = literals.issue * levels + np.searchsorted(windows.own_last, codes)[literals.window]
        highest = np.searchsorted(windows.own_first, codes, side="right")[literals.window]
        highest += literals.issue * levels
        cells = len(literals.key) // max(len(codes), 1) * levels
        upto = np.zeros((2, cells + 1), dtype=np.int64)
        for row, weights in enumerate((None, np.repeat(self._widths, self._widths))):
            rated = np.bincount(ratings.issue * levels + ratings.code, weights, minlength=cells)
            upto[row, 1:] = np.cumsum(rated)
        self._owned, self._below = upto[:, highest] - upto[:, lowest]
        records = len(self._widths)
        # the number of a record; 0: none up to ``proved``
        self.smallest = np.zeros(records, dtype=np.int32)
        # how many records those leave; 0: there are none
        self.fewest = np.zeros(records, dtype=np.int64)
        # the literals, -1 beyond ``smallest``
        self.witness = np.full((records, most), -1, dtype=np.int64)
        self.proved = 0  # up to how many ratings all were looked at

    def go_through(self, budget: int, kernel: str | None = None) -> None:
        """Look at all conjunctions of 1, 2, … literals until all is
        found or ``budget`` words were ANDed.

        ``kernel`` : "record" or "cell"; None takes the cheaper one by the counts of what they go
        through, "other" the dearer one where that takes some seconds at most. Without sets it is
        "record"
        """
        for size in range(1, self._most + 1):
            active = self.smallest == 0
            if not (self._widths[active] >= size).any():
                break
            costs = self._costs(active, size)
            cheaper, dearer = sorted(costs, key=costs.__getitem__)
            other = dearer if costs[dearer] <= _AFFORDABLE else cheaper
            chosen = other if kernel == "other" else kernel or cheaper
            if self._literals.lists():
                chosen = "record"
            state = State(
                active.copy(), np.where(active, self._k, 0), np.full_like(self.witness, -1)
            )
            used = self._depth(size, state, chosen, budget, large=costs[chosen] > self._large)
            new = active & (state.fewest < self._k)
            self.smallest[new] = size
            self.fewest[new], self.witness[new] = state.fewest[new], state.witness[new]
            if used < 0:
                return
            budget -= used
            self.proved = size
        self.proved = self._most

    def _depth(self, size: int, state: State, kernel: str, budget: int, *, large: bool) -> int:
        """Look at all conjunctions of ``size`` literals.

        Return the words used, -1 beyond the budget.
        """
        count = len(self._literals.issue)
        everything = _Part(0, count, state)
        if not large and self._bytes(size, kernel, everything) <= self._memory:
            self._go(size, kernel, budget, everything, 0)
            return everything.words
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
                    f"{self._memory:,} are left; allow more with `memory`, or look at fewer items "
                    "(`issues`)"
                )
            parts, waiting = parts[:together], waiting[together:]
            self._run(
                [(1, partial(self._go, size, kernel, budget - spent, part)) for part in parts]
            )
            for part in parts:  # ascending: of equally few the literals that come first stay
                better = part.state.fewest < state.fewest
                state.fewest[better] = part.state.fewest[better]
                state.witness[better] = part.state.witness[better]
                state.active[:] &= part.state.active
            spent += sum(part.words for part in parts)
            if min(part.words for part in parts) < 0 or spent > budget:
                return -1
        return spent

    def _go(self, size: int, kernel: str, budget: int, part: _Part, _worker: int) -> None:
        """Look at the conjunctions of a part; its words are -1 beyond the budget."""
        windows, literals, blocks = self._windows, self._literals, len(self._literals.everybody)
        records, count, entries = len(self._widths), len(literals.issue), self._entries(size, part)
        reach = (size, self._k, part.first, part.stop, budget)
        stack = np.zeros(((size + 1) * blocks, WORDS), dtype=np.uint64)
        if kernel == "cell":
            cells = Cells(
                stack, np.zeros_like(stack), np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
            )
            part.words = int(by_cell(*reach, literals, part.state, cells))
            return

        def zeros(*shape: int) -> NDArray[np.int64]:
            return np.zeros(shape, dtype=np.int64)

        listed = (size, records if literals.lists() else 0)
        first, last = windows.fitted()
        space = Space(
            stack=stack,
            fit=np.zeros(listed, dtype=np.int32),
            fit_entry=zeros(*listed),
            fits=zeros(size),
            fit_first=first,
            fit_last=last,
            record=np.zeros(records + (size - 1) * entries, dtype=np.int32),
            entry=zeros(records + (size - 1) * entries),
            room=records + np.arange(size) * entries,
            begin=zeros(size),
            end=zeros(size),
            literal=zeros(size, count),
            upto=zeros(size, count),
            child=zeros(size),
            children=zeros(size),
            path=zeros(size),
            owners=zeros(count),
            place=zeros(count),
            seen=zeros(count),
            left=zeros(count),
            stamp=zeros(1),
        )
        space.record[:records], space.entry[:records] = (
            np.arange(records),
            self._ratings.indptr[:-1],
        )
        space.end[0] = records
        if literals.lists():
            space.fit[0], space.fit_entry[0] = space.record[:records], space.entry[:records]
            space.fits[0] = records
        part.words = int(by_record(*reach, self._ratings, windows, literals, part.state, space))

    def _bytes(self, size: int, kernel: str, part: _Part) -> int:
        """Return what the working arrays of a part take, its copy of the state included."""
        blocks, count, records = (
            len(self._literals.everybody),
            len(self._literals.issue),
            len(self._widths),
        )
        need, sets = sum(array.nbytes for array in part.state), 8 * WORDS * (size + 1) * blocks
        if kernel == "cell":
            return need + 2 * sets
        lists = records * (1 + size * self._literals.lists()) + (size - 1) * self._entries(
            size, part
        )
        return need + sets + 12 * lists + 8 * count * (4 + 2 * size)

    def _entries(self, size: int, part: _Part) -> int:
        """Return how long a list of owners below a literal can be."""
        if size == 1:
            return 0
        here = slice(part.first, part.stop)
        first = int(self._owned[here].sum())
        return first if size == 2 else max(first, int(self._below[here].max(initial=0)) * self._own)

    def _costs(self, active: NDArray[np.bool_], size: int) -> dict[str, float]:
        """Return the words that each kernel may AND, about."""
        widths, times = np.unique(self._widths[active], return_counts=True)
        subsets = sum(
            n * comb(width, size) for width, n in zip(widths.tolist(), times.tolist(), strict=True)
        )
        issues = len(np.unique(self._literals.issue))
        per_issue = len(self._literals.issue) / max(issues, 1)
        words = WORDS * len(self._literals.everybody) / 2
        cells, above = (comb(issues, depth) * per_issue**depth for depth in (size, size - 1))
        by_record = float(subsets) * (_CELL * float(self._own) ** size)
        return {"record": by_record, "cell": cells * _CELL + above * words}

"""What a greedy leaves over: joining, borrowing from groups that can spare records, chains of moves.

None of it ever loses a group. Ours; the papers' own way is in ``pruning.py`` and ``borrowing.py``
[SWLZ11, §5.3; SWLP10, §4.4].
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.exact import dense_codes
from ratingpriv.partition.greedy.greedy import Grouping
from ratingpriv.partition.groups import UNPLACED
from ratingpriv.partition.index.arrays import Sensitive
from ratingpriv.proximity.fixed_rules import comparison_table, near_codes
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates

_DEEPEST = 6  # moves of a chain
_MOST_NODES = 300  # records that one chain may try to move
_CELLS = 500_000_000  # comparisons of ratings that chains may take in all: some seconds
_DENSE = 4_000_000  # cells of the matrix that chains work on
_WORTH = 0.01  # share of the leftovers that another round of borrowing must place, where they are many
_MANY = 20_000


def join_and_borrow(grouping: Grouping, seeds: NDArray[np.int64]) -> None:
    """Let leftovers join groups, then make groups with what others can spare, until little changes."""
    grouping.join(seeds, "joining groups")
    left = grouping.left
    while grouping.borrow(seeds, "borrowing from groups"):
        grouping.join(seeds, "joining groups")
        before, left = left, grouping.left
        if left > _MANY and before - left < _WORTH * before:
            return


@dataclass(slots=True)
class _Step:
    """Record ``mover`` needs a place, because ``before`` (if any) took its place in ``group``."""

    mover: int
    group: int
    before: _Step | None
    depth: int


class _Part:
    """Records that may be proximate at all, as a dense matrix of codes; -1 where not rated."""

    def __init__(
        self, table: RatingTable, positions: NDArray[np.int64], epsilon: float, sensitive: Sensitive
    ) -> None:
        self.positions = positions
        low, high = near_codes(table, epsilon)
        self.codes = dense_codes(table, positions)
        self._low, self._high = np.append(low, -1), np.append(high, len(low))  # -1: a null matches all
        self._sensitive = sensitive

    def apart(self, x: int) -> NDArray[np.bool_]:
        """Return which records are not proximate with record x, bool (n,)."""
        mine = self.codes[x]
        inside = (self.codes >= self._low[mine]) & (self.codes <= self._high[mine])
        return ~np.asarray((inside | (self.codes < 0)).all(axis=1))

    def diverse(self, members: NDArray[np.int64]) -> bool:
        """Whether the SDs of these records are large enough, a hair more even."""
        records = self.positions[members]
        for q in range(len(self._sensitive.needed)):
            known = self._sensitive.known[q, records]
            if not known.any():
                continue
            numbers = self._sensitive.numbers[q, records][known] + self._sensitive.shift[q]
            mean = float(numbers.mean())
            total = float(((numbers - mean) ** 2).sum())
            if self._sensitive.ignore:
                variance = total / len(numbers)
            else:
                variance = (total + (len(records) - len(numbers)) * mean**2) / len(records)
            if variance < self._sensitive.needed[q] * (1 + 1e-12):
                return False
        return True


def move_along_chains(
    table: RatingTable, labels: NDArray[np.int64], target: Target, sensitive: Sensitive, resources: Resources
) -> NDArray[np.int64]:
    """Place records that are left by letting members of groups make room for them; return the new labels.

    A record takes the place of the one member it is not proximate with; that member joins another group, or
    takes someone's place in turn. Every group on the way stays a clique of the same size, the last one gains
    a record. Stops after a few seconds' worth of comparisons.
    """
    labels, table = labels.copy(), comparison_table(table, target.epsilon, target.nulls)
    part_of = np.zeros(table.n_records, dtype=np.int64)
    if null_separates(table.scale, target.epsilon, target.nulls):
        part_of = hamming_groups(table).group_of
    left = np.flatnonzero(labels == UNPLACED)
    has_groups = np.zeros(int(part_of.max(initial=-1)) + 1, dtype=bool)
    has_groups[part_of[labels >= 0]] = True
    cells = _CELLS
    for number in np.unique(part_of[left][has_groups[part_of[left]]]):
        positions = np.flatnonzero(part_of == number)
        if len(positions) * table.n_issues > _DENSE:
            continue
        part = _Part(table, positions, target.epsilon, sensitive)
        local = labels[positions]
        for x in np.flatnonzero(local == UNPLACED):
            if cells <= 0:
                break
            cells -= _place(int(x), part, local) * max(part.codes.size, 1)
            resources.report("moving records along chains", _CELLS - max(cells, 0), _CELLS)
        labels[positions] = local
    return labels


def _place(x: int, part: _Part, labels: NDArray[np.int64]) -> int:
    """Find a chain that places record x and make its moves; return how many records it tried to move."""
    queue = deque([_Step(x, UNPLACED, None, 0)])
    met: set[int] = set()  # each group changes once at most, so that the moves do not disturb each other
    tried = 0
    while queue and tried < _MOST_NODES:
        step = queue.popleft()
        tried += 1
        placed = np.flatnonzero(labels >= 0)
        conflicts = np.bincount(labels[placed], weights=part.apart(step.mover)[placed]).astype(np.int64)
        present = np.bincount(labels[placed]) > 0
        for group in np.flatnonzero(present & (conflicts == 0)).tolist():
            if group in met:
                continue
            if part.diverse(np.append(np.flatnonzero(labels == group), step.mover)):
                last: _Step | None = step
                while last is not None:  # the one before goes to the place it left, and so on
                    labels[last.mover], group, last = group, last.group, last.before
                return tried
        if step.depth + 1 >= _DEEPEST:
            continue
        apart = part.apart(step.mover)
        for group in np.flatnonzero(present & (conflicts == 1)).tolist():
            if group in met:
                continue
            members = np.flatnonzero(labels == group)
            out = int(members[apart[members]][0])
            if part.diverse(np.append(members[members != out], step.mover)):
                met.add(group)
                queue.append(_Step(out, group, step, step.depth + 1))
    return tried

"""Groups in the making: who is where, who is left over, who can be spared."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ratingpriv.distortion.costs import Costs
from ratingpriv.partition.groups import Groups

__all__ = ["Lent", "Placing"]

_NONE = -1  # the number of a record that is left over in its component
_AWAY = -2  # of one that is dealt with elsewhere


class Lent(Enum):
    """How a record came free."""

    LEFT_OVER = "no group had it"
    BY_GROUP = "its group has more than k"
    BY_REARRANGING = "its component is decomposed anew"


class Placing:
    """Groups of at least k, and the records that are left over in their components.

    Parameters
    ----------
    decomposed : the groups to begin with; whoever is in none is left over
    labels : int64 (n_records,), the component of each record
    costs : the distortions
    looked_at : how many of the nearest groups are compared
    """

    def __init__(self, decomposed: Groups, labels: NDArray[np.int64], costs: Costs, looked_at: int) -> None:
        self._labels, self._costs, self._looked_at = labels, costs, looked_at
        self._members: dict[int, list[int]] = {
            number: group.tolist() for number, group in enumerate(decomposed.members())
        }
        self._of = decomposed.labels.copy()
        self._of[self._of < 0] = _NONE
        self._next = decomposed.count
        self._by_component: dict[int, set[int]] = {}
        for number, group in self._members.items():
            self._by_component.setdefault(int(labels[group[0]]), set()).add(number)
        self._spare: dict[int, list[int]] = {}  # component -> records it can lend by rearranging
        self._untried: dict[int, list[int]] = {}  # component -> its records, of which nobody knows yet
        self._firsts: tuple[int | None, NDArray[np.int64], NDArray[np.int64]] | None = None
        self._sizes = np.zeros(max(len(labels), 1), dtype=np.int64)
        self._sizes[: decomposed.count] = decomposed.sizes

    def groups(self) -> list[list[int]]:
        """Return the members of every group."""
        return list(self._members.values())

    def has_groups(self, label: int) -> bool:
        """Whether a component has a group."""
        return bool(self._by_component.get(label))

    def left_over(self) -> list[int]:
        """Return the records that are left over, ascending."""
        return np.flatnonzero(self._of == _NONE).tolist()

    def take_out(self, records: list[int]) -> None:
        """Deal with these records elsewhere, until they are added as a group."""
        self._of[records] = _AWAY

    def add(self, records: list[int]) -> None:
        """Make a group of records that are in none."""
        self._firsts = None
        self._members[self._next] = list(records)
        self._of[records] = self._next
        self._sizes[self._next] = len(records)
        self._by_component.setdefault(int(self._labels[records[0]]), set()).add(self._next)
        self._next += 1
        if self._next == len(self._sizes):
            self._sizes = np.concatenate((self._sizes, np.zeros_like(self._sizes)))

    def replace(self, records: list[int], groups: list[list[int]]) -> None:
        """Dissolve the groups of a component's records and make others."""
        self._firsts = None
        for number in {int(self._of[record]) for record in records if self._of[record] >= 0}:
            del self._members[number]
            self._sizes[number] = 0
            self._by_component[int(self._labels[records[0]])].discard(number)
        self._of[records] = _AWAY
        for group in groups:
            self.add(group)

    # Lending

    def hope(self, most: int) -> None:
        """Let components with a record left over lend any, if they have at most ``most``, until tried."""
        sizes = np.bincount(self._labels, minlength=len(self._labels))
        open_ones = np.zeros(len(self._labels), dtype=bool)
        open_ones[self._labels[self._of == _NONE]] = True
        for record in np.flatnonzero(open_ones[self._labels] & (sizes[self._labels] <= most)).tolist():
            self._untried.setdefault(int(self._labels[record]), []).append(record)

    def untried(self, label: int) -> list[int]:
        """Return a component's records if it is not known which of them it can lend; else nothing."""
        return self._untried.get(label, [])

    def may_lend(self, label: int, records: list[int]) -> None:
        """Note which records a component can lend if it is decomposed anew."""
        self._untried.pop(label, None)
        self._spare[label] = records

    def lenders(self, k: int) -> NDArray[np.int64]:
        """Return the records that can be spared, or may be, ascending."""
        able = self._of == _NONE
        placed = self._of >= 0
        able[placed] = self._sizes[self._of[placed]] > k
        for of in (self._spare, self._untried):
            for records in of.values():
                able[records] = True
        return np.flatnonzero(able)

    def lend(self, record: int) -> Lent:
        """Take a record that can be spared away; if by rearranging, ``replace`` its component next."""
        number, label = int(self._of[record]), int(self._labels[record])
        rearranged = record in self._spare.pop(label, ())
        if number == _NONE and not rearranged:
            self._of[record] = _AWAY
            return Lent.LEFT_OVER
        if rearranged:
            return Lent.BY_REARRANGING
        self._members[number].remove(record)
        self._firsts = None
        self._sizes[number] -= 1
        self._of[record] = _AWAY
        return Lent.BY_GROUP

    # Joining

    def cheaper(self, records: list[int], cost: float) -> bool:
        """Whether joining ``records`` to some group adds at most ``cost``."""
        return bool(self._members) and self._cheapest(records, None)[1] <= cost

    def join_cheapest(self, records: list[int], label: int | None) -> list[int]:
        """Join records to the group that this costs least, of a component or of all; return it as it was."""
        best, _ = self._cheapest(records, label)
        group = self._members[best]
        before = list(group)
        group += records
        self._of[records] = best
        self._sizes[best] = len(group)
        return before

    def _cheapest(self, records: list[int], label: int | None) -> tuple[int, float]:
        """Return the group that it costs least to join, and how much it adds; there must be one."""
        if self._firsts is None or self._firsts[0] != label:
            numbers = sorted(self._members if label is None else self._by_component[label])
            firsts = [self._members[number][0] for number in numbers]
            self._firsts = label, np.array(numbers, dtype=np.int64), np.array(firsts, dtype=np.int64)
        near = self._firsts[1][np.sort(self._costs.nearest(records[0], self._firsts[2], self._looked_at))]
        groups = [self._members[number] for number in near.tolist()]
        added = self._costs.of([group + records for group in groups]) - self._costs.of(groups)
        best = int(np.argmin(added))
        return int(near[best]), float(added[best])

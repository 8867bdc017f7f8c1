"""Case 3 of [SWLP10, §4.4]: what a component can lend, and how cliques that are too small are combined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.adjacency import Adjacency
from ratingpriv.partition.components import components, not_decomposed
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.exact import solve
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates

type _Positions = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Combination:
    """Two cliques that are too small, and the distortion Σ |x - x'| that makes their union a clique."""

    distortion: float
    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def union(self) -> tuple[int, ...]:
        """The members of both, ascending."""
        return tuple(sorted({*self.left, *self.right}))


def lendable(
    table: RatingTable, component: _Positions, k: int, epsilon: float, *, nulls: str = "strict"
) -> NDArray[np.int64]:
    """Return the records without which GREEDY decomposes the rest of ``component``, positions ascending.

    Implements Case 3.1 [SWLP10, §4.4]: these may be lent. Where several maximal k-cliques leave different
    records over, all of them are here. One run of the greedy a record: sensible up to some thousand records.
    """
    positions = np.sort(_positions(table, component))
    if len(positions) == 1:
        return positions
    if len(positions) <= k:
        return np.empty(0, dtype=np.int64)
    part = table.take(positions)
    everybody = np.arange(len(positions))
    able = [
        len(greedy(part.take(np.delete(everybody, u)), k, epsilon, nulls=nulls, threads=1).unplaced) == 0
        for u in everybody
    ]
    return positions[able]


def combine_cliques(
    table: RatingTable,
    component: _Positions,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
) -> tuple[Combination, ...]:
    """Return how two of the largest cliques of a component without a k-clique can be combined.

    Implements Case 3.2 [SWLP10, §4.4, Fig. 9]: the cliques of k - 1 records; if there are none, those of k -
    2, and so on. Two are combined if their union has at most k records: unions of most records come first,
    then those of the least distortion, then by members.
    """
    k = checks.whole_number("k", k, 1)
    cliques = largest_cliques(table, component, epsilon, nulls=nulls)
    if len(cliques[0]) >= k:
        raise ParameterError("component", cliques[0], f"records without a clique of {k}")
    pairs = [(left, right) for left, right in itertools.combinations(cliques, 2) if len({*left, *right}) <= k]
    unions = [sorted({*left, *right}) for left, right in pairs]
    costs = Costs(table, epsilon, nulls, fabricate).of(unions)
    order = sorted(range(len(pairs)), key=lambda i: (-len(unions[i]), costs[i], pairs[i]))
    return tuple(Combination(float(costs[i]), *pairs[i]) for i in order)


def largest_cliques(
    table: RatingTable, component: _Positions, epsilon: float, *, nulls: str = "strict"
) -> tuple[tuple[int, ...], ...]:
    """Return all cliques of the largest size among a few records, members ascending, sorted."""
    import networkx

    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    at = np.sort(_positions(table, component))
    adjacent = Adjacency(table, epsilon, nulls).matrix(at)
    np.fill_diagonal(adjacent, False)
    found = [tuple(sorted(clique)) for clique in networkx.find_cliques(networkx.from_numpy_array(adjacent))]
    most = max(map(len, found))
    return tuple(sorted(tuple(at[list(clique)].tolist()) for clique in found if len(clique) == most))


def _positions(table: RatingTable, records: _Positions) -> NDArray[np.int64]:
    at = np.asarray(records, dtype=np.int64)
    n = table.n_records
    if len(at) == 0 or len(np.unique(at)) != len(at) or at.min() < 0 or at.max() >= n:
        raise ParameterError("records", list(records)[:5], f"distinct positions 0..{n - 1}, one at least")
    return at


_SOLVED = 16  # records of a component that are searched completely
_LISTED = 18  # records whose cliques are listed: at most 729 maximal ones, whatever the graph
_TRIED = 60  # records of a component whose loans are tried one by one
_COMPARED = 32  # nearest candidates whose distortion is worked out
_WINDOW = 2000  # components, in an order that keeps similar ones together, among which these are searched for

CASES = {
    "1": "k-decomposable: published as it is",
    "2": "merged with components of its Hamming group, or edges added within it",
    "3.1": "fewer than k records: borrowed from other components",
    "3.2": "no k-clique: smaller cliques combined by adding edges",
    "joined": "nobody had a record to lend: joined to records of other components",
}
"""What was done with a component [SWLP10, §4.4]; "joined" is ours, so that it always ends."""


@dataclass(frozen=True, slots=True, order=True)
class Merge:
    """Two components, by their labels a < b, that are merged, and Σ |x - x'| that makes them one clique."""

    distortion: float
    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Loan:
    """A record that was lent, by one component (its label) to another; the distortion is of that with it."""

    distortion: float
    receiver: int
    lender: int
    record: int


@dataclass(frozen=True, slots=True, eq=False)
class Modification:
    """Groups of at least k whose data must be changed where they are no cliques.

    Adding all edges within them makes the graph k-decomposable [SWLP10, Problem 2]. ``components`` has the
    label of each record's component, its least position; ``cases`` a key of CASES for each label. Merges and
    loans are in the order in which they were done; ``log`` has them in words.
    """

    groups: Groups
    components: NDArray[np.int64]
    cases: dict[int, str]
    merges: tuple[Merge, ...]
    borrows: tuple[Loan, ...]
    log: tuple[str, ...]


def graph_modification(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
    fill: str = "metric",
    progress: Progress | None = None,
) -> Modification:
    """Put every record in a group of at least ``k``, with edges to be added where that has to be.

    Implements Cases 1 to 3 [SWLP10, §4.4], component by component. Where the paper leaves a choice, the least
    distortion decides (windows.group_cost, whose ``fabricate`` and ``fill`` these are), among the 32
    candidates nearest by Σ |x - y|; then the position.

    1. A component that GREEDY decomposes (of up to 16 records: that can be decomposed) stays as it is.
    2. Components of fewer than k records are merged within their Hamming group, the first with the cheapest
       of the others, until they are k.
    3.2. In a component of k or more without a k-clique, smaller cliques are combined.
    3.1. What is still too small borrows, record by record: what cliques leave over, what a group of more
       than k can spare, or a record without which GREEDY decomposes its component.
       Edges are added among the records of a component that cliques leave over and nobody borrows: k of
       them are made a clique, the last few join one.
    Last, where nobody had anything to lend, the records that are too few join the cheapest group there is, or
    each other. The paper has no case for them. So it always ends.
    """
    checks.no_quasi(table.quasi, "the papers' graph modification", "leave them out with `drop`")
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    if table.n_records < k:
        raise ParameterError("k", k, f"at most {table.n_records}, the number of records")
    return _Modifying(table, k, epsilon, nulls, fabricate, fill, progress).run()


class _Modifying:
    def __init__(
        self,
        table: RatingTable,
        k: int,
        epsilon: float,
        nulls: str,
        fabricate: bool,
        fill: str,
        progress: Progress | None,
    ) -> None:
        self._table, self._k, self._epsilon, self._nulls = table, k, epsilon, nulls
        self._fabricate, self._progress = fabricate, progress
        self._labels = components(table, epsilon, nulls=nulls)
        self._costs = Costs(table, epsilon, nulls, fabricate, fill)
        self._cases: dict[int, str] = {}
        self._merges: list[Merge] = []
        self._loans: list[Loan] = []
        self._log: list[str] = []

    def run(self) -> Modification:
        table, k = self._table, self._k
        decomposed = greedy(table, k, self._epsilon, nulls=self._nulls)
        self._assigned = _Assignment(decomposed, self._labels, self._costs, _COMPARED)
        members = Groups.of_labels(self._labels).members()
        open_ones = set(not_decomposed(self._labels, decomposed).tolist())
        small: list[list[int]] = []
        for component in members:
            label = int(component[0])
            self._cases[label] = "1"
            if label in open_ones and len(component) < k:
                self._assigned.take_out(component.tolist())
                small.append(component.tolist())
            elif label in open_ones:
                self._decompose(label, component)
        # what is too small: [label, records]
        waiting = self._borrow(self._merge(small))
        self._join_within()
        self._join_anywhere(waiting)
        return Modification(
            Groups.of_sets(self._assigned.groups(), table.n_records), self._labels, self._cases,
            tuple(self._merges), tuple(self._loans), tuple(self._log),
        )  # fmt: skip

    def _names(self, records: list[int]) -> str:
        ids = [str(self._table.record_ids[record]) for record in records[:8]]
        return ", ".join(ids) + (f", ... ({len(records)} records)" if len(records) > len(ids) else "")

    def _report(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress("modifying the graph", done, total)

    # A component of k or more that the greedy leaves undone

    def _decompose(self, label: int, component: NDArray[np.int64]) -> None:
        if len(component) <= _SOLVED:
            solved = solve(self._table, component, self._k, self._epsilon, nulls=self._nulls)
            if solved.status == "found":
                self._assigned.replace(component.tolist(), [list(group) for group in solved.sets])
                return
        self._cases[label] = "2"
        if self._assigned.has_groups(label):
            return
        left = component.tolist()
        while len(left) >= self._k:
            group = self._clique_to_be(left, label)
            self._assigned.add(group)
            left = _without(left, group)

    def _clique_to_be(self, left: list[int], label: int) -> list[int]:
        """Return k of the records (or a whole clique of more), to be made a clique at little distortion."""
        start = [left[0]]
        if len(left) <= _LISTED:
            largest = largest_cliques(self._table, left, self._epsilon, nulls=self._nulls)
            if len(largest[0]) >= self._k:
                return list(largest[0])
            if not self._assigned.has_groups(label):
                self._cases[label] = "3.2"
                self._log.append(f"Case 3.2: no clique of {self._k} among {self._names(left)}")
            combined = combine_cliques(
                self._table, left, self._k, self._epsilon, nulls=self._nulls, fabricate=self._fabricate
            )
            start = list(combined[0].union if combined else largest[0])
        if len(start) < self._k:
            others = np.array(left[: _WINDOW + self._k], dtype=np.int64)
            start = self._costs.grown(start, others, self._k, _COMPARED).tolist()
        self._log.append(f"Case {self._cases[label]}: edges added to make {self._names(start)} a clique")
        return start

    def _cheapest(self, base: list[int], others: NDArray[np.int64]) -> tuple[int, float]:
        """Return which of ``others`` costs least together with ``base``, and that distortion."""
        near = np.sort(others[self._costs.nearest(base[0], others, _COMPARED)])
        costs = self._costs.with_one_more(base, near)
        best = int(np.argmin(costs))
        return int(near[best]), float(costs[best])

    def _similar_side_by_side(self, parts: list[list[int]]) -> list[list[int]]:
        """Return the parts as they are, if they are few; else so that similar ones are side by side."""
        if len(parts) <= _WINDOW:
            return parts
        slot = _similar_together(self._table, self._epsilon, self._nulls)
        return sorted(parts, key=lambda part: int(slot[part[0]]))

    # Case 2

    def _merge(self, small: list[list[int]]) -> list[list[int]]:
        """Merge components of fewer than k within their Hamming group; return what stays too small."""
        hamming = _hamming_group_of_components(self._table, self._labels)
        by_group: dict[int, list[list[int]]] = {}
        waiting = []
        for part in self._similar_side_by_side(small):
            group = int(hamming[part[0]])
            if group < 0:
                waiting.append(part)
            else:
                by_group.setdefault(group, []).append(part)
        done = 0
        for parts in by_group.values():
            while parts:
                own = parts.pop(0)
                while len(own) < self._k and parts:
                    firsts = np.array([part[0] for part in parts[:_WINDOW]], dtype=np.int64)
                    near = np.sort(self._costs.nearest(own[0], firsts, _COMPARED)).tolist()
                    costs = self._costs.of([own + parts[i] for i in near])
                    best = int(np.argmin(costs))
                    other = parts.pop(near[best])
                    a, b = sorted((int(self._labels[own[0]]), int(self._labels[other[0]])))
                    merge = Merge(float(costs[best]), a, b)
                    self._merges.append(merge)
                    self._log.append(
                        f"Case 2: {self._names(own)} merged with {self._names(other)}, "
                        f"distortion {merge.distortion:g}"
                    )
                    self._cases[merge.a] = self._cases[merge.b] = "2"
                    own = own + other
                    done += 1
                    self._report(done, len(small))
                if len(own) >= self._k:
                    self._assigned.add(own)
                else:
                    waiting.append(own)
        return sorted(waiting)

    # Case 3.1

    def _borrow(self, waiting: list[list[int]]) -> list[list[int]]:
        """Let what is too small borrow; return what stays too small."""
        if not waiting:
            return []
        self._assigned.hope(_TRIED)
        still = []
        for done, own in enumerate(waiting):
            label = int(self._labels[own[0]])
            while len(own) < self._k:
                candidates = self._assigned.lenders(self._k)
                if len(candidates) == 0:
                    break
                record, distortion = self._cheapest(own, candidates)
                lender = int(self._labels[record])
                if untried := self._assigned.untried(lender):
                    able = lendable(self._table, untried, self._k, self._epsilon, nulls=self._nulls)
                    self._assigned.may_lend(lender, able.tolist())
                    continue
                if self._assigned.lend(record) is _Lent.BY_REARRANGING:
                    self._rearrange(lender, record)
                self._loans.append(Loan(distortion, label, lender, record))
                self._cases[label] = "3.1"
                self._log.append(
                    f"Case 3.1: {self._names(own)} borrowed {self._names([record])}, "
                    f"distortion {distortion:g}"
                )
                own = [*own, record]
            if len(own) >= self._k:
                self._assigned.add(own)
            else:
                still.append(own)
            self._report(done + 1, len(waiting))
        return still

    def _rearrange(self, label: int, lent: int) -> None:
        """Decompose a component anew after it lent a record."""
        rest = np.flatnonzero(self._labels == label)
        rest = rest[rest != lent]
        found = greedy(self._table.take(rest), self._k, self._epsilon, nulls=self._nulls, threads=1)
        self._assigned.replace([*rest.tolist(), lent], [rest[group].tolist() for group in found.members()])

    # The rest

    def _join_within(self) -> None:
        """Add edges within components: what cliques leave over joins a group."""
        by_component: dict[int, list[int]] = {}
        left = self._similar_side_by_side([[record] for record in self._assigned.left_over()])
        for (record,) in left:
            by_component.setdefault(int(self._labels[record]), []).append(record)
        done = 0
        for label, records in by_component.items():
            while len(records) >= self._k:
                group = self._clique_to_be(records, label)
                self._assigned.add(group)
                records = _without(records, group)
                self._report(done := done + len(group), len(left))
            for record in records:
                group = self._assigned.join_cheapest([record], label)
                self._log.append(
                    f"Case {self._cases[label]}: edges added between {self._names([record])} and "
                    f"{self._names(group)}"
                )
                self._report(done := done + 1, len(left))

    def _join_anywhere(self, waiting: list[list[int]]) -> None:
        """Join what is too small, and found no lender, to whatever costs least."""
        while waiting:
            own = waiting.pop(0)
            if len(own) >= self._k:
                self._assigned.add(own)
                continue
            self._cases[int(self._labels[own[0]])] = "joined"
            base = self._costs.of([own])[0]
            near: list[int] = []
            costs = np.empty(0)
            if waiting:
                firsts = np.array([part[0] for part in waiting[:_WINDOW]], dtype=np.int64)
                near = np.sort(self._costs.nearest(own[0], firsts, _COMPARED)).tolist()
                costs = self._costs.of([own + waiting[i] for i in near])
                costs = costs - base - self._costs.of([waiting[i] for i in near])
            best = int(np.argmin(costs)) if near else -1
            if near and not self._assigned.cheaper(own, float(costs[best])):
                other = waiting.pop(near[best])
                self._cases[int(self._labels[other[0]])] = "joined"
                self._log.append(f"nobody lends: {self._names(own)} joined with {self._names(other)}")
                waiting.insert(0, own + other)
            else:
                group = self._assigned.join_cheapest(own, None)
                self._log.append(f"nobody lends: {self._names(own)} joined to {self._names(group)}")


_NONE = -1  # the number of a record that is left over in its component
_AWAY = -2  # of one that is dealt with elsewhere


class _Lent(Enum):
    """How a record came free."""

    LEFT_OVER = "no group had it"
    BY_GROUP = "its group has more than k"
    BY_REARRANGING = "its component is decomposed anew"


class _Assignment:
    """Groups of at least k, and the records that are left over in their components."""

    def __init__(self, decomposed: Groups, labels: NDArray[np.int64], costs: Costs, compared: int) -> None:
        self._labels, self._costs, self._compared = labels, costs, compared
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

    def lend(self, record: int) -> _Lent:
        """Take a record that can be spared away; if by rearranging, ``replace`` its component next."""
        number, label = int(self._of[record]), int(self._labels[record])
        rearranged = record in self._spare.pop(label, ())
        if number == _NONE and not rearranged:
            self._of[record] = _AWAY
            return _Lent.LEFT_OVER
        if rearranged:
            return _Lent.BY_REARRANGING
        self._members[number].remove(record)
        self._firsts = None
        self._sizes[number] -= 1
        self._of[record] = _AWAY
        return _Lent.BY_GROUP

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
        near = self._firsts[1][np.sort(self._costs.nearest(records[0], self._firsts[2], self._compared))]
        groups = [self._members[number] for number in near.tolist()]
        added = self._costs.of([group + records for group in groups]) - self._costs.of(groups)
        best = int(np.argmin(added))
        return int(near[best]), float(added[best])


def _without(records: list[int], group: list[int]) -> list[int]:
    """Return ``records`` without those of ``group``, all of which are among them, in order."""
    waiting, position = set(group), 0
    first = []
    while waiting:  # they are in front, as a rule: what is behind them stays as it is
        record = records[position]
        if record in waiting:
            waiting.discard(record)
        else:
            first.append(record)
        position += 1
    return first + records[position:]


def _hamming_group_of_components(table: RatingTable, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the Hamming group of each component at the place of its label, int64 (n_records,); else -1.

    -1 too where a component's records are of several, as they can be where nulls never separate.
    """
    group = hamming_groups(table).group_of
    of = np.full(len(labels), -1, dtype=np.int64)
    of[labels] = group[labels]
    of[labels[group != group[labels]]] = -1
    return of


def _similar_together(table: RatingTable, epsilon: float, nulls: str) -> NDArray[np.int64]:
    """Return the rank of each record, int64 (n_records,), in an order that keeps similar ones together.

    Runs of records are cut in two at the mean of the issue whose codes vary most, again and again.
    """
    n = table.n_records
    order, starts = np.arange(n), np.array([0, n], dtype=np.int64)
    if null_separates(table.scale, epsilon, nulls):
        groups = hamming_groups(table)
        order, starts = groups.order.copy(), groups.starts
    elif table.n_ratings < n * table.n_issues:
        return order
    most = int(np.clip(np.sqrt(n) / 4, 16, 1024))
    runs = list(itertools.pairwise(starts.tolist()))
    while runs:
        first, stop = runs.pop()
        if stop - first <= most:
            continue
        run = order[first:stop]
        width = int(table.indptr[run[0] + 1] - table.indptr[run[0]])
        codes = table.codes[table.indptr[run][:, None] + np.arange(width)].astype(np.float64)
        total = codes.sum(axis=0)
        spread, widest, issue = (codes * codes).sum(axis=0) - total * total / len(run), 0.0, -1
        for j in range(width):
            if spread[j] > widest * (1 + 1e-9) + 1e-6:
                widest, issue = float(spread[j]), j
        cut = len(run) // 2  # identical records are cut anywhere
        if issue >= 0:
            above = codes[:, issue] > total[issue] / len(run)
            cut = int(np.count_nonzero(~above))
            run[:] = run[_parted(above, cut)]
        runs += [(first, first + cut), (first + cut, stop)]
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    return rank


def _parted(above: NDArray[np.bool_], cut: int) -> NDArray[np.int64]:
    """Return the order in which two pointers that meet put the ``cut`` that are not ``above`` first.

    The left one stops at each that is above; it changes places with what the right one has come to, and moves
    on only if that is not above.
    """
    order = np.arange(len(above))
    low = np.flatnonzero(above[: cut + 1])  # where the left one stops; there is one more if nothing is left
    order[low[low < cut]] = cut + np.flatnonzero(~above[cut:])[::-1]
    place = np.arange(cut, len(above))
    again = np.append(above[cut + 1 :], False)  # what the right one has come to is above, too
    order[place[again]] = place[again] + 1
    order[place[~again][::-1]] = low[: np.count_nonzero(~again)]
    return order

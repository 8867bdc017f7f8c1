"""Graph modification: groups of at least k for everybody,
by merging and borrowing [SWLP10, §4.4].
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.components import components
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.exact import Adjacency, solve
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import null_separates

_SOLVED = 16  # records of a component that are searched completely
_LISTED = 18  # records whose cliques are listed: at most 729 maximal ones, whatever the graph
_TRIED = 60  # records of a component whose loans are tried one by one
_COMPARED = 32  # nearest candidates whose distortion is worked out
# components, in an order that keeps similar ones together, among which these are searched for
_WINDOW = 2000

_NONE = -1  # the group of a record that is left over in its component
_AWAY = -2  # of one that is dealt with elsewhere

CASES = {
    "1": "k-decomposable: published as it is",
    "2": "merged with components of its Hamming group, or edges added within it",
    "3.1": "fewer than k records: borrowed from other components",
    "3.2": "no k-clique: smaller cliques combined by adding edges",
    "joined": "no component had a record to lend: joined to records of other components",
}
"""What was done with a component [SWLP10, §4.4]; "joined" is ours, so that it always ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Modification:
    """Groups of at least k whose data must be changed where they are no cliques.

    Adding all edges within them makes the graph k-decomposable [SWLP10, Problem 2]. ``components``
    has the label of each record's component, its least position; ``cases`` a key of CASES for each
    label. ``log`` has every step, in order, and its distortion.
    """

    groups: Groups
    components: NDArray[np.int64]
    cases: dict[int, str]
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

    Implements Cases 1 to 3 [SWLP10, §4.4], component by component. Where the paper leaves a choice,
    the least distortion decides (distortion/windows.py has ``fabricate`` and ``fill``), among the
    32 candidates nearest by Σ |x - y|; then the position.

    1. A component that GREEDY decomposes (of up to 16 records: that can be decomposed) stays as it
       is.
    2. Components of fewer than k records are merged within their Hamming group, the first with the
       cheapest of the others, until they are k.
    3.2. In a component of k or more without a k-clique, smaller cliques are combined.
    3.1. What is still too small borrows, record by record: what cliques leave over, what a group of
    more
       than k can spare, or a record without which GREEDY decomposes its component.
       Edges are added among the records of a component that cliques leave over and nobody borrows:
       k of them are made a clique, the last few join one.
    Last, where nobody had anything to lend, the records that are too few join the cheapest group
    there is, or each other. The paper has no case for them. So it always ends.
    """
    checks.no_quasi(table.quasi, "the papers' graph modification", "drop them with `drop`")
    target = Target(k=k, epsilon=epsilon, nulls=nulls)
    if table.n_records < target.k:
        raise ParameterError("k", k, f"at most {table.n_records}, the number of records")
    return _Modifying(table, target, fabricate, fill, progress).run()


class _Modifying:
    """Groups of at least k under way, and the records that are left over in their components."""

    def __init__(
        self,
        table: RatingTable,
        target: Target,
        fabricate: bool,
        fill: str,
        progress: Progress | None,
    ) -> None:
        self._table, self._target, self._fabricate, self._progress = (
            table,
            target,
            fabricate,
            progress,
        )
        self._labels = labels = components(table, target.epsilon, nulls=target.nulls)
        self._costs = Costs(table, target.epsilon, target.nulls, fabricate, fill)
        self._cases: dict[int, str] = {}
        self._log: list[str] = []
        self._decomposed = decomposed = greedy(table, target.k, target.epsilon, nulls=target.nulls)
        self._members = {
            number: group.tolist() for number, group in enumerate(decomposed.members())
        }
        self._of = np.where(decomposed.labels < 0, _NONE, decomposed.labels)
        self._next = decomposed.count
        self._by_component: dict[int, set[int]] = {}
        for number, group in self._members.items():
            self._by_component.setdefault(int(labels[group[0]]), set()).add(number)
        self._firsts: tuple[int | None, NDArray[np.int64], NDArray[np.int64]] | None = None

    def run(self) -> Modification:
        undone = set(self._labels[self._decomposed.unplaced].tolist())
        small: list[list[int]] = []
        for component in Groups.of_labels(self._labels).members():
            label = int(component[0])
            self._cases[label] = "1"
            if label in undone and len(component) < self._target.k:
                self._of[component] = _AWAY
                small.append(component.tolist())
            elif label in undone:
                self._decompose(label, component)
        waiting = self._borrow(self._merge(small))
        self._join_within()
        self._join_anywhere(waiting)
        groups = Groups.of_sets(self._members.values(), self._table.n_records)
        return Modification(groups, self._labels, self._cases, tuple(self._log))

    def _names(self, records: list[int]) -> str:
        ids = [str(self._table.record_ids[record]) for record in records[:8]]
        return ", ".join(ids) + (
            f", ... ({len(records)} records)" if len(records) > len(ids) else ""
        )

    def _report(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress("modifying the graph", done, total)

    def _add(self, records: list[int]) -> None:
        """Make a group of records that are in none."""
        self._firsts = None
        self._members[self._next] = list(records)
        self._of[records] = self._next
        self._by_component.setdefault(int(self._labels[records[0]]), set()).add(self._next)
        self._next += 1

    def _replace(self, records: list[int], groups: list[list[int]]) -> None:
        """Dissolve the groups of a component's records and make others."""
        self._firsts = None
        for number in {int(self._of[record]) for record in records if self._of[record] >= 0}:
            del self._members[number]
            self._by_component[int(self._labels[records[0]])].discard(number)
        self._of[records] = _AWAY
        for group in groups:
            self._add(group)

    def _decompose(self, label: int, component: NDArray[np.int64]) -> None:
        """See to a component of k or more that the greedy leaves undone."""
        k, left = self._target.k, component.tolist()
        if len(left) <= _SOLVED:
            solved = solve(
                self._table, component, k, self._target.epsilon, nulls=self._target.nulls
            )
            if solved.status == "found":
                self._replace(left, [list(group) for group in solved.sets])
                return
        self._cases[label] = "2"
        if self._by_component.get(label):
            return
        while len(left) >= k:
            group = self._clique_to_be(left, label)
            self._add(group)
            left = _without(left, group)

    def _clique_to_be(self, left: list[int], label: int) -> list[int]:
        """Return k of the records (or a whole clique of more),
        to be made a clique at little distortion.
        """
        k, epsilon, nulls = self._target.k, self._target.epsilon, self._target.nulls
        start = [left[0]]
        if len(left) <= _LISTED:
            largest = largest_cliques(self._table, left, epsilon, nulls=nulls)
            if len(largest[0]) >= k:
                return list(largest[0])
            if not self._by_component.get(label):
                self._cases[label] = "3.2"
                self._log.append(f"Case 3.2: no clique of {k} among {self._names(left)}")
            combined = combine_cliques(
                self._table, left, k, epsilon, nulls=nulls, fabricate=self._fabricate
            )
            start = list(combined[0][1] if combined else largest[0])
        if len(start) < k:
            others = np.array(left[: _WINDOW + k], dtype=np.int64)
            start = self._costs.grown(start, others, k, _COMPARED).tolist()
        self._log.append(
            f"Case {self._cases[label]}: edges added to make {self._names(start)} a clique"
        )
        return start

    def _merge(self, small: list[list[int]]) -> list[list[int]]:
        """Case 2: merge components of fewer than k in their Hamming group;
        return what stays too small.
        """
        group_of = hamming_groups(self._table).group_of
        # nulls do not separate
        several = set(self._labels[group_of != group_of[self._labels]].tolist())
        by_group: dict[int, list[list[int]]] = {}
        waiting, done = [], 0
        for part in self._similar_side_by_side(small):
            if part[0] in several:
                waiting.append(part)
            else:
                by_group.setdefault(int(group_of[part[0]]), []).append(part)
        for parts in by_group.values():
            while parts:
                group = parts.pop(0)
                while len(group) < self._target.k and parts:
                    near = self._nearest_first(group, parts)
                    costs = self._costs.of([group + parts[i] for i in near])
                    best = int(np.argmin(costs))
                    other = parts.pop(near[best])
                    merged = f"{self._names(group)} merged with {self._names(other)}"
                    self._log.append(f"Case 2: {merged}, distortion {costs[best]:g}")
                    for part in (group, other):
                        self._cases[int(self._labels[part[0]])] = "2"
                    group = group + other
                    done += 1
                    self._report(done, len(small))
                if len(group) >= self._target.k:
                    self._add(group)
                else:
                    waiting.append(group)
        return sorted(waiting)

    def _nearest_first(self, own: list[int], parts: list[list[int]]) -> list[int]:
        """Return which parts are nearest to ``own``, by their first records, ascending."""
        firsts = np.array([part[0] for part in parts[:_WINDOW]], dtype=np.int64)
        nearest: list[int] = np.sort(self._costs.nearest(own[0], firsts, _COMPARED)).tolist()
        return nearest

    def _borrow(self, waiting: list[list[int]]) -> list[list[int]]:
        """Case 3.1: let what is too small borrow; return what stays too small."""
        if not waiting:
            return []
        k, epsilon, nulls, labels = (
            self._target.k,
            self._target.epsilon,
            self._target.nulls,
            self._labels,
        )
        # a small component with a record left over may lend any; which ones, is tried when it is
        # asked
        undone, sizes = (
            np.zeros(len(labels), dtype=bool),
            np.bincount(labels, minlength=len(labels)),
        )
        undone[labels[self._of == _NONE]] = True
        untried: dict[int, list[int]] = {}
        for record in np.flatnonzero(undone[labels] & (sizes[labels] <= _TRIED)).tolist():
            untried.setdefault(int(labels[record]), []).append(record)
        # component -> records it can lend if it is decomposed anew
        spare: dict[int, list[int]] = {}
        still = []
        for done, group in enumerate(waiting):
            label = int(labels[group[0]])
            while len(group) < k:
                able, placed = self._of == _NONE, self._of >= 0
                of = self._of[placed]
                able[placed] = np.bincount(of)[of] > k
                for records in (*spare.values(), *untried.values()):
                    able[records] = True
                candidates = np.flatnonzero(able)
                if len(candidates) == 0:
                    break
                near = np.sort(candidates[self._costs.nearest(group[0], candidates, _COMPARED)])
                costs = self._costs.of([[*group, u] for u in near.tolist()])
                best = int(np.argmin(costs))
                record, lender = int(near[best]), int(labels[near[best]])
                if lender in untried:
                    lent = lendable(self._table, untried.pop(lender), k, epsilon, nulls=nulls)
                    spare[lender] = lent.tolist()
                    continue
                self._lend(record, anew=record in spare.pop(lender, ()))
                self._cases[label] = "3.1"
                borrowed = f"{self._names(group)} borrowed {self._names([record])}"
                self._log.append(f"Case 3.1: {borrowed}, distortion {costs[best]:g}")
                group = [*group, record]
            if len(group) >= k:
                self._add(group)
            else:
                still.append(group)
            self._report(done + 1, len(waiting))
        return still

    def _lend(self, record: int, *, anew: bool) -> None:
        """Take a record away: from its group of more than k,
        or by decomposing its component ``anew``.
        """
        number = int(self._of[record])
        if anew:
            rest = np.flatnonzero(self._labels == self._labels[record])
            rest = rest[rest != record]
            part, target = self._table.take(rest), self._target
            cliques_found = greedy(part, target.k, target.epsilon, nulls=target.nulls, threads=1)
            self._replace(
                [*rest.tolist(), record],
                [rest[group].tolist() for group in cliques_found.members()],
            )
            return
        self._of[record] = _AWAY
        if number != _NONE:
            self._members[number].remove(record)
            self._firsts = None

    def _join_within(self) -> None:
        """Add edges within components: what cliques leave over joins a group."""
        by_component: dict[int, list[int]] = {}
        left = self._similar_side_by_side(
            [[record] for record in np.flatnonzero(self._of == _NONE).tolist()]
        )
        for (record,) in left:
            by_component.setdefault(int(self._labels[record]), []).append(record)
        done = 0
        for label, records in by_component.items():
            while len(records) >= self._target.k:
                group = self._clique_to_be(records, label)
                self._add(group)
                records = _without(records, group)
                self._report(done := done + len(group), len(left))
            for record in records:
                joined = self._join_cheapest([record], label)
                self._log.append(
                    f"Case {self._cases[label]}: edges added between {self._names([record])} and "
                    f"{joined}"
                )
                self._report(done := done + 1, len(left))

    def _join_anywhere(self, waiting: list[list[int]]) -> None:
        """Join what is too small, and found no lender, to whatever costs least."""
        while waiting:
            group = waiting.pop(0)
            if len(group) >= self._target.k:
                self._add(group)
                continue
            self._cases[int(self._labels[group[0]])] = "joined"
            if waiting:
                near = self._nearest_first(group, waiting)
                costs = (
                    self._costs.of([group + waiting[i] for i in near]) - self._costs.of([group])[0]
                )
                costs = costs - self._costs.of([waiting[i] for i in near])
                best = int(np.argmin(costs))
                if not self._members or self._cheapest_group(group, None)[1] > costs[best]:
                    other = waiting.pop(near[best])
                    self._cases[int(self._labels[other[0]])] = "joined"
                    self._log.append(
                        f"no component lends: {self._names(group)} joined with {self._names(other)}"
                    )
                    waiting.insert(0, group + other)
                    continue
            joined = self._join_cheapest(group, None)
            self._log.append(f"no component lends: {self._names(group)} joined to {joined}")

    def _join_cheapest(self, records: list[int], label: int | None) -> str:
        """Join records to the group that this costs least, of a component or of all.

        Return who was in it.
        """
        best, _ = self._cheapest_group(records, label)
        group = self._members[best]
        before = self._names(group)
        group += records
        self._of[records] = best
        return before

    def _cheapest_group(self, records: list[int], label: int | None) -> tuple[int, float]:
        """Return the group that it costs least to join, and how much it adds; there must be one."""
        if self._firsts is None or self._firsts[0] != label:
            numbers = sorted(self._members if label is None else self._by_component[label])
            firsts = [self._members[number][0] for number in numbers]
            self._firsts = (
                label,
                np.array(numbers, dtype=np.int64),
                np.array(firsts, dtype=np.int64),
            )
        near = self._firsts[1][np.sort(self._costs.nearest(records[0], self._firsts[2], _COMPARED))]
        groups = [self._members[number] for number in near.tolist()]
        added = self._costs.of([group + records for group in groups]) - self._costs.of(groups)
        best = int(np.argmin(added))
        return int(near[best]), float(added[best])

    def _similar_side_by_side(self, parts: list[list[int]]) -> list[list[int]]:
        """Return the parts as they are, if they are few.

        Else so that similar ones are side by side.

        That is in the order of the leaves of a k-d tree of each Hamming group's records.
        """
        if len(parts) <= _WINDOW:
            return parts
        from scipy.spatial import cKDTree

        table, n = self._table, self._table.n_records
        order, starts = np.arange(n), np.array([0, n])
        if null_separates(table.scale, self._target.epsilon, self._target.nulls):
            groups = hamming_groups(table)
            order, starts = groups.order.copy(), groups.starts
        elif table.n_ratings < n * table.n_issues:
            return sorted(parts)
        most = int(np.clip(np.sqrt(n) / 4, 16, 1024))
        for g in np.flatnonzero(np.diff(starts) > most):
            members = order[starts[g] : starts[g + 1]]
            width = table.indptr[members[0] + 1] - table.indptr[members[0]]
            if width > 0:  # else nothing tells them apart
                codes = table.codes[table.indptr[members][:, None] + np.arange(width)]
                members[:] = members[cKDTree(codes, leafsize=most, balanced_tree=False).indices]
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.arange(n)
        return sorted(parts, key=lambda part: int(rank[part[0]]))


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


def lendable(
    table: RatingTable, component: Sequence[int], k: int, epsilon: float, *, nulls: str = "strict"
) -> NDArray[np.int64]:
    """Return the records without which GREEDY decomposes the rest of ``component``,
    positions ascending.

    Implements Case 3.1 [SWLP10, §4.4]: these may be lent. Where several maximal k-cliques leave
    different records over, all of them are here. One run of the greedy a record: sensible up to
    some thousand records.
    """
    positions = np.sort(np.array(component, dtype=np.int64))
    if len(positions) == 1:
        return positions
    if len(positions) <= k:
        return positions[:0]
    part, everybody = table.take(positions), np.arange(len(positions))
    able = [
        len(greedy(part.take(np.delete(everybody, u)), k, epsilon, nulls=nulls, threads=1).unplaced)
        == 0
        for u in everybody
    ]
    return positions[able]


def combine_cliques(
    table: RatingTable,
    component: Sequence[int],
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
) -> list[tuple[float, tuple[int, ...]]]:
    """Return unions of two of the largest cliques of a component without a k-clique,
    and their distortion.

    Implements Case 3.2 [SWLP10, §4.4, Fig. 9]: the cliques of k - 1 records; if there are none,
    those of k - 2, and so on. Two are combined if their union has at most k records: unions of most
    records come first, then those of the least distortion, then by members.
    """
    cliques = largest_cliques(table, component, epsilon, nulls=nulls)
    pairs = [pair for pair in itertools.combinations(cliques, 2) if len({*pair[0], *pair[1]}) <= k]
    unions = [tuple(sorted({*left, *right})) for left, right in pairs]
    costs = Costs(table, epsilon, nulls, fabricate).of(unions)
    order = sorted(range(len(pairs)), key=lambda i: (-len(unions[i]), costs[i], pairs[i]))
    return [(float(costs[i]), unions[i]) for i in order]


def largest_cliques(
    table: RatingTable, component: Sequence[int], epsilon: float, *, nulls: str = "strict"
) -> tuple[tuple[int, ...], ...]:
    """Return all cliques of the largest size among a few records, members ascending, sorted."""
    import networkx

    positions = np.sort(np.array(component, dtype=np.int64))
    adjacent = Adjacency(table, epsilon, nulls).matrix(positions)
    np.fill_diagonal(adjacent, False)
    cliques = [
        sorted(clique) for clique in networkx.find_cliques(networkx.from_numpy_array(adjacent))
    ]
    most = max(map(len, cliques))
    return tuple(
        sorted(tuple(positions[clique].tolist()) for clique in cliques if len(clique) == most)
    )

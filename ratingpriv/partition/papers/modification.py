"""Graph modification: groups of at least k for everybody, by merging and borrowing [SWLP10, §4.4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.distortion.costs import Costs
from ratingpriv.errors import ParameterError
from ratingpriv.partition.components import components, not_decomposed
from ratingpriv.partition.exact.search import ExactSolver
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.papers.assignment import Lent, Placing
from ratingpriv.partition.papers.borrowing import combine_cliques, largest_cliques, lendable
from ratingpriv.partition.papers.boxes import Boxes
from ratingpriv.partition.papers.merging import Merge, hamming_group_of_components
from ratingpriv.partition.papers.modification_result import CASES, Loan, Modification
from ratingpriv.progress import Progress
from ratingpriv.proximity.levels import NULL_RULES
from ratingpriv.table import RatingTable

__all__ = ["CASES", "Loan", "Modification", "graph_modification"]

_SOLVED = 16  # records of a component that the exact solver looks at
_LISTED = 18  # records whose cliques are listed: at most 729 maximal ones, whatever the graph
_TRIED = 60  # records of a component whose loans are tried one by one
_LOOKED_AT = 32  # nearest candidates whose distortion is worked out
_WINDOW = 2000  # components, in an order that keeps similar ones together, among which these are looked for


def graph_modification(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
    progress: Progress | None = None,
) -> Modification:
    """Put every record in a group of at least ``k``, with edges to be added where that has to be.

    Implements Cases 1 to 3 [SWLP10, §4.4], component by component. Where the paper leaves a choice, the least
    distortion decides (windows.group_cost), among the 32 candidates nearest by Σ |x - y|; then the position.

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

    Raises
    ------
    ParameterError
        An argument is out of range, or there are fewer than ``k`` records.
    """
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, NULL_RULES)
    if table.n_records < k:
        raise ParameterError("k", k, f"at most {table.n_records}, the number of records")
    return _Modifying(table, k, epsilon, nulls, fabricate, progress).run()


class _Modifying:
    def __init__(
        self,
        table: RatingTable,
        k: int,
        epsilon: float,
        nulls: str,
        fabricate: bool,
        progress: Progress | None,
    ) -> None:
        self._table, self._k, self._epsilon, self._nulls = table, k, epsilon, nulls
        self._fabricate, self._progress = fabricate, progress
        self._labels = components(table, epsilon, nulls=nulls)
        self._costs = Costs(table, epsilon, nulls, fabricate)
        self._cases: dict[int, str] = {}
        self._merges: list[Merge] = []
        self._loans: list[Loan] = []
        self._log: list[str] = []

    def run(self) -> Modification:
        table, k = self._table, self._k
        decomposed = greedy(table, k, self._epsilon, nulls=self._nulls)
        self._placing = Placing(decomposed, self._labels, self._costs, _LOOKED_AT)
        members = Groups.of_labels(self._labels).members()
        open_ones = set(not_decomposed(self._labels, decomposed).tolist())
        small: list[list[int]] = []
        for component in members:
            label = int(component[0])
            self._cases[label] = "1"
            if label in open_ones and len(component) < k:
                self._placing.take_out(component.tolist())
                small.append(component.tolist())
            elif label in open_ones:
                self._decompose(label, component)
        # what is too small: [label, records]
        waiting = self._borrow(self._merge(small))
        self._join_within()
        self._join_anywhere(waiting)
        return Modification(
            Groups.of_sets(self._placing.groups(), table.n_records), self._labels, self._cases,
            tuple(self._merges), tuple(self._loans), tuple(self._log),
        )  # fmt: skip

    def _names(self, records: list[int]) -> str:
        ids = [str(self._table.record_ids[record]) for record in records[:8]]
        return ", ".join(ids) + (f", ... ({len(records)} records)" if len(records) > len(ids) else "")

    def _tell(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress("modifying the graph", done, total)

    # A component of k or more that the greedy leaves undone

    def _decompose(self, label: int, component: NDArray[np.int64]) -> None:
        if len(component) <= _SOLVED:
            solver = ExactSolver(self._table, self._k, self._epsilon, nulls=self._nulls)
            solved = solver.solve(component)
            if solved.status == "found":
                self._placing.replace(component.tolist(), [list(group) for group in solved.sets])
                return
        self._cases[label] = "2"
        if self._placing.has_groups(label):
            return
        left = component.tolist()
        while len(left) >= self._k:
            group = self._clique_to_be(left, label)
            self._placing.add(group)
            left = [record for record in left if record not in set(group)]

    def _clique_to_be(self, left: list[int], label: int) -> list[int]:
        """Return k of the records (or a whole clique of more), to be made a clique at little distortion."""
        start = [left[0]]
        if len(left) <= _LISTED:
            largest = largest_cliques(self._table, left, self._epsilon, nulls=self._nulls)
            if len(largest[0]) >= self._k:
                return list(largest[0])
            if not self._placing.has_groups(label):
                self._cases[label] = "3.2"
                self._log.append(f"Case 3.2: no clique of {self._k} among {self._names(left)}")
            combined = combine_cliques(
                self._table, left, self._k, self._epsilon, nulls=self._nulls, fabricate=self._fabricate
            )
            start = list(combined[0].union if combined else largest[0])
        while len(start) < self._k:
            others = np.array([u for u in left[: _WINDOW + self._k] if u not in start], dtype=np.int64)
            start.append(self._cheapest(start, others)[0])
        self._log.append(f"Case {self._cases[label]}: edges added to make {self._names(start)} a clique")
        return start

    def _cheapest(self, base: list[int], others: NDArray[np.int64]) -> tuple[int, float]:
        """Return which of ``others`` costs least together with ``base``, and that distortion."""
        near = np.sort(others[self._costs.nearest(base[0], others, _LOOKED_AT)])
        costs = self._costs.with_one_more(base, near)
        best = int(np.argmin(costs))
        return int(near[best]), float(costs[best])

    def _by_likeness(self, parts: list[list[int]]) -> list[list[int]]:
        """Return the parts as they are, if they are few; else so that similar ones are near each other."""
        if len(parts) <= _WINDOW:
            return parts
        slot = Boxes(self._table, self._epsilon, self._nulls).slot
        return sorted(parts, key=lambda part: int(slot[part[0]]))

    # Case 2

    def _merge(self, small: list[list[int]]) -> list[list[int]]:
        """Merge components of fewer than k within their Hamming group; return what stays too small."""
        hamming = hamming_group_of_components(self._table, self._labels)
        by_group: dict[int, list[list[int]]] = {}
        waiting = []
        for part in self._by_likeness(small):
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
                    near = np.sort(self._costs.nearest(own[0], firsts, _LOOKED_AT)).tolist()
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
                    self._tell(done, len(small))
                if len(own) >= self._k:
                    self._placing.add(own)
                else:
                    waiting.append(own)
        return sorted(waiting)

    # Case 3.1

    def _borrow(self, waiting: list[list[int]]) -> list[list[int]]:
        """Let what is too small borrow; return what stays too small."""
        if not waiting:
            return []
        self._placing.hope(_TRIED)
        still = []
        for done, own in enumerate(waiting):
            label = int(self._labels[own[0]])
            while len(own) < self._k:
                candidates = self._placing.lenders(self._k)
                if len(candidates) == 0:
                    break
                record, distortion = self._cheapest(own, candidates)
                lender = int(self._labels[record])
                if untried := self._placing.untried(lender):
                    able = lendable(self._table, untried, self._k, self._epsilon, nulls=self._nulls)
                    self._placing.may_lend(lender, able.tolist())
                    continue
                if self._placing.lend(record) is Lent.BY_REARRANGING:
                    self._rearrange(lender, record)
                self._loans.append(Loan(distortion, label, lender, record))
                self._cases[label] = "3.1"
                self._log.append(
                    f"Case 3.1: {self._names(own)} borrowed {self._names([record])}, "
                    f"distortion {distortion:g}"
                )
                own = [*own, record]
            if len(own) >= self._k:
                self._placing.add(own)
            else:
                still.append(own)
            self._tell(done + 1, len(waiting))
        return still

    def _rearrange(self, label: int, lent: int) -> None:
        """Decompose a component anew after it lent a record."""
        rest = np.flatnonzero(self._labels == label)
        rest = rest[rest != lent]
        found = greedy(self._table.take(rest), self._k, self._epsilon, nulls=self._nulls, threads=1)
        self._placing.replace([*rest.tolist(), lent], [rest[group].tolist() for group in found.members()])

    # The rest

    def _join_within(self) -> None:
        """Add edges within components: what cliques leave over joins a group."""
        by_component: dict[int, list[int]] = {}
        left = self._by_likeness([[record] for record in self._placing.left_over()])
        for (record,) in left:
            by_component.setdefault(int(self._labels[record]), []).append(record)
        done = 0
        for label, records in by_component.items():
            while len(records) >= self._k:
                group = self._clique_to_be(records, label)
                self._placing.add(group)
                records = [record for record in records if record not in set(group)]
                self._tell(done := done + len(group), len(left))
            for record in records:
                group = self._placing.join_cheapest([record], label)
                self._log.append(
                    f"Case {self._cases[label]}: edges added between {self._names([record])} and "
                    f"{self._names(group)}"
                )
                self._tell(done := done + 1, len(left))

    def _join_anywhere(self, waiting: list[list[int]]) -> None:
        """Join what is too small, and found no lender, to whatever costs least."""
        while waiting:
            own = waiting.pop(0)
            if len(own) >= self._k:
                self._placing.add(own)
                continue
            self._cases[int(self._labels[own[0]])] = "joined"
            base = self._costs.of([own])[0]
            near: list[int] = []
            costs = np.empty(0)
            if waiting:
                firsts = np.array([part[0] for part in waiting[:_WINDOW]], dtype=np.int64)
                near = np.sort(self._costs.nearest(own[0], firsts, _LOOKED_AT)).tolist()
                costs = self._costs.of([own + waiting[i] for i in near])
                costs = costs - base - self._costs.of([waiting[i] for i in near])
            best = int(np.argmin(costs)) if near else -1
            if near and not self._placing.cheaper(own, float(costs[best])):
                other = waiting.pop(near[best])
                self._cases[int(self._labels[other[0]])] = "joined"
                self._log.append(f"nobody lends: {self._names(own)} joined with {self._names(other)}")
                waiting.insert(0, own + other)
            else:
                group = self._placing.join_cheapest(own, None)
                self._log.append(f"nobody lends: {self._names(own)} joined to {self._names(group)}")

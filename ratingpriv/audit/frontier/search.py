"""The search behind the frontier: one engine pass an ε,
and as few of them as an exact answer needs.

Where many ε matter, all pairs are looked at once instead, by
:class:`ratingpriv.audit.frontier.sweep.Sweep`; the answers are the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from msgspec import structs

from ratingpriv.audit.frontier.candidates import LISTABLE, Candidates
from ratingpriv.audit.frontier.result import FrontierParameters, Interval
from ratingpriv.audit.frontier.sweep import Sweep
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.base.target import SENSITIVE_NULLS
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.frontier import FrontierRow, RowPartition
from ratingpriv.partition.partitioning import partition
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, meets_k, neighbourhoods

LISTED = 10_000
"""Of more candidates a pass for each is not considered while there is room to compare all pairs."""

LEAST_K = 2
"""The k of a partition where none is given: the least that hides anybody."""


class Search:
    """Looks at a table at one ε after the other.

    Attributes
    ----------
    rules : rules for sensitive nulls that can differ: one where every sensitive rating is known
    rows : the rows of all ε looked at, by ε
    """

    def __init__(
        self, table: RatingTable, parameters: FrontierParameters, resources: Resources
    ) -> None:
        self.table, self.parameters, self.resources = table, parameters, resources
        self.candidates = Candidates(table, parameters.nulls)
        self.sweep = Sweep(table, parameters, self.candidates, resources)
        complete = all(bool(column.present.all()) for column in table.numeric_sensitive)
        self.rules: tuple[str, ...] = (parameters.sensitive_nulls,) if complete else SENSITIVE_NULLS
        self.rows: dict[float, FrontierRow] = {}
        self._holds: dict[float, dict[str, bool]] = {}
        self._partitions: dict[float, RowPartition] = {}

    # ---- by neighbourhoods ----

    def scan(self, epsilons: Sequence[float]) -> None:
        """Find the rows at ``epsilons``, ascending, that are not in ``rows`` yet."""
        epsilons = [epsilon for epsilon in epsilons if epsilon not in self.rows]
        names = [column.name for column in self.table.numeric_sensitive]
        swept = self.sweep.neighbourhoods(epsilons)
        for number, epsilon in enumerate(epsilons, start=1):
            if swept is None:
                nulls, resources = self.parameters.nulls, self.resources
                counted = neighbourhoods(
                    self.table, epsilon, nulls=nulls, sensitive=names, resources=resources
                )
                self._judge(counted)
                self.resources.report("scanning distances", number, len(epsilons))
            else:
                self._judge(next(swept))

    def _judge(self, counted: Neighbourhoods) -> None:
        """Keep what holds at an ε, and whether the given k and l do
        under each rule for sensitive nulls.
        """
        given, epsilon, unprotected = self.parameters, counted.epsilon, self.candidates.unprotected
        target = dataclasses.asdict(given.target(epsilon))
        target["l"] = given.l or 0.0 if counted.moments else given.l
        held_to = AuditParameters(**target)
        sums = Aggregates.of(Judged.of(counted, held_to))
        large, protects = (
            not sums.sizes.below(held_to.k),
            unprotected is None or epsilon < unprotected,
        )
        holds = {rule: large and not sums.by_rule.get(rule, 0) for rule in SENSITIVE_NULLS}
        largest_l = {
            rule: {issue.name: issue.max_l[rule] for issue in sums.issues if issue.max_l}
            for rule in SENSITIVE_NULLS
        }
        self._holds[epsilon] = holds
        self.rows[epsilon] = FrontierRow(
            epsilon=epsilon,
            max_k=int(sums.sizes.sizes[0]),
            max_l=largest_l[given.sensitive_nulls],
            max_l_by_rule=largest_l,
            singletons=sums.sizes.below(2),
            pairs=sums.pairs or 0,
            satisfied=protects and holds[given.sensitive_nulls] if given.has_target else None,
            protection=protects,
            partition=None,
        )

    def smallest_for_k(self, k: int) -> float | None:
        """Return the smallest ε at which every neighbourhood has ``k`` records; None if none does.

        The largest of the records' distances to their (k-1)-th nearest [SWLZ11, §5.2.2].
        Neighbourhoods only grow with ε, so bisection is sound, and it ends between two neighbouring
        candidates: exact, for real-valued ratings too. ``rows`` narrow it down.
        """

        def meets(epsilon: float) -> bool:
            nulls, threads, progress = (
                self.parameters.nulls,
                self.resources.threads,
                self.resources.progress,
            )
            return meets_k(self.table, k, epsilon, nulls=nulls, threads=threads, progress=progress)

        top = self.candidates.top
        short = [row.epsilon for row in self.rows.values() if row.max_k < k]
        enough = [row.epsilon for row in self.rows.values() if row.max_k >= k]
        if 0.0 in enough or (0.0 not in short and meets(0.0)):
            return 0.0
        if top in short or (not enough and not meets(top)):
            return None
        low, high = max(short, default=0.0), min(enough, default=top)
        while (middle := self.candidates.middle(low, high)) is not None:
            if meets(middle):
                high = middle
            else:
                low = middle
        return high

    def holding(self, everything: Sequence[float] | None) -> dict[str, tuple[Interval, ...]]:
        """Return every ε at which the given k and l hold, as intervals,
        under each rule for sensitive nulls.

        ``everything``: all that matter, where they were scanned.
        """
        start: float | None = 0.0
        if everything is None and self.parameters.k is not None:
            start = self.smallest_for_k(self.parameters.k)
        if start is None:
            return dict.fromkeys(SENSITIVE_NULLS, ())
        if everything is None and self.parameters.l is None:
            return dict.fromkeys(SENSITIVE_NULLS, (Interval(start, None),))
        held = self.feasible(start) if everything is None else self._intervals(everything)
        return {rule: held.get(rule, held[self.rules[0]]) for rule in SENSITIVE_NULLS}

    def feasible(self, start: float) -> dict[str, tuple[Interval, ...]]:
        """Return every ε ≥ ``start``, that of k, at which the given k and l hold, under each rule.

        The least SD may rise and fall as ε grows, so bisection would be unsound. Candidates are
        scanned, each by the engine, or one sweep over all pairs decides each, whichever costs less.
        No ε is left out.
        """
        top, listed = self.candidates.top, self.candidates.listed(LISTED)
        if listed is None or self.sweep.pays([epsilon for epsilon in listed if epsilon >= start]):
            held: dict[str, tuple[Interval, ...]] = {}
            for rule in self.rules:
                changes = self.sweep.changes(start, rule)
                if changes is None:
                    break
                if self.candidates.r == top:
                    self.scan([top])
                    changes.append((top, self._holds[top][rule]))
                held[rule] = intervals_of(*zip(*changes, strict=True))
            else:
                return held
            listed = self.candidates.listed(LISTABLE)
        if listed is None:
            raise ResourceError(
                "memory: found millions of distances, and too little to compare all pairs in; "
                "raise "
                "`memory`, round the ratings, or name distances with `epsilon`"
            )
        listed = [epsilon for epsilon in listed if epsilon >= start]
        self.scan(listed)
        return self._intervals(listed)

    def _intervals(self, epsilons: Sequence[float]) -> dict[str, tuple[Interval, ...]]:
        return {
            rule: intervals_of(epsilons, [self._holds[epsilon][rule] for epsilon in epsilons])
            for rule in self.rules
        }

    # ---- by partition ----

    def partition(self, epsilon: float) -> RowPartition:
        """Search for a partition at ``epsilon``; once, however often this is called."""
        if epsilon not in self._partitions:
            target = self.parameters.target(epsilon, k=LEAST_K)
            groups = partition(self.table, **dataclasses.asdict(target), **self.resources.keywords)
            answer = RowPartition(target.k, False, groups.proved_impossible, 0, 0, {}, epsilon)
            if groups.found:
                size, sd = groups.min_size or 0, dict(groups.min_sd)
                answer = RowPartition(target.k, True, False, groups.n_groups, size, sd, epsilon)
            self._partitions[epsilon] = answer
        return self._partitions[epsilon]

    def with_partitions(self, rows: Sequence[FrontierRow]) -> list[FrontierRow]:
        """Return the rows, ascending in ε, each with what is known of a partition at it.

        One that serves at ε serves at every larger ε. Where the smallest neighbourhood has fewer
        than k records there is none: no search is needed to prove it.
        """
        answered: list[FrontierRow] = []
        serving: RowPartition | None = None
        k = LEAST_K if self.parameters.k is None else self.parameters.k
        for row in rows:
            answer = serving
            if answer is None and row.max_k < k:
                answer = RowPartition(k, False, True, 0, 0, {}, row.epsilon)
            answer = self.partition(row.epsilon) if answer is None else answer
            serving = answer if answer.found else None
            answered.append(structs.replace(row, partition=answer))
        return answered

    def smallest_by_partition(
        self, rows: Sequence[FrontierRow], *, complete: bool
    ) -> tuple[float | None, bool]:
        """Return (the smallest ε at which one was found,
        whether every smaller ε is proved to have none).

        That none is *found* proves nothing, unless the search says that it proved it; a proof at ε
        is one for every smaller ε. ``rows``: with partitions, ascending; what lies between them is
        searched by bisection unless they are ``complete``.
        """
        proofs = {
            row.epsilon: bool(row.partition and row.partition.proved_impossible) for row in rows
        }
        epsilons = [
            row.epsilon for row in rows if row.partition is not None and row.partition.found
        ]
        if not epsilons:
            return None, bool(rows) and proofs[rows[-1].epsilon]
        high = epsilons[0]
        failed = [row.epsilon for row in rows if row.epsilon < high]
        low, proved = (failed[-1], proofs[failed[-1]]) if failed else (high, True)
        if complete:
            return high, proved
        # below the smallest ε for it by neighbourhoods no partition is possible
        k = self.parameters.k
        least = next((row.epsilon for row in rows if k is not None and row.max_k >= k), low)
        if low < least < high:
            answer = self.partition(least)
            if answer.found:
                return least, True
            low, proved = least, answer.proved_impossible
        searches = 1
        while low < high and (middle := self.candidates.middle(low, high)) is not None:
            answer = self.partition(middle)
            searches += 1
            self.resources.report("partitioning", searches, None)
            if answer.found:
                high = middle
            else:
                low, proved = middle, answer.proved_impossible
        return high, proved


def intervals_of(epsilons: Sequence[float], holds: Sequence[bool]) -> tuple[Interval, ...]:
    """Return as intervals where it holds, each verdict being true up to the next ε; ascending."""
    intervals: list[Interval] = []
    start: float | None = None
    for epsilon, good in zip(epsilons, holds, strict=True):
        if good and start is None:
            start = epsilon
        elif not good and start is not None:
            intervals.append(Interval(start, epsilon))
            start = None
    return (*intervals, Interval(start, None)) if start is not None else tuple(intervals)

"""By partition: the smallest ε at which everybody is in a clique of k records, as far as a search can say.

A partition that serves at ε serves at every larger ε, so the search goes up from below and ends with the
first one. That none is *found* proves nothing, unless the search says that it proved it; a proof at ε is one
for every smaller ε.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.result import FrontierParameters, FrontierRow, PartitionAnswer
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.partitioning import partition

LEAST_K = 2
"""The k of a partition where none is given: the least that hides anybody."""


@dataclass(frozen=True, slots=True)
class PartitionSearch:
    """Searches for a partition at one ε."""

    table: RatingTable
    parameters: FrontierParameters
    resources: Resources
    _answers: dict[float, PartitionAnswer] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """How many records a group has at least."""
        return LEAST_K if self.parameters.k is None else self.parameters.k

    def at(self, epsilon: float) -> PartitionAnswer:
        """Search at ``epsilon``; once, however often this is called."""
        if epsilon not in self._answers:
            self._answers[epsilon] = self._search(epsilon)
        return self._answers[epsilon]

    def _search(self, epsilon: float) -> PartitionAnswer:
        target, resources = self.parameters.target(epsilon, k=LEAST_K), self.resources
        result = partition(
            self.table,
            k=target.k,
            epsilon=target.epsilon,
            l=target.l,
            nulls=target.nulls,
            sensitive_nulls=target.sensitive_nulls,
            threads=resources.threads,
            memory=resources.memory,
            progress=resources.progress,
        )
        if not result.found:
            return PartitionAnswer(self.k, False, result.proved_impossible, 0, 0, {}, epsilon)
        return PartitionAnswer(
            self.k, True, False, result.n_groups, result.min_size or 0, dict(result.min_sd), epsilon
        )


def with_partitions(rows: Sequence[FrontierRow], search: PartitionSearch) -> list[FrontierRow]:
    """Return the rows, ascending in ε, each with what is known of a partition at it.

    Where the smallest neighbourhood has fewer than k records there is none: no search is needed to prove it.
    """
    answered: list[FrontierRow] = []
    partition: PartitionAnswer | None = None
    for row in rows:
        answer = partition
        if answer is None and row.max_k < search.k:
            answer = PartitionAnswer(search.k, False, True, 0, 0, {}, row.epsilon)
        answer = search.at(row.epsilon) if answer is None else answer
        partition = answer if answer.found else None
        answered.append(replace(row, partition=answer))
    return answered


def smallest_by_partition(
    rows: Sequence[FrontierRow],
    search: PartitionSearch,
    candidates: Candidates | None,
    neighbourhood: float | None,
) -> tuple[float | None, bool]:
    """Return (the smallest ε at which a partition was found, whether every smaller ε is proved to have none).

    Parameters
    ----------
    rows : with partitions, ascending in ε
    candidates : what lies between the rows, searched by bisection; None if the rows are all there is
    neighbourhood : the smallest ε for k by neighbourhoods, below which no partition is possible; or None
    """
    answered = [row for row in rows if row.partition is not None and row.partition.found]
    if not answered:
        return None, bool(rows) and _proved(rows[-1].partition)
    high = answered[0].epsilon
    failed = [row for row in rows if row.epsilon < high]
    low, proved = (failed[-1].epsilon, _proved(failed[-1].partition)) if failed else (high, True)
    if candidates is None:
        return high, proved
    if neighbourhood is not None and low < neighbourhood < high:
        answer = search.at(neighbourhood)
        if answer.found:
            return neighbourhood, True
        low, proved = neighbourhood, answer.proved_impossible
    searches = 1
    while low < high and (middle := candidates.middle(low, high)) is not None:
        answer = search.at(middle)
        searches += 1
        search.resources.report("partitioning", searches, None)
        if answer.found:
            high = middle
        else:
            low, proved = middle, answer.proved_impossible
    return high, proved


def _proved(answer: PartitionAnswer | None) -> bool:
    return answer is not None and answer.proved_impossible

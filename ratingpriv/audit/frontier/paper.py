"""The papers' own search: bisection on ε, each ε judged by slicing's partition [SWLZ11, §5.2.2-5.2.3].

It is offered to compare with. It is not exact: where slicing and borrowing find no partition there may be
one, and k or l may hold by neighbourhoods without any. It halves the interval from 0 to r until it is shorter
than 1 and takes the whole number in it, so it is meant for whole-number scales. For the l of Table 2 the
paper prints the last interval as [2.375, 3]; halving gives [2.25, 3], and the same answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ratingpriv.audit.frontier.result import BisectionStep
from ratingpriv.errors import ParameterError
from ratingpriv.partition.groups import Groups
from ratingpriv.progress import Progress
from ratingpriv.proximity.levels import null_distance
from ratingpriv.table import RatingTable

__all__ = ["bisect_as_the_paper"]

_SHOWN = 1000
"""Groups of a step are kept in the result for tables of up to so many records."""


@dataclass(frozen=True, slots=True)
class _Judge:
    table: RatingTable
    k: int
    l: float | None  # noqa: E741 -- the theory's word
    nulls: str
    sensitive_nulls: str

    def at(self, epsilon: float) -> BisectionStep:
        from ratingpriv.partition.papers.pruning import prune_and_adjust
        from ratingpriv.partition.papers.slicing import slicing
        from ratingpriv.partition.verifying import verify

        groups = slicing(self.table, epsilon, nulls=self.nulls)
        if groups.count and int(groups.sizes.min()) < self.k:
            groups = prune_and_adjust(self.table, groups, self.k, epsilon, nulls=self.nulls)
        verified = verify(
            self.table,
            groups,
            self.k,
            epsilon,
            self.l,
            nulls=self.nulls,
            sensitive_nulls=self.sensitive_nulls,
        )
        return BisectionStep(epsilon, bool(verified.valid and verified.unplaced == 0), self._named(groups))

    def _named(self, groups: Groups) -> tuple[tuple[str, ...], ...]:
        if self.table.n_records > _SHOWN:
            return ()
        ids = self.table.record_ids
        return tuple(
            tuple(str(ids[int(member)]) for member in np.sort(members)) for members in groups.members()
        )


def bisect_as_the_paper(
    table: RatingTable,
    k: int,
    l: float | None,  # noqa: E741 -- the theory's word
    nulls: str,
    sensitive_nulls: str,
    progress: Progress | None = None,
) -> tuple[float | None, tuple[BisectionStep, ...]]:
    """Return (the ε that the paper's bisection ends with, None if r itself does not serve; its steps).

    Raises
    ------
    ParameterError
        The scale's maximum r is not positive: the bisection starts from it.
    """
    r = null_distance(table)
    if r is None:
        raise ParameterError(
            "method", "paper", "a scale with a maximum r above 0, from which the paper's bisection starts"
        )
    judge = _Judge(table, k, l, nulls, sensitive_nulls)
    steps = [judge.at(r)]
    if not steps[0].served:
        return None, tuple(steps)
    low, high = 0.0, r
    while high - low >= 1:
        middle = (low + high) / 2
        steps.append(judge.at(middle))
        low, high = (low, middle) if steps[-1].served else (middle, high)
        if progress is not None:
            progress("halving epsilon as the paper does", len(steps), None)
    whole = float(math.floor(low) + 1 if low > 0 else 0)
    if whole >= high or not table.integral:  # there is no whole number, or it need not be as good as high
        return high, tuple(steps)
    return whole, tuple(steps)

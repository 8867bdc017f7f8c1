"""How many records go for every k: the cores of the proximity graph, one inside the other, and the knees.

Suppressing records until everybody left has k neighbours leaves the (k-1)-core, the only largest part that
will do (:mod:`ratingpriv.anonymize.suppression.suppress`). The cores are nested, so peeling once, k after k,
gives the fewest suppressed records for *every* k, exactly. A single record far from everybody can hold k at 1
for all: such steps, little suppressed and much k gained, are the knees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ratingpriv.anonymize.suppression.k_core import take_the_core
from ratingpriv.anonymize.suppression.remaining import Neighbours, Remaining
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.recommend import SuppressionStep

MOST = 0.05
"""Steps are listed up to this share of the records suppressed (one, if that is more), and a step further."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """All such steps at one ε, ascending in both, the first with nothing suppressed; each is exact.

    ``complete``: whether they go on to where nobody is left; else they end beyond ``limit``, up to which
    suppressed records are few.
    """

    epsilon: float
    records: int
    steps: tuple[SuppressionStep, ...]
    complete: bool
    limit: int

    @property
    def knees(self) -> tuple[SuppressionStep, ...]:
        """The steps from which on a record suppressed gains less k than on the way there.

        Vertices of the concave hull of k over the suppressed records, but the first step (nothing is
        suppressed) and, where more would follow, the last one, which is there because the list ends there.
        """
        found = knees_of(self.steps)
        last = found[-1:] if not self.complete else ()
        return tuple(step for step in found if step not in last and step.suppressed <= self.limit)


def staircase(
    table: RatingTable, epsilon: float, nulls: str, resources: Resources, *, most: float = MOST
) -> Staircase:
    """Return the fewest records to suppress for every k, up to the share ``most``, and a step more."""
    limit = max(1, int(most * table.n_records))
    target = Target(k=1, epsilon=epsilon, nulls=nulls)
    remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
    steps: list[SuppressionStep] = []
    while remaining.alive.any():
        k = int(remaining.sizes[remaining.alive].min())
        steps.append(SuppressionStep(k, int(np.count_nonzero(~remaining.alive))))
        if steps[-1].suppressed > limit:
            break
        take_the_core(remaining, k + 1, lambda gone: resources.report("suppressing records", gone, None))
    return Staircase(target.epsilon, table.n_records, tuple(steps), not remaining.alive.any(), limit)


def knees_of(steps: Sequence[SuppressionStep]) -> tuple[SuppressionStep, ...]:
    """Return the vertices of the upper concave hull of k over suppressed records, without the first."""
    hull: list[SuppressionStep] = []
    for step in steps:
        while len(hull) > 1:
            first, middle = hull[-2:]
            gained = (middle.k - first.k) * (step.suppressed - first.suppressed)
            if gained > (step.k - first.k) * (middle.suppressed - first.suppressed):
                break  # it is above the line from the first to the last; in whole numbers, exact
            hull.pop()
        hull.append(step)
    return tuple(hull[1:])

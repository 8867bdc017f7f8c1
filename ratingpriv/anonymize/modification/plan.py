"""A task and a plan for it: who is grouped with whom, who moves where.

One way: groups are chosen (:mod:`groupings`), a strategy applies the plan and the audit says what came of it
(:mod:`attempt`), and where somebody is still at risk a repair makes the next plan. A plan
changes nothing and is never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Measure


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A table, and what modify() shall make of it.

    Attributes
    ----------
    table : the original
    by : its ratings as the numbers that costs are counted in
    target, resources : what to reach, with what
    strategy, fabricate : as for modify(); ``by`` knows its ``fill``
    whole : how many records there are in all where this is a class of them; 0: they are all here. In many
        classes less effort is put into each
    """

    table: RatingTable
    by: Measure
    target: Target
    strategy: str = "window"
    fabricate: bool = True
    resources: Resources = field(default_factory=Resources)
    whole: int = 0

    def of(self, positions: NDArray[np.int64]) -> Task:
        """Return the same task for some of the records, counted in the same numbers."""
        return replace(self, table=self.table.take(positions))


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What is to be done with every record; who is in no group and does not move stays untouched.

    Attributes
    ----------
    labels : int64 (n,); the record's group, which becomes a clique; negative where it is in none
    moved : int64 (m,), ascending; records in no group that move next to untouched ones
    places : float64 (m, p); what they become, NaN where null, in numbers of the Measure
    """

    labels: NDArray[np.int64]
    moved: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    places: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def unchanged(cls, n: int) -> Plan:
        """Return the plan that leaves all ``n`` records as they are."""
        return cls(np.full(n, -1, dtype=np.int64))

    def with_groups(self, labels: NDArray[np.int64]) -> Plan:
        """Return the plan with other groups; who is in one does not move to a place of its own any more."""
        still = labels[self.moved] < 0
        return Plan(labels, self.moved[still], self.places[still])

    def with_moves(self, movers: NDArray[np.int64], places: NDArray[np.float64]) -> Plan:
        """Return the plan in which the ``movers`` leave their groups and go to ``places`` float64 (m, p)."""
        labels = self.labels.copy()
        labels[movers] = -1
        before = ~np.isin(self.moved, movers)
        records = np.concatenate((self.moved[before], movers))
        rows = np.concatenate((self.places[before].reshape(-1, places.shape[1]), places))
        order = np.argsort(records)
        return Plan(labels, records[order], rows[order])

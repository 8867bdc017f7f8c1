"""The window strategy: each group's issues moved, erased or filled at the least cost, for all groups at once.

Replaces [SWLP10, §4.5]; see :mod:`ratingpriv.distortion.windows` for what is least and why.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _clamping as applying
from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.distortion import _windows as planning
from ratingpriv.distortion.windows import Measure
from ratingpriv.partition.groups import Groups
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["Plans", "clamp", "plan"]

_PIECE = 1 << 16  # records between two looks at Ctrl-C


@dataclass(frozen=True, slots=True, eq=False)
class Plans:
    """What is done with every issue that somebody of a group rates, for all groups.

    Attributes
    ----------
    members, bounds : as :meth:`Groups.arranged` gives them
    starts : int64 (count + 1,); the rows of group g are ``starts[g]:starts[g + 1]``
    issue : int64 (n_rows,), ascending within a group
    treatment : int8 (n_rows,); positions in :data:`ratingpriv.distortion.windows.TREATMENTS`
    low, high : float64 (n_rows,); the window, in numbers of the Measure
    cost : float64 (n_rows,); in numbers
    """

    members: NDArray[np.int64]
    bounds: NDArray[np.int64]
    starts: NDArray[np.int64]
    issue: NDArray[np.int64]
    treatment: NDArray[np.int8]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    cost: NDArray[np.float64]

    @property
    def group_cost(self) -> NDArray[np.float64]:
        """The cost of each group, float64 (count,), in numbers of the Measure."""
        total = np.concatenate(([0.0], np.cumsum(self.cost)))
        return np.asarray(np.diff(total[self.starts]))

    def pieces(self) -> list[tuple[int, int]]:
        """Return ranges of groups that have about _PIECE records each."""
        count = len(self.bounds) - 1
        cuts = np.searchsorted(self.bounds, np.arange(0, int(self.bounds[-1]), _PIECE)[1:])
        edges = np.unique(np.concatenate(([0], cuts, [count]))).tolist()
        return list(itertools.pairwise(edges))


def plan(
    table: RatingTable, groups: Groups, by: Measure, *, fabricate: bool, progress: Progress | None = None
) -> Plans:
    """Choose the cheapest treatment for every issue of every group; see partition/windows.py."""
    members, bounds = groups.arranged()
    starts = planning.count_issues(members, bounds, table.indptr, table.indices, table.n_issues)
    rows = int(starts[-1])
    plans = Plans(
        members, bounds, starts, np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int8),
        np.empty(rows), np.empty(rows), np.empty(rows),
    )  # fmt: skip
    for first, last in plans.pieces():
        planning.plan_groups(
            first, last, members, bounds, table.indptr, table.indices, table.codes, by.numbers, by.width,
            by.separates, fabricate, table.n_issues, starts, plans.issue, plans.treatment, plans.low,
            plans.high, plans.cost,
        )  # fmt: skip
        if progress is not None:
            progress("choosing windows", last, groups.count)
    return plans


def clamp(table: RatingTable, plans: Plans, changes: Changes) -> None:
    """Change the ratings of all groups as planned, in place; records in no group stay as they are."""
    indptr, indices, p = table.indptr, table.indices, table.n_issues
    groups = plans.members, plans.bounds
    begins = applying.count_fills(*groups, indptr, indices, p, plans.starts, plans.issue, plans.treatment)
    cells = int(begins[-1])
    record, issue, number = np.empty(cells, np.int64), np.empty(cells, np.int64), np.empty(cells)
    for first, last in plans.pieces():
        applying.apply_plans(
            first, last, *groups, indptr, indices, p, plans.starts, plans.issue, plans.treatment,
            plans.low, plans.high, changes.numbers, changes.erased, begins, record, issue, number,
        )  # fmt: skip
    changes.fill(record, issue, number)

"""The window strategy: each group's ratings moved, suppressed or imputed at the least cost.

Replaces [SWLP10, §4.5]; see :mod:`ratingpriv.distortion.windows` for what is least and why.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.modification import _window_strategy as applying
from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.distortion import _windows as choosing
from ratingpriv.distortion.windows import Measure
from ratingpriv.partition.groups import Groups
from ratingpriv.progress import Progress
from ratingpriv.table import RatingTable

__all__ = ["Windows", "choose_windows", "clamp"]

_PIECE = 1 << 16  # records between two looks at Ctrl-C


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
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


def choose_windows(
    table: RatingTable, groups: Groups, by: Measure, *, fabricate: bool, progress: Progress | None = None
) -> Windows:
    """Choose the cheapest treatment for every issue of every group; see distortion/windows.py."""
    members, bounds = groups.arranged()
    starts = choosing.count_issues(members, bounds, table.indptr, table.indices, table.n_issues)
    rows = int(starts[-1])
    windows = Windows(
        members, bounds, starts, np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int8),
        np.empty(rows), np.empty(rows), np.empty(rows),
    )  # fmt: skip
    for first, last in windows.pieces():
        choosing.plan_groups(
            first, last, members, bounds, table.indptr, table.indices, table.codes, by.numbers, by.width,
            by.separates, fabricate, table.n_issues, starts, windows.issue, windows.treatment, windows.low,
            windows.high, windows.cost,
        )  # fmt: skip
        if progress is not None:
            progress("choosing windows", last, groups.count)
    return windows


def clamp(table: RatingTable, windows: Windows, changes: Changes) -> None:
    """Change the ratings of all groups as chosen, in place; records in no group stay as they are."""
    indptr, indices, p = table.indptr, table.indices, table.n_issues
    groups = windows.members, windows.bounds
    begins = applying.count_imputed(
        *groups, indptr, indices, p, windows.starts, windows.issue, windows.treatment
    )
    cells = int(begins[-1])
    record, issue, number = np.empty(cells, np.int64), np.empty(cells, np.int64), np.empty(cells)
    for first, last in windows.pieces():
        applying.apply_windows(
            first, last, *groups, indptr, indices, p, windows.starts, windows.issue, windows.treatment,
            windows.low, windows.high, changes.numbers, changes.suppressed, begins, record, issue, number,
        )  # fmt: skip
    changes.impute(record, issue, number)

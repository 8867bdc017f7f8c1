"""The window strategy: each group's ratings moved, suppressed or imputed, as its windows say.

Replaces [SWLP10, §4.5]; see :mod:`ratingpriv.partition.distortion.windows` for what is least and why.
"""

from __future__ import annotations

import numpy as np

from ratingpriv.anonymize.modification import _window_strategy as applying
from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.windows import Windows

__all__ = ["clamp"]


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
            windows.low, windows.high, windows.fill, changes.numbers, changes.suppressed, begins, record,
            issue, number,
        )  # fmt: skip
    changes.impute(record, issue, number)

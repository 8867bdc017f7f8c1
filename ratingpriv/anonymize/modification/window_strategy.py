"""The window strategy: each group's ratings moved, suppressed or imputed, as its windows say.

Replaces [SWLP10, §4.5]; see :mod:`ratingpriv.partition.distortion.windows` for what is least and why.
"""

from __future__ import annotations

import numpy as np

from ratingpriv.anonymize.modification.changes import Changes
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion._windows import ERASE, FILL, WINDOW
from ratingpriv.partition.distortion.windows import Windows


def clamp(table: RatingTable, windows: Windows, changes: Changes) -> None:
    """Change the ratings of all groups as chosen, in place; records in no group stay as they are."""
    p, starts = table.n_issues, windows.starts
    for first, last in windows.pieces():
        members = windows.members[windows.bounds[first] : windows.bounds[last]]
        group = np.repeat(np.arange(last - first), np.diff(windows.bounds[first : last + 1]))
        rows = slice(int(starts[first]), int(starts[last]))
        # a row of the piece is an issue of a group; they ascend by both
        of_row = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        keys = of_row * p + windows.issue[rows]
        rated = np.diff(table.indptr)[members]
        entries = np.repeat(table.indptr[members] - np.cumsum(rated) + rated, rated) + np.arange(rated.sum())
        row = np.searchsorted(keys, np.repeat(group, rated) * p + table.indices[entries])
        treatment = windows.treatment[rows]
        changes.suppressed[entries[treatment[row] == ERASE]] = True
        moved = np.isin(treatment[row], (WINDOW, FILL))
        low, high = windows.low[rows][row[moved]], windows.high[rows][row[moved]]
        changes.numbers[entries[moved]] = np.clip(changes.numbers[entries[moved]], low, high)
        fills = np.flatnonzero(treatment == FILL)
        if len(fills):  # every member of the group that did not rate the issue gets a rating
            size = np.bincount(group, minlength=last - first)[of_row[fills]]
            begins = np.searchsorted(group, of_row[fills])
            filled = np.repeat(fills, size)
            member = np.repeat(begins - np.cumsum(size) + size, size) + np.arange(size.sum())
            has = np.repeat(np.arange(len(members)), rated) * len(keys) + row
            new = ~np.isin(member * len(keys) + filled, has)
            filled = filled[new]
            changes.impute(members[member[new]], windows.issue[rows][filled], windows.fill[rows][filled])

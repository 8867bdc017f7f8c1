"""Who is ε-proximate with whom among a few records, as a matrix [SWLZ11, Def. 4.1]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.fixed_rules import comparison_table, equal_classes, near_codes
from ratingpriv.proximity.levels import null_separates

_CELLS = 1 << 21  # comparisons that are held in memory at once


def dense_codes(table: RatingTable, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return codes, int64 (m, n_issues), on the issues that any of the records rates; -1: not rated."""
    width = table.indptr[positions + 1] - table.indptr[positions]
    entries = np.repeat(table.indptr[positions] - np.cumsum(width) + width, width) + np.arange(width.sum())
    issues, column = np.unique(table.indices[entries], return_inverse=True)
    codes = np.full((len(positions), len(issues)), -1, dtype=np.int64)
    codes[np.repeat(np.arange(len(positions)), width), column] = table.codes[entries]
    return codes


class Adjacency:
    """Compares a few records of a table at a time; what does not depend on the records is done once."""

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        self._table = table = comparison_table(table, epsilon, nulls)
        self._lo, self._hi = near_codes(table, epsilon)
        self._class = equal_classes(table.quasi)
        self._separates = null_separates(table.scale, epsilon, nulls)

    def matrix(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether records ``positions[i]`` and ``positions[j]`` are ε-proximate, bool (m, m)."""
        codes = dense_codes(self._table, positions)
        rated, m = codes >= 0, len(positions)
        alike = np.ones((m, m), dtype=bool)  # on the quasi-identifiers that are classes
        if self._class is not None:
            alike = np.equal.outer(self._class[positions], self._class[positions])
        if len(self._lo) == 0:
            return alike
        low, high = self._lo[np.where(rated, codes, 0)], self._hi[np.where(rated, codes, 0)]
        adjacent = np.empty((m, m), dtype=bool)
        rows = max(1, _CELLS // max(codes.size, 1))
        for first in range(0, m, rows):
            block = slice(first, first + rows)
            # a rating and a null part two records where nulls separate; two nulls never do
            within = (codes[None] >= low[block, None]) & (codes[None] <= high[block, None])
            both = rated[None] & rated[block, None]
            proximate = np.where(both, within, (rated[None] == rated[block, None]) | (not self._separates))
            adjacent[block] = proximate.all(axis=2)
        return adjacent & alike

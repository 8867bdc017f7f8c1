"""A table laid out so that the records in a box of ratings are found quickly, and can be taken out.

The "slicing" of [SWLZ11, §5.2] cuts along one issue after the other. Here whole chunks of similar records are
cut off at once, by the range of each issue in the chunk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.partition.papers import _boxes as kernels
from ratingpriv.partition.papers._laying_out import bound, lay_out
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import decimal_grid, null_distance, null_separates, proximate_codes
from ratingpriv.table import RatingTable

__all__ = ["Boxes"]


class Boxes:
    """The living records of a table (all of them, at first) by similarity.

    Parameters
    ----------
    table, epsilon, nulls : as for neighbourhoods

    Attributes
    ----------
    rows, chunks : what the kernels work on
    record : int64 (n,), the record of each slot
    slot : int64 (n,), the slot of each record
    low, high : int64, an unlimited box
    numbers, unit, null : what distances are made of, see the kernel
    """

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        n = table.n_records
        lo, hi = proximate_codes(table.levels, epsilon)
        grid = decimal_grid(table.levels)
        self.numbers = table.levels.copy() if grid is None else grid.numbers.astype(np.float64)
        self.unit = 1.0 if grid is None else 10.0**grid.decimals
        self.null = (null_distance(table) or 0.0) if nulls == "strict" else 0.0
        separates = null_separates(table.scale, epsilon, nulls)
        aligned = separates or table.n_ratings == n * table.n_issues
        most = int(np.clip(np.sqrt(n) / 4, 16, 1024))
        self.record = np.arange(n)
        starts = np.array([0, n], dtype=np.int64)
        cuts = np.zeros(n + 1, dtype=bool)
        if aligned:
            if separates:
                groups = hamming_groups(table)
                self.record, starts = groups.order.copy(), groups.starts
            lay_out(self.record, starts, table.indptr, table.codes, most, cuts)
        else:
            cuts[::most] = True
            cuts[n] = True
        self.slot = np.empty(n, dtype=np.int64)
        self.slot[self.record] = np.arange(n)
        ptr, entries = _entries(table.indptr, self.record)
        codes = table.codes[entries].astype(np.int32)
        issues = np.empty(0, dtype=np.int32) if aligned else table.indices[entries]
        self.rows = kernels.Rows(ptr, issues, codes, lo, hi, aligned)
        self.chunks = _chunks(np.flatnonzero(cuts), starts, ptr, codes, aligned)
        width = int(np.diff(ptr).max(initial=0)) if aligned else table.n_issues
        self.low = np.zeros(width, dtype=np.int64)
        self.high = np.full(width, len(lo), dtype=np.int64)
        self._out = np.empty(n, dtype=np.int64)

    def remove(self, records: NDArray[np.int64]) -> None:
        """Take living records out."""
        kernels.remove_all(self.chunks, self.slot[records])

    def proximate_with_all(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the living records, ascending, that are ε-proximate with each of ``records``."""
        slots = self.slot[records]
        for slot in slots:
            kernels.narrow(self.rows, slot, self.low, self.high)
        count, _ = kernels.collect(self.rows, self.chunks, slots[0], self.low, self.high, self._out)
        for slot in slots:
            kernels.widen(self.rows, slot, self.low, self.high)
        return np.sort(self.record[self._out[:count]])

    def farthest(self, records: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the largest distance of each of ``records`` to one of ``others``, float64."""
        out = np.empty(len(records))
        kernels.farthest(
            self.rows, self.slot[records], self.slot[others], self.numbers, self.unit, self.null, out
        )
        return out


def _entries(
    indptr: NDArray[np.int64], records: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (ptr, where each rating of ``records``, in that order, stands)."""
    width = indptr[records + 1] - indptr[records]
    ptr = np.concatenate(([0], np.cumsum(width)))
    return ptr, np.repeat(indptr[records] - ptr[:-1], width) + np.arange(ptr[-1])


def _chunks(
    bounds: NDArray[np.int64],
    starts: NDArray[np.int64],
    ptr: NDArray[np.int64],
    codes: NDArray[np.int32],
    aligned: bool,
) -> kernels.Chunks:
    n, count = len(ptr) - 1, max(len(bounds) - 1, 0)
    if n == 0:
        bounds = np.zeros(1, dtype=np.int64)
    sizes = np.diff(bounds)
    of = np.repeat(np.arange(count), sizes)
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    by_group = np.searchsorted(bounds, starts)  # the first chunk of each group
    widths = (ptr[bounds[:-1] + 1] - ptr[bounds[:-1]]) if aligned and n else np.zeros(count, dtype=np.int64)
    box_ptr = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
    low = np.empty(box_ptr[-1], dtype=np.int32)
    high = np.empty(box_ptr[-1], dtype=np.int32)
    if aligned:
        bound(bounds, ptr, codes, box_ptr, low, high)
    return kernels.Chunks(
        of, bounds, sizes.copy(), np.arange(n), np.arange(n), box_ptr, low, high,
        by_group[group], by_group[group + 1],
    )  # fmt: skip

"""Questions to a table's trees: who is proximate with all of some records, and who is reached from whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.index import _queries as kernels
from ratingpriv.partition.index.index import pack_table

_STEPS = 1000  # records whose neighbours are listed between two checks for Ctrl-C


class RecordIndex:
    """The records of a table, to be found by what they are proximate with, until they are removed."""

    def __init__(self, table: RatingTable, epsilon: float, nulls: str) -> None:
        self._packed = packed = pack_table(table, epsilon, nulls, 1, grown=False)
        self._space = packed.space(0)
        self._item = np.empty(table.n_records, dtype=np.int64)
        self._item[packed.record] = np.arange(table.n_records)

    def remove(self, records: NDArray[np.int64]) -> None:
        """Let records be found no more."""
        kernels.hide_all(self._item[records], self._packed.tree, self._packed.forest)

    def proximate_with_all(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the records, ascending, that are to be found and ε-proximate with each of ``records``."""
        packed, space = self._packed, self._space
        count = kernels.proximate_with_all(
            self._item[records], packed.record, packed.tree, packed.rows, packed.fields, packed.forest, space
        )
        return np.sort(packed.record[space.found[:count]])

    def farthest(self, records: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the largest distance [SWLZ11, Eq. 1] of each of ``records`` to any of ``others``."""
        out = np.empty(len(records))
        kernels.farthest(records, others, self._packed.rows, out)
        return out

    def components(self, resources: Resources) -> NDArray[np.int64]:
        """Return the component of each record, int64 (n_records,): the least position in it. Removes all."""
        packed, n = self._packed, len(self._item)
        labels, queue = np.full(n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
        state = np.zeros(4, dtype=np.int64)
        done = n == 0
        while not done:
            done = kernels.reach(
                queue, labels, state, _STEPS, packed.record, packed.tree, packed.rows, packed.fields,
                packed.forest, self._space,
            )  # fmt: skip
            resources.report("finding components", int(state[2]), n)
        least = np.full(int(state[3]), n, dtype=np.int64)
        np.minimum.at(least, labels, packed.record)
        return least[labels[self._item]]

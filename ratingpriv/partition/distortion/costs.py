"""Distortions of many groups at once, as :func:`.windows.group_cost` defines them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion._windows import Ratings, grow, sums_of_differences
from ratingpriv.partition.distortion.windows import choose_windows, measure

type _Members = Sequence[int] | NDArray[np.int64]


class Costs:
    """The distortion that makes a group of a table a clique.

    The parameters are those of group_cost.
    """

    def __init__(
        self, table: RatingTable, epsilon: float, nulls: str, fabricate: bool, fill: str = "metric"
    ) -> None:
        checks.no_quasi(table.quasi, "the cost of a group", "drop them with `drop`")
        self._table, self._fabricate = table, fabricate
        self._by = measure(table, epsilon, nulls=nulls, fill=fill)
        self._values = table.values
        self._rules = self._by.rules(table.n_issues, fabricate)
        self._ratings = Ratings(table.indptr, table.indices, table.codes, self._by.numbers)

    def of(self, groups: Sequence[_Members]) -> NDArray[np.float64]:
        """Return the distortion of each group, float64 (n_groups,)."""
        if not groups:
            return np.empty(0)
        members = np.concatenate([np.asarray(group, dtype=np.int64) for group in groups])
        bounds = np.cumsum([0, *map(len, groups)], dtype=np.int64)
        windows = choose_windows(self._table, self._by, members, bounds, fabricate=self._fabricate)
        return windows.group_cost / self._by.unit

    def grown(
        self, group: _Members, records: NDArray[np.int64], size: int, most: int
    ) -> NDArray[np.int64]:
        """Return ``group`` with more of ``records``, until it has ``size``, int64 (size,).

        Each time what costs least together with the group joins it: of the ``most`` that are
        nearest to its first member (see :meth:`nearest`) and have not joined, the least position of
        equally good ones.
        """
        base = np.asarray(group, dtype=np.int64)
        others = records[~np.isin(records, base)]
        queue = others[self.nearest(int(base[0]), others, most + size - len(base))]
        grown = np.concatenate((base, np.empty(size - len(base), dtype=np.int64)))
        grow(grown, len(base), queue, most, self._ratings, self._rules, self._by.unit)
        return grown

    def nearest(self, record: int, others: NDArray[np.int64], most: int) -> NDArray[np.int64]:
        """Return the places in ``others`` of the ``most`` nearest to ``record``, nearest first.

        Nearest by Σ |x - y|, a null being 0 [SWLP10, Def. 5]; ties by place.
        """
        table = self._table
        record_values = np.zeros(table.n_issues)
        entries = slice(table.indptr[record], table.indptr[record + 1])
        record_values[table.indices[entries]] = self._values[entries]
        distance = np.empty(len(others))
        sums_of_differences(
            record_values, others, table.indptr, table.indices, self._values, distance
        )
        distance = np.round(distance, 9)  # sums of decimals that are equal stay equal
        if most < len(others):  # a stable sort of those that can be among the nearest
            near = np.flatnonzero(distance <= np.partition(distance, most - 1)[most - 1])
            return near[np.argsort(distance[near], kind="stable")][:most]
        return np.argsort(distance, kind="stable")

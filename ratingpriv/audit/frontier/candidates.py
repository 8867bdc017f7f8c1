"""Which values of ε matter: the distances that two ratings can have, and r where a null is r away.

Between two neighbouring candidates no neighbourhood changes, so what holds at a candidate holds up
to the next one. Few levels: all candidates can be listed (at most r + 1 on an integer scale, and r
itself). Many real-valued levels have up to n² distances; these are never laid out, only searched.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import last_within, null_distance, written_grid

LISTABLE = 2_000_000
"""So many distances of levels are laid out and sorted; more are searched."""


class Candidates:
    """The values of ε at which a neighbourhood of the table can
    change [SWLZ11, Eq. 1 and Def. 4.1].

    0, every distance of two of the table's ratings, and, where some records leave out what others
    rate, r: from ε = r on a null no longer separates. On a decimal grid distances are exact
    decimals. ``top`` is the largest; there every neighbourhood is as large as it gets. ``span``:
    the distance between the smallest and the largest rating there is. From ``unprotected`` on
    nothing is protected: any two ratings are indistinguishable, or a null separates no more; None
    where ε changes nothing. ``nothing``: what is protected from there on, in words; fixed rules of
    quasi-identifiers go on to hold.
    """

    def __init__(self, table: RatingTable, nulls: str) -> None:
        grid = written_grid(table.levels)
        # off the grid the engine compares float64; which of the two it does depends on all levels
        used = (
            np.arange(len(table.levels))
            if grid is None
            else np.unique(table.codes).astype(np.int64)
        )
        self._values: NDArray[Any] = (table.levels if grid is None else grid.numbers)[used]
        self._unit = 1 if grid is None else 10**grid.decimals
        self._grid = grid
        partly = table.n_ratings not in (0, table.n_records * table.n_issues)
        self.r = null_distance(table.scale) if nulls == "strict" and partly else None
        self.span = self.value(self._values[-1] - self._values[0]) if len(self._values) > 1 else 0.0
        self.top = max(self.span, self.r or 0.0)
        if grid is None:  # without the levels that nobody has any more
            rated = (
                table.levels[[table.codes.min(), table.codes.max()]]
                if len(table.codes)
                else np.zeros(2)
            )
            self.span = float(rated[1] - rated[0])
        self.nothing = "no rating" if table.quasi else "nothing"
        self.unprotected = min((end for end in (self.span, self.r or 0.0) if end > 0), default=None)

    def listed(self, most: int) -> list[float] | None:
        """Return all candidates, ascending, or None where they are more
        than ``most`` or too many to list.
        """
        values = self._values
        if len(values) * (len(values) - 1) // 2 > LISTABLE:
            return None
        low, high = np.triu_indices(len(values), 1)
        distinct = np.unique(values[high] - values[low])
        if len(distinct) > most:
            return None
        candidates = {0.0, *(self.value(number) for number in distinct.tolist())}
        if self.r is not None:
            candidates.add(self.r)
        return sorted(candidates) if len(candidates) <= most else None

    def sampled(self, amount: int) -> list[float]:
        """Return about ``amount`` candidates, ascending, spread out; 0,
        r and the top are among them.
        """
        sample = sorted({0.0, self.top, *(() if self.r is None else (self.r,))})
        while len(sample) < amount:
            between = [self.middle(low, high) for low, high in itertools.pairwise(sample)]
            more = [value for value in between if value is not None]
            if not more:
                break
            sample = sorted([*sample, *more[: amount - len(sample)]])
        return sample

    def middle(self, low: float, high: float) -> float | None:
        """Return a candidate strictly between, about in the middle of them; None if there is none.

        The weighted median of each level's median distance: a quarter of the distances at least are
        no larger, a quarter no smaller. It costs O(levels log levels), not O(levels²).
        """
        if self.r is not None and low < self.r < high:
            return self.r
        if len(self._values) < 2:
            return None
        first, last = self._reached(low), self._reached(math.nextafter(high, -math.inf))
        count = last - first
        rows = np.flatnonzero(count > 0)
        if len(rows) == 0:
            return None
        halfway = first[rows] + (count[rows] + 1) // 2
        medians = self._values[halfway] - self._values[rows]
        order = np.argsort(medians, kind="stable")
        weight = np.cumsum(count[rows][order])
        chosen = order[int(np.searchsorted(weight, (weight[-1] + 1) // 2))]
        return self.value(medians[chosen])

    def numbers(self) -> NDArray[np.float64] | None:
        """Return for each level of the table a number, float64,
        whose differences are the distances.

        In steps of the decimal grid, or off it the level itself; None where steps are too many for
        float64.
        """
        if self._grid is None:
            return self._values
        if self._grid.numbers.dtype == object:
            return None
        return self._grid.numbers.astype(np.float64)

    def reach(self, epsilon: float) -> float:
        """Return the largest difference of :meth:`numbers` that is within ``epsilon``."""
        return epsilon if self._grid is None else float(self._steps(epsilon))

    def value(self, number: Any) -> float:
        """Return a difference of :meth:`numbers` as the ε that means it."""
        if self._grid is None:
            return float(number)
        epsilon = int(number) / self._unit
        # decimals of more digits than float64 tells apart
        while self._grid.at_most(epsilon) < number:
            epsilon = math.nextafter(epsilon, math.inf)
        return epsilon

    def _reached(self, epsilon: float) -> NDArray[np.int64]:
        """Return for each level the last one within ``epsilon`` above it."""
        if self._grid is None:
            return last_within(self._values, max(epsilon, 0.0))
        return np.searchsorted(self._values, self._values + self._steps(epsilon), side="right") - 1

    def _steps(self, epsilon: float) -> int:
        """Return ε in steps of the grid, rounded down; no more than there are."""
        if self._grid is None or not len(self._values):
            return 0
        return max(
            min(self._grid.at_most(max(epsilon, 0.0)), int(self._values[-1] - self._values[0])), 0
        )

"""The sizes of all neighbourhoods at every distance level, as records carry them in a store.

An answer that needs sizes alone then needs no pairs: at an epsilon that is a level the sizes are there, and
between two levels they are those of the level below, where the levels are all the distances that two records
can be apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ratingpriv.proximity.neighbourhoods import neighbourhoods

if TYPE_CHECKING:
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.data.table import RatingTable
    from ratingpriv.proximity.distances import DistanceLevels

__all__ = ["sizes_by_level"]


def sizes_by_level(
    table: RatingTable,
    levels: DistanceLevels,
    nulls: str,
    at_most: NDArray[np.int64],
    resources: Resources,
) -> NDArray[np.int32] | NDArray[np.int64]:
    """Count |N(t)| [SWLZ11, Def. 4.2] at each level by the compiled engine, one pass a level.

    Parameters
    ----------
    levels : of the table, under the same null rule
    at_most : int64 (n_records,); the sizes at the last level, which was counted already

    Returns
    -------
    int32 (int64 where there are more than 2**31 - 1 records) (n_records, n_levels), C order
    """
    n = table.n_records
    sizes = np.empty((n, len(levels.levels)), dtype=np.int32 if n < 1 << 31 else np.int64)
    for place, level in enumerate(levels.levels[:-1]):
        sizes[:, place] = neighbourhoods(
            table,
            level,
            nulls=nulls,
            sensitive=False,
            threads=resources.threads,
            memory=resources.memory,
            progress=resources.progress,
        ).sizes
    sizes[:, -1] = at_most
    return sizes

"""Components of the proximity graph that are small enough to be searched completely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ratingpriv.progress import Progress
from ratingpriv.proximity.pairs import pairs
from ratingpriv.table import RatingTable

__all__ = ["small_components"]


def small_components(
    table: RatingTable,
    sizes: NDArray[np.int64],
    most: int,
    epsilon: float,
    nulls: str,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[NDArray[np.int64]]:
    """Return the components of at most ``most`` records, positions ascending, ordered by their first.

    Only records with at most ``most`` neighbours can be in one, so at most ``most`` pairs of each are listed,
    however large the other components are.

    Parameters
    ----------
    sizes : int64 (n_records,), |N(t)|
    """
    few = sizes <= most
    if not few.any():
        return []
    blocks = list(pairs(table, epsilon, nulls=nulls, subset=few, threads=threads, progress=progress))
    left = np.concatenate([block.left for block in blocks]) if blocks else np.zeros(0, dtype=np.int64)
    right = np.concatenate([block.right for block in blocks]) if blocks else np.zeros(0, dtype=np.int64)
    n = table.n_records
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    closed = np.ones(count, dtype=bool)
    closed[label[~few]] = False  # records with more neighbours: pairs among them are not even listed
    closed &= np.bincount(label, minlength=count) <= most
    members = np.flatnonzero(closed[label])
    order = members[np.argsort(label[members], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []
    return sorted(parts, key=lambda part: int(part[0]))

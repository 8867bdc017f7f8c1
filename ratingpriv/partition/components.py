"""Connected components of the proximity graph [SWLP10, §4.3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target, null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.index.index import RecordIndex
from ratingpriv.proximity.pairs import pairs


def components(
    table: RatingTable, epsilon: float, *, nulls: str = "strict", progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the component of each record, int64 (n_records,):
    the least position in it [SWLP10, §4.3].

    A clique lies within one component, so that components can be decomposed one by one. Edges are
    not listed: whoever is reached is taken out, and is not found again. Memory is linear, however
    many pairs there are.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    return RecordIndex(table, epsilon, nulls).components(Resources(progress=progress))


def small_components(
    table: RatingTable, sizes: NDArray[np.int64], most: int, target: Target, resources: Resources
) -> list[NDArray[np.int64]]:
    """Return the components of at most ``most`` records, positions ascending,
    ordered by their first.

    Only records with at most ``most`` neighbours (``sizes`` : |N(t)|) can be in one, so at most
    ``most`` pairs of each are listed, however large the other components are.
    """
    few = sizes <= most
    if not few.any():
        return []
    pair_resources = Resources(resources.threads, progress=resources.progress)
    blocks = list(
        pairs(table, target.epsilon, nulls=target.nulls, subset=few, resources=pair_resources)
    )
    left = np.concatenate([np.zeros(0, dtype=np.int64), *(block.left for block in blocks)])
    right = np.concatenate([np.zeros(0, dtype=np.int64), *(block.right for block in blocks)])
    n = table.n_records
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(n, n))
    count, label = connected_components(graph, directed=False)
    closed = np.ones(count, dtype=bool)
    # records with more neighbours: pairs among them are not even listed
    closed[label[~few]] = False
    closed &= np.bincount(label, minlength=count) <= most
    members = np.flatnonzero(closed[label])
    order = members[np.argsort(label[members], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []
    return sorted(parts, key=lambda part: int(part[0]))

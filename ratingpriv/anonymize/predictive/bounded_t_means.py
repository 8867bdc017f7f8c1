"""Bounded t-means: clusters of equal size, or of one more [CTWY10, §4.2; the rounds are ours].

The paper names "bounded t-means" and does not say how it goes. Ours: k-means++ seeds, then at most ten
rounds. In a round all pairs of a point and a centre are gone through, nearest first (ties: the lower point,
then the lower cluster); a point is placed where it has no cluster yet and the cluster has room. There is
room for ⌊m/t⌋, and for one more in the first m - t⌊m/t⌋ clusters that ask for it. Then the centres become
the means of their clusters. It ends where nothing changes; of all rounds the one with the least sum of
squared distances from the means of its own clusters is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import search_kernel
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError

_ROUNDS = 10
_MEMORY = 1 << 30  # bytes for the pairs of one call, where nothing else is said
_PAIR = 24  # bytes: its distance, its place in the order, and what sorting takes beside


def bounded_t_means(
    points: NDArray[np.float64],
    clusters: int,
    rng: np.random.Generator,
    resources: Resources = Resources(),
    *,
    start: NDArray[np.float64] | None = None,
    rounds: int = _ROUNDS,
) -> NDArray[np.int32]:
    """Return the cluster of each point, int32 (m,), 0..t-1; sizes are ⌊m/t⌋ and ⌈m/t⌉.

    ``points`` float64 (m, d), ``clusters`` t from 1 to m; ``rng`` draws the seeds, unless ``start`` float64
    (t, d) are the first centres.

    Raises
    ------
    ResourceError
        m times t pairs do not fit into ``memory``.
    """
    count, memory = len(points), _MEMORY if resources.memory is None else resources.memory
    if clusters == 1:
        return np.zeros(count, dtype=np.int32)
    if _PAIR * count * clusters > memory:
        raise ResourceError(
            f"{count:,} records times {clusters:,} groups are {_PAIR * count * clusters >> 20:,} MiB of "
            f"distances, and {memory >> 20:,} MiB may be used: allow more with `memory`, or make more `bins`"
        )
    centres = seeded(points, clusters, rng) if start is None else start
    best = labels = np.full(count, -1, dtype=np.int32)
    cheapest = np.inf
    least, larger = divmod(count, clusters)
    for _ in range(rounds):
        before, labels = labels, np.full(count, -1, dtype=np.int32)
        order = np.argsort(squared_distances(points, centres), axis=None, kind="stable")
        place(order, clusters, least, larger, labels, np.zeros(clusters, dtype=np.int64))
        if np.array_equal(labels, before):
            break
        centres = means_of(points, labels, clusters)
        cost = float(np.square(points - centres[labels]).sum())
        if cost < cheapest:
            best, cheapest = labels, cost
    return best


@search_kernel
def place(order: Any, clusters: int, least: int, larger: int, labels: NDArray[np.int32], size: Any) -> None:
    """Write to ``labels`` int32 (m,), -1, the cluster of each record, in the order of the pairs.

    ``order`` int64 (m * clusters,) are pairs as ``record * clusters + cluster``, nearest first. A cluster has
    room for ``least``, and the first ``larger`` that ask for it have room for one more. ``size`` int64
    (clusters,), 0, is scratch.
    """
    left, more = len(labels), larger
    for rank in range(len(order)):
        if left == 0:
            break
        record = order[rank] // clusters
        if labels[record] >= 0:
            continue
        cluster = order[rank] % clusters
        if size[cluster] >= least:
            if size[cluster] > least or more == 0:
                continue
            more -= 1
        labels[record] = cluster
        size[cluster] += 1
        left -= 1


def seeded(points: NDArray[np.float64], clusters: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return k-means++ seeds, float64 (t, d): distinct points, each drawn by its squared distance [AV07].

    Where all that are left coincide with a seed, any of those that are none yet.
    """
    count = len(points)
    chosen = [int(rng.integers(count))]
    nearest = np.full(count, np.inf)
    while len(chosen) < clusters:
        nearest = np.minimum(nearest, squared_distances(points, points[chosen[-1:]])[:, 0])
        reach = np.cumsum(nearest)
        if not reach[-1] > 0:
            others = np.setdiff1d(np.arange(count), chosen)
            chosen += rng.choice(others, clusters - len(chosen), replace=False).tolist()
            break
        at = int(np.searchsorted(reach, rng.random() * reach[-1], side="right"))
        chosen.append(min(at, int(np.flatnonzero(nearest)[-1])))
    return points[chosen]


def means_of(points: NDArray[np.float64], labels: NDArray[np.int32], clusters: int) -> NDArray[np.float64]:
    """Return the mean of each cluster's points, float64 (t, d); every cluster has some."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=clusters)
    sums = np.add.reduceat(points[order], np.concatenate(([0], np.cumsum(sizes)[:-1])), axis=0)
    means: NDArray[np.float64] = sums / sizes[:, None]
    return means


def squared_distances(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return squared distances, float64 (m, t); the same bits however many threads there are."""
    from scipy.spatial.distance import cdist

    found: NDArray[np.float64] = cdist(points, centres, "sqeuclidean")
    return found

"""Groups: records near each other by their predicted rows;
in each bin clusters of k or more [CTWY10, §4.2].

Bins are records sorted roughly before, so that no step compares all with all: a sample is clustered
into t1 bins of equal size, and everybody goes to the nearest centre. The paper takes t1 = √m, and
as a centre the mean of a bin ("virtual") rather than one of its members ("real"): the bins then
differ less in size. Choice [ours]: t1 is at most m/(4k), so that a bin has room for some groups
(with m = 943 and k = 20 the paper's 31 bins of 30 would be a group each); a sample has 30 records a
bin; a bin of fewer than k is dissolved.

The paper clusters padded rows, m × n numbers. A row of predictions is (up to what all rows share) A
x with A = [1 | Q] (n × (d+1)) and x = (b_u, p_u). With AᵀA = LLᵀ, z = Lᵀx has d+1 numbers, and the
Euclidean distance of two z *is* that of the two rows. Nothing of the size m × n is built. The
paper's rows keep real ratings where there are any; ``benchmarks/predictive.py`` compares with
those.

The paper names "bounded t-means" and does not say how it goes. Ours: k-means++ seeds, then at most
ten rounds. In a round all pairs of a point and a centre are gone through, nearest first (ties: the
lower point, then the lower cluster); a point is placed where it has no cluster yet and the cluster
has room. There is room for ⌊m/t⌋, and for one more in the first m - t⌊m/t⌋ clusters that ask for
it. Then the centres become the means of their clusters. It ends where nothing changes; of all
rounds the one with the least sum of squared distances from the means of its own clusters is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import search_kernel
from ratingpriv.base.compute.parallel import share_out, single_threaded
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ResourceError
from ratingpriv.utility.prediction import RatingModel

type Whole = NDArray[np.int64]

CENTRES = ("virtual", "real")
"""A bin's centre: the mean of its sample, or the member nearest to that."""

_RIDGE = 1e-12
_SAMPLED = 30  # records a bin
_BLOCK = 1 << 22  # distances at a time
_ROUNDS = 10
_NEAREST = 8  # one in so many pairs is among the nearest
_MEMORY = 1 << 30  # bytes for the pairs of one call, where nothing else is said
_PAIR = 24  # bytes: its distance, its place in the order, and what sorting takes beside


def points_of(model: RatingModel) -> NDArray[np.float64]:
    """Return a point for each record, float64 (m, d+1)."""
    factors = model.issue_factors
    columns = np.column_stack((np.ones(len(factors)), factors))
    coordinates = np.column_stack((model.record_bias, model.record_factors))
    with single_threaded():
        gram = columns.T @ columns + _RIDGE * np.eye(columns.shape[1])
        points: NDArray[np.float64] = coordinates @ np.linalg.cholesky(gram)
    return np.ascontiguousarray(points)


def groups_of(
    points: NDArray[np.float64],
    k: int,
    rng: np.random.Generator,
    resources: Resources,
    *,
    bins: int | None = None,
    centres: str = "virtual",
) -> NDArray[np.int32]:
    """Return the group of each of m >= k records, int32 (m,), 0..t-1; each has at least k of them.

    A bin B has t = ⌊|B|/k⌋ groups of ⌊|B|/t⌋ or ⌈|B|/t⌉ records. Every bin has random numbers of
    its own, so that the number of threads changes nothing. ``points`` float64 (m, d); ``bins``
    None: t1 = min(round(√m), ⌊m/(4k)⌋), at least 1.
    """
    first, second = rng.spawn(2)
    m = len(points)
    most = min(round(math.sqrt(m)), m // (4 * k)) if bins is None else min(bins, m // k)
    number = max(1, most)
    bin_of = np.zeros(len(points), dtype=np.int32)
    if number > 1:
        middle = centres_of(points, number, first, resources, centres=centres)
        bin_of = dissolved(points, middle, assigned(points, middle), k)
    members = np.split(np.argsort(bin_of, kind="stable"), np.cumsum(np.bincount(bin_of))[:-1])
    counts = [len(records) // k for records in members]
    offsets = np.concatenate(([0], np.cumsum(counts)))
    labels = np.empty(len(points), dtype=np.int32)
    streams = second.spawn(len(members))
    silent = replace(resources, progress=None)  # threads tell nobody: who shares work out does

    def group(first: int, last: int) -> None:
        for number in range(first, last):
            members_means = bounded_t_means(
                points[members[number]], counts[number], streams[number], silent
            )
            labels[members[number]] = members_means + offsets[number]

    sizes = np.array([len(records) for records in members])
    share_out(group, sizes, resources.threads, resources.progress, "grouping similar records")
    return labels


def centres_of(
    points: NDArray[np.float64],
    bins: int,
    rng: np.random.Generator,
    resources: Resources,
    *,
    centres: str = "virtual",
) -> NDArray[np.float64]:
    """Return the centres of ``bins`` bins of a sample, float64 (bins, d);
    ``centres`` is one of CENTRES.
    """
    size = min(len(points), _SAMPLED * bins)
    sample = points[np.sort(rng.choice(len(points), size, replace=False))]
    labels = bounded_t_means(sample, bins, rng, resources)
    middle = means_of(sample, labels, bins)
    if centres == "virtual":
        return middle
    far = np.square(sample - middle[labels]).sum(axis=1)
    order = np.lexsort((np.arange(size), far, labels))
    first = np.concatenate(([0], np.cumsum(np.bincount(labels, minlength=bins))[:-1]))
    return sample[order[first]]


def assigned(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the nearest centre of each point, int32 (m,); of equally near ones the lower."""
    labels = np.empty(len(points), dtype=np.int32)
    step = max(1, _BLOCK // len(centres))
    for first in range(0, len(points), step):
        labels[first : first + step] = squared_distances(
            points[first : first + step], centres
        ).argmin(axis=1)
    return labels


def dissolved(
    points: NDArray[np.float64], centres: NDArray[np.float64], labels: NDArray[np.int32], k: int
) -> NDArray[np.int32]:
    """Return ``labels`` without bins of fewer than ``k`` <= m, numbered anew, int32 (m,).

    The smallest bin goes first, of equally small ones the lower; its records go to the nearest
    centre that is left.
    """
    labels = labels.copy()
    sizes = np.bincount(labels, minlength=len(centres))
    left = np.flatnonzero(sizes)  # a bin of nobody is none
    while len(left) > 1:
        smallest = left[int(sizes[left].argmin())]
        if sizes[smallest] >= k:
            break
        left = left[left != smallest]
        members = np.flatnonzero(labels == smallest)
        labels[members] = left[assigned(points[members], centres[left])]
        sizes = np.bincount(labels, minlength=len(centres))
    return np.searchsorted(left, labels).astype(np.int32)


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

    ``points`` float64 (m, d), ``clusters`` t from 1 to m; ``rng`` draws the seeds, unless ``start``
    float64 (t, d) are the first centres.

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
            f"{count:,} records times {clusters:,} groups are {_PAIR * count * clusters >> 20:,} "
            f"MiB of "
            f"distances, and {memory >> 20:,} MiB may be used: allow more with `memory`, or make "
            f"more `bins`"
        )
    centres = seeded(points, clusters, rng) if start is None else start
    best = labels = np.full(count, -1, dtype=np.int32)
    cheapest = np.inf
    least, larger = divmod(count, clusters)
    for turn in range(rounds):
        resources.report("grouping similar records", turn, rounds)
        before, labels = labels, np.full(count, -1, dtype=np.int32)
        far = squared_distances(points, centres).ravel()
        size = np.zeros(clusters, dtype=np.int64)
        for pairs in _nearest_first(far, labels):
            place(pairs, clusters, least, larger, labels, size)
        if np.array_equal(labels, before):
            break
        centres = means_of(points, labels, clusters)
        cost = float(np.square(points - centres[labels]).sum())
        if cost < cheapest:
            best, cheapest = labels, cost
    return best


def _nearest_first(far: NDArray[np.float64], labels: NDArray[np.int32]) -> Iterator[Whole]:
    """Yield the places of pairs of a record and a cluster, int64, the nearest first.

    They are ``far``, (m · t,). First come some, among which nearly everybody finds a cluster; then
    those of records whose ``labels``, int32 (m,), are still -1: to sort all takes most of the time.
    """
    cut = len(far) // _NEAREST
    near = far <= np.partition(far, cut)[cut]
    for some in (near, ~near):
        waiting = np.repeat(labels < 0, len(far) // len(labels))
        pairs = np.flatnonzero(some & waiting)
        yield pairs[np.argsort(far[pairs], kind="stable")]


@search_kernel
def place(
    order: NDArray[np.int64],
    clusters: int,
    least: int,
    larger: int,
    labels: NDArray[np.int32],
    size: NDArray[np.int64],
) -> None:
    """Write to ``labels`` int32 (m,), -1, the cluster of each record, in the order of the pairs.

    ``order`` int64 (m * clusters,) are pairs as ``record * clusters + cluster``, nearest first. A
    cluster has room for ``least``, and the first ``larger`` that ask for it have room for one more.
    ``size`` int64 (clusters,) is how many each has: 0 where nobody is placed yet.
    """
    left, more = 0, larger
    for record in range(len(labels)):
        left += 1 if labels[record] < 0 else 0
    for cluster in range(clusters):
        more -= 1 if size[cluster] > least else 0
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


def seeded(
    points: NDArray[np.float64], clusters: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return k-means++ seeds, float64 (t, d): distinct points,
    each drawn by its squared distance [AV07].

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
        drawn = int(np.searchsorted(reach, rng.random() * reach[-1], side="right"))
        chosen.append(min(drawn, int(np.flatnonzero(nearest)[-1])))
    return points[chosen]


def means_of(
    points: NDArray[np.float64], labels: NDArray[np.int32], clusters: int
) -> NDArray[np.float64]:
    """Return the mean of each cluster's points, float64 (t, d); every cluster has some."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=clusters)
    sums = np.add.reduceat(points[order], np.concatenate(([0], np.cumsum(sizes)[:-1])), axis=0)
    means: NDArray[np.float64] = sums / sizes[:, None]
    return means


def squared_distances(
    points: NDArray[np.float64], centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances, float64 (m, t); the same bits however many threads there are."""
    from scipy.spatial.distance import cdist

    distances: NDArray[np.float64] = cdist(points, centres, "sqeuclidean")
    return distances

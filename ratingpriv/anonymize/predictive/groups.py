"""Groups: records near each other by their predicted rows; in each bin clusters of k or more [CTWY10, §4.2].

The paper clusters padded rows, m × n numbers. A row of predictions is (up to what all rows share) A x with
A = [1 | Q] (n × (d+1)) and x = (b_u, p_u). With AᵀA = LLᵀ, z = Lᵀx has d+1 numbers, and the Euclidean
distance of two z *is* that of the two rows. Nothing of the size m × n is built. The paper's rows keep real
ratings where there are any; ``benchmarks/predictive.py`` compares with those.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.predictive.bins import automatic_bins, made_bins
from ratingpriv.anonymize.predictive.bounded_t_means import bounded_t_means
from ratingpriv.base.compute.parallel import Run
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.compute.single_thread import single_threaded
from ratingpriv.utility.prediction import RatingModel

_RIDGE = 1e-12


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

    A bin B has t = ⌊|B|/k⌋ groups of ⌊|B|/t⌋ or ⌈|B|/t⌉ records. Every bin has random numbers of its own, so
    that the number of threads changes nothing.

    Parameters
    ----------
    points : float64 (m, d)
    bins : how many; None: :func:`ratingpriv.anonymize.predictive.bins.automatic_bins`
    centres : see :mod:`ratingpriv.anonymize.predictive.bins`
    """
    first, second = rng.spawn(2)
    number = automatic_bins(len(points), k) if bins is None else max(1, min(bins, len(points) // k))
    bin_of = made_bins(points, k, first, resources, bins=number, centres=centres)
    members = np.split(np.argsort(bin_of, kind="stable"), np.cumsum(np.bincount(bin_of))[:-1])
    counts = [len(one) // k for one in members]
    offsets = np.concatenate(([0], np.cumsum(counts)))
    labels = np.empty(len(points), dtype=np.int32)

    streams = second.spawn(len(members))

    def grouped(at: int) -> Callable[[int], None]:
        def work(_: int) -> None:
            found = bounded_t_means(points[members[at]], counts[at], streams[at], resources)
            labels[members[at]] = found + offsets[at]

        return work

    run = Run(resources.threads, resources.progress, "grouping similar records")
    run.total = len(points)
    run([(len(members[at]), grouped(at)) for at in range(len(members))])
    return labels

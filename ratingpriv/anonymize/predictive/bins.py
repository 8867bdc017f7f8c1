"""Bins: records sorted roughly before they are grouped, so that no step compares all with all [CTWY10, §4.2].

A sample is clustered into t1 bins of equal size, and everybody goes to the nearest centre. The paper takes
t1 = √m, and as a centre the mean of a bin ("virtual") rather than one of its members ("real"): the bins then
differ less in size. Choice [ours]: t1 is at most m/(4k), so that a bin has room for some groups (with
m = 943 and k = 20 the paper's 31 bins of 30 would be a group each); a sample has 30 records a bin; a bin of
fewer than k is dissolved.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.predictive.bounded_t_means import bounded_t_means, means_of, squared_distances
from ratingpriv.base.compute.resources import Resources

CENTRES = ("virtual", "real")
"""A bin's centre: the mean of its sample, or the member nearest to that."""

_SAMPLED = 30  # records a bin
_BLOCK = 1 << 22  # distances at a time


def automatic_bins(records: int, k: int) -> int:
    """Return t1 = max(1, min(round(√m), ⌊m/(4k)⌋))."""
    return max(1, min(round(math.sqrt(records)), records // (4 * k)))


def made_bins(
    points: NDArray[np.float64],
    k: int,
    rng: np.random.Generator,
    resources: Resources,
    *,
    bins: int,
    centres: str = "virtual",
) -> NDArray[np.int32]:
    """Return the bin of each of m >= k records, int32 (m,), 0..; each has at least k of them.

    Parameters
    ----------
    points : float64 (m, d)
    bins : t1, from 1 to m; dissolved ones make them fewer
    centres : one of CENTRES
    """
    if bins == 1:
        return np.zeros(len(points), dtype=np.int32)
    middle = centres_of(points, bins, rng, resources, centres=centres)
    return dissolved(points, middle, assigned(points, middle), k)


def centres_of(
    points: NDArray[np.float64],
    bins: int,
    rng: np.random.Generator,
    resources: Resources,
    *,
    centres: str = "virtual",
) -> NDArray[np.float64]:
    """Return the centres of ``bins`` bins of a sample, float64 (bins, d)."""
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
        labels[first : first + step] = squared_distances(points[first : first + step], centres).argmin(axis=1)
    return labels


def dissolved(
    points: NDArray[np.float64], centres: NDArray[np.float64], labels: NDArray[np.int32], k: int
) -> NDArray[np.int32]:
    """Return ``labels`` without bins of fewer than ``k`` <= m, numbered anew, int32 (m,).

    The smallest bin goes first, of equally small ones the lower; its records go to the nearest centre that is
    left.
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

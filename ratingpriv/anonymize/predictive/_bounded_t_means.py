"""Compiled: who gets a place in which cluster, nearest pairs first; arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.compiling import search_kernel


@search_kernel
def place(order: Any, clusters: int, least: int, larger: int, labels: NDArray[np.int32], size: Any) -> None:
    """Place everybody, in the order of the pairs.

    Parameters
    ----------
    order : int64 (m * clusters,); pairs as ``user * clusters + cluster``, nearest first
    least : the room of each cluster
    larger : how many clusters have room for one more; those that ask for it first
    labels : int32 (m,), -1; the cluster of each user is written there
    size : int64 (clusters,), 0; how many users each cluster has
    """
    left, more = len(labels), larger
    for at in range(len(order)):
        if left == 0:
            break
        user = order[at] // clusters
        if labels[user] >= 0:
            continue
        cluster = order[at] % clusters
        if size[cluster] >= least:
            if size[cluster] > least or more == 0:
                continue
            more -= 1
        labels[user] = cluster
        size[cluster] += 1
        left -= 1

"""What became of each rating of those who are released: kept or changed, lost, or added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.utility.pair import Pair

__all__ = ["Edges", "edges_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Ratings of the released records; an edge is that a record rates an issue, as in a bipartite graph.

    Attributes
    ----------
    before, after : float64 (kept,); the ratings of the edges that both have
    added, lost : float64; the ratings of the edges that only the release, and only the original, has
    withheld : how many ratings the suppressed records have
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    added: NDArray[np.float64]
    lost: NDArray[np.float64]
    withheld: int


def edges_of(pair: Pair) -> Edges | None:
    """Compare the release with the original rating by rating; None where it is not known who is who."""
    if pair.pairing is None:
        return None
    original, release, p = pair.original, pair.release, pair.original.n_issues
    owner = np.full(release.n_records, -1, dtype=np.int64)  # the original record of each released one
    there = np.flatnonzero(pair.pairing >= 0)
    owner[pair.pairing[there]] = there
    old = np.repeat(np.arange(original.n_records), np.diff(original.indptr))
    of_released = pair.pairing[old] >= 0
    before, ratings = (old * p + original.indices)[of_released], original.values[of_released]
    new = np.repeat(owner, np.diff(release.indptr))
    after = new * p + release.indices
    order = np.argsort(after, kind="stable")
    after, released = after[order], release.values[order]
    place = np.searchsorted(after, before)
    kept = np.zeros(len(before), dtype=bool)
    inside = place < len(after)
    kept[inside] = after[place[inside]] == before[inside]
    added = np.ones(len(after), dtype=bool)
    added[place[kept]] = False
    return Edges(
        ratings[kept], released[place[kept]], released[added], ratings[~kept],
        int(np.count_nonzero(~of_released)),
    )  # fmt: skip

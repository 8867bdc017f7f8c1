"""Whether released records resemble the originals they are paired with: no attack is judged by wrong pairs.

Resemblance of two records [ours]: on how many issues both have a rating, plus on how many of these it is the
same. If ids were dealt out anew, the pairs' sum is that of a random permutation, whose mean and variance are
known [Hoeffding, Ann. Math. Stat. 22 (1951) 558].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

_RECORDS = 500  # compared, each with each
_DEVIATIONS = 3.0  # so far above a random pairing a sum is no chance: once in 700


def resemblance(original: RatingTable, release: RatingTable, places: NDArray[np.int64]) -> str:
    """Say whom released records resemble: "own", "others" or "undecided".

    * "own": the pairs' resemblance is 3 standard deviations above that of a random pairing, or every record
      resembles its own more than any other.
    * "undecided": otherwise, and no pairing has a greater sum. So it is where all released records are equal.
    * "others": another pairing fits better, as it does where ids were dealt out anew.

    Parameters
    ----------
    places : int64 (n_records,); where each original record is in the release, or -1. At most 500 pairs,
        spread over the data, are compared
    """
    present = np.flatnonzero(places >= 0)
    if len(present) < 2:
        return "own"
    present = present[np.linspace(0, len(present) - 1, min(len(present), _RECORDS)).astype(np.int64)]
    name = {issue: position for position, issue in enumerate(release.issues)}
    issue = np.array([name.get(one, -1) for one in original.issues], dtype=np.int64)
    sums = _resemblances(original, present, issue, release, places[present])
    m, own = len(sums), np.diagonal(sums)
    rows, columns = sums.mean(axis=1, keepdims=True), sums.mean(axis=0, keepdims=True)
    apart = sums - rows - columns + sums.mean()
    deviation = math.sqrt(float((apart**2).sum()) / (m - 1))
    if deviation > 1e-9 * max(1.0, float(sums.max())):
        if (float(own.sum()) - m * float(sums.mean())) / deviation >= _DEVIATIONS:
            return "own"
        others = sums - np.diag(np.full(m, np.inf))
        if np.all(own[:, None] > others):
            return "own"
        from scipy.optimize import linear_sum_assignment

        first, second = linear_sum_assignment(sums, maximize=True)
        if float(sums[first, second].sum()) > float(own.sum()):
            return "others"
    return "undecided"


def _resemblances(
    original: RatingTable,
    records: NDArray[np.int64],
    issue: NDArray[np.int64],
    release: RatingTable,
    released: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the resemblance of each of ``records`` with each of ``released``, float64 (m, m)."""
    from scipy.sparse import csr_array

    parts = []
    for table, chosen, names in ((original, records, issue), (release, released, None)):
        lengths = table.indptr[chosen + 1] - table.indptr[chosen]
        start = np.cumsum(lengths) - lengths
        owner = np.repeat(np.arange(len(chosen)), lengths)
        entries = np.arange(len(owner)) - start[owner] + table.indptr[chosen][owner]
        issues = table.indices[entries].astype(np.int64)
        issues = issues if names is None else names[issues]
        ratings = table.levels[table.codes[entries]]
        shared = issues >= 0
        parts.append((owner[shared], issues[shared], ratings[shared]))
    levels = np.unique(np.concatenate([ratings for *_, ratings in parts]))
    m, total = len(records), None
    for exact in (False, True):
        sides = []
        for owner, issues, ratings in parts:
            keys = issues * len(levels) + np.searchsorted(levels, ratings) if exact else issues
            width = release.n_issues * (len(levels) if exact else 1)
            sides.append(csr_array((np.ones(len(owner)), (owner, keys)), shape=(m, width)))
        common = (sides[0] @ sides[1].T).toarray()
        total = common if total is None else total + common
    found: NDArray[np.float64] = np.asarray(total, dtype=np.float64)
    return found

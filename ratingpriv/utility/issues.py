"""Means and SDs of the issues, before and after [SWLP10, §5.4, Fig. 17]."""

from __future__ import annotations

import math

import numpy as np

from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured
from ratingpriv.utility.tables import IssueMoments, moments_of


def centroid(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean of |m_j - m'_j|, m_j the mean of the ratings of issue j. Lower is better; 0 is equal.

    Implements [SWLP10, §5.4], which compares the inner product of the vector of means "with the result of the
    same operation on the anonymous data": two numbers, ⟨m, m⟩ and ⟨m', m'⟩, as its two curves are. They are
    in the details; the value is ours, as an inner product grows with the number of issues. Everything is over
    the issues that both rate: over all, the product falls because issues vanish. Needs no pairing; records
    that were suppressed do not count in m'. Details: ``documents.utility.MeasuredCentroid``.
    """
    before, after = moments_of(pair.original), moments_of(pair.release)
    both = before.rated & after.rated
    lost = int(np.count_nonzero(before.rated & ~after.rated))
    m, other = before.means[both], after.means[both]
    products = {"original": float(m @ m), "release": float(other @ other), "both": float(m @ other)}
    length = math.sqrt(products["original"]) * math.sqrt(products["release"])
    moved = np.abs(m - other)
    details = {
        "inner_products": products,
        "cosine": products["both"] / length if length > 0 else None,
        "greatest": float(moved.max(initial=0.0)) if len(m) else None,
        "issues": len(m),
        "issues_without_ratings": lost,
    }
    if not len(m):
        return Measured(None, details=details, reason="no issue has ratings in both")
    words = f"mean change of the mean rating of {len(m)} issues"
    return Measured(float(moved.mean()), of=words, details=details)


def standard_deviation(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean over the issues of the SD of the release's ratings; nearer to the original's is better.

    Implements [SWLP10, §5.4]: population SD of the ratings that are not null, mean over the issues that have
    any; an issue of one rating has 0. Needs no pairing.

    "With the parameter ε the standard deviation is bounded by ε/2" is wrong: it holds within a clique only
    (Popoviciu). Records 1, 1, 5, 5 in two cliques have an SD of 2 at ε = 0. So where groups are at hand their
    mean SD is given too, each weighted with its members who rate the issue. Details:
    ``documents.utility.MeasuredStandardDeviation``.
    """
    before, after = moments_of(pair.original), moments_of(pair.release)
    old, new = _mean(before), _mean(after)
    details = {
        "change": None if old is None or new is None else new - old,
        "issues": {"original": int(before.rated.sum()), "release": int(after.rated.sum())},
        "within_groups": _within_groups(pair),
    }
    if new is None:
        return Measured(None, details=details, reason="the release has no ratings")
    return Measured(new, of=f"mean SD of {int(after.rated.sum())} issues", details=details)


def _mean(moments: IssueMoments) -> float | None:
    return float(moments.sds[moments.rated].mean()) if moments.rated.any() else None


def _within_groups(pair: Pair) -> dict[str, float] | None:
    """Return the mean SD within groups; records in none take no part. None where there is nothing in any."""
    table, groups = pair.release, pair.groups
    if groups is None:
        return None
    group = np.repeat(groups.astype(np.int64), np.diff(table.indptr))
    placed = np.flatnonzero(group >= 0)
    if not len(placed):
        return None
    keys = np.unique(group[placed] * table.n_issues + table.indices[placed], return_inverse=True)[1]
    values = table.values[placed]
    counts = np.bincount(keys)
    means = np.bincount(keys, weights=values) / counts
    sds = np.sqrt(np.bincount(keys, weights=(values - means[keys]) ** 2) / counts)
    return {"value": float(np.average(sds, weights=counts))}

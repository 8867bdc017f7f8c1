"""The mean SD of the issues, before and after [SWLP10, §5.4, Fig. 17c]."""

from __future__ import annotations

import numpy as np

from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import IssueMoments, moments_of


def standard_deviation(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean over the issues of the SD of the release's ratings; nearer to the original's is better.

    Implements [SWLP10, §5.4]: population SD of the ratings that are not null, mean over the issues that have
    any; an issue of one rating has 0. Needs no pairing.

    "With the parameter ε the standard deviation is bounded by ε/2" is wrong: it holds within a clique only
    (Popoviciu). Records 1, 1, 5, 5 in two cliques have an SD of 2 at ε = 0. So where groups are at hand their
    mean SD is given too, each weighted with its members who rate the issue. Details:
    ``documents.measures.MeasuredStandardDeviation``.
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

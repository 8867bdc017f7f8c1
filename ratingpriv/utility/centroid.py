"""The centroid: the mean rating of each issue, before and after [SWLP10, §5.4, Fig. 17a,b]."""

from __future__ import annotations

import math

import numpy as np

from ratingpriv.base.compute.resources import Resources
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import moments_of


def centroid(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean of |m_j - m'_j|, m_j the mean of the ratings of issue j. Lower is better; 0 is equal.

    Implements [SWLP10, §5.4], which compares the inner product of the vector of means "with the result of the
    same operation on the anonymous data": two numbers, ⟨m, m⟩ and ⟨m', m'⟩, as its two curves are. They are
    in the details; the value is ours, as an inner product grows with the number of issues. Everything is over
    the issues that both rate: over all, the product falls because issues vanish. Needs no pairing; records
    that were suppressed do not count in m'. Details: ``documents.measures.MeasuredCentroid``.
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

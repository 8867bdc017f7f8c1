"""The structure of a release as a bipartite graph of records and issues [CTWY10, §7].

An edge is a rating. Predictive Anonymization adds edges and changes their labels; it is to lose none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.bias import distribution_of
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import edges_of, levels_of


def structure(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return how far issues gained or lost ratings: Σ_j |supp'(j) - supp(j)| / Σ_j supp(j). Lower is better.

    0: every issue has as many ratings as before. So it is for a worthless release too, which keeps who rated
    what. Needs no pairing; the edges added and lost, and the labels of real ones, do.

    Returns
    -------
    Measured
        Details, before and after: ``edges``, with ``added``, ``lost`` and ``withheld`` (of suppressed
        records), None without a pairing; ``density``, edges a cell of the table; ``labels``: ``mean`` and
        ``rmse`` of |L* - r| over the edges that both have, None without a pairing or such edges;
        ``distribution`` of the ratings by ``levels`` (None beyond 100); ``ratings_per_record``: how many
        records have so many ratings; ``popularity``: Spearman's correlation of the issues' numbers of
        ratings, None where all have the same.
    """
    original, release = pair.original, pair.release
    edges, levels = edges_of(pair), levels_of(original)
    before, after = (np.bincount(one.indices, minlength=one.n_issues) for one in (original, release))
    off = None if edges is None else edges.after - edges.before
    own = original.n_issues - pair.issues_added
    details: dict[str, Any] = {
        "edges": {
            "before": original.n_ratings,
            "after": release.n_ratings,
            "added": None if edges is None else len(edges.added),
            "lost": None if edges is None else len(edges.lost),
            "withheld": None if edges is None else edges.withheld,
        },
        "density": {
            "before": _density(original, own),
            "after": _density(release, release.n_issues - pair.issues_lost),
        },
        "labels": None
        if off is None or not len(off)
        else {"mean": float(np.abs(off).mean()), "rmse": float(np.sqrt((off**2).mean())), "edges": len(off)},
        "levels": None if len(levels) > 100 else levels.tolist(),
        "distribution": {
            "before": distribution_of(levels, original),
            "after": distribution_of(levels, release),
        },
        "ratings_per_record": _per_record(original, release),
        "popularity": spearman(before, after),
    }
    if not original.n_ratings:
        return Measured(None, details=details, reason="the original has no ratings")
    moved = float(np.abs(after - before).sum()) / original.n_ratings
    return Measured(moved, of="ratings that issues gained or lost, a rating of the original", details=details)


def spearman(before: ArrayLike, after: ArrayLike) -> float | None:
    """Return the rank correlation, ties by their mean rank; None where one of the two does not vary."""
    from scipy.stats import spearmanr

    if any(len(np.unique(numbers)) < 2 for numbers in (before, after)):
        return None
    return float(spearmanr(before, after).statistic)


def _density(table: RatingTable, issues: int) -> float | None:
    cells = table.n_records * issues
    return table.n_ratings / cells if cells else None


def _per_record(original: RatingTable, release: RatingTable) -> dict[str, list[int]]:
    """Return numbers of ratings, ascending, and how many records have each before and after."""
    counts = [np.bincount(np.diff(one.indptr)) for one in (original, release)]
    before, after = (np.pad(one, (0, max(map(len, counts)) - len(one))) for one in counts)
    there = np.flatnonzero(before + after)
    return {"ratings": there.tolist(), "before": before[there].tolist(), "after": after[there].tolist()}

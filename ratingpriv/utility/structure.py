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
    what. Needs no pairing; the edges added and lost, and the labels of real ones, do. Details:
    ``documents.measures.MeasuredStructure``.
    """
    original, release = pair.original, pair.release
    edges, levels = edges_of(pair), levels_of(original)
    before, after = (np.bincount(table.indices, minlength=table.n_issues) for table in (original, release))
    off = None if edges is None else edges.after - edges.before
    changed: dict[str, int | None] = dict.fromkeys(("added", "lost", "withheld"))
    if edges is not None:
        changed = {"added": len(edges.added), "lost": len(edges.lost), "withheld": edges.withheld}
    labels = None
    if off is not None and len(off):
        rmse = float(np.sqrt((off**2).mean()))
        labels = {"mean": float(np.abs(off).mean()), "rmse": rmse, "edges": len(off)}
    details: dict[str, Any] = {
        "edges": {"before": original.n_ratings, "after": release.n_ratings, **changed},
        "density": {
            "before": _density(original, original.n_issues - pair.issues_added),
            "after": _density(release, release.n_issues - pair.issues_lost),
        },
        "labels": labels,
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
    counts = [np.bincount(np.diff(table.indptr)) for table in (original, release)]
    before, after = (np.pad(count, (0, max(map(len, counts)) - len(count))) for count in counts)
    had = np.flatnonzero(before + after)
    return {"ratings": had.tolist(), "before": before[had].tolist(), "after": after[had].tolist()}

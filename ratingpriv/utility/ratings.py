"""What became of the ratings: means and SDs of issues [SWLP10, §5.4, Fig. 17];
lost and imputed ones [ours].

And ratings as the edges of a graph of records and issues [CTWY10, §7].
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import distortion_of, mean_rating
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.result import Measured, not_measured
from ratingpriv.utility.tables import IssueMoments, edges_of, levels_of, moments_of, nearest_level


def information_loss(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the share of the original's ratings that were changed, erased or withheld.

    Lower is better.

    0 is none and 1 is all. Imputed ratings are no part of it; they are in the details, and in
    ``bias``. Needs a pairing. Issues that only one of the two has count as erased, and as imputed.
    Details: the ``distortion``, [SWLP10, Def. 5-6] among it; quasi-identifiers are compared where
    both have them by the same names, as words or as numbers.
    """
    if pair.pairing is None:
        return not_measured("released records are not linked to original ones")
    if not pair.original.n_ratings:
        return not_measured("the original has no ratings")
    retained = np.flatnonzero(pair.pairing >= 0)
    original, released = pair.original, pair.release.take(pair.pairing[retained])
    kinds = [
        [(column.name, column.values.dtype) for column in table.quasi]
        for table in (original, released)
    ]
    if kinds[0] != kinds[1]:
        original, released = (
            dataclasses.replace(table, quasi=()) for table in (original, released)
        )
    distortion = distortion_of(original, released, retained)
    return Measured(
        distortion.ratings_lost / distortion.ratings,
        of="share of the original's ratings that were changed or suppressed",
        details={"distortion": distortion.to_dict()},
    )


def bias(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return |mean rating of the release - mean rating of the original|. Lower is better [ours].

    Distortion counts a null as 0 [SWLP10, Def. 5], so that a low imputed rating costs least: the
    imputed ones gather at the lower end of the scale.

    The value needs no pairing and is what a user of the file sees, suppressed records left out.
    What was imputed is only known with one. Details: ``documents.utility.MeasuredBias``.
    """
    before, after = mean_rating(pair.original), mean_rating(pair.release)
    details: dict[str, Any] = {"mean_before": before, "mean_after": after, "imputed": None}
    edges = edges_of(pair)
    if edges is None:
        details["imputed_reason"] = "released records are not linked to original ones"
    else:
        levels, added = levels_of(pair.original), edges.added
        details["imputed"] = {
            "ratings": len(added),
            "mean": float(added.mean()) if len(added) else None,
            "sd": float(added.std()) if len(added) else None,
            "levels": None if len(levels) > 100 else levels.tolist(),
            "distribution": _by_level(levels, *np.unique(added, return_counts=True)),
            "original": distribution_of(levels, pair.original),
        }
    if before is None or after is None:
        return Measured(None, details=details, reason="the original or the release has no ratings")
    return Measured(abs(after - before), of="change of the mean rating", details=details)


def distribution_of(levels: NDArray[np.float64], table: RatingTable) -> list[int] | None:
    """Count the ratings of ``table`` by the level that they are read as.

    None without levels, or over 100.
    """
    return _by_level(levels, table.levels, np.bincount(table.codes, minlength=len(table.levels)))


def _by_level(
    levels: NDArray[np.float64], distinct: NDArray[np.float64], counts: NDArray[np.int64]
) -> list[int] | None:
    if not 0 < len(levels) <= 100:
        return None
    of_levels = np.zeros(len(levels), dtype=np.int64)
    np.add.at(of_levels, nearest_level(levels, distinct), counts)
    return of_levels.tolist()


def structure(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return how far issues gained or lost ratings: Σ_j |supp'(j) - supp(j)| / Σ_j supp(j).

    Lower is better.

    A release is a bipartite graph of records and issues [CTWY10, §7], an edge a rating. Predictive
    Anonymization adds edges and changes their labels; it is to lose none.

    0: every issue has as many ratings as before. So it is for a worthless release too, which keeps
    who rated what. Needs no pairing; the edges added and lost, and the labels of real ones, do.
    Details: ``documents.utility.MeasuredStructure``.
    """
    original, release = pair.original, pair.release
    edges, levels = edges_of(pair), levels_of(original)
    before, after = (
        np.bincount(table.indices, minlength=table.n_issues) for table in (original, release)
    )
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
    return Measured(
        moved, of="ratings that items gained or lost, a rating of the original", details=details
    )


def spearman(before: ArrayLike, after: ArrayLike) -> float | None:
    """Return the rank correlation, ties by their mean rank.

    None where one of the two does not vary.
    """
    if any(len(np.unique(numbers)) < 2 for numbers in (before, after)):
        return None
    return float(np.corrcoef(_ranks(before), _ranks(after))[0, 1])


def _ranks(numbers: ArrayLike) -> NDArray[np.float64]:
    """Return the rank of each number among all, from 0 on; equal numbers share their mean rank."""
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    mean: NDArray[np.float64] = np.cumsum(counts) - (counts + 1) / 2
    return mean[place]


def _density(table: RatingTable, issues: int) -> float | None:
    cells = table.n_records * issues
    return table.n_ratings / cells if cells else None


def _per_record(original: RatingTable, release: RatingTable) -> dict[str, list[int]]:
    """Return numbers of ratings, ascending, and how many records have each before and after."""
    counts = [np.bincount(np.diff(table.indptr)) for table in (original, release)]
    before, after = (np.pad(count, (0, max(map(len, counts)) - len(count))) for count in counts)
    had = np.flatnonzero(before + after)
    return {"ratings": had.tolist(), "before": before[had].tolist(), "after": after[had].tolist()}


def centroid(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean of |m_j - m'_j|, m_j the mean of the ratings of issue j.

    Lower is better; 0 is equal.

    Implements [SWLP10, §5.4], which compares the inner product of the vector of means "with the
    result of the same operation on the anonymous data": two numbers, ⟨m, m⟩ and ⟨m', m'⟩, as its
    two curves are. They are in the details; the value is ours, as an inner product grows with the
    number of issues. Everything is over the issues that both rate: over all, the product falls
    because issues vanish. Needs no pairing; records that were suppressed do not count in m'.
    Details: ``documents.utility.MeasuredCentroid``.
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
        return Measured(None, details=details, reason="no item has ratings in both")
    words = f"mean change of the mean rating of {len(m)} items"
    return Measured(float(moved.mean()), of=words, details=details)


def standard_deviation(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return the mean over the issues of the SD of the release's ratings.

    Nearer to the original's is better.

    Implements [SWLP10, §5.4]: population SD of the ratings that are not null, mean over the issues
    that have any; an issue of one rating has 0. Needs no pairing.

    "With the parameter ε the standard deviation is bounded by ε/2" is wrong: it holds within a
    clique only (Popoviciu). Records 1, 1, 5, 5 in two cliques have an SD of 2 at ε = 0. So where
    groups are at hand their mean SD is given too, each weighted with its members who rate the
    issue. Details: ``documents.utility.MeasuredStandardDeviation``.
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
    return Measured(new, of=f"mean SD of {int(after.rated.sum())} items", details=details)


def _mean(moments: IssueMoments) -> float | None:
    return float(moments.sds[moments.rated].mean()) if moments.rated.any() else None


def _within_groups(pair: Pair) -> dict[str, float] | None:
    """Return the mean SD within groups; records in none take no part.

    None where there is nothing in any.
    """
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

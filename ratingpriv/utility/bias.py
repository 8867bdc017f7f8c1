"""Bias: imputed ratings are not like those that people gave [ours].

Distortion counts a null as 0 [SWLP10, Def. 5], so that a low imputed rating costs least: the imputed ones
gather at the lower end of the scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import mean_rating
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import edges_of, levels_of, nearest_level


def bias(pair: Pair, *, rng: np.random.Generator, resources: Resources) -> Measured:
    """Return |mean rating of the release - mean rating of the original|. Lower is better; 0 is no bias.

    The value needs no pairing and is what a user of the file sees, suppressed records left out. What was
    imputed is only known with one. Details: ``documents.measures.MeasuredBias``.
    """
    before, after = mean_rating(pair.original), mean_rating(pair.release)
    details: dict[str, Any] = {"mean_before": before, "mean_after": after, "imputed": None}
    edges = edges_of(pair)
    if edges is None:
        details["imputed_reason"] = "it is not known which released record is whose"
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
    """Count the ratings of ``table`` by the level that they are read as; None without levels, or over 100."""
    return _by_level(levels, table.levels, np.bincount(table.codes, minlength=len(table.levels)))


def _by_level(
    levels: NDArray[np.float64], distinct: NDArray[np.float64], counts: NDArray[np.int64]
) -> list[int] | None:
    if not 0 < len(levels) <= 100:
        return None
    of_levels = np.zeros(len(levels), dtype=np.int64)
    np.add.at(of_levels, nearest_level(levels, distinct), counts)
    return of_levels.tolist()

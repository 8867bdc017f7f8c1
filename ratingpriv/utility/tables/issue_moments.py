"""How many ratings each issue has, their mean and their population SD; nulls have no part in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

__all__ = ["IssueMoments", "moments_of"]


@dataclass(frozen=True, slots=True, eq=False)
class IssueMoments:
    """By issue.

    Attributes
    ----------
    counts : int64 (p,)
    means : float64 (p,); 0 where nothing is rated
    sds : float64 (p,); ÷ count, so of one rating 0; 0 where nothing is rated
    """

    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    sds: NDArray[np.float64]

    @property
    def rated(self) -> NDArray[np.bool_]:
        """Which issues have a rating, bool (p,)."""
        return np.asarray(self.counts > 0)


def moments_of(table: RatingTable) -> IssueMoments:
    """Return the moments of each issue of ``table``."""
    values, issues, p = table.values, table.indices, table.n_issues
    counts = np.bincount(issues, minlength=p)
    least = np.maximum(counts, 1)
    means = np.bincount(issues, weights=values, minlength=p) / least
    squares = np.bincount(issues, weights=(values - means[issues]) ** 2, minlength=p)
    return IssueMoments(counts, means, np.sqrt(squares / least))

"""Naive Bayes on ratings of which some are not there: a null says nothing, in training and in prediction.

[SWLP10, §5.3] used Weka's. Scikit-learn's forms have no nulls, which is why this is ours. Both classifiers
are linear in what a record's ratings are written as: score(c) = prior(c) + Σ features · weights(c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable
from ratingpriv.utility.tables import nearest_level

CLASSIFIERS = ("categorical", "gaussian")
"""Ratings as levels, each with a probability of its own, or as numbers that are normally distributed."""

_TIE = 1e-9  # scores so near are equal but for rounding
_CONSTANT = 1e-12  # of the square of the scale's range: a variance below it is none


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """A trained classifier."""

    prior: NDArray[np.float64]  # (C,); log P(c)
    weights: NDArray[np.float64]  # (width of the features, C)

    @classmethod
    def trained(
        cls, rows: Any, classes: NDArray[np.int64], of: int, levels: NDArray[np.float64], classifier: str
    ) -> NaiveBayes:
        """Train on records of known classes.

        P(c) = (n_c + 1) / (n + C). ``categorical``: P(x_j = v | c) = (n_cjv + 1) / (n_cj + L). ``gaussian``:
        mean and variance of issue j in class c, with one more observation per class that has the issue's
        mean and variance in all classes, so that no variance is 0; an issue of which all ratings are equal
        says nothing. ``rows`` are the :func:`features` of the n training records, ``classes`` int64 (n,), 0..
        C-1, ``of`` C.
        """
        from scipy.sparse import csr_array

        n = len(classes)
        member = csr_array((np.ones(n), (classes, np.arange(n))), shape=(of, n))
        sums = (member @ rows).toarray()
        prior = np.log((np.bincount(classes, minlength=of) + 1) / (n + of))
        if classifier == "categorical":
            counts = sums.reshape(of, -1, len(levels))
            weights = np.log((counts + 1) / (counts.sum(axis=2, keepdims=True) + len(levels)))
            return cls(prior, weights.reshape(of, -1).T)
        return cls(prior, _gaussian(sums.reshape(of, 3, -1), levels).reshape(of, -1).T)

    def predicted(self, rows: Any) -> NDArray[np.int64]:
        """Return the likeliest class of each row of :func:`features`, int64; ties go to the first class."""
        scores = rows @ self.weights + self.prior
        best = scores >= scores.max(axis=1, keepdims=True) - _TIE
        return np.argmax(best, axis=1)


def features(
    table: RatingTable,
    records: NDArray[np.int64],
    issues: NDArray[np.int64],
    levels: NDArray[np.float64],
    classifier: str,
) -> Any:
    """Return what a classifier sees of some records, scipy.sparse.csr_array (len(records), width).

    ``categorical``: a column a level of each issue, 1 where the record's rating is this level (or nearest to
    it); ``gaussian``: three columns an issue, for whether it is rated, the rating and its square. Columns are
    in the order of ``issues``; ``levels`` float64 (L,), ascending, L >= 1, are the original's.
    """
    from scipy.sparse import csr_array, hstack

    place = np.full(table.n_issues, -1, dtype=np.int64)
    place[issues] = np.arange(len(issues))
    column = place[table.indices]
    kept = column >= 0
    indptr = np.concatenate(([0], np.cumsum(kept)))[table.indptr]
    column, values = column[kept], table.values[kept]
    if classifier == "categorical":
        column = column * len(levels) + nearest_level(levels, values)
        shape = (table.n_records, len(issues) * len(levels))
        return csr_array((np.ones(len(column)), column, indptr), shape=shape)[records]
    values = values - levels.mean()  # nearer to 0, where squares lose less
    shape = (table.n_records, len(issues))
    powers = [csr_array((values**power, column, indptr), shape=shape)[records] for power in range(3)]
    return hstack(powers, format="csr")


def _gaussian(sums: NDArray[np.float64], levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights (C, 3, n) for sums (C, 3, n) of ones, ratings and their squares."""
    every = sums.sum(axis=0)
    count = np.maximum(every[0], 1)
    mean, square = every[1] / count, every[2] / count
    variance = square - mean**2
    varies = variance > _CONSTANT * max(float(levels[-1] - levels[0]), 1.0) ** 2
    n = sums[:, 0] + 1
    means, squares = (sums[:, 1] + mean) / n, (sums[:, 2] + square) / n
    variances = np.where(varies, squares - means**2, 1.0)
    weights = np.empty_like(sums)
    weights[:, 0] = -0.5 * (np.log(2 * np.pi * variances) + means**2 / variances)
    weights[:, 1] = means / variances
    weights[:, 2] = -0.5 / variances
    return np.where(varies, weights, 0.0)

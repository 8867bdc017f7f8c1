"""The rating model P0: mean, biases and factors, which pads what nobody rated [CTWY10, §5.1; ours].

The paper pads with "the predicted ratings" of a recommender and does not say which. Ours is a
biased mean and the truncated singular value decomposition of what it leaves over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratingpriv.base import checks
from ratingpriv.base.compute.parallel import single_threaded
from ratingpriv.base.compute.resources import Resources
from ratingpriv.data.table import RatingTable

FACTORS = 10
"""How many factors there are unless told otherwise."""
SWEEPS = 10
"""How often the biases of issues and records are computed in turn."""
DAMPING = 10.0
"""Added to the number of ratings under a bias: few ratings say little."""

_SMALL = 64  # with so few records or issues the decomposition is exact, without a start vector
_BLOCK = 1 << 20  # predictions worked on at once


@dataclass(frozen=True, slots=True, eq=False)
class RatingModel:
    """r̂(u, i) = mean + record_bias[u] + issue_bias[i] + record_factors[u]
    · issue_factors[i], unclipped.

    All is 0.0 for what nobody rated, and for who rated nothing.
    """

    mean: float
    record_bias: NDArray[np.float64]  # (m,)
    issue_bias: NDArray[np.float64]  # (n,)
    record_factors: NDArray[np.float64]  # (m, d), U Σ
    issue_factors: NDArray[np.float64]  # (n, d), V; d is at most min(m, n) - 1

    @classmethod
    def fit(
        cls, table: RatingTable, *, factors: int = FACTORS, resources: Resources | None = None
    ) -> Self:
        """Fit the model to the non-sensitive ratings of ``table``.

        Biases are 0 first, then :data:`SWEEPS` times in turn b_i = Σ_u(r - μ - b_u) / (|supp i| +
        10) and b_u = Σ_i(r - μ - b_i) / (|supp u| + 10). What is left of each rating (and 0 where
        there is none) gets a truncated singular value decomposition: factors by descending singular
        value, the largest entry of each right vector positive. Nothing of the size m x n is built:
        the time is O(ratings · factors), the memory O(ratings + (m + n) · factors).

        The result does not depend on threads, and not on the order of records and issues but for
        rounding (and for the factors themselves where singular values coincide; where that is the
        last one and the next, also for what they predict). There are min(factors, min(m, n) - 1)
        factors, and none where nothing is rated.
        """
        factors = checks.whole_number("factors", factors, 0)
        m, n, ratings = table.n_records, table.n_issues, table.n_ratings
        (resources or Resources()).report("fitting the rating model", 0, None)
        values, records = (
            table.values,
            np.repeat(np.arange(m, dtype=np.int32), np.diff(table.indptr)),
        )
        mean = float(values.mean()) if ratings else 0.0
        values -= mean
        record_bias, issue_bias = np.zeros(m), np.zeros(n)
        under_record = np.diff(table.indptr) + DAMPING
        under_issue = np.bincount(table.indices, minlength=n) + DAMPING
        for _ in range(SWEEPS):
            left = values - record_bias[records]
            issue_bias = np.bincount(table.indices, weights=left, minlength=n) / under_issue
            left = values - issue_bias[table.indices]
            record_bias = np.bincount(records, weights=left, minlength=m) / under_record
        values -= record_bias[records]
        values -= issue_bias[table.indices]
        d = min(factors, max(min(m, n) - 1, 0)) if ratings and m > 1 else 0
        record_factors, issue_factors = _factors(table, values, d)
        return cls(mean, record_bias, issue_bias, record_factors, issue_factors)

    @property
    def factors(self) -> int:
        """How many factors there are (d)."""
        return int(self.issue_factors.shape[1])

    def predicted(self, records: ArrayLike, issues: ArrayLike) -> NDArray[np.float64]:
        """Return r̂ of pairs of positions, float64 (n_pairs,), unclipped."""
        rows, columns = np.asarray(records, dtype=np.int64), np.asarray(issues, dtype=np.int64)
        predicted = self.record_bias[rows]
        predicted += self.issue_bias[columns]
        predicted += self.mean
        step = max(1, _BLOCK // max(self.factors, 1))
        for first in range(0, len(rows) if self.factors else 0, step):
            part = slice(first, first + step)
            predicted[part] += np.einsum(
                "ij,ij->i", self.record_factors[rows[part]], self.issue_factors[columns[part]]
            )
        return predicted

    def predicted_rows(self, records: ArrayLike) -> NDArray[np.float64]:
        """Return r̂ of all issues for some records, float64 (len(records), n), unclipped:
        ask in blocks.
        """
        rows = np.asarray(records, dtype=np.int64)
        with single_threaded():
            predicted = self.record_factors[rows] @ self.issue_factors.T
        predicted += self.record_bias[rows, None]
        predicted += self.issue_bias
        predicted += self.mean
        return predicted


def biases(table: RatingTable) -> RatingModel:
    """Return the model of mean and biases alone: no factors."""
    return RatingModel.fit(table, factors=0)


def _factors(
    table: RatingTable, left: NDArray[np.float64], d: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return U Σ (m, d) and V (n, d) of what the biases leave of the ratings."""
    m, n = table.n_records, table.n_issues
    if d == 0 or not left.any():
        return np.zeros((m, d)), np.zeros((n, d))
    from scipy.sparse import csr_array

    with single_threaded():
        u, singular, vt = _decomposed(
            csr_array((left, table.indices, table.indptr), shape=(m, n)), d
        )
    order = np.argsort(-singular, kind="stable")
    u, singular, vt = u[:, order], singular[order], vt[order]
    largest = np.take_along_axis(vt, np.argmax(np.abs(vt), axis=1)[:, None], axis=1)
    sign = np.where(largest < 0, -1.0, 1.0)
    of_records = np.ascontiguousarray(u * (singular * sign[:, 0]))
    of_records[np.diff(table.indptr) == 0] = 0.0  # exactly, and not but for rounding
    return of_records, np.ascontiguousarray((vt * sign).T)


def _decomposed(matrix: Any, d: int) -> tuple[Any, Any, Any]:
    """Return u, the d largest singular values and vt of a sparse matrix, in any order."""
    from scipy.sparse.linalg import ArpackError, svds

    m, n = matrix.shape
    # ARPACK fails, or restarts at random, where few vectors span everything
    if min(m, n) <= _SMALL:
        small = matrix if n <= m else matrix.T
        _, vectors = np.linalg.eigh((small.T @ small).toarray())
        vectors = vectors[:, -d:]
        u, singular, turn = np.linalg.svd(small @ vectors, full_matrices=False)
        v = vectors @ turn.T
        return (u, singular, v.T) if n <= m else (v, singular, u.T)
    try:
        return svds(matrix, k=d, v0=np.ones(min(m, n)))  # type: ignore[no-any-return]
    # every row sums to zero: ones are a vector that the matrix makes nothing of
    except ArpackError:
        return svds(matrix, k=d, v0=np.cos(np.arange(min(m, n))))  # type: ignore[no-any-return]

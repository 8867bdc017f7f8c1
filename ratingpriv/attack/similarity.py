"""How similar two ratings are, and two records: Sim of [NS08, §3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ratingpriv.attack import _similarity as kernels
from ratingpriv.attack.dates import dates_of
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.levels import proximate_codes

__all__ = ["INSTANT", "record_similarity", "supports_of", "weights_of"]

INSTANT = 1e-9
"""Days, a tenth of a millisecond: differences of instants are compared with so much more than the tolerance,
because float64 rounds them."""

_CHUNK = 1 << 16  # pairs between two looks at Ctrl-C


def record_similarity(
    table: RatingTable,
    first: ArrayLike,
    second: ArrayLike,
    *,
    rating_tolerance: float | None = 0.0,
    date_tolerance: float | None = None,
    weighted: bool = False,
) -> NDArray[np.float64]:
    """Return the similarity of pairs of records, float64 (n_pairs,), each 0..1.

    Implements Sim(r1, r2) = Σ_i Sim(r1_i, r2_i) / |supp(r1) ∪ supp(r2)| [NS08, §3]. Sim on attributes is 1 if
    both rate the issue, ratings and dates within their tolerances, else 0. Two records without any rating
    have similarity 0: nothing says that they are similar.

    Parameters
    ----------
    first, second : positions of the records, (n_pairs,)
    rating_tolerance : compared as decimals; None: ratings do not matter, only what was rated
    date_tolerance : days; a missing date is similar to none. None: dates do not matter
    weighted : count an issue with wt(i) = 1 / ln max(|supp(i)|, 2) [NS08, §4] in the sum and in the union

    Raises
    ------
    ParameterError
        A position or a tolerance is out of range, or dates matter and the table has none.
    """
    left, right = _positions(table, "first", first), _positions(table, "second", second)
    if len(left) != len(right):
        raise ParameterError("second", len(right), f"{len(left)} positions, one for each of first")
    low = high = np.empty(0, dtype=np.int64)
    if rating_tolerance is not None:
        low, high = proximate_codes(
            table.levels, checks.non_negative_number("rating_tolerance", rating_tolerance)
        )
    days, reach = np.empty(0), 0.0
    if date_tolerance is not None:
        reach = checks.non_negative_number("date_tolerance", date_tolerance) + INSTANT
        days = dates_of(table)
    weights = weights_of(supports_of(table)) if weighted else np.ones(table.n_issues)
    similarity = np.empty(len(left), dtype=np.float64)
    for start in range(0, len(left), _CHUNK):
        part = slice(start, start + _CHUNK)
        kernels.similarity(
            table.indptr, table.indices, table.codes, days, low, high, reach, weights,
            left[part], right[part], similarity[part],
        )  # fmt: skip
    return similarity


def supports_of(table: RatingTable) -> NDArray[np.int64]:
    """Return |supp(i)|, how many records rate each issue, int64 (n_issues,)."""
    counts = np.zeros(table.n_issues, dtype=np.int64)
    for first in range(0, table.n_ratings, 1 << 22):
        counts += np.bincount(table.indices[first : first + (1 << 22)], minlength=table.n_issues)
    return counts


def weights_of(supports: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return wt(i) = 1 / ln max(|supp(i)|, 2) [NS08, §4]: one rater weighs as two, ln 1 being 0."""
    weights: NDArray[np.float64] = 1 / np.log(np.maximum(supports, 2))
    return weights


def _positions(table: RatingTable, name: str, positions: ArrayLike) -> NDArray[np.int64]:
    found = np.atleast_1d(np.asarray(positions))
    expected = f"positions from 0 to {table.n_records - 1}"
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        raise ParameterError(name, positions, expected)
    if len(found) and not 0 <= found.min() <= found.max() < table.n_records:
        raise ParameterError(name, found[(found < 0) | (found >= table.n_records)].tolist()[:5], expected)
    return found.astype(np.int64)

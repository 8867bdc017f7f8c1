"""The space in which records are near each other: that of their predicted rows [CTWY10, §4.2; exact, ours].

The paper clusters padded rows, m × n numbers. A row of predictions is (up to what all rows share) A x with
A = [1 | Q] (n × (d+1)) and x = (b_u, p_u). With AᵀA = LLᵀ, z = Lᵀx has d+1 numbers, and the Euclidean
distance of two z *is* that of the two rows. Nothing of the size m × n is built.

The paper's rows keep real ratings where there are any; :func:`padded_points` does, as a judge of small data.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.compute.single_thread import single_threaded
from ratingpriv.base.errors import ResourceError
from ratingpriv.data.table import RatingTable
from ratingpriv.utility.prediction import RatingModel

__all__ = ["VECTORS", "padded_points", "points_of"]

VECTORS = ("factors", "padded")
"""What records are clustered by: predicted rows, through factors; or rows with the real ratings there are."""

_RIDGE = 1e-12
_MOST = 10**7  # cells of rows that are built


def points_of(
    model: RatingModel, table: RatingTable | None = None, *, vectors: str = "factors"
) -> NDArray[np.float64]:
    """Return a point for each record, float64 (m, d+1); with "padded" the rows, float64 (m, n).

    ``table`` is what the model was made of; "padded" needs it.
    """
    if vectors == "padded" and table is not None:
        return padded_points(model, table)
    factors = model.issue_factors
    columns = np.column_stack((np.ones(len(factors)), factors))
    coordinates = np.column_stack((model.record_bias, model.record_factors))
    with single_threaded():
        gram = columns.T @ columns + _RIDGE * np.eye(columns.shape[1])
        points: NDArray[np.float64] = coordinates @ np.linalg.cholesky(gram)
    return np.ascontiguousarray(points)


def padded_points(model: RatingModel, table: RatingTable) -> NDArray[np.float64]:
    """Return the padded rows of the paper, float64 (m, n): ratings where there are any, else predictions.

    Raises
    ------
    ResourceError
        They would be more than 10⁷ numbers.
    """
    if table.n_records * table.n_issues > _MOST:
        raise ResourceError(
            f"{table.n_records:,} x {table.n_issues:,} padded cells: at most {_MOST:,} are built; "
            "cluster by factors"
        )
    rows = np.array(model.predicted_rows(np.arange(table.n_records)), dtype=np.float64)
    rows[np.repeat(np.arange(table.n_records), np.diff(table.indptr)), table.indices] = table.values
    return rows

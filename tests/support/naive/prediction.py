"""The rating model P0 by its definition: dense, one loop a sum."""

import numpy as np

__all__ = ["biases", "predictions"]

Row = list[float | None]


def biases(rows: list[Row]) -> tuple[float, list[float], list[float]]:
    """Mean, biases of records and biases of issues after ten sweeps with damping ten."""
    n = len(rows[0]) if rows else 0
    given = [value for row in rows for value in row if value is not None]
    mean = sum(given) / len(given) if given else 0.0
    of_record, of_issue = [0.0] * len(rows), [0.0] * n
    for _ in range(10):
        for i in range(n):
            rest = [
                row[i] - mean - bias
                for row, bias in zip(rows, of_record, strict=True)
                if row[i] is not None
            ]  # fmt: skip
            of_issue[i] = sum(rest) / (len(rest) + 10)
        for u, row in enumerate(rows):
            rest = [row[i] - mean - of_issue[i] for i in range(n) if row[i] is not None]
            of_record[u] = sum(rest) / (len(rest) + 10)
    return mean, of_record, of_issue


def predictions(rows: list[Row], factors: int) -> np.ndarray:
    """Every prediction, records x issues."""
    mean, of_record, of_issue = biases(rows)
    base = mean + np.array(of_record)[:, None] + np.array(of_issue)[None, :]
    left = np.zeros(base.shape)
    for u, row in enumerate(rows):
        for i, value in enumerate(row):
            if value is not None:
                left[u, i] = value - base[u, i]
    d = min(factors, min(left.shape) - 1) if len(rows) > 1 else 0
    if d <= 0:
        return base
    u, singular, vt = np.linalg.svd(left, full_matrices=False)
    return base + (u[:, :d] * singular[:d]) @ vt[:d]

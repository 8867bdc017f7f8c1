"""Similarity of two records: a walk along both of their rows."""

from __future__ import annotations

from typing import Any

from ratingpriv.base.compute.compiling import compiled

__all__ = ["similarity"]


@compiled(error_model="numpy")
def similarity(
    indptr: Any, indices: Any, codes: Any, days: Any, low: Any, high: Any, reach: float, weights: Any,
    first: Any, second: Any, out: Any,
) -> None:  # fmt: skip
    """Write the similarity of each pair; without ``low`` ratings do not matter, without ``days`` dates."""
    for pair in range(len(first)):
        a, a_end = indptr[first[pair]], indptr[first[pair] + 1]
        b, b_end = indptr[second[pair]], indptr[second[pair] + 1]
        agreeing, union = 0.0, 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and indices[a] < indices[b]):
                union += weights[indices[a]]
                a += 1
            elif a == a_end or indices[b] < indices[a]:
                union += weights[indices[b]]
                b += 1
            else:
                weight = weights[indices[a]]
                union += weight
                near = len(low) == 0 or low[codes[a]] <= codes[b] <= high[codes[a]]
                if near and (len(days) == 0 or abs(days[a] - days[b]) <= reach):
                    agreeing += weight
                a += 1
                b += 1
        out[pair] = agreeing / union if union > 0.0 else 0.0

"""Inverting a table: a counting sort by issue."""

from __future__ import annotations

from typing import Any

from ratingpriv.compute.compiling import compiled

__all__ = ["count", "invert"]


@compiled(error_model="numpy")
def count(indices: Any, counts: Any) -> None:
    """Add how often each issue occurs in ``indices`` to ``counts``."""
    for issue in indices:
        counts[issue] += 1


@compiled(error_model="numpy")
def invert(
    indptr: Any, indices: Any, codes: Any, when: Any, first: int, last: int,
    cursor: Any, records: Any, codes_out: Any, when_out: Any,
) -> None:  # fmt: skip
    """Put the ratings of records first..last-1 where ``cursor`` points, by issue, and move it on."""
    dated = len(when) > 0
    for record in range(first, last):
        for entry in range(indptr[record], indptr[record + 1]):
            issue = indices[entry]
            place = cursor[issue]
            cursor[issue] = place + 1
            records[place] = record
            codes_out[place] = codes[entry]
            if dated:
                when_out[place] = when[entry]

"""Inverting a table: a counting sort by issue; and how much an issue weighs that so many rated."""

from __future__ import annotations

import math
from typing import Any

from ratingpriv.attack.algorithms._scores import find
from ratingpriv.base.compute.compiling import compiled


@compiled(error_model="numpy")
def count(indices: Any, counts: Any) -> None:
    """Add how often each issue occurs in ``indices`` to ``counts``."""
    for issue in indices:
        counts[issue] += 1


@compiled(error_model="numpy")
def invert(rows: Any, first: int, last: int, cursor: Any, lists: Any) -> None:
    """Put the ratings of records first..last-1 where ``cursor`` points, by issue, and move it on."""
    dated = len(rows.when) > 0
    for record in range(first, last):
        for entry in range(rows.indptr[record], rows.indptr[record + 1]):
            issue = rows.indices[entry]
            free = cursor[issue]
            cursor[issue] = free + 1
            lists.records[free] = record
            lists.codes[free] = rows.codes[entry]
            if dated:
                lists.when[free] = rows.when[entry]


@compiled(error_model="numpy")
def leave_out_own(indptr: Any, records: Any, own: Any, known_from: Any, issues: Any, supports: Any) -> None:
    """Take each target's own rating off ``supports``, how many records rate each issue that is known."""
    for t in range(len(own)):
        for known in range(known_from[t], known_from[t + 1]):
            issue = issues[known]
            if own[t] >= 0 and issue >= 0:
                supports[known] -= find(records, indptr[issue], indptr[issue + 1], own[t]) >= 0


@compiled(error_model="numpy")
def weigh(supports: Any, weights: Any) -> None:
    """Write wt(i) = 1 / ln max(|supp(i)|, 2) of every support; 0 where nobody rates the issue."""
    for known in range(len(supports)):
        weights[known] = 1.0 / math.log(max(supports[known], 2)) if supports[known] > 0 else 0.0

"""Connected components of the proximity graph [SWLP10, §4.3]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.index.queries import RecordIndex
from ratingpriv.progress import Progress
from ratingpriv.proximity.levels import NULL_RULES
from ratingpriv.table import RatingTable

__all__ = ["components", "not_decomposed"]


def components(
    table: RatingTable, epsilon: float, *, nulls: str = "strict", progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the component of each record, int64 (n_records,): the least position in it.

    Two records are in one component iff a chain of ε-proximate records connects them [SWLP10, §4.3]. A
    clique lies within one component, so that components can be decomposed one by one. Edges are not listed:
    whoever is reached is taken out, and is not found again. Memory is linear, however many pairs there are.

    Parameters
    ----------
    table, epsilon, nulls : as for neighbourhoods
    progress : told now and then how many records have been reached
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, NULL_RULES)

    def report(reached: int) -> None:
        if progress is not None:
            progress("finding components", reached, table.n_records)

    return RecordIndex(table, epsilon, nulls).components(report)


def not_decomposed(labels: NDArray[np.int64], groups: Groups) -> NDArray[np.int64]:
    """Return the components that ``groups`` do not fill, ascending: those with a record in no group.

    Where ``groups`` are those of :func:`ratingpriv.partition.greedy.greedy.greedy`, these are the components
    that the greedy does not decompose: cliques lie within components, and so it works on each by itself.

    Parameters
    ----------
    labels : int64 (n_records,), from :func:`components`
    groups : cliques of at least k records
    """
    return np.unique(labels[groups.unplaced])

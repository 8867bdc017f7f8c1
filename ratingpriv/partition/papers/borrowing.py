"""Case 3 of [SWLP10, §4.4]: what a component can lend, and how cliques that are too small are combined."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.target import null_rule
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.adjacency import Adjacency
from ratingpriv.partition.distortion.costs import Costs
from ratingpriv.partition.greedy.greedy import greedy

type _Positions = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Combination:
    """Two cliques that are too small, and the distortion Σ |x - x'| that makes their union a clique."""

    distortion: float
    left: tuple[int, ...]
    right: tuple[int, ...]

    @property
    def union(self) -> tuple[int, ...]:
        """The members of both, ascending."""
        return tuple(sorted({*self.left, *self.right}))


def lendable(
    table: RatingTable, component: _Positions, k: int, epsilon: float, *, nulls: str = "strict"
) -> NDArray[np.int64]:
    """Return the records without which GREEDY decomposes the rest of ``component``, positions ascending.

    Implements Case 3.1 [SWLP10, §4.4]: these may be lent. Where several maximal k-cliques leave different
    records over, all of them are here. One run of the greedy a record: sensible up to some thousand records.
    """
    positions = np.sort(_positions(table, component))
    if len(positions) == 1:
        return positions
    if len(positions) <= k:
        return np.empty(0, dtype=np.int64)
    part = table.take(positions)
    everybody = np.arange(len(positions))
    able = [
        len(greedy(part.take(np.delete(everybody, u)), k, epsilon, nulls=nulls, threads=1).unplaced) == 0
        for u in everybody
    ]
    return positions[able]


def combine_cliques(
    table: RatingTable,
    component: _Positions,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
) -> tuple[Combination, ...]:
    """Return how two of the largest cliques of a component without a k-clique can be combined.

    Implements Case 3.2 [SWLP10, §4.4, Fig. 9]: the cliques of k - 1 records; if there are none, those of k -
    2, and so on. Two are combined if their union has at most k records: unions of most records come first,
    then those of the least distortion, then by members.
    """
    k = checks.whole_number("k", k, 1)
    cliques = largest_cliques(table, component, epsilon, nulls=nulls)
    if len(cliques[0]) >= k:
        raise ParameterError("component", cliques[0], f"records without a clique of {k}")
    pairs = [(left, right) for left, right in itertools.combinations(cliques, 2) if len({*left, *right}) <= k]
    unions = [sorted({*left, *right}) for left, right in pairs]
    costs = Costs(table, epsilon, nulls, fabricate).of(unions)
    order = sorted(range(len(pairs)), key=lambda i: (-len(unions[i]), costs[i], pairs[i]))
    return tuple(Combination(float(costs[i]), *pairs[i]) for i in order)


def largest_cliques(
    table: RatingTable, component: _Positions, epsilon: float, *, nulls: str = "strict"
) -> tuple[tuple[int, ...], ...]:
    """Return all cliques of the largest size among a few records, members ascending, sorted."""
    import networkx

    epsilon = checks.non_negative_number("epsilon", epsilon)
    null_rule(nulls)
    at = np.sort(_positions(table, component))
    adjacent = Adjacency(table, epsilon, nulls).matrix(at)
    np.fill_diagonal(adjacent, False)
    found = [tuple(sorted(clique)) for clique in networkx.find_cliques(networkx.from_numpy_array(adjacent))]
    most = max(map(len, found))
    return tuple(sorted(tuple(at[list(clique)].tolist()) for clique in found if len(clique) == most))


def _positions(table: RatingTable, records: _Positions) -> NDArray[np.int64]:
    at = np.asarray(records, dtype=np.int64)
    n = table.n_records
    if len(at) == 0 or len(np.unique(at)) != len(at) or at.min() < 0 or at.max() >= n:
        raise ParameterError("records", list(records)[:5], f"distinct positions 0..{n - 1}, one at least")
    return at

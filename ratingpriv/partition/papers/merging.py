"""Case 2 of [SWLP10, §4.4]: components that cannot be decomposed alone, merged within their Hamming group."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv import checks
from ratingpriv.distortion.costs import Costs
from ratingpriv.errors import ParameterError
from ratingpriv.partition.components import components, not_decomposed
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.levels import NULL_RULES
from ratingpriv.table import RatingTable

__all__ = ["Merge", "hamming_group_of_components", "merge_candidates"]


@dataclass(frozen=True, slots=True, order=True)
class Merge:
    """Two components that may be merged.

    Attributes
    ----------
    distortion : Σ |x - x'| that makes all their records one clique, see windows.group_cost
    a, b : the components' labels (the least position of each), a < b
    """

    distortion: float
    a: int
    b: int


def merge_candidates(
    table: RatingTable,
    k: int,
    epsilon: float,
    *,
    nulls: str = "strict",
    fabricate: bool = True,
    most_pairs: int = 1_000_000,
) -> tuple[Merge, ...]:
    """Return the pairs of components that may be merged, the least distortion first, then by labels.

    Implements Case 2 (merging) [SWLP10, §4.4]: both components have a record left over by GREEDY, and all
    records of both are in one Hamming group.

    Parameters
    ----------
    table, epsilon, nulls : as for neighbourhoods
    k : least size of a clique
    fabricate : whether distortion may fill nulls
    most_pairs : refuse to compare more pairs than that

    Raises
    ------
    ParameterError
        An argument is out of range, or there are more than ``most_pairs`` pairs.
    """
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    checks.choice("nulls", nulls, NULL_RULES)
    most_pairs = checks.whole_number("most_pairs", most_pairs, 0)
    labels = components(table, epsilon, nulls=nulls)
    open_ones = not_decomposed(labels, greedy(table, k, epsilon, nulls=nulls))
    hamming = hamming_group_of_components(table, labels)[open_ones]
    parts = [open_ones[hamming == group].tolist() for group in np.unique(hamming[hamming >= 0])]
    count = sum(len(part) * (len(part) - 1) // 2 for part in parts)
    if count > most_pairs:
        expected = f"at least the {count} pairs of components of one Hamming group that there are"
        raise ParameterError("most_pairs", most_pairs, expected, "take a larger epsilon or a smaller k")
    members = dict(zip(np.unique(labels).tolist(), Groups.of_labels(labels).members(), strict=True))
    pairs = [pair for part in parts for pair in itertools.combinations(part, 2)]
    costs = Costs(table, epsilon, nulls, fabricate).of(
        [np.concatenate((members[a], members[b])) for a, b in pairs]
    )
    return tuple(sorted(Merge(float(cost), a, b) for cost, (a, b) in zip(costs, pairs, strict=True)))


def hamming_group_of_components(table: RatingTable, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the Hamming group of each component at the place of its label, int64 (n_records,).

    -1 stands everywhere else, and where a component's records are of more than one Hamming group, as they can
    be where nulls never separate.
    """
    group = hamming_groups(table).group_of
    of = np.full(len(labels), -1, dtype=np.int64)
    of[labels] = group[labels]
    of[labels[group != group[labels]]] = -1
    return of

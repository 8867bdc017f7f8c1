"""The proximity graph of a table as a NetworkX graph, for tables whose pairs fit in memory [SWLP10, §4.2]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from ratingpriv import checks
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.pairs import pairs

if TYPE_CHECKING:
    from ratingpriv.table import RatingTable

__all__ = ["to_networkx"]


def to_networkx(table: RatingTable, epsilon: float, *, nulls: str = "strict") -> nx.Graph:
    """Return the graph with a node a record and an edge an ε-proximate pair.

    Implements the graph of [SWLP10, §4.2] on the distance of [SWLZ11, Eq. 1]. Nodes are the record ids, with
    the attributes ``position`` and ``hamming_group``; edges carry ``distance``; the graph itself ``epsilon``
    and
    ``nulls``. Records with nobody near are nodes without edges. Every pair takes some 300 bytes: count them
    first (:func:`ratingpriv.proximity.pairs.count_pairs`).

    Parameters
    ----------
    table : the ratings
    epsilon : the rating distance >= 0
    nulls : "strict": a null is r away from every rating; "wildcard": a null matches anything

    Raises
    ------
    ParameterError
        epsilon is negative or not finite, or ``nulls`` is unknown.
    """
    epsilon = checks.non_negative_number("epsilon", epsilon)
    ids = table.record_ids.to_list()
    graph = nx.Graph(epsilon=epsilon, nulls=nulls)
    groups = hamming_groups(table).group_of.tolist()
    for position, (id_, group) in enumerate(zip(ids, groups, strict=True)):
        graph.add_node(id_, position=position, hamming_group=group)
    for block in pairs(table, epsilon, nulls=nulls):
        ends = zip(block.left.tolist(), block.right.tolist(), block.distance.tolist(), strict=True)
        graph.add_edges_from(
            (ids[left], ids[right], {"distance": distance}) for left, right, distance in ends
        )
    return graph

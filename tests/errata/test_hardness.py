"""How hard least distortion is: what [SWLP10, Thm 2] does not prove,
and what can be proved instead.
"""

import itertools

import networkx as nx
import numpy as np
import pytest
from golden.tables import build

from ratingpriv import audit, partition
from ratingpriv.partition.exact import solve

pytestmark = pytest.mark.small


def within_1(one, other):
    return all(abs(x - y) <= 1 for x, y in zip(one, other, strict=True))


def incidence(graph):
    """The proof's records: an edge each, 2 at its two ends and 0 at every other vertex."""
    return [[2 if vertex in edge else 0 for vertex in sorted(graph)] for edge in graph.edges]


def test_theorem_2s_cost_is_reached_without_a_4_clique():
    # claim: cost <= 12 m iff the 6 m edges part into 4-cliques; k = 6, ε = 1. The star K1,6: 6
    # edges, m = 1
    star = nx.star_graph(6)
    before = incidence(star)
    after = [
        [rating if vertex == 0 else min(rating, 1) for vertex, rating in enumerate(row)]
        for row in before
    ]
    assert not all(within_1(one, other) for one, other in itertools.combinations(before, 2))
    assert audit(build(after, scale=(0, 2)), k=6, epsilon=1).satisfied
    assert np.abs(np.array(after) - np.array(before)).sum() == 6
    assert max(map(len, nx.find_cliques(star))) == 2  # not even a triangle


def test_theorem_2s_cost_is_12_for_a_4_clique():
    # the direction that holds: issue by issue three 2s and three 0s, so three ratings have to move
    # by 1 each
    rows = np.array(incidence(nx.complete_graph(4)))
    assert sum(min((column == 2).sum(), (column == 0).sum()) for column in rows.T) == 12


def realised(graph):
    """Records whose proximity graph at ε = 1 is ``graph``: a non-edge is an issue,
    1 and 3 at its ends.
    """
    apart = list(nx.complement(graph).edges)
    rows = np.full((len(graph), len(apart) + 1), 2)  # one more issue, so that there is one
    for issue, (one, other) in enumerate(apart):
        rows[one, issue], rows[other, issue] = 1, 3
    return build(rows.tolist(), scale=(1, 3))


@pytest.mark.parametrize("seed", range(20))
def test_any_graph_is_a_proximity_graph(seed):
    graph = nx.gnp_random_graph(7, 0.2 + 0.03 * seed, seed=seed)
    table = realised(graph)
    rows = table.to_wide("polars").drop("record").rows()
    near = {(a, b) for a, b in itertools.combinations(range(7), 2) if within_1(rows[a], rows[b])}
    assert near == {tuple(sorted(edge)) for edge in graph.edges}
    assert audit(table, k=1, epsilon=1).sizes.tolist() == [graph.degree[v] + 1 for v in range(7)]


def triangles_part(graph, left):
    """Whether the vertices ``left`` can be parted into triangles, by trying all."""
    if not left:
        return True
    first = min(left)
    return any(
        graph.has_edge(first, a)
        and graph.has_edge(first, b)
        and graph.has_edge(a, b)
        and triangles_part(graph, left - {first, a, b})
        for a, b in itertools.combinations(sorted(left - {first}), 2)
    )


def test_problem_2_is_partition_into_triangles_on_tripartite_graphs():
    # NP-complete on these: no 4-clique, so cliques of three or more are triangles; cost 0 means a
    # partition
    answers = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        graph = nx.complete_multipartite_graph(3, 3, 3)
        graph.remove_edges_from([edge for edge in list(graph.edges) if rng.random() < 0.4])
        table = realised(graph)
        answers.append(triangles_part(graph, frozenset(graph)))
        found = solve(table, np.arange(9), 3, 1)
        assert (found.status == "found") == answers[-1]
        if answers[-1]:
            assert [len(group) for group in found.sets] == [3, 3, 3]
            assert partition(table, k=3, epsilon=1).found
    assert {True, False} == set(answers)

"""Clustering in Cypher on any graph, hubs and cliques included, as NetworkX has it."""

from typing import Any

import networkx as nx
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from queries.cases import EMBEDDED, expect, load_case, unguarded
from queries.oracle import EXPECTED
from ratingpriv import RatingTable
from ratingpriv.graph import queries
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.running import GraphStore

WHOLE = {"part": 0, "parts": 1}
AVERAGE, LOCAL = "utility/average-clustering", "utility/local-clustering"


def table_of(graph: nx.Graph) -> RatingTable:
    """A table in which just the ends of an edge are near, equal or, where its ``far`` is set,
    2 apart.

    Nulls match anything: each of the other pairs has an issue on which the two differ, by more.
    """
    apart = dict.fromkeys(nx.non_edges(graph), 9)
    apart |= {(a, b): 2 for a, b, far in graph.edges(data="far") if far}
    rows = [[{a: 1, b: 1 + far}.get(t) for (a, b), far in apart.items()] for t in graph]
    return build([[1, *row] for row in rows], scale=(1, 10))


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph:
    """Random graphs, thin and dense, with cliques and a hub put in."""
    n = draw(st.integers(1, 14))
    graph = nx.gnp_random_graph(
        n, draw(st.sampled_from([0.0, 0.2, 0.5, 0.9])), seed=draw(st.integers(0, 99))
    )
    for _ in range(draw(st.integers(0, 2))):
        members = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=6))
        graph.add_edges_from((a, b) for a in members for b in members if a < b)
    if draw(st.booleans()):
        graph.add_edges_from((0, other) for other in range(1, n))
    for a, b in graph.edges:
        graph[a][b]["far"] = draw(st.integers(0, 4)) == 0
    return graph


@given(graphs(), st.sampled_from([1.0, 2.0]))
@settings(
    max_examples=25 * DEPTH,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_graph(embedded_store: GraphStore, graph: nx.Graph, epsilon: float) -> None:
    dataset, case = load_case(embedded_store, table_of(graph), 2.0, nulls="wildcard")
    assert case.graph(2.0).edges == graph.edges
    asked, parts = {"dataset": dataset, "epsilon": epsilon}, min(3, len(graph))
    for query_id, more in ((LOCAL, {}), (AVERAGE, WHOLE)):
        expect(EXPECTED[query_id](case, **asked, **more), embedded_store, query_id, **asked, **more)
    rows = [
        embedded_store.run(AVERAGE, **asked, part=part, parts=parts).single()
        for part in range(parts)
    ]
    (whole,) = EXPECTED[AVERAGE](case, **asked, **WHOLE)
    assert {row[:2] for row in rows} == {whole[:2]}
    assert [sum(row[column] for row in rows) for column in (2, 3)] == pytest.approx(whole[2:])
    embedded_store.drop(dataset)


@EMBEDDED
@pytest.mark.parametrize(("query", "parts"), [(AVERAGE, WHOLE), (LOCAL, {})])
def test_positions_with_a_gap_have_no_answer(
    store: GraphStore, loaded: Any, query: str, parts: dict[str, int]
) -> None:
    """Somebody deleted a record by a driver of their own:
    places in lists would be those of others.
    """
    dataset, _ = loaded(build([(1,)] * 5), 0.0)
    deleted = "MATCH (r:Record {dataset: $name, position: 3}) DETACH DELETE r"
    store.batch(lambda db: db.execute_cypher(deleted, {"name": dataset}))
    assert not unguarded(store, query, dataset=dataset, epsilon=0.0, **parts)
    assert not find_query(query).run(store, dataset=dataset, epsilon=0.0).rows


@pytest.mark.parametrize("at_once", [1, 5, 100])
def test_the_engine_counts_triangles_in_memory_of_pairs_that_are_read_some_at_a_time(
    embedded_store: GraphStore, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(queries, "_AT_ONCE", at_once)
    graph = nx.compose(nx.complete_graph(4), nx.path_graph(range(3, 7)))
    graph.add_node(7)
    nx.set_edge_attributes(graph, {(2, 3): True, (5, 6): True}, "far")
    name, case = load_case(embedded_store, table_of(graph), 2.0, nulls="wildcard")
    for epsilon in (1.0, 2.0):
        answer = find_query(AVERAGE).run(embedded_store, dataset=name, epsilon=epsilon)
        (wanted,) = EXPECTED[AVERAGE](case, dataset=name, epsilon=epsilon, **WHOLE)
        assert answer.single() == pytest.approx(wanted)
        assert answer.columns == ("records", "pairs", "triangles", "coefficient")
    embedded_store.drop(name)

"""Clustering in Cypher on any graph, hubs and cliques included, as NetworkX has it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import networkx as nx
import pytest
from depth import DEPTH
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from queries.cases import unguarded
from ratingpriv.graph.store import GraphStore


def put(store: GraphStore, graph: nx.Graph, positions: list[int] | None = None) -> str:
    """Store a graph whose nodes are 0..n-1; a pair is 0.5 apart, or 2 where its ``far`` is set."""
    name = f"graph {uuid.uuid4().hex[:12]}"
    places = list(graph) if positions is None else positions

    def fill(db: Any) -> None:
        said = {"name": name, "complete": True, "edges": "all", "epsilonMax": 2.0}
        db.batch_create_nodes_with_props("Dataset", [said])
        rows = [{"dataset": name, "id": f"r{place}", "position": place} for place in places]
        nodes = db.batch_create_nodes_with_props("Record", rows)
        ends = sorted((*sorted(pair), far) for *pair, far in graph.edges(data="far", default=False))
        db.batch_create_edges(
            [(nodes[a], nodes[b], "PROXIMATE", {"distance": 2.0 if far else 0.5}) for a, b, far in ends]
        )

    store.batch(fill)  # type: ignore[attr-defined]
    return name


def removed(store: GraphStore, name: str) -> None:
    for label, key in (("Record", "dataset"), ("Dataset", "name")):
        text = f"MATCH (n:{label} {{{key}: $name}}) DETACH DELETE n"
        store.batch(lambda db, text=text: db.execute_cypher(text, {"name": name}))  # type: ignore[attr-defined]


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph:
    """Random graphs, thin and dense, with cliques and a hub put in."""
    n = draw(st.integers(1, 14))
    graph = nx.gnp_random_graph(n, draw(st.sampled_from([0.0, 0.2, 0.5, 0.9])), seed=draw(st.integers(0, 99)))
    for _ in range(draw(st.integers(0, 2))):
        members = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=6))
        graph.add_edges_from((a, b) for a in members for b in members if a < b)
    if draw(st.booleans()):
        graph.add_edges_from((0, other) for other in range(1, n))
    for a, b in graph.edges:
        graph[a][b]["far"] = draw(st.integers(0, 4)) == 0
    return graph


@given(graphs(), st.sampled_from([1.0, 2.0]))
@settings(max_examples=25 * DEPTH, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_graph(embedded_store: GraphStore, graph: nx.Graph, epsilon: float) -> None:
    name = put(embedded_store, graph)
    near = nx.Graph()
    near.add_nodes_from(graph)
    near.add_edges_from((a, b) for a, b, far in graph.edges(data="far") if not far or epsilon >= 2)
    params = {"dataset": name, "epsilon": epsilon}
    ((records, pairs, triangles, mean),) = unguarded(embedded_store, "utility/average-clustering", **params)
    each = nx.triangles(near)
    assert (records, pairs, triangles) == (len(near), near.number_of_edges(), sum(each.values()) // 3)
    assert mean == pytest.approx(nx.average_clustering(near), abs=1e-12)
    rows = unguarded(embedded_store, "utility/local-clustering", **params)
    local = nx.clustering(near)
    assert [row[:4] for row in rows] == [(f"r{a}", a, near.degree(a), each[a]) for a in sorted(near)]
    assert [row[4] for row in rows] == pytest.approx([local[a] for a in sorted(near)], abs=1e-12)
    removed(embedded_store, name)


@pytest.fixture
def gap(embedded_store: GraphStore) -> Iterator[str]:
    name = put(embedded_store, nx.complete_graph(4), positions=[0, 1, 2, 4])
    yield name
    removed(embedded_store, name)


@pytest.mark.parametrize("query", ["utility/average-clustering", "utility/local-clustering"])
def test_positions_with_a_gap_have_no_answer(embedded_store: GraphStore, gap: str, query: str) -> None:
    """Somebody deleted a record by a driver of their own: places in lists would be those of others."""
    assert not unguarded(embedded_store, query, dataset=gap, epsilon=1.0)

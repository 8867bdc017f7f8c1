"""Clustering in Cypher on any graph, hubs and cliques included, as NetworkX has it."""

import uuid
from collections.abc import Iterator
from typing import Any

import networkx as nx
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from queries.cases import load_case, unguarded
from ratingpriv.base.errors import QueryTimedOutError
from ratingpriv.graph import queries
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.store import GraphStore, Result

WHOLE = {"part": 0, "parts": 1}
AVERAGE = "utility/average-clustering"


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

    store.batch(fill)
    return name


def removed(store: GraphStore, name: str) -> None:
    for label, key in (("Record", "dataset"), ("Dataset", "name")):
        text = f"MATCH (n:{label} {{{key}: $name}}) DETACH DELETE n"
        store.batch(lambda db, text=text: db.execute_cypher(text, {"name": name}))


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
    ((records, pairs, triangles, mean),) = unguarded(
        embedded_store, "utility/average-clustering", **params, **WHOLE
    )
    each = nx.triangles(near)
    assert (records, pairs, triangles) == (len(near), near.number_of_edges(), sum(each.values()) // 3)
    assert mean == pytest.approx(nx.average_clustering(near), abs=1e-12)
    parts = [
        unguarded(embedded_store, "utility/average-clustering", **params, part=part, parts=min(3, len(near)))
        for part in range(min(3, len(near)))
    ]
    assert [row[:2] for (row,) in parts] == [(records, pairs)] * len(parts)
    assert sum(row[2] for (row,) in parts) == triangles
    assert sum(row[3] for (row,) in parts) == pytest.approx(mean, abs=1e-12)
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
    parts = WHOLE if query == "utility/average-clustering" else {}
    assert not unguarded(embedded_store, query, dataset=gap, epsilon=1.0, **parts)


class Slow:
    """A store whose engine has no time for more than a part of a small graph."""

    def __init__(self, store: GraphStore, least: int) -> None:
        self.store, self.least, self.has_gds, self.asked = store, least, False, 0

    def dataset(self, name: str) -> Any:
        return self.store.dataset(name)

    def run(self, query: str, /, **params: Any) -> Result:
        self.asked += 1
        if params["parts"] < self.least:
            raise QueryTimedOutError("somewhere", "it took too long", "ask for less")
        return self.store.run(query, **params)


@pytest.mark.parametrize(("at_once", "least", "asked"), [(100, 1, 1), (3, 2, 3), (100, 8, 9), (100, 12, 14)])
def test_a_large_graph_is_asked_in_parts(
    embedded_store: GraphStore, monkeypatch: pytest.MonkeyPatch, at_once: int, least: int, asked: int
) -> None:
    monkeypatch.setattr(queries, "_AT_ONCE", at_once)
    table = build([(place // 4,) for place in range(12)], scale=(0, 9))
    name, _ = load_case(embedded_store, table, 0.0)
    store = Slow(embedded_store, least)
    found = find_query("utility/average-clustering").run(store, dataset=name, epsilon=0.0)
    assert store.asked >= asked
    assert found.single() == pytest.approx((12, 18, 12, 1.0))
    store.least = 13
    with pytest.raises(QueryTimedOutError):
        find_query("utility/average-clustering").run(store, dataset=name, epsilon=0.0)
    embedded_store.drop(name)

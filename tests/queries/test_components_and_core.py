"""Components and cores far from the record with most neighbours, beyond the first steps of their texts."""

from typing import Any

import networkx
import numpy as np
import pytest
from golden.tables import build

from ratingpriv.graph.export import to_networkx
from ratingpriv.graph.store import GraphStore

SHUFFLED = np.random.default_rng(3).permutation(90).tolist()
TABLES = {
    "a chain, its records in any order": [(place,) for place in SHUFFLED],
    "chains of two, three, ...": [(place + place // 9 * (place % 7),) for place in SHUFFLED],
    "a crowd, a chain that ends in it, and another chain": [
        *((0,) for _ in range(30)), *((place,) for place in SHUFFLED if place != 60),
    ],
    "nobody near": [(3 * place,) for place in range(5)],
    "everybody equal": [(1,) for _ in range(4)],
}  # fmt: skip


@pytest.mark.parametrize("rows", TABLES.values(), ids=list(TABLES))
def test_equal_to_networkx(store: GraphStore, loaded: Any, rows: list[tuple[int]]) -> None:
    table = build(rows, scale=(0, 200))
    dataset, _ = loaded(table, 2.0)
    for epsilon in (0.0, 1.0, 2.0):
        graph = to_networkx(table, epsilon)
        position = networkx.get_node_attributes(graph, "position")
        least = {
            position[id_]: min(position[other] for other in part)
            for part in networkx.connected_components(graph)
            for id_ in part
        }
        found = store.run("partition/components", dataset=dataset, epsilon=epsilon)
        rows_of = [(least[place], place) for place in least]
        assert [(row[2], row[1]) for row in found] == sorted(rows_of)
        for k in (1, 2, 3, 4, 30):
            core = networkx.k_core(graph, k - 1)
            found = store.run("partition/core", dataset=dataset, epsilon=epsilon, k=k)
            assert [row[2] for row in found] == [id_ in core for id_ in graph]

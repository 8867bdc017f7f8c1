"""The measure without a graph says what the queries ``utility/average-clustering`` and ``local-`` say."""

from __future__ import annotations

import numpy as np
import pytest
from golden.tables import table2, table3

from queries.cases import load_case, with_nulls, with_quasi
from ratingpriv import RatingTable
from ratingpriv.base.compute.resources import Resources
from ratingpriv.graph.store import GraphStore
from ratingpriv.utility.clustering import clustering_coefficient, local_clustering
from ratingpriv.utility.pair import Pair

ONE = Resources(threads=1)


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize(
    "table", [table2(), table3(), with_nulls(), with_quasi()], ids=lambda table: table.origin.name
)
def test_equal_to_cypher(embedded_store: GraphStore, table: RatingTable, nulls: str) -> None:
    dataset, _ = load_case(embedded_store, table, 2.0, nulls=nulls)
    for epsilon in (0.0, 1.0, 2.0):
        rng = np.random.default_rng(0)
        found = clustering_coefficient(
            Pair(table, table), rng=rng, resources=ONE, epsilon=epsilon, nulls=nulls
        )
        whole = embedded_store.run("utility/average-clustering", dataset=dataset, epsilon=epsilon)
        rows = [tuple(row) for row in whole]
        told = (table.n_records, found.details["pairs"], found.details["triangles"], found.value)
        assert rows == [pytest.approx(told)]
        local = local_clustering(table, epsilon, nulls, rng=rng, resources=ONE)
        each = [
            tuple(row)
            for row in embedded_store.run("utility/local-clustering", dataset=dataset, epsilon=epsilon)
        ]
        assert [(row[2], row[3]) for row in sorted(each, key=lambda row: row[1])] == list(
            zip(local.degrees.tolist(), local.triangles.tolist(), strict=True)
        )
    embedded_store.drop(dataset)

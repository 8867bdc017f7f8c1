"""The decomposition and the components of a store are those of the compiled partition."""

from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.strategies import tables
from queries.cases import ENGINES, load_case
from queries.runs import borrow, decompose, merge

from ratingpriv import RatingTable
from ratingpriv.graph.procedures import ORDERS
from ratingpriv.graph.running import GraphStore
from ratingpriv.partition.components import components
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import UNPLACED


def check(
    store: GraphStore,
    dataset: str,
    table: RatingTable,
    k: int,
    epsilon: float,
    nulls: str = "strict",
) -> None:
    for order in ORDERS[::-1]:
        found = decompose(store, dataset, k, epsilon, order, run="run")
        wanted = greedy(table, k, epsilon, order=order, nulls=nulls)
        assert found.labels.tolist() == wanted.labels.tolist()
        assert found.left == tuple(np.flatnonzero(wanted.labels == UNPLACED).tolist())
    assert found.components.tolist() == components(table, epsilon, nulls=nulls).tolist()
    # what the candidates are is in tests/queries/test_partition.py; here, that each can be taken
    asked = {"dataset": dataset, "run": "run"}
    rows = store.run("partition/merging-candidates", **asked).rows
    receiver = (found.left or (0,))[:2]
    if len({int(found.components[t]) for t in receiver}) > 1:
        receiver = receiver[:1]
    ids = [found.record_ids[t] for t in receiver]
    lent = store.run("partition/borrowing-candidates", **asked, records=ids)
    if len(ids) + 1 >= k and table.n_records <= 8 and found.left and lent.rows:
        after = borrow(store, dataset, "run", ids, lent.rows[0][1])
        assert after.labels[lent.rows[0][2]] == after.labels[receiver[0]]
    elif rows:
        after = merge(store, dataset, "run", *rows[0][1:3])
        assert len(after.left) < len(found.left)


@pytest.mark.parametrize("make", [table1, table2, table3])
def test_on_the_worked_examples(embedded_store: GraphStore, make: Any) -> None:
    table = make()
    dataset, _ = load_case(embedded_store, table, 6.0, ratings=True)
    for k in (1, 2, 3, 4):
        for epsilon in (0.0, 1.0, 2.0, 5.0, 6.0):
            check(embedded_store, dataset, table, k, epsilon)
    embedded_store.drop(dataset)


@pytest.mark.parametrize("engine", ENGINES)
def test_on_random_tables(engine: str, request: pytest.FixtureRequest) -> None:
    store: GraphStore = request.getfixturevalue(f"{engine}_store")

    @settings(
        max_examples=30 * DEPTH if engine == "embedded" else 2,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        tables(),
        st.integers(1, 4),
        st.sampled_from([0.0, 0.2, 1.0, 3.0]),
        st.sampled_from(["strict", "wildcard"]),
    )
    def equal(table: RatingTable, k: int, epsilon: float, nulls: str) -> None:
        dataset, _ = load_case(store, table, epsilon, nulls=nulls, ratings=True)
        try:
            check(store, dataset, table, k, epsilon, nulls)
        finally:
            store.drop(dataset)

    equal()


@pytest.mark.parametrize("engine", ENGINES)
def test_on_a_larger_graph(engine: str, request: pytest.FixtureRequest) -> None:
    """150 records, 96 of them in one component: several batches of seeds, and rounds of joiners."""
    store: GraphStore = request.getfixturevalue(f"{engine}_store")
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 8, (150, 3)).astype(float)
    table = build(
        [tuple(None if x == 7 else x for x in row) for row in ratings.tolist()], scale=(1, 7)
    )
    dataset, _ = load_case(store, table, 1.0, ratings=True)
    for order in ORDERS:
        found = decompose(store, dataset, 3, 1.0, order)
        assert found.labels.tolist() == greedy(table, 3, 1.0, order=order).labels.tolist()
    store.drop(dataset)


@pytest.mark.parametrize("engine", ENGINES)
def test_of_two_crowds_that_touch_beyond_their_nearest(
    engine: str, request: pytest.FixtureRequest
) -> None:
    """Nobody's nearest sixteen are of the other crowd, and the last record is near both."""
    store: GraphStore = request.getfixturevalue(f"{engine}_store")
    table = build([(1.0,)] * 20 + [(3.0,)] * 20 + [(2.0,)], scale=(1, 5))
    dataset, _ = load_case(store, table, 1.0, ratings=True)
    check(store, dataset, table, 5, 1.0)
    store.drop(dataset)

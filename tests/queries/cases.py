"""Fixtures: stores with datasets in them; a folder's conftest imports those that it wants."""

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from golden.tables import build, counterexample_bisection, table1, table2, table3
from naive.quasi_groups import quasi_column
from neo4j_server.plugin import Address

from queries.oracle import Case, Row, agree, as_told
from ratingpriv import RatingTable
from ratingpriv.data.table import SensitiveColumn
from ratingpriv.graph import running
from ratingpriv.graph.catalogue import catalogue
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, slices

ENGINES = ("embedded", "neo4j")
STORES = (*ENGINES, "neo4j_calendar")

Loaded = tuple[str, Case]


@pytest.fixture(scope="session")
def embedded_store() -> Iterator[GraphStore]:
    with open_store("embedded::memory:") as store:
        yield store


@pytest.fixture(scope="session")
def neo4j_store(request: pytest.FixtureRequest) -> Iterator[GraphStore]:
    address = request.getfixturevalue("neo4j_lts")
    with open_store(address.uri, environ=address.environ) as store:
        yield store


@pytest.fixture(scope="session")
def neo4j_calendar_store(neo4j_calendar: Address) -> Iterator[GraphStore]:
    with open_store(neo4j_calendar.uri, environ=neo4j_calendar.environ) as store:
        yield store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> GraphStore:
    found: GraphStore = request.getfixturevalue(f"{request.param}_store")
    return found


EMBEDDED = pytest.mark.parametrize("store", ["embedded"], indirect=True)
ON_ENGINES = pytest.mark.parametrize("store", ENGINES, indirect=True)

OURS = [id for id in catalogue() if id.split("/")[0] not in ("schema", "load")]  # noqa: A001
VALUES: dict[str, Any] = {
    "epsilon": 1.0, "k": 2, "b": 1, "l": 1, "max_share": 0.5, "min_distinct": 2, "min_entropy": 2.0,
    "record": "t1", "records": ["t1"], "issue": "issue 4", "part": 0, "parts": 1,
    "rating_unit": 1.0,
    "reach": 1.0, "first": 0, "last": 100, "groups": 5, "hamming_group": 0, "group": 0, "run": "r",
    "grouping": "r", "other": "r",
    "token": "x", "order": "position", "positions": [0], "state": "tried", "before": 0,
    "component": 0,
    "components": [0], "clique": -1, "made": "greedy",
}  # fmt: skip


def params_of(query_id: str, **changed: Any) -> dict[str, Any]:
    return {one.name: {**VALUES, **changed}[one.name] for one in catalogue()[query_id].params}


def told(store: GraphStore, query_id: str, **params: Any) -> list[Row]:
    """The rows of an answer, as the oracles tell them."""
    return [tuple(map(as_told, row)) for row in store.run(query_id, **params)]


def expect(wanted: list[Row], store: GraphStore, query_id: str, **params: Any) -> None:
    found = told(store, query_id, **params)
    assert agree(found, wanted), f"{query_id} {params}\nfound  {found}\nwanted {wanted}"


def unguarded(store: GraphStore, query_id: str, **params: Any) -> list[tuple[Any, ...]]:
    """Rows as an analyst's own driver gets them: the engine alone, without the library's checks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "bind", lambda _, params: params)
        rows: list[tuple[Any, ...]] = store.one(query_id, **params)
    return rows


def load_case(store: GraphStore, table: RatingTable, epsilon: float, **options: Any) -> Loaded:
    return load_as(store, Case(table, epsilon, options.pop("nulls", "strict")), **options)


def load_as(store: GraphStore, case: Case, **options: Any) -> Loaded:
    """Load a case whose oracle may have done its work for another store already."""
    name = f"test {uuid.uuid4().hex[:12]}"
    load(slices(case.table, name, epsilon=case.epsilon_max, nulls=case.nulls, **options), store)
    return name, case


@pytest.fixture
def loaded(store: GraphStore) -> Iterator[Callable[..., Loaded]]:
    """Load tables into the store; they are dropped after the test."""
    names: list[str] = []

    def put(table: RatingTable, epsilon: float, **options: Any) -> Loaded:
        found = load_case(store, table, epsilon, **options)
        names.append(found[0])
        return found

    yield put
    for name in names:
        store.drop(name)


def with_nulls() -> RatingTable:
    """Sensitive nulls, some in a group of which nothing is known; an issue of decimals."""
    return build(
        [(1, 2), (1, 2), (1, 2), (5, 5), (4, 1), (2, 3), (None, 3), (None, None)],
        [(5, 5, None, None, 3, 1, 2, 4), (0.1, 0.3, 0.2, None, None, -2.5, 7.25, 0.1)],
        scale=(1, 5),
        name="nulls",
    )


def with_quasi() -> RatingTable:
    """Quasi-identifiers of both rules, with nulls, names that are none in Cypher,
    and a nominal issue.
    """
    table = build(
        [(1, 2), (1, 2), (2, 2), (1, 3), (1, 2), (2, 3), (None, 3), (None, 2), (1, None)],
        [(5, 5, None, 1, 3, 1, 2, 4, 2)],
        scale=(1, 5),
        name="quasi",
    )
    regions = ["n", "n", "n", "s", "s", None, "n", "n", None]
    ages = [23.5, 25, 33, 23.5, None, 24, 25, 31, 24.25]
    odd = ["a, b=c", "a, b=c", "a, b=c", "é`", "a, b=c", "a, b=c", "a, b=c", "a, b=c", "a, b=c"]
    codes = np.array([0, 1, 1, 0, 2, 0, 0, 1, 0], dtype=np.float64)
    present = np.array([True] * 8 + [False])
    illness = SensitiveColumn(
        "illness", np.where(present, codes, 0.0), present, ("flu", "none; or", 'a "cold"')
    )
    columns = (
        quasi_column("region", regions),
        quasi_column("age", ages, 2.0),
        quasi_column("size) DELETE (n:long", odd),
        quasi_column("born", [1990.0 + place % 2 for place in range(9)], 1.0),
    )
    return table.replace(quasi=columns, sensitive=(*table.sensitive, illness))


TABLES: dict[str, tuple[Callable[[], RatingTable], float]] = {
    "table 1": (table1, 5.0),
    "table 2": (table2, 3.0),
    "table 3": (table3, 3.0),
    "bisection": (counterexample_bisection, 4.0),
    "nulls": (with_nulls, 5.0),
    "quasi": (with_quasi, 5.0),
}


@pytest.fixture(params=TABLES)
def example(request: pytest.FixtureRequest, store: GraphStore) -> Loaded:
    """Each worked example in each store, loaded once a session."""
    key = (store.uri, request.param)
    if key not in _EXAMPLES:
        make, epsilon = TABLES[request.param]
        _EXAMPLES[key] = load_case(store, make(), epsilon)
    return _EXAMPLES[key]


_EXAMPLES: dict[tuple[str, str], Loaded] = {}

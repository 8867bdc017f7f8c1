"""Queries by way of Graph Data Science: equal to their own texts,
and nothing of a projection is left.
"""

from collections.abc import Iterator
from typing import Any

import neo4j
import numpy as np
import pytest
from golden.tables import build, table1, table3
from neo4j_server.plugin import Address

from queries.cases import load_case, with_nulls
from ratingpriv import RatingTable
from ratingpriv.base.errors import QueryFailedError, StoreFullError, StoreUnavailableError
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.queries import ask_projection, find_query
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import Result

PROJECTED = ("partition/core", "utility/average-clustering", "utility/local-clustering")


class Plugged:
    """A store that claims to have Graph Data Science: answers the projection itself,
    and can fail.
    """

    def __init__(
        self, store: GraphStore, *, failing: BaseException | None = None, records: int = 0
    ) -> None:
        self.store, self.failing, self.records = store, failing, records
        self.engine, self.uri, self.has_gds = store.engine, store.uri, True
        self.asked: list[str] = []
        self.graphs: list[str] = []

    def dataset(self, name: str) -> Any:
        return self.store.dataset(name)

    def run(self, asked: Query | str, /, **params: Any) -> Result:
        name = asked if isinstance(asked, str) else f"{asked.id} {asked.engine or ''}".strip()
        self.asked.append(name)
        if name == "schema/gds-project":
            self.graphs.append(params["graph"])
            return Result(
                ("records",), ((self.records or self.dataset(params["dataset"]).spec.records,),)
            )
        if name == "schema/gds-drop":
            assert params["graph"] == self.graphs[-1]
            return Result(("dropped",), ((1,),))
        if name.endswith(" gds"):
            assert params.pop("graph") == self.graphs[-1]
            if self.failing is not None:
                raise self.failing
            return Result(("by",), (("gds",),))
        return self.store.run(asked, **params)


@pytest.fixture
def dataset(embedded_store: GraphStore) -> Iterator[str]:
    name, _ = load_case(embedded_store, table3(), 3.0)
    yield name
    embedded_store.drop(name)


def params_of(name: str, dataset: str) -> dict[str, Any]:
    k = {"k": 3} if name == "partition/core" else {}
    return {"dataset": dataset, "epsilon": 1.0, **k}


@pytest.mark.parametrize("name", PROJECTED)
def test_the_projection_is_asked_and_dropped_or_its_own_text_answers(
    embedded_store: GraphStore, dataset: str, name: str
) -> None:
    params, asked = (
        params_of(name, dataset),
        ["schema/gds-project", f"{name} gds", "schema/gds-drop"],
    )
    store = Plugged(embedded_store)
    for _ in range(2):
        assert find_query(name).run(store, **params).rows == (("gds",),)
    assert store.asked == asked * 2
    assert len(set(store.graphs)) == 2
    for store in (
        Plugged(embedded_store, failing=QueryFailedError("somewhere", "no memory", "have more")),
        Plugged(embedded_store, failing=StoreFullError("somewhere", "no memory", "have more")),
        Plugged(embedded_store, records=4),  # not those of the dataset
    ):
        assert find_query(name).run(store, **params) == embedded_store.run(name, **params)
        assert store.asked.count("schema/gds-drop") == 1


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), StoreUnavailableError("s", "gone", "start it")]
)
def test_dropped_whatever_happens(
    embedded_store: GraphStore, dataset: str, error: BaseException
) -> None:
    store = Plugged(embedded_store, failing=error)
    with pytest.raises(type(error)):
        find_query("partition/core").run(store, **params_of("partition/core", dataset))
    assert store.asked[-1] == "schema/gds-drop"


def test_an_answer_about_a_dataset_that_was_replaced_is_none(
    embedded_store: GraphStore, dataset: str
) -> None:
    class Replaced(Plugged):
        seen = 0

        def dataset(self, name: str) -> Any:
            self.seen += 1
            info = self.store.dataset(name)
            return info if self.seen < 2 else f"another {info}"

    store = Replaced(embedded_store, records=embedded_store.dataset(dataset).spec.records)
    params = params_of("partition/core", dataset)
    found = find_query("partition/core").run(store, **params)
    assert found == embedded_store.run("partition/core", **params)


# ---- on a server that has it ----


@pytest.fixture(scope="module")
def gds_address(request: pytest.FixtureRequest) -> Address:
    found: Address = request.getfixturevalue("neo4j_gds")
    return found


@pytest.fixture(scope="module")
def gds_store(gds_address: Address) -> Iterator[GraphStore]:
    with open_store(gds_address.uri, environ=gds_address.environ) as store:
        yield store


def projections(address: Address) -> int:
    with neo4j.GraphDatabase.driver(address.uri, telemetry_disabled=True) as driver:
        rows = driver.execute_query(
            "CALL gds.graph.list() YIELD graphName RETURN graphName"
        ).records
    return len(rows)


def a_table(seed: int) -> RatingTable:
    """60 records of three questions, now and then without an answer; some are equal, some alone."""
    rng = np.random.default_rng(seed)
    rows = [
        [int(one) if rng.random() > 0.1 else None for one in row]
        for row in rng.integers(1, 7, (60, 3))
    ]
    return build([tuple(row) for row in rows], scale=(1, 6))


@pytest.mark.gds
@pytest.mark.parametrize(
    "table", [table1(), table3(), with_nulls(), a_table(1), a_table(2)], ids=range(5)
)
@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_equal_to_its_own_text(
    gds_store: GraphStore, gds_address: Address, table: RatingTable, nulls: str, monkeypatch: Any
) -> None:
    assert gds_store.has_gds
    asked: list[str] = []

    def asking(store: GraphStore, text: Query, params: dict[str, Any]) -> Result:
        found = ask_projection(store, text, params)
        asked.append(text.id)
        return found

    monkeypatch.setattr("ratingpriv.graph.queries.ask_projection", asking)
    dataset, _ = load_case(gds_store, table, 2.0, nulls=nulls)
    for name in PROJECTED:
        for epsilon in (0.0, 1.0, 2.0):
            for k in (1, 3, 5) if name == "partition/core" else (None,):
                params = {"dataset": dataset, "epsilon": epsilon, **({} if k is None else {"k": k})}
                asked.clear()
                found = find_query(name, gds_store.engine).run(gds_store, **params)
                assert len(asked) == 1  # else its own text was asked instead
                wanted = gds_store.run(name, **params)
                assert len(found) == len(wanted) > 0
                for one, other in zip(found, wanted, strict=True):
                    assert one == pytest.approx(other), (name, params)
    assert projections(gds_address) == 0
    gds_store.drop(dataset)


@pytest.mark.gds
def test_a_reader_may_ask(gds_store: GraphStore, gds_address: Address) -> None:
    dataset, _ = load_case(gds_store, table3(), 3.0)
    with open_store(gds_address.uri, mode="read") as reader:
        for name in PROJECTED:
            assert len(find_query(name).run(reader, **params_of(name, dataset)))
    gds_store.drop(dataset)

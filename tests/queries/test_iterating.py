"""Queries of several statements: the marks go away, two runs do not mix, an unfinished run has no result."""

from __future__ import annotations

from typing import Any

import pytest
from golden.tables import build, table3

from ratingpriv.base.errors import ParameterError, QueryFailedError, UnknownQueryError
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.queries import iterate, iterated_queries
from ratingpriv.graph.store import GraphStore, Result

CHAIN = build([(number,) for number in range(1, 9)], scale=(1, 8))


class Recorder:
    """A store that does something before a statement is run."""

    def __init__(self, store: GraphStore, before: Any) -> None:
        self.store, self.before, self.engine, self.uri = store, before, store.engine, store.uri

    def run(self, asked: Query, /, **params: Any) -> Result:
        self.before(asked, params)
        return self.store.run(asked, **params)


def test_the_iterated_queries() -> None:
    assert iterated_queries() == ("partition/components", "partition/core")


def marks(store: GraphStore, dataset: str) -> set[str]:
    found = store.run("browse/overview", dataset=dataset)
    usual = {"dataset", "id", "position", "hammingGroup", "sizes"}
    return {name for row in found for name in row[3]["properties"]} - usual


@pytest.mark.parametrize("name", iterated_queries())
def test_no_mark_is_left(store: GraphStore, loaded: Any, name: str) -> None:
    dataset, _ = loaded(table3(), 3.0)
    seen: list[set[str]] = []
    recorder = Recorder(store, lambda asked, params: seen.append(marks(store, dataset)))
    k = {"k": 3} if name == "partition/core" else {}
    iterate(recorder, name, dataset=dataset, epsilon=1.0, **k)  # type: ignore[arg-type]
    assert seen[1]  # there were some
    assert marks(store, dataset) == set()


def test_no_mark_is_left_after_an_error(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table3(), 3.0)

    def interrupt(asked: Query, params: Any) -> None:
        if asked.id.endswith("/result"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iterate(Recorder(store, interrupt), "partition/components", dataset=dataset, epsilon=1.0)  # type: ignore[arg-type]
    assert marks(store, dataset) == set()


def test_an_unfinished_run_has_no_result(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(CHAIN, 1.0)
    asked = {"dataset": dataset, "epsilon": 1.0, "run": "mine"}
    assert store.run("partition/components/init", **asked).rows == ((8,),)
    assert not store.run("partition/components/result", **asked).rows
    for _ in range(8):
        store.run("partition/components/step", **asked)
    assert len(store.run("partition/components/result", **asked)) == 8
    assert not store.run("partition/components/result", **{**asked, "run": "another"}).rows


def test_a_core_that_is_not_peeled_has_no_result(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(CHAIN, 1.0)
    asked = {"dataset": dataset, "k": 3, "epsilon": 1.0, "run": "mine"}
    assert store.run("partition/core/init", **asked).rows == ((8,),)
    assert not store.run("partition/core/result", **asked).rows  # or all eight would look safe
    store.run("partition/core/clear", dataset=dataset, run="mine")


def test_a_run_that_was_disturbed_fails(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(CHAIN, 1.0)

    def disturb(asked: Query, params: dict[str, Any]) -> None:
        if asked.id.endswith("/result"):
            store.run("partition/components/init", dataset=dataset, epsilon=1.0, run="somebody else")

    with pytest.raises(QueryFailedError, match="another run"):
        iterate(Recorder(store, disturb), "partition/components", dataset=dataset, epsilon=1.0)  # type: ignore[arg-type]
    store.run("partition/components/clear", dataset=dataset, run="somebody else")


def test_progress_is_told(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(CHAIN, 1.0)
    told: list[tuple[str, int, int | None]] = []
    iterate(
        store, "partition/components", dataset=dataset, epsilon=1.0, progress=lambda *one: told.append(one)
    )
    assert [done for _, done, _ in told] == list(range(1, len(told) + 1))
    assert told


def test_what_is_not_asked_rightly(embedded_store: GraphStore) -> None:
    with pytest.raises(UnknownQueryError):
        iterate(embedded_store, "audit/degree-check", dataset="x", k=1, epsilon=1.0)
    with pytest.raises(ParameterError, match="run"):
        iterate(embedded_store, "partition/components", dataset="x", epsilon=1.0, run="mine")
    with pytest.raises(ParameterError, match="epsilon"):
        iterate(embedded_store, "partition/components", dataset="x")

"""No query answers reassuringly what it cannot answer: through the library, or in Browser without guard."""

from __future__ import annotations

from typing import Any

import pytest
from golden.tables import build, table1

from queries.cases import Loaded
from queries.oracle import as_told
from ratingpriv.errors import DatasetIncompleteError, ParameterError, UnknownDatasetError
from ratingpriv.graph.catalogue import catalogue
from ratingpriv.graph.store import GraphStore, RecordBatch
from ratingpriv_loaders.graph.slices import load, slices

PARTS = ("init", "step", "result", "clear")
OURS = [id for id in catalogue() if id.split("/")[0] not in ("schema", "load")]  # noqa: A001
ABOUT_PAIRS = [id for id in OURS if "epsilon" in {p.name for p in catalogue()[id].params}]  # noqa: A001
VALUES: dict[str, Any] = {
    "epsilon": 1.0,
    "k": 2,
    "l": 1.0,
    "max_share": 0.5,
    "min_distinct": 2,
    "min_entropy": 2.0,
    "record": "t1",
    "records": ["t1"],
    "issue": "issue 4",
    "unit": 1.0,
    "shift": 0,
    "rating_unit": 1.0,
    "reach": 1.0,
    "first": 0,
    "last": 100,
    "groups": 5,
    "hamming_group": 0,
    "run": "r",
    "token": "x",
    "order": "position",
    "positions": [0],
    "state": "waiting",
    "component": 0,
    "clique": -1,
    "made": "greedy",
}


def params_of(query_id: str, **changed: Any) -> dict[str, Any]:
    return {p.name: {**VALUES, **changed}[p.name] for p in catalogue()[query_id].params}


def unguarded(store: GraphStore, query_id: str, **params: Any) -> list[dict[str, Any]]:
    """Rows as an analyst's own driver gets them: the engine alone, without the library's checks."""
    rows = store.one(query_id, **params)  # type: ignore[attr-defined]
    names = [column.name for column in catalogue()[query_id].columns]
    return [dict(zip(names, map(as_told, row), strict=True)) for row in rows]


def says_nothing_good(query_id: str, rows: list[dict[str, Any]]) -> None:
    """Either no row where an answer always has rows, or the reason in every row and no verdict beside it."""
    columns = [column.name for column in catalogue()[query_id].columns]
    if "problem" in columns:
        assert rows
        for row in rows:
            assert row["problem"]
            assert not row.get("satisfied")
            assert all(
                row[name] is None for name in row if name.startswith(("satisfied_", "clique", "size", "min_"))
            )
    elif set(columns) <= {"records", "changed", "at_risk", "runs", "cliques"}:  # counts of what was written
        assert all(value == 0 for row in rows for value in row.values())
    else:
        assert rows == []


@pytest.mark.parametrize("query_id", ABOUT_PAIRS)
def test_epsilon_above_what_was_loaded(store: GraphStore, example: Loaded, query_id: str) -> None:
    dataset, case = example
    params = params_of(query_id, dataset=dataset, epsilon=case.epsilon_max + 0.5)
    with pytest.raises(ParameterError, match="epsilon"):
        store.run(query_id, **params)
    if not query_id.endswith(("/step", "/clear")):
        says_nothing_good(query_id, unguarded(store, query_id, **params))


@pytest.mark.parametrize("query_id", OURS)
def test_a_dataset_that_is_not_there(store: GraphStore, query_id: str) -> None:
    params = params_of(query_id, dataset="no such dataset")
    with pytest.raises(UnknownDatasetError):
        store.run(query_id, **params)
    says_nothing_good(query_id, unguarded(store, query_id, **params))


@pytest.fixture
def half_loaded(store: GraphStore) -> Any:
    prepared = slices(table1(), "half a dataset", epsilon=5.0)
    with store.begin_dataset(prepared.spec) as sink:
        sink.add_issues(prepared.issues())
        sink.add_groups(prepared.group_batch())
        batch = next(prepared.records())
        sink.add_records(RecordBatch(batch.ids[:3], batch.groups[:3]))
    yield "half a dataset"
    store.drop("half a dataset")


def test_a_dataset_that_is_half_loaded(store: GraphStore, half_loaded: str) -> None:
    for query_id in OURS:
        params = params_of(query_id, dataset=half_loaded)
        with pytest.raises(DatasetIncompleteError):
            store.run(query_id, **params)
        if query_id in ("audit/dataset-summary", "browse/overview"):
            shown = unguarded(store, query_id, **params)
            assert query_id == "browse/overview" or shown[0]["complete"] is False
        elif not query_id.endswith(("/step", "/clear", "browse/unmark")):
            says_nothing_good(query_id, unguarded(store, query_id, **params))


RISKY = build([(1, 1), (1, 2), (1, 2), (2, 2), (5, 5), (4, 5), (3, 1)], [(1, 2, 3, 4, 5, 1, 2)], scale=(1, 5))


@pytest.fixture
def at_risk_only(store: GraphStore) -> Any:
    load(slices(RISKY, "at risk only", epsilon=1.0, edges="at-risk", k=3), store)
    yield "at risk only"
    store.drop("at risk only")


def test_a_dataset_with_the_pairs_of_records_at_risk_only(store: GraphStore, at_risk_only: str) -> None:
    for query_id in ABOUT_PAIRS:
        if query_id.endswith(("/step", "/clear")):
            continue
        if "PROXIMATE-AT-RISK" not in catalogue()[query_id].reads:
            params = params_of(query_id, dataset=at_risk_only)
            with pytest.raises(ParameterError):
                store.run(query_id, **params)
            says_nothing_good(query_id, unguarded(store, query_id, **params))
            continue
        for wrong in ({"epsilon": 0.5}, {"k": 4}):
            if not set(wrong) <= {p.name for p in catalogue()[query_id].params}:
                continue
            params = params_of(query_id, dataset=at_risk_only, **wrong)
            with pytest.raises(ParameterError):
                store.run(query_id, **params)
            says_nothing_good(query_id, unguarded(store, query_id, **params))


def test_what_can_be_asked_of_it_is_answered_like_a_whole_one(
    store: GraphStore, at_risk_only: str, loaded: Any
) -> None:
    whole, _ = loaded(RISKY, 1.0)
    for query_id in ABOUT_PAIRS:
        if "PROXIMATE-AT-RISK" in catalogue()[query_id].reads:
            for record in ("t5", "t6", "t7"):
                rows = []
                for name in (at_risk_only, whole):
                    params = params_of(query_id, dataset=name, record=record, k=3)
                    rows.append([tuple(map(as_told, row)) for row in store.run(query_id, **params)])
                assert rows[0] == rows[1]
                assert rows[0]


def test_a_record_of_it_that_is_not_at_risk_has_no_answer(store: GraphStore, at_risk_only: str) -> None:
    assert not store.run("browse/record-and-near", dataset=at_risk_only, record="t2", epsilon=1.0).rows


@pytest.mark.parametrize("query_id", [id for id in ABOUT_PAIRS if "k" in params_of(id, dataset="")])  # noqa: A001
def test_k_below_one_is_no_question(store: GraphStore, loaded: Any, query_id: str) -> None:
    dataset, _ = loaded(table1(), 5.0)
    if not query_id.endswith(("/step", "/result")):
        says_nothing_good(query_id, unguarded(store, query_id, **params_of(query_id, dataset=dataset, k=0)))


def test_two_datasets_in_one_store_never_mix(store: GraphStore, loaded: Any) -> None:
    first, _ = loaded(build([(1,), (1,), (5,)], [(1, 2, 3)]), 1.0)
    loaded(build([(1,), (1,), (5,), (5,)], [(9, 9, 9, 9)]), 1.0)
    assert store.run("audit/neighbourhood-sizes", dataset=first, epsilon=1.0).column("size") == [2, 2, 1]
    assert store.run("audit/sensitive-levels", dataset=first).column("rating") == [1.0, 2.0, 3.0]
    assert store.run("audit/hamming-group-sizes", dataset=first).rows == ((3, 1, 3),)
    assert store.run("browse/mark", dataset=first, k=2, epsilon=1.0).rows == ((3, 1),)
    summary = store.run("audit/dataset-summary", dataset=first).dicts()[0]
    assert (summary["records"], summary["pairs"], summary["issues"]) == (3, 1, 1)

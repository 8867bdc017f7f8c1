"""Runs are replaced, removed, broken off and disturbed, and never say more than they know."""

import itertools
import threading
import time
from typing import Any

import pytest
from golden.tables import build, table2, table3

from queries.cases import EMBEDDED, load_case, unguarded
from queries.greedy_oracle import RUN_EXPECTED, Run
from queries.runs import borrow, decompose, read_run, remove_run
from ratingpriv.base.errors import ParameterError, QueryFailedError, RatingPrivError
from ratingpriv.graph.catalogue import Query
from ratingpriv.graph.running import GraphStore

CHAIN = build([(number / 2,) for number in range(2, 17)], scale=(1, 8))


def runs(store: GraphStore, dataset: str) -> list[dict[str, Any]]:
    return store.run("partition/runs/list", dataset=dataset).dicts()


def left_behind(store: Any, dataset: str, run: str) -> int:
    return int(store.one("partition/runs/remove", dataset=dataset, run=run)[0][1])


def test_a_second_run_of_the_name_replaces_the_first(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(table3(), 3.0)
    decompose(store, dataset, 3, 2.0, run="run")
    decompose(store, dataset, 2, 1.0, run="another")
    found = decompose(store, dataset, 2, 1.0, "fewest", run="run")
    assert found.groups == read_run(store, dataset, "run").groups
    assert [(one["run"], one["k"], one["order"]) for one in runs(store, dataset)] == [
        ("another", 2, "position"),
        ("run", 2, "fewest"),
    ]
    rows = [tuple(row) for row in store.run("partition/members", dataset=dataset, run="run")]
    assert rows == RUN_EXPECTED["partition/members"](Run.of(case, 2, 1.0, "fewest"))
    assert remove_run(store, dataset, "run") == 1
    assert remove_run(store, dataset, "run") == 0
    assert [one["run"] for one in runs(store, dataset)] == ["another"]


@EMBEDDED
@pytest.mark.parametrize(
    "part", ["begin", "near", "follow", "spread", "seed", "place", "join", "sweep"]
)
def test_a_run_that_is_interrupted_leaves_nothing(
    store: Any, loaded: Any, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    dataset, _ = loaded(table3(), 3.0)
    answer = store._answer

    def interrupted(execute: Any, contract: Query, values: Any) -> Any:
        if contract.id == f"partition/decompose/{part}":
            raise KeyboardInterrupt
        return answer(execute, contract, values)

    monkeypatch.setattr(store, "_answer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        decompose(store, dataset, 3, 2.0, run="run")
    assert not runs(store, dataset)
    assert left_behind(store, dataset, "run") == 0


STATEMENTS = ["begin", "near", "spread", "seed", "place", "join"]


@pytest.mark.parametrize("stop", range(1, len(STATEMENTS) + 1))
@EMBEDDED
def test_a_run_that_was_killed_reads_as_nobody_placed(store: Any, loaded: Any, stop: int) -> None:
    dataset, _ = loaded(table2(), 3.0, ratings=True)
    for part in STATEMENTS[:stop]:
        asked: dict[str, Any] = {"dataset": dataset, "run": "run", "token": "x"}
        if part == "begin":
            asked |= {"k": 2, "epsilon": 2.0, "order": "position"}
        store.run(f"partition/decompose/{part}", **asked)
    assert not store.run(
        "partition/decompose/end",
        dataset=dataset,
        run="run",
        token="another",  # noqa: S106
    ).rows
    if stop < 4:
        assert not store.run("partition/decompose/end", dataset=dataset, run="run", token="x").rows  # noqa: S106
    (listed,) = runs(store, dataset)
    assert (listed["complete"], listed["placed"] + listed["left_out"]) == (False, 6)
    assert listed["state"] == "broken off, or under way"
    for query_id in set(RUN_EXPECTED) - {"partition/runs/list"}:
        with pytest.raises(ParameterError, match="that is complete: this one was broken off"):
            store.run(query_id, dataset=dataset, run="run")
        for row in unguarded(store, query_id, dataset=dataset, run="run"):
            assert row[-1] == "the run is not complete: run it again"
            assert not any(row[:-1])
    with pytest.raises(ParameterError, match="that is complete"):
        borrow(store, dataset, "run", ["t5", "t6"], "t2")
    assert not decompose(store, dataset, 2, 2.0, run="run").left  # not misled by what is there


@pytest.mark.parametrize("after", [1, 2, 3])
def test_another_run_of_the_name_comes_between(
    store: Any, loaded: Any, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    if store.engine == "neo4j" and after != 2:
        pytest.skip("one step shows that the engines agree, and a server takes its time")
    dataset, _ = loaded(CHAIN, 1.0)
    asked = {"dataset": dataset, "run": "run"}
    atomically, transactions = store.atomically, itertools.count()

    def replace(run: Any) -> None:
        run("partition/runs/remove", **asked)
        run("partition/decompose/begin", **asked, token="x", k=2, epsilon=1.0, order="position")  # noqa: S106

    def disturbed(work: Any) -> Any:
        if next(transactions) == after:  # the first three are begin, near and follow
            atomically(replace)
        return atomically(work)

    monkeypatch.setattr(store, "atomically", disturbed)
    with pytest.raises(QueryFailedError, match="disturbed"):
        decompose(store, dataset, 3, 1.0, run="run")
    # the intruder's own
    assert [(one["k"], one["complete"]) for one in runs(store, dataset)] == [(2, False)]


def test_two_at_once(neo4j_store: GraphStore) -> None:
    """Runs of different names do not mix; of one name at most one is left, and it is right."""
    dataset, case = load_case(neo4j_store, CHAIN, 1.0)
    ended: dict[str, Any] = {}

    def work(number: int, run: str, k: int) -> None:
        try:
            time.sleep(0.02 * number)
            ended[f"{number}"] = decompose(neo4j_store, dataset, k, 1.0, run=run).groups
        except RatingPrivError as error:
            ended[f"{number}"] = error

    asked = [(0, "a", 2), (1, "b", 3), (2, "c", 2), (3, "c", 3)]
    threads = [threading.Thread(target=work, args=one) for one in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = {
        k: sorted(tuple(sorted(group)) for group in Run.of(case, k, 1.0, "position").groups)
        for k in (2, 3)
    }
    assert (sorted(ended["0"]), sorted(ended["1"])) == (wanted[2], wanted[3])
    for number, k in (("2", 2), ("3", 3)):
        assert isinstance(ended[number], QueryFailedError) or sorted(ended[number]) == wanted[k]
    for one in runs(neo4j_store, dataset):
        if one["complete"]:
            assert sorted(read_run(neo4j_store, dataset, one["run"]).groups) == wanted[one["k"]]
    neo4j_store.drop(dataset)


def test_it_goes_with_its_dataset(store: GraphStore, loaded: Any) -> None:
    dataset, _ = load_case(store, table2(), 3.0)
    other, _ = loaded(table2(), 3.0)
    for one in (dataset, other):
        decompose(store, one, 2, 1.0, run="run")
    assert remove_run(store, dataset, "run") == 1
    decompose(store, dataset, 2, 1.0, run="run")
    store.drop(dataset)
    assert left_behind(store, dataset, "run") == 0
    assert read_run(store, other, "run").groups == ((0, 1), (2, 3), (4, 5))  # datasets never mix

"""Every query answers with a dataset alone.

What is taken is the first, or the latest, that there is.
"""

import pytest
from golden.tables import build

from queries.cases import ON_ENGINES, load_case
from queries.runs import decompose
from queries.test_predictive import GOLDEN, put
from queries.test_swapped import put_swapped
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.defaults import completed
from ratingpriv.graph.queries import find_query, list_queries
from ratingpriv.graph.running import GraphStore

CHOSEN = {"partition/merge", "partition/borrow", "partition/runs/remove"}
"""What they change is chosen, never guessed."""


@ON_ENGINES
def test_a_dataset_alone_is_enough(store: GraphStore) -> None:
    name, _ = put(store, GOLDEN, [0, 0, 1, 1], 2)
    put_swapped(store, GOLDEN, [[0, 1], [2, 3]], name=name, epsilon=0.0)
    decompose(store, name, 2, 0.0, run="z")
    decompose(store, name, 2, 0.0, run="a")  # the latest
    try:
        asked = 0
        for one in list_queries():
            if one.id in CHOSEN:
                with pytest.raises(ParameterError, match="not given"):
                    completed(store, one.query, {"dataset": name})
                continue
            params = completed(store, one.query, {"dataset": name})
            problems = {row.get("problem") for row in one.run(store, **params).dicts()} - {None}
            assert problems == set() or one.id == "quasi/at-risk", f"{one.id} {params}: {problems}"
            asked += 1
        assert asked > 50
    finally:
        store.drop(name)


@ON_ENGINES
def test_what_is_taken(store: GraphStore) -> None:
    name, _ = put(store, GOLDEN, [0, 0, 1, 1], 2)
    put_swapped(store, GOLDEN, [[0, 1], [2, 3]], name=name, epsilon=0.0)
    decompose(store, name, 2, 0.0, run="z")
    decompose(store, name, 2, 0.0, run="a")

    def taken(query_id: str, **given: object) -> dict[str, object]:
        return completed(store, find_query(query_id).query, {"dataset": name, **given})

    try:
        assert taken("partition/members")["run"] == "a"
        grouped = taken("anonymize/link-confidence")
        assert (grouped["run"], grouped["grouping"]) == ("run", "groups")
        assert taken("anonymize/distortion")["run"] == "run"  # with links
        assert (taken("browse/swapped")["run"], taken("browse/swapped")["group"]) == ("s", 0)
        assert (taken("audit/two-releases")["run"], taken("audit/two-releases")["other"]) == (
            "s",
            "s",
        )
        put_swapped(store, GOLDEN, [[0, 1, 2, 3]], name=name, run="another", epsilon=0.0)
        assert taken("audit/two-releases", run="s")["other"] == "another"
        assert taken("audit/neighbourhood", epsilon=0.0)["record"] == "t1"
        assert taken("audit/neighbourhood", record="t3")["record"] == "t3"
        assert taken("audit/sensitive-counts")["issue"] == "issue 4"
        assert taken("partition/borrowing-candidates")["records"] == ["t1"]  # left out
        assert taken("partition/combining-candidates")["components"] == [0]
    finally:
        store.drop(name)


@ON_ENGINES
def test_a_record_at_risk_comes_first(store: GraphStore) -> None:
    table = build([(1,), (1,), (5,), (1,), (1,), (1,)], [(1, 2, 3, 4, 5, 6)], scale=(1, 5))
    name, _ = load_case(store, table, 1.0, ratings=True)
    try:
        assert (
            completed(store, find_query("browse/record-and-near").query, {"dataset": name})[
                "record"
            ]
            == "t3"
        )
    finally:
        store.drop(name)


@ON_ENGINES
@pytest.mark.parametrize(
    ("query_id", "choice"),
    [("partition/merge", "-p a=0 -p b=1"), ("partition/borrow", "-p lent=t2")],
)
def test_what_changes_a_run_proposes_its_first_candidates(
    store: GraphStore, query_id: str, choice: str
) -> None:
    name, _ = load_case(store, build([(1,), (4,)], [(1, 2)], scale=(1, 5)), 1.0, ratings=True)
    try:
        decompose(store, name, 2, 1.0, run="a")
        with pytest.raises(ParameterError, match=f"ratingpriv query run {query_id} .*{choice}"):
            completed(store, find_query(query_id).query, {"dataset": name})
    finally:
        store.drop(name)

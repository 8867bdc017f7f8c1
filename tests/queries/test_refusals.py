"""No query answers reassuringly what it cannot answer: through the library,
or in Browser without guard.
"""

import math
import re
from typing import Any

import polars as pl
import pytest
from golden.tables import build, table1

from queries import cases
from queries.cases import OURS, Loaded, params_of
from queries.oracle import as_told
from queries.runs import borrow, decompose, whole_components
from ratingpriv import RatingTable
from ratingpriv.base.errors import DatasetIncompleteError, ParameterError, UnknownDatasetError
from ratingpriv.base.keys import Key
from ratingpriv.graph import ingest
from ratingpriv.graph.binding import bind
from ratingpriv.graph.catalogue import NAMED, catalogue, query
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.releases import announce_release
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import RecordBatch
from ratingpriv_loaders.graph.slices import load, slices

ABOUT_PAIRS = [id for id in OURS if "epsilon" in {p.name for p in catalogue()[id].params}]  # noqa: A001


def unguarded(store: GraphStore, query_id: str, **params: Any) -> list[dict[str, Any]]:
    rows = cases.unguarded(store, query_id, **params)
    names = [column.name for column in catalogue()[query_id].columns]
    return [dict(zip(names, map(as_told, row), strict=True)) for row in rows]


def says_nothing_good(query_id: str, rows: list[dict[str, Any]]) -> None:
    """Either no row where an answer always has rows,
    or the reason in every row and no verdict beside it.
    """
    columns = [column.name for column in catalogue()[query_id].columns]
    if "problem" in columns:
        assert rows
        for row in rows:
            assert row["problem"]
            assert not row.get("satisfied")
            assert all(
                row[name] is None
                for name in row
                if name.startswith(("satisfied_", "clique", "size", "min_"))
            )
    elif set(columns) <= {"records", "changed", "at_risk", "runs", "cliques", "within", "beyond"}:
        # counts of what was written
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
        sink.add_records(RecordBatch(batch.ids[:3], batch.groups[:3], sizes=prepared.sizes[:3]))
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


RISKY = build(
    [(1, 1), (1, 2), (1, 2), (2, 2), (5, 5), (4, 5), (3, 1)], [(1, 2, 3, 4, 5, 1, 2)], scale=(1, 5)
)


@pytest.fixture
def at_risk_only(store: GraphStore) -> Any:
    load(slices(RISKY, "at risk only", epsilon=1.0, edges="at-risk", k=3), store)
    yield "at risk only"
    store.drop("at risk only")


def test_a_dataset_with_the_pairs_of_records_at_risk_only(
    store: GraphStore, at_risk_only: str
) -> None:
    for query_id in ABOUT_PAIRS:
        reads, params = catalogue()[query_id].reads, params_of(query_id, dataset=at_risk_only)
        if query_id.endswith(("/step", "/clear")) or "PROXIMATE-OR-SIZES" in reads:
            continue
        wrongs: tuple[dict[str, Any], ...] = ({"epsilon": 0.5}, {"k": 4})
        for wrong in wrongs if "PROXIMATE-AT-RISK" in reads else ({},):
            if not wrong.keys() <= params.keys():
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
                    found = store.run(query_id, **params).dicts()
                    rows.append(
                        [[as_told(one[name]) for name in one if name != "missing"] for one in found]
                    )
                assert rows[0] == rows[1]
                assert rows[0]


def test_a_picture_of_it_says_what_is_missing(
    store: GraphStore, at_risk_only: str, loaded: Any
) -> None:
    asked = {"record": "t5", "epsilon": 1.0}
    (missing,) = store.run("browse/record-and-near", dataset=at_risk_only, **asked).column(
        "missing"
    )
    assert "pairs among neighbours that are not at risk" in missing
    whole = store.run("browse/record-and-near", dataset=loaded(RISKY, 1.0)[0], **asked)
    assert set(whole.column("missing")) == {None}
    asked["record"] = "t2"  # which is not at risk
    with pytest.raises(
        ParameterError, match=r"record: found 't2', expected a record at risk.*edges='all'"
    ):
        store.run("browse/record-and-near", dataset=at_risk_only, **asked)
    (row,) = unguarded(store, "browse/record-and-near", dataset=at_risk_only, **asked)
    assert row["missing"].startswith("the pairs of this record")
    assert row["near"] is None


NAMES = [(id, p) for id in catalogue() for p in catalogue()[id].params if p.names]  # noqa: A001
NEW = ("partition/decompose/begin", "load/")


def test_every_parameter_that_names_something_says_so() -> None:
    """Whoever adds a query with such a parameter declares ``of``, or that the name is a new one."""
    for query_id in catalogue():
        for parameter in catalogue()[query_id].params:
            if parameter.name in ("record", "records", "issue", "hamming_group", "run", "grouping"):
                assert parameter.names or query_id.startswith(NEW), (query_id, parameter.name)
    assert {parameter.names for _, parameter in NAMES} == set(NAMED)


@pytest.fixture
def with_a_run(store: GraphStore, loaded: Any) -> str:
    """A dataset with the run r and, without its key, the release r, which has a run r, too."""
    dataset: str = loaded(table1(), 5.0, ratings=True)[0]
    decompose(store, dataset, 2, 5.0, run="r")
    begin = {"k": 2, "epsilon": 5.0, "order": "position", "token": "x"}
    store.run("partition/decompose/begin", dataset=dataset, run="broken off", **begin)
    ingest(table1(), store, dataset=dataset, run="r", epsilon=5.0)
    announce_release(store, dataset, "broken off")
    whole_components(store, f"{dataset}/r", 1, 0.0, run="r")
    store.run("partition/decompose/begin", dataset=f"{dataset}/r", run="broken off", **begin)
    return dataset


def test_what_is_not_there_is_an_error_and_no_answer(store: GraphStore, with_a_run: str) -> None:
    for query_id, parameter in NAMES:
        engine_query = query(query_id, store.engine)
        for wrong, said in unknown(parameter.names or "", parameter.type):
            params = params_of(query_id, dataset=with_a_run, **{parameter.name: wrong})
            if "linked-release" in {one.names for one in engine_query.params} and said not in (
                "did you",
                "key",
            ):
                said = "release"  # the one that is there has no key
            if parameter.name == "other":
                said = "release"  # as the first of the two
            with pytest.raises(ParameterError) as caught:
                store.run(query_id, **params)
            assert re.search(said, str(caught.value)), (query_id, params)
            assert caught.value.exit_code == 2
            assert caught.value.name in (parameter.name, "run")
            assert "did you mean" not in str(caught.value) or parameter.names != "record"


def unknown(names: str, type_: str) -> list[tuple[Any, str]]:
    """Values that the dataset does not have, and what is said of each."""
    if names == "record":
        wrong: list[Any] = ["t99", "T1", 1, True]
        if type_.startswith("LIST"):
            return [(["t1", one], "a record.*audit/record-ids") for one in wrong]
        return [(one, "a record.*audit/record-ids") for one in [*wrong, ["t1"]]]
    if names == "hamming-group":
        return [(99, "audit/hamming-groups"), (-1, "a Hamming group")]
    if names in ("sensitive-issue", "numeric-issue"):
        return [
            ("issue 44", "did you mean 'issue 4'"),
            ("issue 1", "sensitive item"),
            ("", "sensitive-levels"),
        ]
    if names == "rating-unit":
        return [(0.1, "decimals of the ratings"), (1e300, "decimals of the ratings")]
    found = [("rr", "did you mean 'r'"), ("", "lists them"), ("none of these at all", "lists them")]
    if names == "run":
        return found
    broken = [("broken off", "broken off" if names.endswith("-run") else "was not")]
    return [
        *found,
        *broken,
        *([("r", "key")] if names in ("linked-release", "swapped-release") else []),
    ]


@pytest.mark.parametrize(
    ("ids", "asked_as", "wrong"),
    [
        ([7, 8, 1], ("7", 8), ["07", "9", "7.0", " 7", "７", "9" * 30]),
        # as typed: what a command line reads as a number
        (["7", "8", "007"], (7, "8"), [9, 70, True]),
    ],
)
def test_a_text_finds_the_record_whose_id_is_its_number_and_the_other_way_round(
    store: GraphStore, loaded: Any, ids: list[Any], asked_as: tuple[Any, Any], wrong: list[Any]
) -> None:
    table = RatingTable.from_wide(pl.DataFrame({"id": ids, "a": [1, 1, 5]}), id="id")
    dataset, _ = loaded(table, 1.0, ratings=True)
    asked = {"dataset": dataset, "epsilon": 1.0}
    found = find_query("audit/neighbourhood").run(store, **asked, record=asked_as[0])
    assert found.rows == store.run("audit/neighbourhood", record=ids[0], **asked).rows
    assert found.column("record") == ids[:2]
    assert store.run("partition/clique-test", records=list(asked_as), **asked).single()[:2] == (
        True,
        2,
    )
    for one in wrong:
        with pytest.raises(ParameterError, match="a record"):
            store.run("audit/neighbourhood", record=one, **asked)
    if isinstance(ids[0], str):
        decompose(store, dataset, 2, 1.0, run="run")
        # and not: records of the dataset
        with pytest.raises(ParameterError, match="all others of its component"):
            borrow(store, dataset, "run", ids[2:], asked_as[0])


def test_pseudonyms_are_asked_for_by_themselves(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table1(), 5.0, key=bytes(32))
    asked = {"dataset": dataset, "epsilon": 1.0}
    with pytest.raises(ParameterError, match=r"the pseudonym of a record.*audit/record-ids"):
        store.run("audit/neighbourhood", record="t1", **asked)
    (first, _), *_ = store.run("audit/record-ids", dataset=dataset)
    assert first in store.run("audit/neighbourhood", record=first, **asked).column("record")


WRONG = {
    "epsilon": [-1, -1e-9, math.nan, math.inf, 10**400],
    "k": [0, -5, 1.5, 2**63, True],
    "b": [0, 3], "l": [-0.1], "max_share": [0, 1.1], "min_distinct": [0], "min_entropy": [0.9],
    "groups": [0, -1],
    "first": [-1], "last": [-1], "reach": [-1], "rating_unit": [-1], "part": [-1], "parts": [0],
    "hamming_group": [2**63, 0.5], "issue": ["a\0b"], "record": ["a\0"], "records": [["a", "\0"]],
    "run": ["\0"],
}  # fmt: skip


@pytest.mark.parametrize("query_id", OURS)
def test_numbers_outside_their_limits(query_id: str) -> None:
    params = params_of(query_id, dataset="x")
    for name in params:
        for value in WRONG.get(name, ()):
            with pytest.raises(ParameterError) as caught:
                bind(catalogue()[query_id], {**params, name: value})
            assert caught.value.name.startswith(name)


def test_a_release_with_the_pairs_of_records_at_risk_only(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table1(), 5.0, ratings=True)
    ids = tuple(table1().record_ids.to_list())
    few: dict[str, Any] = {"edges": "at-risk", "k": 2, "release_key": Key(ids, ids)}
    ingest(table1(), store, dataset=dataset, run="r", epsilon=5.0, **few)
    for query_id in ("anonymize/clustering", "browse/before-after"):
        with pytest.raises(ParameterError, match="needs no other pairs"):
            store.run(query_id, **params_of(query_id, dataset=dataset))


@pytest.mark.parametrize("query_id", [id for id in ABOUT_PAIRS if "k" in params_of(id, dataset="")])  # noqa: A001
def test_k_below_one_is_no_question(store: GraphStore, loaded: Any, query_id: str) -> None:
    dataset, _ = loaded(table1(), 5.0)
    if not query_id.endswith(("/step", "/result")):
        says_nothing_good(
            query_id, unguarded(store, query_id, **params_of(query_id, dataset=dataset, k=0))
        )

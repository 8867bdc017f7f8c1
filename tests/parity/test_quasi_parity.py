"""With quasi-identifiers, too, every engine and both stores find what plain loops find."""

from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from naive import quasi_groups
from queries.cases import ENGINES, load_case, unguarded, with_quasi
from queries.greedy_oracle import RUN_EXPECTED, Run, borrowing
from queries.oracle import Case, agree, as_told
from queries.runs import borrow, decompose, merge

from ratingpriv import RatingTable, audit, audit_stored
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.export import to_networkx
from ratingpriv.graph.releases import announce_release, link_release
from ratingpriv.graph.running import GraphStore
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv_loaders.graph.slices import load, slices

# the scale ends at 3, so that under 3 a null of a rating is near every rating
EPSILONS = [0.0, 1.0, 3.0]


def check(store: GraphStore, table: RatingTable, nulls: str, *, runs: bool) -> None:
    ids = table.record_ids.to_list()
    dataset, case = load_case(store, table, EPSILONS[-1], nulls=nulls, ratings=True)
    for epsilon in EPSILONS:
        wanted = [sum(row) for row in quasi_groups.near(table, epsilon, nulls)]
        for engine in ("slicing", "pairwise"):
            assert (
                neighbourhoods(table, epsilon, nulls=nulls, engine=engine).sizes.tolist() == wanted
            )
        graph = to_networkx(table, epsilon, nulls=nulls)
        assert [graph.degree[id_] + 1 for id_ in ids] == wanted
        asked = {"dataset": dataset, "epsilon": epsilon}
        assert store.run("audit/neighbourhood-sizes", **asked).column("size") == wanted
        found = audit_stored(store.dataset(dataset), k=2, epsilon=epsilon, l=0.5).to_dict()
        file = audit(table, k=2, epsilon=epsilon, nulls=nulls, l=0.5).to_dict()
        for one in (found, file):
            one["dataset"].pop("name")
            one["parameters"].pop("engine")
            one.pop("tool")
        assert found == file
    pairs = {(a, b): far for a, b, far in case.all_pairs}
    graph = to_networkx(table, EPSILONS[-1], nulls=nulls)
    assert {
        (ids.index(a), ids.index(b)): far for a, b, far in graph.edges(data="distance")
    } == pairs
    numbered = enumerate(case.groups)
    assert hamming_groups(table).group_of.tolist() == [
        number for _, number in sorted((t, number) for number, group in numbered for t in group)
    ]
    if runs:
        check_runs(store, dataset, case)
    store.drop(dataset)


def check_runs(store: GraphStore, dataset: str, case: Case) -> None:
    table, ids, nulls = case.table, case.ids, case.nulls
    k, epsilon = 2, 1.0
    found_run = decompose(store, dataset, k, epsilon, run="run")
    assert found_run.labels.tolist() == greedy(table, k, epsilon, nulls=nulls).labels.tolist()
    run = Run.of(case, k, epsilon, "position")
    for query_id, rows in RUN_EXPECTED.items():
        named = (
            {"dataset": dataset}
            if query_id == "partition/runs/list"
            else {"dataset": dataset, "run": "run"}
        )
        told = [tuple(map(as_told, row)) for row in store.run(query_id, **named)]
        assert agree(told, rows(run)), query_id
    for borrowers in [run.left[:1] or [0], run.parts[0][:2]]:
        asked = {"dataset": dataset, "run": "run", "records": [ids[t] for t in borrowers]}
        assert agree(
            list(store.run("partition/borrowing-candidates", **asked)), borrowing(run, borrowers)
        )


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize("engine", ENGINES)
def test_on_random_tables(engine: str, nulls: str, request: pytest.FixtureRequest) -> None:
    store: GraphStore = request.getfixturevalue(f"{engine}_store")
    for seed in range(6 * DEPTH if engine == "embedded" else 2):
        rng = np.random.default_rng(seed)
        table = quasi_groups.random_table(rng, int(rng.integers(1, 15)), sensitive=True)
        check(store, table, nulls, runs=engine == "embedded")


def test_attributes_alone(store: GraphStore, loaded: Any) -> None:
    """Without any rating it is plain k-anonymity, and epsilon changes nothing."""
    rng = np.random.default_rng(1)
    table = quasi_groups.random_table(rng, 8).select_issues([])
    assert (table.n_issues, len(table.quasi)) == (0, 1)
    dataset, case = loaded(table, 2.0)
    for epsilon in (0.0, 2.0):
        found = audit_stored(store.dataset(dataset), k=2, epsilon=epsilon)
        assert found.sizes.tolist() == case.sizes(epsilon) == [4, 4, 6, 3, 4, 4, 1, 4]


def test_no_change_of_ratings_makes_up_for_an_attribute(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(with_quasi(), 5.0, ratings=True)
    run = decompose(store, dataset, 3, 0.0, run="run")
    one, other = 0, 3  # of other regions
    assert case.class_of[one] != case.class_of[other]
    with pytest.raises(ParameterError, match="quasi-identifiers"):
        borrow(store, dataset, "run", [case.ids[one]], [case.ids[other], case.ids[other + 1]])
    asked = {"dataset": dataset, "run": "run", "records": [case.ids[one], case.ids[other]]}
    if run.components[one] == run.components[other]:
        ((*_, problem),) = store.run("partition/borrowing-candidates", **asked)
        assert "differ on a quasi-identifier" in problem
    rows = store.run("partition/decomposable-components", dataset=dataset, run="run").dicts()
    by_group: dict[int, list[int]] = {}
    for row in rows:
        if not row["decomposable"] and row["hamming_group"] is not None:
            by_group.setdefault(row["hamming_group"], []).append(row["component"])
    a, b = next(parts[:2] for parts in by_group.values() if len(parts) > 1)
    offered = [
        row[1:3] for row in store.run("partition/merging-candidates", dataset=dataset, run="run")
    ]
    assert (a, b) not in offered  # their ages are too far apart
    with pytest.raises(ParameterError, match="quasi-identifiers"):
        merge(store, dataset, "run", a, b)


def test_what_answers_would_be_wrong_is_refused(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(with_quasi(), 1.0, ratings=True)
    with pytest.raises(ParameterError, match="quasi-identifiers"):
        audit_stored(store.dataset(dataset), k=2, epsilon=1, nulls="known")
    for query_id in ("sizes", "violators", "counts"):
        values = {
            "rating_unit": 1.0,
            "reach": 1.0,
            "first": 0,
            "last": 9,
            "k": 2,
            "issue": "illness",
        }
        asked = query(f"audit/known-{query_id}")
        params = {p.name: values[p.name] for p in asked.params if p.name != "dataset"}
        with pytest.raises(ParameterError, match=r"region, age"):
            store.run(asked, dataset=dataset, **params)
        rows = unguarded(store, asked.id, dataset=dataset, **params)
        assert rows == [] or [row[-1] for row in rows if "quasi-identifiers" in row[-1]]
    with pytest.raises(ParameterError, match="nominal"):
        store.run("audit/sensitive-sd", dataset=dataset, issue="illness", epsilon=1.0)
    with pytest.raises(ParameterError, match="epsilon"):
        audit_stored(store.dataset(dataset), k=2, epsilon=1.5)


def test_the_store_says_the_rules_and_the_values(store: GraphStore, loaded: Any) -> None:
    table = with_quasi()
    dataset, _ = loaded(table, 1.0)
    spec = store.dataset(dataset).spec
    assert spec.quasi == tuple(column.described for column in table.quasi)
    rows = store.run("browse/overview", dataset=dataset).dicts()
    node = rows[0]["d"]["properties"]
    assert node["quasi"].startswith("region equal, age within 2, ")
    assert node["quasiProperties"] == ["quasi_region", "quasi_age", "quasi_2", "quasi_born"]
    for row in rows:
        group, record = row["g"]["properties"], row["r"]["properties"]
        t = int(record["id"][1:]) - 1
        region, age, odd, born = (
            None if code < 0 else column.values[int(code)]
            for column, code in ((column, column.codes[t]) for column in table.quasi)
        )
        assert (group.get("quasi_region"), group.get("quasi_2")) == (region, odd)
        assert (record.get("quasi_age"), record["quasi_born"]) == (age, born)
        assert (
            set(group) & {"quasi_age", "quasi_born"}
            == set(record) & {"quasi_region", "quasi_2"}
            == set()
        )
    levels = store.run("audit/sensitive-levels", dataset=dataset).dicts()
    assert {row["label"] for row in levels if row["issue"] == "illness"} == {
        "flu", "none; or", 'a "cold"', None,
    }  # fmt: skip


def test_a_dataset_without_them_takes_the_place_of_one_with_them(store: GraphStore) -> None:
    for table in (with_quasi(), with_quasi().replace(quasi=())):
        info = load(slices(table, "the same", epsilon=1.0), store)
        assert info.spec.quasi == tuple(column.described for column in table.quasi)
    (row, *_) = store.run("browse/overview", dataset="the same").dicts()
    assert not [name for name in row["d"]["properties"] if name.startswith("quasi")]
    store.drop("the same")


def test_the_audit_of_a_nominal_issue_is_that_of_the_file(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(with_quasi(), 1.0)
    demands: list[dict[str, Any]] = [
        {"l": 1.0}, {"distinct": 2, "max_share": 0.8, "t_closeness": 0.3},
        {"sensitive_kind": "nominal", "entropy": 1.5, "t_closeness": 0.3},
    ]  # fmt: skip
    for more in demands:
        found, file = (
            audit_stored(store.dataset(dataset), k=2, epsilon=1, **more).to_dict(),
            audit(with_quasi(), k=2, epsilon=1, **more).to_dict(),
        )
        for name in ("dataset", "k_epsilon", "k_epsilon_l", "inference", "violators", "cautions"):
            found["dataset"]["name"] = file["dataset"]["name"]
            assert found[name] == file[name]


def test_a_release_has_the_rules_of_its_original(embedded_store: GraphStore) -> None:
    store, table = embedded_store, with_quasi()
    load(slices(table, "before", epsilon=1.0, ratings=True), store)
    announce_release(store, "before", "a")
    load(slices(table.replace(quasi=table.quasi[:2]), "before/a", epsilon=1.0, ratings=True), store)
    with pytest.raises(ParameterError, match="region equal, age within 2"):
        link_release(store, "before", "a")
    load(slices(table, "before/a", epsilon=1.0, ratings=True), store)
    assert link_release(store, "before", "a").records == table.n_records
    store.drop("before")


def test_the_pairs_of_records_at_risk_are_those_of_the_rules(embedded_store: GraphStore) -> None:
    for seed in range(6):
        table = quasi_groups.random_table(np.random.default_rng(seed), 14)
        whole, _ = load_case(embedded_store, table, 1.0)
        some, _ = load_case(embedded_store, table, 1.0, edges="at-risk", k=3)
        asked = {"k": 3, "epsilon": 1.0}
        for query_id in ("quasi/at-risk", "audit/degree-violators"):
            rows = [
                embedded_store.run(query_id, dataset=name, **asked).rows for name in (some, whole)
            ]
            assert rows[0] == rows[1]
        for name in (whole, some):
            embedded_store.drop(name)

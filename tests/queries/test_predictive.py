"""Releases in groups of identical records: the groups, what they cover, how sure a rating is."""

import itertools
import uuid
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from queries.cases import ON_ENGINES, expect, load_case, params_of, told, unguarded
from queries.greedy_oracle import RUN_EXPECTED, Run, components
from queries.oracle import Case
from queries.predictive_oracle import GROUPED_EXPECTED, Grouped, added, homogenised
from queries.runs import decompose, whole_components
from ratingpriv import RatingTable
from ratingpriv.anonymize.predictive.diversity import check_diversity, coverage_of
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.graph import ingest
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, slices

# u1: a5 b3; u2: b4; u3: a1 c2; u4: c4, in the groups {u1, u2} and {u3, u4}; a sensitive issue takes
# no part
GOLDEN = build(
    [[5, 3, None], [None, 4, None], [1, None, 2], [None, None, 4]], [(1, 2, None, 4)], scale=(1, 5)
)


def put(
    store: GraphStore,
    table: RatingTable,
    labels: list[int | None],
    k: int,
    order: list[int] | None = None,
) -> tuple[str, Grouped]:
    """Release the records with a label, in ``order``, made identical in their groups,
    and find the groups.
    """
    name = f"test {uuid.uuid4().hex[:12]}"
    load(slices(table, name, epsilon=0.0, ratings=True), store)
    kept = [t for t in order or range(table.n_records) if labels[t] is not None]
    before = table.take(np.array(kept, dtype=np.int64))
    rows = homogenised(before, [labels[t] or 0 for t in kept])
    after = build(rows, issues=table.n_issues, scale=(1, 5))
    became = [f"t{kept.index(t) + 1}" if t in kept else None for t in range(table.n_records)]
    key = Key(tuple(table.record_ids.to_list()), tuple(became))
    ingest(after, store, dataset=name, run="run", epsilon=0.0, release_key=key)
    found = whole_components(store, f"{name}/run", k, 0.0, run="groups")
    groups: dict[tuple[Any, ...], list[int]] = {}
    for t, row in enumerate(rows):
        groups.setdefault(tuple(row), []).append(t)  # two groups that became identical are one
    assert [list(group) for group in found.groups] == [
        one for one in groups.values() if len(one) >= k
    ]
    return name, Grouped(table, before, after, list(groups.values()), k)


def ask(store: GraphStore, query_id: str, name: str, **params: Any) -> list[tuple[Any, ...]]:
    return told(store, query_id, dataset=name, run="run", grouping="groups", **params)


def questions(query_id: str, case: Grouped) -> list[dict[str, int]]:
    if "coverage" not in query_id:
        return [{}]
    bounds = (1, 2, len(case.groups) + 1)
    return [{"b": b, "l": bound} for b, bound in itertools.product((1, 2), bounds)]


def check(store: GraphStore, name: str, case: Grouped) -> None:
    for query_id, wanted in GROUPED_EXPECTED.items():
        for params in questions(query_id, case):
            expect(
                wanted(case, **params),
                store,
                query_id,
                dataset=name,
                run="run",
                grouping="groups",
                **params,
            )
    before = case.whole.record_ids.to_list()
    for t, id_ in enumerate(case.before.record_ids.to_list()[:3]):
        rows = store.run(
            "browse/predictive", dataset=name, run="run", grouping="groups", record=id_
        )
        shown = [[one and one["properties"] for one in row] for row in rows]
        assert [
            (before.index(t["id"]), c["id"], s["position"], i and i["name"])
            for t, _, _, c, _, s, a, i in shown
            if (a is None) == (i is None)
        ] == [(before.index(id_), *row[1:]) for row in added(case, t)]
        assert {link["type"] for _, link, *_ in rows} <= {"RELEASED_AS"}
        assert {row[2]["position"] for row in shown} <= {row[5]["position"] for row in shown}


def test_golden(store: GraphStore) -> None:
    name, case = put(store, GOLDEN, [0, 0, 1, 1], 2)
    check(store, name, case)
    assert ask(store, "anonymize/coverage-check", name, b=1, l=2) == [(False, 2, 3, 2, 1, None)]
    # a is in both groups, b and c in one
    first, second = ask(store, "anonymize/coverage", name, b=1, l=2)
    assert (first[:2], second[:2]) == (("issue 2", 1), ("issue 3", 2))
    # 6 ratings became 8: a and b in the first group, a and c in the second
    assert ask(store, "anonymize/link-confidence", name) == [
        (2, 2, 8, 6, 0.75, 0.5, 0.0, 1.0, None)
    ]
    run = {"dataset": f"{name}/run", "run": "groups"}
    assert store.run("partition/check", **run).rows == ((True, 4, 4, 2, 0, 0, None),)
    assert store.run("partition/sizes", **run).rows == ((2, 2, 4),)
    store.drop(name)


def test_a_release_in_another_order_without_some(store: GraphStore) -> None:
    rng = np.random.default_rng(4)
    drawn = rng.integers(1, 6, (14, 6)).astype(object)
    drawn[rng.random((14, 6)) < 0.6] = None
    table = build(drawn.tolist(), [tuple(range(14))], scale=(1, 5))
    labels: list[int | None] = [t % 4 for t in range(13)]
    name, case = put(
        store, table, [*labels[:5], None, *labels[5:]], 3, rng.permutation(14).tolist()
    )
    check(store, name, case)
    for b, l in itertools.product((1, 2), (2, 4)):  # noqa: E741
        coverage = coverage_of(
            np.array([label_of(case, t) for t in range(13)], np.int32), case.after
        )
        ((satisfied, *_),) = ask(store, "anonymize/coverage-check", name, b=b, l=l)
        assert satisfied is check_diversity(coverage, table, b, l)
    store.drop(name)


def label_of(case: Grouped, t: int) -> int:
    return next(number for number, group in enumerate(case.groups) if t in group)


@ON_ENGINES
def test_on_random_tables(store: GraphStore) -> None:
    @settings(
        max_examples=12 * DEPTH if store.engine == "embedded" else 2,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def as_defined(data: st.DataObject) -> None:
        issues = data.draw(st.integers(1, 5))
        row = st.lists(st.sampled_from([None, None, 1, 2, 5]), min_size=issues, max_size=issues)
        rows = data.draw(st.lists(row, min_size=1, max_size=9))
        labels = data.draw(
            st.lists(st.sampled_from([0, 1, 2, None]), min_size=len(rows), max_size=len(rows))
        )
        if set(labels) == {None}:
            return
        name, case = put(store, build(rows, issues=issues, scale=(1, 5)), labels, 1)
        try:
            check(store, name, case)
        finally:
            store.drop(name)

    as_defined()


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 2.0])
def test_components_that_are_cliques(store: GraphStore, loaded: Any, epsilon: float) -> None:
    rows = [(1, 1)] * 3 + [(3, 3)] * 2 + [(4, 3), (5, 3)] + [(None, 2)] * 2 + [(None, 3), (2, None)]
    dataset, case = loaded(build(rows, scale=(1, 5)), 2.0, ratings=True)
    asked = {"dataset": dataset, "run": "run", "k": 2, "epsilon": epsilon}
    found = find_query("partition/clique-components").run(store, **asked)
    near, parts = Case(case.table, 2.0).near(epsilon), components(case, epsilon)
    whole = [
        part
        for part in parts.values()
        if len(part) > 1 and all(set(part) == set(near[t]) for t in part)
    ]
    assert whole
    assert sorted(row[1] for row in found if row[2] is not None) == sorted(
        t for part in whole for t in part
    )
    run = Run(case, 2, epsilon, "position", whole, parts, {part[0]: "whole" for part in whole})
    for query_id in (
        "partition/members",
        "partition/cliques",
        "partition/sizes",
        "partition/check",
    ):
        expect(RUN_EXPECTED[query_id](run), store, query_id, dataset=dataset, run="run")
    listed = store.run("partition/decomposable-components", dataset=dataset, run="run").dicts()
    assert {one["component"] for one in listed if one["decomposable"]} == {
        part[0] for part in whole
    }


def problem_of(store: GraphStore, query_id: str, name: str, **params: Any) -> str:
    """The reason that every row gives, without the library's checks; nothing else is said."""
    asked = {"dataset": name, "run": "run", "grouping": "groups", **params}
    ((*nothing, problem),) = unguarded(store, query_id, **params_of(query_id, **asked))
    assert not any(nothing)
    return str(problem)


def test_what_cannot_be_said_is_not(store: GraphStore) -> None:
    name, _ = put(store, GOLDEN, [0, 0, 1, None], 1)
    whole_components(store, f"{name}/run", 2, 0.0, run="groups")  # u3 is in none of its cliques
    for query_id in GROUPED_EXPECTED:
        assert "leaves records of the release out" in problem_of(store, query_id, name)
        assert "no run of this name" in problem_of(store, query_id, name, grouping="another")
        with pytest.raises(
            ParameterError, match="grouping: found 'another', expected a run of dataset"
        ):
            store.run(query_id, **params_of(query_id, dataset=name, run="run", grouping="another"))
    # replaced: no release any more
    load(slices(GOLDEN, f"{name}/run", epsilon=0.0, ratings=True), store)
    for query_id in GROUPED_EXPECTED:
        assert "not completely loaded" in problem_of(store, query_id, name)
    ingest(GOLDEN, store, dataset=name, run="run", epsilon=0.0)
    whole_components(store, f"{name}/run", 1, 0.0, run="groups")
    for query_id in ("anonymize/link-confidence", "anonymize/link-confidence-by-group"):
        assert "without its key" in problem_of(store, query_id, name)
    assert not unguarded(
        store, "browse/predictive", dataset=name, run="run", grouping="groups", record="t1"
    )
    # nobody need be known
    assert ask(store, "anonymize/coverage-check", name, b=1, l=1)[0][0] is True
    store.drop(name)


def test_a_group_cut_into_cliques_does_not_count_as_several(store: GraphStore) -> None:
    name, _ = put(store, build([[5], [5], [5], [5]], issues=1, scale=(1, 5)), [0, 0, 0, 0], 2)
    try:
        assert ask(store, "anonymize/coverage-check", name, b=1, l=2)[0][0] is False
        halves = decompose(store, f"{name}/run", 2, 0.0, run="halves")
        assert len(halves.groups) == 2
        for query_id in GROUPED_EXPECTED:
            said = problem_of(store, query_id, name, grouping="halves")
            assert "no whole components" in said
    finally:
        store.drop(name)


def test_ratings_that_are_not_there_are_not_counted(embedded_store: GraphStore) -> None:
    store, (name, _) = embedded_store, load_case(embedded_store, GOLDEN, 0.0)
    ids = tuple(GOLDEN.record_ids.to_list())
    ingest(GOLDEN, store, dataset=name, run="run", epsilon=0.0, release_key=Key(ids, ids))
    whole_components(store, f"{name}/run", 1, 0.0, run="groups")
    for query_id in GROUPED_EXPECTED:
        assert "--ratings" in problem_of(store, query_id, name)
    store.drop(name)

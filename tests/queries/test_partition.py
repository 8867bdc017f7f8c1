"""The decomposition in a store answers as its definition does, step by step,
merges and loans included.
"""

from typing import Any

import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables

from queries.cases import EMBEDDED, ON_ENGINES, Case, expect, load_case, params_of, told, unguarded
from queries.greedy_oracle import RUN_EXPECTED, Run, after_a_loan, borrowing, combining, cost
from queries.oracle import agree
from queries.runs import LEFT, borrow, decompose, merge
from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.procedures import ORDERS
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.running import GraphStore


def ask(store: GraphStore, query_id: str, dataset: str, **params: Any) -> list[tuple[Any, ...]]:
    return told(store, query_id, dataset=dataset, run="run", **params)


def check(store: GraphStore, dataset: str, run: Run, *, ratings: bool = True) -> None:
    for query_id, wanted in RUN_EXPECTED.items():
        if ratings or query_id != "partition/merging-candidates":
            expect(wanted(run), store, query_id, **params_of(query_id, dataset=dataset, run="run"))


ASKED = [(3, 2.0, "position"), (2, 5.0, "fewest"), (2, 1.0, "position"), (1, 0.0, "fewest")]


@pytest.mark.parametrize("make", [table3, table1, table2])
def test_on_the_worked_examples(store: GraphStore, loaded: Any, make: Any) -> None:
    if store.engine != "embedded" and make is not table3:
        pytest.skip("one table shows that the engines agree, and a server takes its time")
    dataset, case = loaded(make(), 5.0, ratings=True)
    for k, epsilon, order in ASKED if store.engine == "embedded" else ASKED[:2]:
        found = decompose(store, dataset, k, epsilon, order, run="run")
        run = Run.of(case, k, epsilon, order)
        assert sorted(found.groups) == sorted(tuple(sorted(group)) for group in run.groups)
        assert found.left == tuple(run.left)
        check(store, dataset, run)


@EMBEDDED
def test_what_the_papers_say_of_their_tables(store: GraphStore, loaded: Any) -> None:
    two, _ = loaded(table2(), 3.0)
    assert decompose(store, two, 2, 2.0).groups == ((0, 1), (2, 3), (4, 5))
    assert decompose(store, two, 3, 2.0).left == (3, 4, 5)  # {t5, t6} has to borrow
    three, _ = loaded(table3(), 3.0)
    found = decompose(store, three, 3, 2.0, run="run")
    assert sorted(set(found.components.tolist())) == [0, 4, 6]
    assert found.groups == ((0, 1, 2),)


@ON_ENGINES
def test_on_random_tables(store: GraphStore) -> None:
    most = 30 * DEPTH if store.engine == "embedded" else 2

    @settings(max_examples=most, suppress_health_check=list(HealthCheck))
    @given(st.data(), tables(most_records=8), st.sampled_from(["strict", "wildcard"]))
    def as_defined(data: st.DataObject, table: RatingTable, nulls: str) -> None:
        epsilon = data.draw(st.sampled_from([0.0, 0.2, 1 / 3, 1.0, 2.0, 6.0]))
        k, order = data.draw(st.sampled_from([1, 2, 3, 4])), data.draw(st.sampled_from(ORDERS))
        dataset, case = load_case(store, table, epsilon, nulls=nulls, ratings=True)
        try:
            decompose(store, dataset, k, epsilon, order, run="run")
            run = Run.of(case, k, epsilon, order)
            check(store, dataset, run)
            borrowers = data.draw(st.sampled_from(list(run.parts.values())))[
                : data.draw(st.integers(1, 3))
            ]
            ids = [case.ids[t] for t in borrowers]
            found = ask(store, "partition/borrowing-candidates", dataset, records=ids)
            assert agree(found, borrowing(run, borrowers))
            names = data.draw(
                st.lists(st.sampled_from(list(run.parts)), min_size=1, max_size=2, unique=True)
            )
            found = ask(store, "partition/combining-candidates", dataset, components=names)
            assert agree(found, combining(run, names))
            asking = [t for t in borrowers if t in run.left]
            others = [t for part in run.parts.values() if not set(asking) & set(part) for t in part]
            if asking and others and len(asking) + 1 >= k:
                lend(store, dataset, run, asking, data.draw(st.sampled_from(others)))
        finally:
            store.drop(dataset)

    as_defined()


def lend(store: GraphStore, dataset: str, run: Run, asking: list[int], u: int) -> None:
    """A loan is made just where it breaks nobody's clique,
    and the lender has the cliques that it has to.
    """
    ids, groups = run.case.ids, after_a_loan(run, u)
    if groups is None:
        with pytest.raises(ParameterError, match="lent"):
            borrow(store, dataset, "run", [ids[t] for t in asking], ids[u])
        return
    found = borrow(store, dataset, "run", [ids[t] for t in asking], ids[u]).groups
    (part,) = (part for part in run.parts.values() if u in part)
    untouched = [group for group in run.groups if not set(group) & set(part)]
    assert sorted(found) == sorted(
        tuple(sorted(group)) for group in [*groups, *untouched, [*asking, u]] if group
    )
    assert all(len(group) >= run.k for group in found)


def test_what_nobody_rates_costs_nothing(store: GraphStore, loaded: Any) -> None:
    """Issues without a rating among borrowers and lender, a lender that rates nothing,
    a scale without 0.
    """
    rows = [
        (1, None, None),
        (3, None, 2),
        (None, None, 5),
        (5, None, None),
        (None, None, None),
        (2, 4, None),
    ]
    dataset, case = loaded(build(rows, scale=(1, 5)), 0.0, ratings=True)
    decompose(store, dataset, 1, 0.0, run="run")
    run = Run.of(case, 1, 0.0, "position")
    for t in range(len(rows)):
        found = ask(store, "partition/borrowing-candidates", dataset, records=[case.ids[t]])
        assert agree(found, borrowing(run, [t]))
        found = ask(store, "partition/combining-candidates", dataset, components=[t])
        assert agree(found, combining(run, [t]))


def apart(ratings: list[float]) -> float:
    return max(ratings, default=0.0) - min(ratings, default=0.0)


def drawn(store: GraphStore, dataset: str, case: Case, group: list[int], epsilon: float) -> None:
    """A mended group is drawn with its pairs, its ratings and the cost of each item."""
    rows = store.run("browse/mended", dataset=dataset, run="run", clique=-1).dicts()
    assert list(dict.fromkeys(row["r"]["properties"]["position"] for row in rows)) == group
    assert all(row["c"]["properties"]["id"] in group for row in rows)
    near = case.near(epsilon)
    pairs = {pair.key for row in rows for pair in row["pairs"]}
    assert len(pairs) == sum(b in near[a] for a in group for b in group if a < b)
    ratings = proximity.ratings(case.table)
    costs: dict[int, set[float]] = {}
    for row in rows:
        item = row["i"]["properties"]["position"]
        costs.setdefault(item, set()).add(row["cost"])
        own = ratings[row["r"]["properties"]["position"]]
        assert (row["t"] or {"properties": {}})["properties"].get("rating") == own.get(item)
    rated = {
        item: [ratings[t][item] for t in group if item in ratings[t]]
        for item in range(case.table.n_issues)
    }
    for item, found in rated.items():
        if len(found) == len(group):  # a missing rating is as 0, or is not there
            assert (item in costs) == (apart(found) > epsilon)
    assert all(len(one) == 1 for one in costs.values())
    total = cost(case.table, group, epsilon, case.nulls)
    assert sum(max(one) for one in costs.values()) == pytest.approx(total)


def test_a_merge(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(table3(), 3.0, ratings=True)
    decompose(store, dataset, 3, 2.0, run="run")
    assert ask(store, "partition/merging-candidates", dataset) == [(4.0, 4, 6, 4, None)]
    assert not store.run("browse/mended", dataset=dataset, run="run", clique=-1).rows
    found = merge(store, dataset, "run", 4, 6)
    assert (found.groups, found.left) == (((0, 1, 2), (4, 5, 6, 7)), (3,))
    merged = Run(
        case, 3, 2.0, "position", [[0, 1, 2], [4, 5, 6, 7]], {0: [0, 1, 2, 3], 4: [4, 5, 6, 7]},
        {0: "greedy", 4: "merged"},
    )  # fmt: skip
    check(store, dataset, merged)
    drawn(store, dataset, case, [4, 5, 6, 7], 2.0)
    assert not store.run("browse/mended", dataset=dataset, run="run", clique=0).rows  # greedy
    for a, b in [(4, 6), (0, 4), (0, 0), (1, 2)]:
        with pytest.raises(ParameterError):
            merge(store, dataset, "run", a, b)
    check(store, dataset, merged)  # what was refused has changed nothing


def test_a_loan(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(table2(), 3.0, ratings=True)
    decompose(store, dataset, 3, 2.0, run="run")
    # t1 or t3 would break their component
    both = [(8.0, "t2", 1, 0, None), (11.0, "t4", 3, 0, None)]
    assert ask(store, "partition/borrowing-candidates", dataset, records=["t5", "t6"]) == both
    for records, lent in [
        (["t5", "t6"], "t1"), (["t5"], "t6"), (["t5", "t1"], "t2"), (["t1"], "t5"), ([], "t1"),
        (["t5", "t6"], "nobody"), (["nobody"], "t1"),
    ]:  # fmt: skip
        with pytest.raises(ParameterError):
            borrow(store, dataset, "run", records, lent)
    check(store, dataset, Run.of(case, 3, 2.0, "position"))  # what was refused has changed nothing
    found = borrow(store, dataset, "run", ["t5", "t6"], "t2")
    assert (found.groups, found.left) == (((0, 2, 3), (1, 4, 5)), ())
    parts, made = {0: [0, 2, 3], 4: [1, 4, 5]}, {0: "greedy", 4: "borrowed"}
    lent = Run(case, 3, 2.0, "position", [[0, 2, 3], [4, 1, 5]], parts, made)
    check(store, dataset, lent)
    drawn(store, dataset, case, [1, 4, 5], 2.0)
    # everybody is placed, but not in a clique yet
    assert ask(store, "partition/check", dataset)[0][0] is False


def test_loans_make_a_group_of_k_or_nothing(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(
        build([(1,), (1,), (1,), (1,), (1,), (9,)], scale=(1, 9)), 1.0, ratings=True
    )
    decompose(store, dataset, 3, 1.0, run="run")
    before = Run.of(case, 3, 1.0, "position")
    for lent in ("t1", ["t1"], [], ["t1", "t1"], ["t1", "t2", "t3"], ["t1", "t6"]):
        with pytest.raises(ParameterError, match="lent"):  # too few; or too few for those who lend
            borrow(store, dataset, "run", ["t6"], lent)
    check(store, dataset, before)
    found = borrow(store, dataset, "run", ["t6"], ["t1", "t2"])
    assert (found.groups, found.left) == (((0, 1, 5), (2, 3, 4)), ())
    parts, made = {2: [2, 3, 4], 5: [0, 1, 5]}, {2: "greedy", 0: "borrowed"}  # t1 named what lent
    check(store, dataset, Run(case, 3, 1.0, "position", [[2, 3, 4], [0, 1, 5]], parts, made))


@EMBEDDED
def test_a_joiner_takes_the_nearest_clique_and_leaves_room(store: GraphStore, loaded: Any) -> None:
    rows = [(1,), (1,), (4,), (4,), (3,), (-1,), (7,), (100,)]
    dataset, case = loaded(build(rows, scale=(-1, 100)), 3.0, ratings=True)
    found = decompose(store, dataset, 2, 3.0, run="run")
    # t5 could join the first clique, and t6 then none
    assert found.groups == ((0, 1, 5), (2, 3, 4))
    run = Run.of(case, 2, 3.0, "position")
    check(store, dataset, run)
    assert borrowing(run, [7])[0][2] == 6
    assert agree(
        ask(store, "partition/borrowing-candidates", dataset, records=["t8"]), borrowing(run, [7])
    )


def test_two_small_cliques_become_one(store: GraphStore, loaded: Any) -> None:
    """[SWLP10, Fig. 9]: {t1, t2} with {t1, t3}, or {t1, t3} with {t3, t4};
    t5 is a component of its own.
    """
    dataset, case = loaded(build([(4,), (6,), (2,), (1,), (9,)], scale=(1, 9)), 2.0, ratings=True)
    decompose(store, dataset, 3, 2.0, run="run")
    run = Run.of(case, 3, 2.0, "position")
    assert run.parts == {0: [0, 1, 2, 3], 4: [4]}
    found = ask(store, "partition/combining-candidates", dataset, components=[0])
    assert found == [
        (1.0, 3, ["t1", "t3"], ["t3", "t4"], None),
        (2.0, 3, ["t1", "t2"], ["t1", "t3"], None),
    ]
    assert agree(found, combining(run, [0]))
    both = ask(store, "partition/combining-candidates", dataset, components=[0, 4])
    assert both == found  # t5 alone is smaller than the largest
    ((*values, problem),) = ask(store, "partition/combining-candidates", dataset, components=[3])
    assert "no such component" in problem
    assert not any(values)


def test_too_many_cliques_to_combine_are_no_endless_search(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(build([(1,)] * 24, scale=(1, 5)), 0.0, ratings=True)
    decompose(store, dataset, 30, 0.0, run="run")
    ((*values, problem),) = ask(store, "partition/combining-candidates", dataset, components=[0])
    assert "more than 2,000 cliques of 3" in problem
    assert not any(values)
    # 134,596 of them, but the run has placed everybody
    decompose(store, dataset, 6, 0.0, run="run")
    ((*values, problem),) = ask(store, "partition/combining-candidates", dataset, components=[0])
    assert "have a clique of k" in problem
    assert not any(values)


@EMBEDDED
def test_nulls_are_filled_in_from_a_window_at_0(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(build([(-5, 1), (4, 1), (None, 1)], scale=(-5, 10)), 1.0, ratings=True)
    decompose(store, dataset, 1, 1.0, run="run")
    (row,) = ask(store, "partition/borrowing-candidates", dataset, records=["t1", "t2"])
    assert row == (8.0, "t3", 2, 2, None)  # into [-1, 0] and 0; erasing would cost 9


@EMBEDDED
def test_the_jobs_are_asked_by_name(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table3(), 3.0)
    named = {"dataset": dataset, "run": "run"}
    seen: list[str] = []
    result = find_query("partition/decompose").run(
        store,
        **named,
        k=3,
        epsilon=2,
        order="position",
        progress=lambda what, *_: seen.append(what),
    )
    assert result.column("clique") == [0, 0, 0, None, None, None, None, None]
    assert seen
    result = find_query("partition/merge").run(store, **named, a=4, b=6)
    assert result.column("clique") == [0, 0, 0, None, 4, 4, 4, 4]
    asked = find_query("partition/borrow").run(
        store, **named, records=["t5", "t6", "t7", "t8"], lent="t4"
    )
    assert asked.column("clique") == [0, 0, 0, 4, 4, 4, 4, 4]
    with pytest.raises(ParameterError, match="k"):
        find_query("partition/decompose").run(store, **named, epsilon=2, order="position")


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"epsilon": -1.0}, {"epsilon": 3.5}, {"order": "least"}, {"run": ""}],
)
@EMBEDDED
def test_what_is_not_asked_rightly(store: GraphStore, loaded: Any, wrong: dict[str, Any]) -> None:
    dataset, _ = loaded(table2(), 3.0)
    with pytest.raises(ParameterError):
        decompose(store, dataset, **{"k": 2, "epsilon": 1.0, **wrong})
    assert not store.run("partition/runs/list", dataset=dataset).rows


@EMBEDDED
def test_costs_need_the_ratings(store: GraphStore, loaded: Any) -> None:
    dataset, case = loaded(table3(), 3.0)
    decompose(store, dataset, 3, 2.0, run="run")
    check(store, dataset, Run.of(case, 3, 2.0, "position"), ratings=False)
    for query_id, more in [
        ("partition/merging-candidates", {}),
        ("partition/borrowing-candidates", {"records": ["t5"]}),
        ("partition/combining-candidates", {"components": [4]}),
    ]:
        ((*values, problem),) = ask(store, query_id, dataset, **more)
        assert "--ratings" in problem
        assert not any(values)


def test_ratings_of_hand_are_measured_exactly() -> None:
    """The oracle's costs are those that the definition's examples give."""
    table = build([(1, 5), (4, 5), (2, None), (2, None)], scale=(1, 5))
    assert cost(table, [0, 1], 1.0, "strict") == 2.0  # 1 and 4 into a window of 1
    # 4 is filled in beside 5, which would cost 5 to erase
    assert cost(table, [0, 2], 1.0, "strict") == 4.0
    assert cost(table, [0, 2], 1.0, "wildcard") == 0.0


@EMBEDDED
def test_left_out_is_said(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table1(), 5.0)
    found = decompose(store, dataset, 2, 1.0)
    assert found.labels.tolist() == [LEFT, 0, 0, 1, 1]
    assert found.record_ids == ("t1", "t2", "t3", "t4", "t5")


@EMBEDDED
def test_a_run_that_is_not_there(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table1(), 5.0)
    for query_id in set(RUN_EXPECTED) - {"partition/runs/list"}:
        with pytest.raises(ParameterError, match=r"run: found 'run', expected a run of dataset"):
            ask(store, query_id, dataset)
        rows = unguarded(store, query_id, dataset=dataset, run="run")
        assert all(
            row[-1] == "the dataset has no run of this name" and not any(row[:-1]) for row in rows
        )
    for change in (
        lambda: merge(store, dataset, "run", 0, 1),
        lambda: borrow(store, dataset, "run", ["t1"], "t2"),
    ):
        with pytest.raises(ParameterError, match="expected a run"):
            change()

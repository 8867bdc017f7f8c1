"""The sizes in the records answer what counting the pairs does,
whichever pairs are in the store.
"""

import dataclasses
import itertools
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from depth import DEPTH
from golden.tables import build, table1
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.strategies import tables

from queries.cases import ON_ENGINES, expect, params_of, told, unguarded
from queries.oracle import EXPECTED, Case
from ratingpriv import RatingTable
from ratingpriv.base.errors import ParameterError, QueryFailedError
from ratingpriv.graph.auditing import audit_numbers
from ratingpriv.graph.catalogue import catalogue
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import RecordBatch
from ratingpriv_loaders.graph.slices import Slices, load, slices

BY_SIZES = sorted(
    query_id
    for query_id, one in catalogue().items()
    if "PROXIMATE-OR-SIZES" in one.reads and not one.writes
)


def put(store: GraphStore, prepared: Slices) -> str:
    name = f"sizes {uuid.uuid4().hex[:12]}"
    load(dataclasses.replace(prepared, spec=dataclasses.replace(prepared.spec, name=name)), store)
    return name


class WithoutSizes(Slices):
    """As a dataset was ingested before records had sizes: the queries count pairs."""

    def records(self, size: int = 0) -> Iterator[RecordBatch]:
        yield from (dataclasses.replace(batch, sizes=None) for batch in super().records())


def put_without_sizes(store: GraphStore, prepared: Slices) -> str:
    spec = dataclasses.replace(prepared.spec, levels=(), every_level=False)
    parts = {field.name: getattr(prepared, field.name) for field in dataclasses.fields(prepared)}
    return put(store, WithoutSizes(**{**parts, "spec": spec}))


def test_what_needs_sizes_alone() -> None:
    assert {"audit/degree-check", "audit/degree-violators", "audit/risk-summary"} <= set(BY_SIZES)
    for query_id in BY_SIZES:
        assert catalogue()[query_id].complexity.startswith("O(records)")


@ON_ENGINES
@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_on_random_tables(store: GraphStore, nulls: str) -> None:
    @settings(
        max_examples=10 * DEPTH if store.engine == "embedded" else 3,
        suppress_health_check=list(HealthCheck),
    )
    @given(tables(most_records=8), st.sampled_from([0.0, 0.2, 1.0, 2.5, 6.0]), st.integers(2, 4))
    def three_ways(table: RatingTable, reach: float, k: int) -> None:
        every = slices(table, "x", epsilon=reach, nulls=nulls)
        some = slices(table, "x", epsilon=reach, nulls=nulls, edges="at-risk", k=k)
        names = [put(store, every), put_without_sizes(store, every), put(store, some)]
        case = Case(table, reach, nulls)
        try:
            check_sizes(store, case, names[0])
            for epsilon in sorted({0.0, reach / 2, reach, *every.spec.levels}):
                for query_id in BY_SIZES:
                    if not query_id.startswith("quasi/"):
                        alike(store, query_id, case, names, {"epsilon": epsilon, "k": k})
        finally:
            for name in names:
                store.drop(name)

    three_ways()


def test_marks_and_pictures_are_those_of_counted_pairs(store: GraphStore) -> None:
    table = build([(1, 1)] * 6 + [(2, 1)] * 3 + [(5, 5), (4, 3), (3, 3)], scale=(1, 5))
    every = slices(table, "x", epsilon=2.0)
    some = slices(table, "x", epsilon=2.0, edges="at-risk", k=4)
    names, case = (
        [put_without_sizes(store, every), put(store, every), put(store, some)],
        Case(table, 2.0),
    )
    text = (
        "MATCH (r:Record {dataset: $dataset}) RETURN r.position AS position, r.neighbourhood AS "
        "size, "
        "labels(r) AS labels ORDER BY position"
    )
    try:
        for epsilon, k in itertools.product((0.0, 1.0, 1.5, 2.0), (1, 2, 4)):
            sizes, marked = case.sizes(epsilon), []
            for name in names:
                found = store.run("browse/mark", dataset=name, k=k, epsilon=epsilon)
                assert found.rows == ((len(sizes), sum(size < k for size in sizes)),)
                rows = store.run(text, dataset=name).rows
                assert [size for _, size, _ in rows] == sizes
                marked.append([(place, sorted(labels)) for place, _, labels in rows])
            assert marked[0] == marked[1] == marked[2]
            wanted = EXPECTED["browse/at-risk"](case, "x", k=k, epsilon=epsilon)
            for name in names[: 3 if (k, epsilon) == (4, 2.0) else 2]:
                expect(wanted, store, "browse/at-risk", dataset=name, k=k, epsilon=epsilon)
    finally:
        for name in names:
            store.drop(name)


def check_sizes(store: GraphStore, case: Case, name: str) -> None:
    levels = {distance: case.sizes(distance) for distance in store.dataset(name).spec.levels}
    wanted = [
        (distance, len(sizes), sum(sizes) - len(sizes), 0) for distance, sizes in levels.items()
    ]
    assert store.run("audit/sizes-check", dataset=name).rows == tuple(wanted)


def alike(
    store: GraphStore, query_id: str, case: Case, names: list[str], asked: dict[str, Any]
) -> None:
    wanted = EXPECTED[query_id](case, **params_of(query_id, dataset="x", **asked))
    for name in names:
        spec, params = store.dataset(name).spec, params_of(query_id, dataset=name, **asked)
        if spec.edges == "all" or spec.level_at(asked["epsilon"]) is not None:
            expect(wanted, store, query_id, **params)
            continue
        with pytest.raises(ParameterError, match="the distances at which records have their sizes"):
            store.run(query_id, **params)
        for row in unguarded(store, query_id, **params):
            assert "no sizes at this epsilon" in str(row[-1])


def test_all_records_are_judged_where_no_pair_is_in_the_store(
    store: GraphStore, loaded: Any
) -> None:
    table = build([(1, 1)] * 3 + [(2, 1)] * 2 + [(5, 5)] * 4, [(1,) * 9], scale=(1, 5))
    dataset, _ = loaded(table, 3.0, edges="at-risk", k=2)
    assert store.dataset(dataset).spec.pairs == 0
    assert store.dataset(dataset).spec.levels == (0.0, 1.0, 3.0)
    asked = {"dataset": dataset, "k": 5}
    for epsilon, sizes in (
        (0.0, (2, 3, 4)),
        (0.5, (2, 3, 4)),
        (1.0, (4, 5)),
        (2.9, (4, 5)),
        (3.0, (4, 5)),
    ):
        check = store.run("audit/degree-check", **asked, epsilon=epsilon).dicts()[0]
        assert (check["satisfied"], check["records"], check["min_size"]) == (False, 9, sizes[0])
        found = store.run("audit/risk-histogram", dataset=dataset, epsilon=epsilon)
        assert tuple(found.column("size")) == sizes
    with pytest.raises(ParameterError, match="needs no other pairs"):
        store.run("audit/neighbourhood", dataset=dataset, record="t1", epsilon=1.0)


def test_between_levels_of_real_ratings_nothing_is_guessed(store: GraphStore, loaded: Any) -> None:
    table = build([(0.1234567890123,), (0.2234567890124,), (0.7,)])
    some, _ = loaded(table, 0.25, edges="at-risk", k=2)
    every, _ = loaded(table, 0.25)
    assert store.dataset(some).spec.levels == (0.0, 0.25)
    assert not store.dataset(some).spec.every_level
    for epsilon, low in ((0.0, 3), (0.25, 1)):
        for name in (some, every):
            found = store.run("audit/degree-check", dataset=name, k=2, epsilon=epsilon).dicts()[0]
            assert (found["violators"], found["records"]) == (low, 3)
    with pytest.raises(ParameterError, match=r"0 or 0.25, the distances at which"):
        store.run("audit/degree-check", dataset=some, k=2, epsilon=0.1)
    found = store.run("audit/degree-check", dataset=every, k=2, epsilon=0.1).dicts()[0]
    assert found["violators"] == 3  # counted: 0.2234567890124 is further than 0.1 away
    assert (
        store.run("audit/degree-check", dataset=every, k=2, epsilon=0.11).dicts()[0]["violators"]
        == 1
    )


def test_one_ingested_before_there_were_sizes(store: GraphStore, loaded: Any) -> None:
    old = put_without_sizes(store, slices(table1(), "x", epsilon=5.0))
    few = put_without_sizes(store, slices(table1(), "x", epsilon=5.0, edges="at-risk", k=2))
    new, _ = loaded(table1(), 5.0)
    try:
        for query_id in set(BY_SIZES) - {"quasi/at-risk"}:
            expect(
                told(store, query_id, **params_of(query_id, dataset=old)),
                store, query_id, **params_of(query_id, dataset=new),
            )  # fmt: skip
            with pytest.raises(
                ParameterError, match=r"none without sizes.*so that records have their sizes"
            ):
                store.run(query_id, **params_of(query_id, dataset=few))
    finally:
        store.drop(old)
        store.drop(few)


def test_a_record_without_sizes_satisfies_nothing(embedded_store: GraphStore, loaded: Any) -> None:
    """Of another tool, or taken away behind our back."""
    with_all = build([(1,)] * 4, scale=(1, 5))
    name = put(embedded_store, slices(with_all, "x", epsilon=1.0))
    text = "MATCH (r:Record {dataset: $dataset, position: 2}) REMOVE r.sizes"
    embedded_store._db.execute_cypher(text, {"dataset": name})
    try:
        asked = {"dataset": name, "k": 2, "epsilon": 1.0}
        check = embedded_store.run("audit/degree-check", **asked).dicts()[0]
        assert (check["satisfied"], check["violators"], check["records"]) == (False, 1, 4)
        assert embedded_store.run("audit/degree-violators", **asked).column("record") == ["t3"]
        assert embedded_store.run("audit/risk-summary", **asked).dicts()[0]["share_below_k"] == 0.25
        wrong = [row[3] for row in embedded_store.run("audit/sizes-check", dataset=name)]
        assert wrong == [1] * len(wrong)
        with pytest.raises(QueryFailedError, match="do not fit together"):
            audit_numbers(embedded_store, name, 1.0)
    finally:
        embedded_store.drop(name)

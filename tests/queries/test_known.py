"""The rule known in Cypher: the queries, and the audit of a dataset made from them,
on every store.
"""

from collections.abc import Callable, Iterator
from typing import Any

import known_samples
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.strategies import tables

from queries.cases import ON_ENGINES, Loaded, expect, load_case, params_of, unguarded, with_nulls
from queries.known_oracle import KNOWN_EXPECTED
from ratingpriv import RatingTable, audit, audit_stored
from ratingpriv.audit.known import known_ratings
from ratingpriv.base.errors import ParameterError, QueryTimedOutError
from ratingpriv.graph import auditing
from ratingpriv.graph.catalogue import catalogue
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.running import GraphStore


def nested() -> RatingTable:
    """Supports in one another, two records without any.

    A sensitive issue of no decimals, one of nothing.
    """
    return build(
        [(3, None), (3, 4), (None, 4), (None, None), (2, 3), (None, None)],
        [(5, 1, None, 9, 2, 2), (1 / 3, None, 2**0.5, 1 / 7, -3, 0.1), (None,) * 6],
        scale=(1, 5),
    )


def tenths() -> RatingTable:
    return build([(0.6, None), (0.8, 0.1), (1.0, 0.3), (None, 0.2)], [(1, 2, 3, 4)], scale=(0, 1))


def thirds() -> RatingTable:
    return build(
        [(1 / 3, 2 / 3), (2 / 3, None), (1.0, 4 / 3), (1 / 3, None)], [(1, 2, 3, 4)], scale=(0, 2)
    )


MAKE: dict[str, Callable[[], RatingTable]] = {
    "table 1": table1, "table 2": table2, "table 3": table3, "nulls": with_nulls, "nested": nested,
    "tenths": tenths, "thirds": thirds,
}  # fmt: skip


def questions(table: RatingTable, query_id: str) -> Iterator[dict[str, Any]]:
    """Parameters worth asking: all records and some, whole numbers of decimals."""
    names = {p.name for p in catalogue()[query_id].params}
    for epsilon in (0, 1, 5):
        asked: dict[str, Any] = {
            "k": 2 + epsilon, "rating_unit": 10.0, "reach": 10.0 * epsilon, "first": epsilon % 2,
            "last": 99 if epsilon else 3, "groups": 1 + epsilon,
            "record": table.record_ids[-1 if epsilon else 0],
        }  # fmt: skip
        for column in table.sensitive if "issue" in names else table.sensitive[:1]:
            yield {
                name: value
                for name, value in {**asked, "issue": column.name}.items()
                if name in names
            }


@pytest.mark.parametrize("query_id", KNOWN_EXPECTED)
@pytest.mark.parametrize("name", [name for name in MAKE if name != "thirds"])
def test_queries(
    store: GraphStore, loaded: Callable[..., Loaded], name: str, query_id: str
) -> None:
    dataset, case = loaded(MAKE[name](), 1.0, ratings=True)
    for params in questions(case.table, query_id):
        expect(
            KNOWN_EXPECTED[query_id](case, dataset, **params),
            store,
            query_id,
            dataset=dataset,
            **params,
        )


UNITS = sorted(
    (query_id, parameter.name)
    for query_id, found in catalogue().items()
    for parameter in found.params
    if parameter.names == "rating-unit"
)


@pytest.mark.parametrize(("query_id", "name"), UNITS)
def test_a_unit_that_would_round_a_rating_is_refused(
    store: GraphStore, loaded: Callable[..., Loaded], query_id: str, name: str
) -> None:
    """Ratings 1.4 and 0.6 are not equal, whatever somebody says of the decimals."""
    table = build([(1.4,), (0.6,), (1.4,)], [(0.5, 0.25, 1)], scale=(0, 2))
    dataset, _ = loaded(table, 1.0, ratings=True)
    asked = params_of(query_id, dataset=dataset, k=3, rating_unit=10.0, reach=0.0, issue="issue 2")
    assert len(store.run(query_id, **asked)) > 0
    for wrong in (1.0, 0.1, 2.0, 1e18):
        with pytest.raises(ParameterError, match=f"^{name}: found .*decimals of the ratings"):
            store.run(query_id, **{**asked, name: wrong})
        if query_id == "audit/known-violators":
            (row,) = unguarded(store, query_id, **{**asked, name: wrong})
            assert row == (None, None, None, None, "rating_unit does not make every rating whole")


def same_audit(
    store: GraphStore,
    dataset: str,
    table: RatingTable,
    epsilon: float,
    l: float | None,  # noqa: E741
) -> None:
    """The stored dataset's audit is the table's: sizes, SDs, verdicts and what is said."""
    for rule in ("paper", "ignore"):
        of_table = audit(table, k=2, epsilon=epsilon, l=l, nulls="known", sensitive_nulls=rule)
        stored = audit_stored(
            store.dataset(dataset), k=2, epsilon=epsilon, l=l, nulls="known", sensitive_nulls=rule
        )
        assert stored.sizes.tolist() == of_table.sizes.tolist()
        assert stored.neighbourhood_sizes == of_table.neighbourhood_sizes
        assert stored.k_epsilon == of_table.k_epsilon
        assert stored.cautions == of_table.cautions
        assert stored.inference == of_table.inference
        for column in table.sensitive:
            np.testing.assert_allclose(
                stored.sd(column.name), of_table.sd(column.name), rtol=1e-9, atol=1e-9
            )
        assert stored.satisfied_by_record.tolist() == of_table.satisfied_by_record.tolist()


@pytest.mark.parametrize("name", MAKE)
def test_audit(store: GraphStore, loaded: Callable[..., Loaded], name: str) -> None:
    dataset, case = loaded(MAKE[name](), 0.0, ratings=True, nulls="wildcard")
    for epsilon in (0, 0.1, 0.2, 1 / 3, 1, 5, 1e300):  # above the epsilon of the ingest, too
        same_audit(store, dataset, case.table, epsilon, 1.0)


@ON_ENGINES
def test_audit_of_random_tables(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "_WORK", 7)  # so that there are several slices

    @settings(
        max_examples=40 * DEPTH if store.engine == "embedded" else 6,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(tables(most_records=8), st.sampled_from([0.0, 0.2, 1.0, 2.0, 6.0]))
    def all_tables(table: RatingTable, epsilon: float) -> None:
        dataset, _ = load_case(store, table, 0.0, ratings=True)
        try:
            same_audit(store, dataset, table, epsilon, 1.0 if table.sensitive else None)
        finally:
            store.drop(dataset)

    all_tables()


@ON_ENGINES
def test_two_known_ratings_are_those_of_the_engine(store: GraphStore) -> None:
    @settings(
        max_examples=13 * DEPTH if store.engine == "embedded" else 6,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(known_samples.tables(), st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]))
    def all_tables(table: RatingTable, k: int, epsilon: float) -> None:
        k = min(k, table.n_records)
        dataset, case = load_case(store, table, 0.0, ratings=True)
        asked: dict[str, Any] = {"dataset": dataset, "k": k, "rating_unit": 1.0, "reach": epsilon}
        decided = known_ratings(table, k=k, epsilon=epsilon, m=2)
        try:
            rows = store.run("audit/known-pairs", **asked, first=0, last=99).dicts()
            for t, smallest in enumerate(decided.smallest_m.tolist()):
                sizes = [2 - (row["issue_j"] is None) for row in rows if row["position"] == t]
                assert min(sizes, default=0) == smallest
                drawn = store.run("browse/identifying", **asked, record=case.ids[t]).dicts()
                assert {row["left"] or 0 for row in drawn} == {int(decided.fewest[t])}
                known = {
                    row["issue"]["properties"]["name"]: row["known"]["properties"]["rating"]
                    for row in drawn
                    if smallest
                }
                assert known == (decided.witness(t) if smallest else {})
        finally:
            store.drop(dataset)

    all_tables()


def test_a_statement_that_takes_too_long_is_asked_by_halves(
    embedded_store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine ends what takes it longer than its limit, on a busy machine anything."""
    run, refused = embedded_store.run, 0

    def slow(query_id: str, /, **params: Any) -> Any:
        nonlocal refused
        if params.get("last", 0) - params.get("first", 0) > 2:
            refused += 1
            raise QueryTimedOutError(embedded_store.uri, "it took too long", "ask for less")
        return run(query_id, **params)

    dataset, case = load_case(embedded_store, nested(), 0.0, ratings=True)
    monkeypatch.setattr(embedded_store, "run", slow)
    try:
        same_audit(embedded_store, dataset, case.table, 1, 1.0)
        monkeypatch.setattr(
            embedded_store, "run", lambda *_, **__: slow("audit/known-sizes", last=9)
        )
        with pytest.raises(QueryTimedOutError):
            audit_stored(embedded_store.dataset(dataset), k=2, epsilon=1, nulls="known")
    finally:
        monkeypatch.undo()
        embedded_store.drop(dataset)
    assert refused


@pytest.mark.parametrize(
    "query_id", ["audit/known-counts", "audit/known-sizes", "audit/known-pairs"]
)
def test_what_an_engine_ends_is_asked_by_halves_by_name_too(
    embedded_store: GraphStore, monkeypatch: pytest.MonkeyPatch, query_id: str
) -> None:
    dataset, _ = load_case(embedded_store, nested(), 0.0, ratings=True)
    asked: dict[str, Any] = {
        "dataset": dataset, "k": 3, "issue": "issue 3", "rating_unit": 1.0, "reach": 1.0,
        "first": 1,
        "last": 99,
    }  # fmt: skip
    asked = {
        name: asked[name]
        for name in asked
        if name in {p.name for p in catalogue()[query_id].params}
    }
    run, ended, most = embedded_store.run, 0, 1

    def slow(asked_id: str, /, **params: Any) -> Any:
        nonlocal ended
        if params.get("last", 0) - params.get("first", 0) > most:
            ended += 1
            raise QueryTimedOutError(embedded_store.uri, "it took too long", "ask for less")
        return run(asked_id, **params)

    whole = run(query_id, **asked)
    monkeypatch.setattr(embedded_store, "run", slow)
    try:
        assert find_query(query_id).run(embedded_store, **asked) == whole
        most = 0
        with pytest.raises(QueryTimedOutError):
            find_query(query_id).run(embedded_store, **asked)
    finally:
        monkeypatch.undo()
        embedded_store.drop(dataset)
    assert len(whole) > 1
    assert ended > 3


def test_pairs_are_not_needed(store: GraphStore, loaded: Callable[..., Loaded]) -> None:
    dataset, case = loaded(nested(), 0.0, edges="at-risk", k=2, ratings=True)
    same_audit(store, dataset, case.table, 1, 1.0)


def test_without_ratings_it_is_refused(store: GraphStore, loaded: Callable[..., Loaded]) -> None:
    dataset, _ = loaded(table1(), 5.0)
    with pytest.raises(
        ParameterError, match=r"non-sensitive ratings.*ingest it again with `ratings=True`"
    ):
        audit_stored(store.dataset(dataset), k=2, epsilon=1, nulls="known")
    whole = {"dataset": dataset, "rating_unit": 1.0, "reach": 1.0}
    (row,) = store.run("audit/known-pairs", **whole, k=2, first=0, last=9).rows
    assert "--ratings" in row[-1]
    (row,) = store.run("browse/identifying", **whole, k=2, record="t1").rows
    assert "--ratings" in row[-1]
    assert store.run("audit/known-sizes", **whole, first=0, last=9).rows == ()
    ((*rest, problem),) = store.run("audit/known-violators", **whole, k=1).rows
    assert rest == [None] * 4
    assert "--ratings" in problem


def test_no_reassuring_nothing(store: GraphStore, loaded: Callable[..., Loaded]) -> None:
    dataset, _ = loaded(table1(), 5.0, ratings=True)
    for wrong in ({"reach": -1.0}, {"rating_unit": -1.0}):
        params = {"dataset": dataset, "rating_unit": 1.0, "reach": 1.0, **wrong}
        assert unguarded(store, "audit/known-sizes", **params, first=0, last=9) == []
        (row,) = unguarded(store, "audit/known-violators", **params, k=1)
        assert row[-1]

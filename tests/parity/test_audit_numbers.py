"""The numbers of an audit from the queries are those of the compiled engine,
equal where they are whole.
"""

from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, counterexample_bisection, table1, table2, table3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from properties.strategies import tables
from queries.cases import ENGINES, load_case, with_nulls

from ratingpriv import RatingTable
from ratingpriv.base.errors import DatasetIncompleteError, ParameterError, UnknownDatasetError
from ratingpriv.graph.auditing import audit_numbers
from ratingpriv.graph.running import GraphStore
from ratingpriv.proximity.hamming import hamming_groups
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv_loaders.graph.slices import slices


def check(
    store: GraphStore, dataset: str, table: RatingTable, epsilon: float, nulls: str = "strict"
) -> None:
    found = audit_numbers(store, dataset, epsilon)
    wanted = neighbourhoods(table, epsilon, nulls=nulls)
    assert found.sizes.tolist() == wanted.sizes.tolist()
    assert found.record_ids.to_list() == table.record_ids.to_list()
    assert found.hamming_group_sizes.tolist() == hamming_groups(table).sizes.tolist()
    assert (found.issues, found.dataset.spec.records) == (table.n_issues, table.n_records)
    assert [one.column.name for one in found.sensitive] == [
        moments.name for moments in wanted.moments
    ]
    for ours, moments in zip((one.moments for one in found.sensitive), wanted.moments, strict=True):
        assert ours.known.tolist() == moments.known.tolist()
        if moments.exact:
            assert (ours.shift, ours.decimals) == (moments.shift, moments.decimals)
            assert ours.sums.tolist() == moments.sums.tolist()
            assert ours.squares.tolist() == moments.squares.tolist()
        for rule in ("paper", "ignore"):
            sd = ours.sd(wanted.sizes, rule)
            np.testing.assert_allclose(sd, moments.sd(wanted.sizes, rule), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize("make", [table1, table2, table3, counterexample_bisection, with_nulls])
def test_on_the_worked_examples(store: GraphStore, loaded: Any, make: Any, nulls: str) -> None:
    table = make()
    dataset, _ = loaded(table, 5.0, nulls=nulls)
    for epsilon in (0.0, 1.0, 2.5, 5.0):
        check(store, dataset, table, epsilon, nulls)


@pytest.mark.parametrize("engine", ENGINES)
def test_on_random_tables(engine: str, request: pytest.FixtureRequest) -> None:
    store: GraphStore = request.getfixturevalue(f"{engine}_store")

    @settings(
        max_examples=30 * DEPTH if engine == "embedded" else 6,
        suppress_health_check=list(HealthCheck),
    )
    @given(tables(), st.sampled_from([0.0, 0.2, 1.0, 3.0]), st.sampled_from(["strict", "wildcard"]))
    def equal(table: RatingTable, epsilon: float, nulls: str) -> None:
        dataset, _ = load_case(store, table, epsilon, nulls=nulls)
        try:
            check(store, dataset, table, epsilon, nulls)
        finally:
            store.drop(dataset)

    equal()


@pytest.mark.parametrize(
    "sensitive",
    [
        [0.1, 0.2, 0.30000000000000004, 7.0],  # one of them is no decimal of nine places
        [1e9, -1e9, 0.5, 1e-9],  # their squares do not fit 63 bits
        [None, None, None, None],
        [1990.0, 1990.0, 2004.5, None],
    ],
)
def test_ratings_of_every_kind(
    store: GraphStore, loaded: Any, sensitive: list[float | None]
) -> None:
    table = build([(1,), (1,), (2,), (2,)], [sensitive], scale=(1, 5))
    dataset, _ = loaded(table, 1.0)
    for epsilon in (0.0, 1.0):
        check(store, dataset, table, epsilon)


def test_what_cannot_be_audited(store: GraphStore, loaded: Any) -> None:
    with pytest.raises(UnknownDatasetError):
        audit_numbers(store, "no such dataset", 1.0)
    dataset, _ = loaded(table1(), 1.0)
    with pytest.raises(ParameterError, match="epsilon"):
        audit_numbers(store, dataset, 2.0)
    with pytest.raises(ParameterError, match="epsilon"):
        audit_numbers(store, dataset, -1.0)
    risky, _ = loaded(build([(0.1234567890123,), (0.7,)]), 1.0, edges="at-risk", k=2)
    with pytest.raises(
        ParameterError, match="0 or 1, the distances at which records have their sizes"
    ):
        audit_numbers(store, risky, 0.5)
    prepared = slices(table1(), "broken off", epsilon=1.0)
    with store.begin_dataset(prepared.spec) as sink:
        sink.add_issues(prepared.issues())
    with pytest.raises(DatasetIncompleteError):
        audit_numbers(store, "broken off", 1.0)
    store.drop("broken off")


def test_sizes_of_all_records_where_only_pairs_at_risk_are_there(
    store: GraphStore, loaded: Any
) -> None:
    table = with_nulls()
    for nulls in ("strict", "wildcard"):
        dataset, _ = loaded(table, 5.0, edges="at-risk", k=3, nulls=nulls)
        for epsilon in (0.0, 1.0, 2.5, 5.0):
            found = audit_numbers(store, dataset, epsilon)
            wanted = neighbourhoods(table, epsilon, nulls=nulls)
            assert found.sizes.tolist() == wanted.sizes.tolist()
            assert (found.sensitive, found.unseen) == (
                (),
                tuple(one.name for one in table.sensitive),
            )
            assert found.issues == table.n_issues


def test_ratings_are_counted_whether_they_were_loaded_or_not(
    store: GraphStore, loaded: Any
) -> None:
    with_ratings, _ = loaded(table2(), 1.0, ratings=True)
    without, _ = loaded(table2(), 1.0)
    assert audit_numbers(store, with_ratings, 1.0).ratings == table2().n_ratings
    assert audit_numbers(store, without, 1.0).ratings == table2().n_ratings


def test_decimals_whose_difference_float64_does_not_have(store: GraphStore, loaded: Any) -> None:
    """100000000000000 and -0.001 are further than 100000000000000 apart,
    though float64 subtracts to it.
    """
    table = build([(-0.001,), (1e14,), (0.0,), (1e-10,), (2e-10,)])
    dataset, _ = loaded(table, 2e14, ratings=True)
    for epsilon in (0.0, 1e-10, 1.5e-10, 2e-10, 0.001, 1e14, 1e14 + 1 / 64):
        check(store, dataset, table, epsilon)
    assert audit_numbers(store, dataset, 1e14).sizes.tolist() == [4, 4, 5, 5, 5]
    with pytest.raises(ParameterError, match="subtract exactly"):
        audit_numbers(store, dataset, 1.0, known=True)

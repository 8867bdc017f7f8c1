"""The audit of a dataset in a store: as of a table, but for what only a table can be told."""

from collections.abc import Iterator

import pytest
from golden.tables import build

import ratingpriv
from ratingpriv.base.errors import ParameterError
from ratingpriv.graph import GraphStore, ingest, open_store

ONE = build([(6, 1), (1, 6), (2, 5), (1, 5)], scale=(1, 7))
TWO = build([(3, 6), (2, None), (4, 7), (5, 6), (None, 5)], scale=(1, 7))


@pytest.fixture
def store() -> Iterator[GraphStore]:
    with open_store("embedded::memory:") as store:
        ingest(TWO, store, dataset="two", epsilon=1, nulls="wildcard")
        yield store


def test_the_null_rule_is_the_datasets(store: GraphStore) -> None:
    found = ratingpriv.audit_stored(store.dataset("two"), k=2, epsilon=1)
    assert (found.parameters.nulls, found.parameters.engine) == ("wildcard", "cypher")
    assert (
        found.sizes.tolist()
        == ratingpriv.audit(TWO, k=2, epsilon=1, nulls="wildcard").sizes.tolist()
    )
    with pytest.raises(ParameterError, match="wildcard, as dataset 'two' was ingested"):
        ratingpriv.audit_stored(store.dataset("two"), k=2, epsilon=1, nulls="strict")


def test_what_only_a_table_can_be_told(store: GraphStore) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'sensitive'"):
        ratingpriv.audit_stored(store.dataset("two"), k=2, epsilon=1, sensitive=["a"])


def test_a_dataset_is_no_table(store: GraphStore) -> None:
    with pytest.raises(ParameterError, match="DatasetInfo"):
        ratingpriv.audit(store.dataset("two"), k=2, epsilon=1)


def test_a_dataset_is_audited_as_it_is_now(store: GraphStore) -> None:
    before = store.dataset("two")
    ingest(ONE, store, dataset="two", epsilon=1, nulls="strict")
    assert ratingpriv.audit_stored(before, k=2, epsilon=1).dataset.records == ONE.n_records
    store.drop("two")
    with pytest.raises(ratingpriv.base.errors.UnknownDatasetError):
        ratingpriv.audit_stored(before, k=2, epsilon=1)


def test_a_word_that_is_none() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'epsilom'"):
        ratingpriv.audit(TWO, k=2, epsilon=1, epsilom=2)

"""``ratingpriv.graph.ingest``: what ``ratingpriv ingest`` does, from Python."""

import pytest
from golden.tables import build, table2

from ratingpriv.base.errors import ParameterError, UnknownDatasetError
from ratingpriv.base.keys import Key
from ratingpriv.graph import ingest, open_store


def test_a_table_goes_in_by_address_and_is_queried(tmp_path):
    uri = f"embedded:{tmp_path / 'store.grafeo'}"
    done = ingest(table2(), uri, dataset="t", epsilon=2)
    assert done.release is None
    assert (done.dataset.complete, done.dataset.spec.records, done.dataset.spec.pairs) == (
        True,
        6,
        6,
    )
    with open_store(uri, mode="read") as store:
        rows = store.run("audit/degree-violators", dataset="t", k=3, epsilon=1)
        assert rows.column("record") == ["t2", "t4", "t5", "t6"]


def test_an_open_store_stays_open():
    with open_store("embedded::memory:") as store:
        ingest(table2(), store, dataset="t", epsilon=1)
        ingest(table2(), store, dataset="t", epsilon=2)
        assert store.dataset("t").spec.epsilon_max == 2


def test_a_release_is_tied_to_its_original():
    original, release = build([(1, 2), (2, 2), (5, 5)]), build([(1, 2), (1, 2)])
    ids = [str(one) for one in original.record_ids.to_list()]
    released = [str(one) for one in release.record_ids.to_list()]
    with open_store("embedded::memory:") as store:
        ingest(original, store, dataset="o", epsilon=1, ratings=True)
        done = ingest(release, store, dataset="o", run="a", epsilon=1)
        assert done.dataset.spec.name == "o/a"
        assert done.release is not None
        assert (done.release.records, done.release.linked) == (2, False)
        with pytest.raises(ParameterError, match="key"):
            ingest(
                release,
                store,
                dataset="o",
                run="a",
                epsilon=1,
                release_key=Key([*ids[:2]], [*released]),
            )


def test_what_cannot_be_is_refused_before_anything_is_made(tmp_path):
    uri = f"embedded:{tmp_path / 'store.grafeo'}"
    for wrong in ({"edges": "at-risk"}, {"epsilon": -1}, {"max_edges": 1}):
        with pytest.raises(ParameterError):
            ingest(table2(), uri, **{"dataset": "t", "epsilon": 2, **wrong})
    assert not list(tmp_path.iterdir())
    with open_store("embedded::memory:") as store, pytest.raises(UnknownDatasetError):
        ingest(table2(), store, dataset="nobody", run="a", epsilon=1)

"""What every graph store must do: subclass StoreContract and give it a ``store`` fixture."""

import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from graph.asking_contract import AskingContract, expect_equal, nodes_of, own, rows
from graph.own_contract import OwnContract
from graph.samples import Pairs, Sample, load, sample, send
from ratingpriv.base.errors import (
    DatasetIncompleteError,
    LoadFailedError,
    ParameterError,
    QueryFailedError,
    UnknownDatasetError,
)
from ratingpriv.graph import GraphStore


class StoreContract(AskingContract, OwnContract):
    @pytest.fixture
    def name(self, store: GraphStore) -> Iterator[str]:
        """A name of this test's own; datasets whose names begin with it are dropped afterwards."""
        name = f"test {uuid.uuid4().hex[:10]}"
        yield name
        for info in store.datasets():
            if info.spec.name.startswith(name):
                store.drop(info.spec.name)

    def test_a_loaded_dataset_is_what_was_sent(self, store: GraphStore, name: str) -> None:
        data = sample(name, 20)
        info = load(store, data)
        assert info.complete
        assert not info.loading
        assert info.spec == data.spec
        assert store.dataset(name) == info
        expect_equal(store, data)

    @pytest.mark.parametrize("records", [0, 1])
    def test_a_dataset_without_records_and_one_without_pairs(
        self, store: GraphStore, name: str, records: int
    ) -> None:
        assert load(store, sample(name, records)).complete
        assert len(rows(store, "records", name)) == records

    def test_loading_the_same_again_changes_nothing(self, store: GraphStore, name: str) -> None:
        data = sample(name, 10)
        load(store, data)
        load(store, data)
        expect_equal(store, data)
        assert nodes_of(store, name) == sum(
            (
                data.spec.records * 2,
                data.spec.groups,
                data.spec.issues,
                data.spec.ratings,
                data.spec.pairs,
            )
        )

    def test_the_old_data_stay_until_the_new_are_complete(
        self, store: GraphStore, name: str
    ) -> None:
        old, new = sample(name, 10, seed=1), sample(name, 14, seed=2)
        load(store, old)
        with store.begin_dataset(new.spec) as sink:
            send(sink, new)
            info = store.dataset(name)
            assert info.complete
            assert info.spec == old.spec
            assert next(one for one in store.datasets() if one.spec.name == name).loading
            expect_equal(store, old)
            sink.finish()
        expect_equal(store, new)
        assert not any(info.loading for info in store.datasets() if info.spec.name == name)

    def test_a_first_load_is_not_complete_before_its_end(
        self, store: GraphStore, name: str
    ) -> None:
        data = sample(name, 10)
        with store.begin_dataset(data.spec) as sink:
            send(sink, data)
            info = store.dataset(name)
            assert not info.complete
            assert info.loading
            with pytest.raises(
                DatasetIncompleteError, match=r"not complete.*run the same ratingpriv ingest"
            ) as caught:
                store.run(own("records"), dataset=name)
            assert caught.value.exit_code == 2
            assert sink.finish().complete

    def test_a_broken_off_load_goes_on(self, store: GraphStore, name: str) -> None:
        data = sample(name, 16)
        half = data.spec.pairs // 2
        with store.begin_dataset(data.spec) as sink:
            send(sink, data, pairs=half)
        with pytest.raises(DatasetIncompleteError, match=f"{half} of {data.spec.pairs} pairs"):
            store.run(own("records"), dataset=name)
        with store.begin_dataset(data.spec) as sink:
            assert dict(sink.done) == {
                "issues": 2,
                "groups": data.spec.groups,
                "records": 16,
                "ratings": data.spec.ratings,
                "pairs": half,
            }
            send(sink, data)
            sink.finish()
        expect_equal(store, data)

    def test_a_resumed_load_may_skip_what_is_there(self, store: GraphStore, name: str) -> None:
        data = sample(name, 16)
        half = data.spec.pairs // 2
        with store.begin_dataset(data.spec) as sink:
            send(sink, data, pairs=half)
        with store.begin_dataset(data.spec) as sink:
            for kind in ("issues", "groups", "records", "ratings", "pairs"):
                sink.skip(kind, sink.done[kind])
            sink.add_pairs(
                Pairs(data.pairs.left[half:], data.pairs.right[half:], data.pairs.distance[half:])
            )
            sink.finish()
        expect_equal(store, data)

    def test_skipping_more_than_is_there_is_refused(self, store: GraphStore, name: str) -> None:
        with (
            store.begin_dataset(sample(name, 4).spec) as sink,
            pytest.raises(ParameterError, match="at most 0"),
        ):
            sink.skip("records", 1)

    def test_a_broken_off_load_of_other_data_is_discarded(
        self, store: GraphStore, name: str
    ) -> None:
        first, second = sample(name, 16, seed=1), sample(name, 12, seed=2)
        with store.begin_dataset(first.spec) as sink:
            send(sink, first, pairs=3)
        load(store, second)
        expect_equal(store, second)

    def test_a_load_that_was_overtaken_says_so(self, store: GraphStore, name: str) -> None:
        first, second = sample(name, 10, seed=1), sample(name, 12, seed=2)
        with store.begin_dataset(first.spec) as overtaken:
            overtaken.add_issues(first.issues)
            load(store, second)
            with pytest.raises(LoadFailedError, match="another process"):
                send_rest(overtaken, first)
        expect_equal(store, second)

    def test_two_loaders_of_the_same_share_one_load(self, store: GraphStore, name: str) -> None:
        if store.engine == "embedded":
            pytest.skip("an embedded store has one process, and that one loads once")
        data = sample(name, 10)
        with store.begin_dataset(data.spec) as one, store.begin_dataset(data.spec) as two:
            one.add_issues(data.issues)
            two.add_issues(data.issues)
            for sink in (two, one):
                sink.add_groups(data.groups)
                sink.add_records(data.records)
                sink.add_ratings(data.ratings)
            one.add_pairs(data.pairs)
            two.add_pairs(data.pairs)
            assert one.finish().complete
            assert two.finish().complete
        expect_equal(store, data)

    def test_datasets_never_mix(self, store: GraphStore, name: str) -> None:
        one, two = sample(f"{name} 1", 10, seed=1), sample(f"{name} 2", 12, seed=2)
        load(store, one)
        load(store, two)
        expect_equal(store, one)
        expect_equal(store, two)
        store.drop(one.spec.name)
        expect_equal(store, two)
        assert nodes_of(store, one.spec.name) == 0
        load(store, sample(f"{name} 2", 9, seed=3))
        assert [info.spec.name for info in store.datasets() if info.spec.name.startswith(name)] == [
            two.spec.name
        ]

    def test_drop_leaves_nothing(self, store: GraphStore, name: str) -> None:
        data = sample(name, 10)
        load(store, data)
        with store.begin_dataset(sample(name, 12, seed=9).spec) as sink:
            sink.add_issues(data.issues)
            keys = [
                load["key"]
                for load in (row[0] for row in store.one("load/loads"))
                if load["name"] == name
            ]
        store.drop(name)
        assert [nodes_of(store, key) for key in (name, *keys)] == [0, 0]
        with pytest.raises(UnknownDatasetError) as caught:
            store.dataset(name)
        assert name not in caught.value.known
        with pytest.raises(UnknownDatasetError, match="expected a dataset of this store"):
            store.drop(name)

    def test_too_few_too_many_and_wrong_order(self, store: GraphStore, name: str) -> None:
        data = sample(name, 8)
        with store.begin_dataset(data.spec) as sink:
            with pytest.raises(ParameterError, match="all 2 issues first"):
                sink.add_records(data.records)
            sink.add_issues(data.issues)
            with pytest.raises(ParameterError, match="as announced"):
                sink.add_issues(data.issues)
            with pytest.raises(ParameterError, match="as announced"):
                sink.finish()
            sink.add_groups(data.groups)
            sink.add_records(data.records)
            sink.add_ratings(data.ratings)
            with pytest.raises(ParameterError, match="as announced"):
                sink.add_pairs(Pairs(np.array([0]), np.array([8]), np.array([0.0])))
            with pytest.raises(ParameterError, match="smaller position first"):
                sink.add_pairs(Pairs(np.array([3]), np.array([3]), np.array([0.0])))
        assert not store.dataset(name).complete

    def test_an_id_that_is_there_twice_never_becomes_complete(
        self, store: GraphStore, name: str
    ) -> None:
        data = sample(name, 4, ids=["a", "b", "a", "c"])
        with pytest.raises((LoadFailedError, QueryFailedError)):
            load(store, data)
        assert not store.dataset(name).complete

    def test_what_went_missing_is_counted(self, store: GraphStore, name: str) -> None:
        data = sample(name, 8)
        with store.begin_dataset(data.spec) as sink:
            send(sink, data)
            store.one("load/remove-relationships", key=name, most=1)
            with pytest.raises(LoadFailedError, match="arrived with"):
                sink.finish()
        assert not store.dataset(name).complete

    def test_batches_are_cut(
        self, store: GraphStore, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data = sample(name, 16)
        with store.begin_dataset(data.spec) as sink:
            monkeypatch.setattr(sink, "batch_size", 5)
            send(sink, data, pairs=7)
        with store.begin_dataset(data.spec) as sink:
            monkeypatch.setattr(sink, "batch_size", 3)
            send(sink, data)
            sink.finish()
        expect_equal(store, data)

    def test_a_name_that_is_none(self, store: GraphStore) -> None:
        for wrong in ("", "x" * 201, "a\0b"):
            with pytest.raises(ParameterError, match="1 to 200"):
                store.begin_dataset(sample(wrong, 3).spec)


def send_rest(sink: Any, data: Sample) -> None:
    sink.add_groups(data.groups)
    sink.add_records(data.records)
    sink.add_ratings(data.ratings)
    sink.add_pairs(data.pairs)
    sink.finish()

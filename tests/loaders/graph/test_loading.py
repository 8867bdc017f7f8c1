"""Loading: what is in the table arrives unchanged, a broken-off load is taken up,
progress is told.
"""

from typing import Any

import polars as pl
import pytest
from golden.tables import table1, table2

from ratingpriv import RatingTable
from ratingpriv.base.errors import DatasetIncompleteError
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, pseudonyms, slices

NAMES = [
    'quo"te',
    "it's",
    "back`tick",
    "new\nline",
    "a\rb",
    "$dataset",
    "MATCH (n) DETACH DELETE n",
    "🙂",
]
NAMES.append("x" * 10_000)


def test_texts_arrive_unchanged(store: GraphStore, loaded: Any) -> None:
    frame = pl.DataFrame({"id": NAMES, NAMES[0]: [1] * 9, NAMES[6]: [2] * 9})
    table = RatingTable.from_wide(frame, id="id", sensitive=[NAMES[6]])
    dataset, _ = loaded(table, 0.0)
    assert (
        store.run("audit/neighbourhood-sizes", dataset=dataset, epsilon=0.0).column("record")
        == NAMES
    )
    assert store.run("audit/dataset-summary", dataset=dataset).column("sensitive") == [[NAMES[6]]]
    for name in NAMES:
        found = store.run("audit/neighbourhood", dataset=dataset, record=name, epsilon=0.0)
        assert found.rows[NAMES.index(name)][0] == name
    assert (
        store.run("partition/clique-test", dataset=dataset, records=NAMES, epsilon=0.0).rows[0][0]
        is True
    )


def test_whole_numbers_stay_whole_numbers(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(
        RatingTable.from_wide(pl.DataFrame({"id": [30, 4], "a": [1, 5]}), id="id"), 0.0
    )
    assert store.run("audit/neighbourhood-sizes", dataset=dataset, epsilon=0.0).column(
        "record"
    ) == [30, 4]


class BreaksOff:
    """A store whose sink fails at the first pairs."""

    def __init__(self, store: GraphStore) -> None:
        self.store = store

    def begin_dataset(self, spec: Any, base: Any = None) -> Any:
        sink = self.store.begin_dataset(spec, base)

        def fail(batch: Any) -> None:
            raise ConnectionError("the connection broke")

        sink.add_pairs = fail  # type: ignore[method-assign]
        return sink


def test_a_load_that_broke_off_is_taken_up(store: GraphStore) -> None:
    prepared = slices(table2(), "taken up", epsilon=3.0)
    with pytest.raises(ConnectionError):
        load(prepared, BreaksOff(store))  # type: ignore[arg-type]
    with pytest.raises(DatasetIncompleteError):
        store.run("audit/degree-check", dataset="taken up", k=2, epsilon=1.0)
    assert load(prepared, store).complete
    found = store.run("audit/neighbourhood-sizes", dataset="taken up", epsilon=1.0)
    assert found.column("size") == [3, 2, 3, 2, 2, 2]
    store.drop("taken up")


def test_loading_again_replaces(store: GraphStore) -> None:
    once = (table1(), [1, 2, 2, 2, 2])
    for table, sizes in (once, once, (table2(), [3, 2, 3, 2, 2, 2])):
        load(slices(table, "replaced", epsilon=1.0), store)
        assert (
            store.run("audit/neighbourhood-sizes", dataset="replaced", epsilon=1.0).column("size")
            == sizes
        )
    store.drop("replaced")


def test_pseudonyms_replace_ids_everywhere(store: GraphStore, loaded: Any) -> None:
    key = b"0123456789abcdef"
    dataset, _ = loaded(table1(), 1.0, key=key)
    found = store.run("audit/neighbourhood-sizes", dataset=dataset, epsilon=1.0).column("record")
    assert found == pseudonyms(table1().record_ids, key).to_list()
    assert store.dataset(dataset).spec.pseudonymized


def test_non_sensitive_ratings_are_there_only_if_asked_for(store: GraphStore, loaded: Any) -> None:
    without, _ = loaded(table1(), 1.0)
    with_them, _ = loaded(table1(), 1.0, ratings=True)
    assert store.dataset(without).spec.ratings == 5
    assert store.dataset(with_them).spec.ratings == 15
    asked = {"issue": "issue 4", "epsilon": 1.0}
    found = [
        store.run("audit/sensitive-sd", dataset=one, **asked).rows for one in (without, with_them)
    ]
    assert found[0] == found[1]

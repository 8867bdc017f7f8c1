"""A survey that grows: what is added to a dataset is what an ingest of
the whole file would have written.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import mixed_tables, tables
from queries.cases import EMBEDDED, ON_ENGINES, with_quasi
from queries.runs import decompose

from ratingpriv import RatingTable
from ratingpriv.base.errors import DatasetIncompleteError, ParameterError, UnknownDatasetError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import QuasiColumn
from ratingpriv.graph import ingest
from ratingpriv.graph.appending import base_of
from ratingpriv.graph.running import GraphStore
from ratingpriv_loaders.graph.slices import load, slices

NAME = "grows"
CONTENTS = (
    "MATCH (n {dataset: $dataset}) RETURN labels(n)[0] AS kind, "
    "coalesce(n.position, n.id) AS place, properties(n) AS said ORDER BY kind, place",
    "MATCH (n:Record {dataset: $dataset})-[t:IN_GROUP|RATED]->(m) "
    "RETURN n.position AS record, type(t) AS kind, coalesce(m.position, m.id) AS other, "
    "properties(t) AS said ORDER BY kind, record, other",
    "MATCH (n:Record {dataset: $dataset})-[p:PROXIMATE]->(m:Record {dataset: $dataset}) "
    "RETURN n.position AS record, m.position AS later, p.distance AS distance ORDER BY "
    "record, later",
)
SURVEY = [(1, 2), (1, 2), (2, 2), (1, 3), (5, 5), (2, 3), (None, 3), (None, 2), (1, None), (2, 2)]


def survey(records: int = 10, *rows: tuple[Any, ...]) -> RatingTable:
    rated = [*SURVEY[:records], *rows]
    return build(rated, [[1 + place % 3 for place in range(len(rated))]], scale=(1, 5))


def part(table: RatingTable, records: int) -> RatingTable:
    """The first records, as a file that has no others would be read:
    with their own numbers only.
    """
    some = table.take(np.arange(records))
    used = np.unique(some.codes)
    own = []
    for column in some.quasi:
        values = np.unique(column.codes[column.codes >= 0])
        codes = np.where(column.codes < 0, -1, np.searchsorted(values, column.codes)).astype(
            np.int32
        )
        own.append(
            dataclasses.replace(column, codes=codes, values=column.values.gather(pl.Series(values)))
        )
    codes = np.searchsorted(used, some.codes).astype(some.codes.dtype)
    return dataclasses.replace(some, levels=some.levels[used], codes=codes, quasi=tuple(own))


def contents(store: GraphStore, name: str = NAME) -> list[Any]:
    """Every node and every relationship of a dataset, with all that they say but its name."""
    found: list[Any] = [store.run(text, dataset=name).rows for text in CONTENTS]
    node = dict(store.one("load/dataset", name=name)[0][0])
    said = [(kind, place, {**one, "dataset": ""}) for kind, place, one in found[0]]
    return [{**node, "name": "", "createdAt": ""}, said, *found[1:]]


def dropped(store: GraphStore, *names: str) -> None:
    for info in store.datasets():
        if info.spec.name in (names or (NAME,)):
            store.drop(info.spec.name)


def equal_to_a_whole_ingest(
    store: GraphStore, table: RatingTable, first: int, **options: Any
) -> None:
    ingest(part(table, first), store, dataset=NAME, **options)
    grown = ingest(table, store, dataset=NAME, append=True, **options)
    found = contents(store)
    assert grown.dataset.complete
    assert not store.one("load/loads")
    whole = ingest(table, store, dataset="whole", **options)
    assert dataclasses.replace(grown.dataset.spec, name="whole") == whole.dataset.spec
    assert found == contents(store, "whole")


@ON_ENGINES
@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
def test_equal_to_a_whole_ingest_or_refused(store: GraphStore, nulls: str) -> None:
    @settings(max_examples=8 * DEPTH if store.engine == "embedded" else 6)
    @given(
        st.one_of(tables(most_records=8), mixed_tables(8, 2)),
        st.integers(1, 16),
        st.sampled_from([0.0, 0.1, 0.2, 1.0, 2.0, 5.0]),
        st.booleans(),
    )
    def grows(table: RatingTable, first: int, epsilon: float, ratings: bool) -> None:
        first = min(first, table.n_records)
        options: dict[str, Any] = {"epsilon": epsilon, "nulls": nulls, "ratings": ratings}
        before, after = (slices(one, NAME, **options).spec for one in (part(table, first), table))
        try:
            if (before.levels, before.every_level) == (after.levels, after.every_level):
                equal_to_a_whole_ingest(store, table, first, **options)
                return
            ingest(part(table, first), store, dataset=NAME, **options)
            found = contents(store)
            with pytest.raises(ParameterError, match="distances"):
                ingest(table, store, dataset=NAME, append=True, **options)
            assert contents(store) == found
        finally:
            dropped(store, NAME, "whole")

    grows()


@EMBEDDED
@pytest.mark.parametrize("first", [1, 4, 9])
def test_quasi_identifiers_with_new_values_are_coded_anew(store: GraphStore, first: int) -> None:
    equal_to_a_whole_ingest(store, with_quasi(), first, epsilon=1, ratings=True)
    dropped(store, NAME, "whole")


@ON_ENGINES
def test_only_pairs_of_new_records_are_written(store: GraphStore) -> None:
    ingest(survey(8), store, dataset=NAME, epsilon=1)
    prepared = slices(survey(10), NAME, epsilon=1.0, base=base_of(store, NAME))
    later = [b for block in prepared.pairs() for b in block.right.tolist()]
    assert later
    assert min(later) >= 8
    assert sum(len(batch.ids) for batch in prepared.records()) == 2
    load(prepared, store)
    again = ingest(survey(10), store, dataset=NAME, epsilon=1, append=True)  # nothing is new
    assert (again.dataset.complete, again.dataset.spec.records) == (True, 10)
    dropped(store)


@ON_ENGINES
def test_marks_of_before_go(store: GraphStore) -> None:
    ingest(survey(5), store, dataset=NAME, epsilon=1)
    store.run("browse/mark", dataset=NAME, k=3, epsilon=1.0)
    text = "MATCH (r:AtRisk {dataset: $dataset}) RETURN count(r) AS marked"
    assert store.run(text, dataset=NAME).single() != (0,)
    ingest(survey(10), store, dataset=NAME, epsilon=1, append=True)
    assert store.run(text, dataset=NAME).single() == (0,)
    dropped(store)


class Stops:
    """A store whose sink fails at some step."""

    def __init__(self, store: GraphStore, step: str) -> None:
        self.store, self.step = store, step

    def one(self, query_id: str, /, **params: Any) -> Any:
        return self.store.one(query_id, **params)

    def begin_dataset(self, spec: Any, base: Any = None) -> Any:
        sink = self.store.begin_dataset(spec, base)

        def fail(*_: Any) -> None:
            raise KeyboardInterrupt

        setattr(sink, self.step, fail)
        return sink


STEPS = ("add_groups", "add_records", "add_ratings", "add_pairs", "finish", "_check_sized")


def broken_off(store: GraphStore, step: str) -> None:
    ingest(survey(6), store, dataset=NAME, epsilon=1, ratings=True)
    prepared = slices(survey(10), NAME, epsilon=1.0, ratings=True, base=base_of(store, NAME))
    with pytest.raises(KeyboardInterrupt):
        load(prepared, Stops(store, step))  # type: ignore[arg-type]


@ON_ENGINES
@pytest.mark.parametrize("step", STEPS)
def test_what_broke_off_is_not_answered_about_and_goes_on(store: GraphStore, step: str) -> None:
    broken_off(store, step)
    with pytest.raises(DatasetIncompleteError, match="more records are being added to its 6"):
        store.run("audit/degree-check", dataset=NAME, k=2, epsilon=1.0)
    assert ingest(
        survey(10), store, dataset=NAME, epsilon=1, ratings=True, append=True
    ).dataset.complete
    found = contents(store)
    ingest(survey(10), store, dataset="whole", epsilon=1, ratings=True)
    assert found == contents(store, "whole")
    dropped(store, NAME, "whole")


@ON_ENGINES
@pytest.mark.parametrize("step", STEPS)
def test_another_load_takes_back_what_broke_off(store: GraphStore, step: str) -> None:
    broken_off(store, step)
    other = survey(6, (3, 3))
    assert ingest(other, store, dataset=NAME, epsilon=1, ratings=True, append=True).dataset.complete
    found = contents(store)
    ingest(other, store, dataset="whole", epsilon=1, ratings=True)
    assert found == contents(store, "whole")
    dropped(store, NAME, "whole")


@ON_ENGINES
def test_a_whole_ingest_and_a_drop_end_what_broke_off(store: GraphStore) -> None:
    broken_off(store, "finish")
    ingest(survey(6), store, dataset=NAME, epsilon=1)
    assert store.dataset(NAME).spec.records == 6
    assert store.run("audit/degree-check", dataset=NAME, k=2, epsilon=1.0).column("records") == [6]
    dropped(store)
    broken_off(store, "finish")
    store.drop(NAME)
    with pytest.raises(UnknownDatasetError):
        store.dataset(NAME)
    assert store.run("MATCH (n {dataset: $name}) RETURN count(n) AS left", name=NAME).single() == (
        0,
    )
    assert not store.one("load/loads")


def released(store: GraphStore) -> None:
    some = survey(8)
    ids = [str(one) for one in some.record_ids.to_list()]
    ingest(some, store, dataset=NAME, epsilon=1, run="a", release_key=Key(ids, ids))


def in_quasi(table: RatingTable, values: list[str]) -> RatingTable:
    codes = np.arange(table.n_records, dtype=np.int32) % len(values)
    return dataclasses.replace(table, quasi=(QuasiColumn("region", codes, pl.Series(values)),))


REFUSED: dict[str, tuple[str, RatingTable, dict[str, Any]]] = {
    "another first record": (
        "first 8 records",
        build([(5, 2), *SURVEY[1:]], [[1] * 10], scale=(1, 5)),
        {},
    ),
    "fewer records": ("7 records", survey(7), {}),
    "another sensitive value": ("first 8 records", build(SURVEY, [[2] * 10], scale=(1, 5)), {}),
    "another name": ("first 8 records", survey().replace(issues=("a", "b")), {}),
    "one more issue": (
        "first 8 records",
        build([(*row, 1) for row in SURVEY], [[1] * 10], scale=(1, 5)),
        {},
    ),
    "an id of another kind": (
        "first 8 records",
        survey().replace(record_ids=pl.Series(range(10))),
        {},
    ),
    "another scale": ("1:6", build(SURVEY, [[1 + n % 3 for n in range(10)]], scale=(1, 6)), {}),
    "new distances": ("distances", survey(8, (1.5, 2)), {}),
    "another epsilon": ("epsilon", survey(), {"epsilon": 2}),
    "another null rule": ("nulls", survey(), {"nulls": "wildcard"}),
    "ratings": ("ratings", survey(), {"ratings": True}),
    "pairs at risk": ("edges", survey(), {"edges": "at-risk", "k": 3}),
    "pseudonyms": ("pseudonymize", survey(), {"pseudonym_key": b"k" * 16}),
    "quasi-identifiers": ("quasi", in_quasi(survey(), ["n", "s"]), {}),
}


@EMBEDDED
@pytest.mark.parametrize("case", REFUSED)
def test_other_data_are_refused_and_nothing_is_changed(store: GraphStore, case: str) -> None:
    words, table, options = REFUSED[case]
    ingest(survey(8), store, dataset=NAME, epsilon=1)
    before = contents(store)
    with pytest.raises(ParameterError, match=words) as caught:
        ingest(table, store, dataset=NAME, append=True, **{"epsilon": 1, **options})
    assert "without `append`" in str(caught.value)
    assert contents(store) == before
    assert store.dataset(NAME).complete
    dropped(store)


MADE: dict[str, tuple[str, Callable[[GraphStore], object]]] = {
    "a run": (
        r"run 'a' would leave.*runs/remove",
        lambda store: decompose(store, NAME, 2, 1.0, run="a"),
    ),
    "a release": ("release 'a' would leave.*store drop", released),
}


@ON_ENGINES
@pytest.mark.parametrize("case", MADE)
def test_runs_and_releases_of_the_records_of_before_are_kept(store: GraphStore, case: str) -> None:
    words, make = MADE[case]
    ingest(survey(8), store, dataset=NAME, epsilon=1, ratings=True)
    make(store)
    before = contents(store)
    with pytest.raises(ParameterError, match=words):
        ingest(survey(), store, dataset=NAME, epsilon=1, ratings=True, append=True)
    assert contents(store) == before
    if case == "a release":
        with pytest.raises(ParameterError, match="is no release"):
            ingest(survey(), store, dataset=f"{NAME}/a", epsilon=1, ratings=True, append=True)
    dropped(store)


@EMBEDDED
def test_what_cannot_grow(store: GraphStore) -> None:
    with pytest.raises(ParameterError, match="ingest it first, without `append`"):
        ingest(survey(), store, dataset="nobody", epsilon=1, append=True)
    with pytest.raises(ParameterError, match="release"):
        ingest(survey(), store, dataset=NAME, epsilon=1, run="a", append=True)
    load(slices(survey(8), NAME, epsilon=1.0, edges="at-risk", k=3), store)
    with pytest.raises(ParameterError, match="records at risk"):
        base_of(store, NAME)
    earlier = dataclasses.replace(slices(survey(8), NAME, epsilon=1.0).spec, fingerprint="0" * 64)
    load(dataclasses.replace(slices(survey(8), NAME, epsilon=1.0), spec=earlier), store)
    with pytest.raises(ParameterError, match="earlier version"):
        ingest(survey(), store, dataset=NAME, epsilon=1, append=True)
    dropped(store)
    with store.begin_dataset(slices(survey(8), NAME, epsilon=1.0).spec):
        pass
    with pytest.raises(DatasetIncompleteError, match="ingest again, then"):
        base_of(store, NAME)
    dropped(store)

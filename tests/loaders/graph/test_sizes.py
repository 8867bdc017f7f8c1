"""Distance levels are the distances that there can be,
and the sizes at them those of the definition.
"""

import dataclasses
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from golden.tables import build, table1, table2
from graph.samples import load, sample, send
from hypothesis import given
from hypothesis import strategies as st
from naive import proximity
from properties.strategies import tables

from ratingpriv import RatingTable
from ratingpriv.base.errors import LoadFailedError, ParameterError
from ratingpriv.graph import loading
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv.proximity.levels import MAX_LEVELS, distance_levels
from ratingpriv.proximity.pairs import pairs
from ratingpriv_loaders.graph.slices import slices


@given(
    tables(), st.sampled_from([0.0, 0.2, 1.0, 2.5, 6.0]), st.sampled_from(["strict", "wildcard"])
)
def test_every_distance_is_a_level(table: RatingTable, epsilon: float, nulls: str) -> None:
    found = distance_levels(table, epsilon, nulls)
    assert found.levels == tuple(sorted({0.0, epsilon, *found.levels}))
    assert len(found.levels) <= MAX_LEVELS
    if not found.every:
        assert found.levels == tuple(sorted({0.0, epsilon}))
        return
    for block in pairs(table, epsilon, nulls=nulls):
        assert set(block.distance.tolist()) <= set(found.levels)


@given(
    tables(), st.sampled_from([0.0, 0.2, 1.0, 2.5, 6.0]), st.sampled_from(["strict", "wildcard"])
)
def test_sizes_are_those_of_the_definition(table: RatingTable, epsilon: float, nulls: str) -> None:
    prepared = slices(table, "x", epsilon=epsilon, nulls=nulls)
    spec = prepared.spec
    assert prepared.sizes.dtype == np.int32
    for asked in {0.0, epsilon / 3, epsilon / 2, epsilon, *spec.levels}:
        level = spec.level_at(asked)
        near = proximity.neighbourhoods(table, asked, nulls)
        if level is not None:
            assert prepared.sizes[:, level].tolist() == list(map(len, near))
        else:
            assert not spec.every_level
            assert asked not in spec.levels


def test_the_levels_of_usual_scales() -> None:
    stars = build([(n / 2,) for n in range(1, 11)], scale=(0.5, 5))
    assert distance_levels(stars, 5.0, "strict").levels == tuple(n / 2 for n in range(11))
    tenths = build([(n / 10,) for n in range(1, 51)])
    assert distance_levels(tenths, 0.3, "strict").levels == (0, 0.1, 0.2, 0.3)
    beyond = distance_levels(tenths, 1.6, "strict")  # one more than MAX_LEVELS
    assert (beyond.levels, beyond.every) == ((0, 1.6), False)
    odd = build([(1,), (1.5,), (4,), (7.25,)], scale=(1, 8))
    apart = {abs(a - b) for a, b in itertools.combinations((1, 1.5, 4, 7.25), 2)}
    # 8: to a null
    assert distance_levels(odd, 9.0, "strict").levels == tuple(sorted({0, *apart, 8, 9}))
    assert distance_levels(odd, 9.0, "wildcard").levels == tuple(sorted({0, *apart, 9}))


def test_distances_that_float64_does_not_have_are_no_levels() -> None:
    assert float(Fraction("1e14") + Fraction("0.001")) == 1e14
    for levels in ((-0.001, 1e14), (1 / 3, 2 / 3), (1e-10, 2.0), (-9e14, 9e14)):
        table = build([(level,) for level in levels])
        assert distance_levels(table, 2e15, "strict").levels == (0, 2e15)
        assert not distance_levels(table, 2e15, "strict").every
        assert distance_levels(table, 0.0, "strict") == distance_levels(table1(), 0.0, "strict")


def test_an_epsilon_beyond_the_last_level_has_none() -> None:
    spec = slices(table2(), "x", epsilon=3).spec
    found = [spec.level_at(epsilon) for epsilon in (-1, 0, 0.5, 1, 2.99, 3, 3.01)]
    assert found == [None, 0, 0, 1, 2, 3, None]
    assert dataclasses.replace(spec, every_level=False).level_at(0.5) is None
    assert dataclasses.replace(spec, levels=()).level_at(0.0) is None


@pytest.mark.parametrize("levels", [(0.0,), (1.0,), (0.0, 1.0, 1.0), (0.5, 1.0), (0.0, 2.0, 1.0)])
def test_levels_that_make_no_sense(levels: tuple[float, ...]) -> None:
    with EmbeddedStore() as store, pytest.raises(ParameterError, match="ascend from 0 to 1"):
        store.begin_dataset(sample("x", levels=levels).spec)


def test_sizes_that_no_neighbourhoods_have() -> None:
    data = sample("x", 4)
    right = data.records.sizes
    assert right is not None
    wrong: list[Any] = [
        None,
        right[:3],
        right[:, :2],
        right[:, ::-1] + [[2, 1, 0]],
        right - 4,
        right + 4,
    ]
    with EmbeddedStore() as store:
        for sizes in wrong:
            with store.begin_dataset(data.spec) as sink:
                sink.add_issues(data.issues)
                sink.add_groups(data.groups)
                with pytest.raises(ParameterError, match="sizes"):
                    sink.add_records(dataclasses.replace(data.records, sizes=sizes))
        bare = sample("y", 4, levels=(), every_level=False)
        with (
            store.begin_dataset(bare.spec) as sink,
            pytest.raises(ParameterError, match="none without levels"),
        ):
            send(sink, bare)


@pytest.mark.parametrize("damage", ["lost", "changed", "short"])
def test_sizes_that_did_not_arrive_are_missed(monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    original = loading.DatasetSink._add

    def damaged(sink: Any, kind: str, batch: Any, count: int) -> None:
        original(sink, kind, batch, count)
        if kind == "records":
            changed, short = "SET r.sizes = [1, 1, 1]", "SET r.sizes = [4]"
            done = {"lost": "REMOVE r.sizes", "changed": changed, "short": short}[damage]
            sink._store._db.execute_cypher(
                f"MATCH (r:Record {{dataset: 'x', position: 2}}) {done}", {}
            )

    monkeypatch.setattr(loading.DatasetSink, "_add", damaged)
    with EmbeddedStore() as store:
        with pytest.raises(LoadFailedError, match=r"the sizes of \d of 5 neighbourhoods"):
            load(store, sample("x", 5))
        assert not store.dataset("x").complete

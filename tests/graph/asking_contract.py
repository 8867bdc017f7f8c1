"""What every graph store must do when it is asked; a part of StoreContract.

And what both parts share.
"""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph.samples import NASTY, Pairs, Sample, load, sample
from ratingpriv.base.errors import (
    ParameterError,
    QueryFailedError,
    UnknownDatasetError,
    UnknownQueryError,
)
from ratingpriv.graph import GraphStore, IssueBatch, Query, RatingBatch
from ratingpriv.graph.catalogue import read_query

FOLDER = Path(__file__).resolve().parent / "queries"


def own(name: str) -> Query:
    """A query file of these tests."""
    return read_query(FOLDER / f"{name}.cypher", FOLDER)


def rows(store: GraphStore, name: str, dataset: str, **params: Any) -> list[tuple[Any, ...]]:
    return list(store.run(own(name), dataset=dataset, **params))


def nodes_of(store: Any, key: str) -> int:
    """Nodes left under a ``dataset`` property."""
    counted = store.one("load/counted", key=key)[0]
    return int(sum(counted))


def expect_equal(store: GraphStore, data: Sample) -> None:
    """The store holds exactly ``data``."""
    spec = data.spec
    found = rows(store, "records", spec.name)
    risk = [None] * spec.records if data.records.at_risk is None else data.records.at_risk.tolist()
    groups = data.records.groups.tolist()
    sizes = [int(data.groups.sizes[group]) for group in groups]
    places = range(spec.records)
    assert found == list(zip(data.records.ids, places, groups, sizes, risk, strict=True))
    pairs, rated = data.pairs, data.ratings
    ends = zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True)
    assert rows(store, "pairs", spec.name, epsilon=spec.epsilon_max) == sorted(ends)
    cells = zip(rated.records.tolist(), rated.issues.tolist(), rated.ratings.tolist(), strict=True)
    issues = list(zip(data.issues.names, data.issues.sensitive, strict=True))
    ratings = [(record, *issues[issue], rating) for record, issue, rating in cells]
    assert [row[:4] for row in rows(store, "ratings", spec.name)] == sorted(ratings)


class AskingContract:
    def test_unknown_dataset_is_refused_before_the_query(
        self, store: GraphStore, name: str
    ) -> None:
        with pytest.raises(UnknownDatasetError) as caught:
            store.run(own("records"), dataset=name)
        assert caught.value.exit_code == 2

    @pytest.mark.parametrize("text", NASTY)
    def test_texts_arrive_unchanged(self, store: GraphStore, name: str, text: str) -> None:
        ids = [text, text + " ", "r"]
        data = sample(f"{name} {text}"[:200], 3, ids=ids)
        data = dataclasses.replace(data, issues=IssueBatch([text, f"{text}'"], [True, False]))
        load(store, data)
        expect_equal(store, data)
        assert store.dataset(data.spec.name).spec == data.spec

    def test_whole_numbers_as_ids(self, store: GraphStore, name: str) -> None:
        data = sample(name, 3)
        data = dataclasses.replace(
            data, records=dataclasses.replace(data.records, ids=[7, -1, 2**62])
        )
        load(store, data)
        assert [row[0] for row in rows(store, "records", name)] == [7, -1, 2**62]

    def test_timestamps(self, store: GraphStore, name: str) -> None:
        data = sample(name, 3, ratings=3)
        positions = np.arange(3, dtype=np.int64)
        stamped = RatingBatch(
            positions, np.zeros(3, np.int64), np.array([1.0, 2.5, 5.0]), [978300760, 0, -1]
        )
        load(store, dataclasses.replace(data, ratings=stamped))
        assert [row[3:] for row in rows(store, "ratings", name)] == [
            (1.0, 978300760),
            (2.5, 0),
            (5.0, -1),
        ]

    def test_at_risk_is_said_and_checked(self, store: GraphStore, name: str) -> None:
        data = sample(name, 6, edges="at-risk", k=3)
        risk = np.array([True, False, True, False, False, False])
        data = dataclasses.replace(data, records=dataclasses.replace(data.records, at_risk=risk))
        load(store, data)
        assert [row[4] for row in rows(store, "records", name)] == risk.tolist()
        assert rows(store, "at-risk", name, k=3, epsilon=1) == [("r0",), ("r2",)]
        with pytest.raises(ParameterError, match="edges='all'"):
            rows(store, "pairs", name, epsilon=1)
        with pytest.raises(ParameterError, match=r"k: found 4.*`k=4`"):
            rows(store, "at-risk", name, k=4, epsilon=1)
        with pytest.raises(ParameterError, match=r"epsilon: found 0.5"):
            rows(store, "at-risk", name, k=3, epsilon=0.5)

    def test_epsilon_beyond_the_ingest_is_refused(self, store: GraphStore, name: str) -> None:
        load(store, sample(name, 3))
        with pytest.raises(ParameterError, match=r"epsilon: found 1.5, expected at most 1"):
            rows(store, "pairs", name, epsilon=1.5)

    def test_parameters_are_checked_first(self, store: GraphStore, name: str) -> None:
        for params in ({}, {"epsilon": "1"}, {"epsilon": 1, "epsilom": 1}):
            with pytest.raises(ParameterError, match=r"epsilo[nm]"):
                store.run(own("pairs"), dataset=name, **params)

    def test_unknown_query(self, store: GraphStore) -> None:
        with pytest.raises(UnknownQueryError, match="audit/degree-check"):
            store.run("audit/degre-check")

    def test_values_there_and_back(self, store: GraphStore) -> None:
        params: dict[str, Any] = {"i": -(2**63), "f": 0.1, "s": NASTY[4], "b": False}
        params |= {"l": ["", "a'b"], "m": {"z": 1, "a": [1.5, 2.5]}}
        result = store.run(own("values"), **params)
        assert result.columns == ("i", "f", "s", "b", "l", "m", "nothing")
        assert result.single() == (*params.values(), None)
        assert [type(value) for value in result.single()][:4] == [int, float, str, bool]
        assert result.dicts() == [{**params, "nothing": None}]
        assert store.run(own("values"), **{**params, "f": 2}).column("f") == [2.0]
        assert store.run(own("values"), **{**params, "f": np.float64(2), "i": np.int32(3)}).column(
            "i"
        ) == [3]

    def test_nodes_relationships_and_paths(self, store: GraphStore, name: str) -> None:
        data = sample(name, 3, pairs=1)
        pairs = Pairs(np.array([0]), np.array([2]), np.array([0.5]))
        load(store, dataclasses.replace(data, pairs=pairs))
        (node, relationship, both, path) = store.run(own("nodes"), dataset=name).single()
        sizes = data.records.sizes.tolist()
        properties = [
            {
                "dataset": name,
                "hammingGroup": at,
                "id": f"r{at}",
                "position": at,
                "sizes": sizes[at],
            }
            for at in (0, 2)
        ]
        assert node == {"labels": ["Record"], "properties": properties[0]}
        assert relationship == {"type": "PROXIMATE", "properties": {"distance": 0.5}}
        assert both == [{"labels": ["Record"], "properties": one} for one in properties]
        assert path == {"nodes": both, "relationships": [relationship]}

    def test_writing_queries_write(self, store: GraphStore, name: str) -> None:
        load(store, sample(name, 5))
        assert store.run(own("write"), dataset=name).single() == (5,)

    def test_columns_that_the_header_does_not_declare(self, store: GraphStore) -> None:
        with pytest.raises(QueryFailedError, match=r"columns two.*declares one"):
            store.run(own("wrong-columns"))

    def test_wrong_cypher_is_one_error(self, store: GraphStore) -> None:
        with pytest.raises(QueryFailedError, match="wrong-text"):
            store.run(own("wrong-text"))
        with pytest.raises(QueryFailedError):
            store.explain(own("wrong-text"))

    def test_explain_runs_nothing(self, store: GraphStore, name: str) -> None:
        load(store, sample(name, 5))
        assert store.explain(own("write"))
        assert "marked" not in store.run(own("nodes"), dataset=name).rows[0][0]["properties"]

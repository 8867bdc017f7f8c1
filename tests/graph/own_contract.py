"""What every graph store must do with Cypher of the user's own; a part of StoreContract."""

import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from graph.samples import Sample, load, sample
from ratingpriv.base.errors import DataError, ParameterError, RatingPrivError
from ratingpriv.graph import GraphStore, export_graphml, running

WRITES = (
    "CREATE (:Own {a: 1})",
    "MERGE (n:Own {a: 1}) RETURN n",
    "MATCH (r:Record {dataset: $dataset}) SET r.own = 1",
    "MATCH (r:Record {dataset: $dataset}) SET r += {own: 1} RETURN r",
    "MATCH (r:Record {dataset: $dataset}) SET r:Own",
    "MATCH (r:Record {dataset: $dataset}) REMOVE r.id",
    "MATCH (r:Record {dataset: $dataset}) REMOVE r:Record",
    "MATCH (r:Record {dataset: $dataset})-[p]-() DELETE p",
    "MATCH (r:Record {dataset: $dataset}) DETACH DELETE r RETURN count(*) AS n",
    "MATCH (r:Record {dataset: $dataset}) FOREACH (x IN [1] | SET r.own = x)",
    "MATCH (r:Record {dataset: $dataset}) CALL (r) { SET r.own = 1 RETURN 1 AS one } RETURN count(one) AS n",
    "MATCH (r:Record {dataset: $dataset}) CALL { WITH r CREATE (:Own) } RETURN count(r) AS n",
    "MATCH (r:Record {dataset: $dataset}) CALL { WITH r SET r.own = 1 } IN TRANSACTIONS OF 1 ROW",
    "UNWIND [1] AS x MERGE (:Own {a: x})-[:OWN]->(:Own {a: 2}) RETURN x",
    "RETURN 1 AS a UNION CREATE (n:Own) RETURN 1 AS a",
    "OPTIONAL MATCH (n:Own) WITH n CREATE (m:Own) RETURN m",
    "// title: a header\n// writes: nothing\nMATCH (r:Record {dataset: $dataset}) SET r.own = 1",
    "PROFILE MATCH (r:Record {dataset: $dataset}) SET r.own = 1 RETURN r",
)
NEVER = (
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "LOAD CSV FROM '/etc/passwd' AS row RETURN row",
    "LOAD CSV WITH HEADERS FROM 'http://127.0.0.1:9/x' AS row CREATE (:Own {a: row.a})",
    "MATCH (n:Own) RETURN n UNION LOAD CSV FROM '/etc/passwd' AS n RETURN n",
    "CREATE INDEX own IF NOT EXISTS FOR (o:Own) ON (o.a)",
    "CREATE CONSTRAINT own IF NOT EXISTS FOR (o:Own) REQUIRE o.a IS UNIQUE",
    "DROP INDEX own IF EXISTS",
    "DROP CONSTRAINT own IF EXISTS",
    "CALL db.createLabel('Own')",
    "CALL db.clearQueryCaches()",
    "CALL db.prepareForReplanning()",
    "CALL dbms.listConfig('x')",
    "CALL `dbms`.`listConfig`('x')",
    "CALL apoc.cypher.runWrite('CREATE (:Own)', {})",
    "RETURN apoc.util.sleep(1) AS a",
    "CREATE USER own SET PASSWORD 'long enough'",
    "SHOW USERS",
    "SHOW TRANSACTIONS",
    "SHOW SETTINGS",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "CREATE DATABASE own",
    "USE neo4j MATCH (n) RETURN n",
    "EXPLAIN MATCH (n) RETURN n",
    "CYPHER 5 EXPLAIN MATCH (n) RETURN n",
    "cypher runtime=slotted /* no rows */ explain MATCH (n) RETURN n",
    "CYPHER 5 PROFILE MATCH (n) RETURN n",
    "CYPHER 5 USE neo4j MATCH (n) RETURN n",
    ":param a => 1",
    "UNWIND [1] AS x CALL { WITH x CREATE (:Own) } IN TRANSACTIONS",
)


class OwnContract:
    @pytest.fixture
    def held(self, store: GraphStore, name: str) -> Sample:
        data = sample(name, 9)
        load(store, data)
        return data

    def test_a_text_is_asked_with_its_parameters(self, store: GraphStore, held: Sample) -> None:
        text = "MATCH (r:Record {dataset: $dataset}) WHERE r.position < $most RETURN r.id AS id ORDER BY id"
        found = store.run(text, dataset=held.spec.name, most=2)
        assert (found.columns, found.rows) == (("id",), (("r0",), ("r1",)))
        assert found.to_frame()["id"].to_list() == ["r0", "r1"]
        for wrong in ({}, {"most": 2, "much": 1}, {"most": None}, {"most": float("nan")}):
            with pytest.raises(ParameterError):
                store.run(text, dataset=held.spec.name, **wrong)
        with pytest.raises(ParameterError, match="dataset: found 'nope'"):
            store.run(text, dataset="nope", most=2)

    def test_epsilon_is_held_against_the_dataset(self, store: GraphStore, held: Sample) -> None:
        text = "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() WHERE p.distance <= $epsilon RETURN p"
        asked = len(store.run(text, dataset=held.spec.name, epsilon=1.0))
        assert asked == held.spec.pairs
        assert len(store.run(text, dataset=held.spec.name, epsilon=1)) == asked
        for wrong in (1.5, 2, -1, -0.5):  # a whole number, too, as -p reads it
            with pytest.raises(ParameterError, match=rf"epsilon: found {wrong}"):
                store.run(text, dataset=held.spec.name, epsilon=wrong)

    def test_some_pairs_only_are_not_taken_for_all(self, store: GraphStore, name: str) -> None:
        data = sample(name, 6, edges="at-risk", k=3)
        risk = np.array([True, False, True, False, False, False])
        load(store, dataclasses.replace(data, records=dataclasses.replace(data.records, at_risk=risk)))
        for tie in ("-[p:PROXIMATE]->", "-[p]-", "-[p:IN_GROUP|PROXIMATE]-", "--", "<--", "-[]-"):
            text = f"MATCH (:Record {{dataset: $dataset}}){tie}(x) RETURN count(x) AS n"
            with pytest.raises(ParameterError, match="edges='all'"):
                store.run(text, dataset=name)
        text = "MATCH (:Record {dataset: $dataset})-[:IN_GROUP]->(x) RETURN count(x) - 1 AS n"
        assert store.run(text, dataset=name).rows == ((5,),)

    def test_values_are_plain(self, store: GraphStore, held: Sample) -> None:
        text = (
            "RETURN 1 AS i, 0.5 AS f, 'a' AS s, true AS b, null AS n, [1, 'a', null] AS l, {x: [1]} AS m, "
            "date('2026-11-22') AS d, localdatetime('2026-11-22T10:00:00') AS t, "
            "duration('P1M2DT3.5S') AS u, datetime('2020-01-01T00:00:00.25Z') AS w"
        )
        wanted: tuple[Any, ...] = (1, 0.5, "a", True, None, [1, "a", None], {"x": [1]})
        found = store.run(text)
        assert found.single()[:8] == (*wanted, "2026-11-22")
        assert found.single()[8:] == ("2026-11-22T10:00:00", "P1M2DT3.5S", "2020-01-01T00:00:00.25+00:00")
        frame = found.to_frame()
        assert [str(one) for one in frame.dtypes[:5]] == ["Int64", "Float64", "String", "Boolean", "Null"]
        assert frame["l"].to_list() == ['[1, "a", null]']

    def test_nothing_is_written(self, store: GraphStore, held: Sample) -> None:
        before = everything(store)
        for text in WRITES:
            params = {"dataset": held.spec.name} if "$dataset" in text else {}
            with pytest.raises(RatingPrivError) as caught:
                store.run(text, **params)
            assert caught.value.exit_code == 2, text
        assert everything(store) == before

    def test_the_store_itself_writes_nothing_where_the_plan_is_not_looked_at(
        self, store: GraphStore, held: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its read mode, or a transaction that is rolled back, is enough by itself."""
        before = everything(store)
        monkeypatch.setattr(running, "check_plan", lambda *_, **__: None)
        for text in WRITES:
            with contextlib.suppress(RatingPrivError):
                store.run(text, **({"dataset": held.spec.name} if "$dataset" in text else {}))
        assert everything(store) == before

    def test_what_reaches_beyond_the_graph_is_refused(self, store: GraphStore, held: Sample) -> None:
        before = everything(store)
        for text in NEVER:
            with pytest.raises((ParameterError, DataError)) as caught:
                store.run(text)
            assert caught.value.exit_code == 2
        assert everything(store) == before

    def test_wrong_cypher_is_the_users_mistake(self, store: GraphStore, held: Sample) -> None:
        for text in ("RETURN ;", "MATCH (n RETURN n", "RETURN nobody AS n", "(n)"):
            with pytest.raises(DataError, match="a statement that the store refuses") as caught:
                store.run(text)
            assert caught.value.exit_code == 2

    def test_a_text_with_a_header(self, store: GraphStore, held: Sample, tmp_path: Path) -> None:
        header = (
            "// title: Some records\n// params:\n//   dataset: STRING -- its name\n"
            "//   most: INTEGER >= 1 = 2 -- how many\n// columns:\n//   id: ANY -- ids\n"
        )
        text = header + "MATCH (r:Record {dataset: $dataset}) RETURN r.id AS id ORDER BY id LIMIT $most"
        assert len(store.run(text, dataset=held.spec.name)) == 2
        assert len(store.run(text, dataset=held.spec.name, most=3)) == 3
        for wrong in (0, "3", 2.5):
            with pytest.raises(ParameterError, match="most"):
                store.run(text, dataset=held.spec.name, most=wrong)
        with pytest.raises(RatingPrivError, match="declares id"):
            store.run(
                text.replace("AS id ORDER", "AS other ORDER").replace("BY id", "BY other"),
                dataset=held.spec.name,
            )

    def test_graphml(self, store: GraphStore, held: Sample, tmp_path: Path) -> None:
        name = held.spec.name
        assert export_graphml(store, name, tmp_path / "g.graphml") == held.spec.pairs
        graph = nx.read_graphml(tmp_path / "g.graphml")
        ends = zip(
            held.pairs.left.tolist(), held.pairs.right.tolist(), held.pairs.distance.tolist(), strict=True
        )
        wanted = sorted((f"n{a}", f"n{b}", far) for a, b, far in ends)
        assert sorted(graph.edges(data="distance")) == wanted
        assert [graph.nodes[f"n{place}"]["record"] for place in range(9)] == list(held.records.ids)
        assert [graph.nodes[f"n{place}"]["size"] for place in range(9)] == [
            graph.degree(f"n{place}") + 1 for place in range(9)
        ]

    def test_elements_know_their_ends(self, store: GraphStore, name: str) -> None:
        data = sample(name, 4)
        named = dataclasses.replace(data.records, ids=["a", "b", "c", "d"])
        load(store, dataclasses.replace(data, records=named))
        found = store.run(
            "MATCH (r:Record {dataset: $dataset})-[i:IN_GROUP]->(g) RETURN r, i, g ORDER BY r.position",
            dataset=name,
        )
        for record, membership, group in found:
            assert (membership.start, membership.end) == (record.key, group.key)
        assert len({row[0].key for row in found}) == 4


def everything(store: GraphStore) -> list[tuple[Any, ...]]:
    """Every node with its labels and properties, and every relationship with its ends."""
    nodes = store.run("MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties, n AS node")
    ties = store.run("MATCH (a)-[p]->(b) RETURN a, p, b, type(p) AS kind, properties(p) AS properties")
    found = [(sorted(labels), sorted(properties.items(), key=str)) for labels, properties, _ in nodes]
    found += [(a.key, b.key, kind, sorted(properties.items())) for a, _, b, kind, properties in ties]
    return sorted(found, key=repr)

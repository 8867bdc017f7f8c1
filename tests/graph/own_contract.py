"""What every graph store must do with Cypher of the user's own; a part of StoreContract."""

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest
from golden.tables import build
from naive.quasi_groups import quasi_column
from queries.runs import decompose

from graph.samples import Sample, load, sample
from ratingpriv.base.errors import DataError, ParameterError, RatingPrivError
from ratingpriv.base.keys import Key
from ratingpriv.graph import GraphStore, export_graphml, ingest, running
from ratingpriv.graph.schema import LABELS
from ratingpriv.graph.texts import contents

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
    "MATCH (r:Record {dataset: $dataset}) CALL (r) { SET r.own = 1 RETURN 1 AS one } RETURN "
    "count(one) AS n",
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
DAMAGES = (
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.id = 'x'",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.position = 99",
    "MATCH (r:Record {dataset: $dataset, position: 0}) REMOVE r.hammingGroup",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.dataset = 'x'",
    "MATCH (r:Record {dataset: $dataset, position: 0}) DETACH DELETE r",
    "CREATE (:Record {dataset: $dataset, id: 'x', position: 99})",
    "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() SET p.distance = p.distance / 2",
    "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() WITH p LIMIT 1 DELETE p",
    "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() REMOVE p.distance",
    "MATCH (r:Record {dataset: $dataset, position: 0}) CREATE (r)-[:PROXIMATE {distance: "
    "0.0}]->(:Record)",
    "MATCH (:Record {dataset: $dataset})-[t:RATED]->() SET t.rating = t.rating + 0.5",
    "MATCH (r:Record {dataset: $dataset, position: 0})-[m:IN_GROUP]->() DELETE m",
    "MATCH (g:HammingGroup {dataset: $dataset, id: 0}) SET g.size = 99",
    "MATCH (i:Issue {dataset: $dataset, position: 0}) SET i.sensitive = false",
    "MATCH (d:Dataset {name: $dataset}) SET d.epsilonMax = 99.0",
    "MATCH (d:Dataset {name: $dataset}) DETACH DELETE d",
)

SLIPS = (
    # the sum of position-weighted ratings stays: 38 * 7 - 7 * 38
    "MATCH (a:Record {dataset: $dataset, position: 0})-[t:RATED]->(i:Issue {position: 0}), "
    "(:Record {dataset: $dataset, position: 1})-[u:RATED]->(i) "
    "SET t.rating = t.rating + 38, u.rating = u.rating - 7",
    "MATCH (:Record {dataset: $dataset, position: 0})-[t:RATED]->() SET t.rating = t.rating + "
    "0.0000001",
    "MATCH (:Record {dataset: $dataset, position: 0})-[t:RATED]->() SET t.rating = t.rating "
    "+ 65521",
    "MATCH (:Record {dataset: $dataset, position: 0})-[t:RATED]->() SET t.timestamp = 7",
    "MATCH (:Record {dataset: $dataset, position: 0})-[t:RATED]->() REMOVE t.timestamp",
    "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() WITH p LIMIT 1 SET p.distance = "
    "0.9999999",
    "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() WITH p LIMIT 1 "
    "SET p.distance = p.distance + 65521",
    "MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b) WITH a, b, p, p.distance AS far "
    "LIMIT 1 "
    "DELETE p CREATE (b)-[:PROXIMATE {distance: far}]->(a)",
    # two pairs exchange their later records
    "MATCH (a:Record {dataset: $dataset})-[p:PROXIMATE]->(b), "
    "(c:Record {dataset: $dataset})-[q:PROXIMATE]->(d) "
    "WHERE a.position < c.position AND p.distance = q.distance AND b <> d AND a <> d AND b <> c "
    "AND NOT EXISTS { MATCH (a)-[:PROXIMATE]-(d) } AND NOT EXISTS { MATCH (c)-[:PROXIMATE]-(b) } "
    "WITH a, b, c, d, p, q, p.distance AS far LIMIT 1 DELETE p, q "
    "CREATE (a)-[:PROXIMATE {distance: far}]->(d) CREATE (c)-[:PROXIMATE {distance: far}]->(b)",
    # a record of nobody's that rates what the others do, and is one more who remains under the rule
    # known
    "MATCH (i:Issue {dataset: $dataset}) WITH collect(i) AS issues CREATE (x:Record) "
    "FOREACH (i IN issues | CREATE (x)-[:RATED {rating: 3.0}]->(i))",
    "MATCH (r:Record {dataset: $dataset, position: 0}), (g:HammingGroup {dataset: $dataset, "
    "id: 1}) "
    "CREATE (r)-[:IN_GROUP]->(g)",
    "MATCH (g:HammingGroup {dataset: $dataset, id: 1}) CREATE (:Record)-[:IN_GROUP]->(g)",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.quasiValues = 'x'",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.quasi_age = 7.0",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r.sizes = [9, 9, 9]",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r:ReleasedRecord",
    "MATCH (g:HammingGroup {dataset: $dataset, id: 0}) SET g.quasi_region = 'x'",
    "MATCH (r:Record {dataset: $dataset, position: 0}) SET r:HammingGroup",
    "MATCH (run:Run {dataset: $dataset}) SET run.k = 1",
    "MATCH (run:Run {dataset: $dataset}) SET run.complete = false",
    "MATCH (c:Clique {dataset: $dataset}) SET c.made = 'whole'",
    "MATCH (c:Clique {dataset: $dataset}) SET c.id = c.id + 1",
    # two records exchange their cliques
    "MATCH (a:Record {dataset: $dataset})-[m:MEMBER_OF]->(c), "
    "(b:Record {dataset: $dataset})-[n:MEMBER_OF]->(d) "
    "WHERE c.id < d.id WITH a, b, c, d, m, n LIMIT 1 DELETE m, n "
    "CREATE (a)-[:MEMBER_OF {turn: 0}]->(d) CREATE (b)-[:MEMBER_OF {turn: 0}]->(c)",
    "MATCH (c:Clique {dataset: $dataset}) CREATE (:Record)-[:MEMBER_OF]->(c)",
    "MATCH (x:Release {dataset: $dataset}) SET x.linked = false",
    # two records exchange what they were released as
    "MATCH (a:Record {dataset: $dataset, position: 0})-[l:RELEASED_AS]->(s), "
    "(b:Record {dataset: $dataset, position: 1})-[m:RELEASED_AS]->(t) DELETE l, m "
    "CREATE (a)-[:RELEASED_AS]->(t) CREATE (b)-[:RELEASED_AS]->(s)",
)
"""What keeps the number of everything, or sums of it that anybody can work out."""


class OwnContract:
    @pytest.fixture
    def held(self, store: GraphStore, name: str) -> Sample:
        data = sample(name, 9)
        load(store, data)
        return data

    @pytest.fixture
    def eventful(self, store: GraphStore, name: str) -> Iterator[str]:
        """A dataset with quasi-identifiers, all ratings and times, a run,
        and a release with its links.
        """
        rows = [(1, 2), (1, 2), (2, 2), (1, 3), (5, 5), (5, 4), (2, 2), (4, 5), (1, 2)]
        regions = quasi_column("region", ["n"] * 8 + ["s"])
        ages = quasi_column("age", [23.5, 25, 24, 24.5, 24, 24, 25, 25, 24.25], 2.0)
        table = build(rows, [(5, 5, None, 1, 3, 1, 2, 4, 2)], scale=(1, 5), name="eventful")
        times = pl.Series("timestamp", range(table.n_ratings), dtype=pl.Int64)
        table = table.replace(quasi=(regions, ages), timestamps=times)
        pair = Key(tuple(table.record_ids), tuple(table.record_ids))
        ingest(table, store, dataset=name, epsilon=1.0, ratings=True)
        decompose(store, dataset=name, run="a", k=3, epsilon=1.0, order="position")
        ingest(table, store, dataset=name, run="r", epsilon=1.0, release_key=pair)
        yield name
        store.drop(f"{name}/r")

    def test_a_text_is_asked_with_its_parameters(self, store: GraphStore, held: Sample) -> None:
        text = (
            "MATCH (r:Record {dataset: $dataset}) WHERE r.position < $most RETURN r.id AS id "
            "ORDER BY id"
        )
        found = store.run(text, dataset=held.spec.name, most=2)
        assert (found.columns, found.rows, found.changes) == (("id",), (("r0",), ("r1",)), None)
        assert found.to_frame()["id"].to_list() == ["r0", "r1"]
        for wrong in ({}, {"most": 2, "much": 1}, {"most": None}, {"most": float("nan")}):
            with pytest.raises(ParameterError):
                store.run(text, dataset=held.spec.name, **wrong)
        with pytest.raises(ParameterError, match="dataset: found 'nope'"):
            store.run(text, dataset="nope", most=2)

    def test_epsilon_is_held_against_the_dataset(self, store: GraphStore, held: Sample) -> None:
        text = (
            "MATCH (:Record {dataset: $dataset})-[p:PROXIMATE]->() WHERE p.distance <= "
            "$epsilon RETURN p"
        )
        asked = len(store.run(text, dataset=held.spec.name, epsilon=1.0))
        assert asked == held.spec.pairs
        assert len(store.run(text, dataset=held.spec.name, epsilon=1)) == asked
        for wrong in (1.5, 2, -1, -0.5):  # a whole number, too, as -p reads it
            with pytest.raises(ParameterError, match=rf"epsilon: found {wrong}"):
                store.run(text, dataset=held.spec.name, epsilon=wrong)

    def test_some_pairs_only_are_not_taken_for_all(self, store: GraphStore, name: str) -> None:
        data = sample(name, 6, edges="at-risk", k=3)
        risk = np.array([True, False, True, False, False, False])
        load(
            store,
            dataclasses.replace(data, records=dataclasses.replace(data.records, at_risk=risk)),
        )
        for tie in ("-[p:PROXIMATE]->", "-[p]-", "-[p:IN_GROUP|PROXIMATE]-", "--", "<--", "-[]-"):
            text = f"MATCH (:Record {{dataset: $dataset}}){tie}(x) RETURN count(x) AS n"
            with pytest.raises(ParameterError, match="edges='all'"):
                store.run(text, dataset=name)
        text = "MATCH (:Record {dataset: $dataset})-[:IN_GROUP]->(x) RETURN count(x) - 1 AS n"
        assert store.run(text, dataset=name).rows == ((5,),)

    def test_values_are_plain(self, store: GraphStore, held: Sample) -> None:
        text = (
            "RETURN 1 AS i, 0.5 AS f, 'a' AS s, true AS b, null AS n, [1, 'a', null] AS l, {x: "
            "[1]} AS m, "
            "date('2026-11-22') AS d, localdatetime('2026-11-22T10:00:00') AS t, "
            "duration('P1M2DT3.5S') AS u, datetime('2020-01-01T00:00:00.25Z') AS w"
        )
        wanted: tuple[Any, ...] = (1, 0.5, "a", True, None, [1, "a", None], {"x": [1]})
        found = store.run(text)
        assert found.single()[:8] == (*wanted, "2026-11-22")
        assert found.single()[8:] == (
            "2026-11-22T10:00:00",
            "P1M2DT3.5S",
            "2020-01-01T00:00:00.25+00:00",
        )
        frame = found.to_frame()
        assert [str(one) for one in frame.dtypes[:5]] == [
            "Int64",
            "Float64",
            "String",
            "Boolean",
            "Null",
        ]
        assert frame["l"].to_list() == ['[1, "a", null]']

    def test_nothing_is_written_unless_asked(self, store: GraphStore, held: Sample) -> None:
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

    def test_what_reaches_beyond_the_graph_is_refused(
        self, store: GraphStore, held: Sample
    ) -> None:
        before = everything(store)
        for text in NEVER:
            for write in (False, True):
                with pytest.raises((ParameterError, DataError)) as caught:
                    store.run(text, write=write)
                assert caught.value.exit_code == 2
        assert everything(store) == before

    def test_what_was_ingested_stays(self, store: GraphStore, held: Sample) -> None:
        before = everything(store)
        # a server takes its time
        for text in DAMAGES if store.engine == "embedded" else DAMAGES[::4]:
            with pytest.raises(
                ParameterError, match=r"changes what was ingested as .*nothing was written"
            ):
                store.run(text, write=True, dataset=held.spec.name)
        assert everything(store) == before

    def test_what_keeps_the_numbers_is_seen_too(self, store: GraphStore, eventful: str) -> None:
        before = everything(store)
        for text in SLIPS:
            with pytest.raises(
                ParameterError, match=r"changes what was ingested as .*nothing was written"
            ):
                store.run(text, write=True, dataset=eventful)
        assert everything(store) == before
        found = store.run(
            "MATCH (n) WHERE n.dataset = $dataset SET n.own = 1 RETURN count(n) AS n",
            write=True, dataset=eventful,
        )  # fmt: skip
        assert found.single()[0] > 15

    def test_labels_of_the_schema_are_reserved(self, store: GraphStore, held: Sample) -> None:
        """Made, set or taken away: also where the node is in no dataset."""
        stray = "MATCH (o:Own) "
        store.run("CREATE (:Own {a: 1})", write=True)
        before = everything(store)
        for label in LABELS:
            for text in (
                f"CREATE (:{label})",
                f"MERGE (n:`{label}` {{a: 7}})",
                f"{stray} SET o:Mine:{label}",
            ):
                with pytest.raises(ParameterError, match="nothing was written") as caught:
                    store.run(text, write=True)
                assert caught.value.exit_code == 2, text
        assert everything(store) == before
        assert (
            store.run(f"{stray} SET o:Mine CREATE (o)-[:OWN]->(:Recorded)", write=True).changes
            is not None
        )

    def test_a_node_of_nobodys_with_a_label_of_the_schema_stays_as_it_is(
        self, store: GraphStore, held: Sample, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What another tool, or an older ratingpriv, left in the store."""
        with monkeypatch.context() as patched:
            patched.setattr(running, "leaving_datasets", lambda _run, _statement, work: work())
            store.run("CREATE (:Record {a: 1}), (:Issue {a: 1})", write=True)
        before = everything(store)
        for text in ("DETACH DELETE n", "REMOVE n:Issue", "REMOVE n:Record"):
            with pytest.raises(ParameterError, match=r"with the label (Issue|Record)"):
                store.run(f"MATCH (n {{a: 1}}) {text}", write=True)
        assert everything(store) == before

    def test_all_that_is_written_is_looked_at(self, store: GraphStore, eventful: str) -> None:
        """Every property in the store is one that a statement of the user's own may not change."""
        labels = {"Run": "runs", "Clique": "runs"} | {
            one: f"{one.lower()}s" for one in ("Record", "Issue", "Release")
        }
        labels |= {"HammingGroup": "groups"}
        ties = {"MEMBER_OF": "members", "LEFT_OUT": "members", "RELEASED_AS": "links"}
        told = "MATCH (n {dataset: $dataset}) UNWIND labels(n) AS kind UNWIND keys(n) AS name "
        tied = "MATCH ({dataset: $dataset})-[n]->() WITH n, type(n) AS kind UNWIND keys(n) AS name "
        for text, parts in ((told, labels), (tied, ties)):
            rows = store.run(text + "RETURN DISTINCT kind, name", dataset=eventful).rows
            for kind, name in rows:
                if kind in parts:
                    ours = contents.OURS[parts[kind]]
                    assert name in ours or name.startswith(contents.QUASI), (kind, name)
        assert {kind for kind, _ in rows} >= set(ties)

    def test_writing_what_is_ones_own(self, store: GraphStore, held: Sample, name: str) -> None:
        name = held.spec.name
        found = store.run(
            "MATCH (r:Record {dataset: $dataset}) SET r.own = 1, r:Own "
            "CREATE (r)-[:OWN]->(:Thing {of: $dataset}) "
            "RETURN count(r) AS n",
            write=True, dataset=name,
        )  # fmt: skip
        assert found.single() == (9,)
        assert found.changes is not None
        assert (found.changes["nodes_created"], found.changes["relationships_created"]) == (9, 9)
        count = "MATCH (:Record {dataset: $dataset})-[:OWN]->(t:Thing) RETURN count(t) AS n"
        assert store.run(count, dataset=name).single() == (9,)
        removed = store.run(
            "MATCH (t:Thing {of: $dataset}) DETACH DELETE t", write=True, dataset=name
        )
        assert (removed.columns, removed.rows) == ((), ())
        assert removed.changes is not None
        assert removed.changes["nodes_deleted"] == 9
        assert store.dataset(name).complete

    @pytest.mark.parametrize(
        ("tie", "parts"),
        [("", set()), ("-[:RATED]->()", {"ratings"}), ("--()", {"ratings", "pairs"})],
    )
    def test_only_what_a_statement_can_touch_is_looked_at(
        self,
        store: GraphStore,
        held: Sample,
        tie: str,
        parts: set[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        asked: list[str] = []
        find = running.query
        monkeypatch.setattr(
            running, "query", lambda name, engine: asked.append(name) or find(name, engine)
        )
        text = f"MATCH (r:Record {{dataset: $dataset}}){tie} SET r.own = 1"
        store.run(text, write=True, dataset=held.spec.name)
        assert {"ratings", "pairs"} & {id.rpartition("/")[2] for id in asked} == parts  # noqa: A001

    def test_an_error_in_the_middle_writes_nothing(self, store: GraphStore, held: Sample) -> None:
        before = everything(store)
        with pytest.raises(RatingPrivError):
            store.run(
                "CREATE (n:Own {a: 1}) WITH n UNWIND [1, 0] AS x RETURN 1 / x AS y", write=True
            )
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
        text = (
            header
            + "MATCH (r:Record {dataset: $dataset}) RETURN r.id AS id ORDER BY id LIMIT $most"
        )
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
            held.pairs.left.tolist(),
            held.pairs.right.tolist(),
            held.pairs.distance.tolist(),
            strict=True,
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
            "MATCH (r:Record {dataset: $dataset})-[i:IN_GROUP]->(g) RETURN r, i, g ORDER BY "
            "r.position",
            dataset=name,
        )
        for record, membership, group in found:
            assert (membership.start, membership.end) == (record.key, group.key)
        assert len({row[0].key for row in found}) == 4


def everything(store: GraphStore) -> list[tuple[Any, ...]]:
    """Every node with its labels and properties, and every relationship with its ends."""
    nodes = store.run(
        "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties, n AS node"
    )
    ties = store.run(
        "MATCH (a)-[p]->(b) RETURN a, p, b, type(p) AS kind, properties(p) AS properties"
    )
    found = [
        (sorted(labels), sorted(properties.items(), key=str)) for labels, properties, _ in nodes
    ]
    found += [
        (a.key, b.key, kind, sorted(properties.items())) for a, _, b, kind, properties in ties
    ]
    return sorted(found, key=repr)

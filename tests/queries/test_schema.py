"""What is in a store is what the schema says, and so is the page of the site."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden.tables import table3
from website import graph_schema

from queries.cases import load_case, with_quasi
from queries.runs import decompose, merge
from queries.test_predictive import GOLDEN, put
from queries.test_swapped import put_swapped
from ratingpriv import read
from ratingpriv.graph import ingest
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.schema import LABELS, TYPES, Part
from ratingpriv_loaders.graph.slices import slices

SURVEY = Path(__file__).resolve().parents[2] / "examples" / "survey.csv"
NAMES = {bool: "BOOLEAN", int: "INTEGER", float: "FLOAT", str: "STRING"}
OTHERS = {
    "selection", "changing", "touchedAt", "ratings", "clique", "made", "near"
}  # of a moment, or of some data only  # fmt: skip


@pytest.fixture
def everything(store: GraphStore) -> Iterator[list[str]]:
    """The names of datasets that have all that can be ingested or made, and of a load under way."""
    table = read(SURVEY, sensitive=["pay"], scale=(1, 5))
    names = [load_case(store, one, 3.0, ratings=True)[0] for one in (with_quasi(), table3())]
    decompose(store, names[1], 3, 2.0, run="run")
    merge(store, names[1], "run", 4, 6)
    store.run("browse/mark-reasons", dataset=names[1], k=3, epsilon=1.0)
    few = f"{names[0]} few"
    ingest(table.take(np.arange(20)), store, dataset=few, epsilon=1, edges="at-risk", k=5)
    released = put(store, GOLDEN, [0, 0, 1, 1], 2)[0]
    put_swapped(store, GOLDEN, [[0, 1], [2, 3]], name=released, epsilon=0.0)
    waiting = f"{names[0]} waiting"
    with store.begin_dataset(slices(GOLDEN, waiting, epsilon=0.0).spec):
        pass
    names += [few, released, f"{released}/run", f"{released}/s", waiting]
    yield names
    for name in (*names[:4], waiting):
        store.drop(name)


def held(
    store: GraphStore, names: list[str]
) -> Iterator[tuple[Part, tuple[str, ...], dict[str, Any]]]:
    """Give what is in the store: a label or type, the labels of both ends, the properties."""
    nodes = "MATCH (n) WHERE coalesce(n.dataset, n.name) IN $names "
    for labels, said in store.run(
        nodes + "RETURN labels(n) AS labels, properties(n) AS said", names=names
    ):
        own = [label for label in labels if label != "ReleasedRecord"]
        yield LABELS[own[0]], (), said
        assert len(own) == 1
    ties = (
        nodes
        + "MATCH (n)-[t]->(m) RETURN labels(n) AS n, type(t) AS t, labels(m) AS m, properties(t) "
        "AS said"
    )
    for start, kind, end, said in store.run(ties, names=names):
        own = TYPES[kind]
        assert own.ends[0] in start
        assert own.ends[1] in end
        yield own, own.ends, said


def test_a_store_holds_what_the_schema_says(store: GraphStore, everything: list[str]) -> None:
    seen: dict[str, set[str]] = {}
    for part, _, said in held(store, everything):
        declared = {one.name: one.type for one in (*part.properties, *of_the_dataset(part))}
        names = {re.sub(r"^quasi_.*", "quasi_NAME", name): value for name, value in said.items()}
        for name, value in names.items():
            assert declared[name].rstrip("?") in ("ANY", kind(value)), (part.name, name, value)
        assert {name for name, type_ in declared.items() if not type_.endswith("?")} <= set(names)
        seen.setdefault(part.name, set()).update(names)
    for part in (*LABELS.values(), *TYPES.values()):
        unseen = {one.name for one in part.properties} - seen.get(part.name, set()) - OTHERS
        assert unseen == (set() if part.name != "RATED" else {"timestamp"}), part.name
    assert set(seen) == {*LABELS, *TYPES} - {"ReleasedRecord"}


def of_the_dataset(part: Part) -> tuple[Any, ...]:
    """A load says what the dataset will, but that it is complete."""
    return tuple(
        one
        for one in LABELS["Dataset"].properties
        if one.name != "complete" and part.name == "Load"
    )


def kind(value: Any) -> str:
    if isinstance(value, list):
        return f"LIST<{kind(value[0])}>"
    return NAMES[type(value)]


def test_each_pair_is_stored_once_from_the_earlier_record(
    store: GraphStore, everything: list[str]
) -> None:
    rows = store.run(
        "MATCH (a:Record {dataset: $dataset})-[:PROXIMATE]->(b) RETURN a.position AS a, "
        "b.position AS b",
        dataset=everything[0],
    ).rows
    assert len(set(rows)) == len(rows) > 0
    assert all(a < b for a, b in rows)


def test_the_keys_and_indexes_are_there(store: GraphStore, everything: list[str]) -> None:
    assert made(store) == graph_schema.keys(store.engine)


def made(store: Any) -> set[tuple[str, tuple[str, ...], bool]]:
    """The keys and indexes of a store, as its engine lists them."""
    if store.engine == "embedded":
        indexes, constraints = (
            store.batch(lambda db, what=what: list(db.execute(f"SHOW {what}")))
            for what in ("INDEXES", "CONSTRAINTS")
        )
        found = {(one["label"], (one["property"],), False) for one in indexes}
        return found | {
            (one["label"], tuple(one["properties"].split(", ")), True) for one in constraints
        }
    listing = (
        "SHOW INDEXES YIELD labelsOrTypes, properties, owningConstraint, type WHERE type = 'RANGE'"
    )
    with store._driver.session(database=store._database) as session:
        return {
            (one["labelsOrTypes"][0], tuple(one["properties"]), one["owningConstraint"] is not None)
            for one in session.run(listing)
        }


def test_the_page_and_the_picture_are_those_of_the_program() -> None:
    page = graph_schema.pages()["index.md"]
    for part in (*LABELS.values(), *TYPES.values()):
        section = page.partition(f"### {part.name}\n")[2].partition("\n#")[0]
        assert [one.name for one in part.properties] == re.findall(
            r"^\| `(\w+)` \|", section, re.MULTILINE
        )
    drawn = (graph_schema.FOLDER / "graph-schema.svg").read_text(encoding="utf-8")
    assert drawn == graph_schema.picture(), "cd docs && python -m website.graph_schema"

"""A question reads its own dataset only, whatever else is there,
and keeps little of it in memory.
"""

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from neo4j_server.server import JVM

from queries.cases import OURS, load_case, params_of, with_nulls, with_quasi
from queries.runs import whole_components
from queries.test_predictive import GOLDEN, put
from ratingpriv import read
from ratingpriv.base.keys import Key
from ratingpriv.graph.catalogue import catalogue, query, texts_of
from ratingpriv.graph.ingesting import ingest
from ratingpriv.graph.running import GraphStore

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted(id for id in catalogue() if not id.startswith("schema/"))  # noqa: A001

VALUES: dict[str, Any] = {
    "STRING": "x", "INTEGER": 1, "FLOAT": 1.0, "ANY": "x", "MAP": {}, "BOOLEAN": True,
    "LIST<ANY>": ["x"], "LIST<MAP>": [], "LIST<STRING>": ["x"], "LIST<INTEGER>": [1],
}  # fmt: skip
A_NODE_A_DATASET = r":(Dataset|Load)\b"


# ---- plans ----


@pytest.fixture
def shared(store: GraphStore) -> GraphStore:
    """A store with three datasets, one of them with a release and a run of it."""
    if store.uri not in _SHARED:
        put(store, GOLDEN, [0, 0, 1, 1], 2)
        for table in (with_nulls(), with_quasi()):
            load_case(store, table, 5.0, ratings=True)
        _SHARED.add(store.uri)
    return store


_SHARED: set[str] = set()


@pytest.mark.parametrize("query_id", TEXTS)
def test_no_text_scans_the_nodes_of_all_datasets(shared: GraphStore, query_id: str) -> None:
    if not {None, shared.engine} & {catalogue()[query_id].engine, *texts_of(query_id)}:
        pytest.skip(f"there is no text for {shared.engine}")
    found = query(query_id, shared.engine)
    plan = shared.explain(found, **{param.name: VALUES[param.type] for param in found.params})
    scans = server_scans(plan) if shared.engine == "neo4j" else embedded_scans(plan)
    assert plan
    assert not [scan for scan in scans if not re.search(A_NODE_A_DATASET, scan)]


def server_scans(plan: str) -> list[str]:
    """What a Neo4j server looks through from one end to the other, of whatever dataset."""
    return re.findall(r"\+\w*Scan\w* *\|[^|]*\|[^|]*", plan)


def embedded_scans(plan: str) -> list[str]:
    """The same in the plan of the embedded engine,
    which says of filters above a scan whether an index helps.

    ``*`` is a node that is known already. Of several equal conditions in one filter it takes the
    index of the first: where that is the dataset's, a record is looked for among all of its
    dataset.
    """
    scans, filters = [], []
    for line in plan.splitlines():
        line = line.strip()
        if line.startswith("Filter"):
            filters.append(line)
        elif line.startswith("NodeScan") and not line.endswith(":*)"):
            helps = [one for one in filters if re.search(r"\[(index|range): ", one)]
            slow = [one for one in helps if re.search(r"\.(position|id) Eq.*\[index: dataset", one)]
            scans += [line] if slow or not helps else []
            filters = []
        else:
            filters = []
    return scans


# ---- budgets ----

SURVEY = {"records": 300, "pairs": 9276, "ratings": 2050}
READS = {
    "Record": 300, "HammingGroup": 2, "IN_GROUP": 300, "Issue": 7, "RATED": 2050,
    "PROXIMATE": 9276, "PROXIMATE-ANY": 9276, "PROXIMATE-AT-RISK": 9276,
    "RATED-ONLY": 2050 * 300,  # each rating is compared with those of the same issue
    "Run": 1, "Clique": 300, "MEMBER_OF": 300, "LEFT_OUT": 300,
    "WITHIN": 20 * 9, "BEYOND": 20 * 3,  # of the first 20 at risk
    "Release": 1, "RELEASED_AS": 300, "Dataset": 1, "SwapGroup": 300, "SWAPPED_IN": 300,
}  # fmt: skip
"""How much of the survey a query looks at for what its header says that it reads."""
SURVEYED = {
    "k": 5, "l": 2, "run": "a", "grouping": "groups", "record": "r001", "records": ["r001", "r002"],
    "issue": "pay", "last": 30, "min_distinct": 3, "components": [],
}  # fmt: skip
HITS, MEMORY = 25, 4_000_000  # database accesses for each of these; bytes


@pytest.fixture(scope="module")
def survey(neo4j_store: GraphStore) -> Iterator[str]:
    """The name of the shipped survey, loaded with its ratings, a run,
    and a release that has a run.
    """
    name = f"survey {uuid.uuid4().hex[:12]}"
    table = read(ROOT / "examples" / "survey.csv", sensitive=["pay"], scale=(1, 5))
    info = ingest(table, neo4j_store, dataset=name, epsilon=1, ratings=True).dataset.spec
    assert {kind: getattr(info, kind) for kind in SURVEY} == SURVEY
    ids = table.record_ids.to_list()
    key = Key(tuple(ids), (*ids[:280], *[None] * 20))
    ingest(
        table.take(np.arange(280)), neo4j_store, dataset=name, epsilon=1, run="a", release_key=key
    )
    whole_components(neo4j_store, name, 1, 0.0, run="a")
    whole_components(neo4j_store, f"{name}/a", 1, 0.0, run="groups")
    yield name
    neo4j_store.drop(name)


ASKED = [id for id in OURS if not id.startswith(("partition/decompose/", "partition/change/"))]  # noqa: A001


@pytest.mark.parametrize("query_id", ASKED)
def test_no_query_of_the_survey_costs_more_than_its_header_lets_expect(
    neo4j_store: Any, survey: str, query_id: str
) -> None:
    found = query(query_id, "neo4j")
    session = neo4j_store._driver.session(
        database=neo4j_store._database, notifications_min_severity="OFF"
    )
    with session, session.begin_transaction() as transaction:
        params = params_of(query_id, dataset=survey, **SURVEYED)
        result = transaction.run(f"PROFILE\n{found.text}", params)
        list(result)
        profile = result.consume().profile
        transaction.rollback()
    operators = list(walk(profile))
    hits = sum(one["dbHits"] for one in operators)
    memory = max(one["args"].get("GlobalMemory", 0) for one in operators)
    read_of_it = sum(READS.get(one, 0) for one in found.reads)
    assert hits <= HITS * read_of_it
    assert memory <= MEMORY


def walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from walk(child)


def test_the_server_has_the_heap_of_the_compose_file() -> None:
    compose = (ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8")
    assert (
        set(re.findall(r"NEO4J_HEAP:-(\w+)", compose))
        == {"1g"}
        == {one.removeprefix("-Xmx") for one in JVM if one.startswith("-Xmx")}
    )

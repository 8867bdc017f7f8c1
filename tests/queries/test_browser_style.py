"""The Browser style and what browse/mark writes fit together; the compose file keeps its promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from golden.tables import build, table1

from ratingpriv.graph.store import GraphStore

DOCKER = Path(__file__).resolve().parent.parent.parent / "docker"
MARKS = ["Alone", "Few", "Several", "Many"]


def rules() -> dict[str, dict[str, str]]:
    text = (DOCKER / "style.grass").read_text(encoding="utf-8")
    found = re.findall(r"([\w.]+) \{([^}]*)\}", text)
    return {name: dict(re.findall(r"([\w-]+): ([^;]+);", body)) for name, body in found}


def test_records_at_risk_are_red_whatever_their_size() -> None:
    names = list(rules())  # Browser merges all rules that match a node's labels, the later ones win
    assert names.index("node.Record") < min(map(names.index, [f"node.{mark}" for mark in MARKS]))
    assert max(map(names.index, [f"node.{mark}" for mark in MARKS])) < names.index("node.AtRisk")
    assert "diameter" not in rules()["node.AtRisk"]
    red, green, blue = bytes.fromhex(rules()["node.AtRisk"]["color"].removeprefix("#"))
    assert red > 2 * max(green, blue)


def test_a_larger_neighbourhood_is_drawn_larger() -> None:
    diameters = [int(rules()[f"node.{mark}"]["diameter"].removesuffix("px")) for mark in MARKS]
    assert diameters == sorted(set(diameters))


def labels(store: GraphStore, dataset: str) -> dict[str, list[str]]:
    rows = store.run("browse/overview", dataset=dataset)
    return {row[3]["properties"]["id"]: sorted(set(row[3]["labels"]) - {"Record"}) for row in rows}


def test_marks(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(table1(), 5.0)
    assert store.run("browse/mark", dataset=dataset, k=2, epsilon=1.0).rows == ((5, 1),)
    few = {"t2": ["Few"], "t3": ["Few"], "t4": ["Few"], "t5": ["Few"]}
    assert labels(store, dataset) == {**few, "t1": ["Alone", "AtRisk"]}
    assert store.run("browse/mark", dataset=dataset, k=3, epsilon=5.0).rows == ((5, 2),)
    risky = ["AtRisk", "Few"]
    assert labels(store, dataset) == {**few, "t1": ["Few"], "t4": risky, "t5": risky}
    assert store.run("browse/unmark", dataset=dataset).rows == ((5,),)
    assert not any(labels(store, dataset).values())


def test_marks_of_large_neighbourhoods(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(build([(1,)] * 20 + [(2,)] * 5 + [(3,)] * 19), 0.0)
    store.run("browse/mark", dataset=dataset, k=1, epsilon=0.0)
    found = {row[3]["properties"]["id"]: row[3] for row in store.run("browse/overview", dataset=dataset)}
    assert {"Many", "Record"} == set(found["t1"]["labels"])
    assert found["t1"]["properties"]["neighbourhood"] == 20
    rows = store.run("browse/record-and-near", dataset=dataset, record="t21", epsilon=0.0)
    assert {"Several", "Record"} == set(rows.rows[0][0]["labels"])


def test_compose_listens_on_the_loopback_only_and_reports_nothing() -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    assert re.search(r"image: neo4j:5\.26\.\d+-community\n", text)
    ports = re.findall(r'- "([^"]+):\d+"', text)
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)
    for switch in ("dbms_usage__report_enabled", "client_allow__telemetry", "server_bolt_telemetry_enabled"):
        assert f'NEO4J_{switch}: "false"' in text
    assert "${NEO4J_PASSWORD:?" in text
    assert "healthcheck:" in text
    example = (DOCKER / "env.example").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(\w+)", text))
    assert asked == set(re.findall(r"^#?(\w+)=", example, flags=re.MULTILINE))


def test_the_readme_names_every_browse_query() -> None:
    text = (DOCKER / "README.md").read_text(encoding="utf-8")
    for path in (DOCKER.parent / "cypher" / "browse").glob("*.cypher"):
        assert f"`browse/{path.stem}`" in text

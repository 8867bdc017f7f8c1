"""The Browser style and what browse/mark writes fit together.

The compose file keeps its promises.
"""

import re
import subprocess
import urllib.parse
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from golden.tables import build, table1
from naive import proximity, quasi_groups
from neo4j_server.plugin import Address
from ports import free_port
from tools.favorites import FILE, ONLY_ANSWERS, favorites, packed

from queries.cases import TABLES
from queries.oracle import Case
from queries.runs import whole_components
from ratingpriv import RatingTable
from ratingpriv.graph.catalogue import catalogue
from ratingpriv.graph.running import GraphStore

DOCKER = Path(__file__).resolve().parent.parent.parent / "docker"
MARKS = ["Alone", "Few", "Several", "Many"]
HUES = [f"Hue{number}" for number in range(8)]


def rules() -> dict[str, dict[str, str]]:
    text = (DOCKER / "style.grass").read_text(encoding="utf-8")
    found = re.findall(r"^([\w.]+) \{\n(.*?)^\}", text, flags=re.MULTILINE | re.DOTALL)
    return {
        name: dict(re.findall(r"^  ([\w-]+): ([^;]+);$", body, flags=re.MULTILINE))
        for name, body in found
    }


def test_records_at_risk_are_red_and_the_larger_the_neighbourhood_the_larger_the_node() -> None:
    names = list(rules())  # Browser merges all rules that match a node's labels, the later ones win
    order = [
        names.index(f"node.{label}")
        for label in ("Record", *MARKS, "ReleasedRecord", *HUES, "AtRisk")
    ]
    assert order == sorted(order)
    red, green, blue = bytes.fromhex(rules()["node.AtRisk"]["color"].removeprefix("#"))
    assert red > 2 * max(green, blue)
    diameters = [
        int(rules()[f"node.{mark}"]["diameter"].removesuffix("px")) for mark in (*MARKS, "AtRisk")
    ]
    assert diameters == sorted(set(diameters))


def test_every_label_and_type_that_can_be_drawn_has_a_colour() -> None:
    drawn = {
        "Dataset",
        "Run",
        "Release",
        "Issue",
        "HammingGroup",
        "Clique",
        "Record",
        "ReleasedRecord",
    }
    drawn |= {"SwapGroup"}
    for label in (*drawn, *MARKS, *HUES, "AtRisk"):
        assert {"color", "border-color", "text-color-internal"} <= set(rules()[f"node.{label}"]), (
            label
        )
    types = {
        kind.removesuffix("-AT-RISK").removesuffix("-ANY")
        for one in catalogue().values() if one.id.startswith("browse/")
        for kind in one.reads if kind.isupper()
    } - {"PROXIMATE-OR-SIZES", "RATED-ONLY"}  # fmt: skip
    assert types
    assert {f"relationship.{kind}" for kind in types} <= set(rules())
    # Browser splits a line at each colon, and what is behind a second one is lost
    assert not any(":" in rule.get("caption", "") for rule in rules().values())


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
    found = {
        row[3]["properties"]["id"]: row[3] for row in store.run("browse/overview", dataset=dataset)
    }
    assert {"Many", "Record"} == set(found["t1"]["labels"])
    assert found["t1"]["properties"]["neighbourhood"] == 20
    rows = store.run("browse/record-and-near", dataset=dataset, record="t21", epsilon=0.0)
    assert {"Several", "Record"} == set(rows.rows[0][0]["labels"])


def reasons(case: Case, k: int, epsilon: float) -> list[tuple[Any, ...]]:
    """What browse/mark-reasons draws, by comparing everybody at risk with everybody else."""
    table, rows, known = case.table, proximity.ratings(case.table), quasi_groups.values(case.table)
    at_most = 0.0 if table.scale is None else float(table.scale.maximum)
    separates = case.nulls == "strict" and (at_most <= 0 or epsilon < at_most)
    risky = sorted((size, t) for t, size in enumerate(case.sizes(epsilon)) if size < k)[:20]
    found: list[tuple[Any, ...]] = []
    for _, t in risky:
        near = [u for u in case.near(epsilon)[t] if u != t]
        nearest = sorted((case.distance(t, u), u) for u in near)[:9]
        found += [
            (case.ids[t], "WITHIN", rank, case.ids[u], far) for rank, (far, u) in enumerate(nearest)
        ]
        others = []
        for u in set(range(len(rows))) - {t, *near}:
            both = [issue for issue in rows[t] if issue in rows[u]]
            differing = [issue for issue in both if abs(rows[t][issue] - rows[u][issue]) > epsilon]
            one_sided = set(rows[t]) ^ set(rows[u]) if separates else set()
            broken = sum(
                not quasi_groups.meets(column, a, b, case.nulls)
                for column, a, b in zip(table.quasi, known[t], known[u], strict=True)
            )
            answers = sorted({*differing, *one_sided})
            if both:
                others.append((len(answers) + broken, -len(differing), u, answers))
        for rank, (_, _, u, answers) in enumerate(sorted(others)[:3]):
            told = [
                f"{table.issues[issue]} {told_of(rows[t], issue)}≠{told_of(rows[u], issue)}"
                for issue in answers
            ] or [" ≠ ".join(case.caption(one, equal_only=False) for one in (t, u))]
            more = f" and {len(told) - 3} more" if len(told) > 3 else ""
            found.append((case.ids[t], "BEYOND", 9 + rank, case.ids[u], ", ".join(told[:3]) + more))
    return sorted(found, key=repr)


def many_answers() -> RatingTable:
    """More people at risk, and more of their neighbours and answers, than are drawn."""
    crowd = [(float(t % 3), 2.5, 1.0, None, 4.0) for t in range(12)]
    return build(
        [*crowd, *[(0.0, float(t % 4) + 0.1, None, 5.0, t % 5) for t in range(11)]], scale=(0, 5)
    )


def told_of(row: dict[int, Any], issue: int) -> str:
    return f"{float(row[issue]):g}" if issue in row else "-"


def lines(store: GraphStore, **asked: Any) -> list[tuple[Any, ...]]:
    """What browse/at-risk draws of what browse/mark-reasons has written."""
    drawn = [row for row in store.run("browse/at-risk", **asked).dicts() if row["p"]]
    found = [
        (*(row[one]["properties"] for one in ("r", "p", "near")), row["p"]["type"]) for row in drawn
    ]
    return [
        (r["id"], kind, said["rank"], near["id"], said.get("because", said.get("distance")))
        for r, said, near, kind in found
        if kind != "PROXIMATE"
    ]


@pytest.mark.parametrize("nulls", ["strict", "wildcard"])
@pytest.mark.parametrize("name", [*TABLES, "many"])
def test_the_answers_that_keep_others_away(
    store: GraphStore, loaded: Any, name: str, nulls: str
) -> None:
    make, most = {**TABLES, "many": (many_answers, 3.0)}[name]
    dataset, case = loaded(make(), most, ratings=True, nulls=nulls)
    for k, epsilon in ((3, 1.0), (2, 0.0), (13, most), (1, 1.0)):
        asked = {"dataset": dataset, "k": k, "epsilon": epsilon}
        wanted = reasons(case, k, epsilon)
        counts = store.run("browse/mark-reasons", **asked).rows
        assert sorted(lines(store, **asked), key=repr) == wanted
        kinds = Counter(kind for _, kind, *_ in wanted)
        risky = len([size for size in case.sizes(epsilon) if size < k])
        assert counts == ((min(risky, 20), kinds["WITHIN"], kinds["BEYOND"]),)
    store.run("browse/mark-reasons", dataset=dataset, k=13, epsilon=1.0)
    store.run("browse/unmark", dataset=dataset)
    assert not lines(store, dataset=dataset, k=13, epsilon=1.0)


def test_without_ratings_the_distance_is_all_there_is_to_say(
    store: GraphStore, loaded: Any
) -> None:
    dataset, _ = loaded(table1(), 5.0)
    assert store.run("browse/mark-reasons", dataset=dataset, k=2, epsilon=1.0).rows == ((1, 0, 2),)
    told = [(kind, why) for _, kind, _, _, why in lines(store, dataset=dataset, k=2, epsilon=1.0)]
    assert told == [("BEYOND", "4 apart"), ("BEYOND", "5 apart")]
    assert not lines(store, dataset=dataset, k=5, epsilon=2.0)  # they are of another epsilon


def test_the_colours_of_cliques(store: GraphStore, loaded: Any) -> None:
    dataset, _ = loaded(build([(float(1 + 3 * (t // 2)),) for t in range(20)], scale=(1, 40)), 0.0)
    whole_components(store, dataset, 1, 0.0, run="a")
    assert store.run("browse/mark-cliques", dataset=dataset, run="a").rows == ((10, 20),)
    stars: dict[str, set[str]] = {}
    for _, clique, _, record in store.run("browse/cliques", dataset=dataset, run="a").rows:
        hues = {
            label
            for node in (clique, record)
            for label in node["labels"]
            if label.startswith("Hue")
        }
        stars.setdefault(clique["properties"]["id"], set()).update(hues)
    assert sorted(stars.items()) == [(2 * turn, {f"Hue{turn % 8}"}) for turn in range(10)]
    assert store.run("browse/mark", dataset=dataset, k=3, epsilon=0.0).rows == ((20, 20),)
    assert set(map(tuple, labels(store, dataset).values())) == {("AtRisk", "Few")}


def test_the_saved_queries_are_those_of_the_library() -> None:
    assert FILE.read_bytes() == packed()  # python tests/tools/favorites.py makes it
    assert len(favorites()) == 11
    titles = [text.splitlines()[0].removeprefix("// ") for text in favorites().values()]
    assert titles == sorted(titles)  # as Browser lists them
    assert max(map(len, titles)) <= 36


def test_browser_connects_no_nodes_by_itself() -> None:
    """It takes the setting alone only: as the first saved query,
    or from the server when it connects.
    """
    assert f'"{ONLY_ANSWERS.removeprefix(":")}"' in (DOCKER / "compose.yaml").read_text(
        encoding="utf-8"
    )
    assert [text for text in favorites().values() if ":config" in text] == [
        next(iter(favorites().values()))
    ]


def test_compose_listens_on_the_loopback_only_and_reports_nothing() -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    assert re.search(r"image: neo4j:5\.26\.\d+-community\n", text)
    ports = re.findall(r'- "([^"]+):\d+"', text)
    assert len(ports) == 2
    assert all(port.startswith("127.0.0.1:") for port in ports)
    for switch in (
        "dbms_usage__report_enabled",
        "client_allow__telemetry",
        "server_bolt_telemetry_enabled",
    ):
        assert f'NEO4J_{switch}: "false"' in text
    assert "${NEO4J_PASSWORD:?" in text
    assert "db_transaction_timeout" in text
    example = (DOCKER / "env.example").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(\w+)", text))
    assert asked == set(re.findall(r"^#?(\w+)=", example, flags=re.MULTILINE))


def test_the_health_check_asks_bolt(neo4j_lts: Address) -> None:
    text = (DOCKER / "compose.yaml").read_text(encoding="utf-8")
    check = re.search(r"^ +- \|\n(.*?)\n +interval:", text, flags=re.MULTILINE | re.DOTALL)
    assert check
    assert neo4j_lts.server is not None
    bolt, http = (urllib.parse.urlsplit(uri).port for uri in (neo4j_lts.uri, neo4j_lts.server.http))
    for port, healthy in ((bolt, True), (http, False), (free_port(), False)):
        script = check[1].replace("$$", "$").replace("7687", str(port))
        ended = subprocess.run(["bash", "-c", script], capture_output=True, timeout=30, check=False)
        assert (ended.returncode == 0) is healthy

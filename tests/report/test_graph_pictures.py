"""Pictures of an answer: what is in them, what is not,
and that nothing in a store gets out of its place.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from markup_reading import Markup

from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.graph import query
from ratingpriv.graph.rows import GraphNode, GraphRelationship
from ratingpriv.graph.store import Result
from ratingpriv.report import graphs
from ratingpriv.report.graphs import MOST_NODES, html, picture_of, places, svg, write_picture

SVG = "{http://www.w3.org/2000/svg}"
AT_RISK = query("browse/at-risk")
PARAMS: dict[str, Any] = {"dataset": "survey", "k": 3, "epsilon": 1.0}
NASTY = "</title><script>alert(1)</script>\"'&\x1b[31m\u202e"


def record(
    key: int, name: str | None = None, labels: tuple[str, ...] = ("Record",), **more: Any
) -> GraphNode:
    return GraphNode(
        key, labels, {"dataset": "survey", "id": name or f"secret-{key}", "position": key, **more}
    )


def pair(key: int, start: int, end: int, distance: float) -> GraphRelationship:
    return GraphRelationship(key, start, end, "PROXIMATE", {"distance": distance})


def at_risk() -> Result:
    dataset = GraphNode("d", ["Dataset"], {"name": "survey"})
    rows = (
        (dataset, record(1), pair(1, 1, 2, 0.5), record(2), 2),
        (dataset, record(1), pair(2, 3, 1, 2.0), record(3), 2),
        (dataset, record(4), None, None, 1),
    )
    return Result(("d", "r", "p", "near", "size"), rows)


def test_each_element_is_drawn_once_and_said() -> None:
    drawn = picture_of(at_risk(), AT_RISK, PARAMS)
    assert [one.key for one in drawn.nodes] == ["d", "1", "2", "3", "4"]
    assert [(one.size, one.at_risk) for one in drawn.nodes[1:]] == [
        (2, True), (None, False), (None, False), (1, True),
    ]  # fmt: skip
    assert [(one.start, one.end, one.caption, one.beyond) for one in drawn.edges] == [
        ("1", "2", "0.5", False),
        ("3", "1", "2", True),
    ]
    assert (
        drawn.caption == "dataset = survey, k = 3, epsilon = 1. 4 records drawn, 2 of them at risk."
    )
    root = ET.fromstring(svg(drawn))  # noqa: S314 -- our own
    groups = Counter(one.get("class") for one in root.iter(f"{SVG}g") if one.get("class"))
    assert groups == {"node": 5, "edge": 2}
    said = [one.text for one in root.iter(f"{SVG}title")]
    assert said[0] == AT_RISK.title
    assert "record; 2 records in its neighbourhood, itself included; at risk" in said
    assert "2 apart, more than epsilon = 1" in said
    texts = " ".join("".join(one.itertext()) for one in root.iter(f"{SVG}text"))
    for meaning in (
        "record at risk",
        "pair beyond epsilon",
        "larger: more in its neighbourhood",
        "dataset = survey",
    ):
        assert meaning in texts


def test_the_answers_that_keep_others_away_stand_on_the_lines() -> None:
    """browse/mark-reasons wrote them: they are answers of people,
    whether or not the picture names these.
    """
    within = GraphRelationship(1, 1, 2, "WITHIN", {"distance": 1.0, "epsilon": 1.0, "rank": 0})
    beyond = GraphRelationship(
        2, 1, 3, "BEYOND", {"because": "team 5≠3", "epsilon": 1.0, "rank": 9}
    )
    rows = ((record(1), within, record(2), 2), (record(1), beyond, record(3), 2))
    drawn = picture_of(Result(("r", "p", "near", "size"), rows), AT_RISK, PARAMS)
    assert [(one.caption, one.beyond) for one in drawn.edges] == [("1", False), ("team 5≠3", True)]
    assert [one.caption for one in drawn.nodes] == ["2 of 3", "", ""]
    assert "team 5≠3" in svg(drawn)
    assert "keep it like the data" in drawn.said


def test_what_an_item_costs_stands_in_it() -> None:
    items = [
        GraphNode(f"i{number}", ["Issue"], {"name": name})
        for number, name in enumerate(["team", "a name that is too long for a node"])
    ]
    rows = ((record(1), items[0], 1.5), (record(1), items[1], 2.0), (record(2), items[0], 1.5))
    drawn = picture_of(Result(("r", "i", "cost"), rows), query("browse/mended"), {}).nodes
    captions = {one.key: (one.caption, one.said) for one in drawn}
    assert captions["i0"] == ("team: 1.5", "item team; information loss (L1) 1.5")
    assert captions["i1"][0].endswith(": 2")
    assert len(captions["i1"][0]) <= 14
    assert captions["1"][1] == "record"


def test_the_colours_are_those_of_the_style_for_browser() -> None:
    style = (Path(__file__).resolve().parents[2] / "docker" / "style.grass").read_text(
        encoding="utf-8"
    )
    kinds = {**graphs._COLOURS, "AtRisk": graphs._AT_RISK}
    kinds |= {f"Hue{number}": hue for number, hue in enumerate(graphs._HUES)}
    for kind, (inside, border, *_) in kinds.items():
        rule = style.partition(f"node.{kind} {{")[2].partition("}")[0]
        assert f"  color: {inside};\n  border-color: {border};\n" in rule + "\n", kind


def test_risk_is_not_said_where_the_answer_does_not_say_it() -> None:
    plain = query("browse/overview")
    result = Result(("r",), ((record(1),), (record(2),)))
    assert (
        picture_of(result, plain, {"dataset": "survey"}).caption
        == "dataset = survey. 2 records drawn."
    )
    marked = Result(
        ("r",), ((record(1, labels=("Record", "AtRisk", "Few"), neighbourhood=3),), (record(2),))
    )
    drawn = picture_of(marked, plain, {"dataset": "survey"})
    assert [(one.size, one.at_risk) for one in drawn.nodes] == [(3, True), (None, False)]
    alone = picture_of(Result(("r",), ((record(1),),)), query("browse/alone"), {"epsilon": 1.0})
    assert [(one.size, one.at_risk) for one in alone.nodes] == [(1, True)]


@pytest.mark.parametrize("make", [svg, html])
def test_records_are_named_only_where_that_was_asked_for(make: Any) -> None:
    asked = {**PARAMS, "record": "secret-1"}
    assert "secret" not in make(picture_of(at_risk(), AT_RISK, asked))
    named = picture_of(at_risk(), AT_RISK, asked, ids=True)
    assert make(named).count("secret-4") >= 1
    assert "names records" in named.said


def test_nodes_stand_apart_and_inside() -> None:
    """Two nodes of one picture never cover each other, and all are inside of it."""
    rows = [(record(key), pair(key, 0, key, 1.0), record(0)) for key in range(1, 40)]
    rows += [(record(key), None, None) for key in range(40, 60)]
    drawn = picture_of(Result(("a", "p", "b"), tuple(rows)), AT_RISK, {})
    where, wide, high = places(drawn)
    assert len(where) == 60
    spots = list(where.values())
    assert all(0 <= x <= wide and 0 <= y <= high for x, y in spots)
    nearest = min(
        (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
        for number, a in enumerate(spots)
        for b in spots[:number]
    )
    assert nearest > 12**2
    assert places(drawn) == (where, wide, high)
    order = [one.key for one in drawn.nodes]
    # of no set: the same in every process
    assert [key for key in where if int(key) < 40] == order[:40]


def test_texts_of_the_store_stay_texts() -> None:
    result = Result(
        ("a", "p", "b"),
        (
            (
                record(1, NASTY),
                GraphRelationship("x", 1, 2, NASTY, {}),
                GraphNode(2, [NASTY], {"name": NASTY}),
            ),
        ),
    )
    drawn = picture_of(result, AT_RISK, {"dataset": NASTY}, ids=True)
    root = ET.fromstring(svg(drawn))  # noqa: S314 -- our own
    assert {one.tag for one in root.iter()} == {
        f"{SVG}{tag}"
        for tag in ("svg", "title", "desc", "style", "rect", "g", "line", "circle", "text")
    }
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", svg(drawn) + html(drawn))
    tags = Markup(html(drawn)).tags
    assert tags.count("script") == 1
    assert tags.count("title") == 2 + len(drawn.nodes) + len(drawn.edges)


def test_what_nobody_could_look_at_is_refused(tmp_path: Path) -> None:
    many = Result(("r",), tuple((record(key),) for key in range(MOST_NODES + 1)))
    with pytest.raises(
        ParameterError, match=r"501 nodes and 0 relationships.*at most 500.*store export"
    ):
        picture_of(many, AT_RISK, {})
    with pytest.raises(ParameterError, match="a result without nodes"):
        picture_of(Result(("n",), ((1,), (None,))), AT_RISK, {})
    with pytest.raises(ParameterError, match=r"ending in \.svg or \.html"):
        write_picture(picture_of(at_risk(), AT_RISK, {}), tmp_path / "p.png")
    write_picture(picture_of(at_risk(), AT_RISK, {}), tmp_path / "p.svg")
    with pytest.raises(OutputError, match="exists"):
        write_picture(picture_of(at_risk(), AT_RISK, {}), tmp_path / "p.svg")
    assert (tmp_path / "p.svg").stat().st_mode & 0o777 == 0o600

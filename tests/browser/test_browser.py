"""An analyst's first minutes: drop style and saved queries on Neo4j Browser,
run them one after the other.

``RATINGPRIV_SCREENSHOTS=docker/pictures`` keeps the pictures: those of README and docker/README.md.
"""

import base64
import os
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from golden.tables import build, table3
from neo4j_server.plugin import Address, give_up
from ports import free_port
from queries.runs import decompose, merge
from tools.favorites import FILE, favorites

import ratingpriv
from browser.webdriver import Chromium, NoBrowserError
from ratingpriv.base.keys import Key
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.ingesting import ingest
from ratingpriv.graph.running import GraphStore

ROOT = Path(__file__).resolve().parent.parent.parent
RED = "#D62728"

DROP = """
const files = new DataTransfer();
const bytes = Uint8Array.from(atob(arguments[1]), one => one.charCodeAt(0));
files.items.add(new File([bytes], arguments[0]));
const target = document.querySelector('.filedrop');
target.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: files}));
return true;
"""
PRESS = """
const [name, inside] = arguments;
const button = [...document.querySelectorAll(`${inside} [data-testid], ${inside} button`)].find(
    one => [one.dataset.testid, one.name, one.title, one.ariaLabel, one.innerText].includes(name));
if (button) button.click();
return Boolean(button);
"""
SHOWN = "return document.querySelector(arguments[1]).innerText.includes(arguments[0])"
LAST = '[data-testid="frame"]'  # what was asked last stands first
FIRST = f"const frame = document.querySelector('{LAST}');"
DRAWN = f"""{FIRST}
const seen = new Map([...frame.querySelectorAll('g.node')].map(node => [node.__data__.id, node]));
return [
    [...seen.values()].map(node => {{
        const circle = node.querySelector('circle.b-outline');
        const texts = [...node.querySelectorAll('text')].map(one => one.textContent.trim());
        const [fill, r] = ['fill', 'r'].map(name => circle.getAttribute(name));
        return [node.__data__.id, fill, Number(r), texts.join(' ')];
    }}),
    [...frame.querySelectorAll('g.relationship')].map(({{__data__: one}}) =>
        [one.type, one.source.id, one.target.id, one.caption]),
];
"""
STILL = f"""{FIRST}
return [...frame.querySelectorAll('g.node')].map(one => one.getAttribute('transform')).join();
"""


class Node(NamedTuple):
    id: str
    colour: str
    radius: float
    caption: str


class Line(NamedTuple):
    type: str
    start: str
    end: str
    caption: str


class Session(NamedTuple):
    browser: Chromium
    store: GraphStore

    def drop(self, name: str, content: bytes) -> None:
        self.browser.run(DROP, name, base64.b64encode(content).decode())

    def press(self, button: str, inside: str = "") -> None:
        self.browser.until(
            lambda: self.browser.run(PRESS, button, inside), f"there is no button {button}"
        )

    def see(self, text: str, inside: str = "body") -> None:
        self.browser.until(lambda: self.browser.run(SHOWN, text, inside), f"{text!r} was not shown")

    def ask(self, text: str, shown: str) -> None:
        """Drop a query on the page and run it."""
        self.drop("query.cypher", text.encode())
        self.press("Paste in editor")
        self.press("editor-Run")
        self.see(shown, LAST)

    def drawn(self, number: int, nodes: int) -> tuple[list[Node], list[Line]]:
        """Run a saved query; return what Browser draws, as soon as it has as many nodes."""
        self.ask(saved(number), saved(number).splitlines()[0])
        self.browser.until(
            lambda: len(self.browser.run(DRAWN)[0]) == nodes, f"{number}: not {nodes} nodes"
        )
        held, lines = self.browser.run(DRAWN)
        return [Node(*one) for one in held], [Line(*one) for one in lines]

    def picture(self, name: str, *, legend: bool = False) -> None:
        """Save the answer that was drawn last, without what stands around it."""
        folder = os.environ.get("RATINGPRIV_SCREENSHOTS")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        size = {"width": 900, "height": 640, "deviceScaleFactor": 1.5, "mobile": False}
        self.browser.command("Emulation.setDeviceMetricsOverride", **size)
        self.press("Fullscreen", LAST)
        if not legend:  # it lies over the right edge of the picture
            self.press("Collapse the node properties display", LAST)
        self.browser.until(self.still, "the picture did not come to rest", seconds=20)
        self.press("zoom-to-fit", LAST)
        self.browser.until(self.still, "the picture did not come to rest", seconds=20)
        self.browser.run("return new Promise(done => setTimeout(() => done(true), 1500))")
        self.browser.screenshot(Path(folder) / f"{name}.png")
        self.press("Close fullscreen", LAST)
        self.browser.command("Emulation.clearDeviceMetricsOverride")

    def still(self) -> bool:
        """Whether the layout has come to rest."""
        before = self.browser.run(STILL)
        self.browser.run("return new Promise(done => setTimeout(() => done(true), 700))")
        return bool(before == self.browser.run(STILL))


def saved(number: int) -> str:
    return list(favorites().values())[number - 1]


@pytest.fixture(scope="module")
def session(neo4j_lts: Address) -> Iterator[Session]:
    """Browser, connected to a server with the survey of the examples, a run and a release of it."""
    if neo4j_lts.server is None:
        pytest.skip("the server named in RATINGPRIV_TEST_NEO4J_URI may have no Neo4j Browser")
    try:
        chromium = Chromium(free_port())
    except NoBrowserError as error:
        give_up(str(error))
        raise
    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store, chromium:
        table = ratingpriv.read(ROOT / "examples" / "survey.csv", sensitive=["pay"], scale=(1, 5))
        ingest(table, store, dataset="survey", epsilon=1, ratings=True)
        decompose(store, "survey", 5, 1.0, run="a")
        released = ratingpriv.anonymize(table, "modify", k=5, epsilon=1).table
        ids = tuple(table.record_ids.to_list())
        ingest(released, store, dataset="survey", epsilon=1, run="a", release_key=Key(ids, ids))
        asked = urllib.parse.urlencode(
            {"dbms": neo4j_lts.uri, "preselectAuthMethod": "NO_AUTH"}, quote_via=urllib.parse.quote
        )
        chromium.go(f"{neo4j_lts.server.http}/browser/?{asked}")
        found = Session(chromium, store)
        found.see("Connected to Neo4j")
        found.drop("style.grass", (ROOT / "docker" / "style.grass").read_bytes())
        found.see("node.AtRisk")
        found.ask(saved(2), ":param dataset")
        lines = "MATCH (:Record {dataset: $dataset})-[line:BEYOND]->() RETURN count(line) AS lines"
        chromium.until(lambda: store.run(lines, dataset="survey").rows[0][0], "nothing was marked")
        yield found
        store.drop("survey")


def test_the_favorites_are_one_file(session: Session) -> None:
    session.drop(FILE.name, FILE.read_bytes())
    session.press("Favorites")
    session.press("expandFolder-ratingpriv")
    for text in favorites().values():
        session.see(text.splitlines()[0].removeprefix("// "))
    session.press("Favorites")


def test_only_the_lines_of_an_answer_are_drawn(session: Session) -> None:
    session.ask(":config autoComplete: true", '"autoComplete": true')
    session.ask(saved(1), '"autoComplete": false')


def test_who_is_at_risk_and_why(session: Session) -> None:
    nodes, lines = session.drawn(4, 13)
    red = {node.id: node.caption for node in nodes if node.colour == RED}
    assert sorted(red.values()) == ["r166 4 of 5", "r193 3 of 5"]  # whole numbers stay whole
    assert Counter((red[line.start], line.type) for line in lines) == {
        ("r166 4 of 5", "WITHIN"): 3, ("r166 4 of 5", "BEYOND"): 3,
        ("r193 3 of 5", "WITHIN"): 2, ("r193 3 of 5", "BEYOND"): 3,
    }  # fmt: skip
    assert {line.caption for line in lines if line.type == "WITHIN"} == {"1.0 apart"}
    assert "team 5≠3" in {line.caption for line in lines}
    assert min(node.radius for node in nodes if node.id in red) > max(
        node.radius for node in nodes if node.id not in red
    )
    session.picture("at-risk", legend=True)


def test_nobody_is_alone(session: Session) -> None:
    ((dataset, *_), lines) = session.drawn(5, 1)
    assert dataset.caption.startswith("survey")
    assert not lines


def test_what_is_in_it(session: Session) -> None:
    nodes, lines = session.drawn(3, 1 + 2 + 12)
    assert {line.type for line in lines} == {"IN_GROUP"}
    assert max(nodes, key=lambda node: node.radius).caption == "258 answered the same 6"


def test_cliques_are_stars_of_one_colour_each(session: Session) -> None:
    session.store.run("browse/mark-cliques", dataset="survey", run="a")
    nodes, lines = session.drawn(8, 175)
    colours = {node.id: node.colour for node in nodes}
    assert {line.type for line in lines} == {"MEMBER_OF"}
    assert all(colours[line.start] == colours[line.end] for line in lines)
    assert len({colours[line.end] for line in lines}) == 8
    session.picture("cliques")


def test_what_the_release_changed(session: Session) -> None:
    # no colours of cliques any more
    session.store.run("browse/mark", dataset="survey", k=5, epsilon=1.0)
    nodes, lines = session.drawn(11, 2 + 2 + 4)
    moved, *near = sorted(lines, key=lambda line: line.type != "RELEASED_AS")
    captions = {node.id: node.caption for node in nodes}
    assert (captions[moved.start], moved.caption) == ("r193 3 of 5", "moved 1.0")
    assert Counter(moved.start in line for line in near) == {True: 2, False: 4}
    assert len([node for node in nodes if node.colour == "#2A8C2F"]) == 1 + 4
    session.picture("before-after")


def test_who_is_alone_stands_beside_the_group(session: Session) -> None:
    crowd = [(2, 2, 3, 3)] * 5
    table = build([*crowd, (5, 5, 1, 1), (None, 3, 3, None)], scale=(1, 5), name="seven")
    try:
        ingest(table, session.store, dataset="seven", epsilon=1)
        session.store.run("browse/mark", dataset="seven", k=3, epsilon=1.0)
        session.ask(":param dataset => 'seven'", '"dataset": "seven"')
        nodes, lines = session.drawn(5, 4)
        assert sorted(node.caption for node in nodes if node.colour == RED) == [
            "t6 1 of 3",
            "t7 1 of 3",
        ]
        assert [line.type for line in lines] == ["IN_GROUP"] * 2
        session.ask(":param dataset => 'survey'", '"dataset": "survey"')
    finally:
        session.store.drop("seven")


def test_a_merge_and_what_it_costs(session: Session) -> None:
    try:
        ingest(table3(), session.store, dataset="three", epsilon=3, ratings=True)
        decompose(session.store, "three", 3, 2.0, run="a")
        merge(session.store, "three", "a", 4, 6)
        session.ask(":param dataset => 'three'", '"dataset": "three"')
        _, lines = session.drawn(10, 1 + 4 + 1)
        kinds = Counter(line.type for line in lines)
        assert (kinds["MEMBER_OF"], kinds["RATED"]) == (4, 4)
        assert kinds["PROXIMATE"] == 2  # the two pairs that were cliques before
        session.picture("merge")
        session.ask(":param dataset => 'survey'", '"dataset": "survey"')
    finally:
        session.store.drop("three")

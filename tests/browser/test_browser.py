"""An analyst's first minutes: open Browser, set parameters, drop style and saved queries, see who is at risk.

``RATINGPRIV_SCREENSHOTS=docker/pictures`` keeps the pictures; so those of docker/README.md are made.
"""

from __future__ import annotations

import os
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from golden.tables import build
from neo4j_server.plugin import Address, give_up
from ports import free_port

from browser.webdriver import Chromium, NoBrowserError
from ratingpriv import RatingTable
from ratingpriv.graph.connect import open_store
from ratingpriv_loaders.graph.slices import load, slices

ROOT = Path(__file__).resolve().parent.parent.parent
RED = "#D62728"
DATASET = "survey"

DROP = """
const files = new DataTransfer();
files.items.add(new File([arguments[1]], arguments[0], {type: 'text/plain'}));
const target = document.querySelector('.filedrop');
target.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: files}));
return true;
"""
PRESS = """
const button = [...document.querySelectorAll('button')].find(
    one => (one.innerText || '').includes(arguments[0]) || one.dataset.testid === arguments[0]);
if (button) button.click();
return Boolean(button);
"""
NODES = """
const frame = document.querySelector('[data-testid="frame"]');
return [...frame.querySelectorAll('g.node')].map(node => {
    const circle = node.querySelector('circle.b-outline');
    return [circle.getAttribute('fill'), Number(circle.getAttribute('r')), node.textContent];
});
"""


def survey() -> RatingTable:
    """Forty people, most of them like others, some with answers or gaps of their own."""
    rng = np.random.default_rng(7)
    crowd = [tuple(rng.integers(2, 4, 4).tolist()) for _ in range(30)]
    few = [(5, 5, 1, 1), (5, 4, 1, 1), (1, 1, 5, 5), (1, 1, 5, 4), (1, 1, 4, 5), (5, 1, 5, 1)]
    gaps = [(None, 3, 3, None), (3, None, 3, 3), (3, None, 2, 3), (None, None, None, 1)]
    return build([*crowd, *few, *gaps], scale=(1, 5), name=DATASET)


@pytest.fixture(scope="module")
def browser(neo4j_lts: Address) -> Iterator[Chromium]:
    if neo4j_lts.server is None:
        pytest.skip("the server named in RATINGPRIV_TEST_NEO4J_URI may have no Neo4j Browser")
    with open_store(neo4j_lts.uri, environ=neo4j_lts.environ) as store:
        load(slices(survey(), DATASET, epsilon=4.0), store)
        store.run("browse/mark", dataset=DATASET, k=3, epsilon=1.0)
        try:
            chromium = Chromium(free_port())
        except NoBrowserError as error:
            give_up(str(error))
            raise
        with chromium:
            first = ':params {dataset: "survey", epsilon: 1.0, k: 3}'
            asked = {"dbms": neo4j_lts.uri, "preselectAuthMethod": "NO_AUTH", "cmd": "edit", "arg": first}
            address = urllib.parse.urlencode(asked, quote_via=urllib.parse.quote)
            chromium.go(f"{neo4j_lts.server.http}/browser/?{address}")
            text = "return document.body.innerText.includes(arguments[0])"
            chromium.until(lambda: chromium.run(text, "Connected to Neo4j"), "Browser did not connect")
            chromium.run(PRESS, "editor-Run")
            done = "Successfully set your parameters"
            chromium.until(lambda: chromium.run(text, done), "no parameters were set")
            chromium.run(DROP, "style.grass", (ROOT / "docker" / "style.grass").read_text(encoding="utf-8"))
            chromium.until(lambda: chromium.run(text, "node.AtRisk"), "the style was not taken")
            yield chromium
        store.drop(DATASET)


def ask(browser: Chromium, query_id: str, nodes: int) -> list[tuple[str, float, str]]:
    """Drop a query of the library on the page, run it; return colour, radius and caption of every node."""
    path = ROOT / "cypher" / f"{query_id}.cypher"
    browser.run(DROP, path.name, path.read_text(encoding="utf-8"))
    browser.until(lambda: browser.run(PRESS, "Paste in editor"), "the dropped query was not taken")
    browser.until(lambda: browser.run(PRESS, "editor-Run"), "no button to run it")
    title = path.read_text(encoding="utf-8").splitlines()[0]
    shown = "return document.querySelector('[data-testid=\"frameCommand\"]').innerText.includes(arguments[0])"
    browser.until(lambda: browser.run(shown, title), "the query was not run")
    browser.until(lambda: len(browser.run(NODES)) == nodes, f"{query_id} did not draw {nodes} nodes")
    found: list[tuple[str, float, str]] = [tuple(node) for node in browser.run(NODES)]
    return found


def picture(browser: Chromium, name: str) -> None:
    folder = os.environ.get("RATINGPRIV_SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        browser.until(lambda: still(browser), "the picture did not come to rest", seconds=20)
        browser.screenshot(Path(folder) / f"{name}.png")


def still(browser: Chromium) -> bool:
    """Whether the layout has come to rest."""
    script = (
        "return [...document.querySelectorAll('g.node')].map(one => one.getAttribute('transform')).join()"
    )
    before = browser.run(script)
    browser.run("return new Promise(done => setTimeout(() => done(true), 700))")
    return bool(before == browser.run(script))


def test_who_is_alone_is_drawn_red_and_small(browser: Chromium) -> None:
    nodes = ask(browser, "browse/alone", 1 + 3 + 3)  # the dataset, three who are alone, their Hamming groups
    red = [radius for colour, radius, _ in nodes if colour == RED]
    assert len(red) == 3
    captions = {re.sub(r"\W", "", caption) for colour, _, caption in nodes if colour == RED}
    assert captions == {"t36", "t37", "t40"}
    assert set(red) == {12.5}
    picture(browser, "alone")


def test_who_is_at_risk_and_who_is_closest(browser: Chromium) -> None:
    nodes = ask(browser, "browse/at-risk", 11)  # the dataset, seven at risk, and three of the crowd near them
    captions = {re.sub(r"\W", "", caption): radius for colour, radius, caption in nodes if colour == RED}
    alone, two = dict.fromkeys(["t36", "t37", "t40"], 12.5), dict.fromkeys(["t31", "t32", "t38", "t39"], 20)
    assert captions == {**alone, **two}
    picture(browser, "at-risk")

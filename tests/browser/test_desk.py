"""The desk in a headless Chromium: the whole way by keyboard; readable,
silent and alone at every width.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from browser.axe import faults
from browser.webdriver import Chromium
from ratingpriv.anonymize import verify

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "Tab": 9,
    "Enter": 13,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "ArrowLeft": 37,
    "ArrowRight": 39,
    " ": 32,
}


class Opened:
    """A desk of a process of its own, on a copy of a file, and the browser that is in."""

    def __init__(self, browser: Chromium, file: Path, *words: str) -> None:
        self.browser, self.file = browser, file
        program = [sys.executable, "-m", "ratingpriv", "desk", str(file), "--no-browser", *words]
        self.process = subprocess.Popen(program, cwd=file.parent, stdout=subprocess.PIPE, text=True)
        self.link = self.process.stdout.readline().strip()

    def enter(self) -> None:
        self.browser.go(self.link)
        self.settle("/columns")

    def settle(self, path: str, seconds: float = 180) -> None:
        """Wait until a page is there, and no work is under way."""
        ready = (
            "const box = document.getElementById('job'); return location.pathname === "
            "arguments[0] && "
        )
        ready += "document.readyState === 'complete' && box && box.dataset.state !== 'running' && "
        ready += "!document.querySelector('[data-wait]')"
        self.browser.until(lambda: self.browser.run(ready, path), f"{path} did not come", seconds)

    def go(self, path: str) -> None:
        self.browser.run("location = arguments[0]", path)
        time.sleep(0.1)
        self.settle(path.partition("?")[0])

    def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
            event = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], **text}
            self.browser.command("Input.dispatchKeyEvent", type="keyDown", **event)
            self.browser.command("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def tab_to(self, test: str) -> None:
        """Press Tab until what has the focus is what a selector or the text of a button names."""
        here = "const one = document.activeElement; return one.matches(arguments[0])"
        for _ in range(200):
            self.press("Tab")
            if self.browser.run(here, test):
                return
        pytest.fail(f"the Tab key does not lead to {test}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def opened(browser, tmp_path):
    desk = Opened(browser, Path(shutil.copy(ROOT / "examples" / "survey.csv", tmp_path)))
    yield desk
    desk.end()


def emulate(browser, width, scheme):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.command("Emulation.setEmulatedMedia", features=media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", **size)


def test_the_whole_way_by_keyboard_alone(opened, browser):
    emulate(browser, 1280, "light")
    browser.errors()
    opened.enter()
    opened.tab_to("[name=role8]")  # pay
    while browser.run("return document.activeElement.value") != "sensitive":
        opened.press("ArrowDown")
    opened.tab_to("main form button")
    opened.press("Enter")
    opened.settle("/choose")
    recommended = browser.run("return document.getElementById('k').value")
    opened.tab_to("#k")
    opened.press("ArrowRight", 3)
    moved = str(int(recommended) + 3)
    browser.until(
        lambda: f"k={moved}" in browser.run("return location.search"), "the slider did nothing", 10
    )
    assert browser.run("return document.activeElement.id") == "k"
    opened.tab_to(".cells .here a") if browser.run(
        "return !!document.querySelector('.cells .here a')"
    ) else None
    opened.press("ArrowUp")
    opened.press("ArrowLeft")
    opened.press("Enter")
    browser.until(
        lambda: f"k={moved}" not in browser.run("return location.search"), "the map did nothing", 10
    )
    assert browser.run("return document.activeElement.getAttribute('aria-current')") == "true"
    opened.tab_to(".cost button")
    opened.press("Enter")
    browser.until(
        lambda: "Answers exchanged" in browser.run("return document.body.innerText"), "no trial"
    )
    opened.settle("/choose")
    opened.go("/choose")  # back to what is recommended
    assert browser.run("return document.getElementById('k').value") == recommended
    opened.tab_to(".cost a.button")
    opened.press("Enter")
    opened.settle("/release")
    opened.tab_to("[name=accepted]")
    opened.press(" ")
    opened.tab_to(".methods button")
    opened.press("Enter")
    browser.until(lambda: browser.run("return !!document.querySelector('.say')"), "no release", 120)
    assert browser.run("return document.querySelector('.say').className") == "say good"
    release = opened.file.parent / "survey.csv.release" / "release.csv"
    asked = [
        sys.executable,
        "-m",
        "ratingpriv",
        "verify",
        str(release),
        "--accept",
        "nulls-wildcard",
    ]
    assert subprocess.run(asked, capture_output=True, check=False).returncode == 0
    opened.tab_to(".bar nav a[href^='/graph']")
    opened.press("Enter")
    browser.until(
        lambda: browser.run("return !!document.querySelector('.graph svg')"), "no picture"
    )
    opened.tab_to("#query")
    opened.press("ArrowDown", 2)
    opened.tab_to(".ask button")
    opened.press("Enter")
    browser.until(
        lambda: browser.run("return !!document.querySelector('.node[role=link]')"),
        "nobody is drawn",
    )
    opened.tab_to(".graph .node[role=link]")
    opened.press("Enter")
    browser.until(
        lambda: "record-and-near" in browser.run("return location.search"), "nobody is near", 90
    )
    assert browser.errors() == []
    opened.tab_to(".more summary")
    opened.press("Enter")
    opened.tab_to(".more button")
    opened.press("Enter")
    browser.until(
        lambda: "has ended" in browser.run("return document.body.innerText"), "it goes on", 20
    )
    assert opened.process.wait(30) == 0
    assert browser.errors() == []  # the last page asks the ended server for nothing


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    """A desk on which every page has something to show."""
    folder = tmp_path_factory.mktemp("desk")
    desk = Opened(browser, Path(shutil.copy(ROOT / "examples" / "survey.csv", folder)))
    emulate(browser, 1280, "light")
    desk.enter()
    browser.run("document.querySelector('[name=role8]').value = 'sensitive'")
    browser.run("document.querySelector('main form').submit()")
    desk.settle("/choose")
    desk.go("/release")
    browser.run("document.querySelector('[name=accepted]').click()")
    browser.run("document.querySelector('.methods button').click()")
    browser.until(lambda: browser.run("return !!document.querySelector('.say')"), "no release", 120)
    yield desk
    desk.end()


PAGES = {
    "columns": "/columns",
    "choose": "/choose",
    "withheld": "/choose?k=5&epsilon=1&face=withheld&l=0.5&m=1",
    "release": "/release?k=5&epsilon=1",
    "released": "/release",
    "graph": "/graph?k=5&epsilon=1",
    "problem": "/choose?k=x",
    "link": "/link",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable_silent_and_alone(shown, browser, name, width, scheme):
    emulate(browser, width, scheme)
    shown.go(PAGES[name])
    browser.until(lambda: browser.run("return !!document.querySelector('h1')"), "no page")
    if folder := os.environ.get("RATINGPRIV_SCREENSHOTS"):
        browser.whole_page(Path(folder, f"desk-{name}-{width}-{scheme}.png"))
    origin = browser.run("return location.origin")
    loaded = browser.run("return performance.getEntriesByType('resource').map(one => one.name)")
    assert [one for one in loaded if not one.startswith((origin, "data:"))] == []
    wanted = [] if name != "problem" else [one for one in browser.errors() if "422" not in one]
    assert [one for one in browser.errors() if "422" not in one] == wanted
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert faults(browser) == []


def test_the_browser_that_is_led_by_a_file_is_let_in(shown, browser, tmp_path):
    """A strict cookie does not follow a redirect from a file; a page of the desk's own does."""
    page = tmp_path / "desk.html"
    shown.go("/link")
    link = browser.run("return document.querySelector('pre').innerText").strip()
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={link}">')
    browser.command("Network.clearBrowserCookies")
    browser.go(page.as_uri())
    shown.settle("/columns")
    assert browser.run("return document.querySelector('h1').innerText") == "What is in each column?"


def test_two_tabs_choose_for_themselves_and_an_old_form_saves_nothing(shown, browser):
    shown.go("/choose?k=7&epsilon=2")
    assert browser.run("return document.getElementById('k').value") == "7"
    shown.go("/choose?k=4&epsilon=1")
    browser.run("history.back()")
    shown.settle("/choose")
    browser.until(
        lambda: browser.run("return document.getElementById('k').value") == "7", "Back did nothing"
    )
    shown.go("/columns")
    browser.run(
        "document.querySelector('[name=revision]').value = '0'; document.querySelector('main "
        "form').submit()"
    )
    browser.until(
        lambda: "another tab" in browser.run("return document.body.innerText"), "it was taken", 20
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_shades_of_the_map_are_told_apart_by_everybody(shown, browser, scheme):
    """Simulated deuteranopia and protanopia [Viénot et al. 1999], on the lightness that is left."""
    emulate(browser, 1280, scheme)
    shown.go("/choose")
    names = ["pass", "t0", "t1", "t2", "t3", "t4"]
    script = (
        "return arguments[0].map(name => getComputedStyle(document.querySelector(`.legend "
        ".${name}`))"
    )
    colours = browser.run(f"{script}.backgroundColor)", names)
    seen = [[int(part) for part in re.findall(r"\d+", one)[:3]] for one in colours]
    for matrix in (
        ((0.625, 0.375, 0), (0.7, 0.3, 0), (0, 0.3, 0.7)),
        ((0.567, 0.433, 0), (0.558, 0.442, 0), (0, 0.242, 0.758)),
    ):
        mapped = [
            [sum(w * c for w, c in zip(row, one, strict=True)) for row in matrix] for one in seen
        ]
        for place, one in enumerate(mapped[1:], 1):
            for other in mapped[1:place]:
                assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 25
    # what holds is told by its mark, too
    assert browser.run("return document.querySelector('.cells .pass').innerText").count("✓") == 1


def test_a_column_called_like_markup_is_shown_as_text(browser, tmp_path):
    file = tmp_path / "odd.csv"
    rows = [f"{row},{row % 5 + 1},{row * 3 % 5 + 1}" for row in range(40)]
    file.write_text(
        "\n".join(['id,<script>window.ran=1</script>,"<img src=x onerror=ran=1>"', *rows, ""])
    )
    desk = Opened(browser, file)
    try:
        desk.enter()
        assert "<script>" in browser.run("return document.body.innerText")
        browser.run("document.querySelector('main form').submit()")
        desk.settle("/choose")
        desk.go("/graph")
        assert browser.run("return window.ran === undefined")
        assert "script-src 'self'" not in " ".join(browser.errors())
    finally:
        desk.end()


def test_a_file_is_dropped(browser, tmp_path):
    program = [sys.executable, "-m", "ratingpriv", "desk", "--no-browser"]
    with subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            browser.go(process.stdout.readline().strip())
            browser.until(
                lambda: browser.run(  # the field and the script that takes what is dropped
                    "return document.readyState === 'complete' && "
                    "!!document.getElementById('chosen')"
                ),
                "no field",
            )
            text = (ROOT / "examples" / "survey.csv").read_text(encoding="utf-8")
            browser.run(
                "const data = new DataTransfer(); data.items.add(new File([arguments[0]], "
                "'mine.csv'));"
                "document.dispatchEvent(new DragEvent('drop', {dataTransfer: data}));",
                text,
            )
            browser.until(
                lambda: "mine.csv" in browser.run("return document.title"),
                "it is not on the desk",
                30,
            )
            assert browser.run("return document.querySelectorAll('.col').length") == 8
        finally:
            process.kill()


def test_the_desk_that_was_ended_says_so(browser, tmp_path):
    desk = Opened(browser, Path(shutil.copy(ROOT / "examples" / "survey.csv", tmp_path)))
    try:
        desk.enter()
        browser.run("document.querySelector('main form').submit()")
        desk.settle("/choose")
    finally:
        desk.end()
    browser.run(
        "const k = document.getElementById('k'); k.value = 9;"
        "k.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.until(
        lambda: "was ended" in browser.run("return document.body.innerText"), "nothing is said", 20
    )


def test_a_release_that_is_killed_leaves_none_without_its_manifest(opened, browser):
    opened.enter()
    browser.run("document.querySelector('main form').submit()")
    opened.settle("/choose")
    opened.go("/release")
    browser.run("document.querySelector('.methods button').click()")
    folder = opened.file.parent / "survey.csv.release"
    browser.until(folder.exists, "nothing was begun", 30)
    opened.process.kill()
    opened.process.wait()
    names = {path.name for path in folder.iterdir()}
    assert "release.csv" not in names or "release.csv.manifest.json" in names
    if "release.csv" in names:
        assert verify(folder / "release.csv").valid

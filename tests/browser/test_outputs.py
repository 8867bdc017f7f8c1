"""What ``-o x.html`` and ``-o x.pdf`` write, in a headless Chromium: readable by all, silent, offline.

``RATINGPRIV_SCREENSHOTS=FOLDER`` keeps the pictures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ports import free_port
from typer.testing import CliRunner

from browser.axe import faults
from browser.webdriver import Chromium, NoBrowserError
from ratingpriv.cli import app

SURVEY = Path(__file__).resolve().parents[2] / "examples" / "survey.csv"
ARGUMENTS = [
    "--k",
    "5",
    "--epsilon",
    "1",
    "--sensitive",
    "pay",
    "--show",
    "3",
    "--quiet",
    "--set",
    "threads=1",
]


def audited(path: Path) -> Path:
    ended = CliRunner().invoke(app, ["audit", str(SURVEY), *ARGUMENTS, "-o", str(path)])
    assert ended.exit_code == 1, ended.stderr
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("outputs") / "audit.html")


@pytest.fixture(scope="module")
def browser():
    try:
        with Chromium(free_port()) as chromium:
            yield chromium
    except NoBrowserError as none:
        pytest.skip(str(none))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_a_page_is_readable_and_silent(browser, page, width, scheme):
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.command("Emulation.setEmulatedMedia", features=media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", **size)
    browser.errors()
    browser.go(page.as_uri())
    if folder := os.environ.get("RATINGPRIV_SCREENSHOTS"):
        browser.whole_page(Path(folder, f"audit-{width}-{scheme}.png"))
    assert browser.run("return document.querySelector('h1').innerText").startswith("NOT SATISFIED")
    assert browser.run("return performance.getEntriesByType('resource').map(one => one.name)") == []
    assert browser.errors() == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert faults(browser) == []


def test_nothing_that_gets_in_runs_or_asks(browser, page):
    browser.go(page.as_uri())
    browser.run(
        "const a = document.createElement('script'); a.textContent = 'window.ran = 1';"
        "document.body.append(a); new Image().src = 'http://127.0.0.1:9/x.png';"
    )
    assert browser.run("return window.ran === undefined")
    complaint = "Content Security Policy"
    browser.until(lambda: any(complaint in one for one in browser.errors()), "nothing was refused", 10)


def test_a_page_is_printed(browser, tmp_path):
    """The fixture is asked for only because it skips where there is no Chromium."""
    written = audited(tmp_path / "audit.pdf").read_bytes()
    assert written.startswith(b"%PDF-")
    assert written.rstrip().endswith(b"%%EOF")
    assert (tmp_path / "audit.pdf").stat().st_mode & 0o077 == 0  # it names records

"""What ``-o x.html`` and ``-o x.pdf`` write, in a headless Chromium: readable by all,
silent, offline.

``RATINGPRIV_SCREENSHOTS=FOLDER`` keeps the pictures.
"""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from browser.axe import faults
from browser.webdriver import Chromium
from ratingpriv.cli import app

SURVEY = str(Path(__file__).resolve().parents[2] / "examples" / "survey.csv")
ASKED = ["--sensitive=pay", "--scale=1:5", "--k=5", "--epsilon=1", "--quiet", "--set=threads=1"]
WRITTEN = ["audit", "others", "team"]


def ratingpriv(*words: str) -> str:
    ended = CliRunner().invoke(app, list(words))
    assert ended.exit_code in (0, 1), ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """An audit that names records.

    A report of the survey and a release, for others and for the team.
    """
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in WRITTEN}
    ratingpriv("audit", SURVEY, *ASKED, "--show", "3", "-o", str(found["audit"]))
    release, key, made = str(folder / "r.csv"), str(folder / "r.key"), folder / "all.json"
    ratingpriv(
        "anonymize",
        "--accept",
        "found",
        SURVEY,
        *ASKED,
        "--method",
        "modify",
        "-o",
        release,
        "--key",
        key,
    )
    measured = ratingpriv("report", SURVEY, "--release", release, "--truth", key, *ASKED, "--json")
    made.write_text(measured, encoding="utf-8")
    for name, more in (("others", []), ("team", ["--internal"])):
        ratingpriv("report", "--from", str(made), *more, "-o", str(found[name]), "--quiet")
    return found


def emulate(browser: Chromium, width: int, scheme: str) -> None:
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.command("Emulation.setEmulatedMedia", features=media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.command("Emulation.setDeviceMetricsOverride", **size)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", WRITTEN)
def test_a_page_is_readable_and_silent(browser, pages, name, width, scheme):
    assert pages[name].stat().st_size < 1_000_000
    emulate(browser, width, scheme)
    browser.errors()
    browser.go(pages[name].as_uri())
    if folder := os.environ.get("RATINGPRIV_SCREENSHOTS"):
        browser.whole_page(Path(folder, f"{name}-{width}-{scheme}.png"))
    assert browser.run("return performance.getEntriesByType('resource').map(one => one.name)") == []
    assert browser.errors() == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert faults(browser) == []


@pytest.mark.parametrize("name", WRITTEN)
def test_nothing_that_gets_in_runs_or_asks(browser, pages, name):
    browser.go(pages[name].as_uri())
    browser.run(
        "const a = document.createElement('script'); a.textContent = 'window.ran = 1';"
        "document.body.append(a); new Image().src = 'http://127.0.0.1:9/x.png';"
    )
    assert browser.run("return window.ran === undefined")
    complaint = "Content Security Policy"
    browser.until(
        lambda: any(complaint in one for one in browser.errors()), "nothing was refused", 10
    )


def test_a_page_is_printed(browser, tmp_path):
    """The fixture is asked for only because it skips where there is no Chromium."""
    path = tmp_path / "audit.pdf"
    ratingpriv("audit", SURVEY, *ASKED, "--show", "3", "-o", str(path))
    assert path.read_bytes().startswith(b"%PDF-")
    assert path.read_bytes().rstrip().endswith(b"%%EOF")
    assert path.stat().st_mode & 0o077 == 0  # it names records


def shown(browser: Chromium) -> int:
    """How high the appendix is that a reader sees."""
    return browser.run(
        "return [...document.querySelectorAll('details')].reduce((sum, one) => sum + "
        "one.offsetHeight, 0)"
    )


def test_the_first_screen_of_a_report_decides_and_its_appendix_opens(browser, pages):
    emulate(browser, 1280, "light")
    browser.go(pages["others"].as_uri())
    assert (
        browser.run("return document.querySelector('.figures').getBoundingClientRect().bottom")
        < 900
    )
    closed = shown(browser)
    browser.command("Emulation.setEmulatedMedia", media="print")
    assert shown(browser) > 3 * closed  # printed it is whole
    browser.command("Emulation.setEmulatedMedia", media="")
    browser.run("document.querySelector('#exposed > summary').click();")
    assert shown(browser) > closed + 200

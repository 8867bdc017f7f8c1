"""A report in a headless Chromium: whole without a network, by keyboard, without a fault that axe-core finds.

``RATINGPRIV_AXE=axe.min.js`` names axe-core (npm pack axe-core); without it that is skipped, and says so.
``RATINGPRIV_SCREENSHOTS=FOLDER`` keeps the pictures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ports import free_port
from typer.testing import CliRunner

from browser.webdriver import Chromium, NoBrowserError
from ratingpriv.cli import app

ROOT = Path(__file__).resolve().parents[2]
DATA = ["--sensitive", "pay", "--scale", "1:5", "--k", "5", "--epsilon", "1", "--quiet"]
AXE = "return axe.run({resultTypes: ['violations']}).then(found => found.violations);"


def ratingpriv(*words: str) -> None:
    ended = CliRunner().invoke(app, list(words))
    assert ended.exit_code in (0, 1), ended.stderr


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Path]:
    """A report for others and one for the team, of the survey and a release."""
    folder = tmp_path_factory.mktemp("reports")
    survey, release, key = ROOT / "examples" / "survey.csv", folder / "r.csv", folder / "r.key"
    ratingpriv("anonymize", str(survey), *DATA, "--method", "modify", "-o", str(release), "--key", str(key))
    made = folder / "all.json"
    words = ["report", str(survey), "--release", str(release), "--truth", str(key), *DATA]
    made.write_text(CliRunner().invoke(app, [*words, "--json"]).stdout, encoding="utf-8")
    found = {}
    for name, more in (("others", []), ("team", ["--internal"])):
        found[name] = folder / f"{name}.html"
        ratingpriv("report", "--from", str(made), *more, "-o", str(found[name]), "--quiet")
    return found


@pytest.fixture(scope="module")
def browser():
    try:
        with Chromium(free_port()) as chromium:
            yield chromium
    except NoBrowserError as none:
        pytest.skip(str(none))


def emulate(browser: Chromium, width: int, scheme: str) -> None:
    browser.command(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
    )
    browser.command(
        "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
    )


@pytest.mark.parametrize("whose", ["others", "team"])
def test_it_loads_nothing_and_complains_of_nothing(browser, reports, whose):
    assert reports[whose].stat().st_size < 1_000_000
    browser.go(reports[whose].as_uri())
    assert browser.run("return performance.getEntriesByType('resource').map(one => one.name)") == []
    assert browser.errors() == []
    # a script that comes from elsewhere does not run, and asks nobody
    browser.run(
        "const a = document.createElement('script'); a.textContent = 'window.ran = 1';"
        "document.body.append(a);"
        "const b = new Image(); b.src = 'http://127.0.0.1:9/x.png'; document.body.append(b);"
    )
    assert browser.run("return window.ran === undefined")
    assert any("Content Security Policy" in one for one in browser.errors())


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing_serious(browser, reports, width, scheme):
    for whose, path in reports.items():
        emulate(browser, width, scheme)
        browser.go(path.as_uri())
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), (whose, width)
        if folder := os.environ.get("RATINGPRIV_SCREENSHOTS"):
            browser.whole_page(Path(folder, f"report-{whose}-{width}-{scheme}.png"))
        axe = os.environ.get("RATINGPRIV_AXE")
        if axe is None:
            pytest.skip("no axe-core: RATINGPRIV_AXE names its axe.min.js")
        browser.command("Runtime.evaluate", expression=Path(axe).read_text(encoding="utf-8"))
        found = [
            (one["id"], node["html"][:200])
            for one in browser.run(AXE)
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert found == [], whose


def shown(browser: Chromium) -> int:
    """How high the appendix is that a reader sees."""
    return browser.run(
        "return [...document.querySelectorAll('details')].reduce((sum, one) => sum + one.offsetHeight, 0)"
    )


def test_the_first_screen_decides(browser, reports):
    emulate(browser, 1280, "light")
    browser.go(reports["others"].as_uri())
    bottom = "return document.querySelector('.figures').getBoundingClientRect().bottom"
    assert browser.run(bottom) < 900


def test_the_appendix_opens(browser, reports):
    browser.go(reports["others"].as_uri())
    closed = shown(browser)
    browser.run("document.querySelector('#exposed > summary').click();")
    assert shown(browser) > closed + 200


def test_printed_it_is_whole(browser, reports):
    browser.go(reports["others"].as_uri())
    closed = shown(browser)
    browser.command("Emulation.setEmulatedMedia", media="print")
    assert shown(browser) > 3 * closed
    browser.command("Emulation.setEmulatedMedia", media="")

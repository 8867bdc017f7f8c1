"""axe-core, which looks for what keeps people from reading a page."""

import os
from pathlib import Path

import pytest

from browser.webdriver import Chromium

__all__ = ["faults"]

_FILE = Path(__file__).resolve().parents[2] / ".cache" / "axe" / "axe.min.js"
_RUN = "return axe.run({resultTypes: ['violations']}).then(found => found.violations);"


def faults(browser: Chromium) -> list[tuple[str, str]]:
    """Return the rules that the page breaks seriously or critically, each with the element.

    Skips where axe-core is absent, but for a run of continuous integration. ``RATINGPRIV_AXE``
    names another.
    """
    path = Path(os.environ.get("RATINGPRIV_AXE", _FILE))
    if not path.is_file():
        if os.environ.get("CI"):
            pytest.fail(f"no axe-core in {path}; .ci/install-axe puts it there")
        pytest.skip("no axe-core; .ci/install-axe puts it into .cache/axe")
    # by DevTools: the policy of a page lets none of its own scripts bring another in
    browser.command("Runtime.evaluate", expression=path.read_text(encoding="utf-8"))
    return [
        (one["id"], node["html"][:200])
        for one in browser.run(_RUN)
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]

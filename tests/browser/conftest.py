"""The browser that looks at pages."""

import pytest
from ports import free_port

from browser.webdriver import Chromium, NoBrowserError


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, for the tests of one module."""
    try:
        with Chromium(free_port()) as chromium:
            yield chromium
    except NoBrowserError as none:
        pytest.skip(str(none))

"""Fixtures and settings for every test."""

import functools
import json
import os
import random
import signal
from pathlib import Path

import pytest
from depth import DEPTH
from hypothesis import HealthCheck, settings
from json_contracts import Watch
from neo4j_server.server import CALENDAR
from typer import testing

from ratingpriv.base.compute.compiling import one_computation, pinned

# made anew for each command, it takes 30 ms
testing._get_command = functools.cache(testing._get_command)

pytest_plugins = ["costs", "neo4j_server.plugin"]

ROOT = Path(__file__).resolve().parent.parent

# the same examples every time, so that a failure is the change's; `make test-deep` draws others
# each time
settings.register_profile(
    "ratingpriv",
    deadline=None,
    derandomize=DEPTH == 1,
    max_examples=60 * DEPTH,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ratingpriv")

# a shell that starts the suite in the background has SIGINT ignored, and so would every command in
# a test
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SERVER = "neo4j"  # fixtures and parameters whose names begin so need a running server


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a Neo4j server, and keep them on one worker:
    each server starts once.
    """
    # the same on every worker; files stay together
    if order := os.environ.get("RATINGPRIV_TEST_ORDER"):
        place = random.Random(order).random  # noqa: S311
        files = {item.path: place() for item in items}
        items.sort(key=lambda item: (files[item.path], place()))
    for item in items:
        parameters = item.nodeid.partition("[")[2].replace("]", "").split("-")
        names = [*getattr(item, "fixturenames", ()), *parameters]
        if any(name.startswith(SERVER) for name in names):
            item.add_marker("server")
            item.add_marker(pytest.mark.xdist_group(SERVER))
            if "neo4j_calendar" in names or ("neo4j_address" in names and CALENDAR.name in names):
                item.add_marker("calendar")


@pytest.fixture(autouse=True)
def _form_of_kernels(request: pytest.FixtureRequest):
    """What is marked small runs compiled kernels, the rest what its own data call for,
    not earlier ones.
    """
    form = "compiled" if request.node.get_closest_marker("small") else None
    with pinned(form), one_computation():  # many calls of a test are one computation
        yield


@pytest.fixture(scope="session")
def test_data() -> Path:
    """Folder of real data that may not be redistributed; the test is skipped where it is absent."""
    folder = Path(os.environ.get("RATINGPRIV_TEST_DATA", ROOT / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(
            f"no real data: {folder} does not exist (name its place in RATINGPRIV_TEST_DATA)"
        )
    return folder


@pytest.fixture(scope="session", autouse=True)
def _watched():
    """Hold every JSON document that ratingpriv writes to its schema, from here on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json, "dumps", Watch(json.dumps))
        patch.setattr(json, "dump", Watch(json.dump))
        yield


@pytest.fixture(autouse=True)
def _keeps_the_json_contracts(_watched):
    """Fail the test in which a document was written that is not as its schema says."""
    Watch.found.clear()
    yield
    assert not Watch.found, "\n".join(Watch.found)

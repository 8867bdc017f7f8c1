"""Fixtures and settings for every test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["neo4j_server.plugin"]

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("ratingpriv", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ratingpriv")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """Folder of real data that may not be redistributed; the test is skipped where it is absent."""
    folder = Path(os.environ.get("RATINGPRIV_TEST_DATA", ROOT / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (name its place in RATINGPRIV_TEST_DATA)")
    return folder

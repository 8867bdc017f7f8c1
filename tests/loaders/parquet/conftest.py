"""Both ways to read the long layout."""

import pytest

from ratingpriv_loaders.parquet import long


@pytest.fixture(params=["gathered", "streamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test once with each of them, in batches of three rows."""
    monkeypatch.setattr(long, "BATCH", 3)
    monkeypatch.setattr(long, "STREAMED", 0 if request.param == "streamed" else 1 << 40)
    return str(request.param)

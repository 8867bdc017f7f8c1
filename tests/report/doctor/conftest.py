"""No test of the doctor starts Spark: tests/spark has one that does."""

from __future__ import annotations

import pytest

from ratingpriv.report.doctor import environment
from ratingpriv.report.doctor.check import Check


@pytest.fixture(autouse=True)
def _without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "spark_check", lambda: Check("spark", True, "not tried"))
